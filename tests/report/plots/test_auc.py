"""AUC by violation as a plot."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.analysis.sentence_sets import design_scores, pair_scores
from tests.report.plots.drawn import draw, same

from pommel.analysis.sentence_sets import SentenceSets, SetRow, SetSentence, set_rows
from pommel.errors import UsageError
from pommel.report.plots.auc import auc_chart, auc_rows

if TYPE_CHECKING:
    import altair as alt


def scored(sentence: SetSentence, at: int) -> float:
    """Some score that depends on the sentence, whose violations differ."""
    return (sum(map(ord, sentence.name)) * (at + 3)) % 17 + 4 * sentence.is_grammatical


def rows_of(*models: str) -> list[SetRow]:
    return [
        row
        for offset, model in enumerate(models)
        for row in set_rows(
            design_scores(
                *(partial(scored, at=offset + template) for template in (0, 5, 7)), model=model
            )
        )
    ]


def sets(rows: Iterable[SetRow], not_sets: Sequence[str] = ()) -> SentenceSets:
    own = tuple(rows)
    scores = {id(row.scores): row.scores for row in own}
    return SentenceSets(rows=own, scores=tuple(scores.values()), not_sets=tuple(not_sets))


def test_every_mark_has_its_value(capfd: pytest.CaptureFixture[str]) -> None:
    rows = rows_of("a", "b")
    frame = sets(rows).frame()
    drawn = draw(auc_chart(sets(rows)), capfd)
    means = [row for row in drawn.rows if row["template"] is None]
    assert [row["model"] for row in means] == [*frame["model_name"]]
    assert [row["comparison"] for row in means] == [*frame["comparison"]]
    for field in ("auc", "low", "high", "n_templates"):
        assert same([row[field] for row in means], frame[field])
    # The templates are those that the mean is of.
    for mean in means:
        own = [
            row["auc"]
            for row in drawn.rows
            if row["template"]
            and row["model"] == mean["model"]
            and row["comparison"] == mean["comparison"]
        ]
        assert len(own) == 3
        assert sum(own) / 3 == pytest.approx(mean["auc"], rel=1e-12)
    assert len(drawn.marks("symbol")) == len(frame) == 10
    assert len(drawn.marks("rule")) == 10
    # Ticks: chance, and a template each.
    assert len(drawn.marks("rect")) == 10 + 30


def test_what_is_a_row_and_what_a_facet() -> None:
    of_one = auc_rows(sets(rows_of("a")))
    assert {(row["facet"], row["row"]) for row in of_one} == {
        ("arguments", comparison)
        for comparison in ("all", "double-nom", "double-acc", "double-dat", "plausible")
    }
    of_two = auc_rows(sets(rows_of("a", "b")))
    assert {row["row"] for row in of_two} == {"a", "b"}
    assert {row["facet"] for row in of_two} == {row["row"] for row in of_one}
    others = set_rows(pair_scores([[1, 0]]))
    facets = {row["facet"] for row in auc_rows(sets([*rows_of("a", "b"), *others]))}
    # One of the suites is in German, the other says no language.
    assert {"arguments (de)\nall", "pairs\nall"} <= facets
    pairs = [*set_rows(pair_scores([[1, 0]]))]
    named = [
        replace(each, scores=replace(each.scores, model="b", suite="others")) for each in pairs
    ]
    assert {row["facet"] for row in auc_rows(sets([*pairs, *named]))} == {"pairs", "others"}


def test_the_mean_of_a_family_has_no_marks() -> None:
    seeds = rows_of("lstm/seed-1", "lstm/seed-2")
    family = replace(seeds[0], scores=replace(seeds[0].scores, model="lstm"), of_members=(*seeds,))
    assert {row["model"] for row in auc_rows(sets([*seeds, family]))} == {
        "lstm/seed-1",
        "lstm/seed-2",
    }


def test_without_a_template_there_is_no_plot() -> None:
    nothing = pair_scores([[float("nan"), 0]])
    with pytest.raises(UsageError) as caught:
        auc_chart(sets(set_rows(nothing)))
    assert str(caught.value) == "there is no AUC to be shown: every template lacks a score"


def caption_of(chart: "alt.typing.ChartType", capfd: pytest.CaptureFixture[str]) -> str:
    title, _, notes = draw(chart, capfd).caption.partition(". ")
    assert title == "AUC: grammatical above ungrammatical sentences"
    return notes


def named(
    scores: list[list[float]], model: str, suite: str = "pairs", n_not_asked_for: int = 0
) -> list[SetRow]:
    found = replace(pair_scores(scores), model=model, suite=suite, n_not_asked_for=n_not_asked_for)
    return [*set_rows(found)]


GOOD, NONE = [1.0, 0.0], [math.nan, 0.0]


def test_models_that_are_left_out_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    rows = [
        *named([GOOD, GOOD], "a"),
        *named([NONE, NONE], "b", n_not_asked_for=2),
        *named([NONE], "b", "others", n_not_asked_for=1),
        *named([NONE], "c"),
        *named([GOOD, NONE], "d", n_not_asked_for=1),
        *named([GOOD, NONE], "e"),
    ]
    assert caption_of(auc_chart(sets(rows, not_sets=["x", "y"])), capfd) == (
        "Models: a, d, e. Diamonds: mean over 1 to 2 templates and its 95% score interval. Thin "
        "ticks: one template each. Grey ticks: chance. Without b (2 suites): not all tokens were "
        "asked for; `pommel run --regions all` scores them. Without c (pairs): every template has "
        "a sentence that the method cannot score or compare. Without some templates of d (pairs): "
        "not all tokens were asked for; `pommel run --regions all` scores them. Without some "
        "templates of e (pairs): the method cannot score or compare a sentence of each. Without "
        "suites that have no ungrammatical conditions: x, y."
    )


def test_one_model_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert caption_of(auc_chart(sets(rows_of("a"))), capfd).startswith("Model: a. Diamonds: ")
    assert caption_of(auc_chart(sets(rows_of("a", "b"))), capfd).startswith("Models: a, b. ")


NOT_ASKED_FOR = "not all tokens were asked for; `pommel run --regions all` scores them"


@pytest.mark.parametrize(
    ("asked_for", "why"),
    [
        ((1, 1), NOT_ASKED_FOR),
        (
            (1, 0),
            f"every template lacks a score; of some, {NOT_ASKED_FOR}",
        ),
        ((0, 0), "every template lacks a score"),
    ],
)
def test_why_there_is_no_plot(asked_for: tuple[int, int], why: str) -> None:
    rows = [row for n in asked_for for row in named([NONE], "a", f"s{n}", n_not_asked_for=n)]
    with pytest.raises(UsageError) as caught:
        auc_chart(sets(rows))
    assert str(caught.value) == f"there is no AUC to be shown: {why}"


def test_people_are_a_row_with_the_templates_that_somebody_has_rated(
    capfd: pytest.CaptureFixture[str],
) -> None:
    model = pair_scores([GOOD, GOOD, GOOD, GOOD])
    # In the second template nobody has rated the grammatical sentence, in the last one none.
    ratings = np.array([GOOD, NONE, [1.0, 1.0], [math.nan] * 2])
    people = replace(model, model="human", scores=ratings, of_people=True, n_unscored=1)
    found = sets([*set_rows(model), *set_rows(people)])
    assert [row["auc"] for row in auc_rows(found) if row["model"] == "human"] == [0.75, 1.0, 0.5]
    assert caption_of(auc_chart(found), capfd) == (
        "Models: m, human. Diamonds: mean over 2 to 4 templates and its 95% score interval. Thin "
        "ticks: one template each. Grey ticks: chance. Without some templates of human (pairs): "
        "nobody has rated a sentence of them."
    )
