"""Questions on the command line: lines can be edited, and what no file should hold is refused."""

import contextlib
import sys
import unicodedata
from collections.abc import Callable

import click

from pommel.cli.output import say_wrong
from pommel.errors import printable
from pommel.files import is_encodable

# What is wrong with an answer, "" if nothing.
FaultOf = Callable[[str], str]

_BREAKS = "\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"


def text_fault(text: str) -> str:
    """Say why a text cannot be a name or a part of a sentence, "" if it can."""
    if not is_encodable(text):
        return "this is not UTF-8"
    for each in text:
        if unicodedata.category(each) == "Cc" or each in _BREAKS:
            return f"this has the control character {each!r}"
    return ""


def no_fault(_answer: str) -> str:
    """Find nothing wrong."""
    return ""


def ask(question: str, default: str = "", *, fault_of: FaultOf = no_fault) -> str:
    """Return what is typed, the default for nothing; asks again where something is wrong with it.

    Raises `click.Abort` at the end of the input, and where the user interrupts.
    """
    shown = f"{question} [{default}]: " if default else f"{question}: "
    while True:
        try:
            answer = _typed(printable(shown))
        except UnicodeDecodeError:
            fault = "this is not UTF-8"
        else:
            fault = (text_fault(answer) or fault_of(answer)) if answer else ""
            if not fault:
                return answer or default
        say_wrong(f"  {printable(fault)}")


def ask_number(question: str, default: int) -> int:
    """Return a whole number of at least 1."""

    def fault_of(answer: str) -> str:
        is_number = answer.strip().isdecimal() and int(answer) >= 1
        return "" if is_number else "this has to be a whole number, 1 or more"

    return int(ask(question, str(default), fault_of=fault_of))


def confirm(question: str) -> bool:
    """Return whether the answer is yes; Enter means no."""

    def fault_of(answer: str) -> str:
        return "" if answer.strip().lower() in _MEANING else "type y or n"

    return _MEANING.get(ask(question, "y/N", fault_of=fault_of).strip().lower(), False)


_MEANING = {"y": True, "yes": True, "n": False, "no": False}


def _typed(prompt: str) -> str:
    """Return a line without its end."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            # Not every Python has it; where it is there, arrow keys move in the line.
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - an import is all it takes
            return input(prompt)
        click.echo(prompt, nl=False, err=True)
        return input()
    except (EOFError, KeyboardInterrupt):
        raise click.Abort from None
