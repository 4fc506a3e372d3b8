"""What becomes of programs when the process that started them ends, in whatever way."""

import gc
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pommel.models.container.engines.reaper import Reaper

SLEEPING = [sys.executable, "-c", "import time; time.sleep(60)"]


def runs(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is None


def ended(process: subprocess.Popen[bytes], within_s: float = 10) -> bool:
    until = time.monotonic() + within_s
    while runs(process) and time.monotonic() < until:
        time.sleep(0.02)
    return not runs(process)


@pytest.fixture
def program() -> subprocess.Popen[bytes]:
    return subprocess.Popen(SLEEPING, start_new_session=True)


def test_what_was_not_discarded_is_removed_at_the_end(program: subprocess.Popen[bytes]) -> None:
    reaper = Reaper()
    reaper.add({"kind": "process", "id": program.pid, "patience_s": 0})
    assert runs(program)
    reaper.stop()
    assert ended(program)


def test_what_was_discarded_is_left_alone(program: subprocess.Popen[bytes]) -> None:
    reaper = Reaper()
    reaper.add({"kind": "process", "id": program.pid, "patience_s": 0})
    reaper.discard(program.pid)
    reaper.stop()
    assert runs(program)
    program.kill()
    program.wait()


def test_what_is_added_behind_an_end_has_an_end_of_its_own(
    program: subprocess.Popen[bytes],
) -> None:
    reaper = Reaper()
    reaper.add({"kind": "process", "id": 99_999_999, "patience_s": 0})
    reaper.stop()
    reaper.add({"kind": "process", "id": program.pid, "patience_s": 0})
    assert runs(program)
    reaper.stop()
    assert ended(program)


def test_an_engine_that_refuses_is_not_waited_for_long(
    tmp_path: Path, program: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("docker")
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def noted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    reaper = Reaper()
    settings = {"base_url": f"unix://{tmp_path / 'gone.sock'}"}
    reaper.add({"kind": "docker", "id": "x", "settings": settings, "is_answered": True})
    reaper.add({"kind": "process", "id": program.pid, "patience_s": 0})
    began = time.monotonic()
    reaper.stop()
    assert time.monotonic() - began < 6
    assert ended(program)
    # It may come back.
    (other,) = started
    assert runs(other)
    other.kill()
    other.wait()


class Collecting(dict[str, object]):
    """Has garbage collected when it is looked at: a lost model's container is removed then."""

    def __iter__(self) -> Iterator[str]:
        gc.collect()
        return super().__iter__()

    def keys(self) -> Any:
        gc.collect()
        return super().keys()


def test_a_collection_of_garbage_in_the_middle_may_discard(
    program: subprocess.Popen[bytes],
) -> None:
    reaper = Reaper()
    reaper.add({"kind": "process", "id": program.pid, "patience_s": 0})

    class Model:
        def __init__(self) -> None:
            self.itself = self  # only the collector gets rid of it

    weakref.finalize(Model(), reaper.discard, program.pid)
    reaper.add(Collecting(kind="process", id=99_999_999, patience_s=0))
    reaper.stop()
    assert runs(program)
    program.kill()
    program.wait()


def test_a_fork_does_not_keep_the_reaper_waiting(
    program: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    code = f"""
import os, time
from pommel.models.container.engines.reaper import REAPER
REAPER.add({{"kind": "process", "id": {program.pid}, "patience_s": 0}})
if os.fork() == 0:
    open({str(tmp_path / "forked")!r}, "w").write(str(os.getpid()))
    time.sleep(20)
    os._exit(0)
time.sleep(60)
"""
    owner = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "forked").exists():
        time.sleep(0.02)
    time.sleep(0.2)
    owner.kill()
    owner.wait()
    assert ended(program)
    os.kill(int((tmp_path / "forked").read_text()), 9)
