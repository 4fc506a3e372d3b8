"""`pommel suites export`: suites in another format."""

from pathlib import Path
from typing import Literal

import click

from pommel.cli.lazy_group import Command
from pommel.cli.output import folder_option, form_option, note, suites_argument
from pommel.errors import counted
from pommel.files import check_file_names
from pommel.sources import Content, WrittenForm, load_suites
from pommel.suite import Suite

# The endings of files, and the forms that they are written in.
_FORMS = {"json": "suite", "csv": "csv", "txt": "sentences"}


@click.command("export", cls=Command)
@suites_argument
@folder_option
@form_option(list(_FORMS), default="json", about="Format of the files.", has_tables=False)
@click.option(
    "--first-letter",
    type=click.Choice(["capital", "small"]),
    help="Write variants whose sentences begin with such a letter; `pommel stats stability` says "
    "what that is worth.",
)
@click.option(
    "--punctuation",
    type=click.Choice(["apart", "natural"]),
    default="apart",
    show_default=True,
    help="Marks as the suites have them, or at the words that their language writes them to.",
)
def command(
    suites: tuple[str, ...],
    output: Path,
    form: str,
    first_letter: Literal["capital", "small"] | None,
    punctuation: Literal["apart", "natural"],
) -> None:
    """Write SUITEs as SyntaxGym JSON, long CSV, or plain sentences (one a line)."""
    written = WrittenForm.named(_FORMS[form])
    found = load_suites(suites)
    Suite.check_distinct_names(found.suites)
    exported = [
        suite.with_first_letters(first_letter) if first_letter else suite
        for suite in (each.with_punctuation(punctuation) for each in found.suites)
    ]
    check_file_names(suite.name for suite in exported)
    for suite in exported:
        Content.of_suite(suite).write(written, output / f"{suite.name}.{form}")
    note(f"{counted(len(found.suites), 'suite')}: {output}")
    found.check()
