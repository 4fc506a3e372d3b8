"""What is asked of a server, and which answers can be."""

from typing import Any

import pytest

from pommel.errors import InputError
from pommel.models.endpoint.protocol import Completions

COMPLETIONS = Completions(base_url="http://h/v1", model="m")


def completion(**logprobs: Any) -> dict[str, Any]:
    """An answer with two tokens, or with what is given instead."""
    sound = {"tokens": ["The", " cat"], "token_logprobs": [None, -1.5]}
    return {"choices": [{"index": 0, "text": "The cat", "logprobs": sound | logprobs}]}


def test_a_request_asks_for_the_prompt_and_as_little_as_can_be_of_what_follows() -> None:
    assert COMPLETIONS.url == "http://h/v1/completions"
    assert COMPLETIONS.body("The cat") == {
        "model": "m",
        "prompt": "The cat",
        "echo": True,
        "logprobs": 1,
        "max_tokens": 1,
        "temperature": 1.0,
        "top_p": 1.0,
    }
    assert COMPLETIONS.body("The cat", special_tokens=False)["add_special_tokens"] is False


def test_an_answer() -> None:
    best = [None, {" dog": -0.5, " cat": -1.5}]
    value = completion(top_logprobs=best) | {"usage": {"prompt_tokens": 2}}
    answer = COMPLETIONS.read(value)
    assert answer.tokens == ("The", " cat")
    assert answer.log_probabilities == (None, -1.5)
    assert answer.best == (None, -0.5)
    assert answer.n_prompt_tokens == 2


@pytest.mark.parametrize(("number", "read"), [(0, 0.0), (-0.0, 0.0), (1e-7, 0.0), (-800.0, -800.0)])
def test_numbers_that_can_be(number: float, read: float) -> None:
    (_, known) = COMPLETIONS.read(completion(token_logprobs=[None, number])).log_probabilities
    assert known == read
    assert str(known) == str(read)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (float("nan"), "the log-probability of ' cat' is nan, which none can be"),
        (float("inf"), "the log-probability of ' cat' is inf, which none can be"),
        (float("-inf"), "the log-probability of ' cat' is -inf, which none can be"),
        (0.25, "the log-probability of ' cat' is 0.25, which none can be"),
        (10**400, f"the log-probability of ' cat' is 1{'0' * 23}…, which none can be"),
        ("-1.5", "the log-probability of ' cat' is of type str, and no number"),
        (
            -(10**4000),
            (
                f"the log-probability of ' cat' is -1{'0' * 22}…, which stands for one that the "
                "server does not know"
            ),
        ),
        ([0] * 10**6, "the log-probability of ' cat' is of type list, and no number"),
        (True, "the log-probability of ' cat' is of type bool, and no number"),
        (
            -9999.0,
            (
                "the log-probability of ' cat' is -9999.0, which stands for one that the server "
                "does not know"
            ),
        ),
    ],
)
def test_numbers_that_cannot_be(number: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        COMPLETIONS.read(completion(token_logprobs=[None, number]))
    assert str(raised.value) == message


def test_a_token_of_a_message_is_cut() -> None:
    with pytest.raises(InputError) as raised:
        COMPLETIONS.read(completion(tokens=["The", "x" * 10**6], token_logprobs=[None, 1.0]))
    assert str(raised.value) == (f"the log-probability of '{'x' * 80}'… is 1.0, which none can be")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "its answer has no 'choices'"),
        ({}, "its answer has no 'choices'"),
        ({"choices": {}}, "its answer has no 'choices'"),
        ({"choices": []}, "its answer has 0 choices, and one was asked for"),
        ({"choices": [{}, {}]}, "its answer has 2 choices, and one was asked for"),
        ({"choices": ["x"]}, "it gives no log-probabilities (logprobs is ignored)"),
        (
            {"choices": [{"text": "", "logprobs": None}]},
            "it gives no log-probabilities (logprobs is ignored)",
        ),
        # The form of chat completions.
        ({"choices": [{"logprobs": {"content": []}}]}, "logprobs has no 'tokens'"),
        (completion(token_logprobs=None), "logprobs has no 'token_logprobs'"),
        (completion(token_logprobs=[None]), "it gives 1 log-probabilities for 2 tokens"),
        (completion(tokens=["The", 7]), "its tokens are not all texts"),
        (
            completion(tokens=["token_id:7", "token_id:8"]),
            ("it shows token ids instead of tokens; start it without --return-tokens-as-token-ids"),
        ),
    ],
)
def test_answers_that_cannot_be(value: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        COMPLETIONS.read(value)
    assert str(raised.value) == message


@pytest.mark.parametrize("best", [None, [], [None], {"a": 1}, "xx"])
def test_without_the_best_of_each_place(best: Any) -> None:
    assert COMPLETIONS.read(completion(top_logprobs=best)).best == ()
