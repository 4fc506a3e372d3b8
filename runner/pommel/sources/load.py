"""From what a user names as suites to suites: files, folders, shipped collections."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pommel.errors import Fault, InputError, SuiteError, nearest
from pommel.files import shipped as data
from pommel.files.text import decode
from pommel.sources.formats.long_csv import read_long_csv
from pommel.suite.read import parse_draft, parse_suite, read_draft, read_suite
from pommel.suite.suite import LoadedDraft, LoadedSuite, Suite

SHIPPED = "suites:"


def find_suites(source: str) -> list[Path]:
    """Return the suite files that `source` means.

    In this order: a file; a folder, searched for `.json` files at every depth; `suites:` and
    `suites:en/agreement`, the shipped suites; the name of one shipped suite. Raises `InputError`.
    """
    if not source:
        raise InputError("the name of a suite is empty")
    path = Path(source)
    if source.startswith(SHIPPED):
        return _shipped(source.removeprefix(SHIPPED))
    if path.is_dir():
        found = sorted(each for each in path.rglob("*.json") if each.is_file())
        if not found:
            raise InputError(f"{source}: the folder holds no suites (no .json files)")
        return found
    if path.exists():
        return [path]
    named = [each for each in data.suite_files() if each.stem == source]
    if named:
        return named
    raise InputError(f"{source}: no such file, folder or shipped suite{_nearest(source)}")


def load_suites(
    sources: Sequence[str], *, strict: bool = False, evaluated: bool = False
) -> list[LoadedSuite]:
    """Load all suites that `sources` name, each file once; "-" is standard input.

    Raises one `SuiteError` with the faults of all files, or `InputError` where nothing is found.
    """
    loaded = []
    faults: list[Fault] = []
    for path in _distinct_files(sources):
        try:
            loaded.append(_load(path, strict=strict, evaluated=evaluated))
        except SuiteError as error:
            faults.extend(error.faults)
    if faults:
        raise SuiteError(faults)
    return loaded


def load_drafts(sources: Sequence[str]) -> list[LoadedDraft]:
    """Load all suites that `sources` name as they are, finished or not, each file once.

    What is wrong with a file keeps no other from being read. Raises `InputError` where nothing is
    found.
    """
    return [_load_draft(path) for path in _distinct_files(sources)]


def check_distinct_names(suites: Sequence[Suite]) -> None:
    """Raise `InputError` if two suites have one name: results could not tell them apart."""
    twice = [name for name, n in Counter(suite.name for suite in suites).items() if n > 1]
    if twice:
        names = ", ".join(map(repr, twice))
        raise InputError(f"several suites are called {names}; give each a name of its own")


def _distinct_files(sources: Sequence[str]) -> Iterator[Path | None]:
    seen = set()
    for source in sources:
        for path in [None] if source == "-" else find_suites(source):
            key = path.resolve() if path else None
            if key not in seen:
                seen.add(key)
                yield path


def _load(path: Path | None, *, strict: bool, evaluated: bool) -> LoadedSuite:
    if path is None:
        # Its bytes: what they mean does not depend on the terminal's locale.
        decoded = decode(sys.stdin.buffer.read(), file="<stdin>")
        return parse_suite(decoded.text, file="<stdin>", strict=strict, evaluated=evaluated)
    if path.suffix.lower() == ".csv":
        if evaluated:
            raise InputError(f"{path}: a CSV has no surprisals; name an evaluated suite's JSON")
        return read_long_csv(path, strict=strict)
    return read_suite(path, strict=strict, evaluated=evaluated)


def _load_draft(path: Path | None) -> LoadedDraft:
    try:
        if path is None:
            return parse_draft(decode(sys.stdin.buffer.read(), file="<stdin>").text, file="<stdin>")
        if path.suffix.lower() == ".csv":
            loaded = read_long_csv(path)
            return LoadedDraft(suite=loaded.suite, faults=loaded.warnings)
        return read_draft(path)
    except SuiteError as error:
        return LoadedDraft(suite=None, faults=error.faults)
    except InputError as error:
        # It may have gone since it was found, or be closed to us.
        name = str(path or "<stdin>")
        message = str(error).removeprefix(f"{name}: ")
        return LoadedDraft(
            suite=None, faults=(Fault(file=name, line=0, column=0, path="", message=message),)
        )


def _shipped(collection: str) -> list[Path]:
    found = data.suite_files(collection.strip("/"))
    if found:
        return found
    named = [each for each in data.suite_files() if each.stem == collection]
    if named:
        return named
    raise InputError(f"{SHIPPED}{collection}: no such collection{_nearest(collection)}")


def _nearest(name: str) -> str:
    known = [*data.suite_collections(), *(path.stem for path in data.suite_files())]
    meant = nearest(name, known)
    return f"; did you mean {SHIPPED}{meant}?" if meant else "; `pommel suites list` shows them"
