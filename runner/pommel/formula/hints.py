"""What to say when a formula does not parse: the place, and what its author probably meant."""

import re
from collections.abc import Sequence
from typing import Any

from pommel.errors import FormulaError
from pommel.formula.tree import Span

# What people write for an operator of ours, and what to write instead. Longest first.
_MISTAKEN_OPERATORS = {
    "&&": "&",
    "||": "|",
    "==": "=",
    "<>": "!=",
    "=<": "<=",
    "=>": ">=",
    "and": "&",
    "or": "|",
    "not": "!",
    "~": "!",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "^": "&",
    "\N{MINUS SIGN}": "-",
    "\N{MULTIPLICATION SIGN}": "*",
}
# No two parts of this can match the same characters: a hint must not take longer than the parser.
_REGION_LIKE = re.compile(r"[(\[{]?([0-9]+|\*)\s*;([^()\[\]{};&|<>=]*)[)\]}]")
_CLOSING = {"(": ")", "[": "]"}


def error_at(text: str, span: Span, message: str, hint: str = "") -> FormulaError:
    """Return the error for the characters `span` of `text`."""
    return FormulaError(message, formula=text, start=span[0], end=span[1], hint=hint)


def syntax_error(text: str, position: int) -> FormulaError:
    """Return the error for a formula that stops making sense at `position`."""
    if not text.strip():
        return error_at(text, (0, 1), "the formula is empty", "write e.g. (1;%a%) < (1;%b%)")
    for probe in (_mistaken_operator, _malformed_region, _unbalanced_bracket):
        if error := probe(text, position):
            return error
    if position >= len(text):
        return error_at(text, (len(text), len(text) + 1), "the formula ends too early")
    return error_at(text, (position, position + 1), f"unexpected {text[position]!r}")


def chained_comparison(text: str, parts: Sequence[Any]) -> FormulaError:
    """Return the error for `a < b < c`; `parts` are Lark's operands and operators in turn."""
    span = (parts[3].start_pos, parts[4].meta.end_pos)
    sides = [text[part.meta.start_pos : part.meta.end_pos] for part in parts[::2]]
    pairs = zip(sides, parts[1::2], sides[1:], strict=False)
    meant = " & ".join(f"{left} {operator} {right}" for left, operator, right in pairs)
    return error_at(text, span, "comparisons cannot be chained", f"write {meant}")


def _mistaken_operator(text: str, position: int) -> FormulaError | None:
    # The parser may stop at the second character of "==".
    for start in (position - 1, position):
        for wrong, right in _MISTAKEN_OPERATORS.items():
            if start >= 0 and text.startswith(wrong, start) and _stands_alone(text, start, wrong):
                span = (start, start + len(wrong))
                return error_at(text, span, f"{wrong!r} is not an operator", f"write {right}")
    return None


def _stands_alone(text: str, start: int, word: str) -> bool:
    end = start + len(word)
    around = text[start - 1 : start] + text[end : end + 1]
    return not word.isalpha() or not any(character.isalpha() for character in around)


def _malformed_region(text: str, position: int) -> FormulaError | None:
    for match in _REGION_LIKE.finditer(text):
        if match.start() <= position < match.end():
            name = match[2].replace("%", "").strip()
            meant = f"({match[1]};%{name or 'condition'}%)"
            return error_at(text, match.span(), "this is not a region", f"write {meant}")
    return None


def _unbalanced_bracket(text: str, position: int) -> FormulaError | None:
    """Complain of the bracket that has no partner, if that is what stopped the parser."""
    pending: list[int] = []
    for index, character in enumerate(text):
        if character in _CLOSING:
            pending.append(index)
        elif character in _CLOSING.values():
            if not pending:
                return error_at(text, (index, index + 1), "this bracket was never opened")
            opened = pending.pop()
            if _CLOSING[text[opened]] != character:
                return error_at(
                    text,
                    (opened, index + 1),
                    "this bracket is closed by one of another kind",
                    f"write {_CLOSING[text[opened]]} at the end",
                )
    if pending and position >= len(text):
        opened = pending[-1]
        return error_at(text, (opened, opened + 1), "this bracket is never closed")
    return None
