"""AUC by violation: each template, and their mean with its interval."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pommel.analysis.models_compared import labelled
from pommel.analysis.sentence_sets import ALL, SetAuc, template_aucs
from pommel.errors import UsageError
from pommel.report.plots.left_out import left_out_notes, why_nothing
from pommel.report.plots.model_rows import ROW_HEIGHT, chance_layer, in_facets, row_axis, share_axis
from pommel.report.plots.theme import (
    COLOURS,
    INK,
    Rows,
    check_installed,
    data_of,
    single_line,
    single_series,
    themed,
    tooltip,
)
from pommel.sources.grammar.permutation.design import PLAUSIBLE
from pommel.statistics import CHANCE

if TYPE_CHECKING:
    import altair as alt


def auc_chart(rows: Sequence[SetAuc], *, not_sets: Sequence[str] = ()) -> "alt.typing.ChartType":
    """Return the AUCs of every suite and comparison: of each template, and their mean.

    A model is a row, a comparison a facet; of one model alone, a comparison is a row and a suite a
    facet. Notes say which models and templates are left out and why, and that `not_sets` are: other
    suites, which are no sets. The values are those of `auc_rows`. Raises `UsageError` where there
    is no AUC.
    """
    check_installed()
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    found = auc_rows(rows)
    if not found:
        raise UsageError(f"there is no AUC to be shown: {why_nothing(rows)}")
    names = [*dict.fromkeys(row["row"] for row in found)]
    facets = [*dict.fromkeys(row["facet"] for row in found)]
    base = alt.Chart().encode(y=row_axis(names, "row"))
    means = base.transform_filter("datum.template == null")
    x, shown = share_axis("auc"), "model:N suite:N comparison:N auc:Q"
    layers = alt.layer(
        chance_layer(means, alt.X("chance:Q")),
        base.transform_filter("datum.template != null")
        .mark_tick(color=COLOURS[0], opacity=0.35, thickness=1, size=ROW_HEIGHT - 8)
        .encode(x=x, tooltip=tooltip(f"{shown} template:Q")),
        means.transform_filter("isValid(datum.low)")
        .mark_rule(color=INK, strokeWidth=1.5)
        .encode(x=alt.X("low:Q"), x2=alt.X2(field="high")),
        means.mark_point(filled=True, color=INK, opacity=1, size=40, shape="diamond").encode(
            x=x, tooltip=tooltip(f"{shown} low:Q high:Q n_templates:Q")
        ),
        data=data_of(found),
    )
    chart, width = in_facets(layers, "facet", facets, names)
    notes = [
        *single_series("model", [row["model"] for row in found]),
        _MARKS,
        *left_out_notes(rows, not_sets),
    ]
    return themed(chart, "AUC: grammatical above ungrammatical sentences", notes, width=width)


_MARKS = (
    "Diamonds: mean over templates and its 95% bootstrap interval. Thin ticks: one template each. "
    "Grey ticks: chance."
)


def auc_rows(rows: Sequence[SetAuc]) -> Rows:
    """Return a row for each mean that there is (`template` is None), and one for each template.

    Templates count from 1, those that are left out not among them.
    """
    known = [row for row in rows if not math.isnan(row.auc.mean)]
    n_models = len({row.scores.model for row in known})
    n_suites = len({(row.scores.language, row.scores.suite) for row in known})
    n_comparisons = len({row.comparison for row in known})
    n_languages = len({row.scores.language for row in known})
    found: Rows = []
    for row in known:
        suite = row.scores.suite
        suite = single_line(labelled(suite, row.scores.language if n_languages > 1 else ""))
        comparison = single_line(row.comparison)
        if n_models == 1:
            places = {"row": comparison, "facet": suite}
        else:
            # What is the same everywhere needs no name.
            parts = [suite] * (n_suites > 1) + [comparison] * (n_comparisons > 1)
            places = {"row": single_line(row.scores.model), "facet": "\n".join(parts) or comparison}
        found += [{**places, **each} for each in _rows(row, suite, comparison)]
    return found


def _rows(row: SetAuc, suite: str, comparison: str) -> Iterator[dict[str, Any]]:
    shared = {"model": single_line(row.scores.model), "suite": suite, "comparison": comparison}
    yield {
        **shared,
        "template": None,
        "auc": row.auc.mean,
        "low": row.auc.low,
        "high": row.auc.high,
        "n_templates": row.auc.n_templates,
        "chance": CHANCE,
    }
    for number, auc in enumerate(_template_aucs(row), 1):
        yield {**shared, "template": number, "auc": auc}


def _template_aucs(row: SetAuc) -> list[float]:
    """Return the AUCs that a row is the mean of (see `set_aucs`)."""
    good = [each for each in row.scores.sentences if each.is_grammatical]
    bad = [each for each in row.scores.sentences if not each.is_grammatical]
    if row.comparison == PLAUSIBLE:
        good = [each for each in good if each.kind == PLAUSIBLE]
    elif row.comparison != ALL:
        bad = [each for each in bad if each.kind == row.comparison]
    return template_aucs(row.scores.columns(good), row.scores.columns(bad))
