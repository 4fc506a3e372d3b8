"""What readers of grammars share: parsers from `.lark` files, `meta` lines, nearest known names."""

import functools
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from pommel.errors import Fault, Place, counted, listed, nearest
from pommel.suite import METRICS, PublishedSuite
from pommel.values import frozen, positional

if TYPE_CHECKING:
    from lark import Lark, ParseTree, Token


_MOST_LISTED = 12
# So much of a wrong word is shown.
SHOWN = 40

_T = TypeVar("_T")

_QUOTED = re.compile(r'"([^"\n]*)"')
_GENERATOR = "it is how the suite was made"
# So many comparisons of two names take about a second.
_MOST_COMPARED = 100_000


# What a grammar says of its suite.
Meta = dict[str, str | list[str]]


@frozen
class Written:
    """A text, and where it stands."""

    place: Place
    text: str

    def __str__(self) -> str:
        return self.text

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong with it, and what to do about it."""
        return self.place.fault(message, hint)


@frozen
class Block:
    """Lines of a file that say something together, and the number of the first, from 1."""

    file: str
    line: int
    text: str

    @property
    def content_place(self) -> Place:
        """Where its content begins, or would."""
        return self.at(len(self.text) - len(self.text.lstrip()))

    def at(self, offset: int) -> Place:
        """Return the place of the character with that number, from 0."""
        before = self.text[:offset]
        column = len(before) - before.rfind("\n")
        return Place(file=self.file, line=self.line + before.count("\n"), column=column)

    def place(self, part: "Token | ParseTree") -> Place:
        """Return where a token or a tree of the text begins."""
        found = part if isinstance(part, str) else part.meta
        line = self.line + (found.line or 1) - 1
        return Place(file=self.file, line=line, column=found.column or 1)


@positional
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
        return "".join(self.rest.split(maxsplit=1)[:1])[:SHOWN]


def parsed(text: str, grammar: str, *, start: str = "start") -> Any:
    """Return Lark's tree of a text, or what `Unparsed` says of it.

    `grammar` is a `.lark` file, from the folder of this module on; `start` is one of its rules.
    """
    from lark.exceptions import UnexpectedInput

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
    from lark import Lark

    text = (files("pommel.sources.grammar") / grammar).read_text("utf-8")
    return Lark(text, parser="lalr", start=start, propagate_positions=True)


def add_meta(meta: Meta, key: Written, value: Written, *, made: Collection[str]) -> list[Fault]:
    """Put a value under its key; return what is wrong with either.

    White space around a value is taken away, and one space stands between words. Between quotation
    marks all of it counts: `meta joiner: ""`, which a language without spaces has unless another
    one is said. The metric may be several. `made` are keys that pommel writes itself.
    """
    words = value.text.split()
    quoted = _QUOTED.fullmatch(value.text.strip())
    is_list = key.text == "metric" and len(words) > 1
    meta[key.text] = quoted[1] if quoted else words if is_list else " ".join(words)
    if key.text == "language" and not PublishedSuite.usual_joiner(str(meta["language"])):
        meta.setdefault("joiner", "")
    if key.text in made:
        hint = f"leave it out; {_GENERATOR}, which pommel writes itself"
        return [key.fault(f"meta has the key {key.text!r}", hint)]
    if key.text != "metric" or meta["metric"] == "all":
        return []
    hint = f"there are {', '.join(METRICS)}, and all"
    names = [quoted[1]] if quoted else words
    unknown = [name for name in names if name not in METRICS]
    return [value.fault(f"there is no metric {name!r}", hint) for name in unknown]


def distinct_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of some texts, each once, in their order."""
    return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def shown(names: Iterable[object]) -> str:
    """Return the first dozen of some names, with dots if there are more."""
    return listed(list(map(str, names)), most=_MOST_LISTED)


def repeated(every: Iterable[_T], key: Callable[[_T], Hashable]) -> Iterator[tuple[_T, _T]]:
    """Yield each that has the key of one before it, with that one."""
    first: dict[Hashable, _T] = {}
    for each in every:
        before = first.setdefault(key(each), each)
        if before is not each:
            yield each, before


@dataclass(slots=True)
class NearestNames:
    """Finds the nearest of some known names, as long as all searches together are quick.

    Each one compares a name with all that are known. Of a file with thousands of faults the first
    ones are explained; the others are likely to be alike. The search that goes beyond `n_left`
    comparisons is the last one.
    """

    n_left: int = _MOST_COMPARED

    def __call__(self, name: str, known: Collection[str]) -> str | None:
        """Return the known name that was probably meant; None if none is like it, or too late."""
        if self.n_left <= 0:
            return None
        self.n_left -= len(known)
        return nearest(name, known)

    def hint(self, name: str, known: Collection[str], otherwise: str) -> str:
        """Return a hint at the name that was probably meant, or another hint."""
        probably = self(name, known)
        return f"did you mean {probably}?" if probably else otherwise


def unequal_lists(place: Place, name: object, n: int, other: object, n_other: int) -> Fault:
    """Return the fault of alternatives that are not as many as those of what they replace."""
    what = f"{name} has {counted(n, 'alternative')}, {other} has {n_other}"
    return place.fault(what, "the lists must run parallel: the nth of each are forms of one word")
