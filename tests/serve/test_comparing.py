"""Pages of many models: lists, a baseline that stays pinned, steps of a training, charts."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from benchmarks.many_runs import made as make_steps
from starlette.testclient import TestClient
from tests.serve.samples import client, filled
from tests.serve.test_looking import key_of, said

from pommel.analysis import Training
from pommel.report.plots.look import Look
from pommel.store import Selection, Store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """The server of a store with three models."""
    return client(filled(tmp_path_factory.mktemp("serve") / "store.sqlite"))


def trained(path: Path) -> Path:
    """Make a store of four steps each of five trainings, on twelve suites; one step lacks one."""
    make_steps(path, n_models=20, n_suites=12)
    with Store.open(path) as store:
        lacking = Selection(models=("made-up-0/step1000",), suites=("suite-000",))
        store.runs.delete([each.run_id for each in store.runs.heads(lacking)])
    return path


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """The server of a store of models along their training."""
    return client(trained(tmp_path_factory.mktemp("steps") / "store.sqlite"))


# --- lists, and a baseline


def test_models_have_their_mean_over_suites(server: TestClient) -> None:
    rows = said(server, "/models", order="score", down="true")["rows"]
    assert [(each["name"], each["n_suites"], each["score"]) for each in rows] == [
        ("right", 2, 1.0),
        ("wrong", 2, pytest.approx(2 / 3)),
        ("gpt2", 1, pytest.approx(2 / 3)),
    ]
    assert {each["difference"] for each in rows} == {None}
    assert [each["name"] for each in said(server, "/models", name="RIG")["rows"]] == ["right"]


def test_models_differ_from_a_baseline_on_the_suites_of_both(server: TestClient) -> None:
    rows = said(server, "/models", baseline="right", order="difference")["rows"]
    assert [
        (each["name"], each["difference"], each["n_shared"], each["n_better"], each["n_worse"])
        for each in rows
    ] == [
        ("wrong", pytest.approx(-1 / 3), 2, 0, 2),
        ("right", 0.0, 2, 0, 0),
        # What others have published is on a suite of its own.
        ("gpt2", None, 0, 0, 0),
    ]


def test_suites_have_the_mean_and_the_best_of_their_models(server: TestClient) -> None:
    found = said(server, "/suites", name="more")["rows"]
    assert [(each["n_models"], each["mean"], each["best"]) for each in found] == [
        (2, pytest.approx(5 / 6), 1.0)
    ]
    (of_model,) = said(server, "/suites", model="wrong", name="more", baseline="right")["rows"]
    assert of_model["score"] == pytest.approx(2 / 3)
    assert (of_model["baseline"], of_model["difference"]) == (1.0, pytest.approx(-1 / 3))
    assert said(server, "/suites", model="gpt2")["n"] == 1


def test_a_circuit_in_quotation_marks_is_meant_as_a_whole(steps: TestClient) -> None:
    assert said(steps, "/suites", circuit="circuit-1")["n"] == 2
    assert said(steps, "/suites", circuit='"circuit-1"')["n"] == 2
    assert said(steps, "/suites", circuit='"circuit"')["n"] == 0
    assert said(steps, "/suites", circuit="circuit")["n"] == 12


def test_a_suite_is_shown_beside_a_baseline(server: TestClient) -> None:
    path = f"/suites/{key_of(server, 'more')}"
    suite = said(server, path, baseline="right")
    assert suite["baseline"] == 1.0
    assert [(each["run"]["model_name"], each["difference"]) for each in suite["rows"]] == [
        ("right", 0.0),
        ("wrong", pytest.approx(-1 / 3)),
    ]
    assert {each["baseline"] for each in suite["items"]} == {True}
    by_number = said(server, path, baseline="wrong", items_by="number")["items"]
    assert [each["number"] for each in by_number] == [1, 2, 3, 4, 5, 6]
    assert [each["baseline"] for each in by_number] == [False, True, True] * 2
    assert said(server, path, baseline="gpt2")["baseline"] is None


def test_items_come_in_pages(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"/suites/{key_of(server, 'more')}"
    whole = said(server, path)["items"]
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 4)
    pages = [said(server, path, items_page=number) for number in (1, 2)]
    assert [each for page in pages for each in page["items"]] == whole
    assert {(each["n_items"], each["n_items_pages"]) for each in pages} == {(6, 2)}


def test_models_of_an_item_are_found_and_come_in_pages(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/suites/{key_of(server, 'more')}/items/1"
    (found,) = said(server, path, named="WRO")["margins"]
    assert found["name"] == "wrong"
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 1)
    pages = [said(server, path, page=number) for number in (1, 2)]
    assert [each["margins"][0]["name"] for each in pages] == ["right", "wrong"]
    # Tokens are shown of the same models on all of them, the pinned one first.
    assert [[*each["shown"]] for each in pages] == [["right", "wrong"]] * 2
    assert [*said(server, path, baseline="wrong")["shown"]] == ["wrong", "right"]


def test_the_second_of_two_models_is_the_baseline(server: TestClient) -> None:
    pinned = said(server, "/compare", left="wrong", baseline="right")
    assert (pinned["left"], pinned["right"]) == ("wrong", "right")
    by_far = said(server, "/compare", left="wrong", right="right", order="difference")
    assert [each["difference"] for each in by_far["suites"]] == [pytest.approx(-1 / 3)] * 2


def links(server: TestClient, path: str) -> list[str]:
    """Return where the links of a page lead."""
    return re.findall(r'href="(/[^"]*|\?[^"]*)"', server.get(path).text)


def test_a_baseline_stays_in_the_links(server: TestClient) -> None:
    key = key_of(server, "more")
    seen = set()
    for path in ("/", "/models", "/suites", "/runs", f"/suites/{key}", f"/suites/{key}/items/1"):
        own = [each for each in links(server, f"{path}?baseline=wrong") if "/static" not in each]
        assert len(own) > 5
        without = [each for each in own if "baseline=wrong" not in each]
        # The way to be without it is one link, back to where one is.
        assert without == [path]
        seen |= {*own}
    for each in seen:
        assert server.get(each.replace("&amp;", "&")).status_code == 200, each


def test_a_link_keeps_what_was_asked(server: TestClient) -> None:
    own = links(server, "/models?name=r&order=score&down=true&baseline=right")
    assert "/models?name=r&amp;baseline=right&amp;order=name&amp;down=false&amp;page=1" in own
    assert all("name=r" in each for each in own if each.startswith("/models?") and "order" in each)


# --- along training


def families(server: TestClient) -> list[dict[str, Any]]:
    """Return the rows of the list of families."""
    found: list[dict[str, Any]] = said(server, "/families")["rows"]
    return found


def test_families_are_listed_with_their_first_and_last_step(steps: TestClient) -> None:
    rows = families(steps)
    assert [each["name"] for each in rows] == [f"made-up-{n}" for n in range(5)]
    first = rows[0]
    assert (first["axis"], first["n_steps"], first["n_suites"]) == ("step", 4, 12)
    assert (first["first_step"], first["last_step"]) == (0.0, 3000.0)
    models = {each["name"]: each["score"] for each in said(steps, "/models")["rows"]}
    assert first["last_score"] == models["made-up-0/step3000"]


@pytest.mark.parametrize("level", ["circuit", "suite", "all"])
def test_scores_along_training_are_those_of_stats_training(
    steps: TestClient, tmp_path: Path, level: str
) -> None:
    with Store.open(trained(tmp_path / "store.sqlite")) as store:
        answer = Training.Asked(level=level).answer(store.runs.records())  # type: ignore[arg-type]
    expected = {
        (each.name, each.axis_value): each.accuracy
        for each in answer.points
        if each.family == "made-up-0"
    }
    found = said(steps, f"/families/{families(steps)[0]['key']}", by=level)
    points = {
        (unit, step): score
        for unit, own in zip(found["units"], found["paths"], strict=True)
        for step, score in own
    }
    assert points == pytest.approx(expected)
    in_table = {
        (unit, row["step"]): score
        for row in found["steps"]
        for unit, score in zip(found["units"], row["scores"], strict=True)
        if score is not None
    }
    assert in_table == points


def test_a_family_is_shown_beside_a_baseline(steps: TestClient) -> None:
    key = families(steps)[0]["key"]
    found = said(steps, f"/families/{key}", by="all", baseline="made-up-1/step3000")
    models = {each["name"]: each["score"] for each in said(steps, "/models")["rows"]}
    assert found["baseline"] == [pytest.approx(models["made-up-1/step3000"])]


def test_circuits_of_a_family_are_found_and_come_in_pages(
    steps: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/families/{families(steps)[0]['key']}"
    assert said(steps, path, name="circuit-1")["units"] == ["circuit-1"]
    monkeypatch.setattr("pommel.serve.looking._MOST_UNITS", 4)
    pages = [said(steps, path, page=number) for number in (1, 2, 3)]
    assert [unit for each in pages for unit in each["units"]] == [f"circuit-{n}" for n in range(10)]
    monkeypatch.setattr("pommel.serve.looking._SHOWN", 3)
    parts = [said(steps, path, steps_page=number)["steps"] for number in (1, 2)]
    assert [row["step"] for each in parts for row in each] == [0.0, 1000.0, 2000.0, 3000.0]


# --- charts


SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """Return what a chart says."""
    return ["".join(each.itertext()) for each in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314


def test_an_item_has_its_curves(server: TestClient) -> None:
    key = key_of(server, "more")
    page = server.get(f"/suites/{key}/items/1?model=wrong").text
    (address,) = re.findall(r'<img src="([^"]*)"', page)
    assert address == f"/charts/regions.svg?suite={key}&amp;number=1&amp;model=wrong"
    assert page.count("srcset=") == 3
    answer = server.get(address.replace("&amp;", "&"))
    assert answer.headers["content-type"] == "image/svg+xml"
    said_there = texts(answer.text)
    assert {"wrong", "good", "bad"} <= {*said_there}


def test_a_family_has_its_curves(steps: TestClient) -> None:
    key = families(steps)[0]["key"]
    page = steps.get(f"/families/{key}").text
    (address,) = re.findall(r'<img src="([^"]*)"', page)
    assert {f"circuit-{n}" for n in range(10)} <= {
        *texts(steps.get(address.replace("&amp;", "&")).text)
    }


def test_a_chart_is_dark_on_a_dark_page_and_is_drawn_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bool] = []
    on_pages = Look.on_pages

    def counted(chart: Any, *, narrow: bool = False) -> tuple[str, str]:
        drawn.append(narrow)
        return on_pages(chart, narrow=narrow)

    monkeypatch.setattr(Look, "on_pages", staticmethod(counted))
    server = client(filled(tmp_path / "store.sqlite"))
    query = f"suite={key_of(server, 'more')}&number=1&model=right"
    light, dark, again, narrow = (
        server.get(f"/charts/regions.svg?{query}{more}").text
        for more in ("", "&dark=true", "", "&narrow=true")
    )
    assert light == again
    assert drawn == [False, True]
    assert texts(light) == texts(dark)
    assert "#222222" in light
    assert "#222222" not in dark
    assert 'fill="white"' in light
    assert 'fill="white"' not in dark

    def width(svg: str) -> float:
        return float(ET.fromstring(svg).get("width", ""))  # noqa: S314 - our own

    assert width(narrow) < width(light)


def test_a_chart_of_nothing_says_so(server: TestClient, steps: TestClient) -> None:
    key = families(steps)[0]["key"]
    answer = steps.get(f"/charts/family.svg?key={key}&name=nothing")
    assert answer.status_code == 400
    assert "there is no step to be shown" in answer.text
    (row,) = said(server, "/runs", model="gpt2")["rows"]
    path = f"/charts/regions.svg?suite={row['suite_key']}&number=1&model=gpt2"
    assert server.get(path).status_code == 404
