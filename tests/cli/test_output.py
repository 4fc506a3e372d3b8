"""What terminals are shown, and what files are given."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import NoReturn, TextIO

import pytest
from rich.table import Table

from pommel.cli.output import download_bar, for_stdout, show_rows, show_text
from pommel.files.tables import frame_of, frame_text

Terminal = tuple[int, TextIO]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """Where the screen can be read, and what writes to it."""
    screen, writing = os.openpty()
    with os.fdopen(writing, "w") as opened:
        yield screen, opened
    os.close(screen)


def test_only_a_terminal_is_spared_what_is_not_printable(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert for_stdout("\x1b[2J\ta") == "\x1b[2J\ta"
    monkeypatch.setattr(sys, "stdout", terminal[1])
    assert for_stdout("\x1b[2J\ta") == "?[2J a"


def test_a_text_keeps_its_lines_and_tabs_and_steers_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen, writing = terminal
    text = "a\t\x1b[2Jb\r\nc\x9b\n"
    show_text(text)
    assert capsys.readouterr().out == text
    monkeypatch.setattr(sys, "stdout", writing)
    show_text(text)
    writing.flush()
    # The terminal itself makes a carriage return of every line's end, and blanks of a tab.
    shown = os.read(screen, 1000).decode().replace("\r\n", "\n").replace("\t", " ").split()
    assert shown == ["a", "?[2Jb?", "c?"]


def test_a_download_that_is_none_shows_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal[1])
    with download_bar("toy"):
        assert sys.stderr is terminal[1]
    assert _shown(terminal) == ""


def test_a_download_is_shown_from_its_first_piece_on(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal[1])
    with download_bar("toy") as tell:
        tell(0, 0)
        tell(500, 1000)
    shown = _shown(terminal)
    assert "fetching toy" in shown
    assert "0.5/1.0 kB" in shown


def _shown(terminal: Terminal) -> str:
    """Return all that a screen was sent; nothing more can be written."""
    screen, writing = terminal
    writing.close()
    found = b""
    # At its end a terminal fails.
    with contextlib.suppress(OSError):
        while chunk := os.read(screen, 65536):
            found += chunk
    return found.decode()


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
