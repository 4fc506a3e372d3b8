"""Plain text, a sentence a line: what a suite's sentences look like to a model."""

from collections.abc import Iterable, Iterator

from pommel.suite.suite import Item, Suite


def sentences_of(suite: Suite) -> str:
    """Return all sentences of a suite, item by item."""
    return "".join(sentence_lines(suite.items, suite.joiner))


def sentence_lines(items: Iterable[Item], joiner: str = " ") -> Iterator[str]:
    """Yield a line, with its line feed, for each condition of each item."""
    for item in items:
        for condition in item.conditions:
            yield f"{condition.sentence(joiner).text}\n"
