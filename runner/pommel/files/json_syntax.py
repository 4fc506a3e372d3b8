"""What is wrong with a text that is no JSON, for people who did not know that it had to be."""

import json
import re

# How Python's parser begins its messages (its versions end them differently), and what we say.
_SAID = {
    "Expecting ',' delimiter": ("a comma is missing", "write , before this"),
    "Expecting ':' delimiter": ("a colon is missing", "write : between a key and its value"),
    "Expecting property name": ("a key is missing", 'keys stand in double quotes ""'),
    "Expecting value": ("a value is missing", 'text stands in double quotes ""'),
    "Extra data": ("the document has ended before this", "remove it, or a bracket too many"),
    "Invalid control character": (
        "a text has a line break or a tab in it",
        'write " where it ends, \\n for a line break, \\t for a tab',
    ),
    "Unterminated string": ("this text is never closed", 'write " where it ends'),
    "Invalid \\": ("a backslash stands before the wrong character", "write \\\\ for a backslash"),
}
# A string that is never closed is one piece, too: it is not looked at again from every quote in it.
_PIECE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_TRAILING_COMMA = re.compile(r",\s*[\]}]")


def describe(error: json.JSONDecodeError, expected: str) -> tuple[int, str, str]:
    """Return where a text stops being JSON, what is wrong there, and what would be right.

    `expected` is what would be right where there is nothing.
    """
    text, position = error.doc, error.pos
    end = len(text.rstrip())
    if not end:
        return 0, "the file is empty", expected
    # Some versions of Python stop at the comma, others behind it.
    comma = max(text.rfind(",", 0, position + 1), 0)
    is_near = not text[comma + 1 : position].strip() and "control" not in error.msg
    if is_near and _TRAILING_COMMA.match(text, comma):
        return comma, "there is a comma behind the last element", "remove it"
    opened = _never_closed(text)
    if position >= end and opened is not None:
        line = text.count("\n", 0, opened) + 1
        return end, "the file ends too early", f"the {text[opened]} in line {line} is never closed"
    for beginning, (message, hint) in _SAID.items():
        if error.msg.startswith(beginning):
            return position, message, hint
    return position, error.msg, ""


def _never_closed(text: str) -> int | None:
    """Return the place of the last bracket that has no partner; None if all have one."""
    pending: list[int] = []
    for match in _PIECE.finditer(text):
        if match[0] in ("{", "["):
            pending.append(match.start())
        elif match[0] in ("}", "]") and pending:
            pending.pop()
    return pending[-1] if pending else None
