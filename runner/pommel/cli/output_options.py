"""The options that say what a command prints, and where to."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])

# A table for people, and the same tidy.
TABLE_FORMS = ("table", "csv", "tsv", "json")


def form_option(
    choices: Sequence[str] = TABLE_FORMS,
    *,
    default: str | None = "table",
    about: str = "What to print.",
) -> Callable[[_F], _F]:
    """Return what adds `--format`, which the command gets as `form`.

    `about` is its help, which says the default where that depends on something (None).
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default=default,
        show_default=True,
        help=about,
    )


def output_option(function: _F) -> _F:
    """Add the file that takes a command's output."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File to write.  [default: standard output]",
    )(function)


def folder_option(function: _F) -> _F:
    """Add the folder that takes a command's files; it has to be named."""
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder to write to.",
    )(function)


def output_form(chosen: dict[str, Any]) -> str:
    """Return the format to print: what was asked for, and otherwise what `--compat` says."""
    return str(chosen["form"] or ("tsv" if chosen["compat"] else "table"))
