"""AUC by violation: each template, and their mean with its interval; what has no mark, and why."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pommel.analysis import SentenceSets, grouped
from pommel.errors import UsageError, counted, listed
from pommel.report.plots.theme import (
    COLOURS,
    INK,
    ROW_HEIGHT,
    Rows,
    chance_layer,
    check_installed,
    distinct,
    in_facets,
    interval_layer,
    named_in,
    ranged,
    row_axis,
    share_axis,
    single_line,
    themed,
    tooltip,
)
from pommel.statistics import CHANCE

if TYPE_CHECKING:
    import altair as alt


_MOST_NAMES = 5

_NOT_ASKED_FOR = "not all tokens were asked for; `pommel run --regions all` scores them"
_CANNOT = "every template has a sentence that the method cannot score or compare"
_CANNOT_SOME = "the method cannot score or compare a sentence of each"
_UNRATED = "nobody has rated a sentence of them"


def left_out_notes(sets: SentenceSets) -> Iterator[str]:
    """Yield what is left out of the AUCs: models, templates, and suites that are no sets."""
    partial = [each for each in sets.scores if 0 < each.n_skipped < len(each.scores)]
    for found, what, cannot in (
        (sets.without_templates, "", _CANNOT),
        (partial, "some templates of ", _CANNOT_SOME),
    ):
        reasons = {
            _NOT_ASKED_FOR: [each for each in found if each.n_not_asked_for],
            cannot: [each for each in found if not (each.n_not_asked_for or each.of_people)],
            _UNRATED: [each for each in found if each.of_people],
        }
        for why, own in reasons.items():
            if own:
                yield f"Without {what}{_models((each.model, each.suite) for each in own)}: {why}."
    if sets.not_sets:
        names = listed([single_line(each) for each in sets.not_sets], most=_MOST_NAMES)
        yield f"Without suites that have no ungrammatical conditions: {names}."


def why_nothing(sets: SentenceSets) -> str:
    """Return why there is no AUC at all."""
    scores = sets.without_templates
    n_asked = sum(each.n_not_asked_for > 0 for each in scores)
    if scores and n_asked == len(scores):
        return _NOT_ASKED_FOR
    return "every template lacks a score" + (f"; of some, {_NOT_ASKED_FOR}" if n_asked else "")


def _models(models_and_suites: Iterable[tuple[str, str]]) -> str:
    """Return the models, each with its suite or the number of them."""
    suites = grouped(models_and_suites, lambda each: single_line(each[0]))
    named = [
        f"{model} ({single_line(own[0][1]) if len(own) == 1 else counted(len(own), 'suite')})"
        for model, own in suites.items()
    ]
    return listed(named, most=_MOST_NAMES)


def auc_chart(sets: SentenceSets) -> "alt.typing.ChartType":
    """Return the AUCs of every suite and comparison: of each template, and their mean.

    A model is a row, a comparison a facet; of one model alone, a comparison is a row and a suite a
    facet. Notes say which models and templates are left out and why, and that `not_sets` are: other
    suites, which are no sets. The values are those of `auc_rows`. Raises `UsageError` where there
    is no AUC.
    """
    check_installed()
    import altair as alt

    found = auc_rows(sets)
    if not found:
        raise UsageError(f"there is no AUC to be shown: {why_nothing(sets)}")
    models = distinct(found, "model")
    base = alt.Chart().encode(
        y=row_axis(found, "row", "comparison" if len(models) == 1 else "model")
    )
    means = base.transform_filter("datum.template == null")
    x, shown = share_axis("auc", title="AUC"), "model:N suite:N comparison:N auc:Q"
    layers = [
        chance_layer(means),
        base.transform_filter("datum.template != null")
        .mark_tick(color=COLOURS[0], opacity=0.35, thickness=1, size=ROW_HEIGHT - 8)
        .encode(x=x, tooltip=tooltip(f"{shown} template:Q")),
        interval_layer(means, INK),
        means.mark_point(filled=True, color=INK, opacity=1, size=40, shape="diamond").encode(
            x=x, tooltip=tooltip(f"{shown} low:Q high:Q n_templates:Q")
        ),
    ]
    chart, width = in_facets(layers, found, ("row", "facet"))
    n_templates = ranged(found, {"n_templates": "template"})
    notes = [named_in(found), _MARKS.format(n_templates), *left_out_notes(sets)]
    return themed(chart, "AUC: grammatical above ungrammatical sentences", notes, width=width)


_MARKS = (
    "Diamonds: mean over {} and its 95% score interval. Thin ticks: one template each. "
    "Grey ticks: chance."
)


def auc_rows(sets: SentenceSets) -> Rows:
    """Return a row for each mean that there is (`template` is None), and one for each template.

    Templates count from 1, those that are left out not among them. Means of families are no rows.
    """
    known = [row for row in sets.rows if not row.is_family and not math.isnan(row.estimate.mean)]
    n_models = len({row.scores.model for row in known})
    n_suites = len({(row.scores.language, row.scores.suite) for row in known})
    n_comparisons = len({row.about["comparison"] for row in known})
    n_languages = len({row.scores.language for row in known})
    found: Rows = []
    for row in known:
        suite = single_line(row.scores.named(with_language=n_languages > 1))
        model, comparison = single_line(row.scores.model), single_line(str(row.about["comparison"]))
        if n_models == 1:
            places = {"row": comparison, "facet": suite}
        else:
            # What is the same everywhere needs no name.
            parts = [suite] * (n_suites > 1) + [comparison] * (n_comparisons > 1)
            places = {"row": model, "facet": "\n".join(parts) or comparison}
        shared = {**places, "model": model, "suite": suite, "comparison": comparison}
        mean = {
            "template": None,
            "auc": row.estimate.mean,
            "low": row.estimate.low,
            "high": row.estimate.high,
            "n_templates": row.estimate.n,
            "chance": CHANCE,
        }
        found.append({**shared, **mean})
        for number, auc in enumerate(row.values, 1):
            found.append({**shared, "template": number, "auc": auc})
    return found
