"""`pommel suites new`: the file of a new suite, from questions, flags, or another suite."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from pommel.cli.asking import ask, ask_number, no_fault, text_fault
from pommel.cli.output import note
from pommel.cli.suite_questions import (
    ask_conditions,
    ask_predictions,
    ask_regions,
    ask_sentences,
    doubts,
)
from pommel.errors import PommelError, SuiteError, UsageError, counted
from pommel.files.text import is_encodable, write_text
from pommel.sources.load import load_drafts
from pommel.suite.drafts import Design
from pommel.suite.formula import Formula
from pommel.suite.published import language_fault
from pommel.suite.suite import Metric, Suite


@click.command("new", no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.json")
@click.option("--name", help="What the suite is called.  [default: the file]")
@click.option("--language", help="Its language, as a tag: en, eu, zh-Hant.")
@click.option("--circuit", help="The circuit that it belongs to.")
@click.option("--condition", "conditions", multiple=True, help="A condition's name; repeatable.")
@click.option("--region", "regions", multiple=True, help="A region's name, in order; repeatable.")
@click.option("--prediction", "predictions", multiple=True, help="A formula; repeatable.")
@click.option(
    "--metric",
    type=click.Choice([*get_args(Metric), "all"]),
    help="The region metric.  [default: sum]",
)
@click.option("--joiner", help="What stands between two regions.  [default: a space]")
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

    What no option says is asked for, except --metric and --joiner. Sentences can be typed at once,
    region by region, or later in the file: what is still empty there, `pommel validate` tells.

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
    if design:
        _warn_of(design, given["predictions"])
    try:
        value = _asked(file, given, like, design)
    except click.Abort:
        # What was asked last has no line break behind it.
        note("")
        raise PommelError("aborted; nothing was written") from None
    if not file.parent.is_dir():
        note(f"note: the folder {file.parent} is made")
    write_text(file, Design.draft_text(value))
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
        raise UsageError(f"{file}: it is there already; --force overwrites it")


def _check_text(given: dict[str, Any]) -> None:
    """Refuse an empty name, and what no file can or should hold."""
    if given["name"] is not None and not given["name"].strip():
        raise UsageError("--name: the name of the suite is empty")
    for key, value in given.items():
        written = value if isinstance(value, tuple) else (value,)
        for each in written:
            # A formula may have line breaks, and says itself what it cannot have.
            is_name = isinstance(each, str) and (key != "predictions" or not is_encodable(each))
            if is_name and (fault := text_fault(each)):
                raise UsageError(f"--{key.removesuffix('s')}: {fault}")
    if given["language"] and (fault := language_fault(given["language"])):
        raise UsageError(f"--language: {fault}")


def _liked(given: dict[str, Any]) -> Suite | None:
    if given["like"] is None:
        return None
    both = [flag for flag in ("condition", "region") if given[f"{flag}s"]]
    if both:
        raise UsageError(f"--{both[0]} and --like exclude each other: SUITE has its own")
    drafts = load_drafts([given["like"]])
    if len(drafts) > 1:
        raise UsageError(f"--like {given['like']}: these are {len(drafts)} suites; name one")
    (found,) = drafts
    if found.errors:
        raise SuiteError(found.errors)
    return found.suite


def _warn_of(design: Design, formulas: Sequence[str]) -> None:
    for text in formulas:
        for doubt in doubts(design, design.fitting_formula(text)):
            note(f"warning: --prediction {text!r}: {doubt}")


def _asked(
    file: Path, given: dict[str, Any], like: Suite | None, design: Design | None
) -> dict[str, Any]:
    """Return the new suite's JSON; raises `click.Abort` where the user leaves."""
    is_asked = not given["is_silent"]
    meta = _meta(file, given, like, is_asked=is_asked)
    if not design:
        conditions = given["conditions"] or ask_conditions()
        regions = given["regions"] or ask_regions()
        design = _with_metric(Design.new(conditions, regions, given["predictions"]), given)
        _warn_of(design, given["predictions"])
    n_items = given["n_items"] or (len(like.items) if like else 1)
    if not is_asked:
        return design.draft(meta, n_items=n_items)
    if not like and not given["predictions"]:
        design = ask_predictions(design)
    if not given["n_items"]:
        n_items = ask_number("How many items", n_items)
    sentences = ask_sentences(design, n_items, meta.get("joiner", " "))
    return design.draft(meta, n_items=n_items, sentences=sentences)


def _meta(
    file: Path, given: dict[str, Any], like: Suite | None, *, is_asked: bool
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
            fault_of = language_fault if key == "language" else no_fault
            typed = ask(questions[key], default, fault_of=fault_of) if is_asked else ""
            value = typed.strip() or default
        if value:
            meta[key] = value
    # Whether words are written apart is a matter of the language, not of the design.
    if given["joiner"] is not None:
        meta["joiner"] = given["joiner"]
    elif like and "joiner" in like.meta and meta.get("language", "") == like.language:
        meta["joiner"] = like.joiner
    return meta


def _given_design(given: dict[str, Any], like: Suite | None, *, is_silent: bool) -> Design | None:
    """Return the design that flags give; None if conditions or regions have to be asked for.

    What is wrong with any flag shows here, before anything is asked.
    """
    conditions, regions, formulas = given["conditions"], given["regions"], given["predictions"]
    if like:
        design = _with_metric(Design.of(like), given)
        return design.with_formulas(formulas) if formulas else design
    for place, name in enumerate(conditions):
        if fault := Design.condition_fault(name, conditions[:place]):
            raise UsageError(f"--condition: {fault}")
    for name in regions:
        if fault := Design.region_fault(name):
            raise UsageError(f"--region: {fault}")
    if conditions and regions:
        return _with_metric(Design.new(conditions, regions, formulas), given)
    if is_silent:
        missing = [f"--{flag}" for flag in ("condition", "region") if not given[f"{flag}s"]]
        raise UsageError(f"--no-input asks nothing: give {' and '.join(missing)}, or --like")
    for formula in formulas:
        Formula.parse(formula)
    return None


def _with_metric(design: Design, given: dict[str, Any]) -> Design:
    return replace(design, metric=given["metric"]) if given["metric"] else design
