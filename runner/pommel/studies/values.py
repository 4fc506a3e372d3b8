"""Every value of a study's tables: as printed, as recomputed from what was published, and own."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pommel.errors import InputError, nearest
from pommel.files import frame_of_rows, frame_text
from pommel.studies.study import Study, Table
from pommel.suite import Suite
from pommel.values import frozen

Verdict = Literal["equal", "differs", "not computable", "not printed"]

_NOT_HERE = "the published results are not here: see the step that was left out"
_COLUMNS = ("table", "keys", "printed", "recomputed", "verdict", "own", "why", "source")


@frozen
class StudyValue:
    """A value of a table, told by its `keys`; `printed` is a text, with the decimals of print.

    `recomputed` is from published results, `own` from the study's models; None is what is not
    there. It is `equal` if it is the printed one to its last digit; a tie may be rounded either
    way. `why` explains what differs or cannot be computed, "" where nobody has.
    """

    table: str
    keys: Mapping[str, str]
    printed: str
    recomputed: float | None
    own: float | None
    verdict: Verdict
    why: str = ""
    source: str = ""

    @classmethod
    def of_table(cls, study: Study, table: Table, folder: Path) -> "list[StudyValue]":
        """Return the values of a table in the folder of a study, as far as there are any.

        They are those that are printed; of a table without, those of the statistics.
        """
        published = read_numbers(folder / table.file("published"), table)
        own = read_numbers(folder / table.file("own"), table)
        is_missing = bool(table.published) and not published
        rows = study.printed_rows(table)
        if rows:
            own = {**_of_whole(own), **own}
        else:
            keys = dict.fromkeys([*published, *own])
            rows = [dict(zip(table.keys, each, strict=True)) for each in keys]
        values = [cls._of_row(table, row, published, own) for row in rows]
        return [replace(each, why=_NOT_HERE) for each in values] if is_missing else values

    @classmethod
    def _of_row(
        cls,
        table: Table,
        row: Mapping[str, str],
        published: Mapping[tuple[str, ...], float],
        own: Mapping[tuple[str, ...], float],
    ) -> "StudyValue":
        keys = {key: row[key] for key in table.keys}
        printed = row.get("printed", "")
        recomputed = published.get(tuple(keys.values()))
        own_keys = tuple(row.get(f"own_{key}", row[key]) for key in table.keys)
        verdict: Verdict = "not printed"
        if printed:
            verdict = verdict_of(printed, recomputed)
        deviation = next(
            (
                each.why
                for each in table.deviations
                if all(row.get(key) == value for key, value in each.where.items())
            ),
            "",
        )
        return cls(
            table=table.name,
            keys=keys,
            printed=printed,
            recomputed=recomputed,
            own=own.get(own_keys),
            verdict=verdict,
            why="" if verdict in ("equal", "not printed") else deviation,
            source=row.get("source", ""),
        )

    @staticmethod
    def csv(values: "Iterable[StudyValue]") -> str:
        """Return values as CSV, a row each."""
        rows = [
            {
                **{name: getattr(each, name) for name in _COLUMNS},
                "keys": "; ".join(f"{key}={value}" for key, value in each.keys.items()),
                "recomputed": _text(each.recomputed),
                "own": _text(each.own),
            }
            for each in values
        ]
        return frame_text(frame_of_rows(rows, _COLUMNS), "csv")

    @property
    def n_decimals(self) -> int:
        """How many decimals the printed number has."""
        return len(self.printed.partition(".")[2])

    @staticmethod
    def counts(values: "Sequence[StudyValue]") -> dict[str, int]:
        """Return how many printed values are equal, differ, and cannot be computed."""
        verdicts: tuple[Verdict, ...] = ("equal", "differs", "not computable")
        return {each: sum(value.verdict == each for value in values) for each in verdicts}


def _of_whole(own: Mapping[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    """Return numbers by the names of whole suites and circuits, of which first items were run.

    Of what was run on its first 12 items and on its first 40 there is none.
    """
    found: dict[tuple[str, ...], list[float]] = {}
    for keys, number in own.items():
        found.setdefault(tuple(map(Suite.whole_name, keys)), []).append(number)
    return {keys: numbers[0] for keys, numbers in found.items() if len(numbers) == 1}


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"


def verdict_of(printed: str, recomputed: float | None) -> Verdict:
    """Say whether a number is the printed one to its last digit."""
    if recomputed is None:
        return "not computable"
    n_decimals = len(printed.partition(".")[2])
    # A tie in the last digit is rounded up by some and to the even digit by others.
    half = 0.5 * 10**-n_decimals
    return "equal" if abs(recomputed - float(printed)) <= half * (1 + 1e-9) + 1e-12 else "differs"


def read_numbers(path: Path, table: Table) -> dict[tuple[str, ...], float]:
    """Return the numbers of a statistic by their keys; none where it was not computed.

    Raises `InputError` for a column that it has not, and, where rows are not counted, for a value
    that is no number, and keys that do not tell rows apart.
    """
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for column in (*table.keys, table.value, *table.where):
        if rows and column not in rows[0]:
            meant = nearest(column, rows[0])
            hint = f"did you mean {meant!r}?" if meant else f"it has {', '.join(rows[0])}"
            raise InputError(f"the table {table.name} has no column {column!r}; {hint}")
    rows = [
        row for row in rows if all(fnmatchcase(row[key], it) for key, it in table.where.items())
    ]
    if table.count:
        counts: dict[tuple[str, ...], float] = {}
        for row in rows:
            keys = tuple(row[key] for key in table.keys)
            is_counted = fnmatchcase(row[table.value], table.count)
            counts[keys] = counts.get(keys, 0.0) + is_counted * table.factor
        return counts
    found: dict[tuple[str, ...], float] = {}
    for row in rows:
        if row[table.value]:
            try:
                number = float(row[table.value])
            except ValueError:
                what = f"{table.value!r} is {row[table.value]!r}, and no number"
                raise InputError(f"of the table {table.name}, {what}") from None
            keys = tuple(row[key] for key in table.keys)
            if keys in found:
                told = ", ".join(keys)
                hint = "more keys, or a `where`, tell them apart"
                raise InputError(f"the table {table.name} has two rows of {told}; {hint}")
            found[keys] = number * table.factor
    return found
