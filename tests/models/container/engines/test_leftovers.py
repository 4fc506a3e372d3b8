import os
import socket
import subprocess
import sys

import pytest

from pommel.models.container.engines.docker_engine import is_gone, owner


def test_a_process_that_runs_is_not_gone() -> None:
    assert not is_gone(owner())


def test_one_that_has_ended_is() -> None:
    code = "from pommel.models.container.engines.docker_engine import owner; print(owner())"
    run = [sys.executable, "-c", code]
    label = subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()
    assert is_gone(label)


def test_the_same_number_used_again_is_another_process() -> None:
    place, number, started = owner().split("/")
    assert number == str(os.getpid())
    assert is_gone(f"{place}/{number}/{int(started) - 1}")


def test_a_process_of_another_place_is_left_alone() -> None:
    # Another machine of that name, another container, another user: nothing is known of it.
    place, _, _ = owner().split("/")
    assert place.startswith(f"{socket.gethostname()}.")
    assert place.endswith(f".{os.getuid()}")
    assert not is_gone(f"{place}1/99999999/1")
    assert is_gone(f"{place}/99999999/1")


@pytest.mark.parametrize("number", ["", "x", "²", "-1"])
def test_what_is_no_number_is_left_alone(number: str) -> None:
    assert not is_gone(f"{owner().split('/')[0]}/{number}/1")


@pytest.mark.parametrize("label", ["", "elsewhere/1/1", "nonsense"])
def test_what_is_no_label_of_ours_is_left_alone(label: str) -> None:
    assert not is_gone(label)
