"""All formats of results: by name, which of them files have, and reading them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pommel.errors import InputError, UsageError
from pommel.files import DecodedText
from pommel.scoring import RunRecord
from pommel.store.imports.hu2020 import HU2020
from pommel.store.imports.items import GEVALM_RESULTS, GULORDAVA_RESULTS, ITEMS
from pommel.store.imports.papers import BERT_SYNTAX_RESULTS, BLIMP_SUMMARY, CLAMS_TABLE
from pommel.store.imports.result_format import Imported, ImportOptions, ResultFormat
from pommel.store.imports.shares import ACCURACIES
from pommel.suite import language_fault

# The first that recognises a file has it.
RESULT_FORMATS: tuple[ResultFormat, ...] = (
    HU2020,
    GULORDAVA_RESULTS,
    GEVALM_RESULTS,
    ITEMS,
    CLAMS_TABLE,
    ACCURACIES,
    BLIMP_SUMMARY,
    BERT_SYNTAX_RESULTS,
)


def result_format_named(name: str) -> ResultFormat:
    """Return the format of that name; raises `UsageError` if there is none."""
    UsageError.check_choice("the format", name, [each.name for each in RESULT_FORMATS])
    return next(each for each in RESULT_FORMATS if each.name == name)


def recognised(paths: Sequence[Path], options: ImportOptions | None = None) -> ResultFormat:
    """Return the format of files that belong together, by how they begin.

    Options say what columns are called, or stand for some. Raises `InputError` for a file that
    cannot be read, and `UsageError` for one that is like none, or another than the first.
    """
    found: ResultFormat | None = None
    for path in paths:
        own = _format_of(path, options or ImportOptions())
        if found and own is not found:
            message = f"{paths[0]} is {found.name} and {path} is {own.name}"
            raise UsageError(f"{message}; import them one after the other")
        found = own
    if found is None:
        raise UsageError("name a file of results")
    return found


def _format_of(path: Path, options: ImportOptions) -> ResultFormat:
    head = DecodedText.head(path)
    own = next((each for each in RESULT_FORMATS if each.is_like(head, options)), None)
    if own is None:
        # It may be like none since its bytes are no text.
        DecodedText.read(path)
        names = ", ".join(each.name for each in RESULT_FORMATS)
        raise UsageError(f"{path}: say with --from what it is, one of {names}")
    return own


def read_results(
    paths: Sequence[Path], options: ImportOptions | None = None, *, form: str = ""
) -> Imported:
    """Read files of results that belong together; `form` names their format, "" recognises it.

    Raises `InputError` with every fault of the files, for two results of a model on a suite, and
    where nothing is left; `UsageError` for files that are like no format, an option that means
    nothing for theirs, a language that is no tag, and a source that is called like our own runs.
    """
    chosen = options or ImportOptions()
    if chosen.language and (fault := language_fault(chosen.language)):
        raise UsageError(f"--language: {fault}")
    known = result_format_named(form) if form else recognised(paths, chosen)
    for name in _said(chosen) - known.takes:
        raise UsageError(f"{known.name} has no {_OPTIONS[name]}")
    imported = known.read(paths, chosen)
    _check(imported.records, paths, known)
    languages = sorted({record.suite.language for record in imported.records} - {""})
    odd = [fault for language in languages if (fault := language_fault(language))]
    return replace(imported, notes=(*imported.notes, *odd))


def _check(records: Sequence[RunRecord], paths: Sequence[Path], form: ResultFormat) -> None:
    files = ", ".join(map(str, paths))
    if not records:
        hint = "; --keep-all keeps what is dropped otherwise" if "keep_all" in form.takes else ""
        raise InputError(f"{files}: nothing is left{hint}")
    if records[0].is_own:
        hint = "say with --name what these results are called"
        raise UsageError(f"{RunRecord.OWN} is the name of pommel's own runs; {hint}")
    seen: set[str] = set()
    for record in records:
        if record.run_id in seen:
            model, suite = record.result.model_name, record.result.suite_name
            message = f"{model} has two results on {suite}"
            raise InputError(f"{files}: {message}; import the files under names of their own")
        seen.add(record.run_id)


_OPTIONS = {
    "model": "--model: its files name the models",
    "suite": "--suite: its files name the suites",
    "language": "--language: it is known",
    "score_rule": "--score: nothing in it has several predictions",
    "columns": "--column: its columns are known",
    "n_items": "--items: its files say how many there are, or nobody knows",
    "chance": "--chance: it is known",
    "keep_all": "--keep-all: hu2020 alone has a procedure that can be left out",
    "by_attractors": "--by-attractors: its lines have no such numbers",
}


def _said(options: ImportOptions) -> set[str]:
    said = replace(options, source="", n_items=options.n_items or len(options.n_items_of) or None)
    # A chance of 0 is one, too.
    chance = set() if options.chance is None else {"chance"}
    return {name for name in _OPTIONS if getattr(said, name)} | chance
