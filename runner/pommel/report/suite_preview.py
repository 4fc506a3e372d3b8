"""A suite as its author wants to read it: predictions in words, sentences with their regions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pommel.formula.words import in_words
from pommel.suite import Condition, Item, Region, Suite
from pommel.wording import counted

# A piece of a line and its style, in Rich's words ("" is none).
Piece = tuple[str, str]

_HEADING = "bold"
_QUIET = "dim"
_CONDITION = "cyan"
_COMPARED = "bold yellow"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewLine:
    """A line of a preview: so many blanks, a label, and pieces that may be folded beside it.

    `text` is the line as it stands in a file.
    """

    indent: int = 0
    label: tuple[Piece, ...] = ()
    pieces: tuple[Piece, ...] = ()

    @property
    def text(self) -> str:
        """The whole line, without styles and without blanks at its end."""
        words = "".join(text for text, _ in (*self.label, *self.pieces))
        return (" " * self.indent + words).rstrip()


def preview(suite: Suite, items: Iterable[Item], *, plain: bool = False) -> Iterator[PreviewLine]:
    """Yield the suite's head, its predictions in words, and the items' sentences.

    Regions stand in brackets with their numbers, in double ones where a prediction looks at them
    in this condition; conditions come in the suite's order. `plain` shows sentences as they are
    scored. What a condition's `gloss` says stands under its sentence.
    """
    yield from _head(suite)
    compared = compared_regions(suite)
    for item in items:
        yield PreviewLine()
        yield PreviewLine(indent=2, label=((f"item {item.number}", _HEADING),))
        yield from _item(suite, item, compared, plain=plain)


def compared_regions(suite: Suite) -> Mapping[str, frozenset[int]]:
    """Return the regions that predictions look at, by condition; a whole sentence is all of it."""
    found: dict[str, set[int]] = {name: set() for name in suite.condition_names}
    for prediction in suite.predictions:
        for reference in prediction.formula.references:
            whole = suite.region_numbers if reference.region is None else (reference.region,)
            found[reference.condition].update(whole)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _head(suite: Suite) -> Iterator[PreviewLine]:
    yield PreviewLine(label=((suite.name, _HEADING),))
    facts = (suite.language, suite.circuit, suite.version, counted(len(suite.items), "item"))
    yield _quiet(2, " · ".join(fact for fact in facts if fact))
    for index, prediction in enumerate(suite.predictions):
        yield PreviewLine(
            indent=2,
            label=((f"prediction {index}: ", ""),),
            pieces=((prediction.formula.text.strip(), _QUIET),),
        )
        for line in in_words(prediction.formula, suite.region_names, metric=suite.metrics[0]):
            words = line.lstrip(" ")
            yield PreviewLine(indent=4 + len(line) - len(words), pieces=((words, ""),))
        if prediction.description:
            yield _quiet(4, prediction.description)
    if not suite.predictions:
        yield _quiet(2, "no predictions")


def _quiet(indent: int, text: str) -> PreviewLine:
    return PreviewLine(indent=indent, pieces=((text, _QUIET),))


def _item(
    suite: Suite, item: Item, compared: Mapping[str, frozenset[int]], *, plain: bool
) -> Iterator[PreviewLine]:
    from rich.cells import cell_len  # noqa: PLC0415 - `import pommel` stays fast without it

    width = max(map(cell_len, suite.condition_names))
    for name in suite.condition_names:
        condition = item.condition(name)
        filling = " " * (width - cell_len(name) + 2)
        pieces = _plain(suite, condition) if plain else _marked(condition, compared[name])
        yield PreviewLine(indent=4, label=((name, _CONDITION), (filling, "")), pieces=tuple(pieces))
        for gloss in _glosses(condition):
            blanks = ((" " * (width + 2), ""),)
            yield PreviewLine(indent=4, label=blanks, pieces=((gloss, _QUIET),))


def _plain(suite: Suite, condition: Condition) -> Iterator[Piece]:
    yield condition.sentence(suite.joiner).text, ""


def _marked(condition: Condition, compared: frozenset[int]) -> Iterator[Piece]:
    for place, region in enumerate(condition.regions):
        if place:
            yield " ", ""
        yield from _region(region, is_compared=region.number in compared)


def _region(region: Region, *, is_compared: bool) -> Iterator[Piece]:
    text = f" {region.text}" if region.text else ""
    if is_compared:
        # Colours are lost in a pipe, and some cannot see them.
        yield f"[[{region.number}{text}]]", _COMPARED
        return
    yield f"[{region.number}", _QUIET
    yield text, ""
    yield "]", _QUIET


def _glosses(condition: Condition) -> list[str]:
    """Return the lines of a condition's gloss; a list of words is one line."""
    gloss = condition.as_written.get("gloss")
    if isinstance(gloss, list):
        gloss = " ".join(map(str, gloss))
    return str(gloss).splitlines() if gloss else []
