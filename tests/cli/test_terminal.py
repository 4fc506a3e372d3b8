"""Nothing that is said steers a terminal; nothing that is data is lost on its way to a file."""

import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from hypothesis import example, given, strategies as st
from rich.table import Table
from tests.cli.terminal import Screen, called, on_terminal
from tests.harmless import is_harmless

from pommel.cli.console import SafeConsole
from pommel.cli.output import show_text
from pommel.cli.terminal import SafeStream, safe_streams

HOSTILE = "a\t\x1b[2Jb\r\nc\x9b\n"
HARMLESS = "a\t?[2Jb?\nc?\n"


@pytest.mark.parametrize(("kind", "data"), [(Screen, HARMLESS), (io.StringIO, HOSTILE)])
def test_words_are_safe_everywhere_and_data_on_terminals(
    kind: type[io.StringIO], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = kind(newline=""), kind(newline="")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with safe_streams():
        click.echo(HOSTILE, nl=False, err=True, color=True)
        show_text(HOSTILE)
    assert err.getvalue() == HARMLESS
    assert out.getvalue() == data
    assert (sys.stdout, sys.stderr) == (out, err)


@example("\u200c")
@given(st.text())
def test_what_is_written_is_printable(text: str) -> None:
    out = io.StringIO(newline="")
    SafeStream(out).write(text)
    written = out.getvalue()
    assert is_harmless(written.replace("\n", "").replace("\t", ""))
    assert len(written) == len(text)


def test_of_escape_sequences_only_those_of_rich_reach_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = Screen()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = Table("\x1b[31mred", title="\x1b]0;title\x07")
    table.add_row("\x1b[2J")
    with safe_streams():
        SafeConsole(width=80).print(table)
    written = out.getvalue()
    assert "\x1b[1m" in written
    # A column is as wide as the text would have been.
    assert "?[31mre" in written
    assert "?]0;title" in written
    assert "?[2J" in written
    assert not any(each in written for each in ("\x1b[31m", "\x1b]", "\x1b[2J", "\x07"))


@pytest.mark.parametrize(
    ("encoding", "shown", "note"),
    [
        ("utf-8", "ü א\n", ""),
        ("cp1252", "ü ?\n", "note: what cp1252 has no character for is shown as ?; with"),
        ("ascii", "? ?\n", "note: what ascii has no character for is shown as ?; with"),
    ],
)
def test_what_an_encoding_lacks_is_a_question_mark_and_one_note(
    encoding: str, shown: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    err = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with safe_streams():
        click.echo("ü א")
        click.echo("ü א", err=True)
    for each in (out, err):
        each.flush()
        each.seek(0)
    assert out.read() == shown
    said, _, noted = err.read().partition("\n")
    assert said == shown.strip()
    assert noted.startswith(note)
    assert noted.count("\n") == bool(note)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_hebrew_suites_run_where_there_is_no_hebrew(encoding: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pommel", "run", "dummy://", "suites:he_gender_prep"),
            *("--no-store", "--format", "csv", "--table", "regions", "--output", tmp_path),
        ],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
        encoding=encoding,
    )
    assert "?" in ran.stdout
    assert ran.stderr.count("note: what ") == 1
    assert "א" in (tmp_path / "regions.csv").read_text("utf-8")


def test_a_command_on_a_terminal_shows_no_escape_sequence_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"meta": {"name": "\\u001b[2J"}}', "utf-8")
    with on_terminal("validate", path) as started:
        assert started.end() == 3
        shown = started.wait_for("error")
    assert "\x1b" not in shown


@pytest.mark.parametrize("kind", [io.StringIO, Screen])
def test_what_is_taken_for_a_colour_is_shown_to_be_there(
    kind: type[io.StringIO], tmp_path: Path
) -> None:
    path = tmp_path / "\x1b[31mred.json"
    status, shown, said = called(["validate", path], kind)
    assert status == 3
    assert f"{tmp_path}/?[31mred.json: " in shown
    status, _, said = called(["run", "dummy://", path], kind)
    assert status == 3
    assert "?[31mred.json" in said
