"""`pommel suites check`: doubts about suites, beyond what `pommel validate` finds wrong."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import ModelOptions
from pommel.cli.output import form_option, note, progress_bar, using
from pommel.errors import Fault, InputError, PommelError, SuiteError, UsageError, counted
from pommel.files import DecodedText, JsonDocument
from pommel.models import Policy
from pommel.sources import find_suites, load_suites
from pommel.suite import RULES, Frequencies, LoadedSuite, Tokenized, check_suite

# What `pommel validate` warns of.
_VALIDATE = "validate"
_NAMES = (_VALIDATE, *RULES)
_OPTIONS = {"frequencies": "--frequencies FILE", "model": "--model MODEL"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A fault of a file, the rule that found it ("" for an error), and the items concerned."""

    fault: Fault
    rule: str = ""
    item_numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        name = f"[{self.rule}] " if self.rule else ""
        return str(replace(self.fault, message=f"{name}{self.fault.message}"))

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self.fault), "rule": self.rule, "items": list(self.item_numbers)}


@dataclass(frozen=True, kw_only=True)
class _SuitesCheckOptions(ModelOptions):
    """Which rules are looked at, and what they need: a model, frequencies."""

    model: str | None = option(
        metavar="MODEL", help="Look at this model's tokens (rules token-count, swallowed-region)."
    )
    frequencies: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="How frequent words are (rule word-frequency): a list, or a text to count them "
        "in; says which it was taken for.",
    )
    select: tuple[str, ...] = option(
        type=click.Choice(_NAMES), metavar="RULE", help="Only this rule."
    )
    ignore: tuple[str, ...] = option(
        type=click.Choice(_NAMES), metavar="RULE", help="Not this rule."
    )
    pedantic: bool = option(help="Also what is mostly meant so.")
    strict: bool = option(help="Exit with status 1 if there is a warning.")
    form: str = field_of(form_option(["text", "json"], default="text"))


@click.command("check", no_args_is_help=True)
@click.argument("suites", nargs=-1, required=True, metavar="SUITE...")
@takes_options
def command(suites: tuple[str, ...], chosen: _SuitesCheckOptions) -> None:
    """Look for what is doubtful in SUITEs (files, folders, - for standard input).

    After what `pommel validate` reports, one line for each doubt, with the name of the rule:
    predictions that never or always hold, empty regions, comparisons that do not match in a few
    items, duplicates, words or tokens out of balance. --select and --ignore are repeatable.

    \b
      pommel suites check my_suite.json
      pommel suites check my_suite.json --frequencies words.tsv --model builtin://en-gpt2
    """
    rules = _rules(chosen)
    frequencies = _frequencies(chosen.frequencies) if chosen.frequencies else None
    files = [_read(source) for source in _sources(suites)]
    asks_model = any(RULES[rule].needs == "model" for rule in rules - {_VALIDATE})
    tokenized = _tokenized(files, chosen) if chosen.model and asks_model else None
    found = {file.name: list(_check(file, rules, frequencies, tokenized)) for file in files}
    if chosen.form == "json":
        rows = [each.to_dict() for several in found.values() for each in several]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for file in files:
            lines = [str(each) for each in found[file.name]]
            click.echo("\n".join(lines or [f"{file.name}: clean: {file.summary}"]))
    _end(found, strict=chosen.strict)


def _rules(chosen: _SuitesCheckOptions) -> frozenset[str]:
    """Return the rules that are asked for; raises `UsageError` for one that lacks what it needs."""
    for rule in chosen.select:
        need = RULES[rule].needs if rule in RULES else None
        if need and not getattr(chosen, need):
            raise UsageError(f"the rule {rule!r} needs {_OPTIONS[need]}")
    doubtful = [name for name, rule in RULES.items() if chosen.pedantic or not rule.is_pedantic]
    return frozenset(chosen.select or (_VALIDATE, *doubtful)) - set(chosen.ignore)


def _frequencies(path: Path) -> Frequencies:
    frequencies = Frequencies.read(path)
    note(f"{path}: taken as {frequencies.taken_as}")
    return frequencies


def _sources(suites: Sequence[str]) -> list[str]:
    found = [
        str(path) for source in suites for path in (["-"] if source == "-" else find_suites(source))
    ]
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file of a suite: what was read of it, or what is wrong with it.

    `document` has the places in a file of JSON, and is None for a CSV.
    """

    name: str
    loaded: LoadedSuite | None = None
    document: JsonDocument | None = None
    errors: tuple[Fault, ...] = ()

    @property
    def summary(self) -> str:
        """How much of it there is to look at."""
        if not self.loaded:
            return ""
        suite = self.loaded.suite
        return (
            f"{counted(len(suite.items), 'item')} x "
            f"{counted(len(suite.condition_names), 'condition')}, "
            f"{counted(len(suite.predictions), 'prediction')}"
        )


def _read(source: str) -> _File:
    name = "<stdin>" if source == "-" else source
    try:
        if source == "-":
            text = DecodedText.decode(sys.stdin.buffer.read(), file=name).text
            loaded = LoadedSuite.parse(text, file=name)
        else:
            (loaded,) = load_suites([source]).loaded
            text = DecodedText.read(Path(source)).text
    except SuiteError as error:
        return _File(name=name, errors=error.faults)
    is_json = not source.lower().endswith(".csv")
    document = JsonDocument.parse(text, file=name) if is_json else None
    return _File(name=name, loaded=loaded, document=document)


def _tokenized(files: Sequence[_File], chosen: _SuitesCheckOptions) -> Tokenized | None:
    """Have the model cut every sentence into tokens; it is asked for no surprisals."""
    layouts = [file.loaded.suite.sentences() for file in files if file.loaded]
    texts = [each.text for suite in layouts for row in suite for each in row]
    texts = list(dict.fromkeys(texts))
    if not texts:
        return None
    with (
        using(chosen.open_model(chosen.model or "")) as model,
        progress_bar(model.info.name, len(texts)) as progress,
    ):
        scored = {}
        for index, sentence in model.score(texts, Policy(), [()] * len(texts)):
            scored[texts[index]] = sentence
            progress(1)
        return Tokenized(model_name=model.info.name, sentences=scored)


def _check(
    file: _File,
    rules: frozenset[str],
    frequencies: Frequencies | None,
    tokenized: Tokenized | None,
) -> Iterator[_Found]:
    yield from (_Found(fault=fault) for fault in file.errors)
    if not file.loaded:
        return
    if _VALIDATE in rules:
        yield from _warnings(file.loaded.warnings)
    suite = file.loaded.suite
    for remark in check_suite(suite, rules, frequencies=frequencies, tokenized=tokenized):
        fault = remark.fault(suite, file.name, file.document)
        yield _Found(fault=fault, rule=remark.rule, item_numbers=remark.item_numbers)


def _warnings(faults: Sequence[Fault]) -> Iterator[_Found]:
    """Yield the first of the warnings that ask for the same, and how many more there are."""
    same: dict[str, list[Fault]] = {}
    for fault in faults:
        same.setdefault(fault.hint, []).append(fault)
    for first, *others in same.values():
        more = f" (and {len(others)} more like this)" if others else ""
        yield _Found(fault=replace(first, message=first.message + more), rule=_VALIDATE)


def _end(found: Mapping[str, Sequence[_Found]], *, strict: bool) -> None:
    """Raise `InputError` if there is an error, and `PommelError` for a warning under `strict`."""
    n_files = counted(len(found), "file")
    for severity, failure in (("error", InputError), ("warning", PommelError)):
        numbers = [
            sum(each.fault.severity == severity for each in several) for several in found.values()
        ]
        if any(numbers) and (strict or severity == "error"):
            n_bad = sum(map(bool, numbers))
            raise failure(f"{counted(sum(numbers), severity)} in {n_bad} of {n_files}")
