"""What a server does by itself, and whether it gives what is needed at all."""

from typing import Any

import pytest
from tests.endpoint_server import faults
from tests.endpoint_server.language_model import BOS
from tests.models.endpoint.serving import Open, Serve, refusal

from pommel.errors import ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.model import Policy


def cut_otherwise(value: Any) -> Any:
    """Cut the word after a mark in two."""
    logprobs = value["choices"][0]["logprobs"]
    if logprobs["tokens"][0] == BOS:
        logprobs["tokens"][1:2] = ["T", "he"]
        logprobs["token_logprobs"][1:1] = [-1.0]
    return value


def one_place_late(value: Any) -> Any:
    """Hide the mark, and leave its place to the numbers."""
    logprobs = value["choices"][0]["logprobs"]
    logprobs["tokens"] = logprobs["tokens"][1:]
    for name in ("token_logprobs", "top_logprobs"):
        if name in logprobs:
            logprobs[name] = logprobs[name][:-1]
    return value


def always_minus_1(value: Any) -> Any:
    """Give every token the same."""
    logprobs = value["choices"][0]["logprobs"]
    logprobs["token_logprobs"] = [None] + [-1.0] * (len(logprobs["tokens"]) - 1)
    return value


def with_hello(value: Any) -> Any:
    """Put a word where the mark was."""
    value["choices"][0]["logprobs"]["tokens"][0] = "Hello"
    return value


HIDDEN = {"adds_bos": True, "shows_bos": False}
SCORED = f"scored, after {BOS!r}, which the server puts in front"
SCORED_HIDDEN = "scored, after a mark that the server puts in front and does not show"
LEFT_OUT = "add_special_tokens=false"


@pytest.mark.parametrize(
    ("behaviour", "setting", "bos", "first_token", "without_mark"),
    [
        ({}, "", None, "unscored: nothing stands before it", "as it is"),
        ({}, f"?bos={BOS}", BOS, f"scored, after {BOS!r} of the reference", "as it is"),
        ({"adds_bos": True}, "", BOS, SCORED, LEFT_OUT),
        ({"adds_bos": True}, f"?bos={BOS}", BOS, SCORED, LEFT_OUT),
        ({"adds_bos": True, "takes_special_tokens": False}, "", BOS, SCORED, "not possible"),
        (HIDDEN, "", None, SCORED_HIDDEN, LEFT_OUT),
        ({**HIDDEN, "tells_usage": False}, "", None, SCORED_HIDDEN, LEFT_OUT),
        (
            {**HIDDEN, "scores_first": False, "takes_special_tokens": False},
            "",
            None,
            # It may be a mark; nothing tells.
            "unscored: the server counts a token that it does not show",
            "not possible",
        ),
        (
            {**HIDDEN, "scores_first": False},
            "",
            None,
            "unscored by the server, after a mark that the server puts in front and does not show",
            LEFT_OUT,
        ),
    ],
)
def test_marks_in_front(  # noqa: PLR0913, PLR0917 - a table of cases
    serve: Serve,
    opened: Open,
    behaviour: dict[str, bool],
    setting: str,
    bos: str | None,
    first_token: str,
    without_mark: str,
) -> None:
    _, url = serve(**behaviour)
    info = opened(f"{url}{setting}#en-gpt2").info
    assert info.bos == bos
    assert info.details["first_token"] == first_token
    assert info.details["without_mark"] == without_mark
    assert info.details["protocol"] == "completions (echo, logprobs, max_tokens 1)"
    assert info.details["contexts"] == "checked"


def test_a_probability_of_1_for_whatever_comes_first_is_none(serve: Serve, opened: Open) -> None:
    edit = faults.edited(token_logprobs=lambda numbers: [0.0, *numbers[1:]])
    _, url = serve(edit=edit, spares_probes=False)
    assert opened(url).info.details["first_token"] == "unscored: nothing stands before it"


def test_a_first_token_without_text_is_a_mark_whatever_its_number(
    serve: Serve, opened: Open
) -> None:
    def edit(value: Any) -> Any:
        logprobs = value["choices"][0]["logprobs"]
        if logprobs["tokens"][0] == BOS:
            logprobs["tokens"][0], logprobs["token_logprobs"][0] = "", 0.0
        return value

    _, url = serve(edit=edit, adds_bos=True, spares_probes=False)
    details = opened(url).info.details
    assert details["first_token"] == "scored, after '', which the server puts in front"
    assert details["without_mark"] == "add_special_tokens=false"


def test_a_server_that_does_not_repeat_itself(serve: Serve, opened: Open) -> None:
    _, url = serve()
    assert opened(url).info.details["repeats"] == "checked, to 0.0000 bits"
    _, url = serve(caches_wrongly=1, spares_probes=False)
    # However often it is tried: what it is tried with is new each time.
    for _ in range(2):
        said = refusal(opened, f"{url}#en-gpt2")
        assert "its log-probabilities depend on what was asked before: that of" in said
        assert "start it so that its numbers are exact" in said


def test_a_server_that_takes_no_long_prompts(serve: Serve, opened: Open) -> None:
    def edit(value: Any) -> Any:
        long = len(value["choices"][0]["logprobs"]["tokens"]) > 32
        return {"error": {"message": "too long", "code": 400}} if long else value

    _, url = serve(edit=edit, spares_probes=False)
    details = opened(url).info.details
    assert details["repeats"] == "not checked: the server refuses a prompt of 60 words"


def test_contexts_cannot_be_checked_where_a_prompt_is_one_token(serve: Serve, opened: Open) -> None:
    def edit(value: Any) -> Any:
        logprobs = value["choices"][0]["logprobs"]
        logprobs["tokens"] = ["".join(logprobs["tokens"][:-1])]
        logprobs["token_logprobs"], logprobs["top_logprobs"] = [None], [None]
        del value["usage"]
        return value

    _, url = serve(edit=edit, spares_probes=False)
    assert opened(url).info.details["contexts"] == "not checked: the first tokens differ"


def test_counts_have_to_agree(serve: Serve, opened: Open) -> None:
    numbers = iter([4, 5, 6])
    edit = lambda value: value | {"usage": {"prompt_tokens": next(numbers)}}  # noqa: E731
    _, url = serve(edit=edit, spares_probes=False)
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(url)
    assert str(raised.value) == (
        f"{url}#en-gpt2: its usage counts the tokens of each prompt in another way"
    )


def test_a_count_alone_makes_no_mark(serve: Serve, opened: Open) -> None:
    def edit(value: Any) -> Any:
        value["usage"]["prompt_tokens"] += 1
        return value

    _, url = serve(edit=edit, spares_probes=False)
    model = opened(url)
    model.score(["I"], Policy())
    for bos in ("always", "never"):
        with pytest.raises(UnsupportedFeatureError) as raised:
            model.score(["I"], Policy(bos=bos))
        assert str(raised.value) == (
            f"{url}#en-gpt2: bos={bos}: the server counts a token that it does not show, which "
            "may be a mark or not"
        )
    with pytest.raises(ModelNotAvailableError, match="it puts a mark that it does not show in fro"):
        opened(f"{url}?bos={BOS}#en-gpt2")


def test_contexts_are_checked_in_part_without_the_best_of_each_place(
    serve: Serve, opened: Open
) -> None:
    _, url = serve(tells_best=False)
    assert opened(url).info.details["contexts"] == "partly checked: no top_logprobs"


SAME = (
    "its log-probabilities are not those of each token after the ones before it: "
    "those of [' s', ' the', ' of'] are the same ({})"
)
IGNORED = (
    "it gives no log-probabilities (logprobs is ignored); surprisals need prompt log-probabilities"
)


@pytest.mark.parametrize(
    ("behaviour", "setting", "message"),
    [
        (
            {"has_completions": False},
            "",
            (
                "it is a chat endpoint; surprisals need prompt log-probabilities, which chat "
                "completions do not give (HTTP 404: 'Not Found')"
            ),
        ),
        (
            {
                "always": faults.status(404, "This is a chat model, use v1/chat/completions."),
                "spares_probes": False,
                "has_models": False,
                "has_chat": False,
            },
            "",
            (
                "it is a chat endpoint; surprisals need prompt log-probabilities, which chat "
                "completions do not give (HTTP 404: 'This is a chat model, use "
                "v1/chat/completions.')"
            ),
        ),
        (
            {"has_completions": False, "has_chat": False},
            "",
            "there is nothing to complete prompts: HTTP 404: 'Not Found'",
        ),
        (
            {
                "always": faults.status(500, "Only no echo is supported"),
                "spares_probes": False,
                "has_models": False,
            },
            "",
            (
                "it refuses echo with logprobs: HTTP 500: 'Only no echo is supported'; surprisals "
                "need prompt log-probabilities"
            ),
        ),
        (
            {"ignores_echo": True},
            "",
            (
                "it does not echo the prompt 'The cat sat': its token 1 is ' that' where the text "
                "has 'The cat sat'; surprisals need prompt log-probabilities"
            ),
        ),
        ({"ignores_logprobs": True}, "", IGNORED),
        (
            {"is_one_place_wrong": True},
            "",
            (
                "its log-probabilities are not those of each token after the ones before it: the "
                "best after 'The cat' depends on the word itself (-1.39, -2.85, -0.91); they would "
                "be wrong by one place"
            ),
        ),
        (
            {"edit": one_place_late, "adds_bos": True, "spares_probes": False},
            "",
            SAME.format("-2.77, -2.77, -2.77"),
        ),
        (
            {"edit": one_place_late, "adds_bos": True, "spares_probes": False, "tells_best": False},
            "",
            SAME.format("-2.77, -2.77, -2.77"),
        ),
        ({"edit": always_minus_1, "spares_probes": False}, "", SAME.format("-1.00, -1.00, -1.00")),
        (
            {"edit": with_hello, "adds_bos": True, "spares_probes": False},
            "",
            (
                "it does not echo the prompt 'The cat sat': its token 1 is 'Hello' where the text "
                "has 'The cat sat'; surprisals need prompt log-probabilities"
            ),
        ),
        (
            {"adds_bos": True},
            "?bos=<s>",
            f"it puts {BOS!r} in front by itself; leave out ?bos=<s>",
        ),
        (
            HIDDEN,
            f"?bos={BOS}",
            f"it puts a mark that it does not show in front by itself; leave out ?bos={BOS}",
        ),
        (
            {},
            "?bos=<s>",
            (
                "it does not take '<s>' for one mark: it does not echo the prompt 'The cat sat': "
                "its token 1 is '<' where the text has 'The cat sat'"
            ),
        ),
        (
            {"edit": cut_otherwise, "spares_probes": False},
            f"?bos={BOS}",
            (
                f"it does not take {BOS!r} for one mark in front of 'The cat sat': it shows "
                f"[{BOS!r}, 'T', 'he', ' c', 'at', ' s', 'at']"
            ),
        ),
    ],
)
def test_a_server_that_cannot_be_used(
    serve: Serve, opened: Open, behaviour: dict[str, object], setting: str, message: str
) -> None:
    _, url = serve(**behaviour)
    reference = f"{url}{setting}#en-gpt2"
    assert refusal(opened, reference) == message


def test_a_refusal_is_no_reason_to_try_again(serve: Serve, opened: Open) -> None:
    refuse = faults.status(500, "logprobs is not supported with logits_all=False")
    server, url = serve(always=refuse, spares_probes=False, has_models=False)
    with pytest.raises(ModelNotAvailableError):
        opened(f"{url}#m", n_retries=5)
    assert len(server.seen.prompts) == 1
