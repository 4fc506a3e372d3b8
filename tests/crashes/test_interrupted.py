"""Ctrl-C and SIGTERM in every command: an exit status, a line or none, nothing half-written."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crashes.commands import READING, WRITING, Folder

HOOK = Path(__file__).with_name("at_a_moment")
# As many as every command has: most of them before it begins, when modules are loaded.
LOADING = 250
# What is said last; training says more.
ENDS = ("pommel: interrupted\n", ": stopped; the same command goes on from here\n")


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
    told = tmp_path / "moments"
    whole = folder.copy(tmp_path / "whole")
    counted = {"MOMENTS": str(told), "WRITTEN": str(whole.path)}
    assert whole.ended(command, before=[HOOK], **counted).returncode == 0
    moments = told.read_text().splitlines()
    for number in (signal.SIGINT, signal.SIGTERM):
        at = chance.randint(1, len(moments))
        stopped = folder.copy(tmp_path / "stopped")
        ended = signalled(stopped, command, number, at, WRITTEN=str(stopped.path))
        assert ended.returncode in {128 + number, -number}, (moments[at - 1], ended.stderr)
        assert "Traceback" not in ended.stderr
        assert "Exception ignored" not in ended.stderr
        if ended.returncode > 0:
            assert ended.stderr.endswith(ENDS)
        assert stopped.names() <= whole.names() | kept(command)
        if ended.returncode and number == signal.SIGINT:
            again = stopped.ended(command)
            assert again.returncode == 0 or "already" in again.stderr
            assert stopped.names() <= whole.names()


def kept(command: str) -> set[str]:
    """Return what a command keeps to go on from, and deletes in the end."""
    return {"out/seed-1/state.safetensors"} if command.startswith("train lstm") else set()


def signalled(
    folder: Folder, command: str, number: signal.Signals, at: int, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command which a signal meets at a moment."""
    sent = {"SIGNAL": str(int(number)), "SIGNAL_AT": str(at)}
    return folder.ended(command, before=[HOOK], **sent, **environment)


_TIDYING = """
import os, signal, sys, pommel.cli
from pommel.__main__ import main

number = signal.Signals(int(sys.argv[1]))

def run():
    try:
        os.kill(os.getpid(), number)
    except KeyboardInterrupt:
        os.kill(os.getpid(), number)
        print("tidied")
        raise

pommel.cli.main = run
main()
"""


@pytest.mark.parametrize(
    ("number", "status", "printed"),
    [(signal.SIGHUP, 129, "tidied\n"), (signal.SIGTERM, -signal.SIGTERM, "")],
)
def test_a_second_signal_while_a_first_is_tidied_up_after(
    number: signal.Signals, status: int, printed: str
) -> None:
    """Kernel and shell both send SIGHUP when a terminal is closed."""
    done = subprocess.run(
        [sys.executable, "-c", _TIDYING, str(int(number))],
        capture_output=True,
        text=True,
        check=False,
        # `nohup` would have it ignored from the first.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, printed, "")
