"""The door of the server: what comes through it, and what does not."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from tests.serve.samples import HOST, TOKEN, client, filled

from pommel.serve.guard import HEADERS, Door, Guard, Limits


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)


def guarded(token: str = TOKEN, **limits: Any) -> TestClient:
    """Return a client of an application that says how much it was sent, behind a door."""
    door = Door(hosts=frozenset({HOST}), token=token, limits=Limits(**limits))
    return TestClient(Guard(_echo, door), base_url=f"http://{HOST}", follow_redirects=False)


def entered(**limits: Any) -> TestClient:
    """Return a client whose browser has opened the address with the token."""
    browser = guarded(**limits)
    assert browser.get("/", params={"token": TOKEN}).status_code == 303
    return browser


def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    answer = guarded().get(f"/runs?page=2&token={TOKEN}&model=a%26b&model=")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/runs?page=2&model=a%26b&model=",
    )
    cookie = answer.headers["set-cookie"]
    assert cookie == f"pommel-8765={TOKEN}; HttpOnly; Path=/; SameSite=strict"
    # It is never a way to another host.
    away = guarded().get(f"http://{HOST}//evil.example/x?token={TOKEN}")
    assert away.headers["location"] == "/evil.example/x"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Cookie": "pommel-8765=wrong"},
        {"Cookie": "pommel-8765=\xff; other"},
        {"Cookie": f"pommel-9999={TOKEN}"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
    ],
)
def test_nobody_comes_in_without_the_token(headers: dict[str, str]) -> None:
    latin = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = guarded().get("/", headers=latin)
    assert (answer.status_code, answer.text) == (
        401,
        "open the address that `pommel serve` has printed, with its token\n",
    )
    assert guarded().get("/", params={"token": "wrong"}).status_code == 401


def test_a_program_has_the_token_in_a_header() -> None:
    program = guarded()
    program.headers["Authorization"] = f"Bearer {TOKEN}"
    assert program.get("/").text == "0 bytes"
    assert program.post("/", content=b"abc").text == "3 bytes"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8765", f"{HOST}.evil.example", ""],
)
def test_a_name_that_was_bound_anew_leads_nowhere(host: str) -> None:
    answer = entered().get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert HOST in answer.text


_OURS = f"http://{HOST}"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        # As a browser sends our own form, and one without Fetch Metadata.
        ({"Sec-Fetch-Site": "same-origin", "Origin": _OURS}, 200),
        ({"Origin": _OURS}, 200),
        # Other sites' forms and scripts, on this machine, too.
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:9000"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, 403),
        ({}, 403),
    ],
)
def test_another_site_cannot_send_a_form(headers: dict[str, str], status: int) -> None:
    assert entered().post("/", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("mode", "status"), [("navigate", 200), ("no-cors", 403), ("cors", 403), ("websocket", 403)]
)
def test_another_site_may_link_here_and_not_show_us(mode: str, status: int) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
    assert entered().get("/", headers=headers).status_code == status


def test_all_answers_say_what_a_browser_may_do_with_them(tmp_path: Path) -> None:
    server = client(filled(tmp_path / "store.sqlite"), token=TOKEN)
    answers = [server.get("/"), server.get(f"/?token={TOKEN}"), server.get("/"), server.get("/no")]
    answers += [server.get("/static/serve.css"), server.get("/runs.json")]
    assert [each.status_code for each in answers] == [401, 303, 200, 404, 200, 200]
    for each in answers:
        assert (
            HEADERS.items()
            <= dict(zip(HEADERS, map(each.headers.get, HEADERS), strict=True)).items()
        )
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_what_is_too_large_is_not_taken() -> None:
    browser = entered(body_bytes=1000)
    own = {"Origin": _OURS}
    assert browser.post("/", content=b"x" * 1000, headers=own).text == "1000 bytes"

    def pieces() -> Iterator[bytes]:
        for _ in range(11):
            yield b"x" * 100

    for content in (b"x" * 1001, pieces()):
        answer = browser.post("/", content=content, headers=own)
        assert (answer.status_code, answer.text) == (413, "more than 1,000 bytes are not taken\n")


def test_what_is_too_slow_is_not_waited_for() -> None:
    sent: list[Message] = []

    async def ask() -> None:
        async def receive() -> Message:
            await asyncio.sleep(0.02)
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def send(message: Message) -> None:
            sent.append(message)

        headers = [(b"host", HOST.encode()), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "query_string": b"",
            "headers": headers,
        }
        door = Door(hosts=frozenset({HOST}), token=TOKEN, limits=Limits(body_seconds=0.1))
        await Guard(_echo, door)(scope, receive, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 408
    assert sent[1]["body"] == b"the request has taken too long to arrive\n"


def test_an_address_has_so_many_requests() -> None:
    browser = entered(burst=20, requests_per_second=0.0)
    statuses = [browser.get("/").status_code for _ in range(40)]
    # The one that brought the token counts.
    assert statuses == [200] * 19 + [429] * 21


def test_of_each_request_a_line_is_told_without_tokens_or_sentences() -> None:
    lines: list[str] = []
    door = Door(hosts=frozenset({HOST}), token=TOKEN, tell=lines.append)
    browser = TestClient(Guard(_echo, door), base_url=f"http://{HOST}", follow_redirects=False)
    browser.get(f"/runs%1b[31m?token={TOKEN}&sentence=The+cat")
    browser.get("/runs?sentence=The+cat", headers={"Host": "evil.example"})
    assert [line.rsplit(" ", 2)[0] for line in lines] == ["GET /runs?[31m 303", "GET /runs 421"]
