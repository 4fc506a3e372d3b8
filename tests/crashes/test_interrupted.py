"""Ctrl-C and SIGTERM in every command: an exit status, a line or none, nothing half-written."""

import random
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.terminal import leaves
from tests.crashes.commands import READING, WRITING, Folder

from pommel.cli import _pommel

HOOK = Path(__file__).with_name("at_a_moment")
# As many as every command has: most of them before it begins, when modules are loaded.
LOADING = 500
# These need an engine.
ELSEWHERE = {"image build", "image check"}


def test_every_command_is_here() -> None:
    tried = WRITING + READING
    missing = {
        name
        for name, _ in leaves(_pommel, "")
        if not any(each.startswith(f"{name} ") or each == name for each in tried)
    }
    assert missing == ELSEWHERE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder.filled(tmp_path_factory.mktemp("all") / "folder")


@pytest.mark.parametrize("command", READING)
def test_commands_that_read(command: str, folder: Folder) -> None:
    chance = random.Random(command)  # noqa: S311 - no secret
    ended = signalled(folder, command, signal.SIGINT, chance.randint(1, LOADING))
    assert ended.returncode in {130, -signal.SIGINT}, ended.stderr
    assert ended.stderr in {"", "pommel: interrupted\n", "\npommel: interrupted\n"}


@pytest.mark.parametrize("command", WRITING)
def test_commands_that_write(command: str, folder: Folder, tmp_path: Path) -> None:
    chance = random.Random(command)  # noqa: S311 - no secret
    counted = tmp_path / "moments"
    whole = folder.copy(tmp_path / "whole")
    assert whole.ended(command, before=[HOOK], MOMENTS=str(counted)).returncode == 0
    n_moments = int(counted.read_text())
    for number in (signal.SIGINT, signal.SIGTERM):
        # Files are written near the end.
        at = chance.randint(n_moments - 40, n_moments)
        stopped = folder.copy(tmp_path / "stopped")
        ended = signalled(stopped, command, number, at)
        assert ended.returncode in {0, 128 + number, -number}, ended.stderr
        assert "Traceback" not in ended.stderr
        assert "Exception ignored" not in ended.stderr
        if ended.returncode > 0:
            assert ended.stderr.endswith("pommel: interrupted\n")
        assert stopped.names() <= whole.names() | kept(command)
        if ended.returncode and number == signal.SIGINT:
            again = stopped.ended(command)
            assert again.returncode == 0 or "already" in again.stderr
            assert stopped.names() <= whole.names()


def kept(command: str) -> set[str]:
    """Return what a command keeps to go on from, and deletes in the end."""
    return {"out/seed-1/state.safetensors"} if command.startswith("train lstm") else set()


def signalled(
    folder: Folder, command: str, number: signal.Signals, at: int
) -> subprocess.CompletedProcess[str]:
    """Run a command which a signal meets at a moment."""
    return folder.ended(command, before=[HOOK], SIGNAL=str(int(number)), SIGNAL_AT=str(at))
