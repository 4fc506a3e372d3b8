"""Images of strangers: whatever they do, the message says what, and nothing is left of them."""

import re
from pathlib import Path

import pytest
from tests.builders import make_suite
from tests.container_fixtures import PodmanImage
from tests.models.container.engines.misbehaving_cases import (
    PODMAN,
    VERSION_1,
    VERSION_2,
    WAIT_MORE,
    Case,
)
from tests.models.container.engines.samples import SURPRISALS, Misbehaving, scored

import pommel
from pommel.errors import ContainerError

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("nothing_left")]


def name(case: Case) -> str:
    return case.fault


@pytest.mark.parametrize("protocol", [1, 2])
def test_without_a_fault_there_are_answers(misbehaving: Misbehaving, protocol: int) -> None:
    assert scored(f"docker://{misbehaving(protocol=protocol)}") == SURPRISALS


@pytest.mark.parametrize("case", VERSION_1, ids=name)
def test_version_1(misbehaving: Misbehaving, case: Case) -> None:
    check(f"docker://{misbehaving(case.fault)}", case)


@pytest.mark.parametrize("case", VERSION_2, ids=name)
def test_version_2(misbehaving: Misbehaving, case: Case) -> None:
    check(f"docker://{misbehaving(case.fault, protocol=2)}", case)


@pytest.mark.parametrize("case", PODMAN, ids=name)
def test_podman(misbehaving: Misbehaving, podman_image: PodmanImage, case: Case) -> None:
    check(f"podman://{podman_image(misbehaving(case.fault, protocol=2))}", case)


@pytest.mark.parametrize(
    ("missing", "command"), [("get_surprisals", "get_surprisals /dev/stdin"), ("spec", "spec")]
)
def test_a_command_that_is_not_there(misbehaving: Misbehaving, missing: str, command: str) -> None:
    reference = f"docker://{misbehaving(without=missing)}"
    with pytest.raises(ContainerError) as caught:
        scored(reference)
    what = "the command or a program that it calls is not there (exit status 127)"
    said = f"{reference}: {command}: {what}"
    assert str(caught.value).startswith(said)


def test_processes_that_start_processes_are_few_and_all_end(misbehaving: Misbehaving) -> None:
    before = n_processes()
    case = Case(
        fault="forks",
        message=f"score: {WAIT_MORE}",
        limits={"time": "2", "processes": "32"},
    )
    check(f"docker://{misbehaving('forks', protocol=2)}", case)
    # Others start processes, too, while this runs; a container's thousands would be seen.
    assert n_processes() < before + 32


def test_the_machine_is_as_it_was(misbehaving: Misbehaving) -> None:
    before = mounts(), sorted(Path("/").iterdir())
    for fault in ("writes", "memory"):
        with pytest.raises(ContainerError):
            scored(f"docker://{misbehaving(fault, protocol=2)}", memory="64M")
    assert (mounts(), sorted(Path("/").iterdir())) == before


def check(reference: str, case: Case) -> None:
    """Score three sentences and compare the message that comes of it."""
    with pytest.raises(case.kind) as caught:
        scored(reference, **case.limits)
    head, _, last_words = str(caught.value).partition("; the last it wrote to standard error:\n")
    assert head.removeprefix(f"{reference}: ") == case.message
    lines = [line.strip() for line in last_words.splitlines()]
    assert len(lines) <= 10
    whole_lines = lines[:-1] if case.cut_short else lines
    assert whole_lines[-1:] == ([case.last_line] if case.last_line else [])


@pytest.mark.parametrize(
    ("protocol", "fault"), [(1, "exits-at-dogs"), (2, "exits-at-dogs"), (2, "says-error")]
)
def test_the_sentence_at_which_it_fails_is_found(
    misbehaving: Misbehaving, protocol: int, fault: str
) -> None:
    suite = make_suite(
        [{"a": ("A cow", "barks"), "b": (f"A {noun}", "bark")} for noun in ("cow", "dog", "cat")],
        ["(2;%a%) > (2;%b%)"],
    )
    (run,) = pommel.run(f"docker://{misbehaving(fault, protocol=protocol)}", suite).runs
    assert run.surprisals.failed.keys() == {"A dog bark" if "dogs" in fault else "A cow bark"}
    why = (
        "ValueError: no dogs"
        if "dogs" in fault
        else "longer than the 4 tokens that the model takes"
    )
    assert next(iter(run.surprisals.failed.values())).endswith(why)
    assert run.result.predictions[0].n_items == 2


def n_processes() -> int:
    return len(list(Path("/proc").glob("[0-9]*")))


def mounts() -> list[str]:
    """Return where something is mounted, but for what engines mount for other containers."""
    places = [line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
    return [each for each in places if not re.search("/(overlay|containers|netns)", each)]
