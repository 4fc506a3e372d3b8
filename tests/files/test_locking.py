"""Files that are locked for others, until who has locked them is gone."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pommel.files import locked_for_others

_HOLDS = """
import os, sys, time
from pommel.files import locked_for_others
print(locked_for_others(os.open(sys.argv[1], os.O_RDWR)), flush=True)
time.sleep(60)
"""


def test_others_are_kept_out_until_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    opened = os.open(path, os.O_RDWR)
    try:
        with subprocess.Popen(
            [sys.executable, "-c", _HOLDS, path], stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == "True\n"
            assert not locked_for_others(opened, waiting=False)
            holder.kill()
        began = time.monotonic()
        assert locked_for_others(opened)
        assert time.monotonic() - began < 30
    finally:
        os.close(opened)


def test_what_is_not_open_cannot_be_locked(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    opened = os.open(path, os.O_RDWR)
    os.close(opened)
    assert locked_for_others(opened) is False


@pytest.mark.skipif(sys.platform == "win32", reason="children inherit no locks there")
def test_a_child_that_has_it_open_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    ours, other = (os.open(path, os.O_RDWR) for _ in range(2))
    assert locked_for_others(ours)
    with subprocess.Popen(["sleep", "60"], pass_fds=[ours]) as child:
        os.close(ours)
        assert not locked_for_others(other, waiting=False)
        child.kill()
    assert locked_for_others(other, waiting=False)
    os.close(other)
