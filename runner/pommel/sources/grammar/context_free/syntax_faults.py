"""What is said of a line that is neither a rule nor a directive."""

import re
from collections.abc import Collection

from pommel.errors import Fault
from pommel.sources.grammar.context_free.lines import LogicalLine
from pommel.sources.grammar.lark_text import Unparsed

_PROBABILITY = re.compile(r"\[[\d.]+\]")
_NAME = "names are made of letters, digits and _ / ^ < > -, and terminals stand in quotes"
_RULE = "write NAME -> NAME 'terminal' | 'terminal'"
# So much of a terminal that has no end is shown.
_SHOWN = 40


def syntax_fault(line: LogicalLine, found: Unparsed) -> Fault:
    """Return the fault of a line that could not be parsed."""
    return line.place(found.offset).fault(*_said(found, found.rest, found.expected))


def _said(found: Unparsed, rest: str, expected: Collection[str]) -> tuple[str, str]:
    if rest[:1] in ("'", '"') and rest.count(rest[0]) == 1:
        return f"this quote is not closed: {rest[:_SHOWN]}", f"write {rest[0]} behind the terminal"
    if "DIRECTIVE" in expected:
        return _left_side(rest, found.word)
    if expected == {"ARROW"}:
        name = found.text[: found.offset].split(maxsplit=1)[0]
        if "->" in name:
            return f"{name!r} is one name, in which -> may stand", "put a space in front of ->"
        return f"there is no arrow behind {name!r}", _RULE
    if _PROBABILITY.match(rest):
        return f"{found.word} is a probability: all sentences are generated", "take it away"
    if rest.startswith("#"):
        return "a comment stands behind a rule", "write it on a line of its own"
    if rest.startswith("->"):
        return "there is a second arrow", "write each rule on a line of its own"
    return f"{found.word!r} has no place here", _NAME


def _left_side(rest: str, shown: str) -> tuple[str, str]:
    if rest.startswith(("'", '"')):
        return "the left side of a rule is a nonterminal, not a terminal", _RULE
    if rest.startswith("->"):
        return "there is nothing in front of the arrow", _RULE
    if rest.startswith("%"):
        return "% is no directive by itself", "there is %start and %contrast"
    return f"{shown!r} is no nonterminal", _NAME
