"""Files of suites and minimal sets, whatever their format, as what can be written again."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from pommel.errors import Fault, UsageError, counted, listed
from pommel.files import DecodedText, TableReading, sha256_of
from pommel.sources.formats.long_csv import COLUMNS, read_long_csv
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import GRAMMATICAL, Compared, MinimalSet
from pommel.sources.output import FORMATS, Content, SetContent, WrittenForm
from pommel.suite import LoadedSuite
from pommel.values import frozen


@frozen
class Conversion:
    """How a file is to be read.

    `read_as` names its format; without it, the ending and the beginning of the file tell. `name` is
    that of the suite, otherwise the file's. `compared` is what the prediction of sets compares,
    otherwise what is usual for the format. `grammatical` and `ungrammatical` are the conditions of
    a suite that are taken as minimal sets, otherwise those that are called so. `by` is a field of
    the file: one suite for each of its values. `about` goes into the `meta` of suites that are made
    of sets, or read from tables; tables are read by `reading`, and get the `predictions`, formulas.
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

    def contents(self, path: Path) -> tuple[list[Content], Sequence[Fault]]:
        """Read a file; return what it holds, one or more, and what it could do better.

        Raises `InputError` with every fault of the file, and `UsageError` if its format cannot be
        told, or has no field to divide it by.
        """
        form = WrittenForm.named(self.read_as or _form_of(path))
        is_read_so = self.predictions or self.reading != TableReading()
        if is_read_so and not form.is_table:
            options = "--prediction, --delimiter, --encoding and --sheet"
            raise UsageError(f"{path}: {options} are for suites as tables, CSV or xlsx")
        if form.sets:
            return self._sets(path, form.sets), ()
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
        return [content], loaded.warnings

    def _sets(self, path: Path, form: SetFormat) -> list[Content]:
        sets = form.read(path)
        source = {"format": form.name, "file": path.name, "sha256": sha256_of(path)}
        groups = {self.name or path.stem: sets}
        if self.by:
            groups = _by_field(sets, self.by, path)
            source["by"] = self.by
        compared = self.compared or form.compared
        return [
            SetContent(
                all_sets=group,
                ungrammatical_counts={len(each.others) for each in group},
                meta={"name": name, **self.about, "source": source},
                compared=compared,
                metric=form.metric if compared == form.compared else "sum",
                keeps_ties=True,
            )
            for name, group in groups.items()
        ]


def recognised(path: Path) -> SetFormat | None:
    """Return the format of a file of minimal sets, by its ending and how it begins; None for none.

    Raises `InputError` for a file that cannot be read.
    """
    candidates = [each for each in FORMATS if path.suffix in each.endings]
    if not candidates:
        return None
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
        names = [each.name for each in FORMATS if path.suffix in each.endings]
        names += ["suite"] if path.suffix == ".json" else []
        there = listed(names, most=len(names))
        raise UsageError(f"{path}: this does not begin as {there} do; say what it is with --from")
    shown = ", ".join(endings)
    raise UsageError(f"{path}: say what it is with --from, or let it end in one of {shown}")


def _by_field(sets: Iterable[MinimalSet], field: str, path: Path) -> dict[str, list[MinimalSet]]:
    groups: dict[str, list[MinimalSet]] = {}
    fields: dict[str, None] = {}
    n_without = 0
    for each in sets:
        said = each.fields or {}
        fields |= dict.fromkeys(said)
        if said.get(field) is None:
            n_without += 1
        else:
            groups.setdefault(str(said[field]), []).append(each)
    if n_without:
        without = f"{counted(n_without, 'minimal set')} without the field {field!r}"
        there = listed(list(fields), most=20) if fields else "no fields"
        raise UsageError(f"{path}: {without}; the file has {there}")
    return groups
