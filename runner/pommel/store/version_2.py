"""Stores of version 2, which had a row for each item of each prediction, become those of today."""

import json
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pommel.models import Membership
from pommel.scoring import ModelFacts, RunRecord, Score, SuiteFacts, SuiteResult
from pommel.store.database import TABLES, damaged
from pommel.store.run_rows import MAKE_NO_SENSE, RunRows

_RUNS = """
    SELECT status, check_sum, run_key, finished, model_id, policy_id, suite_id, run_id, source,
    created, model_name, suite_name, circuit, language, score_rule, record
    FROM old_runs ORDER BY run_key
"""

_LINKS = ("run_key", "finished", "model_id", "policy_id", "suite_id")

_ITEMS = """
    SELECT prediction_id, formula, description, position, item_number, holds, margin_bits, flags
    FROM predictions LEFT JOIN item_results USING (prediction_key)
    WHERE run_key = ? ORDER BY prediction_id, position
"""


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
    for status, check_sum, *values in connection.execute(_RUNS):
        links = dict(zip(_LINKS, values, strict=False))
        run = values[len(_LINKS) :]
        items = connection.execute(_ITEMS, (links["run_key"],)).fetchall()
        said = "".join(json.dumps(row, default=repr) for row in (run, *items))
        if zlib.crc32(said.encode()) != check_sum:
            links["check_sum"] = None
        try:
            rows.insert(_record(run, items, is_complete=status == "complete"), links)
        except MAKE_NO_SENSE:
            if not leave_out:
                raise damaged(path, f"what is kept of run {run[0]} makes no sense") from None
            is_all = False
    connection.execute(
        "UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'old_runs')"
        " WHERE name = 'runs'"
    )
    for table in ("item_results", "predictions", "old_runs"):
        connection.execute(f"DROP TABLE {table}")
    return is_all


def _record(run: Sequence[Any], items: Sequence[Any], *, is_complete: bool) -> RunRecord:
    run_id, source, created, model_name, suite_name, circuit, _, rule, text = run
    described = json.loads(text)
    member, reported = described["membership"], described["reported"]
    asked = [*dict.fromkeys(row[:3] for row in items)]
    # A prediction without items has a row without a position.
    own = [row[4:] for row in items if row[3] is not None]
    # NumPy takes None for NaN where floats are asked for; flags are the marks of today but one.
    packed = np.array([margin for _, _, margin, _ in own], dtype="<f8").tobytes()
    packed += bytes(flags | holds << 6 for _, holds, _, flags in own)
    numbers = described["item_numbers"]
    if asked:
        numbers = [number for number, *_ in own[: len(own) // len(asked)]]
    return RunRecord(
        run_id=run_id,
        result=SuiteResult(
            suite_name=suite_name,
            circuit=circuit,
            model_name=model_name,
            score_rule=rule,
            item_numbers=tuple(numbers),
            predictions=tuple(SuiteResult.kept_predictions(asked, (), rule, packed)),
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
