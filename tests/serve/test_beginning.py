"""How suites begin, where they go, and runs on them: through the pages, with real commands."""

import csv
import io
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import openpyxl
import pytest
from starlette.testclient import TestClient
from tests.serve.test_drafts import document
from tests.serve.writers import NGRAM, Writer, begun, site_in

from pommel.files import JsonDocument, to_json
from pommel.serve import beginning, drafts
from pommel.serve.jobs import Limits
from pommel.serve.site import Site
from pommel.sources import find_suites, load_suites
from pommel.store import Store
from pommel.suite import Design

GRAMMAR = """S -> NP_sg V_sg | NP_pl V_pl
NP_sg -> 'the author'
NP_pl -> 'the authors'
V_sg -> 'laughs' | 'sleeps'
V_pl -> 'laugh' | 'sleep'
%contrast V_sg V_pl
%contrast V_pl V_sg
"""
TEMPLATE = """meta language: en
lexicon: words.csv
slot N: category = n
slot V: category = v
regions: subject | verb | end
condition good: the {N.pl} | {V.pl} | .
condition bad: the {N.pl} | {V.sg} | .
prediction: (2;%good%) < (2;%bad%)
"""
LEXICON = "word,category,sg,pl\ndog,n,dog,dogs\ncat,n,cat,cats\nbark,v,barks,bark\n"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_in(tmp_path, NGRAM)


@pytest.fixture
def client(site: Site) -> TestClient:
    return Writer.of(site).client


def draft_of(client: TestClient, path: str, **asked: object) -> Any:
    """Begin a draft, and return its document."""
    answer = client.post(path, json=asked)
    assert answer.status_code == 200, answer.text
    return client.get(f"{answer.json()['to']}/download").json()


def wrong(client: TestClient, path: str, **asked: object) -> str:
    """Return why a draft cannot begin so."""
    answer = client.post(path, json=asked)
    assert answer.status_code in {400, 404}, answer.text
    said: str = answer.json()["error"]
    return said


def sent(name: str, content: bytes) -> dict[str, object]:
    import base64

    return {"name": name, "content": base64.b64encode(content).decode()}


def book(rows: Sequence[Sequence[object]], name: str = "a.xlsx") -> dict[str, object]:
    """Return a workbook as it is sent."""
    made = openpyxl.Workbook()
    assert made.active is not None
    for row in rows:
        made.active.append(row)
    made.save(written := io.BytesIO())
    return sent(name, written.getvalue())


# From nothing.


def test_a_suite_from_nothing_is_what_suites_new_makes(client: TestClient) -> None:
    found = draft_of(
        client,
        "/write/new",
        name=" agreement ",
        language="en",
        circuit="agreement",
        conditions="match\r\n mismatch \r\n",
        regions="subject\nverb\n\n",
        formulas="(2;%match%) < (2;%mismatch%)\n",
        items=2,
    )
    design = Design.new(
        ["match", "mismatch"], ["subject", "verb"], ["(2;%match%) < (2;%mismatch%)"]
    )
    meta = {"name": "agreement", "language": "en", "circuit": "agreement"}
    assert found == design.draft(meta, n_items=2)


def test_a_language_without_spaces_has_none_between_regions(client: TestClient) -> None:
    asked = {"name": "x", "conditions": "a", "regions": "r"}
    assert draft_of(client, "/write/new", **asked, language="ja")["meta"]["joiner"] == ""
    assert "joiner" not in draft_of(client, "/write/new", **asked, language="he")["meta"]
    found = draft_of(client, "/write/new", **asked, language="ja", joiner="space")
    assert "joiner" not in found["meta"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"name": " "}, "a suite needs a name"),
        ({"conditions": ""}, "write the names of the conditions, one a line"),
        ({"conditions": "a\na"}, "there is a condition 'a' already"),
        ({"conditions": "a%b"}, "the condition's name 'a%b' has a '%'"),
        ({"regions": "\n"}, "write the names of the regions, one a line"),
        ({"language": "English"}, "'English' is no language tag; did you mean en?"),
        ({"formulas": "(1;%a%) < (1;%c%)"}, "there is no condition 'c'"),
        ({"items": 0}, "this cannot be taken: Expected `int` >= 1"),
    ],
)
def test_what_no_suite_can_begin_with(
    client: TestClient, asked: dict[str, object], message: str
) -> None:
    usual = {"name": "x", "conditions": "a\nb", "regions": "r"}
    assert wrong(client, "/write/new", **{**usual, **asked}).startswith(message)


# From a suite.


def test_a_shipped_suite_is_copied_whole_or_its_design(client: TestClient) -> None:
    offered = client.get("/write").json()["shipped"]
    name = offered["he"][0]
    (path,) = find_suites(f"suites:{name}")
    value = JsonDocument.read(path).value
    copied = draft_of(client, "/write/copy", source=name)
    assert copied["items"] == json.loads(to_json(value))["items"]
    assert copied["meta"]["name"] == f"{name} (copy)"
    design = draft_of(client, "/write/copy", source=name, design_only=True, name="mine")
    assert design["meta"]["name"] == "mine"
    assert [each["formula"] for each in design["predictions"]] == [
        each["formula"] for each in value["predictions"]
    ]
    contents = {
        region["content"]
        for item in design["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    }
    assert contents == {""}


@pytest.mark.parametrize(
    "source",
    ["../store.sqlite", "/etc/passwd", "no_such", "", "..", "suites:en", "suites/../x.json"],
)
def test_no_other_file_is_opened(client: TestClient, site: Site, source: str) -> None:
    (site.store.parent / "x.json").write_text(to_json(document()), "utf-8")
    assert wrong(client, "/write/copy", source=source).startswith("there is no suite ")


def test_a_file_of_the_folder_is_opened_and_saved_there_again(site: Site) -> None:
    assert site.suites
    writer, path = Writer.of(site), site.suites / "sub" / "own.json"
    path.parent.mkdir()
    path.write_text(to_json(document()), "utf-8")
    (offered,) = writer.client.get("/write").json()["files"]
    assert offered == {"name": "sub/own.json", "draft_id": ""}
    to = writer.client.post("/write/copy", json={"source": "sub/own.json"}).json()["to"]
    writer.opens(to.rpartition("/")[2])
    writer.writes(c_0_0_2="changed")
    assert writer.post("save", file="sub/own.json")["file"] == "sub/own.json"
    assert JsonDocument.read(path).value == writer.document()
    (offered,) = writer.client.get("/write").json()["files"]
    assert offered["draft_id"] == writer.draft_id


def test_a_file_that_cannot_be_shown_says_where(client: TestClient, site: Site) -> None:
    assert site.suites
    (site.suites / "bad.json").write_text('{"meta": {}}', "utf-8")
    said = wrong(client, "/write/copy", source="bad.json")
    assert said.splitlines()[0].startswith("bad.json:1:1: ")
    assert "'items' is missing" in said


def test_a_store_without_runs_leads_whoever_may_write_to_a_suite(site: Site) -> None:
    writer, other = Writer.of(site, "Will", "write"), Writer.of(site, "Ann", "upload")
    for each, is_led in ((writer, True), (other, False)):
        text = each.client.get("/", headers={"Accept": "text/html"}).text
        assert "No model has run on a suite yet" in text
        assert ('<a href="/write">write a suite' in text) == is_led


# From a table.


def test_a_table_of_sentences(client: TestClient) -> None:
    rows = ("match,mismatch", "The dogs | bark | .,The dogs | barks | .", "A | b | c,A | d | c")
    text = "\n".join(rows)
    found = draft_of(client, "/write/table", name="t", text=text, language="en")
    assert found["meta"]["name"] == "t"
    assert [len(found["items"]), len(found["region_meta"])] == [2, 3]
    tabs = text.replace(",", "\t")
    assert draft_of(client, "/write/table", name="t", text=tabs)["items"] == found["items"]
    file = sent("agreement.csv", text.encode())
    assert draft_of(client, "/write/table", file=file)["meta"]["name"] == "agreement"


def test_a_table_as_excel_saves_it(client: TestClient) -> None:
    text = "gut;schlecht\r\nDie B\N{LATIN SMALL LETTER A WITH DIAERESIS}ume | wachsen;Die | w\r\n"
    sent = {"file": ("t.csv", text.encode("cp1252"))}
    answer = client.post("/write/table", files=sent)
    assert answer.json()["error"] == (
        "t.csv:2:6: the byte 0xe4 is not UTF-8; choose the file's encoding, such as Windows "
        '(western Europe), or save it as "CSV UTF-8" or as a workbook'
    )
    answer = client.post("/write/table", files=sent, data={"encoding": "cp1252"})
    found = client.get(f"{answer.json()['to']}/download").json()
    (good, _) = found["items"][0]["conditions"]
    assert good["regions"][0]["content"] == "Die B\N{LATIN SMALL LETTER A WITH DIAERESIS}ume"
    page = client.get("/write", headers={"Accept": "text/html"}).text
    for encoding in get_args(beginning.Encoding):
        assert f'<option value="{encoding}">' in page
        "".encode(encoding or "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_long_table_says_what_it_lacks(client: TestClient, encoding: str) -> None:
    text = "item_number;condition_name;region_number;content\n1;a;1;x\n1;a;2;y\n"
    answer = client.post(
        "/write/table",
        files={"file": ("t.csv", text.encode(encoding))},
        data={"encoding": encoding if encoding.startswith("cp") else ""},
    )
    assert "t.csv:1:1: the column 'region_name' is missing" in answer.json()["error"]


def test_a_long_table_and_workbooks_of_both_kinds(client: TestClient) -> None:
    rows: list[list[object]] = [
        ["item_number", "condition_name", "region_number", "region_name", "content"]
    ]
    for item in document()["items"]:
        for condition in item["conditions"]:
            for region in condition["regions"]:
                number = region["region_number"]
                name = {1: "subject", 2: "verb"}[number]
                own = condition["condition_name"], number, name, region["content"]
                rows.append([item["item_number"], *own])
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    long = draft_of(client, "/write/table", name="t", text=text.getvalue())
    assert long["items"] == document()["items"]
    for kind, table in (
        ("long", rows),
        ("items", [["match", "mismatch"], ["The dogs | bark", "The dogs | barks"]]),
        # A pair by its names, but in regions.
        ("pairs", [["good", "bad"], ["The dogs | bark", "The dogs | barks"]]),
    ):
        found = draft_of(client, "/write/table", file=book(table, f"{kind}.xlsx"))
        assert found["items"][0]["conditions"][0]["regions"][0]["content"] == "The dogs"
        assert len(found["region_meta"]) == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"name": "t"}, "choose a file, or paste the cells of a table"),
        ({"name": "t", "file": sent("a.pdf", b"x")}, "a.pdf: a table's file ends in .csv, .tsv or"),
        (
            {"name": "t", "text": "a,b\nx | y | z,x | z\n"},
            "the table:2:11: this sentence has 2 regions,",
        ),
        (
            {"name": "t", "file": sent("a.csv", b"a,b\nx | y | z,x | z\n")},
            "a.csv:2:11: this sentence has",
        ),
        (
            {"name": "t", "text": "a,b\nx | y,x | z\n", "language": "Suomi"},
            "'Suomi' is no language tag",
        ),
        ({"name": "t", "text": "a,b\nx | y,x\n"}, "the table:1:3: no cell of the column 'b'"),
        ({"name": "t", "file": sent("a.xlsx", b"PK\x03\x04 broken")}, "a.xlsx: "),
        (
            {"name": "t", "file": book([["item", "a", "b"], ["x", "The | cat", "The | cats"]])},
            "a.xlsx:Sheet!A2: the number of the item is 'x'",
        ),
    ],
)
def test_a_table_that_is_none(client: TestClient, asked: dict[str, object], message: str) -> None:
    said = wrong(client, "/write/table", **asked)
    assert message in said
    assert "/tmp" not in said
    assert "pommel-serve" not in said


# From a grammar.


def test_samples_and_a_draft_of_a_grammar(client: TestClient) -> None:
    asked = {"kind": "cfg", "text": GRAMMAR, "sample": 3, "seed": 2, "capitalize": True}
    samples = client.post("/write/samples", json=asked).json()
    assert samples["n"] == 3
    assert samples["items"][0].keys() == {"grammatical", "ungrammatical"}
    assert client.post("/write/samples", json=asked).json() == samples
    found = draft_of(client, "/write/grammar", **asked, name="authors")
    assert found["meta"]["name"] == "authors"
    sentences = [
        {each["condition_name"]: drafts.sentence_of(each, " ") for each in item["conditions"]}
        for item in found["items"]
    ]
    assert sentences == samples["items"]
    # Fewer than are asked for are all of them.
    assert client.post("/write/samples", json={**asked, "sample": 500}).json()["n"] == 4


def test_a_template_with_its_lexicon(client: TestClient) -> None:
    asked = {"kind": "template", "text": TEMPLATE, "lexicon": LEXICON, "lexicon_name": "words.csv"}
    found = draft_of(client, "/write/grammar", **asked)
    assert found["predictions"][0]["formula"] == "(2;%good%) < (2;%bad%)"
    assert len(found["items"]) == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"text": " "}, "write a grammar first"),
        ({"text": "S -> A"}, "grammar.cfg:1:"),
        (
            {"kind": "template", "text": TEMPLATE.replace("words.csv", "/etc/passwd")},
            "is not beside this file, nor in a folder there",
        ),
        (
            {"kind": "template", "text": TEMPLATE.replace("words.csv", "../../../etc/passwd")},
            "is not beside this file, nor in a folder there",
        ),
        ({"text": GRAMMAR, "lexicon_name": "../x"}, "cannot be a file's name"),
        ({"kind": "exe", "text": "x"}, "this cannot be taken: Invalid enum value 'exe'"),
    ],
)
def test_a_grammar_that_is_none(client: TestClient, asked: dict[str, object], message: str) -> None:
    said = wrong(client, "/write/samples", **{"kind": "cfg", **asked})
    assert message in said
    assert "pommel-serve" not in said


def test_a_grammar_that_takes_for_ever_is_ended(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beginning, "_LIMITS", Limits(seconds=0.2))
    said = wrong(client, "/write/samples", kind="cfg", text=GRAMMAR)
    assert said == "this grammar takes more than 0 seconds: draw fewer, or make it smaller"


# Where drafts go.


def test_downloads(site: Site) -> None:
    writer = begun(site)
    answer = writer.client.get(f"/drafts/{writer.draft_id}/download")
    assert answer.text == Design.draft_text(document())
    assert "agreement.json" in answer.headers["content-disposition"]
    rows = [
        *csv.reader(
            writer.client.get(f"/drafts/{writer.draft_id}/download?form=csv").text.splitlines()
        )
    ]
    assert rows[:2] == [
        ["item_number", "condition_name", "region_number", "region_name", "content"],
        ["1", "match", "1", "subject", "The dogs"],
    ]


def test_a_workbook_has_all_of_a_draft(site: Site, tmp_path: Path) -> None:
    value = {**document(), "unknown": {"x": 1}}
    writer = begun(site, value)
    answer = writer.client.get(f"/drafts/{writer.draft_id}/download?form=xlsx")
    (path := tmp_path / "a.xlsx").write_bytes(answer.content)
    (suite,) = load_suites([str(path)]).suites
    assert suite.to_dict() == value


def test_a_draft_that_is_not_finished_is_downloaded_too(site: Site) -> None:
    writer = begun(site)
    writer.writes(c_0_0_1="", c_0_0_2="", f_0="(")
    assert writer.document()["predictions"][0]["formula"] == "("
    assert writer.client.get(f"/drafts/{writer.draft_id}/download?form=csv").status_code == 200
    answer = writer.client.get(f"/drafts/{writer.draft_id}/download?form=xlsx")
    assert answer.json()["error"] == "mend the faults first: JSON has a draft as it is"


def test_a_draft_is_saved_and_saved_again(site: Site) -> None:
    assert site.suites
    writer = begun(site)
    assert writer.post("save", file="own") == {
        "draft_id": writer.draft_id,
        "file": "own.json",
    }
    writer.writes(c_0_0_2="barks")
    writer.post("save", file="own.json")
    assert (site.suites / "own.json").read_text("utf-8") == Design.draft_text(writer.document())
    assert [each.name for each in site.suites.iterdir()] == ["own.json"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("<b>a/b\\c</b>", "b_a_b_c_b.json"),
        ("../x", "x.json"),
        ("हिन्दी का", "हिन्दी_का.json"),
        ("...", "suite.json"),
        ("𐌰" * 200, f"{'𐌰' * 48}.json"),
    ],
)
def test_the_file_that_is_offered_can_be_saved(site: Site, name: str, file: str) -> None:
    writer = begun(site, drafts.with_texts(document(), {"m-name": name}))
    assert writer.get("")["file_name"] == file
    assert writer.post("save", file=file)["file"] == file


def test_what_somebody_has_changed_is_not_written_over(site: Site) -> None:
    assert site.suites
    writer, path = begun(site), site.suites / "own.json"
    writer.post("save", file="own.json")
    path.write_text("{}", "utf-8")
    writer.writes(c_0_0_2="barks")
    said = writer.post("save", file="own.json")["error"]
    assert said.startswith("somebody has changed own.json since it was opened or saved here: save")
    assert path.read_text("utf-8") == "{}"
    assert writer.post("save", file="other.json")["file"] == "other.json"
    # A file that is gone can be made again.
    (site.suites / "other.json").unlink()
    assert writer.post("save", file="other.json")["file"] == "other.json"
    another = begun(site)
    said = another.post("save", file="other")["error"]
    assert said == "there is a file other.json already; save under another name"


@pytest.mark.parametrize(
    "name",
    ["../out.json", "/tmp/out.json", "a/b.json", ".hidden", "con.json", "a\x00.json", "", "a:b"],
)
def test_a_file_has_a_name_of_the_folder(site: Site, name: str) -> None:
    assert site.suites
    said = begun(site).post("save", file=name)["error"]
    assert "cannot be a file's name" in said or "would be hidden" in said
    assert [*site.suites.iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_is_not_followed(site: Site) -> None:
    assert site.suites
    target = site.store.parent / "elsewhere.json"
    (site.suites / "own.json").symlink_to(target)
    said = begun(site).post("save", file="own.json")["error"]
    assert said == "own.json is a link there; save under another name"
    assert not target.exists()


def test_a_server_without_a_folder_says_so(tmp_path: Path) -> None:
    site = site_in(tmp_path, has_folder=False)
    said = begun(site).post("save", file="own")["error"]
    assert said == "this server has no folder of suites; it is started with --suites DIR"


def test_a_draft_is_thrown_away(site: Site) -> None:
    writer = begun(site)
    assert writer.post("discard") == {"to": "/write"}
    assert writer.client.get(f"/drafts/{writer.draft_id}").status_code == 404
    assert writer.client.get("/write").json()["drafts"] == []


# Runs.


def ended(client: TestClient, path: str) -> Any:
    """Wait until a job has ended; return its page."""
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        found = client.get(path).json()
        if found["ended"]:
            return found
        time.sleep(0.05)
    pytest.fail(f"it goes on: {found}")


def test_a_draft_is_run_as_pommel_run_does(site: Site) -> None:
    writer = begun(site)
    to = writer.post("run", model=[NGRAM])["to"]
    found = ended(writer.client, to)
    assert found["state"] == "done", found["log"]
    assert "agreement" in found["log"]
    assert found["draft_id"] == writer.draft_id
    with Store.open(site.store, read_only=True) as store:
        (record,) = store.runs.records()
    assert (record.model.reference, record.result.suite_name) == (NGRAM, "agreement")
    assert record.suite.sha256[:16] == found["results"].rpartition("/")[2]
    assert writer.client.get(found["results"]).status_code == 200
    (listed,) = writer.client.get("/jobs").json()["jobs"]
    assert (listed["job_id"], listed["state"]) == (found["job_id"], "done")
    page = writer.client.get(to, headers={"Accept": "text/html"}).text
    assert f'href="{found["results"]}"' in page


def test_a_suite_of_the_folder_and_a_shipped_one_are_run(site: Site, client: TestClient) -> None:
    assert site.suites
    (site.suites / "own.json").write_text(to_json(document()), "utf-8")
    name = client.get("/write").json()["shipped"]["en"][0]
    for source in ("own.json", name):
        to = client.post("/write/run", json={"source": source, "model": [NGRAM]}).json()["to"]
        assert ended(client, to)["state"] == "done"
    with Store.open(site.store, read_only=True) as store:
        assert len(store.runs.records()) == 2


@pytest.mark.parametrize(
    ("texts", "models", "message"),
    [
        ({}, [], "choose a model, or several"),
        ({}, ["huggingface://gpt2"], "this server was not started with huggingface://gpt2"),
        ({}, ["--plan"], "this server was not started with --plan"),
        ({"c_0_0_1": "", "c_0_0_2": ""}, [NGRAM], "1 sentence still to be written"),
        ({"f_0": "("}, [NGRAM], "the suite:"),
    ],
)
def test_what_is_not_run(
    site: Site, texts: dict[str, str], models: list[str], message: str
) -> None:
    writer = begun(site)
    if texts:
        writer.writes(**texts)
    assert writer.post("run", model=models)["error"].startswith(message)
    assert writer.client.get("/jobs").json() == {"jobs": []}


def test_a_run_is_cancelled(site: Site) -> None:
    writer = begun(site)
    to = writer.post("run", model=[NGRAM])["to"]
    assert writer.client.post(f"{to}/cancel").json() == {"to": to}
    found = ended(writer.client, to)
    # It may have been done by then.
    assert found["state"] in {"cancelled", "done"}
    assert found["results"] == "" or found["state"] == "done"


def test_how_far_a_run_is_is_said(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = begun(site)
    to = writer.post("run", model=[NGRAM])["to"]
    ended(writer.client, to)
    with site.desk.writing() as connection:
        log = "note: x\nprogress: 3 of 40, en-ngram\n"
        connection.execute("UPDATE jobs SET ended = NULL, exit_status = NULL, log = ?", (log,))
    monkeypatch.setitem(site.jobs._under_way, to.rpartition("/")[2], object())  # noqa: SLF001
    found = writer.client.get(to).json()
    assert (found["state"], found["n_done"], found["n"], found["label"]) == (
        "running",
        3,
        40,
        "en-ngram",
    )
