"""`pommel suites check`: doubts about suites, beyond what `pommel validate` finds wrong."""

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, replace

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import File, field_of, option, takes_options
from pommel.cli.options import ModelOptions
from pommel.cli.output import (
    folded,
    form_option,
    in_files,
    note,
    progress_bar,
    show_json,
    suites_argument,
)
from pommel.errors import Fault, InputError, PommelError, SuiteError, UsageError, counted
from pommel.models import Policy
from pommel.sources import find_suites, load_suites
from pommel.suite import RULES, Frequencies, LoadedSuite, Suite, Tokenized, check_suite
from pommel.values import frozen

# What `pommel validate` warns of.
_VALIDATE = "validate"
_NAMES = (_VALIDATE, *RULES)
_OPTIONS = {"frequencies": "--frequencies FILE", "model": "--model MODEL"}


@frozen
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


class _SuitesCheckOptions(ModelOptions):
    """Which rules are looked at, and what they need: a model, frequencies."""

    model: str | None = option(
        metavar="MODEL", help="Look at this model's tokens (rules token-count, swallowed-region)."
    )
    frequencies: File | None = option(
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


@click.command("check", cls=Command, no_args_is_help=True)
@suites_argument
@takes_options
def command(suites: tuple[str, ...], chosen: _SuitesCheckOptions) -> None:
    """Look for what is doubtful in SUITEs (files, folders, - for standard input).

    After what `pommel validate` reports, one line for each doubt, with the name of the rule:
    predictions that never or always hold, or go the wrong way, empty regions, comparisons that do
    not match in a few items, words and forms that are odd in one item, duplicates, few words in
    many items, characters that only models see, features, words or tokens out of balance. --select
    and --ignore are repeatable.

    \b
      pommel suites check my_suite.json
      pommel suites check my_suite.json --frequencies words.tsv --model builtin://en-gpt2
    """
    rules = _rules(chosen)
    frequencies = None
    if chosen.frequencies:
        frequencies = Frequencies.read(chosen.frequencies)
        note(f"{chosen.frequencies}: taken as {frequencies.taken_as}")
    loaded, found = _read(suites)
    asks_model = any(RULES[rule].needs == "model" for rule in rules - {_VALIDATE})
    all_suites = [each.suite for each in loaded.values()]
    tokenized = _tokenized(all_suites, chosen) if chosen.model and asks_model else None
    for name, each in loaded.items():
        if _VALIDATE in rules:
            found[name] += (_Found(fault=fault, rule=_VALIDATE) for fault in folded(each.warnings))
        for remark in check_suite(each.suite, rules, frequencies=frequencies, tokenized=tokenized):
            fault = remark.fault(each.suite, name, each.document)
            found[name].append(
                _Found(fault=fault, rule=remark.rule, item_numbers=remark.item_numbers)
            )
    if chosen.form == "json":
        show_json([each.to_dict() for several in found.values() for each in several])
    else:
        for name, several in found.items():
            lines = [*map(str, several)] or [f"{name}: clean: {_size(loaded[name].suite)}"]
            click.echo("\n".join(lines))
    _check_severities(found.values(), strict=chosen.strict)


def _read(sources: Sequence[str]) -> tuple[dict[str, LoadedSuite], dict[str, list[_Found]]]:
    """Return the suites by the names of their files, and of every file what is wrong with it."""
    loaded: dict[str, LoadedSuite] = {}
    found: dict[str, list[_Found]] = {}
    files = (["-"] if source == "-" else map(str, find_suites(source)) for source in sources)
    for file in dict.fromkeys(itertools.chain.from_iterable(files)):
        name = "<stdin>" if file == "-" else file
        found[name] = []
        try:
            (loaded[name],) = load_suites([file]).loaded
        except SuiteError as error:
            found[name] = [_Found(fault=each) for each in error.faults]
    return loaded, found


def _rules(chosen: _SuitesCheckOptions) -> frozenset[str]:
    """Return the rules that are asked for; raises `UsageError` for one that lacks what it needs."""
    for rule in chosen.select:
        need = RULES[rule].needs if rule in RULES else None
        if need and not getattr(chosen, need):
            raise UsageError(f"the rule {rule!r} needs {_OPTIONS[need]}")
    doubtful = [name for name, rule in RULES.items() if chosen.pedantic or not rule.is_pedantic]
    return frozenset(chosen.select or (_VALIDATE, *doubtful)) - set(chosen.ignore)


def _size(suite: Suite) -> str:
    """Return how much of a suite there is to look at."""
    return (
        f"{counted(len(suite.items), 'item')} x "
        f"{counted(len(suite.condition_names), 'condition')}, "
        f"{counted(len(suite.predictions), 'prediction')}"
    )


def _tokenized(suites: Iterable[Suite], chosen: _SuitesCheckOptions) -> Tokenized | None:
    """Have the model cut every sentence into tokens; it is asked for no surprisals."""
    every = (each.text for suite in suites for row in suite.sentences() for each in row)
    texts = list(dict.fromkeys(every))
    if not texts:
        return None
    with (
        chosen.opened_model(chosen.model or "") as model,
        progress_bar(model.info.name, len(texts)) as progress,
    ):
        scored = {}
        for index, sentence in model.score(texts, Policy(), [()] * len(texts)):
            scored[texts[index]] = sentence
            progress(1)
        return Tokenized(model_name=model.info.name, sentences=scored)


def _check_severities(found: Collection[Sequence[_Found]], *, strict: bool) -> None:
    """Raise `InputError` if there is an error, and `PommelError` for a warning under `strict`."""
    for severity, failure in (("error", InputError), ("warning", PommelError)):
        numbers = [sum(each.fault.severity == severity for each in several) for several in found]
        if any(numbers) and (strict or severity == "error"):
            raise failure(in_files(severity, numbers))
