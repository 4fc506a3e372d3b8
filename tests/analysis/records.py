"""Made-up records of runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from pommel.analysis.given_tables import GivenTable
from pommel.models.family import Axis, Membership
from pommel.scoring.choices import ScoreRule
from pommel.scoring.results import PredictionResult, Score, SuiteResult
from pommel.scoring.run_record import ModelFacts, RunRecord, SuiteFacts

LESS = "(1;%a%) < (1;%b%)"

# Of each prediction, item by item: "110-" or [True, True, False, None]; a dash or None is skipped.
Holds = str | Sequence[bool | int | None]


def record(  # noqa: PLR0913 - a record has that many sides
    model: str = "m",
    suite: str = "s",
    holds: Holds | Sequence[str] = (),
    margins: Sequence[float] | Sequence[Sequence[float]] | None = None,
    *,
    circuit: str = "",
    rule: ScoreRule = "all",
    items: Sequence[int] | None = None,
    formulas: Sequence[str] = (LESS,),
    marks: Mapping[str, Sequence[bool | int]] | None = None,
    share: float | None = None,
    n_items: int = 0,
    member: Membership | None = None,
    source: str = "pommel",
    **facts: Any,
) -> RunRecord:
    """Return the record of a model on a suite.

    `holds` is one prediction's, or a list of texts, one a prediction; `margins` (bits) likewise,
    and +1 or -1 where they are left out. `items` are the item numbers (from 1 on), `formulas` the
    predictions' (the last one for those that are left), `marks` the arrays `tie`, `defined`,
    `unscored` and `oov` of every prediction. `share` makes a result of which only that is known, of
    `n_items` (0: nobody knows). `facts` are fields of `ModelFacts` and `SuiteFacts`.
    """
    rows = _rows(holds)
    columns = _margins(margins, rows)
    n = len(rows[0]) if rows else 0
    reported = None
    if share is not None:
        reported = Score(
            label="", n_holding=round(share * n_items), n_items=n_items, reported_share=share
        )
    predictions = tuple(
        _prediction(
            index, row, columns[index], formulas[min(index, len(formulas) - 1)], marks or {}
        )
        for index, row in enumerate(rows)
    )
    result = SuiteResult(
        suite_name=suite,
        circuit=circuit,
        model_name=model,
        score_rule=rule,
        item_numbers=tuple(items or range(1, n + 1)),
        predictions=predictions,
        membership=member,
        reported=reported,
    )
    model_facts = {
        field.name: facts.pop(field.name) for field in fields(ModelFacts) if field.name in facts
    }
    return RunRecord(
        run_id=RunRecord.id_of({"model": model, "suite": suite, "rule": rule, "source": source}),
        result=result,
        model=ModelFacts(**model_facts),
        suite=SuiteFacts(**facts),
        source=source,
    )


def given_table(values: Mapping[str, float], name: str = "value") -> GivenTable:
    """Return a table with a number for each key."""
    rows: dict[tuple[str, ...], float] = {(key,): value for key, value in values.items()}
    return GivenTable(file="given.csv", value_column=name, rows=rows)


def seed(number: int, family: str = "lstm", axis: Axis = "seed") -> Membership:
    """Return the membership of a family's seed (or step, epoch, member)."""
    return Membership(family=family, axis=axis, label=f"{axis}-{number}", value=float(number))


def seeds(family: str, suite: str, *holds: Holds, **facts: Any) -> list[RunRecord]:
    """Return one record a seed of a family on a suite, called "family/seed-1" and so on."""
    return [
        record(f"{family}/seed-{n}", suite, own, member=seed(n, family), **facts)
        for n, own in enumerate(holds, 1)
    ]


def _rows(holds: Holds | Sequence[str]) -> list[list[bool | None]]:
    if isinstance(holds, str):
        return [[None if mark == "-" else mark == "1" for mark in holds]]
    if holds and isinstance(holds[0], str):
        return [row for text in holds for row in _rows(str(text))]
    return [[None if each is None else bool(each) for each in holds]] if holds else []


def _margins(margins: Any, rows: Sequence[Sequence[bool | None]]) -> list[list[float]]:
    if margins is None:
        return [[1.0 if each else -1.0 for each in row] for row in rows]
    own = list(margins)
    return [list(each) for each in own] if isinstance(own[0], Sequence) else [own]


def _prediction(
    number: int,
    row: Sequence[bool | None],
    margins: Sequence[float],
    formula: str,
    marks: Mapping[str, Sequence[bool | int]],
) -> PredictionResult:
    n = len(row)
    flags = {
        name: np.array(marks.get(name, [name == "defined"] * n), dtype=bool)
        for name in ("tie", "defined", "swallowed", "unscored", "oov")
    }
    skipped = np.array([each is None for each in row], dtype=bool)
    values = np.array(margins, dtype=np.float64)
    return PredictionResult(
        prediction_id=number,
        formula=formula,
        description="",
        holds=np.array([bool(each) for each in row], dtype=bool),
        margin_bits=np.where(skipped, math.nan, values),
        tie=flags["tie"],
        defined=flags["defined"],
        swallowed=flags["swallowed"],
        unscored=flags["unscored"],
        oov=flags["oov"],
        skipped=skipped,
    )
