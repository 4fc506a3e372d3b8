"""A suite as its author wants to read it: predictions in words, sentences with their regions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pommel.errors import counted
from pommel.suite import Condition, Formula, Item, Suite

# A piece of a line and its style, in Rich's words ("" is none).
Piece = tuple[str, str]

_HEADING = "bold"
_QUIET = "dim"
_CONDITION = "cyan"
_COMPARED = "bold yellow"

# In characters; of a longer formula the first references are shown.
_LONGEST_FORMULA = 400
_SHOWN_REFERENCES = 4


class PreviewLine(NamedTuple):
    """A line of a preview: so many blanks, a label, and pieces that may be folded beside it.

    `text` is the line as it stands in a file.
    """

    indent: int = 0
    label: tuple[Piece, ...] = ()
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(
        cls, suite: Suite, items: Iterable[Item], *, plain: bool = False
    ) -> "Iterator[PreviewLine]":
        """Yield the suite's head, its predictions in words, and the items' sentences.

        Regions stand in brackets with their numbers, in double ones where a prediction looks at
        them in this condition; conditions come in the suite's order. `plain` shows sentences as
        they are scored. What a condition's `gloss` says stands under its sentence. The suite may be
        a draft: what is not written yet is marked.
        """
        yield from _head(suite)
        compared = compared_regions(suite)
        for item in items:
            yield cls()
            yield cls(2, ((f"item {item.number}", _HEADING),))
            yield from _item(suite, item, compared, plain=plain)

    @property
    def text(self) -> str:
        """The whole line, without styles and without blanks at its end."""
        words = "".join(text for text, _ in (*self.label, *self.pieces))
        return (" " * self.indent + words).rstrip()


def compared_regions(suite: Suite) -> Mapping[str, frozenset[int]]:
    """Return the regions that predictions look at, by condition; a whole sentence is all of it."""
    found: dict[str, set[int]] = {
        condition.name: set() for item in suite.items for condition in item.conditions
    }
    for condition, region in suite.compared_cells:
        # A draft's formula may name what is not there.
        if condition in found:
            found[condition].update(suite.region_numbers if region is None else (region,))
    return {name: frozenset(numbers) for name, numbers in found.items()}


def short_text(formula: Formula) -> str:
    """Return a formula as its author wrote it; of a very long one the beginning."""
    text = formula.text.strip()
    n_more = len(formula.references) - _SHOWN_REFERENCES
    if len(text) <= _LONGEST_FORMULA or n_more <= 0:
        return text
    end = formula.references[_SHOWN_REFERENCES - 1].span[1]
    return f"{formula.text[:end].strip()} ... and {n_more} more"


def _head(suite: Suite) -> Iterator[PreviewLine]:
    yield PreviewLine(label=((suite.name, _HEADING),))
    n_unwritten = sum(len(item.unwritten) for item in suite.items)
    facts = (
        suite.language,
        suite.circuit,
        suite.version,
        counted(len(suite.items), "item"),
        f"{counted(n_unwritten, 'sentence')} to be written" if n_unwritten else "",
    )
    yield _quiet(2, " · ".join(fact for fact in facts if fact))
    yield from prediction_lines(suite)


def prediction_lines(suite: Suite) -> Iterator[PreviewLine]:
    """Yield the predictions: the formula of each, what it says, where that is short, and why."""
    for index, prediction in enumerate(suite.predictions):
        label = ((f"prediction {index}: ", ""),)
        yield PreviewLine(2, label, ((short_text(prediction.formula), _QUIET),))
        for line in prediction.formula.in_few_words(
            suite.region_names, metric=suite.metric_of(prediction)
        ):
            words = line.lstrip(" ")
            yield PreviewLine(4 + len(line) - len(words), pieces=((words, ""),))
        if prediction.description:
            yield _quiet(4, prediction.description)
    if not suite.predictions:
        yield _quiet(2, "no predictions")


def _quiet(indent: int, text: str) -> PreviewLine:
    return PreviewLine(indent, pieces=((text, _QUIET),))


def _item(
    suite: Suite, item: Item, compared: Mapping[str, frozenset[int]], *, plain: bool
) -> Iterator[PreviewLine]:
    from rich.cells import cell_len

    width = max(map(cell_len, compared))
    names = suite.condition_names
    # In the suite's order; those that only it has come last.
    for condition in sorted(
        item.conditions,
        key=lambda each: names.index(each.name) if each.name in names else len(names),
    ):
        name = condition.name
        filling = " " * (width - cell_len(name) + 2)
        pieces = [("(to be written)", _QUIET)]
        if condition.is_written and plain:
            pieces = [(condition.sentence(suite.joiner).text, "")]
        elif condition.is_written:
            pieces = [*_marked(condition, compared[name])]
        yield PreviewLine(4, ((name, _CONDITION), (filling, "")), tuple(pieces))
        gloss = condition.as_written.get("gloss") or ""
        # A list of words is one line.
        text = " ".join(map(str, gloss)) if isinstance(gloss, list) else str(gloss)
        for line in text.splitlines():
            yield PreviewLine(4, ((" " * (width + 2), ""),), ((line, _QUIET),))


def _marked(condition: Condition, compared: frozenset[int]) -> Iterator[Piece]:
    if condition.context:
        yield condition.context, _QUIET
    for place, region in enumerate(condition.regions):
        if place or condition.context:
            yield " ", ""
        text = f" {region.text}" if region.text else ""
        if region.number in compared:
            # Colours are lost in a pipe, and some cannot see them.
            yield f"[[{region.number}{text}]]", _COMPARED
        else:
            yield from ((f"[{region.number}", _QUIET), (text, ""), ("]", _QUIET))
