"""What is said of a line that is neither a rule nor a directive."""

import re
from typing import Any

from pommel.errors import Fault
from pommel.grammar.context_free.lines import LogicalLine

_PROBABILITY = re.compile(r"\[[\d.]+\]")
_NAME = "names are made of letters, digits and _ / ^ < > -, and terminals stand in quotes"
_RULE = "write NAME -> NAME 'terminal' | 'terminal'"
_SHOWN = 40


def syntax_fault(line: LogicalLine, error: Any) -> Fault:
    """Return the fault of a line; `error` is Lark's `UnexpectedInput`."""
    found = error.pos_in_stream
    # A line that ends too early has its place behind the last character.
    at_end = found is None or getattr(getattr(error, "token", None), "type", "") == "$END"
    offset = len(line.text) if at_end else int(found)
    return line.place(offset).fault(*_said(line.text, offset, _expected(error)))


def _expected(error: Any) -> set[str]:
    """Return the kinds of tokens that could have come."""
    return set(getattr(error, "allowed", None) or getattr(error, "expected", None) or ())


def _said(text: str, offset: int, expected: set[str]) -> tuple[str, str]:
    rest = text[offset:]
    shown = rest.split(maxsplit=1)[0][:_SHOWN] if rest.strip() else ""
    if rest[:1] in ("'", '"') and rest.count(rest[0]) == 1:
        return f"this quote is not closed: {rest[:_SHOWN]}", f"write {rest[0]} behind the terminal"
    if "DIRECTIVE" in expected:
        return _left_side(rest, shown)
    if expected == {"ARROW"}:
        name = text[:offset].split(maxsplit=1)[0]
        if "->" in name:
            return f"{name!r} is one name, in which -> may stand", "put a space in front of ->"
        return f"there is no arrow behind {name!r}", _RULE
    if _PROBABILITY.match(rest):
        return f"{shown} is a probability: all sentences are generated", "take it away"
    if rest.startswith("#"):
        return "a comment stands behind a rule", "write it on a line of its own"
    if rest.startswith("->"):
        return "there is a second arrow", "write each rule on a line of its own"
    return f"{shown!r} has no place here", _NAME


def _left_side(rest: str, shown: str) -> tuple[str, str]:
    if rest.startswith(("'", '"')):
        return "the left side of a rule is a nonterminal, not a terminal", _RULE
    if rest.startswith("->"):
        return "there is nothing in front of the arrow", _RULE
    if rest.startswith("%"):
        return "% is no directive by itself", "there is %start and %contrast"
    return f"{shown!r} is no nonterminal", _NAME
