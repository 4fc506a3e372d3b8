"""Running the command line inside the test process, and a small suite to run it on."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import Outcome, Pommel, suite_value

from pommel.cli import main


@pytest.fixture
def pommel(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Pommel:
    """Run a command; returns its exit status and both streams."""

    def run(*arguments: str | Path, stdin: str | bytes = b"") -> Outcome:
        # The terminal's own encoding must not matter: the bytes are what is read.
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="ascii"))
        status: Any = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            status = leaving.code or 0
        captured = capsys.readouterr()
        return Outcome(status=status, stdout=captured.out, stderr=captured.err)

    return run


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    """A file with a sound suite."""
    path = tmp_path / "agreement.json"
    path.write_text(json.dumps(suite_value(), indent=2))
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """A folder with two suites."""
    folder = tmp_path / "suites"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / f"{name}.json").write_text(json.dumps(suite_value(name)))
    return folder
