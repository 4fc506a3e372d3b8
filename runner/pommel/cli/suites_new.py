"""`pommel suites new`: the file of a new suite, from questions, flags, or another suite."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.errors import FormulaError, PommelError, UsageError
from pommel.files import write_text
from pommel.formula import lint, parse
from pommel.formula.words import in_words
from pommel.suite import Suite, without_stray_spaces
from pommel.suite_drafts import (
    Design,
    Sentences,
    condition_fault,
    design_of,
    draft,
    draft_text,
    fitting_formula,
    new_design,
    with_formulas,
)
from pommel.suite_sources import load_suites
from pommel.text_file import is_encodable
from pommel.wording import counted, printable

# What is typed for a region without text: Enter takes what the condition before has.
_EMPTY = "-"


@click.command("new", no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.json")
@click.option("--name", help="What the suite is called.  [default: the file]")
@click.option("--language", help="Its language, as a tag: en, eu, zh-Hant.")
@click.option("--circuit", help="The circuit that it belongs to.")
@click.option("--condition", "conditions", multiple=True, help="A condition's name; repeatable.")
@click.option("--region", "regions", multiple=True, help="A region's name, in order; repeatable.")
@click.option("--prediction", "predictions", multiple=True, help="A formula; repeatable.")
@click.option("--items", "n_items", type=click.IntRange(min=1), help="How many items.")
@click.option(
    "--like",
    metavar="SUITE",
    help="Take conditions, regions and predictions from SUITE; its sentences stay there.",
)
@click.option("--no-input", "is_silent", is_flag=True, help="Ask nothing.")
@click.option("--force", is_flag=True, help="Overwrite FILE.json.")
def command(file: Path, **given: Any) -> None:
    """Begin a suite: write FILE.json with its conditions, regions and predictions.

    What no option says is asked for. Sentences can be typed at once, region by region, or later
    in the file: what is still empty there, `pommel validate` tells.

    \b
      pommel suites new agreement.json
      pommel suites new agreement.json --condition match --condition mismatch \\
        --region subject --region verb --prediction '(2;%match%) < (2;%mismatch%)' --no-input
      pommel suites new number_orc_de.json --like number_orc --language de
    """
    _check_file(file, force=given["force"])
    _check_text(given)
    like = _liked(given)
    design = _given_design(given, like, is_silent=given["is_silent"])
    try:
        value = _asked(file, given, like, design)
    except click.Abort:
        # What was asked last has no line break behind it.
        note("")
        raise PommelError("aborted; nothing was written") from None
    write_text(file, draft_text(value))
    _tell_what_is_next(file, value)


def _tell_what_is_next(file: Path, value: dict[str, Any]) -> None:
    sentences = [each["regions"] for item in value["items"] for each in item["conditions"]]
    n_empty = sum(not any(region["content"] for region in regions) for regions in sentences)
    size = f"{counted(len(value['items']), 'item')}, {counted(len(sentences), 'sentence')}"
    if n_empty:
        note(f"{file}: {size}, {n_empty} to be written")
        note(f"`pommel suites preview --watch {file}` shows them as you write")
    else:
        note(f"{file}: {size}")
        note(f"`pommel suites preview {file}` shows them")


def _check_file(file: Path, *, force: bool) -> None:
    if file.suffix.lower() != ".json":
        raise UsageError(f"{file}: a suite's file ends in .json")
    if file.is_dir():
        raise UsageError(f"{file}: this is a folder; name a file in it")
    if not force and (file.exists() or file.is_symlink()):
        raise PommelError(f"{file}: it is there already; --force overwrites it")


def _check_text(given: dict[str, Any]) -> None:
    """Refuse an empty name, and bytes that are no UTF-8: no file could hold them."""
    if given["name"] == "":
        raise UsageError("--name: the name of the suite is empty")
    for key, value in given.items():
        written = value if isinstance(value, tuple) else (value,)
        if not all(is_encodable(each) for each in written if isinstance(each, str)):
            raise UsageError(f"--{key.removesuffix('s')}: this is not UTF-8")


def _liked(given: dict[str, Any]) -> Suite | None:
    if given["like"] is None:
        return None
    both = [flag for flag in ("condition", "region") if given[f"{flag}s"]]
    if both:
        raise UsageError(f"--{both[0]} and --like exclude each other: SUITE has its own")
    loaded = load_suites([given["like"]])
    if len(loaded) > 1:
        raise UsageError(f"--like {given['like']}: these are {len(loaded)} suites; name one")
    return loaded[0].suite


def _asked(
    file: Path, given: dict[str, Any], like: Suite | None, design: Design | None
) -> dict[str, Any]:
    """Return the new suite's JSON; raises `click.Abort` where the user leaves."""
    ask = None if given["is_silent"] else _ask
    meta = _meta(file, given, like, ask)
    design = design or _asked_design(given)
    n_items = given["n_items"] or (len(like.items) if like else 1)
    if not ask:
        return draft(design, meta, n_items=n_items)
    if not like and not given["predictions"]:
        design = _with_asked_predictions(design)
    if not given["n_items"]:
        at_least_one = click.IntRange(min=1)
        n_items = click.prompt("How many items", default=n_items, type=at_least_one, err=True)
    sentences = _sentences(design, n_items, meta.get("joiner", " "))
    return draft(design, meta, n_items=n_items, sentences=sentences)


# Question and default -> what was typed.
_Ask = Callable[[str, str], str]


def _ask(question: str, default: str = "") -> str:
    def sound(typed: str) -> str:
        # What a terminal sends that is no UTF-8 could not be written to a file.
        if not is_encodable(typed):
            raise click.UsageError("this is not UTF-8")
        return typed

    answer: str = click.prompt(
        printable(question),
        default=default,
        show_default=bool(default),
        value_proc=sound,
        err=True,
    )
    return answer


def _meta(
    file: Path, given: dict[str, Any], like: Suite | None, ask: _Ask | None
) -> dict[str, str]:
    defaults = {
        "name": file.stem,
        "language": like.language if like else "",
        "circuit": like.circuit if like else "",
    }
    questions = {
        "name": "Name of the suite",
        "language": "Language (a tag, e.g. en)",
        "circuit": "Circuit",
    }
    meta: dict[str, str] = {}
    for key, default in defaults.items():
        value = given[key]
        if value is None:
            value = (ask(questions[key], default).strip() if ask else "") or default
        if value:
            meta[key] = value
    # Whether words are written apart is a matter of the language, not of the design.
    if like and "joiner" in like.meta and meta.get("language", "") == like.language:
        meta["joiner"] = like.joiner
    return meta


def _given_design(given: dict[str, Any], like: Suite | None, *, is_silent: bool) -> Design | None:
    """Return the design that flags give; None if conditions or regions have to be asked for.

    What is wrong with any flag shows here, before anything is asked.
    """
    conditions, regions, formulas = given["conditions"], given["regions"], given["predictions"]
    if like:
        design = design_of(like)
        return with_formulas(design, formulas) if formulas else design
    for place, name in enumerate(conditions):
        if fault := condition_fault(name, conditions[:place]):
            raise UsageError(f"--condition: {fault}")
    if conditions and regions:
        return new_design(conditions, regions, formulas)
    if is_silent:
        missing = [f"--{flag}" for flag in ("condition", "region") if not given[f"{flag}s"]]
        raise UsageError(f"--no-input asks nothing: give {' and '.join(missing)}, or --like")
    for formula in formulas:
        parse(formula)
    return None


def _asked_design(given: dict[str, Any]) -> Design:
    conditions = given["conditions"] or _each("Condition", condition_fault)
    regions = given["regions"] or _each("Region", lambda _name, _known: "")
    return new_design(conditions, regions, given["predictions"])


def _each(noun: str, fault_of: Callable[[str, Sequence[str]], str]) -> list[str]:
    """Ask for names until Enter says that there are no more; there is at least one."""
    names: list[str] = []
    while True:
        more = " (Enter: no more)" if names else ""
        name = _ask(f"{noun} {len(names) + 1}{more}").strip()
        if not name and names:
            return names
        fault = fault_of(name, names) if name else f"there has to be a {noun.lower()}"
        if fault:
            note(f"  {fault}")
        else:
            names.append(name)


def _with_asked_predictions(design: Design) -> Design:
    """Ask for formulas; what is wrong with one is shown, and it is asked for again."""
    formulas: list[str] = []
    first, *others = design.regions_of
    example = f"(1;%{first}%) < (1;%{others[0]}%)" if others else f"(1;%{first}%) < 10"
    note(f"A prediction is a formula, such as {printable(example)}")
    while True:
        text = _ask(f"Prediction {len(formulas) + 1} (Enter: no more)").strip()
        if not text:
            return with_formulas(design, formulas)
        try:
            formula = fitting_formula(text, design.regions_of)
        except FormulaError as error:
            note(_indented(str(error)))
            continue
        for remark in lint(formula):
            note(f"  warning: {remark.message}; {remark.hint}")
        note(_indented("\n".join(in_words(formula, design.region_names))))
        formulas.append(text)


def _indented(text: str) -> str:
    return "\n".join(f"  {printable(line)}" for line in text.split("\n"))


def _sentences(design: Design, n_items: int, joiner: str) -> list[Sentences]:
    """Ask for the sentences of one item after the other, as long as the user likes to."""
    sentences: list[Sentences] = []
    for number in range(1, n_items + 1):
        if not click.confirm(f"Write item {number} now", default=True, err=True):
            break
        if number == 1:
            note(f"  Enter takes what stands in [ ]; {_EMPTY} leaves a region empty")
        sentences.append(_item(design, joiner))
    return sentences


def _item(design: Design, joiner: str) -> Sentences:
    item: dict[str, dict[int, str]] = {}
    before: dict[int, str] = {}
    for condition, numbers in design.regions_of.items():
        contents: dict[int, str] = {}
        for number in numbers:
            name = design.region_names.get(number, "")
            question = f"  {condition}, region {number}" + (f" ({name})" if name else "")
            typed = _ask(question, before.get(number, ""))
            contents[number] = without_stray_spaces("" if typed.strip() == _EMPTY else typed)
        item[condition] = contents
        before = {**before, **contents}
        sentence = joiner.join(content for content in contents.values() if content)
        note(f"    {printable(sentence) or 'empty: to be written in the file'}")
    return item
