"""What to say when a formula does not parse: the place, and what its author probably meant."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pommel.errors import FormulaError
from pommel.suite.formula.tree import Span

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
_REGION_LIKE = re.compile(r"[(\[{]?\s*([0-9]+|\*)\s*([;,:])([^()\[\]{};&|<>=]*)[)\]}]?")
_REGION = re.compile(r"[(\[]\s*(?:[0-9]+|\*)\s*;%[^%]*%\s*[)\]]")
_CLOSING = {"(": ")", "[": "]"}


def error_at(text: str, span: Span, message: str, hint: str = "") -> FormulaError:
    """Return the error for the characters `span` of `text`."""
    return FormulaError(message, formula=text, start=span[0], end=span[1], hint=hint)


def syntax_error(text: str, position: int) -> FormulaError:
    """Return the error for a formula that stops making sense at `position`."""
    if not text.strip():
        return error_at(text, (0, 1), "the formula is empty", "write e.g. (1;%a%) < (1;%b%)")
    for probe in (
        _mistaken_operator,
        _missing_operator,
        _malformed_region,
        _unbalanced_bracket,
        _unexpected,
    ):
        if error := probe(text, position):
            return error
    return error_at(text, (len(text), len(text) + 1), "the formula ends too early")


def chained_comparison(text: str, parts: Sequence[Any]) -> FormulaError:
    """Return the error for `a < b < c`; `parts` are Lark's operands and operators in turn."""
    span = (parts[3].start_pos, parts[4].meta.end_pos)
    sides = [text[part.meta.start_pos : part.meta.end_pos] for part in parts[::2]]
    pairs = zip(sides, parts[1::2], sides[1:], strict=False)
    meant = " & ".join(f"{left} {operator} {right}" for left, operator, right in pairs)
    # In brackets, since "|" may stand before or behind, and binds as tightly as "&".
    return error_at(text, span, "comparisons cannot be chained", f"write ({meant})")


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


def _missing_operator(text: str, position: int) -> FormulaError | None:
    region = _REGION.match(text, position)
    before = text[:position].rstrip()
    if not region or not before:
        return None
    return error_at(text, region.span(), "there is no operator before this region")


def _malformed_region(text: str, position: int) -> FormulaError | None:
    opening = max(text.rfind(bracket, 0, position + 1) for bracket in "([{")
    number = len(text[:position].rstrip().rstrip("0123456789."))
    for start in (opening, number):
        match = _REGION_LIKE.match(text, start) if start >= 0 else None
        # With a comma or a colon it is only meant as a region if it has the name's marks.
        if match and (match[2] == ";" or "%" in match[3]) and position < match.end():
            name = match[3].replace("%", "").strip()
            end = start + len(match[0].rstrip())
            meant = f"({match[1]};%{name or 'condition'}%)"
            if text[:start].rstrip().endswith("abs"):
                return error_at(text, (start, end), "abs needs brackets", f"write abs({meant})")
            return error_at(text, (start, end), "this is not a region", f"write {meant}")
    return None


def _unbalanced_bracket(text: str, position: int) -> FormulaError | None:
    """Complain of the bracket that has no partner, if that is what stopped the parser."""
    pending: list[int] = []
    # A condition's name may hold brackets of its own.
    masked = re.sub("%[^%]*%", lambda name: "%" * len(name[0]), text)
    for index, character in enumerate(masked[: position + 1]):
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


def _unexpected(text: str, position: int) -> FormulaError | None:
    """Complain of the word or character that stopped the parser."""
    if position >= len(text):
        return None
    word = re.compile(r"[^\W\d]\w*|.", re.DOTALL).match(text, position)
    found = word[0] if word else text[position]
    # Typed on another keyboard, or pasted: full-width characters, spaces that are not broken.
    plain = unicodedata.normalize("NFKC", found)
    hint = ""
    if plain != found and plain.isascii():
        hint = f"write {plain!r}"
    elif found == "," and text[position + 1 : position + 2].isdigit():
        hint = "decimals have a point, like 1.5"
    elif not found.isprintable():
        hint = "remove this invisible character"
    elif found.isalpha() or found == "%":
        hint = "a region is written (1;%condition%)"
    return error_at(text, (position, position + len(found)), f"unexpected {found!r}", hint)
