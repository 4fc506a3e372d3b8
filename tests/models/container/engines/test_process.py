"""`Command` over programs of this machine: what it makes of them does not depend on the engine."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pommel.errors import ContainerError, UnsupportedFeatureError
from pommel.models.container.engines.engine import Image, Job, Pull, PullProgress, Sandbox
from pommel.models.container.engines.process import Command, last_words, output_lines
from pommel.models.container.engines.process_channel import ProcessChannel


class LocalEngine:
    """Runs commands as they are; remembers what it has started."""

    def __init__(self) -> None:
        self.channels: list[ProcessChannel] = []

    def find_image(
        self,
        reference: str,
        *,
        sandbox: Sandbox | None = None,
        pull: Pull = "missing",
        progress: PullProgress | None = None,
    ) -> Image:
        del sandbox, pull, progress
        return Image(reference=reference, id="sha256:0")

    def remove_image(self, image: Image) -> None:
        """Do nothing: no image was fetched."""

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def start(self, job: Job) -> ProcessChannel:
        channel = ProcessChannel(job.command)
        self.channels.append(channel)
        return channel


def job(*command: str, **limits: float) -> Job:
    sandbox = Sandbox().with_settings(f"{key}={value}" for key, value in limits.items())
    image = Image(reference="docker://acme/model", id="sha256:0")
    return Job(image=image, command=command, sandbox=sandbox)


def python(code: str, **limits: float) -> Job:
    return job(sys.executable, "-c", code, **limits)


def message(of: Job, *chunks: bytes) -> str:
    with pytest.raises(ContainerError) as caught:
        list(output_lines(LocalEngine(), of, chunks))
    head, _, rest = str(caught.value).partition(": ")
    assert head == "docker://acme/model"
    return rest.removeprefix(f"{' '.join(of.command)}: ")


def test_input_goes_in_and_lines_come_out() -> None:
    lines = list(output_lines(LocalEngine(), job("cat"), [b"one\ntw", b"o\n", b"\n", b"last"]))
    assert lines == ["one", "two", "", "last"]


def test_input_of_any_size_is_taken_piece_by_piece_and_output_meanwhile() -> None:
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield b"x" * 65_535 + b"\n"

    lines = output_lines(LocalEngine(), job("cat"), pieces())
    assert len(next(lines)) == 65_535
    time.sleep(0.3)
    # Nobody reads on, so nobody writes on: what is on its way is bounded.
    assert taken < 500
    assert sum(1 for _ in lines) == 999


def test_a_command_that_does_not_read_is_no_error() -> None:
    assert list(output_lines(LocalEngine(), job("echo", "done"), [b"x" * (1 << 20)] * 8)) == [
        "done"
    ]


def test_a_line_may_be_long_and_come_in_many_pieces() -> None:
    (line,) = output_lines(LocalEngine(), python("print('x' * 5_000_000)"))
    assert len(line) == 5_000_000


def test_and_not_without_end() -> None:
    endless = python("import sys\nwhile True: sys.stdout.write('x' * 65536)")
    assert message(endless) == "a line of its output is longer than 64 MiB"


def test_the_exit_status_and_the_last_words_are_quoted() -> None:
    failing = python("import sys; print('half'); print('no weights', file=sys.stderr); sys.exit(3)")
    assert message(failing) == (
        "it ended with exit status 3; the last it wrote to standard error:\n    no weights"
    )


def test_99_means_that_there_is_no_such_feature() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        list(output_lines(LocalEngine(), job("sh", "-c", "exit 99")))
    assert str(caught.value) == (
        "docker://acme/model: sh -c exit 99: the image does not support this (exit status 99)"
    )


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (126, "the command cannot be executed (exit status 126)"),
        (127, "the command or a program that it calls is not there (exit status 127)"),
        (
            137,
            (
                "it was killed (exit status 137), probably for its use of memory "
                "(the limit is 8 GiB; --sandbox memory=SIZE allows more)"
            ),
        ),
    ],
)
def test_some_statuses_have_a_meaning(status: int, text: str) -> None:
    assert message(job("sh", "-c", f"exit {status}")) == text


def test_a_command_that_hangs_is_stopped() -> None:
    began = time.monotonic()
    text = message(
        python(
            "import sys, time; print('loading', file=sys.stderr, flush=True);time.sleep(60)", time=1
        )
    )
    assert time.monotonic() - began < 10
    assert text == (
        "it had not ended after 1 s and was stopped (--sandbox time=SECONDS allows more); "
        "the last it wrote to standard error:\n    loading"
    )


def test_so_is_one_that_says_a_little_for_ever() -> None:
    dripping = python("import time\nwhile True: print(1, flush=True); time.sleep(.01)", time=1)
    assert message(dripping).startswith("it had not ended after 1 s and was stopped")


def test_so_is_one_that_has_closed_its_output_and_goes_on() -> None:
    closing = python("import os, time; os.close(1); os.close(2); time.sleep(60)", time=1)
    assert message(closing).startswith("it had not ended after 1 s and was stopped")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped(stream: str) -> None:
    flooding = python(f"import sys\nwhile True: sys.{stream}.write('x' * 4096)", output=1 << 20)
    assert message(flooding).startswith(
        "it printed more than 1 MiB and was stopped (--sandbox output=SIZE allows more)"
    )


def test_output_that_is_no_text_is_refused() -> None:
    assert message(job("printf", "ok\\n\\377\\n")) == "line 2 of its output is not UTF-8"


def test_a_sentence_is_named_that_wrong_output_is_about() -> None:
    # Its end, too, would be a reason to be told.
    wrong = job("sh", "-c", "echo 1; printf '\\377\\n'; exec sleep 60")
    with Command(LocalEngine(), wrong) as command:
        command.feed([])
        assert command.next_line() == "1"
        command.wait_for(2, "The cat .")
        with pytest.raises(ContainerError) as caught:
            command.next_line()
    assert str(caught.value).endswith("is not UTF-8, at sentence 2 ('The cat .')")


def test_a_sentence_is_suspected_that_a_command_ends_at() -> None:
    with Command(LocalEngine(), job("sh", "-c", "echo 1; exit 1")) as command:
        command.feed([])
        assert command.next_line() == "1"
        command.wait_for(2, "The cat .")
        with pytest.raises(ContainerError) as caught:
            command.finish()
    assert str(caught.value).endswith("it ended with exit status 1")
    assert caught.value.suspect == "The cat ."


def test_a_command_that_is_kept_has_its_clock_restarted() -> None:
    echo = python("import sys\nfor line in sys.stdin: print(line * 3, end='', flush=True)", time=2)
    with Command(LocalEngine(), echo) as command:
        for word in ("a", "b", "c"):
            command.feed([f"{word}\n".encode()], last=False)
            assert [command.next_line() for _ in range(3)] == [word] * 3
            time.sleep(1)
            command.restart_clock()
        command.feed([])
        assert command.next_line() is None
        command.finish()


def test_an_error_in_the_pieces_of_input_is_the_callers() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one\n"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(output_lines(LocalEngine(), job("cat"), pieces()))


def test_nothing_is_left_running_whatever_happens() -> None:
    engine = LocalEngine()
    n_threads = threading.active_count()
    lines = output_lines(engine, python("import time\nprint(1, flush=True); time.sleep(60)"))
    assert next(lines) == "1"
    lines.close()  # type: ignore[attr-defined]
    assert engine.channels[0].exit_status(1).code == 137
    until = time.monotonic() + 5
    while threading.active_count() > n_threads and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() <= n_threads


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nor_when_we_are_killed(number: signal.Signals, tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_process import LocalEngine, job, output_lines
known = "read line; echo $$ > {tmp_path}/pid; sleep 60"
list(output_lines(LocalEngine(), job("sh", "-c", known), [b"you are known\\n"]))
"""
    # It is given its input once the reaper knows of it: the instant before that is nobody's.
    ours = subprocess.Popen([sys.executable, "-c", code])
    pid = _number(tmp_path / "pid")
    ours.send_signal(number)
    ours.wait()
    # Less than it sleeps, and more than a busy machine needs.
    until = time.monotonic() + 20
    while _runs(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(pid)


def _number(path: Path) -> int:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text().strip()):
            return int(text)
        time.sleep(0.05)
    raise AssertionError(path)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that nobody has waited for is dead all the same.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_nothing_said_is_nothing_shown() -> None:
    assert last_words(b"") == ""
    assert last_words(b"\n  \n") == ""


def test_the_last_lines_end_a_message() -> None:
    assert last_words(b"first\nsecond\n\nthird") == (
        "; the last it wrote to standard error:\n    first\n    second\n    third"
    )


def test_only_the_end_is_kept_and_long_lines_are_cut() -> None:
    written = b"".join(b"line %d\n" % n for n in range(100_000)) + b"x" * 1000
    shown = [line.strip() for line in last_words(written).split("\n")[1:]]
    assert shown == [*(f"line {n}" for n in range(99_991, 100_000)), "x" * 200]


def test_a_container_cannot_steer_a_terminal() -> None:
    written = b"\x1b[31mred\x07\ttab\xff\xc2\x9b\n"
    assert last_words(written).endswith(":\n    ?[31mred? tab\ufffd?")


def test_the_time_of_all_commands_together_is_bounded() -> None:
    started = time.monotonic()
    until = started + 0.5
    sleeping = replace(python("import time; time.sleep(60)", time=60), until=until)
    sleeping = replace(sleeping, sandbox=replace(sleeping.sandbox, total_s=0.5))
    with pytest.raises(ContainerError) as raised:
        list(output_lines(LocalEngine(), sleeping))
    assert raised.value.is_cut_off
    assert "the image had used up its 0.5 s and was stopped" in str(raised.value)
    assert str(raised.value).endswith("(--sandbox total-time=SECONDS allows more)")
    assert time.monotonic() - started < 10
