"""The questions of `pommel suites new`: conditions, regions, predictions, sentences."""

from collections.abc import Callable, Iterator, Sequence

import click

from pommel.cli.asking import ask, confirm
from pommel.cli.output import note
from pommel.errors import FormulaError, counted, printable
from pommel.report.suite_preview import short_words
from pommel.suite.drafts import Design, Sentences
from pommel.suite.formula import Formula
from pommel.suite.lint import check_suite
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Region

# What is typed for a region without text (Enter takes what stands in [ ]), and for a step back.
_EMPTY = "-"
_BACK = "-"

_DOUBTS = {"never-holds": "this can never hold", "always-holds": "this always holds"}


def ask_conditions() -> list[str]:
    """Ask for the names of conditions, until there are no more."""
    return _each("Condition", Design.condition_fault)


def ask_regions() -> list[str]:
    """Ask for the names of regions, until there are no more."""
    return _each("Region", lambda name, _known: Design.region_fault(name))


def _each(noun: str, fault_of: Callable[[str, Sequence[str]], str]) -> list[str]:
    """Ask for names until Enter says that there are no more; there is at least one."""
    names: list[str] = []
    while True:
        more = " (Enter: no more)" if names else ""
        name = ask(f"{noun} {len(names) + 1}{more}").strip()
        if not name and names:
            return names
        fault = fault_of(name, names) if name else f"there has to be a {noun.lower()}"
        if fault:
            note(f"  {fault}")
        else:
            names.append(name)


def ask_predictions(design: Design) -> Design:
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
            note(f"  {_taken_back(formulas)}")
            continue
        try:
            formula = design.fitting_formula(text)
        except FormulaError as error:
            note(_indented(str(error)))
            continue
        for doubt in doubts(design, formula):
            note(f"  warning: {doubt}")
        words = short_words(formula, design.region_names, metric=design.first_metric)
        if words:
            note(_indented("\n".join(words)))
        formulas.append(text)


def _taken_back(formulas: list[str]) -> str:
    return f"taken back: {printable(formulas.pop())}" if formulas else "there is none to take back"


def doubts(design: Design, formula: Formula) -> Iterator[str]:
    """Yield what may surprise in a formula, and that it never or always holds if so."""
    for remark in formula.warnings():
        yield f"{remark.message}; {remark.hint}"
    # Whatever the sentences are going to be: in these no region is empty, and no two are the same.
    suite = LoadedSuite.from_dict(design.with_formulas([formula.text]).filled()).suite
    for doubt in check_suite(suite, _DOUBTS):
        yield f"{_DOUBTS[doubt.rule]}; {doubt.hint}"


def _indented(text: str) -> str:
    return "\n".join(f"  {printable(line)}" for line in text.split("\n"))


def ask_sentences(design: Design, n_items: int, joiner: str) -> list[Sentences]:
    """Ask for the sentences of one item after the other, as long as the user likes to.

    Who leaves in the middle of an item may keep the ones before. Raises `click.Abort`.
    """
    sentences: list[Sentences] = []
    try:
        for number in range(1, n_items + 1):
            if not confirm(f"Write item {number} now", default=True):
                break
            if number == 1:
                note(f"  Enter takes what stands in [ ]; {_EMPTY} leaves a region empty")
            item = _item(design, joiner, {})
            while confirm(f"Write item {number} again", default=False):
                item = _item(design, joiner, item)
            sentences.append(item)
    except click.Abort:
        if not sentences:
            raise
        note("")
        finished = counted(len(sentences), "finished item")
        if not confirm(f"Write the file with {finished}", default=False):
            raise
    return sentences


def _item(design: Design, joiner: str, earlier: Sentences) -> Sentences:
    """Ask for an item; what was typed for it `earlier` is what Enter takes."""
    item: dict[str, dict[int, str]] = {}
    before: dict[int, str] = {}
    for condition, numbers in design.regions_of.items():
        contents: dict[int, str] = {}
        for number in numbers:
            name = design.region_names.get(number, "")
            question = f"  {condition}, region {number}" + (f" ({name})" if name else "")
            default = earlier[condition][number] if earlier else before.get(number, "")
            typed = ask(question, default)
            contents[number] = Region.text_of("" if typed.strip() == _EMPTY else typed)
        item[condition] = contents
        before = {**before, **contents}
        sentence = joiner.join(content for content in contents.values() if content)
        note(f"    {printable(sentence) or 'empty: to be written in the file'}")
    return item
