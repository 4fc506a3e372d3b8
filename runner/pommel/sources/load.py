"""From what a user names as suites (files, folders, shipped collections) to suites, and lists."""

import contextlib
import functools
import gc
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Self

from pommel.errors import Fault, InputError, SuiteError, nearest
from pommel.files import DecodedText, shipped_folder
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.suite import LoadedDraft, LoadedSuite, Suite

_SHIPPED = "suites:"
# What a suite's file ends in that is a table.
_TABLE_ENDINGS = (".csv", ".tsv", ".xlsx")
# What files end in that `pommel convert` makes suites of; grammars are known to `Generation`.
_CONVERTED = (".jsonl", ".pickle", ".parquet")


def find_suites(source: str) -> list[Path]:
    """Return the suite files that `source` means.

    In this order: a file; a folder, searched for `.json` files at every depth; `suites:` and
    `suites:en/agreement`, the shipped suites; the name of one shipped suite. Raises `InputError`.
    """
    if not source:
        raise InputError("the name of a suite is empty")
    path, name = Path(source), source.removeprefix(_SHIPPED)
    if source.startswith(_SHIPPED):
        found, what = suite_files(name.strip("/")), "collection"
    elif path.is_dir():
        found = sorted(each for each in path.rglob("*.json") if each.is_file())
        if not found:
            raise InputError(f"{source}: the folder holds no suites (no .json files)")
    else:
        found, what = [path] if path.exists() else [], "file, folder or shipped suite"
    found = found or [each for each in suite_files() if each.stem == name]
    if not found:
        raise InputError(f"{source}: no such {what}{_nearest(name)}")
    return found


def suite_files(collection: str = "") -> list[Path]:
    """Return the shipped suite files of a collection, sorted.

    It is a folder ("en/agreement"), or one of those in `collections.toml` ("clams"); the empty one
    means all. A collection that does not exist has no files.
    """
    top = shipped_folder("suites")
    return [
        top / each.file
        for each in _Shipped.index()
        if collection in each.collections or PurePath(each.file).parent.is_relative_to(collection)
    ]


@frozen
class LoadedSuites:
    """The files of a set that are suites, at least one; `error` is what is wrong with the others.

    `suites` are in the order of the files, which are `paths` (None is standard input), `warnings`
    what these could do better, and `n_files` counts the faulty ones, too. Whoever goes on without
    those checks at the end; what is of one piece (a board, a call from Python) is not begun without
    them.
    """

    loaded: "tuple[LoadedSuite, ...]"
    paths: tuple[Path | None, ...]
    suites: "tuple[Suite, ...]"
    warnings: tuple[Fault, ...]
    n_files: int
    error: SuiteError | None

    def check(self) -> None:
        """Raise `SuiteError` if a file of the set is faulty."""
        if self.error:
            raise self.error


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Keep Python from looking for cycles in what is made of JSON: it has none, and is large."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


@_without_collector()
def load_suites(
    sources: Sequence[str], *, strict: bool = False, evaluated: bool = False, again: bool = False
) -> LoadedSuites:
    """Load all suites that `sources` name, each file once; "-" is standard input.

    Those that ship with pommel have been checked, and are checked `again` only if they have been
    changed since, or where that is asked for.

    A faulty file costs no other. Raises one `SuiteError` with the faults of all files where none of
    them is a suite, or `InputError` where nothing is found.
    """
    loaded = {}
    faults: list[Fault] = []
    known = frozenset(() if again else (each.sha256 for each in _Shipped.index()))
    for path in _distinct_files(sources):
        try:
            loaded[path] = _load(path, known, strict=strict, evaluated=evaluated)
        except InputError as error:
            faults += _faults_of(error, path)
    found = SuiteError(faults) if faults else None
    if found and not loaded:
        raise found
    return LoadedSuites(
        loaded=tuple(loaded.values()),
        paths=tuple(loaded),
        suites=tuple(each.suite for each in loaded.values()),
        warnings=tuple(warning for each in loaded.values() for warning in each.warnings),
        n_files=len(loaded) + len({fault.file for fault in faults}),
        error=found,
    )


def load_drafts(sources: Sequence[str]) -> "list[LoadedDraft]":
    """Load all suites that `sources` name as they are, finished or not, each file once.

    What is wrong with a file keeps no other from being read. Raises `InputError` where nothing is
    found.
    """
    return [_load_draft(path) for path in _distinct_files(sources)]


def _distinct_files(sources: Sequence[str]) -> Iterator[Path | None]:
    seen = set()
    for source in sources:
        for path in [None] if source == "-" else find_suites(source):
            key = path.resolve() if path else None
            if key not in seen:
                seen.add(key)
                yield path


def _load(
    path: Path | None, known: frozenset[str], *, strict: bool, evaluated: bool
) -> "LoadedSuite":
    from pommel.suite import LoadedSuite

    if path is None:
        text = DecodedText.of_stdin().text
        return LoadedSuite.parse(text, file="<stdin>", strict=strict, evaluated=evaluated)
    if path.suffix.lower() in _TABLE_ENDINGS:
        if evaluated:
            raise InputError(f"{path}: a table has no surprisals; name an evaluated suite's JSON")
        from pommel.sources.formats.long_csv import read_long_csv

        return read_long_csv(path, strict=strict)
    _check_is_suite(path)
    return LoadedSuite.read(path, strict=strict, evaluated=evaluated, known=known)


def _load_draft(path: Path | None) -> "LoadedDraft":
    from pommel.suite import LoadedDraft

    try:
        if path is None:
            return LoadedDraft.parse(DecodedText.of_stdin().text, file="<stdin>")
        if path.suffix.lower() in _TABLE_ENDINGS:
            from pommel.sources.formats.long_csv import read_long_csv

            loaded = read_long_csv(path)
            return LoadedDraft(suite=loaded.suite, faults=loaded.warnings)
        _check_is_suite(path)
        return LoadedDraft.read(path)
    except InputError as error:
        return LoadedDraft(suite=None, faults=_faults_of(error, path))


def _check_is_suite(path: Path) -> None:
    """Raise `InputError` for a file of which another command makes a suite."""
    suffix = path.suffix.lower()
    if suffix in (".json", ""):
        return
    from pommel.sources.generation import Generation

    if suffix in (*_CONVERTED, *Generation.endings()):
        command = "convert" if suffix in _CONVERTED else "generate"
        hint = f"`pommel {command} {shlex.quote(str(path))} -o NAME.json` makes one of it"
        raise InputError(f"{path}: this is no suite; {hint}")


def _faults_of(error: InputError, path: Path | None) -> tuple[Fault, ...]:
    if isinstance(error, SuiteError):
        return error.faults
    # It may have gone since it was found, or be closed to us.
    name = str(path or "<stdin>")
    message = str(error).removeprefix(f"{name}: ")
    return (Fault(file=name, message=message),)


def _nearest(name: str) -> str:
    known = set()
    for each in _Shipped.index():
        path = PurePath(each.file)
        known |= {path.stem, *map(PurePath.as_posix, path.parents), *each.collections}
    meant = nearest(name, known - {"."})
    return f"; did you mean {_SHIPPED}{meant}?" if meant else "; `pommel suites list` shows them"


@frozen
class _Shipped:
    """What is known of a shipped suite without its file; `python -m recipes suites` writes it.

    `file` is its path below the folder of suites, `sha256` that of its bytes; `collections` have it
    beside its folders, and `card` holds the fields of its `SuiteCard`.
    """

    file: str
    sha256: str
    collections: tuple[str, ...]
    card: Mapping[str, Any]

    @staticmethod
    @functools.cache
    def index() -> "tuple[_Shipped, ...]":
        """Return all, by their paths; the files themselves are 44 MB."""
        lines = (shipped_folder("suites") / "index.jsonl").read_text("utf-8").splitlines()
        hook = _Shipped._with_tuples
        return tuple(_Shipped(**json.loads(line, object_hook=hook)) for line in lines)

    @staticmethod
    def _with_tuples(value: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: tuple(it) if isinstance(it, list) else it for key, it in value.items()}


@frozen
class SuiteCard:
    """A suite's name, what it says of itself, and how much there is of it.

    `models` have been run on a suite that ships with pommel, `pretrained_models` among them were
    trained by others on text that people wrote. Of other suites nothing is known, None.
    """

    name: str
    language: str
    circuit: str
    version: str
    modifier_of: str
    n_items: int
    n_predictions: int
    condition_names: tuple[str, ...]
    models: tuple[str, ...] | None = None
    pretrained_models: tuple[str, ...] | None = None

    @property
    def caveats(self) -> tuple[str, ...]:
        """What has to be known of a shipped suite's trials and readers; nothing of another."""
        if self.models is None:
            return ()
        run = f"models run on it: {', '.join(self.models) or 'none'}"
        return (
            f"{run}{'' if self.pretrained_models else '; no pretrained one'}",
            "the readers of its sentences were not native speakers",
        )

    @classmethod
    def of_source(cls, source: str) -> tuple[list[Self], SuiteError | None]:
        """Return the cards of all suites that `source` means, and what is wrong with other files.

        Those that ship with pommel are known to be valid, and are not checked again. Raises as
        `load_suites` does.
        """
        if not source.startswith(_SHIPPED) and (source == "-" or Path(source).exists()):
            found = load_suites([source])
            return [*map(cls.of_suite, found.suites)], found.error
        meant, top = {*find_suites(source)}, shipped_folder("suites")
        return [cls(**each.card) for each in _Shipped.index() if top / each.file in meant], None

    @staticmethod
    def known_controls(suite: "Suite") -> Mapping[str, Any]:
        """Return what scorers that see no syntax come to on a suite as it ships; {} for another.

        `python -m recipes controls` writes it; `pommel suites controls` says what it is, and "text"
        what the n-gram models have seen.
        """
        lines = (shipped_folder("suites") / "controls.jsonl").read_text("utf-8").splitlines()
        every = map(json.loads, lines)
        return next((each for each in every if each["sha256"] == suite.sha256), {})

    @staticmethod
    def circuits(cards: "Iterable[SuiteCard]") -> "list[CircuitCard]":
        """Add suites up by language and circuit, in the order in which these are first seen."""
        groups: dict[tuple[str, str], list[SuiteCard]] = {}
        for card in cards:
            groups.setdefault((card.language, card.circuit), []).append(card)
        return [
            CircuitCard(
                language=language,
                circuit=circuit,
                n_suites=len(own),
                n_items=sum(card.n_items for card in own),
                n_predictions=sum(card.n_predictions for card in own),
            )
            for (language, circuit), own in groups.items()
        ]

    @classmethod
    def of_suite(cls, suite: "Suite") -> Self:
        """Return the card of any suite, by what it says of itself."""
        return cls(
            name=suite.name,
            language=suite.language,
            circuit=str(suite.meta.get("circuit") or ""),
            version=suite.version,
            modifier_of=str(suite.meta.get("modifier_of") or ""),
            n_items=len(suite.items),
            n_predictions=len(suite.predictions),
            condition_names=suite.condition_names,
        )


@frozen
class CircuitCard:
    """The suites of one circuit in one language, added up."""

    language: str
    circuit: str
    n_suites: int
    n_items: int
    n_predictions: int
