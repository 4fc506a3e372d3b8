"""Files of suites and minimal sets, whatever their format, as what can be written again."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pommel.errors import Fault, InputError, UsageError, counted, listed
from pommel.files import CsvRow, DecodedText, TableReading, sha256_of
from pommel.sources.formats.long_csv import COLUMNS, PARTS, read_long_csv
from pommel.sources.formats.pair_readings import (
    PAIRS,
    Recipe,
    UntoldError,
    begins_as_suite,
    read_pairs,
)
from pommel.sources.formats.pair_rows import PAIR_TABLE
from pommel.sources.formats.pair_tables import PairColumns, TablePairs
from pommel.sources.formats.set_format import SetFormat, first_line_of
from pommel.sources.minimal_sets import GRAMMATICAL, Compared, MinimalSet, are_unspaced
from pommel.sources.output import FORMATS, Content, SetContent, WrittenForm
from pommel.suite import LoadedSuite
from pommel.values import frozen

# So many sentences say which script a file is in.
_N_LOOKED_AT = 100
# What may be a table of pairs though no format knows it.
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".xls", ".parquet")


@frozen
class Conversion:
    """How a file is to be read.

    `read_as` names its format; without it, the ending and the beginning of the file tell. `name` is
    that of the suite, otherwise the file's. `compared` is what the prediction of sets compares,
    otherwise what is usual for the format. `grammatical` and `ungrammatical` are the conditions of
    a suite that are taken as minimal sets, otherwise those that are called so. `by` is a field of
    the file: one suite for each of its values. `about` goes into the `meta` of suites that are made
    of sets, or read from tables; tables are read by `reading`, and get the `predictions`, formulas.


    The others are of tables of pairs (`PairColumns`), read or written: columns by their names, a
    label as COLUMN or COLUMN=VALUE; a `recipe` knows the columns of a published table.
    """

    read_as: str = ""
    name: str = ""
    compared: Compared | None = None
    grammatical: str = ""
    ungrammatical: tuple[str, ...] = ()
    by: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    reading: TableReading = field(default_factory=TableReading)
    predictions: tuple[str, ...] = ()
    recipe: str = ""
    good: str = ""
    bad: str = ""
    label: str = ""
    ids: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    critical: str = ""

    def contents(self, path: Path) -> tuple[list[Content], Sequence[Fault]]:
        """Read a file; return what it holds, one or more, and what it could do better.

        Raises `InputError` with every fault of the file, and `UsageError` if its format cannot be
        told, or has no field to divide it by.
        """
        if pairs := self._pairs(path):
            if self.predictions:
                raise UsageError(f"{path}: --prediction is for a suite; this is a table of pairs")
            return self._sets(path, PAIRS, *pairs), ()
        form = WrittenForm.named(self.read_as or _form_of(path))
        is_read_so = self.predictions or self.reading != TableReading()
        if is_read_so and not form.is_table:
            options = "--prediction, --delimiter, --encoding and --sheet"
            raise UsageError(f"{path}: {options} are for suites as tables, CSV or xlsx")
        if form.sets:
            return self._sets(path, form.sets, form.sets.read(path)), ()
        if self.by or self.compared:
            option = "--by" if self.by else "--compare"
            raise UsageError(f"{path}: {option} is for minimal sets; this is a suite")
        if form.is_table:
            about = {**self.about, **({"name": self.name} if self.name else {})}
            loaded = read_long_csv(
                path, reading=self.reading, about=about, predictions=self.predictions
            )
        elif self.name or self.about:
            option = "--name" if self.name else "--meta"
            raise UsageError(f"a suite's JSON has its {option[2:]} in it; leave {option} out")
        else:
            loaded = LoadedSuite.read(path)
        content = Content.of_suite(
            loaded.suite,
            grammatical=self.grammatical or GRAMMATICAL,
            ungrammatical=self.ungrammatical,
        )
        columns = self._columns or PairColumns.of_source(loaded.suite.meta.get("source"))
        return [replace(content, columns=columns)], loaded.warnings

    @property
    def _columns(self) -> PairColumns | None:
        """The columns that are asked for; raises `UsageError` for some that say no pair."""
        others = (self.bad, self.label, *self.ids, *self.contexts, self.critical)
        if self.recipe:
            if any((self.good, *others)):
                raise UsageError("a recipe names all columns: leave out --good and the others")
            return Recipe.named(self.recipe).pairs
        if not self.good:
            if any(others):
                raise UsageError("name the column of the good sentences, too: --good COLUMN")
            return None
        if self.good == self.bad and not self.contexts:
            hint = "name two, or what stands before them with --context"
            raise UsageError(f"--good and --bad are the same column, {self.good!r}; {hint}")
        if not (self.bad or self.label):
            hint = "name that of the bad sentences (--bad), or say which rows are good (--label)"
            raise UsageError(f"--good alone is a column of sentences; {hint}")
        name, _, value = self.label.rpartition("=")
        return PairColumns(
            (self.good, self.bad) if self.bad else (self.good,),
            label=name or value,
            value=value if name else "",
            ids=self.ids,
            contexts=self.contexts,
            critical=self.critical,
        )

    def _pairs(self, path: Path) -> tuple[TablePairs, Recipe | None, str] | None:
        """Return a file as a table of pairs, the recipe that knows it, and what tells its columns.

        None is what something else tells better.
        """
        columns = self._columns
        if self.read_as not in ("", PAIRS.name) or (not self.read_as and self._is_suite(path)):
            return None
        is_asked = bool(self.read_as or columns)
        may_be = path.suffix.lower() in _TABLES and recognised(path) in (None, PAIRS)
        if not (is_asked or may_be):
            return None
        try:
            pairs, recipe, told = read_pairs(path, columns, self.reading)
        except UntoldError:
            if is_asked:
                raise
            return None
        return pairs, Recipe.named(self.recipe) if self.recipe else recipe, told

    def _is_suite(self, path: Path) -> bool:
        """Say whether a file is a suite, by its ending and how it begins."""
        ending, head = path.suffix.lower(), DecodedText.head(path)
        header: Sequence[str] = ()
        if ending == ".csv":
            header = re.split(r'["\s,;]+', first_line_of(head))
        elif ending == ".xlsx" and head.startswith("PK"):
            first = next(self.reading.rows(path, PARTS), None)
            header = first.fields if isinstance(first, CsvRow) else ()
        is_table = not {*COLUMNS[1:3]}.isdisjoint(header)
        return is_table or (ending == ".json" and begins_as_suite(head))

    def _sets(
        self,
        path: Path,
        form: SetFormat,
        sets: Iterable[MinimalSet],
        recipe: Recipe | None = None,
        told: str = "",
    ) -> list[Content]:
        source: dict[str, object] = {
            "format": form.name,
            "file": path.name,
            "sha256": sha256_of(path),
        }
        columns = sets.columns if isinstance(sets, TablePairs) else None
        if columns:
            source |= columns.source
        groups: dict[str, Iterable[MinimalSet]] = {self.name or path.stem: sets}
        if self.by:
            groups = _by_field(sets, self.by, path)
            source["by"] = self.by
        compared = self.compared or form.compared
        if compared == "critical" and not (columns and columns.critical):
            raise UsageError("--compare critical needs the words of a table's column: --critical")
        about = {**(recipe.about if recipe else {}), **self.about}
        shown = islice(sets, _N_LOOKED_AT)
        # What is compared otherwise has a contrast that its file says.
        if form.compared == "sentence" and are_unspaced([each.grammatical for each in shown]):
            about["joiner"] = ""
        return [
            SetContent(
                all_sets=group,
                ungrammatical_counts={1} if columns else {len(each.others) for each in group},
                meta={"name": name, **about, "source": source},
                compared=compared,
                metric=form.metric if compared == form.compared else "sum",
                has_critical=bool(columns and columns.critical),
                columns=columns,
                told=told,
                keeps_ties=True,
            )
            for name, group in groups.items()
        ]


def recognised(path: Path) -> SetFormat | None:
    """Return the format of a file of minimal sets, by its ending and how it begins; None for none.

    Raises `InputError` for a file that cannot be read.
    """
    candidates = [each for each in FORMATS if path.suffix.lower() in each.endings]
    if not candidates:
        return None
    # A recipe knows more of a file than a format that has other files, too.
    candidates.sort(key=lambda each: each not in (PAIR_TABLE, PAIRS))
    head = DecodedText.head(path)
    return next((each for each in candidates if each.is_like(head)), None)


def _form_of(path: Path) -> str:
    found = recognised(path)
    if found:
        return found.name
    if path.suffix.lower() in (".csv", ".xlsx"):
        return path.suffix.lower()[1:]
    if {*COLUMNS} <= {*re.findall(r"\w+", DecodedText.head(path))}:
        return "csv"
    if path.suffix == ".json" and DecodedText.head(path).lstrip().startswith("{"):
        return "suite"
    endings = dict.fromkeys(
        [".json", ".csv", ".xlsx", *(end for each in FORMATS for end in each.endings)]
    )
    if path.suffix in endings:
        if not DecodedText.read(path).text.strip():
            raise InputError(f"{path}: the file is empty")
        names = [each.name for each in FORMATS if path.suffix in each.endings]
        names += ["suite"] if path.suffix == ".json" else []
        there = listed(names, most=len(names))
        raise UsageError(f"{path}: this does not begin as {there} do; say what it is with --from")
    shown = ", ".join(endings)
    raise UsageError(f"{path}: say what it is with --from, or let it end in one of {shown}")


def _by_field(
    sets: Iterable[MinimalSet], field: str, path: Path
) -> dict[str, Iterable[MinimalSet]]:
    """Return the sets of each value of a field; of a table none of them is held."""
    table = sets if isinstance(sets, TablePairs) else None
    groups: dict[str, list[MinimalSet]] = {}
    fields: dict[str, None] = {}
    n_without = 0
    if table:
        told: Iterable[tuple[list[MinimalSet], Mapping[str, Any]]]
        told = (([], row.cells) for row in table.rows([]))
    else:
        told = (([each], each.fields or {}) for each in sets)
    for found, said in told:
        fields |= dict.fromkeys(said)
        if said.get(field) is None:
            n_without += 1
        else:
            groups.setdefault(str(said[field]), []).extend(found)
    if n_without:
        without = f"{counted(n_without, 'minimal set')} without the field {field!r}"
        there = listed(list(fields), most=20) if fields else "no fields"
        raise UsageError(f"{path}: {without}; the file has {there}")
    if table:
        return {value: replace(table, group=(field, value)) for value in groups}
    return {**groups}
