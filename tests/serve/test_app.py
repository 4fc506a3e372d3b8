"""How pages are answered: what is sent becomes values, what is wrong is said, all is described."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from playwright.sync_api import Page as Window
from starlette.testclient import TestClient
from tests.serve.samples import HOST, TOKEN, client, door_of, filled, people_of, served

from pommel.errors import InputError
from pommel.serve.app import PAGES, Page, document, make_app
from pommel.serve.guard import HEADERS
from pommel.serve.jobs import BusyError
from pommel.serve.people import Person
from pommel.serve.site import Download, Moved, Sent, Site
from pommel.values import frozen

OURS = f"http://{HOST}"


@frozen
class Asked:
    """What the page of these tests is sent."""

    name: str = ""
    number: int = 0
    is_so: bool = False
    tags: tuple[str, ...] = ()
    more: tuple[int, ...] | None = None
    file: Sent | None = None
    files: tuple[Sent, ...] = ()


@frozen
class Said:
    """What it says: what it was sent, and by whom."""

    asked: Asked
    by: str


def echo(_site: Site, asked: Asked, person: Person) -> Said:
    """Say what was sent."""
    return Said(asked=asked, by=person.name)


def leads(_site: Site, asked: Asked) -> Moved | Said:
    """Lead to a page that is called so."""
    return Moved(to=f"/{asked.name}")


def gives(_site: Site, asked: Asked) -> Download:
    """Give a file."""
    return Download(name=asked.name, content=b"<script>", media_type="application/zip")


def gives_of_board(_board: Path, asked: Asked) -> Download:
    """Give a file of a board."""
    return Download(name=asked.name, content=b"", media_type="application/zip")


def sends(_site: Site, asked: Asked) -> Said:
    """Say what was sent, files among it."""
    return Said(asked=asked, by="")


def fails(_site: Site, asked: Asked) -> Said:
    """Fail as it is asked to."""
    match asked.name:
        case "input":
            raise InputError("suite.json: <b>there</b> is a fault")
        case "busy":
            raise BusyError("others are being worked for")
    raise KeyError("a secret of ours")


def keeps(_site: Site, asked: Asked, number: int) -> Said:
    """Do what only keepers may."""
    return Said(asked=replace(asked, number=number), by="")


PAGES_HERE = (
    Page(path="/echo", says=echo, about="", needs="write", method="POST"),
    Page(path="/leads", says=leads, about="", method="POST"),
    Page(path="/file", says=gives, about=""),
    Page(path="/fails", says=fails, about=""),
    Page(path="/keeps/{number}", says=keeps, about="", needs="keep", method="POST"),
    Page(path="/board", says=gives_of_board, about="board"),
    Page(path="/sends", says=sends, about="", method="POST", body_bytes=4 << 20),
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site with a store, and no board."""
    store = filled(tmp_path / "store.sqlite")
    return Site(store=store, people=people_of(store, token=TOKEN))


@pytest.fixture
def server(site: Site) -> TestClient:
    """A client of the owner's."""
    app = make_app(site, door_of(site.people), (*PAGES, *PAGES_HERE))
    return TestClient(
        app,
        base_url=OURS,
        headers={"Authorization": f"Bearer {TOKEN}"},
        raise_server_exceptions=False,
        follow_redirects=False,
    )


def posted(server: TestClient, kind: str, body: bytes) -> Any:
    """Return what the page says to what it was sent."""
    answer = server.post("/echo.json", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 200, answer.text
    return answer.json()["asked"]


FORM = "application/x-www-form-urlencoded"


def test_a_form_and_json_are_the_same_values(server: TestClient) -> None:
    some = {"name": "דנה é", "number": 3, "is_so": True, "tags": ["a", "b"], "more": [1]}
    wanted = {"file": None, "files": [], **some}
    form = "name=%D7%93%D7%A0%D7%94+%C3%A9&number=3&is_so=true&tags=a&tags=b&more=1&unknown=x"
    assert posted(server, FORM, form.encode()) == wanted
    value = {**wanted, "unknown": {"x": [1]}}
    assert posted(server, "application/json; charset=utf-8", json.dumps(value).encode()) == wanted
    parts = {name: (None, str(each)) for name, each in {"name": "דנה é", "number": 3}.items()}
    several = [*parts.items(), ("is_so", (None, "true")), *[("tags", (None, t)) for t in "ab"]]
    answer = server.post("/echo.json", files=[*several, ("more", (None, "1"))])
    assert answer.json() == {"asked": wanted, "by": "The owner"}


def test_of_one_field_that_is_sent_twice_the_last_counts(server: TestClient) -> None:
    # As a box that may be ticked has a hidden one before it.
    assert posted(server, FORM, b"name=a&name=b&is_so=false&is_so=true")["name"] == "b"
    assert posted(server, FORM, b"")["tags"] == []
    assert posted(server, FORM, b"tags=&tags=")["tags"] == ["", ""]


def test_files_come_with_a_form(server: TestClient) -> None:
    content = b"\x00\xff" * 700_000
    files = [
        ("file", ("C:\\mine\\..\\a.zip", content)),
        ("files", ("../../etc/passwd", b"1")),
        ("files", ("\x1b[31m\u202e.zip", b"2")),
    ]
    asked = server.post("/sends.json", files=files).json()["asked"]
    # Where they lay is nobody's business, and what they are called steers no terminal.
    assert [asked["file"]["name"], *(each["name"] for each in asked["files"])] == [
        "a.zip",
        "passwd",
        "?[31m?.zip",
    ]
    assert base64.b64decode(asked["file"]["content"]) == content
    assert [base64.b64decode(each["content"]) for each in asked["files"]] == [b"1", b"2"]
    # Another page takes less.
    assert server.post("/echo.json", files=files).status_code == 413
    # In JSON they are Base64.
    assert (
        server.post("/sends.json", json={"file": asked["file"]}).json()["asked"]["file"]
        == (asked["file"])
    )
    # A text is no file, and a file no text.
    wrong = server.post("/sends.json", data={"file": "text"})
    assert (wrong.status_code, wrong.json()["error"]) == (
        400,
        "this cannot be taken: Expected `object | null`, got `str` - at `$.file`",
    )
    assert server.post("/sends.json", files={"name": ("a", b"x")}).status_code == 400


@pytest.mark.parametrize(
    ("kind", "body", "status", "said"),
    [
        (FORM, b"name=%ff", 400, "this form cannot be read: it is not UTF-8"),
        (FORM, b"name=\xff", 400, "this form cannot be read: it is not UTF-8"),
        (FORM, b"a&" * 5_000, 400, "this form cannot be read: Max number of fields exceeded"),
        (
            FORM,
            b"number=many",
            400,
            "this cannot be taken: Expected `int`, got `str` - at `$.number`",
        ),
        (FORM, b"number=" + b"9" * 10_000, 400, "this cannot be taken: "),
        ("application/json", b"", 400, "this is no JSON that can be taken: "),
        ("application/json", b"[" * 100_000, 400, "this is no JSON that can be taken: "),
        ("application/json", b'{"a":' * 100_000, 400, "this is no JSON that can be taken: "),
        ("application/json", b'{"name": "\\ud800"}', 400, "this is no JSON that can be taken: "),
        ("application/json", b'{"name": "\xff"}', 400, "this is no JSON that can be taken: "),
        ("application/json", b'{"number": 1e999999}', 400, "this "),
        ("application/json", b'{"number": ' + b"9" * 100_000 + b"}", 400, "this "),
        ("application/json", b"[]", 400, "this cannot be taken: Expected `object`, got `array`"),
        ("application/json", b'{"tags": "abc"}', 400, "this cannot be taken: Expected `array`"),
        ("application/json", b"x" * 1_048_577, 413, "more than 1,048,576 bytes are not taken"),
        ("text/plain", b"name=a", 415, "send a form, or application/json"),
        ("", b"name=a", 415, "send a form, or application/json"),
        ("application/xml", b"<!DOCTYPE x>", 415, "send a form, or application/json"),
        (
            "multipart/form-data",
            b"",
            400,
            "this form cannot be read: Missing boundary in multipart.",
        ),
        ("multipart/form-data; boundary=x", b"nothing of it", 400, "this form cannot be read: "),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 2_000 + b"--x--\r\n",
            400,
            "this form cannot be read: Too many fields. Maximum number of fields is 1000.",
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n\r\n' * 50
            + b"--x--\r\n",
            400,
            "this form cannot be read: Too many files. Maximum number of files is 8.",
        ),
    ],
)
def test_what_cannot_be_taken(
    server: TestClient, kind: str, body: bytes, status: int, said: str
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = server.post("/echo.json", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"].startswith(said)
    assert len(answer.text) < 1_000


def test_an_answer_may_lead_on(server: TestClient) -> None:
    name = "suites/דנה?a=b c\N{SNOWMAN}"
    html = server.post("/leads", data={"name": name})
    quoted = "/suites/%D7%93%D7%A0%D7%94?a=b%20c%E2%98%83"
    assert (html.status_code, html.headers["location"]) == (303, quoted)
    htmx = server.post("/leads", data={"name": name}, headers={"HX-Request": "true"})
    assert (htmx.status_code, htmx.headers["hx-redirect"], htmx.text) == (200, quoted, "")
    assert server.post("/leads.json", data={"name": name}).json() == {"to": f"/{name}"}
    for evil in ("/evil.example", "\\evil.example", "a\r\nSet-Cookie: a=b"):
        for more in ({}, {"HX-Request": "true"}):
            answer = server.post("/leads", data={"name": evil}, headers=more)
            assert answer.status_code == 500
            assert "set-cookie" not in answer.headers


def test_a_file_is_one_to_be_kept_whatever_it_is_called(server: TestClient) -> None:
    answer = server.get("/file", params={"name": 'a"; x=y\r\nSet-Cookie: a=b é.zip'})
    assert answer.content == b"<script>"
    assert answer.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''a%22%3B%20x%3Dy%0D%0ASet-Cookie%3A%20a%3Db%20%C3%A9.zip"
    )
    assert (answer.headers["content-type"], "set-cookie" in answer.headers) == (
        "application/zip",
        False,
    )


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/fails?name=input", 400, "suite.json: <b>there</b> is a fault"),
        ("/fails?name=busy", 503, "others are being worked for"),
        ("/fails", 500, "this is a fault of pommel's own; its log says more"),
        ("/nothing", 404, "there is no such page"),
        ("/runs/", 404, "there is no such page"),
        ("/board", 404, "there is no such page: this server was started without it"),
        ("/echo", 405, "this address is not for that"),
        (
            "/runs?page=first",
            400,
            "this address cannot be: Expected `int`, got `str` - at `$.page`",
        ),
        ("/static/../app.py", 404, "there is no such page"),
        ("/static/none.css", 404, "there is no such page"),
    ],
)
def test_what_is_wrong_is_said_to_each_in_its_way(
    server: TestClient, path: str, status: int, said: str
) -> None:
    page, _, query = path.partition("?")
    as_json = [
        server.get(f"{page}.json?{query}"),
        server.get(path, headers={"Accept": "application/json"}),
        server.get(path, headers={"Accept": "application/json, text/plain, */*"}),
    ]
    for answer in as_json:
        assert (answer.status_code, answer.json()) == (status, {"error": said})
    escaped = said.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;")
    html = server.get(path)
    assert html.status_code == status
    assert f"<p>{escaped}</p>" in html.text
    assert html.text.startswith("<!DOCTYPE html>")
    htmx = server.get(path, headers={"HX-Request": "true"})
    assert (htmx.status_code, htmx.text.strip()) == (status, f"<p>{escaped}</p>")
    assert htmx.headers["hx-retarget"] == "#failure"
    for answer in (*as_json, html, htmx):
        assert "a secret of ours" not in answer.text
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert ("retry-after" in answer.headers) == (status == 503)
        assert ("allow" in answer.headers) == (status == 405)


def test_only_what_is_asked_for_is_done(server: TestClient) -> None:
    assert server.head("/runs").status_code == 200
    assert server.head("/runs").text == ""
    for method in ("OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "POST"):
        answer = server.request(method, "/runs", headers={"Origin": OURS})
        assert answer.status_code == 405
        assert {*answer.headers["allow"].split(", ")} == {"GET", "HEAD"}
    assert server.get("/keeps/1").status_code == 405
    assert server.post("/keeps/one").status_code == 400
    assert server.post("/keeps/7.json").json()["asked"]["number"] == 7


def test_who_is_not_known_is_asked_for_a_token(site: Site) -> None:
    people = replace(site.people, is_open=True)
    app = make_app(Site(site.store, people), door_of(people), (*PAGES, *PAGES_HERE))
    stranger = TestClient(app, base_url=OURS, headers={"Origin": OURS})
    answer = stranger.post("/keeps/1")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "this needs a token that allows to keep" in answer.text
    assert '<form method="post" action="/enter">' in answer.text
    token = people.grant("A. Linguist", ["write"], n_days=1)
    own = {"Authorization": f"Bearer {token}"}
    answer = stranger.post("/keeps/1", headers=own)
    assert (answer.status_code, '<form method="post" action="/enter">' in answer.text) == (
        403,
        False,
    )
    assert stranger.post("/echo.json", headers=own).json()["by"] == "A. Linguist"


def test_there_is_a_page_for_who_has_a_token(site: Site) -> None:
    people = replace(site.people, is_open=True)
    app = make_app(Site(site.store, people), door_of(people))
    browser = TestClient(app, base_url=OURS, headers={"Origin": OURS})
    assert '<a href="/enter">Enter</a>' in browser.get("/").text
    page = browser.get("/enter")
    assert (page.status_code, "<h1>Enter</h1>" in page.text) == (200, True)
    assert '<input type="hidden" name="to" value="/">' in page.text
    entered = browser.post("/enter", data={"token": TOKEN, "to": "/"})
    assert "The owner <button>Leave</button>" in entered.text
    wrong = browser.post("/enter", data={"token": "wrong"})
    assert (wrong.status_code, "this token opens nothing" in wrong.text) == (401, True)
    assert "The owner" not in browser.post("/leave").text
    # Where no token opens anything nobody is asked for one.
    nobody = replace(people, owner_token="")
    alone = TestClient(make_app(Site(site.store, nobody), door_of(nobody)), base_url=OURS)
    assert "/enter" not in alone.get("/").text


def test_the_page_that_asks_for_a_token_leads_back(tmp_path: Path) -> None:
    server = client(filled(tmp_path / "store.sqlite"), token=TOKEN)
    page = server.get("/runs?page=2&model=%22%3E%3Cb%3E", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert (
        '<input type="hidden" name="to" value="/runs?page=2&amp;model=%22%3E%3Cb%3E">' in page.text
    )
    # A token that opens nothing is not carried on.
    assert "wrong" not in server.get("/runs?page=2&token=wrong").text
    # What it is made of is there for everybody.
    for name in ("serve.css", "htmx.min.js"):
        assert server.get(f"/static/{name}").status_code == 200
    assert server.post("/static/serve.css").status_code == 403


def _schema(described: Mapping[str, Any], path: str, kind: str) -> Any:
    return described["paths"][path]["post"]["requestBody"]["content"][kind]["schema"]


def test_all_pages_are_described(server: TestClient) -> None:
    described = server.get("/openapi").json()
    assert server.get("/openapi.json").json() == described
    assert described == json.loads(json.dumps(document((*PAGES, *PAGES_HERE))))
    OpenAPIV31SpecValidator(described).validate()
    OpenAPIV31SpecValidator(json.loads(json.dumps(document()))).validate()
    operations = {
        (method, path): each
        for path, found in described["paths"].items()
        for method, each in found.items()
    }
    assert {*operations} == {(each.method.lower(), each.path) for each in (*PAGES, *PAGES_HERE)}
    for page in (*PAGES, *PAGES_HERE):
        each = operations[page.method.lower(), page.path]
        needed = [{how: [scope]} for scope in page.scopes for how in ("token", "cookie")]
        assert each["security"] == needed
        assert each["responses"]["default"] == {"$ref": "#/components/responses/failure"}
        assert ("requestBody" in each) == (page.method == "POST")
    # A file is a part of a form, and Base64 in JSON.
    binary = {"type": "string", "contentMediaType": "application/octet-stream"}
    assert _schema(described, "/echo", "multipart/form-data")["properties"]["file"] == binary
    assert FORM not in described["paths"]["/echo"]["post"]["requestBody"]["content"]
    sent = described["components"]["schemas"]["Sent"]["properties"]["content"]
    assert sent == {"type": "string", "contentEncoding": "base64"}
    assert "303" in operations["post", "/leads"]["responses"]
    assert {*operations["get", "/file"]["responses"]["200"]["content"]} == {"*/*"}


@pytest.mark.full
def test_what_fails_in_a_part_of_a_page_is_said_above_it(
    site: Site, page: Window, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(site) as address:
        page.goto(f"{address}/runs?token={TOKEN}")
        rows = page.locator("main table tr").count()
        assert rows > 1
        for path, said in {
            "/nothing": "there is no such page",
            "/runs?page=x": "this address cannot be: Expected `int`, got `str` - at `$.page`",
        }.items():
            page.evaluate("path => { htmx.ajax('GET', path, {target: 'main table'}) }", path)
            page.wait_for_selector(f"#failure:has-text('{said.partition('`')[0].strip()}')")
            assert page.locator("#failure").inner_text() == said
        page.evaluate("htmx.ajax('POST', '/enter', {values: {token: 'x'}, target: 'main table'})")
        page.wait_for_selector("#failure:has-text('this token opens nothing')")
        # What was there is there.
        assert page.locator("main table tr").count() == rows
        assert page.locator("#failure").get_attribute("role") == "alert"
    assert TOKEN not in capsys.readouterr().out
