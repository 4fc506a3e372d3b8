"""The editor's pages: a grid, each fault with its place, two people, an item as it is read."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.serve.test_drafts import document, documents
from tests.serve.writers import NGRAM, Writer, begun, site_in

from pommel.files import to_json
from pommel.serve import drafts
from pommel.serve.app import PAGES
from pommel.serve.drafts import Document
from pommel.serve.site import Site
from pommel.suite import RULES, Design, LoadedDraft, LoadedSuite, check_suite


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_in(tmp_path, NGRAM)


def messages(faults: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return sorted((each["severity"], each["message"], each["hint"]) for each in faults)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(value=documents())
def test_faults_are_those_of_validate_and_each_leads_to_its_cell(
    value: Document, site: Site
) -> None:
    writer = begun(site, value)
    panes = writer.get("")["panes"]
    text = Design.draft_text(value)
    faults = LoadedDraft.parse(text).faults
    assert messages(panes["faults"]) == sorted((f.severity, f.message, f.hint) for f in faults)
    unwritten = [each for each in LoadedSuite.findings(value) if each.unwritten]
    assert panes["n_unwritten"] == len(unwritten)
    page = writer.client.get(f"/drafts/{writer.draft_id}", headers={"Accept": "text/html"}).text
    for each in [*panes["faults"], *([panes["unwritten"]] if unwritten else [])]:
        assert f'id="{each["place"]}"' in page
        assert each["where"]


def test_a_fault_says_where_it_is(site: Site) -> None:
    writer = begun(site)
    panes = writer.writes(c_1_0_2=" bark", f_0="(2;%match%) << 3", n_1="1", c_0_1_1="", c_0_1_2="")
    assert [(each["severity"], each["place"], each["where"]) for each in panes["faults"]] == [
        ("error", "f-0", "prediction 0"),
        ("error", "n-1", "item 1"),
        ("warning", "c-1-0-2", "item 1, match, 2 verb"),
    ]
    assert panes["unwritten"]["place"] == "c-0-1-1"
    assert [each["within"] for each in panes["faults"]] == [13, None, None]
    assert panes["predictions"][0]["caret"] == "(2;%match%) << 3\n             ^"


def test_a_fault_of_another_page_has_its_address(site: Site) -> None:
    value = document()
    for _ in range(40):
        value = drafts.with_item(value, len(value["items"]), like=0)
    writer = begun(site, value)
    panes = writer.writes(c_30_1_2=" barks ")
    assert panes["faults"][0]["href"] == f"/drafts/{writer.draft_id}?page=2#c-30-1-2"
    second = writer.get("", page=2)
    assert [second["page"], second["n_pages"], second["n_items"]] == [2, 2, 42]
    assert [each["index"] for each in second["items"]] == [*range(25, 42)]


def test_a_prediction_is_said_in_words_and_its_mistake_is_pointed_at(site: Site) -> None:
    writer = begun(site)
    (first,) = writer.get("")["panes"]["predictions"]
    assert first["words"] == [
        "region 2 (verb) must be less surprising in *match* than in *mismatch*"
    ]
    (first,) = writer.writes(f_0="(2;%match%) < (2;%mismatc%)")["predictions"]
    assert first["caret"] == "(2;%match%) < (2;%mismatc%)\n              ~~~~~~~~~~~~^"
    assert first["faults"][0]["hint"] == "did you mean 'mismatch'?"


def test_doubts_are_those_of_suites_check(site: Site) -> None:
    value = document("The same")
    value = drafts.with_texts(value, {"f-0": "(2;%match%) < (2;%match%)"})
    writer = begun(site, value)
    rules = [name for name, each in RULES.items() if not each.needs and not each.is_pedantic]
    said = check_suite(LoadedSuite.from_dict(value).suite, rules)
    doubts = writer.get("doubts")
    assert [(each["rule"], each["message"]) for each in doubts["doubts"]] == [
        (each.rule, each.message) for each in said
    ]
    assert {"never-holds", "duplicate-item"} <= {each["rule"] for each in doubts["doubts"]}


def test_doubts_are_about_items_that_are_written(site: Site) -> None:
    value = document()
    value = drafts.with_item(value, 0)
    value = drafts.with_texts(value, {"c-1-0-2": ""})
    doubts = begun(site, value).get("doubts")["doubts"]
    places = {each["place"] for each in doubts if each["rule"] == "empty-region"}
    assert places == {"c-1-0-1"}
    assert doubts[0]["where"] == "item 1, match, 1 subject"
    broken = drafts.with_texts(value, {"f-0": "("})
    assert begun(site, broken).get("doubts")["why_not"] == "looked for when no fault is left"


# Two people.


def test_two_people_in_different_cells_do_not_meet(site: Site) -> None:
    one, other = begun(site), Writer.of(site, "Bea")
    other.opens(one.draft_id)
    one.writes(c_0_0_1="Al's")
    panes = other.writes(c_0_1_1="Bea's")
    assert panes["clashes"] == []
    # She sees what he has written, and so does he when he asks.
    assert panes["changed"] == [{"place": "c-0-0-1", "text": "Al's"}]
    news = one.get("news")
    assert news["revision"] != one.revision
    seen = one.get("panes", revision=one.revision)
    assert seen["changed"] == [{"place": "c-0-1-1", "text": "Bea's"}]
    assert one.document()["items"][0]["conditions"][1]["regions"][0]["content"] == "Bea's"


def test_two_people_in_one_cell_are_told(site: Site) -> None:
    one, other = begun(site), Writer.of(site, "Bea")
    other.opens(one.draft_id)
    one.writes(c_0_0_1="Al's", c_0_0_2="barks")
    panes = other.writes(c_0_0_1="Bea's", c_0_1_2="bark")
    assert panes["clashes"] == [
        {
            "place": "c-0-0-1",
            "where": "item 1, match, 1 subject",
            "theirs": "Al's",
            "yours": "Bea's",
        }
    ]
    assert panes["clashed_with"] == ["The owner"]
    texts = [each["content"] for each in one.document()["items"][0]["conditions"][0]["regions"]]
    assert texts == ["Al's", "barks"]
    # She may still write hers, now that she knows.
    assert other.writes(c_0_0_1="Bea's")["clashes"] == []
    assert other.document()["items"][0]["conditions"][0]["regions"][0]["content"] == "Bea's"


def test_undo_of_what_somebody_else_has_done_since_is_told(site: Site) -> None:
    one, other = begun(site), Writer.of(site, "Bea")
    other.opens(one.draft_id)
    mine = one.writes(c_0_0_1="Al's")["revision"]
    other.writes(c_0_1_1="Bea's")
    one.revision = mine
    found = one.does("undo")
    assert found["panes"]["clashes"][0]["yours"] == "undo"
    assert one.document()["items"][0]["conditions"][1]["regions"][0]["content"] == "Bea's"
    # Now he has seen it.
    one.does("undo")
    assert one.document()["items"][0]["conditions"][1]["regions"][0]["content"] == "The dogs"


def test_a_structure_that_somebody_else_has_changed_is_loaded_again(site: Site) -> None:
    one, other = begun(site), Writer.of(site, "Bea")
    other.opens(one.draft_id)
    one.does("add item", ("n-0",))
    panes = other.get("panes", revision=other.revision)
    assert panes["is_rebuilt"] is True
    other.revision = panes["revision"]
    other.does("remove region", ("2",))
    one_more = one.does("add condition", (), ("third", "match"))
    assert one_more["panes"]["clashes"][0]["yours"] == "add condition"
    assert one.get("")["conditions"] == ["match", "mismatch"]


def test_who_else_is_there_is_said(site: Site) -> None:
    one, other = begun(site), Writer.of(site, "Bea").opens
    bea = other(one.draft_id)
    assert bea.get("news", window="w1")["others"] == []
    assert "Bea" in one.get("news", window="w2")["others"]
    assert bea.get("news", window="w1")["others"] == ["The owner"]
    assert "you, in another window" in bea.get("news", window="w3")["others"]


# Changes.


def test_everything_can_be_done_and_undone(site: Site) -> None:
    writer = begun(site)
    before = to_json(writer.document())
    steps: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        ("add item", ("n-0",), ()),
        ("copy item", ("n-0",), ()),
        ("move item", ("n-0",), ("1",)),
        ("remove item", ("n-1",), ()),
        ("add condition", (), ("third", "match")),
        ("rename condition", ("third",), ("fourth",)),
        ("move condition", ("fourth",), ("-1",)),
        ("remove condition", ("fourth",), ()),
        ("add region", ("1",), ("adverb",)),
        ("move region", ("2",), ("1",)),
        ("remove region", ("2",), ()),
        ("add prediction", (), ("(1;%match%) < 3",)),
        ("remove prediction", ("0",), ()),
        ("paste", ("c-0-0-1",), ("a\tb\nc\td\n",)),
    ]
    for what, place, text in steps:
        assert "error" not in writer.does(what, place, text), what
    for _ in steps:
        assert writer.get("")["panes"]["can_undo"]
        writer.does("undo")
    assert to_json(writer.document()) == before
    for _ in steps:
        writer.does("redo")
    assert writer.document()["items"][0]["conditions"][0]["regions"][0]["content"] == "a"


def test_what_cannot_be_done_says_so_and_changes_nothing(site: Site) -> None:
    writer = begun(site)
    found = writer.does("paste", ("c-0-0-2",), ("a\tb\tc\n",))
    assert found["error"].startswith("the block has 3 columns, and from here there is 1 region:")
    assert writer.does("add condition", (), ("match",))["error"] == (
        "there is a condition 'match' already"
    )
    assert writer.get("")["revision"] == 1


def test_a_language_without_spaces_is_told(site: Site) -> None:
    writer = begun(site)
    assert writer.writes(m_language="ja")["joiner_hint"] is True
    assert writer.writes(m_joiner="")["joiner_hint"] is False
    read = writer.get("item", item=0)
    assert read["sentences"][0]["text"] == "The dogsmatch"


# An item as it is read.


def test_an_item_is_read_with_what_is_written_of_it(site: Site) -> None:
    writer = begun(site)
    writer.writes(c_0_1_1="", c_0_1_2="", x_0_0="Yesterday .")
    read = writer.get("item", item=0, model=NGRAM, window="w")
    assert [each["text"] for each in read["sentences"]] == ["Yesterday . The dogs match", ""]
    for _ in range(40):
        read = writer.get("item", item=0, model=NGRAM, window="w")
        if read["state"] == "scored":
            break
    assert read["sentences"][0]["regions_bits"].keys() == {"1", "2"}
    # The prediction needs what is not there.
    assert read["predictions"] == []


def test_an_item_of_a_suite_with_faults_elsewhere_is_scored(site: Site) -> None:
    writer = begun(site)
    writer.does("add prediction", (), ("(2;%match%) <",))
    writer.does("add prediction", (), ("(2;%match%) < (2;%mismatch%) + 100",))
    writer.writes(c_1_0_1="", c_1_0_2="", n_1="1")
    for _ in range(40):
        read = writer.get("item", item=0, model=NGRAM, window="w")
        if read["state"] == "scored":
            break
    assert [each["index"] for each in read["predictions"]] == [0, 2]
    assert read["predictions"][1]["holds"] is True
    assert read["predictions"][1]["margin_bits"] == pytest.approx(
        read["predictions"][0]["margin_bits"] + 100, abs=1e-6
    )


def test_a_model_of_a_request_is_not_opened(site: Site) -> None:
    read = begun(site).get("item", item=0, model="huggingface://gpt2")
    assert (read["state"], read["why"]) == (
        "failed",
        "this server was not started with huggingface://gpt2",
    )


# Who may.


def test_all_of_it_needs_to_be_allowed(site: Site) -> None:
    draft_id = begun(site).draft_id
    keeper = Writer.of(site, "Keeper", "read", "upload", "keep").client
    reader = Writer.of(site, "Reader", "read", "upload").client
    own = [each for each in PAGES if "write" in each.scopes]
    assert len(own) >= 20
    for each in own:
        path = each.path.replace("{draft_id}", draft_id).replace("{job_id}", "x")
        answer = reader.request(each.method, path)
        assert answer.status_code == 403, path
        allowed = " or to ".join(each.scopes)
        assert answer.json() == {"error": f"this needs a token that allows to {allowed}"}
        is_for_keepers = path.startswith("/jobs")
        assert (keeper.request(each.method, path).status_code != 403) == is_for_keepers, path


def test_a_draft_that_is_not_there_is_not_found(site: Site) -> None:
    client = Writer.of(site).client
    for path in ("/drafts/nothing", "/drafts/nothing/news", "/jobs/nothing"):
        assert client.get(path).status_code == 404


def test_texts_are_texts_on_the_page(site: Site) -> None:
    hostile = "\"><script>stolen()</script><b data-x='"
    writer = begun(site)
    value = drafts.with_texts(
        document(hostile), {"m-name": hostile, "r-1": hostile, "d-0": hostile, "f-0": hostile}
    )
    value = drafts.Change(what="add condition", texts=(hostile.replace("%", ""),)).on(value)
    writer = begun(site, value)
    client = writer.client
    client.headers["Accept"] = "text/html"
    for path in ("", "/item", "/doubts", "/panes?revision=1", "/news"):
        text = client.get(f"/drafts/{writer.draft_id}{path}").text
        assert "<script>stolen" not in text
        assert "<b data-x" not in text
    assert "<script>stolen" not in client.get("/write").text


def test_a_page_for_people_and_the_same_as_json(site: Site) -> None:
    writer = begun(site)
    client = writer.client
    page = client.get(f"/drafts/{writer.draft_id}", headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert 'id="c-1-1-2"' in page.text
    assert json.loads(client.get(f"/drafts/{writer.draft_id}.json").text)["name"] == "agreement"
    assert client.get("/openapi").status_code == 200


def test_a_suite_of_a_thousand_items_has_pages(site: Site) -> None:
    design = Design.new(["a", "b", "c", "d"], ["r", "s", "t", "u", "v"], ["(3;%a%) < (3;%b%)"])
    value = design.draft({"name": "large"}, n_items=1_000)
    writer = begun(site, value)
    found = writer.get("", page=40)
    assert (found["n_pages"], len(found["items"])) == (40, 25)
    assert found["panes"]["n_unwritten"] == 4_000
    panes = writer.writes(c_999_3_5="here")
    assert panes["n_unwritten"] == 3_999
