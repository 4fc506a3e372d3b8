"""What a format of results offers: how its files are recognised, and what they are read into."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pommel.errors import Fault, FaultyFileError, UsageError, package_version, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.scoring import ModelFacts, RunRecord, ScoreRule, SuiteFacts, SuiteResult

# A result, what is known of its model, and of its suite.
Result = tuple[SuiteResult, ModelFacts, SuiteFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What is said about files of results that they do not say themselves.

    `source` is what the results are called, "" for the format's own name for them, or that of their
    file (see `source_of`). `model`, `suite` and `language` (a tag: en) stand for what a file does
    not name. `columns` maps what a column is
    (`item`) to how a file calls it. `n_items` is how many items a published share is of, and
    `n_items_of` that for single models; None and {} leave it unknown. `chance` is the share of
    items that hold by chance, None what the files or the format say. `score_rule` None is the
    format's own. `keep_all` leaves out what a publication's procedure drops or combines, and
    `by_attractors` makes a suite of each number of intervening nouns.
    """

    source: str = ""
    model: str = ""
    suite: str = ""
    language: str = ""
    score_rule: ScoreRule | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    n_items: int | None = None
    n_items_of: Mapping[str, int] = field(default_factory=dict)
    chance: float | None = None
    keep_all: bool = False
    by_attractors: bool = False


_STEM = re.compile(r"[^-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The records of files of results, and in a line each what was dropped or is missing."""

    records: tuple[RunRecord, ...]
    notes: tuple[str, ...] = ()

    def with_guessed_size_families(self) -> list[RunRecord]:
        """Return the records with the size families that the names of their models speak of.

        Models whose names begin alike up to the first hyphen are of one family (`bloom`,
        `bloom-560m`), if the numbers of parameters of at least two of them are known. What a file
        itself says of a model's family stays.
        """
        known = list(self.records)
        sized = {each.result.model_name for each in known if each.model.n_parameters}
        stems = {name: found[0] for name in sized if (found := _STEM.match(name))}
        sizes = Counter(stems.values())
        families = {name: stem for name, stem in stems.items() if sizes[stem] > 1}
        named_so = []
        for each in known:
            named = each.model.size_family or families.get(each.result.model_name, "")
            named_so.append(replace(each, model=replace(each.model, size_family=named)))
        return named_so


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFormat:
    """A format of results, under the name that `--from` gives it.

    `title` says in a few words what it is. `is_like` says of the first 4,096 characters of a file
    whether they are surely this one's, as the options call its columns. `takes` are the options of
    `ImportOptions` that mean something for it, besides the source. `read` reads files that belong
    together; it raises `InputError` with every fault of them.
    """

    name: str
    title: str
    is_like: Callable[[str, ImportOptions], bool]
    read: Callable[[Sequence[Path], ImportOptions], Imported]
    takes: frozenset[str] = frozenset()


def source_of(options: ImportOptions, paths: Sequence[Path]) -> str:
    """Return what results are called whose format has no name for them: by default like their file.

    Raises `UsageError` where there are several files.
    """
    if not options.source and len(paths) > 1:
        raise UsageError("say with --name what these results are called")
    return options.source or paths[0].stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where records come from: the source's name, its format, the files, and what was done.

    `files` are their names, of which two may be alike, with the SHA-256 of their bytes; `steps` say
    what was dropped or combined.
    """

    source: str
    format: str
    files: Sequence[tuple[str, str]]
    steps: tuple[str, ...] = ()

    def records(self, results: Iterable[Result]) -> tuple[RunRecord, ...]:
        """Return results as records of this origin.

        A record's `run_id` follows from source, model, suite and score rule: what is imported again
        replaces what was there.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        provenance = {
            "source": self.source,
            "format": self.format,
            "files": [{"name": name, "sha256": sha256} for name, sha256 in self.files],
            "steps": [*self.steps],
            "pommel": package_version("pommel"),
            "date": now,
        }
        return tuple(
            RunRecord(
                run_id=RunRecord.id_of(self._decisive(result)),
                result=replace(result, provenance=provenance),
                model=model,
                suite=suite,
                source=self.source,
                created=now,
            )
            for result, model, suite in results
        )

    def _decisive(self, result: SuiteResult) -> dict[str, Any]:
        return {
            "imported": self.source,
            "model": result.model_name,
            "suite": result.suite_name,
            "score_rule": result.score_rule,
        }


# What R, pandas and people write for a value that is missing.
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "#n/a", "<na>"})
_TRUE = frozenset({"true", "t", "1", "1.0", "yes"})
_FALSE = frozenset({"false", "f", "0", "0.0", "no"})
_WHOLE = re.compile(r"[0-9]{1,18}(?:\.0+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?")

_FIRST_LINE = re.compile(r"[^\r\n]+")
_IN_QUOTES = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """A table with a header; `sha256` is that of the file's bytes. Every row has all fields."""

    path: Path
    sha256: str
    table: CsvTable
    header: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    def fault(self, row: CsvRow, index: int, message: str, hint: str) -> Fault:
        """Return the fault of a field."""
        return self.table.fault(row.place(index), message, hint)


def read_table(path: Path, faults: list[Fault]) -> ResultTable:
    """Read a table, separated by tabs, semicolons or commas; what is wrong is added to `faults`.

    Between semicolons a comma is a decimal point, as where Excel writes such files. Rows that are
    no rows of the table are left out of it. Raises `InputError` for a file that cannot be read.
    """
    read = DecodedText.read(path)
    table = _parsed(read.text, file=str(path))
    header = table.header
    wrong = [*table.faults, *_shape_faults(table)]
    faults += wrong
    if header is None or len(wrong) > len(table.faults):
        return ResultTable(path=path, sha256=read.sha256, table=table, header=(), rows=())
    rows = []
    for row in table.rows[1:]:
        if fault := table.length_fault(row):
            faults.append(fault)
        else:
            rows.append(row)
    names = tuple(name.strip() for name in header.fields)
    for index, name in enumerate(names):
        if name in names[:index]:
            message = f"the column {quoted(name)} stands here for the second time"
            faults.append(table.fault(header.place(index), message, "remove one of the two"))
    return ResultTable(path=path, sha256=read.sha256, table=table, header=names, rows=tuple(rows))


def head_rows(head: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns and the first row of a table that begins so; () if none is."""
    rows = [row.fields for row in _parsed(head, file="").rows[:2]]
    names, first, *_ = *rows, (), ()
    return tuple(name.strip() for name in names), first


def _parsed(text: str, *, file: str) -> CsvTable:
    first = _FIRST_LINE.search(text)
    counts = Counter(_IN_QUOTES.sub("", first[0] if first else ""))
    if "\t" in counts:
        return CsvTable.parse(text, file=file, separator="\t")
    if counts[";"] <= counts[","]:
        return CsvTable.parse(text, file=file)
    table = CsvTable.parse(text, file=file, separator=";")
    header, rows = table.rows[:1], table.rows[1:]
    pointed = (replace(row, fields=tuple(map(_with_point, row.fields))) for row in rows)
    return replace(table, rows=(*header, *pointed))


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _shape_faults(table: CsvTable) -> Iterator[Fault]:
    """Yield why a file is no table of several columns, with rows."""
    header = table.header
    if header is None:
        if not table.faults:
            hint = "write a header, and results below it"
            yield table.fault((1, 1), "the file is empty", hint)
    elif len(header.fields) == 1:
        hint = "separate columns by commas, semicolons or tabs"
        message = f"the header has one column alone, {quoted(header.fields[0])}"
        yield table.fault(header.place(0), message, hint)
    elif len(table.rows) == 1 and not table.faults:
        hint = "write results below it"
        yield table.fault(header.place(0), "there is nothing but a header", hint)


def is_missing(text: str) -> bool:
    """Say whether a cell has no value."""
    return text.strip().lower() in _MISSING


def truth_of(text: str) -> bool | None:
    """Return a truth value; None for what is none."""
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def whole_of(text: str) -> int | None:
    """Return a whole number from 0 up, also one that was written as 7.0; None for what is none."""
    found = _WHOLE.fullmatch(text.strip())
    return int(found[0].partition(".")[0]) if found else None


def number_of(text: str) -> float | None:
    """Return a number, which may be infinite; None for what is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if value != value or "_" in text else value  # noqa: PLR0124 - NaN is no number


def hashes(tables: Sequence[ResultTable]) -> list[tuple[str, str]]:
    """Return the names of files with the SHA-256 of their bytes."""
    return [(table.path.name, table.sha256) for table in tables]


def parameters_of(text: str) -> int | None:
    """Return a number of parameters, which may be written as 1.3e9; None for what is none."""
    value = number_of(text)
    if value is None or value <= 0 or not value.is_integer():
        return None
    return whole_of(text) or int(value)


def raise_faults(faults: Sequence[Fault]) -> None:
    """Raise `FaultyFileError` with the faults, if there are any, in order of files and lines."""
    if faults:
        files = list(dict.fromkeys(fault.file for fault in faults))
        ordered = sorted(faults, key=lambda each: (files.index(each.file), each.line, each.column))
        raise FaultyFileError(ordered)
