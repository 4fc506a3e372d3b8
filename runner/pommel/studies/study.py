"""A study: which texts, models, suites and statistics the tables of a paper rest on.

It is a file of TOML that says what there is, not how it is done; `steps.py` makes commands of it.
`{language}` in a name, a reference or a suite stands for each language in turn, `{study}` in a
statistic for the folder that the file is in. A word of a statistic with `{ratings}` is there once
for each file of ratings that a reader adds, and not at all without.
"""

import csv
import io
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from pommel.errors import Fault, FaultyFileError, InputError, UsageError, listed, nearest
from pommel.files import DecodedText, shipped_folder

ScaleName = Literal["tiny", "small", "paper"]
# A command or its options: at all scales, or by scale; those that have none have that of "other".
Told = str | dict[Literal[ScaleName, "other"], str]
Trained = Literal["lstm", "ngram", "transformer"]
# Of what there are results: those of others, and those of the study's models.
Kind = Literal["published", "own"]
Count = Annotated[int, msgspec.Meta(ge=1)]

LANGUAGE, STUDY, RATINGS = "{language}", "{study}", "{ratings}"
# Where suites of others are, each source in a folder of its own, and variants of suites.
MATERIALS, VARIANTS = "materials", "variants"
# What a step or a table is called is part of the names of files.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._{}-]*")
_PRINTED = "printed"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
# Of the commands of pommel those that print a table of what is kept.
_STATISTICS = ("stats", "compare")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a study's file; what it does not have is a fault."""


class Scale(_Part, frozen=True, kw_only=True):
    """How much of a study is done; `about` says what that takes, in words.

    Of each language there are `n_sentences` of generated text, of each model `n_seeds`, numbered
    from 1.
    """

    about: str
    n_sentences: Count = 1_000
    n_seeds: Count = 1


class Published(_Part, frozen=True, kw_only=True):
    """Results that others have published: a source of `pommel fetch`, and how they are imported.

    `only` are the patterns of what is fetched, `files` those of what is imported, both of paths
    below the source's folder; `options` are those of `pommel import-results`.
    """

    fetch: str
    files: tuple[str, ...]
    only: tuple[str, ...] = ()
    options: str = ""


class Materials(_Part, frozen=True, kw_only=True):
    """Suites of the paper itself: made of what `pommel fetch` brings of a source.

    `only` are the patterns of the files. Runs name them `materials/SOURCE/*.json`. `scales` are
    those at which they are fetched (none: all).
    """

    fetch: str
    only: tuple[str, ...] = ()
    scales: tuple[ScaleName, ...] = ()


class Variants(_Part, frozen=True, kw_only=True):
    """Suites written otherwise, as `pommel suites export` does with these `options`, or by scale.

    Runs name them `variants/NAME/*.json`. There are some of each of these `languages` (none: of all
    of the study) if the name has `{language}`. `scales` are those at which there are any (none:
    all).
    """

    name: str
    suites: tuple[str, ...]
    options: Told = ""
    languages: tuple[str, ...] = ()
    scales: tuple[ScaleName, ...] = ()


class Models(_Part, frozen=True, kw_only=True):
    """Models of one kind: trained on a text, or named by `references`.

    `text` is a language, or several whose texts are joined. `options` are those of `pommel train`,
    or by scale. There are models of these `languages` (none: of all of the study) if the name has
    `{language}`, otherwise one. `scales` are those at which there are any (none: all). `hours` is
    what one takes to train at the scale of the paper, as somebody has said.
    """

    name: str
    train: Trained | None = None
    text: str | tuple[str, ...] = LANGUAGE
    references: tuple[str, ...] = ()
    options: Told = ""
    languages: tuple[str, ...] = ()
    scales: tuple[ScaleName, ...] = ()
    hours: float = 0.0


class Runs(_Part, frozen=True, kw_only=True):
    """Which models, by their names in the study, are run on which suites.

    `options` are those of `pommel run`, or by scale. A suite is what that command takes, a file
    beside the study's, one of its materials (`materials/hu2020/npz_*.json`), or a variant.
    """

    models: tuple[str, ...]
    suites: tuple[str, ...]
    options: Told = ""
    languages: tuple[str, ...] = ()
    scales: tuple[ScaleName, ...] = ()


class Deviation(_Part, frozen=True, kw_only=True):
    """Why values are others than printed, or cannot be computed: those with these keys."""

    why: str
    where: dict[str, str] = {}


class Table(_Part, frozen=True, kw_only=True):
    """A table of the paper, or of the study's own.

    `published` is a command that prints it, as CSV, from published results (`stats accuracy --by
    group`), `own` one that does from what the study's models have scored, or by scale. In both,
    rows are told apart by the columns `keys`, and have the number in `value`, which is multiplied
    by `factor`; with `count`, a text or pattern, the number is how many of the rows of a key have a
    `value` that fits it. `printed` is a CSV file beside the study's: `keys`, `printed` and maybe
    `source`; where the study's models or suites are called otherwise, `own_KEY` has their names,
    and where they have no counterpart is empty; `printed_head` is the head of such a column on the
    page, for numbers that are not read from print. Only rows count whose columns fit `where`, texts
    or patterns. `across` is the key whose values are columns on the page.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    value: str
    about: str = ""
    printed: str = ""
    printed_head: str = "printed"
    published: str = ""
    own: Told = ""
    factor: float = 1.0
    count: str = ""
    decimals: int = 2
    across: str = ""
    where: dict[str, str] = {}
    deviations: tuple[Deviation, ...] = ()
    scales: tuple[ScaleName, ...] = ()

    def file(self, kind: Kind) -> str:
        """Return the file in a study's folder that has what a statistic prints."""
        return f"tables/{self.name}.{kind}.csv"


class Figure(_Part, frozen=True, kw_only=True):
    """A plot of the results of `of`.

    `options` are those of `pommel report`, or else a statistic that has a plot (`stats scaling`),
    or by scale.
    """

    name: str
    title: str
    options: Told
    about: str = ""
    of: Kind = "own"
    scales: tuple[ScaleName, ...] = ()

    @property
    def file(self) -> str:
        """The file of the plot in a study's folder."""
        return f"figures/{self.name}.svg"


class Study(_Part, frozen=True, kw_only=True):
    """All that a study's file says; `paper` is whom to cite, `address` where it stands."""

    title: str
    paper: str
    address: str = ""
    about: str = ""
    languages: tuple[str, ...] = ()
    scales: dict[ScaleName, Scale]
    published: tuple[Published, ...] = ()
    materials: tuple[Materials, ...] = ()
    variants: tuple[Variants, ...] = ()
    models: tuple[Models, ...] = ()
    runs: tuple[Runs, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    # Set by `read`, and no key of the file.
    file: Path = Path()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a study.

        Raises `InputError` for what cannot be read or is no TOML, and `FaultyFileError` with all
        that makes no sense in it.
        """
        text = DecodedText.read(path).text
        try:
            value = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"{path}: no TOML: {error}") from None
        # Where it lies is nothing that it may say.
        known = {key: each for key, each in value.items() if key != "file"}
        try:
            study = msgspec.convert({**known, "file": path.absolute()}, cls)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at ")
            place = place.rpartition("`$")[2].strip(".`")
            raise FaultyFileError([_fault(path, place, message)]) from None
        wrong = [*_faults(study)]
        if len(known) < len(value):
            wrong.append(("file", "Object contains unknown field `file`"))
        if wrong:
            raise FaultyFileError([_fault(path, *each) for each in wrong])
        return study

    @staticmethod
    def shipped() -> "dict[str, Path]":
        """Return the files of the studies that ship with pommel, by their names."""
        folder = shipped_folder("suites") / "studies"
        return {path.stem: path for path in sorted(folder.glob("*.toml"))}

    @classmethod
    def named(cls, name: str) -> Self:
        """Return a study that ships with pommel; raises `UsageError` if there is none."""
        known = cls.shipped()
        if name not in known:
            meant = nearest(name.lower(), known)
            hint = f"did you mean {meant}? " if meant else ""
            there = ", ".join(known)
            raise UsageError(f"there is no study {name!r}; {hint}pommel has {there}")
        return cls.read(known[name])

    @property
    def name(self) -> str:
        """What it is called: like its file."""
        return self.file.stem

    @property
    def files(self) -> tuple[Path, ...]:
        """Its own file, and those below that folder that its tables and figures name."""
        printed = [self.file.parent / each.printed for each in self.tables if each.printed]
        words = [word for _, told in _told(self) for word in shlex.split(told)]
        named = [word.replace(STUDY, str(self.file.parent)) for word in words if STUDY in word]
        return tuple(dict.fromkeys([self.file, *printed, *map(Path, named)]))

    @property
    def takes_ratings(self) -> bool:
        """Whether a table or a figure has people beside models, where there are ratings."""
        return any(RATINGS in told for _, told in _told(self))

    def languages_of(self, part: Variants | Models | Runs) -> tuple[str, ...]:
        """Return the languages of variants, models or runs."""
        return part.languages or self.languages

    def printed_rows(self, table: Table) -> list[dict[str, str]]:
        """Return the rows of a table's printed values; none without."""
        if not table.printed:
            return []
        text = DecodedText.read(self.file.parent / table.printed).text
        return [*csv.DictReader(io.StringIO(text))]


def at_scale(part: Materials | Variants | Models | Runs | Table | Figure, scale: ScaleName) -> bool:
    """Say whether a part of a study is there at a scale."""
    return not part.scales or scale in part.scales


def words_at(told: Told, scale: ScaleName) -> list[str]:
    """Return the words of a command or its options, which may be others at each scale."""
    return shlex.split(told if isinstance(told, str) else told.get(scale, told.get("other", "")))


def _fault(path: Path, place: str, message: str) -> Fault:
    return Fault(file=str(path), path=place, message=message)


def _faults(study: Study) -> Iterator[tuple[str, str]]:
    """Yield what makes no sense in a study, each with its place in the file."""
    yield from _head_faults(study)
    for kind in ("variants", "models", "tables", "figures"):
        yield from _name_faults(kind, [each.name for each in getattr(study, kind)], ".name")
    for index, variants in enumerate(study.variants):
        yield from _placed(f"variants[{index}]", _suites_faults(study, variants))
    for index, models in enumerate(study.models):
        yield from _placed(f"models[{index}]", _models_faults(study, models))
    for index, runs in enumerate(study.runs):
        yield from _placed(f"runs[{index}]", _runs_faults(study, runs))
    for index, table in enumerate(study.tables):
        yield from _placed(f"tables[{index}]", _table_faults(study, table))
    for place, told in _told(study):
        try:
            shlex.split(told)
        except ValueError as error:
            yield place, f"{told!r} are no words: {error}"


def _head_faults(study: Study) -> Iterator[tuple[str, str]]:
    if not study.scales:
        yield "scales", "a study has one scale at least: [scales.tiny]"
    if study.address and not study.address.startswith(("https://", "http://")):
        yield "address", f"{study.address!r}: write an address that begins with https://"
    for key in ("title", "paper"):
        if not getattr(study, key).isprintable():
            yield key, "has characters that are not to be seen"
    for kind in ("published", "materials"):
        yield from _name_faults(kind, [each.fetch for each in getattr(study, kind)], ".fetch")
    yield from _name_faults("languages", study.languages, "")


def _name_faults(kind: str, names: Sequence[str], key: str) -> Iterator[tuple[str, str]]:
    for index, name in enumerate(names):
        if not _NAME.fullmatch(name):
            yield f"{kind}[{index}]{key}", f"{name!r}: write letters, digits, and . _ -"
        elif name in names[:index]:
            yield f"{kind}[{index}]{key}", f"there are two of the name {name!r}"


def _placed(place: str, faults: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((f"{place}.{key}", message) for key, message in faults)


def _models_faults(study: Study, models: Models) -> Iterator[tuple[str, str]]:
    if bool(models.train) == bool(models.references):
        yield "train", "models are trained or have references, one of both"
    texts = (models.text,) if isinstance(models.text, str) else models.text
    known = study.languages_of(models)
    is_each = LANGUAGE in models.name
    if is_each and not known:
        yield "name", "the study says no languages"
    for text in texts if models.train else ():
        if text == LANGUAGE and not is_each:
            yield "text", f"say which language, or write {LANGUAGE} in the name, too"
        elif text != LANGUAGE and text not in study.languages:
            yield "text", f"the study has no language {text!r}"


def _runs_faults(study: Study, runs: Runs) -> Iterator[tuple[str, str]]:
    names = [each.name for each in study.models]
    for name in runs.models:
        if name not in names:
            hint = f"did you mean {meant!r}?" if (meant := nearest(name, names)) else listed(names)
            yield "models", f"the study has no models {name!r}; {hint}"
    if not runs.models:
        yield "models", "name a model at least"
    yield from _suites_faults(study, runs)


def _suites_faults(study: Study, part: Variants | Runs) -> Iterator[tuple[str, str]]:
    if not part.suites:
        yield "suites", "name a suite at least"
    for suite in part.suites:
        folder, name, *_ = (*Path(suite).parts, "", "")
        if folder in (MATERIALS, VARIANTS):
            wanted = {name.replace(LANGUAGE, each) for each in study.languages_of(part) or ("",)}
            for scale in (each for each in study.scales if at_scale(part, each)):
                if lacking := sorted(wanted - _made_at(study, folder, scale)):
                    yield "suites", f"there are no {folder} of {lacking[0]!r} at the scale {scale}"
                    break


def _made_at(study: Study, folder: str, scale: ScaleName) -> set[str]:
    """Return the names of the materials or variants that there are at a scale."""
    if folder == MATERIALS:
        return {each.fetch for each in study.materials if at_scale(each, scale)}
    return {
        each.name.replace(LANGUAGE, language)
        for each in study.variants
        if at_scale(each, scale)
        for language in study.languages_of(each) or ("",)
    }


def _table_faults(study: Study, table: Table) -> Iterator[tuple[str, str]]:
    if not (table.published or table.own):
        yield "own", "say how the table is computed: published or own"
    for key, told in _commands(table):
        words = told.split()
        if words and words[0] not in _STATISTICS:
            yield key, f"{words[0]!r}: a table is printed by pommel {' or '.join(_STATISTICS)}"
    if table.across and table.across not in table.keys:
        yield "across", f"{table.across!r} is none of the keys"
    if table.printed:
        yield from (("printed", message) for message in _printed_faults(study, table))


def _printed_faults(study: Study, table: Table) -> Iterator[str]:
    try:
        rows = study.printed_rows(table)
    except InputError as error:
        yield str(error)
        return
    needed = {*table.keys, _PRINTED}
    if missing := sorted(needed - {*(rows[0] if rows else ())}):
        yield f"{table.printed} has no column {missing[0]!r}, or no row"
        return
    known: set[tuple[str, ...]] = set()
    for number, row in enumerate(rows, start=1):
        place, printed = f"{table.printed}, row {number}", row[_PRINTED]
        keys = tuple(row[key] for key in table.keys)
        if None in row.values() or None in row:
            yield f"{place}: has more or fewer cells than the first row"
        elif printed and not _NUMBER.fullmatch(printed):
            yield f"{place}: {printed!r} is no number as papers print them, such as .82"
        elif keys in known:
            yield f"{place}: has the keys of another row, {', '.join(keys)}"
        known.add(keys)


def _told(study: Study) -> Iterator[tuple[str, str]]:
    """Yield all options and commands of a study, with their places."""
    for kind in ("published", "variants", "models", "runs", "figures"):
        for index, part in enumerate(getattr(study, kind)):
            yield from _placed(f"{kind}[{index}]", _by_scale("options", part.options))
    for index, table in enumerate(study.tables):
        yield from _placed(f"tables[{index}]", _commands(table))


def _commands(table: Table) -> Iterator[tuple[str, str]]:
    yield "published", table.published
    yield from _by_scale("own", table.own)


def _by_scale(key: str, told: Told) -> Iterator[tuple[str, str]]:
    if isinstance(told, str):
        yield key, told
    else:
        yield from ((f"{key}.{scale}", each) for scale, each in told.items())
