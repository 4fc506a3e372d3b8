"""Stores of version 2, which had a row for each item of each prediction, become those of today."""

import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from pommel.models import Membership
from pommel.scoring import ModelFacts, PredictionResult, RunRecord, Score, SuiteFacts, SuiteResult
from pommel.store.database import TABLES, damaged
from pommel.store.run_rows import RunRows

_SEALED = """
    SELECT run_id, source, created, model_name, suite_name, circuit, language, score_rule, record
    FROM old_runs WHERE run_key = ?
"""

_ITEMS = """
    SELECT prediction_id, formula, description, position, item_number, holds, margin_bits, flags
    FROM predictions LEFT JOIN item_results USING (prediction_key)
    WHERE run_key = ? ORDER BY prediction_id, position
"""

# The bits of `item_results.flags`, from the lowest on.
_FLAGS = ("tie", "undefined", "unscored", "oov", "skipped", "swallowed")

_LINKS = ("run_key", "finished", "model_id", "policy_id", "suite_id")


def convert(connection: sqlite3.Connection, path: Path, *, leave_out: bool = False) -> bool:
    """Put the runs of a store into the tables of today; within a transaction.

    One whose results are not those that were kept is refused from now on as it was before. Raises
    `StoreError` for one that makes no sense, unless such are to be left out; says whether all are
    there.
    """
    is_all = True
    connection.execute("DROP INDEX runs_by_model_and_suite")
    connection.execute("ALTER TABLE runs RENAME TO old_runs")
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for statement in TABLES:
        if statement.split()[2] not in there:
            connection.execute(statement)
    rows = RunRows(connection=connection)
    found = connection.execute(
        f"SELECT status, check_sum, {', '.join(_LINKS)} FROM old_runs ORDER BY run_key"  # noqa: S608 - our own names
    )
    for status, check_sum, *values in found:
        links = dict(zip(_LINKS, values, strict=True))
        ((*head, text),) = connection.execute(_SEALED, (links["run_key"],))
        items = connection.execute(_ITEMS, (links["run_key"],)).fetchall()
        try:
            record = _record(head, text, items, is_complete=status == "complete")
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            if not leave_out:
                what = f"what is kept of run {head[0]} makes no sense"
                raise damaged(path, what) from None
            is_all = False
            continue
        said = "".join(json.dumps(row, default=repr) for row in ([*head, text], *items))
        if zlib.crc32(said.encode()) != check_sum:
            links["check_sum"] = None
        rows.insert(record, links)
    connection.execute(
        "UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'old_runs')"
        " WHERE name = 'runs'"
    )
    for table in ("item_results", "predictions", "old_runs"):
        connection.execute(f"DROP TABLE {table}")
    return is_all


def _record(
    head: list[Any], text: str, items: list[tuple[Any, ...]], *, is_complete: bool
) -> RunRecord:
    run_id, source, created, model_name, suite_name, circuit, _, rule = head
    described = json.loads(text)
    member, reported = described["membership"], described["reported"]
    of_each: dict[tuple[int, str, str], list[tuple[Any, ...]]] = {}
    for number, formula, description, position, *item in items:
        own = of_each.setdefault((number, formula, description), [])
        if position is not None:
            own.append(tuple(item))
    numbers = next(([item[0] for item in own] for own in of_each.values()), None)
    return RunRecord(
        run_id=run_id,
        result=SuiteResult(
            suite_name=suite_name,
            circuit=circuit,
            model_name=model_name,
            score_rule=rule,
            item_numbers=tuple(described["item_numbers"] if numbers is None else numbers),
            predictions=tuple(_prediction(*asked, own) for asked, own in of_each.items()),
            membership=Membership(**member) if member else None,
            reported=Score(**reported) if reported else None,
            provenance=described["provenance"],
        ),
        model=ModelFacts(**described["model"]),
        suite=SuiteFacts(**described["suite"]),
        policy=described["policy"],
        settings=described["settings"],
        source=source,
        status="complete" if is_complete else "interrupted",
        created=created,
    )


def _prediction(
    prediction_id: int, formula: str, description: str, items: list[tuple[Any, ...]]
) -> PredictionResult:
    _, holds, margins, flags = zip(*items, strict=True) if items else [()] * 4
    bits = np.array(flags, dtype=np.uint8)
    marks = {name: (bits & 1 << place) > 0 for place, name in enumerate(_FLAGS)}
    return PredictionResult(
        prediction_id=prediction_id,
        formula=formula,
        description=description,
        holds=np.array(holds, dtype=np.bool_),
        # NumPy takes None for NaN where floats are asked for.
        margin_bits=np.array(margins, dtype=np.float64),
        defined=~marks.pop("undefined"),
        **marks,
    )
