"""A heat map: the score of every model on every suite."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pommel.analysis import ModelsCompared, number_cell
from pommel.errors import UsageError, counted, listed
from pommel.report.plots.theme import (
    INK,
    PAPER,
    SHORTENED,
    Rows,
    Spec,
    check_installed,
    data_of,
    distinct,
    label_width,
    named_in,
    single_line,
    themed,
    tooltip,
)
from pommel.scoring import RunRecord

if TYPE_CHECKING:
    import altair as alt

_CELL = {"width": 36, "height": 17}
_FULL, _FAINTEST = "#08519C", 0.05
# More scores than these that are of fewer items are counted.
_MOST_NAMED = 8
# On cells of a higher score, dark ones, numbers are white.
_DARK_FROM = 0.65


def heat_map(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    """Return suites x models, grouped by circuit, with the score in every cell.

    The values are those of `heat_map_rows`; a cell without a score has a dash. Raises `UsageError`
    where there is no score at all.
    """
    check_installed()
    import altair as alt

    rows = heat_map_rows(records)
    if all(math.isnan(row["score"]) for row in rows):
        raise UsageError("there is no score to be shown: no suite has one")
    models = distinct(rows, "model")
    places = _places(rows)
    layers = alt.layer(*_layers(models, places), data=data_of(rows)).properties(
        width=_CELL["width"] * len(models), height=_CELL["height"] * len(places)
    )
    width = _CELL["width"] * len(models) + label_width(row["suite"] for row in rows)
    notes = [
        "Share of items on which a suite's predictions hold; the stronger the colour, the higher.",
        f"{counted(len(distinct(rows, 'suite')), 'suite')}. {named_in(rows)}",
    ]
    if fewer := [
        f"{row['model']} on {row['suite']}: {row['n_items']} of {row['n_items_of_all']}"
        for row in rows
        if row["n_items"] < row["n_items_of_all"]
    ]:
        notes.append(
            "*: of fewer items than with other models, and not to be compared with these "
            f"({listed(fewer, most=_MOST_NAMED)})."
        )
    return themed(layers, "Score by model and suite", notes, width=width)


# What stands before a circuit among the places of suites, whose names have no line break.
_HEADING = "\n"
_IS_HEADING = f"indexof(datum.value, {json.dumps(_HEADING)}) == 0"


def _places(rows: Rows) -> list[str]:
    """Return the rows of the heat map: suites, with their circuit above them if any has one."""
    circuits = distinct(rows, "circuit")
    places = []
    for circuit in circuits:
        if circuits != [_NO_CIRCUIT]:
            places.append(f"{_HEADING}{circuit}")
        places += distinct([row for row in rows if row["circuit"] == circuit], "suite")
    return places


_NO_CIRCUIT = single_line("")


def _layers(models: Sequence[str], places: Sequence[str]) -> Iterator["alt.Chart"]:
    import altair as alt

    bare: Spec = {"domain": False, "ticks": False}
    suite = f"{_IS_HEADING} ? slice(datum.label, {len(_HEADING)}) : {SHORTENED}"
    bold = {"condition": {"test": _IS_HEADING, "value": "bold"}, "value": "normal"}
    base = alt.Chart().encode(
        x=alt.X(
            "model:N",
            sort=None,
            scale=alt.Scale(domain=[*models], padding=0),
            axis=alt.Axis(
                title="model",
                orient="top",
                labelAngle=-45,
                labelAlign="left",
                labelExpr=SHORTENED,
                **bare,
            ),
        ),
        y=alt.Y(
            "suite:N",
            sort=None,
            scale=alt.Scale(domain=[*places], padding=0),
            axis=alt.Axis(title="suite", labelExpr=suite, labelFontWeight=bold, **bare),
        ),
        tooltip=tooltip("model:N suite:N circuit:N score:Q"),
    )
    # One colour, more or less of it: on a dark page, too.
    yield base.mark_rect(color=_FULL, stroke=PAPER, strokeWidth=1).encode(
        opacity=alt.Opacity(
            "score:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[_FAINTEST, 1])
        )
    )
    yield base.mark_text(fontSize=10).encode(
        text=alt.Text("shown:N"),
        color=alt.condition(f"datum.score >= {_DARK_FROM}", alt.value("#FFFFFF"), alt.value(INK)),
    )


def heat_map_rows(records: Sequence[RunRecord]) -> Rows:
    """Return one row a suite and model, NaN for a model without a score on it.

    Suites come circuit by circuit, as in tables; models as they come (see `ModelsCompared`). A
    score is of `n_items`, that of some model of `n_items_of_all`; both are 0 where not known.
    """
    found = ModelsCompared.of(records)
    circuits = {record.suite_key: record.result.circuit for record in found.counted}
    scores = {
        each.label: {key: record.result.score for key, record in each.by_suite.items()}
        for each in found.models
    }
    n_items = {
        (each.label, key): sum(score.n_items for score in record.result.scores)
        for each in found.models
        for key, record in each.by_suite.items()
    }
    rows = []
    for name, key in ((name, key) for name, keys in found.suites.items() for key in keys):
        most = max(n_items.get((model, key), 0) for model in scores)
        for model, by_suite in scores.items():
            score = by_suite.get(key, math.nan)
            n_own = n_items.get((model, key), 0) or most
            rows.append(
                {
                    "circuit": single_line(circuits[key]),
                    "suite": single_line(name),
                    "model": single_line(model),
                    "score": score,
                    "n_items": n_own,
                    "n_items_of_all": most,
                    "shown": number_cell(score) + "*" * (n_own < most),
                }
            )
    return rows
