"""The door of the server: what comes through it, and what does not."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from tests.serve.samples import HOST, TOKEN, client, filled

from pommel.serve.guard import (
    HEADERS,
    Door,
    Guard,
    Held,
    Limits,
    Proxy,
    RefusedError,
    Turns,
    limited,
    read_body,
)
from pommel.serve.people import People, Scope as PersonScope
from pommel.serve.site import Moved, is_local


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    person = scope["pommel.person"].name or "somebody"
    await PlainTextResponse(f"{len(body)} bytes of {person}")(scope, receive, send)


def _refused(_scope: Scope, refused: RefusedError) -> Response:
    return PlainTextResponse(f"{refused}\n", refused.status, refused.headers)


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """The door of a server to which its owner has the token."""
    desk = tmp_path / "serve.sqlite"
    people = People.at(desk, owner_name="the owner", owner_token=TOKEN, is_open=False)
    return Door(hosts=frozenset({HOST}), people=people, cookie="pommel-8765")


def guarded(door: Door, *, of: str = "127.0.0.1") -> TestClient:
    """Return a client of an application that says how much it was sent, behind a door."""
    app = Guard(_echo, door, _refused)
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False, client=(of, 50_000))


def entered(door: Door) -> TestClient:
    """Return a client whose browser has opened the address with the token."""
    browser = guarded(door)
    assert browser.get("/", params={"token": TOKEN}).status_code == 303
    return browser


def personal(door: Door, name: str, *scopes: PersonScope, n_days: int = 1) -> str:
    """Return a personal token."""
    return door.people.grant(name, scopes or ("read",), n_days=n_days)


def test_the_token_becomes_a_cookie_and_leaves_the_address(door: Door) -> None:
    answer = guarded(door).get(f"/runs?page=2&token={TOKEN}&model=a%26b&model=")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/runs?page=2&model=a%26b&model=",
    )
    cookie = answer.headers["set-cookie"]
    assert cookie == f"pommel-8765={TOKEN}; HttpOnly; Path=/; SameSite=strict"
    # It is never a way to another host.
    away = guarded(door).get(f"http://{HOST}//evil.example/x?token={TOKEN}")
    assert away.headers["location"] == "/evil.example/x"
    away = guarded(door).get(f"/%5C%5Cevil.example/%0d%0aSet-Cookie:%20a=b?token={TOKEN}")
    assert away.headers["location"] == "/evil.example/%0D%0ASet-Cookie%3A%20a%3Db"


def test_a_token_in_the_address_is_that_of_who_comes_now(door: Door) -> None:
    browser = entered(door)
    assert browser.get("/").text == "0 bytes of the owner"
    token = personal(door, "A. Linguist")
    assert browser.get("/", params={"token": token}).status_code == 303
    assert browser.get("/").text == "0 bytes of A. Linguist"
    # One that opens nothing changes nothing.
    assert browser.get("/", params={"token": "wrong"}).text == "0 bytes of A. Linguist"


def test_a_link_of_another_site_makes_nobody_work_as_somebody_else(door: Door) -> None:
    browser, token = entered(door), personal(door, "Mallory")
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer = browser.get("/", params={"token": token}, headers=headers)
    assert (answer.status_code, answer.text) == (
        401,
        "a link of another site has brought you here; go on as Mallory?\n",
    )
    assert "set-cookie" not in answer.headers
    assert browser.get("/").text == "0 bytes of the owner"


def test_a_browser_that_follows_a_link_asks_again_with_its_cookie(door: Door) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer = guarded(door).get("/runs", headers=headers)
    assert (answer.status_code, answer.text) == (200, "you come from another site\n")
    # Once: what it has been given then says that it has been here.
    assert "SameSite=lax" in answer.headers["set-cookie"]
    again = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
    assert guarded(door).get("/runs", headers={**headers, **again}).status_code == 401


def test_a_token_is_entered_and_forgotten_by_forms(door: Door) -> None:
    own = {"Origin": f"http://{HOST}", "Content-Type": "application/x-www-form-urlencoded"}
    browser, token = guarded(door), personal(door, "A. Linguist")

    def enter(body: str, **headers: str) -> tuple[int, str]:
        answer = browser.post("/enter", content=body, headers={**own, **headers})
        return answer.status_code, answer.headers.get("location", answer.text)

    assert enter(f"token=+{token}+&to=/runs%3Fpage%3D2") == (303, "/runs?page=2")
    assert browser.get("/").text == "0 bytes of A. Linguist"
    for to in ("//evil.example", "/%5Cevil.example", "http://evil.example/", "/%09/evil.example"):
        assert enter(f"token={token}&to={to}") == (303, "/")
    assert browser.post("/leave").status_code == 403
    assert browser.post("/leave", headers=own).status_code == 303
    assert browser.get("/").status_code == 401
    nothing = "this token opens nothing: it is another server's, has expired, or was revoked\n"
    assert enter("token=wrong") == enter("") == (401, nothing)
    status, _ = enter(f"token={token}", Origin="http://evil.example")
    assert status == 403
    assert enter("token=" + "x" * 10_000)[0] == 413


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Cookie": "pommel-8765=wrong"},
        {"Cookie": "pommel-8765="},
        {"Cookie": "pommel-8765=\xff; other"},
        {"Cookie": f"pommel-9999={TOKEN}"},
        {"Authorization": f"Basic {TOKEN}"},
    ],
)
def test_nobody_comes_in_without_the_token(door: Door, headers: dict[str, str]) -> None:
    latin = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = guarded(door).get("/", headers=latin)
    assert (answer.status_code, answer.text) == (
        401,
        "open the address that `pommel serve` has printed, with its token\n",
    )
    assert answer.headers["www-authenticate"] == "Bearer"
    assert guarded(door).get("/", params={"token": "wrong"}).status_code == 401
    assert guarded(door).get("/", params={"token": ""}).status_code == 401


def test_a_server_without_an_owner_has_no_empty_token(door: Door) -> None:
    door = replace(door, people=replace(door.people, owner_token=""))
    for headers in ({"Authorization": "Bearer "}, {"Cookie": "pommel-8765="}):
        assert guarded(door).get("/", headers=headers).status_code == 401
    assert guarded(door).get("/?token=").status_code == 401


@pytest.mark.parametrize("token", ["wrong", "", "\xff", TOKEN[:-1], f"{TOKEN}x", "é"])
@pytest.mark.parametrize("is_open", [True, False])
def test_who_shows_a_token_that_opens_nothing_is_no_stranger(
    door: Door, token: str, *, is_open: bool
) -> None:
    door = replace(door, people=replace(door.people, is_open=is_open))
    headers = [(b"Authorization", f"Bearer {token}".encode("latin-1"))]
    answer = guarded(door).get("/", headers=headers)
    assert answer.status_code == 401
    assert "this token opens nothing" in answer.text


def test_a_program_has_the_token_in_a_header(door: Door) -> None:
    program = guarded(door)
    program.headers["Authorization"] = f"Bearer {TOKEN}"
    assert program.get("/").text == "0 bytes of the owner"
    assert program.post("/", content=b"abc").text == "3 bytes of the owner"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8765", f"{HOST}.evil.example", ""],
)
def test_a_name_that_was_bound_anew_leads_nowhere(door: Door, host: str) -> None:
    answer = entered(door).get("/", headers={"Host": host})
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
def test_another_site_cannot_send_a_form(door: Door, headers: dict[str, str], status: int) -> None:
    assert entered(door).post("/", headers=headers).status_code == status


def test_a_program_without_a_token_is_told_to_send_one(door: Door) -> None:
    said = guarded(door).post("/board/submit.json", content=b"PK").text
    assert "a program sends its token, `Authorization: Bearer TOKEN`" in said


@pytest.mark.parametrize(
    ("mode", "status"), [("navigate", 200), ("no-cors", 403), ("cors", 403), ("websocket", 403)]
)
def test_another_site_may_link_here_and_not_show_us(door: Door, mode: str, status: int) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
    assert entered(door).get("/", headers=headers).status_code == status
    # Nor learn from our files that we are here.
    if status == 403:
        assert guarded(door).get("/static/serve.css", headers=headers).status_code == 403


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


def test_a_server_whose_files_are_gone_says_so_and_nothing_else(tmp_path: Path) -> None:
    server = client(filled(tmp_path / "store.sqlite"), token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert server.get("/runs", headers=headers).status_code == 200
    for gone, also in (("store.sqlite", TOKEN), ("serve.sqlite", "another")):
        (tmp_path / gone).unlink()
        headers = {"Authorization": f"Bearer {also}"}
        for accept in ("text/html", "application/json"):
            answer = server.get("/runs", headers={**headers, "Accept": accept})
            assert answer.status_code == 503
            assert gone in answer.text
            assert {*HEADERS} <= {each.title() for each in answer.headers}
        assert not (tmp_path / gone).exists()


def given_by(*pieces: bytes, seconds: float = 0.0) -> Receive:
    """Return what gives these pieces of a body, one after another."""
    left = [*pieces]

    async def receive() -> Message:
        await asyncio.sleep(seconds)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    return receive


def refused(receive: Receive, n_bytes: int = 1000, **limits: Any) -> tuple[int, str]:
    """Return what is said of a body that is not taken."""
    with pytest.raises(RefusedError) as caught:
        asyncio.run(read_body(limited(receive, n_bytes, Limits(**limits))))
    return caught.value.status, str(caught.value)


def test_what_is_too_large_is_not_taken() -> None:
    whole = limited(given_by(b"x" * 999, b"y"), 1000, Limits())
    assert asyncio.run(read_body(whole)) == b"x" * 999 + b"y"
    too_large = (413, "more than 1,000 bytes are not taken")
    assert refused(given_by(b"x" * 1001)) == too_large
    assert refused(given_by(*[b"x" * 100] * 11)) == too_large


def test_what_is_too_slow_is_not_waited_for() -> None:
    for_ever = given_by(*[b"x"] * 1000, seconds=0.02)
    late = (408, "the request has taken too long to arrive")
    assert refused(for_ever, body_seconds=0.1) == late
    # What comes as fast as it should has all its time.
    fast = limited(given_by(*[b"x"] * 10, seconds=0.02), 1000, Limits(body_seconds=0.1))
    with pytest.raises(RefusedError):
        asyncio.run(read_body(fast))
    limits = Limits(body_seconds=0.1, body_bytes_per_second=20.0)
    enough = limited(given_by(*[b"x"] * 10, seconds=0.02), 1000, limits)
    assert asyncio.run(read_body(enough)) == b"x" * 10


def test_what_has_broken_off_is_not_taken() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    assert refused(receive) == (400, "the request has ended before it was whole")


def test_only_so_much_is_held_of_what_was_sent() -> None:
    held = Held(Limits(bodies_bytes=100))
    with held.of(60), held.of(40):
        with pytest.raises(RefusedError) as caught, held.of(1):
            pass
        assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "10"})
    with pytest.raises(ValueError, match="broken"), held.of(100):
        raise ValueError("broken")
    with held.of(100):
        pass


def test_an_address_has_so_many_requests(door: Door) -> None:
    browser = entered(replace(door, limits=Limits(burst=20, requests_per_second=0.0)))
    answers = [browser.get("/") for _ in range(40)]
    # The one that brought the token counts.
    assert [each.status_code for each in answers] == [200] * 19 + [429] * 21
    assert answers[-1].headers["retry-after"] == "1"


def test_a_person_has_so_many_requests_from_wherever(door: Door) -> None:
    door = replace(door, limits=Limits(burst=5, requests_per_second=0.0))
    app, token = Guard(_echo, door, _refused), personal(door, "A. Linguist")

    def ask(address: str, token: str) -> int:
        near = TestClient(app, base_url=f"http://{HOST}", client=(address, 1))
        return near.get("/", headers={"Authorization": f"Bearer {token}"}).status_code

    statuses = [ask(f"192.0.2.{number}", token) for number in range(7)]
    assert statuses == [200] * 5 + [429] * 2
    assert ask("192.0.2.100", TOKEN) == 200


@pytest.mark.parametrize(
    ("addresses", "n_taken"),
    [
        # All of a network of IPv6 are one person's, and IPv4 has two ways to be written.
        ([f"2001:db8::{number:x}" for number in range(1, 9)], 5),
        (["192.0.2.1", "::ffff:192.0.2.1"] * 4, 5),
        ([f"2001:db8:0:{number:x}::1" for number in range(1, 9)], 8),
        ([f"192.0.2.{number}" for number in range(8)], 8),
        # What is no address is one, too.
        (["testclient"] * 8, 5),
    ],
)
def test_who_has_many_addresses_is_one(door: Door, addresses: list[str], n_taken: int) -> None:
    door = replace(door, limits=Limits(burst=5, requests_per_second=0.0))
    app = Guard(_echo, replace(door, people=replace(door.people, is_open=True)), _refused)
    statuses = [
        TestClient(app, base_url=f"http://{HOST}", client=(each, 1)).get("/").status_code
        for each in addresses
    ]
    assert statuses.count(200) == n_taken


def test_who_floods_us_is_not_forgotten_for_others(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.serve.guard._MOST_SENDERS", 10)
    door = replace(door, limits=Limits(burst=3, requests_per_second=0.0))
    app = Guard(_echo, replace(door, people=replace(door.people, is_open=True)), _refused)

    def ask(address: str) -> int:
        return TestClient(app, base_url=f"http://{HOST}", client=(address, 1)).get("/").status_code

    assert [ask("192.0.2.99") for _ in range(4)] == [200, 200, 200, 429]
    for number in range(50):
        assert ask(f"192.0.2.{number}") == 200
        assert ask("192.0.2.99") == 429


def test_senders_take_turns() -> None:
    order: list[str] = []

    async def ask() -> None:
        turns = Turns(Limits(at_once_each=2, at_once=3))
        lock = asyncio.Event()
        loop = asyncio.get_running_loop()

        def work(name: str) -> None:
            order.append(name)
            asyncio.run_coroutine_threadsafe(lock.wait(), loop).result()

        much = [asyncio.create_task(turns.run("much", lambda: work("much"))) for _ in range(10)]
        await asyncio.sleep(0.1)
        little = asyncio.create_task(turns.run("little", lambda: work("little")))
        await asyncio.sleep(0.1)
        assert order == ["much", "much", "little"]
        lock.set()
        await asyncio.gather(*much, little)

    asyncio.run(ask())
    assert order.count("much") == 10


def test_who_waits_for_too_long_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def ask(**limits: float) -> list[object]:
        turns = Turns(Limits(at_once_each=1, **limits))  # type: ignore[arg-type] # all are numbers
        loop = asyncio.get_running_loop()
        lock = asyncio.Event()

        def work() -> str:
            asyncio.run_coroutine_threadsafe(lock.wait(), loop).result()
            return "done"

        tasks = [asyncio.create_task(turns.run("one", work)) for _ in range(2)]
        loop.call_later(0.3, lock.set)
        said = await asyncio.gather(*tasks, return_exceptions=True)
        # What was not waited for has gone on, and its place is free again.
        await lock.wait()
        await asyncio.sleep(0.3)
        assert await turns.run("one", lambda: "free") == "free"
        return [str(each) for each in said]

    assert asyncio.run(ask(wait_seconds=0.1)) == ["done", "the server is busy; try again soon"]
    late = "this takes longer than it should; it goes on, so look in a while what it did"
    assert asyncio.run(ask(answer_seconds=0.1)) == [late, late]
    assert caplog.records == []


_PROXY = Proxy(address="X-Forwarded-For", person="X-Remote-User")


def test_a_proxy_says_who_asks(door: Door) -> None:
    door = replace(door, proxy=_PROXY)
    personal(door, "Émilie")
    near = guarded(door)
    assert near.get("/").status_code == 401
    user = (b"X-Remote-User", "Émilie".encode())
    headers = [user]
    assert near.get("/", headers=headers).text == "0 bytes of Émilie"
    # Who has no token here may do what a stranger may.
    assert near.get("/", headers={"X-Remote-User": "the owner"}).status_code == 401
    assert near.get("/", headers=[user, user]).status_code == 401
    # The word of anybody else is nothing.
    assert guarded(door, of="192.0.2.1").get("/", headers=headers).status_code == 401
    there = replace(door, proxy=replace(_PROXY, networks=("192.0.2.0/24",)))
    assert guarded(there, of="192.0.2.1").get("/", headers=headers).status_code == 200
    assert guarded(there).get("/", headers=headers).status_code == 401
    # Another site's form would have the proxy's word, too.
    assert near.post("/", headers=[user, (b"Origin", b"http://evil.example")]).status_code == 403
    cookie = near.get(f"/?token={TOKEN}").headers["set-cookie"]
    assert cookie.endswith("; SameSite=strict; Secure")


@pytest.mark.parametrize(
    ("of", "said", "n_taken"),
    [
        # The last one is the proxy's; before it stands what clients say of themselves.
        ("127.0.0.1", "192.0.2.{}, 203.0.113.7", 5),
        ("127.0.0.1", "203.0.113.7, 192.0.2.{}", 8),
        ("127.0.0.1", "203.0.113.7:5000{}", 5),
        ("127.0.0.1", "[2001:db8::1]:5000{}", 5),
        # Whoever is no proxy has the address that it has.
        ("203.0.113.7", "192.0.2.{}", 5),
    ],
)
def test_an_address_is_believed_as_far_as_the_proxy_knows_it(
    door: Door, of: str, said: str, n_taken: int
) -> None:
    door = replace(door, proxy=_PROXY, limits=Limits(burst=5, requests_per_second=0.0))
    near = guarded(replace(door, people=replace(door.people, is_open=True)), of=of)
    headers = [{"X-Forwarded-For": said.format(number)} for number in range(8)]
    statuses = [near.get("/", headers=each).status_code for each in headers]
    assert statuses.count(200) == n_taken


def test_of_each_request_a_line_is_told_without_tokens_or_sentences(door: Door) -> None:
    lines: list[str] = []
    browser = guarded(replace(door, tell=lines.append))
    browser.get(f"/runs%1b[31m?token={TOKEN}&sentence=The+cat")
    browser.get("/runs?sentence=The+cat", headers={"Host": "evil.example"})
    browser.get("/" + "x" * 1000, headers={"Authorization": f"Bearer {TOKEN}"})
    browser.post("/enter", content=f"token={TOKEN}", headers={"Origin": f"http://{HOST}"})
    assert [line.rsplit(" ", 2)[0] for line in lines] == [
        "GET /runs?[31m 303",
        "GET /runs 421",
        f"GET /{'x' * 199} 200",
        "POST /enter 303",
    ]


@given(st.text(alphabet="/\\ab.:\t\n\r %?#@\x00é", max_size=12))
def test_an_answer_leads_nowhere_else(address: str) -> None:
    # As WHATWG's URL says that a browser reads it, at the address of a page of ours.
    seen = "".join(each for each in address if each not in "\t\n\r").replace("\\", "/")
    is_ours = seen.startswith("/") and not seen.startswith("//")
    if is_local(address):
        assert is_ours
        assert Moved(to=address).to == address
    else:
        with pytest.raises(ValueError, match="is no address of this server"):
            Moved(to=address)
