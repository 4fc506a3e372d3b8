"""A program's pipes as a channel: real programs, killed in every way."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pommel.models.container.engines.engine import STDERR, STDOUT, ExitStatus
from pommel.models.container.engines.process_channel import ProcessChannel


@pytest.fixture
def channels() -> Iterator[list[ProcessChannel]]:
    started: list[ProcessChannel] = []
    yield started
    for channel in started:
        channel.remove()


def sh(channels: list[ProcessChannel], script: str, *, patience_s: float = 0) -> ProcessChannel:
    channel = ProcessChannel(["sh", "-c", script], patience_s=patience_s)
    channels.append(channel)
    return channel


def output(channel: ProcessChannel, stream: int = STDOUT) -> bytes:
    found = b""
    while (piece := channel.read()) is not None:
        found += piece[1] if piece[0] == stream else b""
    return found


def is_running(process: int) -> bool:
    try:
        # What nobody has waited for yet is there, and runs no more.
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_bytes_in_and_out(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "cat; echo done >&2; exit 3")
    channel.write(b"a\0")
    channel.write(b"\xff\n")
    channel.close_input()
    channel.close_input()
    assert output(channel) == b"a\0\xff\n"
    assert channel.exit_status(10) == ExitStatus(code=3)
    assert channel.read() is None


def test_standard_error_is_told_apart(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "echo out; echo err >&2")
    assert output(channel, STDERR) == b"err\n"


def test_environment_and_folder(channels: list[ProcessChannel], tmp_path: Path) -> None:
    environment = {"A": "b c", "PATH": os.environ["PATH"]}
    command = ["sh", "-c", 'echo "$A $HOME"; pwd']
    channel = ProcessChannel(command, environment=environment, folder=tmp_path)
    channels.append(channel)
    assert output(channel).decode() == f"b c \n{tmp_path.resolve()}\n"


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        ProcessChannel(["/nowhere/at/all"])


def test_more_than_a_pipe_holds_in_both_directions(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "cat")
    data = os.urandom(3_000_000)

    def write() -> None:
        channel.write(data)
        channel.close_input()

    writer = threading.Thread(target=write)
    writer.start()
    assert output(channel) == data
    writer.join()


@pytest.mark.parametrize(("how", "code"), [("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_a_signal_is_128_and_its_number(
    channels: list[ProcessChannel], how: str, code: int
) -> None:
    assert sh(channels, how).exit_status(10) == ExitStatus(code=code)


def test_it_has_not_ended_yet(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "sleep 1000")
    with pytest.raises(TimeoutError):
        channel.exit_status(0.1)


def test_writing_to_a_program_that_has_ended(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "exit 0")
    channel.exit_status(10)
    with pytest.raises(ConnectionError, match="its input: Broken pipe"):
        channel.write(b"x")


def test_writing_after_the_input_was_closed(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "sleep 1000")
    channel.close_input()
    with pytest.raises(ConnectionError, match="its input has been closed"):
        channel.write(b"x")


def test_removing_ends_a_read_and_a_write_that_wait(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "sleep 1000")
    raised: list[ConnectionError] = []

    def write() -> None:
        try:
            channel.write(bytes(1_000_000))
        except ConnectionError as error:
            raised.append(error)

    threads = [threading.Thread(target=write), threading.Thread(target=output, args=[channel])]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    channel.remove()
    for thread in threads:
        thread.join(5)
    assert not any(thread.is_alive() for thread in threads)
    assert len(raised) == 1


def test_removing_kills_all_that_it_has_started(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "trap '' TERM; sleep 1000 & echo $!; sleep 1000 & echo $!; wait")
    printed = b""
    while printed.count(b"\n") < 2:
        piece = channel.read()
        assert piece is not None
        printed += piece[1]
    channel.remove()
    channel.remove()
    time.sleep(0.1)
    assert not any(is_running(int(process)) for process in printed.split())
    assert channel.read() is None


def test_what_is_left_running_does_not_keep_the_output_open(
    channels: list[ProcessChannel],
) -> None:
    channel = sh(channels, "sleep 1000 & echo $!; exit 5")
    began = time.monotonic()
    process = int(output(channel))
    assert time.monotonic() - began < 5
    assert channel.exit_status(10) == ExitStatus(code=5)
    time.sleep(0.1)
    assert not is_running(process)


def test_with_patience_the_leader_tidies_up(channels: list[ProcessChannel], tmp_path: Path) -> None:
    script = f"echo ready; sleep 1000; touch {tmp_path}/tidied"
    channel = sh(channels, script, patience_s=10)
    assert channel.read() == (STDOUT, b"ready\n")
    channel.remove()
    assert (tmp_path / "tidied").exists()


def test_patience_has_an_end(channels: list[ProcessChannel]) -> None:
    channel = sh(channels, "echo ready; while :; do :; done", patience_s=0.3)
    assert channel.read() == (STDOUT, b"ready\n")
    began = time.monotonic()
    channel.remove()
    assert 0.3 <= time.monotonic() - began < 5
    assert channel.exit_status(10) == ExitStatus(code=137)


def test_it_ends_with_us(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from pommel.models.container.engines.process_channel import ProcessChannel\n"
        "channel = ProcessChannel(['sh', '-c', 'sleep 1000 & echo $!; wait'])\n"
        "print(channel.read()[1].decode().strip(), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=tmp_path, check=False
    )
    process = int(result.stdout)
    until = time.monotonic() + 10
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(process)
