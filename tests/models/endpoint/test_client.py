"""Requests that fail: what is tried again, what is not, and what is said of it."""

import asyncio
import gc
import json
import math
import re
import socket
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from tests.containers_support.processes import wait_until
from tests.endpoint_server import faults
from tests.endpoint_server.application import Behaviour, EndpointServer, Fault
from tests.endpoint_server.language_model import LanguageModel
from tests.endpoint_server.running import running
from tests.models.endpoint.serving import SHORT, Open, Serve, refusal

from pommel.errors import ModelError, ModelNotAvailableError, PommelError, UsageError
from pommel.models.endpoint.client import (
    Answer,
    Background,
    Client,
    Put,
    RequestFailedError,
    find_key,
    variable_of,
)
from pommel.models.endpoint.model import EndpointModel, open_model
from pommel.models.endpoint.reference import read_reference
from pommel.models.model import LoadOptions, Policy, score_all

SENTENCE = "The author is good ."
SOON = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
BUSY = faults.status(429, "too many requests")


def score_one(model: EndpointModel) -> list[float | None]:
    """Return the surprisals of one sentence."""
    (scored,) = score_all(model, [SENTENCE], Policy())
    return [token.surprisal_bits for token in scored.tokens]


def failure(model: EndpointModel) -> str:
    """Return what is said when a sentence is scored, behind its name if it is to blame."""
    with pytest.raises(ModelError) as raised:
        score_one(model)
    assert raised.value.exit_status == 1
    head, _, rest = str(raised.value).partition("#en-gpt2: ")
    assert head.startswith("http://127.0.0.1:")
    reason = rest.removeprefix(f"'{SENTENCE}': ")
    assert (reason != rest) == bool(raised.value.blamed)
    return reason


@pytest.mark.parametrize(
    "fault",
    [
        BUSY,
        faults.status(429, "too many requests", Retry_After="0"),
        # Longer than anybody waits: the limit is that of the client.
        faults.status(429, "too many requests", Retry_After="3600"),
        faults.status(429, "too many requests", Retry_After=SOON),
        faults.status(429, "too many requests", Retry_After="later"),
        faults.status(500),
        faults.status(502),
        faults.status(503),
        faults.status(504),
        faults.dropped,
        faults.broken_json,
        lambda _request: JSONResponse({"error": {"message": "slow down", "code": 429}}),
    ],
)
def test_what_may_pass_is_tried_again(serve: Serve, opened: Open, fault: Fault) -> None:
    server, url = serve()
    model = opened(url)
    sound = score_one(model)
    server.behaviour.faults.extend([fault, fault])
    n_before = len(server.seen.prompts)
    assert score_one(model) == sound
    # Twice in vain, once, and once more at the end.
    assert len(server.seen.prompts) == n_before + 4


def test_time_outs_are_tried_again(serve: Serve, opened: Open) -> None:
    server, url = serve()
    sound = score_one(opened(url))
    model = opened(url, timeout_seconds=0.5, n_retries=5)
    server.behaviour.faults.append(faults.silent)
    assert score_one(model) == sound


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (BUSY, "3 x HTTP 429: 'too many requests'"),
        (faults.status(503, ""), """3 x HTTP 503: '{"message": ""}'"""),
        (
            faults.dropped,
            (
                "3 x the connection was lost: peer closed connection without sending complete "
                "message body (received 13 bytes, expected 5000)"
            ),
        ),
        (faults.broken_json, """3 x its answer is '{"choices": [{"te', and not JSON"""),
    ],
)
def test_what_does_not_pass_is_said_with_how_often(
    serve: Serve, opened: Open, fault: Fault, reason: str
) -> None:
    server, url = serve()
    model = opened(url)
    server.behaviour.always = fault
    assert failure(model) == f"3 tries failed ({reason})"


def test_a_server_that_never_answers(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url, timeout_seconds=0.5, n_retries=1)
    server.behaviour.always = faults.silent
    assert failure(model) == "2 tries failed (2 x no answer within 0.5 s)"


def test_each_reason_is_counted(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url)
    server.behaviour.faults.extend([BUSY, faults.status(500, "out of luck"), BUSY])
    assert failure(model) == (
        "3 tries failed (2 x HTTP 429: 'too many requests', 1 x HTTP 500: 'out of luck')"
    )


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            faults.status(400, "maximum context length is 128 tokens"),
            "HTTP 400: 'maximum context length is 128 tokens'",
        ),
        (
            faults.status(401, "who are you?"),
            (
                "HTTP 401: 'who are you?'; put its key into POMMEL_API_KEY, or into "
                "POMMEL_API_KEY_127_0_0_1 for this host only"
            ),
        ),
        (faults.status(404, "no such model"), "HTTP 404: 'no such model'"),
        (faults.status(422, "prompt\n is\x1b[2J odd"), "HTTP 422: 'prompt is?[2J odd'"),
        (faults.status(400, "x" * 400), f"HTTP 400: '{'x' * 300}'…"),
        (faults.page, "its answer is a page of HTML, and not JSON"),
        (faults.plain("ok"), "its answer is 'ok', and not JSON"),
        (
            faults.redirect("http://example.org/v1/completions"),
            (
                "it redirects to http://example.org/v1/completions; redirects are not followed, "
                "write where it is"
            ),
        ),
    ],
)
def test_what_does_not_pass_is_tried_once(
    serve: Serve, opened: Open, fault: Fault, reason: str
) -> None:
    server, url = serve()
    model = opened(url)
    server.behaviour.always = fault
    n_before = len(server.seen.prompts)
    assert failure(model) == reason
    assert len(server.seen.prompts) == n_before + 1


def test_a_redirect_to_another_host_does_not_carry_the_key(
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POMMEL_API_KEY", "s3cret")
    other = EndpointServer(language_model, Behaviour())
    with running(other) as elsewhere:
        away = faults.redirect(f"{elsewhere}/v1/models")
        _, url = serve(always=away, spares_probes=False)
        assert refusal(opened, f"{url}#m") == (
            f"it redirects to {elsewhere}/v1/models; redirects are not followed, write where it is"
        )
    assert other.seen.headers == []


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of a port at which nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/v1"


def test_a_server_that_is_not_there(nobody: str, opened: Open) -> None:
    message = "it cannot be reached: All connection attempts failed"
    assert refusal(opened, f"{nobody}#m", n_retries=5) == message


def test_a_host_that_is_none(opened: Open) -> None:
    assert refusal(opened, "http://no.invalid/v1#m").startswith("it cannot be reached: ")


def test_a_server_that_does_not_encrypt(serve: Serve, opened: Open) -> None:
    _, url = serve()
    message = refusal(opened, f"{url.replace('http', 'https')}#m")
    assert message.startswith("no encrypted connection: ")
    assert "\n" not in message


def test_this_machine_is_not_reached_through_a_proxy(
    serve: Serve, opened: Open, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", nobody.removesuffix("/v1"))
    monkeypatch.setenv("ALL_PROXY", nobody.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    _, url = serve()
    assert opened(url).info.name == "en-gpt2"


def test_an_answer_without_end_is_refused(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, url = serve()
    model = opened(url)
    monkeypatch.setattr("pommel.models.endpoint.client._MOST_BYTES", 1 << 20)
    server.behaviour.always = faults.plain(" " * (1 << 21))
    with pytest.raises(ModelError, match="its answer is longer than 1 MiB"):
        score_one(model)


def test_a_key_is_sent_and_not_shown(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, url = serve(key="s3cret")
    assert refusal(opened, url) == (
        "HTTP 401: 'Incorrect API key: None'; put its key into POMMEL_API_KEY, or into "
        "POMMEL_API_KEY_127_0_0_1 for this host only"
    )
    monkeypatch.setenv("POMMEL_API_KEY", "wrong-key")
    assert refusal(opened, url) == (
        "HTTP 401: 'Incorrect API key: Bearer ***'; it does not take the key in POMMEL_API_KEY"
    )
    monkeypatch.setenv("POMMEL_API_KEY_127_0_0_1", "s3cret")
    info = opened(url).info
    assert "s3cret" not in repr(info)
    assert all(each["authorization"] == "Bearer s3cret" for each in server.seen.headers[2:])


def test_a_token_that_repeats_the_key_is_not_shown(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POMMEL_API_KEY", "s3cret")
    server, url = serve(key="s3cret")
    model = opened(url)
    server.behaviour.edit = faults.edited(tokens=lambda tokens: ["s3cret", *tokens[1:]])
    with pytest.raises(ModelError, match="its token 1 is '\\*\\*\\*' where the text has"):
        score_one(model)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        (
            "SSL_CERT_FILE",
            "/nonexistent/file",
            (
                "it cannot be asked: [Errno 2] No such file or directory (are SSL_CERT_FILE and "
                "SSL_CERT_DIR right?)"
            ),
        ),
        ("ALL_PROXY", "nonsense://x:1", "it cannot be asked: Unknown scheme for proxy URL"),
    ],
)
def test_an_environment_in_which_nothing_can_be_asked(
    opened: Open, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert refusal(opened, "https://no.invalid/v1#m").startswith(message)


def test_a_proxy_that_takes_another_package(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://x:1")
    message = refusal(opened, "http://no.invalid/v1#m")
    assert re.match("it cannot be asked: .*'socksio' package", message)


def test_a_host_that_cannot_be_written(opened: Open) -> None:
    assert refusal(opened, "http://xn--a/v1#m").startswith("it cannot be asked: ")


def test_nothing_packed_is_asked_for_or_read(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url)
    server.behaviour.always = lambda _request: Response(
        b"x", headers={"content-encoding": "gzip, gzip"}
    )
    with pytest.raises(ModelError, match="its answer is packed, which was not asked for"):
        score_one(model)
    assert server.seen.headers[-1]["accept-encoding"] == "identity"


def asked(url: str, path: str) -> Answer:
    """Ask a client of its own, in an event loop of its own."""
    reference = read_reference(url)
    client = Client(reference, find_key(reference, {}), LoadOptions(), SHORT)

    async def ask() -> Answer:
        try:
            return await client.ask(path)
        finally:
            await client.close()

    return asyncio.run(ask())


def test_json_may_begin_with_a_mark_of_its_encoding(serve: Serve) -> None:
    models = b"\xef\xbb\xbf" + json.dumps({"data": [{"id": "en-gpt2"}]}).encode()
    marked = Response(models, media_type="application/json")
    _, url = serve(always=lambda _request: marked, spares_probes=False)
    assert asked(url, f"{url}/models").value == {"data": [{"id": "en-gpt2"}]}


def test_without_httpx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(ModelNotAvailableError) as raised:
        open_model("http://h/v1#m", LoadOptions())
    assert str(raised.value) == (
        f"http://h/v1#m needs the remote extra: {PommelError.install('remote')}"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_parallel": 0}, "1 request or more is under way at once, not 0"),
        ({"timeout_seconds": 0.0}, "a server needs time to answer, not 0 s"),
        ({"timeout_seconds": math.inf}, "a server needs time to answer, not inf s"),
        ({"timeout_seconds": math.nan}, "a server needs time to answer, not nan s"),
        ({"n_retries": -1}, "a request is repeated 0 times or more, not -1"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_model("http://h/v1#m", LoadOptions(**options))
    assert str(raised.value) == message


def test_a_client_can_be_used_again_in_another_event_loop(serve: Serve) -> None:
    _, url = serve()
    reference = read_reference(url)
    client = Client(reference, find_key(reference, {}), LoadOptions(), SHORT)

    async def ask() -> Answer:
        try:
            return await client.ask(f"{url}/models")
        finally:
            await client.close()

    assert asyncio.run(ask()) == asyncio.run(ask())


def test_an_address_that_cannot_be_asked() -> None:
    with pytest.raises(RequestFailedError, match="it cannot be asked: "):
        asked("http://h/v1", "http://h\x00/v1/models")


async def nothing() -> None:
    """What has to be done at the end: nothing."""


@pytest.fixture
def background() -> Iterator[Background]:
    """One that is closed when the test is over."""
    made = Background(at_end=nothing)
    yield made
    made.close()


def n_threads() -> int:
    """How many threads of ours there are."""
    return sum(each.name == "pommel-endpoint" for each in threading.enumerate())


async def seven() -> int:
    """What comes back."""
    return 7


def test_it_works_where_an_event_loop_runs_already(background: Background) -> None:
    async def notebook() -> int:
        return background.run(seven())

    assert asyncio.run(notebook()) == 7


def test_items_come_as_soon_as_they_are_there(background: Background) -> None:
    go_on = threading.Event()

    async def produce(put: Put[int]) -> None:
        put(1)
        await asyncio.to_thread(go_on.wait)
        put(2)

    items = background.items(produce)
    assert next(items) == 1
    go_on.set()
    assert list(items) == [2]


def test_what_is_there_before_a_failure_is_still_given(background: Background) -> None:
    async def produce(put: Put[int]) -> None:
        put(1)
        put(2)
        await asyncio.sleep(0)
        raise ModelError("it fails")

    items = background.items(produce)
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(ModelError, match="it fails"):
        next(items)


@pytest.mark.parametrize("closed", [True, False])
def test_items_that_nobody_wants_any_more_are_cancelled(
    background: Background, *, closed: bool
) -> None:
    ended: list[str] = []

    async def produce(put: Put[int]) -> None:
        put(1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("it has ended")

    items = background.items(produce)
    assert next(items) == 1
    if closed:
        items.close()
    else:
        del items
        gc.collect()
    assert wait_until(lambda: ended == ["it has ended"], timeout_s=5)


def test_items_that_nobody_ever_asked_for_are_never_made(background: Background) -> None:
    async def produce(put: Put[int]) -> None:
        raise AssertionError(put)

    background.items(produce).close()


def test_closing_ends_the_thread_and_what_runs_in_it() -> None:
    ended: list[str] = []

    async def at_end() -> None:
        ended.append("closed")

    async def produce(put: Put[int]) -> None:
        put(1)
        await asyncio.Event().wait()

    background = Background(at_end=at_end)
    items = background.items(produce)
    next(items)
    assert n_threads() == 1
    background.close()
    background.close()
    assert n_threads() == 0
    assert ended == ["closed"]
    with pytest.raises(ModelError, match="the model was closed while it scored"):
        next(items)


def test_it_starts_anew_after_it_was_closed(background: Background) -> None:
    assert background.run(seven()) == 7
    background.close()
    assert background.run(seven()) == 7


GENERAL = {"POMMEL_API_KEY": "general"}
OWN = {"POMMEL_API_KEY_GPU7_EXAMPLE_ORG": "own"}


@pytest.mark.parametrize(
    ("url", "environment", "secret"),
    [
        ("https://gpu7.example.org/v1", GENERAL, "general"),
        ("https://gpu7.example.org/v1", GENERAL | OWN, "own"),
        ("https://other.example.org/v1", GENERAL | OWN, "general"),
        ("https://other.example.org/v1", OWN, ""),
        ("http://localhost:8000/v1", GENERAL, "general"),
        # What is sent there can be read on the way: only by whoever named the host.
        ("http://gpu7.example.org/v1", GENERAL, ""),
        ("http://gpu7.example.org/v1", OWN, "own"),
        ("https://gpu7.example.org/v1", {"POMMEL_API_KEY": " \n"}, ""),
    ],
)
def test_who_gets_which(url: str, environment: dict[str, str], secret: str) -> None:
    key = find_key(read_reference(url), environment)
    assert key.secret == secret
    assert key.headers == ({"Authorization": f"Bearer {secret}"} if secret else {})


@pytest.mark.parametrize(
    ("url", "environment", "advice"),
    [
        (
            "https://h/v1",
            {},
            "put its key into POMMEL_API_KEY, or into POMMEL_API_KEY_H for this host only",
        ),
        ("https://h/v1", GENERAL, "it does not take the key in POMMEL_API_KEY"),
        (
            "http://gpu7.example.org/v1",
            GENERAL,
            (
                "POMMEL_API_KEY is not sent unencrypted to another machine: write https://, or put "
                "the key for this host into POMMEL_API_KEY_GPU7_EXAMPLE_ORG"
            ),
        ),
    ],
)
def test_what_to_do_about_it(url: str, environment: dict[str, str], advice: str) -> None:
    assert find_key(read_reference(url), environment).advice == advice


@pytest.mark.parametrize("secret", ["two words", "line\nbreak", "schlüssel"])
def test_what_is_no_key_is_not_repeated(secret: str) -> None:
    with pytest.raises(UsageError) as raised:
        find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": secret})
    assert str(raised.value) == (
        "POMMEL_API_KEY holds characters that no key has (its value is not shown)"
    )


def test_a_key_of_a_letter_or_so_is_in_every_text() -> None:
    key = find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": "x"})
    assert key.without("max_tokens exploded") == "max_tokens exploded"


def test_a_key_is_not_shown() -> None:
    key = find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": "s3cret"})
    assert "s3cret" not in repr(key)
    assert key.without("no such key: s3cret!") == "no such key: ***!"


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "POMMEL_API_KEY_LOCALHOST"),
        ("api.example-1.org", "POMMEL_API_KEY_API_EXAMPLE_1_ORG"),
        ("::1", "POMMEL_API_KEY_1"),
    ],
)
def test_the_variable_of_a_host(host: str, name: str) -> None:
    assert variable_of(host) == name
