"""Files of suites and minimal sets, whatever their format, as what can be written again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pommel.errors import Fault, UsageError, counted, listed
from pommel.files.text import sha256_of
from pommel.sources.formats.long_csv import read_long_csv
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.formats.set_formats import FORMATS, format_named, head_of, recognised
from pommel.sources.output import Content, SetContent, SuiteContent
from pommel.sources.written_forms import CSV, SUITE
from pommel.suite.minimal_sets import GRAMMATICAL, Compared, MinimalSet
from pommel.suite.read import read_suite
from pommel.suite.suite import LoadedSuite


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How a file is to be read.

    `read_as` names its format; without it, the ending and the beginning of the file tell. `name` is
    that of the suite, otherwise the file's. `compared` is what the prediction of sets compares,
    otherwise what is usual for the format. `grammatical` and `ungrammatical` are the conditions of
    a suite that are taken as minimal sets. `by` is a field of the file: one suite for each of its
    values. `about` goes into the `meta` of suites that are made of sets.
    """

    read_as: str = ""
    name: str = ""
    compared: Compared | None = None
    grammatical: str = GRAMMATICAL
    ungrammatical: tuple[str, ...] = ()
    by: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    def contents(self, path: Path) -> tuple[list[Content], Sequence[Fault]]:
        """Read a file; return what it holds, one or more, and what it could do better.

        Raises `InputError` with every fault of the file, and `UsageError` if its format cannot be
        told, or has no field to divide it by.
        """
        form = self.read_as or _format_of(path)
        set_format = format_named(form)
        if set_format is not None:
            return self._sets(path, set_format), ()
        if self.by or self.compared:
            option = "--by" if self.by else "--compare"
            raise UsageError(f"{path}: {option} is for minimal sets; this is a suite")
        loaded = self._suite(path, form)
        content = SuiteContent(
            suite=loaded.suite, grammatical=self.grammatical, ungrammatical=self.ungrammatical
        )
        return [content], loaded.warnings

    def _suite(self, path: Path, form: str) -> LoadedSuite:
        if form == CSV:
            return read_long_csv(path, name=self.name)
        if self.name:
            raise UsageError("a suite's JSON has its name in it; leave --name out")
        return read_suite(path)

    def _sets(self, path: Path, form: SetFormat) -> list[Content]:
        sets = form.read(path)
        source = {"format": form.name, "file": path.name, "sha256": sha256_of(path)}
        groups = {self.name or path.stem: sets}
        if self.by:
            groups = _by_field(sets, self.by, path)
            source["by"] = self.by
        return [
            self._content(name, group, {"source": source}, form) for name, group in groups.items()
        ]

    def _content(
        self, name: str, sets: Sequence[MinimalSet], meta: dict[str, Any], form: SetFormat
    ) -> Content:
        return SetContent(
            all_sets=sets,
            ungrammatical_counts={len(each.others) for each in sets},
            meta={"name": name, **self.about, **meta},
            compared=self.compared or form.compared,
        )


def input_names() -> tuple[str, ...]:
    """Return the names of all formats that are read."""
    return (SUITE, CSV, *(each.name for each in FORMATS))


def _format_of(path: Path) -> str:
    found = recognised(path)
    if found:
        return found.name
    if path.suffix == ".csv":
        return CSV
    if path.suffix == ".json" and head_of(path).lstrip().startswith("{"):
        return SUITE
    endings = dict.fromkeys([".json", ".csv", *(end for each in FORMATS for end in each.endings)])
    if path.suffix in endings:
        names = _names_at(path.suffix)
        raise UsageError(f"{path}: this does not begin as {names} do; say what it is with --from")
    shown = ", ".join(endings)
    raise UsageError(f"{path}: say what it is with --from, or let it end in one of {shown}")


def _names_at(ending: str) -> str:
    names = [each.name for each in FORMATS if ending in each.endings]
    return listed([*names, SUITE] if ending == ".json" else names, most=len(FORMATS))


def _by_field(sets: Iterable[MinimalSet], field: str, path: Path) -> dict[str, list[MinimalSet]]:
    groups: dict[str, list[MinimalSet]] = {}
    fields: dict[str, None] = {}
    n_without = 0
    for each in sets:
        fields |= dict.fromkeys(each.fields or ())
        value = (each.fields or {}).get(field)
        if value is None:
            n_without += 1
        else:
            groups.setdefault(str(value), []).append(each)
    if n_without:
        without = f"{counted(n_without, 'minimal set')} without the field {field!r}"
        there = listed(list(fields), most=20) if fields else "no fields"
        raise UsageError(f"{path}: {without}; the file has {there}")
    return groups
