"""The pages of what models do, as JSON and as people see them."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.serve.samples import client, filled

from pommel.store import RunIndex, Store
from pommel.store.run_tables import RunTables


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """The server of a store with three models, which everybody may look at."""
    return client(filled(tmp_path_factory.mktemp("serve") / "store.sqlite"))


def said(server: TestClient, path: str, **query: str | int) -> dict[str, Any]:
    """Return what a page says."""
    answer = server.get(path, params=query, headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    value: dict[str, Any] = answer.json()
    return value


def key_of(server: TestClient, name: str) -> str:
    """Return by what a suite is addressed on which models of ours have run."""
    (row,) = (
        each for each in said(server, "/runs", model="right")["rows"] if each["suite"] == name
    )
    key: str = row["suite_key"]
    return key


def test_the_first_page_has_the_suites_by_language_and_circuit(server: TestClient) -> None:
    start = said(server, "/")
    assert (start["n_runs"], start["n_models"], start["n_suites"]) == (5, 3, 3)
    assert start["offered"] == ["right", "wrong", "gpt2"]
    (own,) = start["suites"]["en"]
    assert (own["circuit"], own["n_suites"]) == ("agreement", 3)
    assert [(each["name"], each["n_models"]) for each in own["suites"]] == [
        ("agreement", 2),
        ("agreement", 1),
        ("more", 2),
    ]
    assert len(start["latest"]) == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"model": "WRO"}, {"wrong"}),
        ({"suite": "more"}, {"right", "wrong"}),
        ({"language": "de"}, set()),
        ({"circuit": "agree", "model": "gpt"}, {"gpt2"}),
    ],
)
def test_runs_are_found_by_parts_of_names(
    server: TestClient, query: dict[str, str], expected: set[str]
) -> None:
    assert {each["model_name"] for each in said(server, "/runs", **query)["rows"]} == expected


def test_runs_are_sorted_by_a_column(server: TestClient) -> None:
    up, down = (
        [each["score"] for each in said(server, "/runs", order="score", down=is_down)["rows"]]
        for is_down in ("false", "true")
    )
    assert up == sorted(up)
    assert up == down[::-1]


def test_a_long_list_comes_in_pages(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 2)
    pages = [said(server, "/runs", page=number) for number in (1, 2, 3, 4)]
    assert [len(each["rows"]) for each in pages] == [2, 2, 1, 0]
    assert {each["n_pages"] for each in pages} == {3}
    ids = [row["run_id"] for each in pages for row in each["rows"]]
    assert len({*ids}) == 5


def test_a_suite_has_all_models_the_best_first(server: TestClient) -> None:
    suite = said(server, f"/suites/{key_of(server, 'more')}")
    assert [
        (each["run"]["model_name"], each["run"]["score"], each["shares"][0])
        for each in suite["rows"]
    ] == [("right", 1.0, 1.0), ("wrong", pytest.approx(2 / 3), pytest.approx(2 / 3))]
    first, _ = suite["predictions"]
    assert first["words"] == ["region 2 (r2) must be less surprising in *good* than in *bad*"]
    # The hardest items first: one of the two models is wrong on the items with the dogs.
    assert [(each["number"], each["n_holding"]) for each in suite["items"]][:3] == [
        (1, 1),
        (4, 1),
        (2, 2),
    ]


def test_two_models_differ_first_where_they_differ_most(server: TestClient) -> None:
    key = key_of(server, "more")
    both = said(server, "/compare", left="right", right="wrong")
    assert [(each["name"], each["n_differing"], each["n_items"]) for each in both["suites"]] == [
        ("agreement", 1, 3),
        ("more", 2, 6),
    ]
    one = said(server, "/compare", left="right", right="wrong", suite=key)
    assert [(each["number"], each["differs"]) for each in one["items"]][:3] == [
        (1, True),
        (4, True),
        (2, False),
    ]
    assert one["items"][0]["holds"] == [[True, False], [True, False]]
    assert one["items"][0]["margins_bits"][0] == [8.5, -19.5]


def test_an_item_shows_each_token_with_its_bits(server: TestClient) -> None:
    key = key_of(server, "agreement")
    item = said(server, f"/suites/{key}/items/1", model="wrong")
    assert (item["before"], item["after"]) == (None, 2)
    assert [
        (each["name"], each["holds"][0], each["margins_bits"][0]) for each in item["margins"]
    ] == [("right", True, 8.5), ("wrong", False, -19.5)]
    good, _ = item["shown"]["wrong"]
    assert "".join(each["text"] for each in good["pieces"]) == good["text"] == "The dogs bark ."
    bark = next(each for each in good["pieces"] if each["text"] == "bark")
    assert bark == {"text": "bark", "surprisal_bits": 20.0, "shade": 9, "region": 2}
    assert good["regions_bits"]["2"] == 20.0


def test_a_suite_has_a_data_sheet(server: TestClient) -> None:
    key = key_of(server, "agreement")
    assert f'<a href="/suites/{key}/sheet.md">data sheet</a>' in server.get(f"/suites/{key}").text
    answer = server.get(f"/suites/{key}/sheet.md")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "agreement.md" in answer.headers["content-disposition"]
    assert answer.text.startswith("# agreement\n\n## Source\n")
    assert "\n- good: [The dogs]₁ **[bark]₂** [.]₃\n" in answer.text


def test_of_published_results_there_are_no_sentences(server: TestClient) -> None:
    (row,) = said(server, "/runs", model="gpt2")["rows"]
    suite = said(server, f"/suites/{row['suite_key']}")
    assert suite["rows"][0]["run"]["score"] == pytest.approx(2 / 3)
    answer = server.get(f"/suites/{row['suite_key']}/items/1.json")
    assert answer.status_code == 404
    assert answer.json() == {"error": "only results of agreement are known, not the suite itself"}
    assert server.get(f"/suites/{row['suite_key']}/sheet.md").status_code == 404
    assert "data sheet" not in server.get(f"/suites/{row['suite_key']}").text


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/nothing", 404, "there is no such page"),
        ("/suites/0123", 404, "no model has run on a suite '0123'"),
        (
            "/compare?left=rihgt&right=wrong",
            404,
            "no model is called 'rihgt'; did you mean 'right'?",
        ),
        (
            "/compare?right=right",
            400,
            "this address cannot be: Object missing required field `left`",
        ),
        ("/compare?left=right", 404, "which models? give left and right, or pin a baseline"),
        ("/compare?left=r&right=wrong", 404, "2 models have 'r' in their names: right, wrong"),
        ("/models?baseline=nobody", 404, "no model is called 'nobody'"),
        ("/families/0123", 404, "no family of steps or epochs is called '0123'"),
        ("/runs?page=0", 400, "this address cannot be: Expected `int` >= 1 - at `$.page`"),
        (
            "/runs?order=colour",
            400,
            "this address cannot be: Invalid enum value 'colour' - at `$.order`",
        ),
        ("/../../etc/passwd", 404, "there is no such page"),
        ("/static/..%2f..%2fguard.py", 404, "there is no such page"),
    ],
)
def test_what_cannot_be_shown_is_said(
    server: TestClient, path: str, status: int, message: str
) -> None:
    answer = server.get(path)
    assert answer.status_code == status
    assert "<h1>This cannot be shown</h1>" in answer.text
    as_json = server.get(path, headers={"Accept": "application/json"})
    assert (as_json.status_code, as_json.json()) == (status, {"error": message})


def test_each_page_is_under_the_same_address_as_json(server: TestClient) -> None:
    key = key_of(server, "agreement")
    for path in ("/runs", f"/suites/{key}", f"/suites/{key}/items/1"):
        assert server.get(f"{path}.json").json() == said(server, path)
        page = server.get(path)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.text.startswith("<!DOCTYPE html>")


def test_pages_are_described(server: TestClient) -> None:
    document = server.get("/openapi").json()
    assert {*document["paths"]} >= {
        "/",
        "/models",
        "/suites",
        "/runs",
        "/families",
        "/families/{key}",
        "/compare",
        "/suites/{key}",
        "/suites/{key}/items/{number}",
    }
    asked = document["paths"]["/runs"]["get"]["parameters"]
    assert {each["name"] for each in asked} >= {"model", "order", "page"}
    answer = document["components"]["schemas"]["ComparedItem"]
    assert {*answer["required"]} == {"number", "differs", "holds", "margins_bits"}


def test_new_runs_are_shown_at_once_and_an_unchanged_store_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = filled(tmp_path / "store.sqlite"), []
    index = RunTables.index

    def counted(self: RunTables, known: RunIndex | None = None) -> RunIndex:
        read.append(path)
        return index(self, known)

    monkeypatch.setattr(RunTables, "index", counted)
    server = client(path)
    assert said(server, "/")["n_runs"] == said(server, "/runs")["n"] == 5
    assert len(read) == 1
    with Store.open(path) as store:
        store.runs.delete([store.runs.records()[0].run_id])
        read.clear()
        # While somebody has it open, too.
        assert said(server, "/")["n_runs"] == said(server, "/runs")["n"] == 4
        assert len(read) == 1
    assert said(server, "/runs")["n"] == 4


def test_pages_of_items_on_which_two_models_are_compared(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"left": "right", "right": "wrong", "suite": key_of(server, "agreement")}
    whole = said(server, "/compare", **query)
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 1)
    pages = [said(server, "/compare", page=n, **query) for n in range(1, whole["n"] + 1)]
    assert whole["n"] > 1
    assert [item for each in pages for item in each["items"]] == whole["items"]
    for each in pages:
        assert each["suites"] == whole["suites"]
        assert (each["n"], each["n_pages"]) == (whole["n"], whole["n"])


def test_pages_of_suites_on_which_two_models_are_compared(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = said(server, "/compare", left="right", right="wrong")
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 1)
    pages = [said(server, "/compare", left="right", right="wrong", page=n) for n in (1, 2)]
    assert [suite for each in pages for suite in each["suites"]] == whole["suites"]
    assert [each["n_pages"] for each in pages] == [2, 2]


def test_the_first_page_as_json_has_a_name(server: TestClient) -> None:
    assert server.get("/index.json").json() == said(server, "/")
