"""`--quiet`: errors and results, and nothing else."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.cli.terminal import Screen, all_commands, called

RUN = ("run", "builtin://en-ngram", "number_prep", "--no-store")


def test_all_commands_can_be_quiet(pommel: Pommel) -> None:
    helped = {name: pommel(*name.split(), "--help").stdout for name in all_commands()}
    without = [name for name, text in helped.items() if "-q, --quiet" not in text]
    assert without == []


def test_notes_are_left_out(pommel: Pommel, tmp_path: Path) -> None:
    loud, quiet = (pommel(*RUN, "-o", tmp_path / "out", *more) for more in ((), ("-q",)))
    assert loud.stderr == f"Full results: {tmp_path / 'out'}\n"
    assert (quiet.status, quiet.stderr) == (0, "")
    assert quiet.stdout == loud.stdout


def test_errors_are_shown(pommel: Pommel, suites: Path) -> None:
    (suites / "first.json").write_text("[")
    done = pommel("run", "builtin://en-ngram", suites, "--quiet", "--no-store")
    assert done.status == 3
    assert "items" in done.stdout
    assert f"{suites / 'first.json'}:1:2:" in done.failure(3)


def test_a_terminal_shows_no_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert "en-ngram" in called(RUN, Screen)[2]
    assert called([*RUN, "--quiet"], Screen)[2] == ""
