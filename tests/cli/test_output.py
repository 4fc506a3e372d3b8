"""What terminals are shown, and what files are given."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO

import click
import pytest
from click.testing import CliRunner
from rich.table import Table
from tests.cli.terminal import all_shown

from pommel.cli.output import (
    download_bar,
    folder_option,
    form_option,
    form_or_usual,
    output_option,
    progress_bar,
    show_rows,
)
from pommel.files.tables import frame_of, frame_text

Terminal = tuple[int, TextIO]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """Where the screen can be read, and what writes to it."""
    screen, writing = os.openpty()
    with os.fdopen(writing, "w") as opened:
        yield screen, opened
    os.close(screen)


def test_a_download_that_is_none_shows_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal[1])
    with download_bar("toy"):
        assert sys.stderr is terminal[1]
    terminal[1].close()
    assert all_shown(terminal[0]) == ""


def test_a_download_is_shown_from_its_first_piece_on(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal[1])
    with download_bar("toy") as tell:
        tell(0, 0)
        tell(500, 1000)
    terminal[1].close()
    shown = all_shown(terminal[0])
    assert "fetching toy" in shown
    assert "0.5/1.0 kB" in shown


def test_lines_say_how_far_it_is_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar("toy", 4) as go_on:
        go_on(4)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("POMMEL_PROGRESS", "1")
    with progress_bar("toy", 4) as go_on:
        go_on(1)
        # Too soon for another line, but for the last one.
        go_on(1)
        go_on(2)
    said = capsys.readouterr().err
    assert said == "progress: 1 of 4, toy\nprogress: 4 of 4, toy\n"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("csv", 'a,b\n"x,y",\n'),
        ("tsv", "a\tb\nx,y\t\n"),
        ("json", '[\n  {\n    "a": "x,y",\n    "b": null\n  }\n]\n'),
    ],
)
def test_forms_of_a_tidy_table(form: str, text: str) -> None:
    assert frame_text(frame_of({"a": ["x,y"], "b": [float("nan")]}), form) == text


def test_rows_are_printed_in_one_form_and_only_this_is_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> NoReturn:
        raise AssertionError

    show_rows("csv", tables=fail, frame=lambda: frame_of({"a": [1]}))
    assert capsys.readouterr().out == "a\n1\n"
    show_rows("table", tables=lambda: [Table("one"), Table("two")], frame=fail)
    out = capsys.readouterr().out
    assert out.index("one") < out.index("two")


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
    assert form_or_usual(form, compat) == printed
