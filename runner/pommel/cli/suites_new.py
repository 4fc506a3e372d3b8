"""`pommel suites new`: the file of a new suite, from questions, flags, or another suite."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from pommel.cli.asking import ask, ask_number, no_fault, text_fault
from pommel.cli.lazy_group import Command, check_output
from pommel.cli.option_groups import Count, File, Options, option, takes_options
from pommel.cli.output import note, say_wrong, show_warnings
from pommel.cli.set_files import ReadingOptions
from pommel.errors import FormulaError, PommelError, SuiteError, UsageError, counted, printable
from pommel.files import is_encodable, write_text
from pommel.sources import load_drafts
from pommel.suite import (
    METRICS,
    Design,
    Formula,
    LoadedSuite,
    PublishedSuite,
    Suite,
    check_suite,
)

# What is typed for a step back.
_BACK = "-"

_DOUBTS = {"never-holds": "this can never hold", "always-holds": "this always holds"}


class _SuitesNewOptions(Options):
    """What the new suite is like."""

    name: str | None = option(help="What the suite is called.  [default: the file]")
    language: str | None = option(help="Its language, as a tag: en, eu, zh-Hant.")
    circuit: str | None = option(help="The circuit that it belongs to.")
    conditions: tuple[str, ...] = option("--condition", help="A condition's name; repeatable.")
    regions: tuple[str, ...] = option("--region", help="A region's name, in order; repeatable.")
    predictions: tuple[str, ...] = option("--prediction", help="A formula; repeatable.")
    metric: str | None = option(
        type=click.Choice([*METRICS, "all"]), help="The region metric.  [default: sum]"
    )
    joiner: str | None = option(
        help="What stands between two regions.  [default: as the language has it: a space, or "
        "nothing]"
    )
    n_items: Count | None = option("--items", help="How many items.")
    like: str | None = option(
        metavar="SUITE",
        help="Take conditions, regions and predictions from SUITE; its sentences stay there.",
    )
    table: File | None = option(
        "--from",
        metavar="TABLE",
        help="Take the sentences from a table, CSV or .xlsx: a row an item, a column a condition, "
        "| between regions. With --condition, only these columns.",
    )
    is_silent: bool = option("--no-input", help="Ask nothing.")
    force: bool = option(help="Overwrite FILE.json.")

    @property
    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """The names that make a design, by the option that they are given by."""
        return {"--condition": self.conditions, "--region": self.regions}


@click.command("new", cls=Command, no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.json")
@takes_options
def command(file: Path, chosen: _SuitesNewOptions, read: ReadingOptions) -> None:
    """Begin a suite: write FILE.json with its conditions, regions and predictions.

    What no option says is asked for, except --metric and --joiner. The sentences are then written
    in the file: what is still empty there, `pommel validate` tells.

    \b
      pommel suites new agreement.json
      pommel suites new agreement.json --condition match --condition mismatch \\
        --region subject --region verb --prediction '(2;%match%) < (2;%mismatch%)' --no-input
      pommel suites new number_orc_de.json --like number_orc --language de
      pommel suites new agreement.json --from sentences.xlsx
    """
    _check_file(file, force=chosen.force)
    check_output(file, map(Path, filter(None, [chosen.like])))
    _check_text(chosen)
    like = _liked(chosen)
    try:
        items = _items(chosen, read)
        if items:
            chosen = _with_names_of(items, chosen)
        design = _given_design(chosen, like)
        meta = _meta(file, chosen, like)
        if not design:
            conditions = chosen.conditions or _ask_names("Condition", Design.condition_fault)
            regions = chosen.regions or _ask_names("Region", Design.region_fault)
            design = Design.new(conditions, regions, chosen.predictions)
            _warn_of(design, chosen.predictions)
        if chosen.metric:
            design = replace(design, metric=chosen.metric)
        value = _draft(design, meta, chosen, like)
        if items:
            value = {**value, "items": items}
    except click.Abort:
        # What was asked last has no line break behind it.
        note("")
        raise PommelError("aborted; nothing was written") from None
    if not file.parent.is_dir():
        note(f"note: the folder {file.parent} is made")
    write_text(file, Design.draft_text(value))
    _tell_what_is_next(file, value, is_written=bool(items))


def _items(chosen: _SuitesNewOptions, read: ReadingOptions) -> Sequence[Mapping[str, Any]]:
    """Return the JSON of the items of `--from`, none without it."""
    if chosen.table is None:
        return ()
    if chosen.like or chosen.n_items:
        raise UsageError("--from has its own design and items: leave --like and --items out")
    table = read.reading.table(chosen.table)
    if not read.delimiter:
        show_warnings(table.separator_warnings)
    return Design.items_of(table, chosen.conditions)


def _with_names_of(
    items: Sequence[Mapping[str, Any]], chosen: _SuitesNewOptions
) -> _SuitesNewOptions:
    """Return what is chosen with the conditions of the items, and names for their regions."""
    conditions = items[0]["conditions"]
    regions = conditions[0]["regions"]
    names = chosen.regions
    if names and len(names) != len(regions):
        there = counted(len(regions), "region")
        raise UsageError(f"--region: the sentences have {there}, and {len(names)} are named")
    names = names or tuple(
        name
        if chosen.is_silent
        else ask(f"Name of region {n} ({printable(each['content'])})", name)
        for n, each in enumerate(regions, start=1)
        for name in [f"region {n}"]
    )
    return replace(
        chosen,
        conditions=tuple(each["condition_name"] for each in conditions),
        regions=names,
        n_items=len(items),
    )


def _tell_what_is_next(file: Path, value: Mapping[str, Any], *, is_written: bool) -> None:
    n_sentences = sum(len(item["conditions"]) for item in value["items"])
    size = f"{counted(len(value['items']), 'item')}, {counted(n_sentences, 'sentence')}"
    if is_written:
        note(f"{file}: {size}")
        note(f"`pommel suites preview {file}` shows them, and `pommel suites check` doubts them")
        return
    note(f"{file}: {size}, {n_sentences} to be written")
    note(f"`pommel suites preview --watch {file}` shows them as you write")


def _check_file(file: Path, *, force: bool) -> None:
    if file.suffix.lower() != ".json":
        raise UsageError(f"{file}: a suite's file ends in .json")
    if file.is_dir():
        raise UsageError(f"{file}: this is a folder; name a file in it")
    if not force and (file.exists() or file.is_symlink()):
        raise UsageError(f"{file}: it is there already; --force overwrites it")


def _check_text(chosen: _SuitesNewOptions) -> None:
    """Refuse an empty name, and what no file can or should hold."""
    if chosen.name is not None and not chosen.name.strip():
        raise UsageError("--name: the name of the suite is empty")
    for key, value in asdict(chosen).items():
        for each in value if isinstance(value, tuple) else (value,):
            # A formula may have line breaks, and says itself what it cannot have.
            is_name = isinstance(each, str) and (key != "predictions" or not is_encodable(each))
            if is_name and (fault := text_fault(each)):
                raise UsageError(f"--{key.removesuffix('s')}: {fault}")
    if chosen.language and (fault := PublishedSuite.language_fault(chosen.language)):
        raise UsageError(f"--language: {fault}")


def _liked(chosen: _SuitesNewOptions) -> Suite | None:
    if chosen.like is None:
        return None
    for flag, names in chosen.parts.items():
        if names:
            raise UsageError(f"{flag} and --like exclude each other: SUITE has its own")
    found, *others = load_drafts([chosen.like])
    if others:
        raise UsageError(f"--like {chosen.like}: these are {len(others) + 1} suites; name one")
    if found.errors:
        raise SuiteError(found.errors)
    return found.suite


def _given_design(chosen: _SuitesNewOptions, like: Suite | None) -> Design | None:
    """Return the design that flags give; None if conditions or regions have to be asked for.

    What is wrong with any flag shows here, before anything is asked.
    """
    conditions, regions, formulas = chosen.conditions, chosen.regions, chosen.predictions
    for place, name in enumerate(conditions):
        if fault := Design.condition_fault(name, conditions[:place]):
            raise UsageError(f"--condition: {fault}")
    for name in regions:
        if fault := Design.region_fault(name):
            raise UsageError(f"--region: {fault}")
    if like:
        design = Design.of(like)
        design = design.with_formulas(formulas) if formulas else design
    elif conditions and regions:
        design = Design.new(conditions, regions, formulas)
    elif chosen.is_silent:
        missing = " and ".join(flag for flag, names in chosen.parts.items() if not names)
        raise UsageError(f"--no-input asks nothing: give {missing}, or --like")
    else:
        for formula in formulas:
            Formula.parse(formula)
        return None
    _warn_of(design, formulas)
    return design


def _warn_of(design: Design, formulas: Sequence[str]) -> None:
    for text in formulas:
        for doubt in _doubts(design, design.fitting_formula(text)):
            note(f"warning: --prediction {text!r}: {doubt}")


def _meta(file: Path, chosen: _SuitesNewOptions, like: Suite | None) -> dict[str, str]:
    meta: dict[str, str] = {}
    for key, question, given, default in (
        ("name", "Name of the suite", chosen.name, file.stem),
        ("language", "Language (a tag, e.g. en)", chosen.language, like.language if like else ""),
        ("circuit", "Circuit", chosen.circuit, like.circuit if like else ""),
    ):
        value = given
        if value is None and not chosen.is_silent:
            fault_of = PublishedSuite.language_fault if key == "language" else no_fault
            value = ask(question, default, fault_of=fault_of).strip() or None
        if value := default if value is None else value:
            meta[key] = value
    # Whether words are written apart is a matter of the language, not of the design.
    if chosen.joiner is not None:
        meta["joiner"] = chosen.joiner
    elif like and "joiner" in like.meta and meta.get("language", "") == like.language:
        meta["joiner"] = like.joiner
    elif not PublishedSuite.usual_joiner(meta.get("language", "")):
        meta["joiner"] = ""
    return meta


def _draft(
    design: Design, meta: Mapping[str, str], chosen: _SuitesNewOptions, like: Suite | None
) -> Mapping[str, Any]:
    """Return the new suite's JSON; raises `click.Abort` where the user leaves."""
    n_items = chosen.n_items or (len(like.items) if like else 1)
    if not chosen.is_silent:
        if not like and not chosen.predictions:
            design = _ask_predictions(design)
        if not chosen.n_items:
            n_items = ask_number("How many items", n_items)
    return design.draft(meta, n_items=n_items)


def _ask_names(noun: str, fault_of: Callable[[str, Sequence[str]], str]) -> list[str]:
    """Ask for names until Enter says that there are no more; there is at least one."""
    names: list[str] = []
    while True:
        more = " (Enter: no more)" if names else ""
        name = ask(f"{noun} {len(names) + 1}{more}").strip()
        if not name and names:
            return names
        fault = fault_of(name, names) if name else f"there has to be a {noun.lower()}"
        if fault:
            say_wrong(f"  {fault}")
        else:
            names.append(name)


def _ask_predictions(design: Design) -> Design:
    """Ask for formulas; what is wrong with one is shown, and it is asked for again."""
    formulas: list[str] = []
    first, *others = design.regions_of
    example = f"(1;%{first}%) < (1;%{others[0]}%)" if others else f"(1;%{first}%) < 10"
    note(f"A prediction is a formula, such as {printable(example)}")
    while True:
        back = f"; {_BACK}: take back the last one" if formulas else ""
        text = ask(f"Prediction {len(formulas) + 1} (Enter: no more{back})").strip()
        if not text:
            return design.with_formulas(formulas)
        if text == _BACK:
            note(
                _indented(
                    f"taken back: {formulas.pop()}" if formulas else "there is none to take back"
                )
            )
            continue
        try:
            formula = design.fitting_formula(text)
        except FormulaError as error:
            say_wrong(_indented(str(error)))
            continue
        doubts = [f"warning: {doubt}" for doubt in _doubts(design, formula)]
        words = formula.in_few_words(design.region_names, metric=design.first_metric)
        for line in (*doubts, *words):
            note(_indented(line))
        formulas.append(text)


def _doubts(design: Design, formula: Formula) -> Iterator[str]:
    """Yield what may surprise in a formula, and that it never or always holds if so."""
    for remark in formula.warnings():
        yield f"{remark.message}; {remark.hint}"
    # Whatever the sentences are going to be: in these no region is empty, and no two are the same.
    suite = LoadedSuite.from_dict(design.with_formulas([formula.text]).filled()).suite
    for doubt in check_suite(suite, _DOUBTS):
        yield f"{_DOUBTS[doubt.rule]}; {doubt.hint}"


def _indented(text: str) -> str:
    return "\n".join(f"  {printable(line)}" for line in text.split("\n"))
