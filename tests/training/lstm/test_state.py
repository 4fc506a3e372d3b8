"""The state that a training goes on from."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from tests.models.lstm.full_disk import files_of_at_most
from tests.training.lstm.samples import Recorder, signal_after, tiny_plan

from pommel.errors import InputError, PommelError
from pommel.training.lstm.recipe import EpochFigures, Progress
from pommel.training.lstm.session import STATE, State, read_state, write_state


def state(n_numbers: int = 7) -> State:
    """Return a state in the middle of a second epoch."""
    figures = EpochFigures(
        epoch=1,
        learning_rate=20.0,
        training_perplexity=0.1 + 0.2,
        validation_perplexity=1 / 3,
        is_best=True,
        n_words_per_second=1e-300,
        seconds=9.0,
    )
    return State(
        identity={"clip": 0.25, "split": "words", "text_sha256": "naïve", "tied": False},
        progress=Progress(learning_rate=5.0, step=3, nats=2 / 3, n_words=8, epochs=[figures]),
        tensors={
            "now/weight": torch.randn(n_numbers),
            "generator": torch.Generator().get_state(),
            "hidden": torch.full((2, 1), -torch.inf),
        },
        n_threads=3,
        device="cuda:1",
    )


def test_what_is_written_is_read_to_the_last_bit(tmp_path: Path) -> None:
    written = state()
    write_state(tmp_path / STATE, written)
    read = read_state(tmp_path / STATE)
    assert (read.identity, read.progress) == (written.identity, written.progress)
    assert (read.n_threads, read.device) == (3, "cuda:1")
    assert read.tensors.keys() == written.tensors.keys()
    assert all(read.tensors[name].equal(each) for name, each in written.tensors.items())


def test_on_a_full_disk_the_state_of_before_stays(tmp_path: Path) -> None:
    path = tmp_path / STATE
    write_state(path, state())
    before = path.read_bytes()
    with files_of_at_most(50_000), pytest.raises(PommelError) as caught:
        write_state(path, state(n_numbers=50_000))
    assert str(caught.value).startswith(f"{path}: cannot be written: ")
    assert "File too large" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda raw: raw[:100], "Error while deserializing header"),
        (lambda raw: raw.replace(b'\\"version\\": 1', b'\\"version\\": 9'), "another version"),
        (lambda _: b"", "Error while deserializing header"),
    ],
)
def test_a_damaged_state_is_an_error(
    tmp_path: Path, damage: Callable[[bytes], bytes], what: str
) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny_plan(tmp_path).train(signal_after(5))
    path = tmp_path / "family" / "seed-1" / STATE
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=what) as caught:
        tiny_plan(tmp_path).train(Recorder())
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith("; give --restart to train from the beginning")
    tiny_plan(tmp_path, restart=True).train(Recorder())
