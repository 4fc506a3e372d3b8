"""How an image's commands are started, and what is left for others to read."""

import math
import time
from pathlib import Path

import pytest
from tests.models.container.conftest import CommandsOf, ImageOf
from tests.models.container.local_engine import LocalEngine

from pommel.errors import (
    ContainerError,
    ModelError,
    ModelNotAvailableError,
    UnsupportedFeatureError,
    UsageError,
)
from pommel.models.container import commands
from pommel.models.container.commands import ImageCommands, requested_gpus, variables
from pommel.models.container.engines.engine import Sandbox
from pommel.models.model import LoadOptions


def test_every_command_is_one_start(commands: CommandsOf, engine: LocalEngine) -> None:
    image = commands()
    image.spec()
    image.tokenize(["a"] * 1000)
    image.unkify(["a"] * 1000)
    image.get_surprisals(["a"] * 1000)
    assert [job.command for job in engine.jobs] == [
        ("spec",),
        ("tokenize", "/dev/stdin"),
        ("unkify", "/dev/stdin"),
        ("get_surprisals", "/dev/stdin"),
    ]


def test_what_a_container_is_given(image: ImageOf, engine: LocalEngine, tmp_path: Path) -> None:
    sandbox = Sandbox(memory_bytes=1 << 30)
    options = LoadOptions(
        device="cuda:1", dtype="float16", batch_tokens=64, sandbox=sandbox, checkpoint=tmp_path
    )
    opened = ImageCommands.open(image(), options)
    opened.tokenize(["a"])
    opened.get_surprisals(["a"])
    tokenize, get_surprisals = engine.jobs
    assert {job.sandbox for job in engine.jobs} == {sandbox}
    assert {job.checkpoint for job in engine.jobs} == {tmp_path}
    assert (tokenize.gpus, get_surprisals.gpus) == (None, "1")
    assert tokenize.environment["POMMEL_DEVICE"] == "cpu"
    assert get_surprisals.environment == {
        "POMMEL_DEVICE": "cuda",
        "POMMEL_DTYPE": "float16",
        "POMMEL_BATCH_TOKENS": "64",
    }


def test_a_command_sees_where_the_checkpoint_is(image: ImageOf, tmp_path: Path) -> None:
    script = "print(os.environ.get('LMZOO_CHECKPOINT_PATH'))\n"
    reference = image(tokenize=script)
    assert ImageCommands.open(reference, LoadOptions()).tokenize(["a"]) == [["None"]]
    opened = ImageCommands.open(reference, LoadOptions(checkpoint=tmp_path))
    assert opened.tokenize(["a"]) == [[str(tmp_path)]]


def test_input_of_any_size_is_streamed(commands: CommandsOf) -> None:
    sentences = [f"{n} " + "x" * 1000 for n in range(20_000)]
    tokens = commands(tokenize="for s in sentences(): print(s[:9], len(s))\n").tokenize(sentences)
    assert len(tokens) == 20_000
    assert tokens[-1] == ["19999", "xxx", "1006"]


def test_the_input_ends_with_a_line_feed(commands: CommandsOf) -> None:
    image = commands(tokenize="print(ascii(open(sys.argv[1], 'rb').read()))\n")
    assert image.tokenize(["é"]) == [["b'\\xc3\\xa9\\n'"]]


@pytest.mark.parametrize(
    ("options", "pulls"),
    [
        (LoadOptions(), "missing"),
        (LoadOptions(pull="always"), "always"),
        (LoadOptions(pull="always", offline=True), "never"),
    ],
)
def test_pulling(image: ImageOf, engine: LocalEngine, options: LoadOptions, pulls: str) -> None:
    ImageCommands.open(image(), options)
    assert engine.pulls == [pulls]


def test_the_time_of_all_commands_begins_with_the_first(image: ImageOf) -> None:
    options = LoadOptions(sandbox=Sandbox(total_s=60))
    opened = ImageCommands.open(image(), options)
    before = time.monotonic()
    first = opened.job("spec").until
    assert before + 60 <= first <= time.monotonic() + 60
    assert opened.job("tokenize").until == first
    assert ImageCommands(engine=opened.engine, image=opened.image).job("spec").until == math.inf


def test_what_is_not_there(image: ImageOf, engine: LocalEngine, tmp_path: Path) -> None:
    with pytest.raises(ModelNotAvailableError, match=r"^local://x: there is no such image$"):
        ImageCommands.open("local://x", LoadOptions())
    with pytest.raises(ModelNotAvailableError, match=r"^there is no image 'GRN' in the registry"):
        ImageCommands.open("GRN", LoadOptions())
    with pytest.raises(ModelNotAvailableError, match=r"x: there is no such file or folder$"):
        ImageCommands.open(image(), LoadOptions(checkpoint=tmp_path / "x"))
    with pytest.raises(UsageError, match=r"^--device mps: a container has no such device"):
        ImageCommands.open("local://toy", LoadOptions(device="mps"))
    assert engine.jobs == []


class TestRaw:
    def test_lines_are_as_they_are_printed(self, commands: CommandsOf) -> None:
        image = commands(tokenize="for s in sentences(): print(f' {s}\\t')\n")
        assert list(image.raw("tokenize", ["a", "", "b"])) == [" a\t", " \t", " b\t"]

    def test_there_is_no_end_of_lines(self, commands: CommandsOf) -> None:
        image = commands(tokenize="while True: print()\n")
        with pytest.raises(ContainerError) as caught:
            list(image.raw("tokenize", ["a", ""]))
        assert str(caught.value) == (
            "local://toy: tokenize /dev/stdin: it printed more than 33792 characters"
        )

    def test_there_is_no_end_of_characters(self, commands: CommandsOf) -> None:
        image = commands(tokenize="while True: print(' ' * 1_000_000)\n")
        with pytest.raises(ContainerError) as caught:
            list(image.raw("tokenize", ["a", ""]))
        assert str(caught.value) == (
            "local://toy: tokenize /dev/stdin: it printed more than 33792 characters"
        )

    def test_failures_are_failures(self, commands: CommandsOf) -> None:
        image = commands(tokenize="print('a')\nsys.exit(7)\n", unkify="sys.exit(99)\n")
        with pytest.raises(ContainerError, match=r"tokenize /dev/stdin: .* exit status 7$"):
            list(image.raw("tokenize", ["a"]))
        with pytest.raises(UnsupportedFeatureError):
            list(image.raw("unkify", ["a"]))
        with pytest.raises(ModelError, match="line break"):
            image.raw("tokenize", ["a\nb"])


@pytest.mark.parametrize(
    ("device", "gpus", "inside"),
    [
        ("cpu", None, "cpu"),
        ("cuda", "all", "cuda"),
        ("cuda:0", "0", "cuda"),
        ("cuda:3", "3", "cuda"),
    ],
)
def test_devices(device: str, gpus: str | None, inside: str) -> None:
    assert requested_gpus(device) == gpus
    assert variables(LoadOptions(device=device, dtype="bfloat16")) == {
        "POMMEL_DEVICE": inside,
        "POMMEL_DTYPE": "bfloat16",
    }


def test_limits_are_told_where_there_are_any() -> None:
    told = variables(LoadOptions(batch_tokens=64, max_memory_bytes=1 << 20))
    assert told["POMMEL_BATCH_TOKENS"] == "64"
    assert told["POMMEL_MAX_MEMORY"] == "1048576"


def test_auto_is_what_this_machine_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "nvidiactl"
    monkeypatch.setattr(commands, "_NVIDIA", driver)
    assert requested_gpus("auto") is None
    driver.touch()
    assert requested_gpus("auto") == "all"


@pytest.mark.parametrize("device", ["mps", "cuda:", "cuda:x", "gpu", ""])
def test_devices_that_no_container_has(device: str) -> None:
    with pytest.raises(UsageError) as caught:
        requested_gpus(device)
    assert str(caught.value) == (
        f"--device {device}: a container has no such device; it is cpu, cuda, cuda:N or auto"
    )
