"""What a model behind a server does when something goes wrong, or when nobody listens any more."""

import gc
import itertools
import math
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.endpoint_server import faults
from tests.endpoint_server.language_model import BOS
from tests.models.endpoint.serving import SHORT, Open, Serve

from pommel.errors import ModelError
from pommel.models.endpoint.model import open_model
from pommel.models.model import LoadOptions, Policy, score_all

SENTENCES = [f"The author {verb} ." for verb in ("is", "are", "knows", "know", "was", "were")]

ANOTHER = ["Das", " ist", " gut"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            faults.edited(tokens=ANOTHER, token_logprobs=[None, -1.0, -1.0]),
            f"it puts ['Das'] and not ['{BOS}'] in front",
        ),
        (
            faults.edited(tokens=[BOS, *ANOTHER], token_logprobs=[None, -1.0, -1.0, -1.0]),
            "its token 1 is 'Das' where the text has 'The author is good .'",
        ),
        (
            faults.edited(tokens=lambda tokens: [token.lower() for token in tokens]),
            "its token 1 is 'the' where the text has 'The author is good .'",
        ),
        (
            faults.edited(token_logprobs=lambda numbers: [*numbers[:4], math.nan, *numbers[5:]]),
            "the log-probability of ' is' is nan, which none can be",
        ),
        (
            faults.edited(token_logprobs=lambda numbers: [*numbers[:4], None, *numbers[5:]]),
            "it gives no log-probability for ' is', its token 4",
        ),
        (lambda _value: {"error": "x"}, "HTTP 200, but an error: 'x'"),
        (
            lambda _value: {"error": {"message": "out of credit", "code": 402}},
            "HTTP 200, but an error 402: 'out of credit'",
        ),
        (
            lambda _value: {"object": "error", "message": "echo needs X", "code": "E7"},
            "HTTP 200, but an error: 'echo needs X'",
        ),
        # The trial has found that the first token is scored.
        (
            faults.edited(token_logprobs=lambda numbers: [None, None, *numbers[2:]]),
            "it gives no log-probability for 'The', its token 1",
        ),
        (
            faults.edited(
                tokens=lambda tokens: [*tokens, " no"],
                token_logprobs=lambda numbers: [*numbers, -1.0],
            ),
            "it shows 2 tokens behind the prompt, and 1 was asked for",
        ),
        (
            lambda value: value | {"usage": {"prompt_tokens": 6}},
            "it counts 5 tokens, and shows 6",
        ),
        (
            faults.edited(tokens=lambda tokens: ["x" * 10**6, *tokens[1:]]),
            f"it puts ['{'x' * 80}'…] and not ['{BOS}'] in front",
        ),
    ],
)
def test_answers_that_cannot_be_are_refused(
    serve: Serve, opened: Open, edit: Any, message: str
) -> None:
    server, url = serve(adds_bos=True)
    model = opened(url)
    server.behaviour.edit = edit
    n_before = len(server.seen.prompts)
    with pytest.raises(ModelError) as raised:
        score_all(model, ["The author is good ."], Policy())
    # An error of the server is nobody else's.
    sentence = "" if message.startswith("HTTP") else "'The author is good .': "
    assert str(raised.value) == f"{url}#en-gpt2: {sentence}{message}"
    # Nothing of this passes by itself.
    assert len(server.seen.prompts) == n_before + 1


def test_prompts_that_a_server_refuses_cost_these_only(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url, n_parallel=1)
    sentences = sorted(SENTENCES)
    for each in sentences[1:3]:
        server.behaviour.always_at[each] = faults.status(400, "too long")
    answers = model.score(sentences, Policy())
    indices = [index for index, _ in itertools.islice(answers, len(sentences) - 2)]
    assert indices == [0, *range(3, len(sentences))]
    with pytest.raises(ModelError) as raised:
        next(answers)
    assert raised.value.blamed == {
        each: f"{url}#en-gpt2: {each!r}: HTTP 400: 'too long'" for each in sentences[1:3]
    }


def test_what_was_scored_before_a_failure_is_given(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url, n_parallel=1)
    sentences = sorted(SENTENCES)
    server.behaviour.always_at[sentences[3]] = faults.status(404, "gone")
    answers = model.score(sentences, Policy())
    assert [index for index, _ in itertools.islice(answers, 3)] == [0, 1, 2]
    with pytest.raises(ModelError, match="HTTP 404: 'gone'"):
        next(answers)
    assert server.seen.prompts[-4:] == sentences[:4]


def wait_until(is_so: Any) -> None:
    """Wait for what a server sees a little later than its client."""
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def n_threads() -> int:
    """How many threads of ours there are."""
    return sum(each.name == "pommel-endpoint" for each in threading.enumerate())


def test_a_failure_cancels_what_is_under_way(serve: Serve, opened: Open) -> None:
    server, url = serve()
    # Nobody waits for those that hang.
    model = opened(url, n_parallel=4, timeout_seconds=10_000)
    hang = faults.silent
    server.behaviour.faults.extend([hang, hang, hang, faults.status(401, "no key")])
    with pytest.raises(ModelError, match="HTTP 401: 'no key'"):
        score_all(model, SENTENCES[:4], Policy())
    wait_until(lambda: server.seen.n_open == 0)


def test_whoever_stops_listening_ends_the_requests(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url, n_parallel=3)
    server.behaviour.faults.extend([faults.silent, faults.silent])
    answers = model.score(SENTENCES[:3], Policy())
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    wait_until(lambda: server.seen.n_open == 0)


def test_closing_ends_the_thread_and_a_closed_model_connects_anew(serve: Serve) -> None:
    _, url = serve()
    model = open_model(url, LoadOptions(), waiting=SHORT)
    assert n_threads() == 1
    model.close()
    model.close()
    assert n_threads() == 0
    assert len(score_all(model, ["I"], Policy())) == 1
    model.close()
    assert n_threads() == 0


def test_a_model_that_nobody_has_any_more_ends_its_thread(serve: Serve) -> None:
    _, url = serve()
    open_model(url, LoadOptions(), waiting=SHORT)
    gc.collect()
    assert n_threads() == 0


def test_a_model_that_cannot_be_opened_leaves_no_thread(serve: Serve) -> None:
    _, url = serve()
    with pytest.raises(ModelError):
        open_model(f"{url}#other", LoadOptions(), waiting=SHORT)
    assert n_threads() == 0


def test_control_c_ends_a_run_at_once(serve: Serve, repository: Path) -> None:
    server, url = serve(always=faults.silent)
    command = [sys.executable, "-m", "pommel", "run", url, "suites:en/agreement"]
    with subprocess.Popen(
        command, cwd=repository, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: server.seen.n_open == 4)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stdout == ""
    assert stderr.splitlines()[-1] == "pommel: interrupted"
    assert "Traceback" not in stderr
    wait_until(lambda: server.seen.n_open == 0)
