"""A submission that is not taken, and how that is said."""

from typing import TYPE_CHECKING

from pommel.errors import InputError, printable, quoted

if TYPE_CHECKING:
    from jsonschema import ValidationError

_LONGEST = 200


class SubmissionError(InputError):
    """A submission that is not taken; the message says which file it is, and why."""


def brief(text: object) -> str:
    """Return a stranger's text as a message can have it: one printable line, its beginning."""
    # What is cut off is not looked at: a text may have millions of characters.
    start = str(text)[: _LONGEST + 1]
    return f"{printable(start[:_LONGEST])}…" if len(start) > _LONGEST else printable(start)


def named(name: str) -> str:
    """Return the name of a file in quotation marks, its beginning if it is long."""
    return repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}…"


def shape_fault(fault: "ValidationError") -> str:
    """Return what does not fit a schema, and why; of a long text, only its beginning."""
    if fault.validator in {"maxItems", "maxProperties"}:
        # The message would have them all: a list, or an object.
        n_there = len(fault.instance)  # type: ignore[arg-type]
        return f"{n_there:,} are more than the {fault.validator_value:,} that are taken"
    message = str(fault.message)
    if isinstance(fault.instance, str):
        message = message.replace(repr(fault.instance), quoted(fault.instance))
    return brief(message)
