"""What a command is told of its output."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pommel.cli.output import folder_option, form_option, output_form, output_option


def ran(command: click.Command, *arguments: str) -> str:
    return CliRunner().invoke(command, arguments).output


def test_a_form_is_one_of_four_by_default_a_table() -> None:
    @click.command()
    @form_option()
    def command(form: str) -> None:
        click.echo(form)

    assert ran(command) == "table\n"
    assert ran(command, "--format", "tsv") == "tsv\n"
    assert "'--format': 'xml' is not one of 'table', 'csv', 'tsv', 'json'." in ran(
        command, "--format", "xml"
    )
    assert "--format [table|csv|tsv|json]  What to print.  [default: table]" in ran(
        command, "--help"
    )


def test_a_form_may_have_other_choices_and_no_default() -> None:
    @click.command()
    @form_option(["text", "json"], default=None, about="How to say it.")
    def command(form: str | None) -> None:
        click.echo(repr(form))

    assert ran(command) == "None\n"
    assert "--format [text|json]  How to say it.\n" in ran(command, "--help")


def test_a_file_may_be_named_and_a_folder_has_to_be(tmp_path: Path) -> None:
    @click.command()
    @output_option
    def to_file(output: Path | None) -> None:
        click.echo(output)

    @click.command()
    @folder_option
    def to_folder(output: Path) -> None:
        click.echo(output)

    assert ran(to_file) == "\n"
    assert ran(to_file, "-o", "a.csv") == "a.csv\n"
    assert "is a directory" in ran(to_file, "-o", str(tmp_path))
    assert ran(to_folder, "--output", str(tmp_path)) == f"{tmp_path}\n"
    assert "Missing option '-o' / '--output'." in ran(to_folder)


@pytest.mark.parametrize(
    ("form", "compat", "printed"),
    [(None, None, "table"), (None, "syntaxgym", "tsv"), ("json", "syntaxgym", "json")],
)
def test_the_retired_package_printed_tsv(
    form: str | None, compat: str | None, printed: str
) -> None:
    assert output_form({"form": form, "compat": compat}) == printed
