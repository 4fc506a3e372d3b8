"""Parsers from the `.lark` files of this package, and where a text is not what they describe."""

import functools
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark

# So much of a wrong word is shown.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A text that a parser does not take, and the first place at which nothing fits.

    `expected` are the kinds of tokens that could have come there.
    """

    text: str
    offset: int
    expected: frozenset[str]
    is_at_end: bool

    @property
    def rest(self) -> str:
        """The text from that place on."""
        return self.text[self.offset :]

    @property
    def character(self) -> str:
        """The character there; empty at the end."""
        return self.text[self.offset : self.offset + 1]

    @property
    def word(self) -> str:
        """The first word from there on, its beginning if it is long; maybe none."""
        return "".join(self.rest.split(maxsplit=1)[:1])[:_SHOWN]


def parsed(text: str, grammar: str, *, start: str = "start") -> Any:
    """Return Lark's tree of a text, or what `Unparsed` says of it.

    `grammar` is a `.lark` file, from the folder of this module on; `start` is one of its rules.
    """
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415 - keeps `import pommel` fast

    try:
        return _parser(grammar, start).parse(text)
    except UnexpectedInput as error:
        found: Any = error
        token = getattr(found, "token", None)
        # A text that ends too early has its place behind the last character.
        at_end = found.pos_in_stream is None or getattr(token, "type", "") == "$END"
        offset = len(text) if at_end else int(found.pos_in_stream)
        expected = getattr(found, "allowed", None) or getattr(found, "expected", None) or ()
        return Unparsed(text, offset, frozenset(expected), at_end)


@functools.cache
def _parser(grammar: str, start: str) -> "Lark":
    from lark import Lark  # noqa: PLC0415 - keeps `import pommel` fast

    text = (files("pommel.sources.grammar") / grammar).read_text("utf-8")
    return Lark(text, parser="lalr", start=start, propagate_positions=True)
