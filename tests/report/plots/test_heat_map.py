"""Scores by model and suite as a plot."""

import pytest
from tests.analysis.records import record
from tests.report.plots.drawn import draw, same

from pommel.errors import UsageError
from pommel.report.plots.heat_map import heat_map
from pommel.scoring.results import SuiteResult

RECORDS = [
    record("a", "s", "1101", circuit="licensing"),
    record("a", "t", "1000", circuit="agreement"),
    record("b", "s", "0000", circuit="licensing"),
    record("b", "t", "1111", circuit="agreement"),
    record("b", "u", "1100"),
]


def test_every_cell_has_its_score(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(heat_map(RECORDS), capfd)
    frame = SuiteResult.scores_frame([each.result for each in RECORDS])
    places = zip(frame["model_name"], frame["suite"], strict=True)
    known = dict(zip(places, frame["score"].tolist(), strict=True))
    rows = drawn.rows
    assert [(row["circuit"], row["suite"], row["model"]) for row in rows] == [
        ("agreement", "t", "a"),
        ("agreement", "t", "b"),
        ("licensing", "s", "a"),
        ("licensing", "s", "b"),
        ("(none)", "u", "a"),
        ("(none)", "u", "b"),
    ]
    scores = [known.get((row["model"], row["suite"]), float("nan")) for row in rows]
    assert same([row["score"] for row in rows], scores)
    cells = {(each["model"], each["suite"]): each["score"] for each in drawn.marks("rect")}
    assert {place: float(score) for place, score in cells.items()} == known
    # A model without a run on a suite has a dash there, and no colour.
    numbers = [text for text in drawn.texts if text[0] in "01-"]
    assert numbers == ["0.25", "1.00", "0.75", "0.00", "-", "0.50"]


def test_scores_of_fewer_items_are_marked_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    fewer = record("a", "s", "11")
    drawn = draw(heat_map([fewer, record("b", "s", "0001"), record("b", "t", "01")]), capfd)
    assert [text for text in drawn.texts if text[0] in "01-"] == ["1.00*", "0.25", "-", "0.50"]
    assert drawn.caption.endswith(
        "*: of fewer items than with other models, and not to be compared with these (a on s: 2 of "
        "4)."
    )
    counts = [(row["n_items"], row["n_items_of_all"]) for row in drawn.rows]
    assert counts == [(2, 4), (4, 4), (2, 2), (2, 2)]


def test_suites_stand_below_their_circuit(capfd: pytest.CaptureFixture[str]) -> None:
    texts = draw(heat_map(RECORDS), capfd).texts
    named = [text for text in texts if text in {"agreement", "licensing", "(none)", "s", "t", "u"}]
    assert named == ["agreement", "t", "licensing", "s", "(none)", "u"]
    without = [record("a", "s", "10"), record("a", "t", "10")]
    assert "(none)" not in draw(heat_map(without), capfd).texts


def test_numbers_are_to_be_read_on_their_cells(capfd: pytest.CaptureFixture[str]) -> None:
    (rect, text) = draw(heat_map(RECORDS), capfd).spec["layer"]
    # More or less of one colour: on a dark page, too.
    assert rect["mark"]["color"] == "#08519C"
    assert rect["encoding"]["opacity"]["scale"] == {"domain": [0, 1], "range": [0.05, 1]}
    assert text["encoding"]["color"]["condition"] == {
        "test": "datum.score >= 0.65",
        "value": "#FFFFFF",
    }


def test_grows_with_what_it_shows(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(f"model-{m}", f"suite-{s}", "10", circuit=f"c{s % 5}")
        for m in range(20)
        for s in range(33)
    ]
    drawn = draw(heat_map(records), capfd)
    assert len(drawn.marks("rect")) == 20 * 33
    assert (drawn.spec["width"], drawn.spec["height"]) == (20 * 36, (33 + 5) * 17)
    assert {f"model-{m}" for m in range(20)} <= set(drawn.texts)
    assert {f"suite-{s}" for s in range(33)} <= set(drawn.texts)


def test_without_a_score_there_is_no_plot() -> None:
    with pytest.raises(UsageError) as caught:
        heat_map([record("m", "s", "--")])
    assert str(caught.value) == "there is no score to be shown: no suite has one"
