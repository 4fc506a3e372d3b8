"""Commands of pommel beside requests: real processes, which are begun, cancelled, bounded, lost."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.cli.samples import suite_value
from tests.posix import POSIX_ONLY

from pommel.errors import StoreError
from pommel.serve import jobs as module
from pommel.serve.desk import Desk
from pommel.serve.jobs import BusyError, Job, Jobs, Limits, Task
from pommel.store import Store

SECONDS = 60.0
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, and limits of Linux")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty desk."""
    return Desk.open(tmp_path / "serve.sqlite")


@pytest.fixture
def jobs(desk: Desk) -> Iterator[Jobs]:
    """The jobs of a server."""
    found = Jobs(desk)
    yield found
    found.close()


@pytest.fixture
def as_pommel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What has jobs run a program of the test's instead: a package of the name is found first."""

    def put(program: str) -> None:
        (tmp_path / "first").mkdir()
        (tmp_path / "first" / "pommel.py").write_text(program)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "first"))
        monkeypatch.setenv("PYTHONSAFEPATH", "1")

    return put


def ended(jobs: Jobs, job_id: str) -> Job:
    """Wait for the end of a job, and return it."""
    return until(jobs, job_id, lambda job: not job.is_going_on)


def until(jobs: Jobs, job_id: str, reached: Callable[[Job], bool]) -> Job:
    """Wait until something is so of a job, and return it."""
    late = time.monotonic() + SECONDS
    while time.monotonic() < late:
        job = jobs.job(job_id)
        assert job is not None
        assert not job.is_lost, "nobody looks after it"
        if reached(job):
            return job
        time.sleep(0.05)
    raise AssertionError(job)


def group(leader: int) -> list[int]:
    """Return the processes of a group that go on; one that nobody has waited for does not."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, of = path.read_text("utf-8").rpartition(")")[2].split()[:3]
            if int(of) == leader and state != "Z":
                found.append(int(path.parent.name))
    return sorted(found)


def is_gone(leader: int) -> bool:
    """Return whether none of a group goes on, now or in a moment."""
    late = time.monotonic() + 10
    while group(leader) and time.monotonic() < late:
        time.sleep(0.05)
    return not group(leader)


def task(
    arguments: Sequence[str] = (), *, kind: str = "x", title: str = "x", given: bytes = b""
) -> Task:
    """Return a command that is to be begun."""
    return Task(kind=kind, title=title, arguments=arguments, about={"n": 1}, given=given)


def test_a_command_is_run_and_its_log_kept(jobs: Jobs) -> None:
    job_id = jobs.begin(task(["--version"], kind="about", title="The version"), by="A. Linguist")
    job = ended(jobs, job_id)
    assert (job.kind, job.title, job.begun_by, job.about, job.exit_status) == (
        "about",
        "The version",
        "A. Linguist",
        {"n": 1},
        0,
    )
    assert job.log.startswith("pommel")
    assert job.ended is not None
    wrong = ended(jobs, jobs.begin(task(["no-command"], title="Nothing"), by=""))
    assert wrong.exit_status == 2
    assert "No such command" in wrong.log
    assert [each.title for each in jobs.latest()] == ["Nothing", "The version"]
    assert jobs.job("none") is None


def test_a_command_that_is_waited_for(jobs: Jobs) -> None:
    done = jobs.run(["--version"])
    assert (done.exit_status, done.said.startswith("pommel"), done.log) == (0, True, "")
    done = jobs.run(["no-command"])
    assert (done.exit_status, done.said) == (2, "")
    assert "No such command" in done.log


def test_what_a_command_is_given_and_how_far_it_is(
    jobs: Jobs, as_pommel: Callable[[str], None]
) -> None:
    as_pommel(
        "import sys\n"
        "print(sys.stdin.read(), flush=True)\n"
        "for n in range(40): print(f'progress: {n} of 40, sentences', flush=True)\n"
        "import time; time.sleep(1.5)\n"
        "print('\\x1b[31mdone', flush=True)\n"
    )
    job_id = jobs.begin(task(given=b"the cat\n"), by="")
    far = until(jobs, job_id, lambda job: not job.is_going_on or job.progress is not None)
    assert far.progress is not None
    assert (far.progress[0] < 40, far.progress[1:]) == (True, (40, "sentences"))
    job = ended(jobs, job_id)
    assert job.progress is None
    # Nothing of it steers a terminal, and how far it was is of no interest any more.
    assert job.log == "the cat\n\n?[31mdone\n"


@POSIX_ONLY
def test_a_run_that_is_cancelled_keeps_what_it_has_scored(tmp_path: Path, jobs: Jobs) -> None:
    value = suite_value()
    item = value["items"][0]
    value["items"] = []
    for number in range(1, 16_001):
        conditions = json.loads(json.dumps(item["conditions"]))
        for condition in conditions:
            condition["regions"][0]["content"] = f"The dog number {number}"
        value["items"].append({**item, "item_number": number, "conditions": conditions})
    suite, store = tmp_path / "suite.json", tmp_path / "store.sqlite"
    suite.write_text(json.dumps(value))
    command = ["run", "builtin://en-gpt2", str(suite), "--store", str(store)]
    job_id = jobs.begin(task(command, kind="run", title="A long one"), by="")

    def n_kept() -> int:
        with contextlib.suppress(StoreError), Store.open(store, read_only=True) as opened:
            ((n,),) = opened.database.rows("SELECT count(*) FROM scored")
            return int(n)
        return 0

    until(jobs, job_id, lambda job: not job.is_going_on or n_kept() > 0)
    jobs.cancel(job_id)
    jobs.cancel(job_id)
    job = ended(jobs, job_id)
    assert job.exit_status == 130, job.log
    assert 0 < n_kept() < 32_000


@LINUX_ONLY
def test_whoever_does_not_stop_is_killed_with_all_it_has_started(
    jobs: Jobs, as_pommel: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SECONDS_TO_STOP", 0.5)
    as_pommel(
        "import signal, subprocess, sys, time, os\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "time.sleep(0.6)\n"
        "print('still here', flush=True)\n"
        "time.sleep(600)\n"
    )
    job_id = jobs.begin(task(), by="")
    said = until(jobs, job_id, lambda job: "still" in job.log).log
    processes = [int(each) for each in said.split()[:2]]
    assert group(processes[0]) == processes
    jobs.cancel(job_id)
    assert ended(jobs, job_id).exit_status == 130
    assert is_gone(processes[0])


@LINUX_ONLY
@pytest.mark.parametrize(
    ("program", "limits", "status"),
    [
        ("x = bytearray(1 << 40)", Limits(memory_bytes=1 << 30), 1),
        (
            "x = []\nwhile True: x.append(bytearray(1 << 22))",
            Limits(memory_bytes=1 << 30, seconds=30.0),
            1,
        ),
        ("import time; time.sleep(600)", Limits(seconds=1.0), None),
        ("while True: pass", Limits(seconds=1.0), None),
        (
            "import os; os.fork(); import time; time.sleep(600)",
            Limits(seconds=1.0),
            None,
        ),
        ("while True: print('x' * 10_000)", Limits(file_bytes=1 << 20, seconds=30.0), 1),
    ],
)
def test_a_bomb_is_ended(
    jobs: Jobs,
    as_pommel: Callable[[str], None],
    program: str,
    limits: Limits,
    status: int | None,
) -> None:
    as_pommel(f"import os; print(os.getpid(), flush=True)\n{program}\n")
    done = jobs.run([], limits)
    assert done.exit_status == status, done.log[-1000:]
    # Nor does what it has started go on: all of them were one group.
    assert is_gone(int(done.said.split()[0]))


@POSIX_ONLY
def test_a_long_log_is_kept_by_its_end(jobs: Jobs, as_pommel: Callable[[str], None]) -> None:
    as_pommel("for n in range(200_000): print('line', n)\nprint('x' * 3_000_000, end='')\n")
    job = ended(jobs, jobs.begin(task(), by=""))
    assert job.exit_status == 0
    assert 100_000 <= len(job.log) < 100_100
    assert job.log.startswith("[what came before is left out]\n")
    assert job.log.endswith("xxx\n")


@POSIX_ONLY
def test_some_are_under_way_and_others_wait(
    desk: Desk, tmp_path: Path, as_pommel: Callable[[str], None]
) -> None:
    as_pommel(
        "import sys, time, pathlib\n"
        "print('begun', flush=True)\n"
        "while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.05)\n"
    )
    jobs, go = Jobs(desk, most_at_once=2, most_waiting=2), tmp_path / "go"
    ids = [jobs.begin(task([str(go)], title=str(number)), by="") for number in range(4)]
    with pytest.raises(BusyError, match="4 jobs are waiting or under way"):
        jobs.begin(task([str(go)], title="one too many"), by="")
    time.sleep(1.0)
    # One that waits ends at once when it is cancelled, and gives its place to nobody.
    jobs.cancel(ids[3])
    assert (ended(jobs, ids[3]).exit_status, ended(jobs, ids[3]).log) == (130, "")
    assert all(each.is_going_on for each in map(jobs.job, ids[:3]) if each)
    go.touch()
    assert [ended(jobs, each).exit_status for each in ids[:3]] == [0, 0, 0]
    assert [each.title for each in jobs.latest()] == ["3", "2", "1", "0"]
    jobs.close()


@POSIX_ONLY
def test_a_server_that_ends_ends_its_jobs(desk: Desk, as_pommel: Callable[[str], None]) -> None:
    as_pommel("import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    jobs = Jobs(desk, most_at_once=1)
    ids = [jobs.begin(task(), by="") for _ in range(3)]
    time.sleep(1.0)
    jobs.close()
    found = [jobs.job(each) for each in ids]
    assert [each.exit_status for each in found if each] == [130, 130, 130]


_SERVER = """
import sys, time
from pathlib import Path
from pommel.serve.desk import Desk
from pommel.serve.jobs import Jobs, Task
jobs = Jobs(Desk.open(Path(sys.argv[1])), beat_seconds=0.5)
print(jobs.begin(Task(kind="x", title="x", arguments=[]), by=""), flush=True)
while True: time.sleep(1)
"""


@LINUX_ONLY
def test_a_job_whose_server_was_killed_is_lost(
    desk: Desk, as_pommel: Callable[[str], None], tmp_path: Path
) -> None:
    as_pommel("import time; print('begun', flush=True); time.sleep(600)")
    # The server itself is the true one, what it starts is not.
    package = Path(module.__file__).parents[2]
    program = f"import sys; sys.path.insert(0, {str(package)!r})\n{_SERVER}"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(desk.path)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        job_id = server.stdout.readline().strip()
        others = Jobs(desk, beat_seconds=0.5)
        time.sleep(5)
        job = others.job(job_id)
        assert job is not None
        assert job.is_going_on
        # Of another server's, too, one knows what there is to know.
        others.cancel(job_id)
        server.kill()
    late = time.monotonic() + SECONDS
    while time.monotonic() < late:
        job = others.job(job_id)
        assert job is not None
        if job.is_lost:
            break
        time.sleep(0.1)
    assert (job.is_lost, job.is_going_on, job.exit_status, job.ended) == (True, False, None, None)
    for path in Path("/proc").glob("[0-9]*/environ"):
        # What it has started, and nobody looks after any more, is ours to end.
        with contextlib.suppress(OSError):
            if str(tmp_path).encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
