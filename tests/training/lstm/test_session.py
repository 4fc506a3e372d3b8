"""One training: interrupted anywhere it goes on as if nothing had been; what it leaves behind."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from hypothesis import given, settings, strategies as st
from tests.training.lstm.samples import (
    MODEL_FILES,
    N_STEPS,
    TINY,
    Recorder,
    files,
    signal_after,
    tiny_plan,
    weights,
)

from pommel.models.lstm.folder import RECORD, read_folder
from pommel.training.lstm.recipe import Plan
from pommel.training.lstm.session import STATE, SeedFolder, read_state


@pytest.fixture(scope="module")
def annealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another one: its second epoch is worse than its first, and the third has a lower rate."""
    folder = tmp_path_factory.mktemp("annealed")
    (member,) = annealed_plan(folder).train(Recorder())
    assert [each["is_best"] for each in member.figures["epochs"]] == [True, False, True]
    return folder


def annealed_plan(folder: Path) -> Plan:
    recipe = replace(TINY, learning_rate=20.0, n_epochs=3)
    return tiny_plan(folder, recipe=recipe, checkpoints=10)


@settings(max_examples=12)
@given(
    step=st.integers(1, N_STEPS * 3 // 2),
    again=st.integers(1, N_STEPS),
    number=st.sampled_from([signal.SIGINT, signal.SIGTERM]),
)
def test_interrupted_anywhere_it_ends_with_the_weights_of_an_undisturbed_training(
    annealed: Path,
    tmp_path_factory: pytest.TempPathFactory,
    step: int,
    again: int,
    number: signal.Signals,
) -> None:
    folder = tmp_path_factory.mktemp("interrupted")
    shutil.copy(annealed / "text.txt", folder)
    plan = annealed_plan(folder)
    ending = KeyboardInterrupt if number == signal.SIGINT else SystemExit
    with pytest.raises(ending):
        plan.train(signal_after(step, number))
    assert STATE in files(folder / "family" / "seed-1")
    assert "config.json" not in files(folder / "family" / "seed-1")
    # And once more, unless it comes to its end before that.
    watcher = signal_after(again)
    if step + again <= N_STEPS * 3 // 2:
        with pytest.raises(KeyboardInterrupt):
            plan.train(watcher)
        watcher = Recorder()
    plan.train(watcher)
    assert any("goes on from here" in note for note in watcher.notes)
    expected = annealed / "family" / "seed-1"
    assert files(folder / "family" / "seed-1") == files(expected)
    for name in (".", "step-10", "step-20", "step-30", "step-40", "step-50"):
        assert weights(folder / "family" / "seed-1" / name) == weights(expected / name)


def test_a_signal_is_followed_when_the_state_is_kept(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    watcher = signal_after(20, signal.SIGTERM)
    with pytest.raises(SystemExit) as caught:
        tiny_plan(tmp_path).train(watcher)
    assert caught.value.code == 143
    assert watcher.n_steps == 20
    assert watcher.notes[-1] == (
        f"{tmp_path}/family/seed-1: step 2 of 18 of epoch 2: stopped; the same command goes on "
        "from here"
    )
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_signal_while_the_model_is_written_is_followed_behind_it(
    undisturbed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    ending: type[BaseException],
) -> None:
    shutil.copy(undisturbed / "text.txt", tmp_path)
    finish = SeedFolder.finish

    def interrupted(self: SeedFolder, *content: object) -> None:
        signal.raise_signal(number)
        finish(self, *content)  # type: ignore[arg-type]

    plan = tiny_plan(tmp_path, seeds=(1, 2))
    watcher = Recorder()
    with monkeypatch.context() as patched:
        patched.setattr(SeedFolder, "finish", interrupted)
        with pytest.raises(ending):
            plan.train(watcher)
    # The first model is whole; the second has not been begun.
    assert watcher.n_steps == N_STEPS
    assert files(tmp_path / "family") == [f"seed-1/{name}" for name in MODEL_FILES]
    assert weights(tmp_path / "family" / "seed-1") == weights(undisturbed / "family" / "seed-1")
    watcher = Recorder()
    plan.train(watcher)
    assert watcher.n_steps == N_STEPS
    assert watcher.notes[0].startswith(f"{tmp_path}/family/seed-1 is trained already")


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.training.lstm.samples import Recorder, tiny_plan

def kill(step):
    if step == 25:
        os.kill(os.getpid(), signal.SIGKILL)

tiny_plan(Path(sys.argv[1]), save_every_seconds=0.0).train(Recorder(kill))
"""


def test_killed_it_goes_on_from_the_last_state(
    undisturbed: Path, tmp_path: Path, repository: Path
) -> None:
    shutil.copy(undisturbed / "text.txt", tmp_path)
    process = subprocess.run([sys.executable, "-c", KILLED, tmp_path], cwd=repository, check=False)
    assert process.returncode == -signal.SIGKILL
    assert files(tmp_path / "family" / "seed-1") == [STATE]
    watcher = Recorder()
    (member,) = tiny_plan(tmp_path).train(watcher)
    assert watcher.n_steps == N_STEPS - 24
    assert weights(member.folder) == weights(undisturbed / "family" / "seed-1")


@pytest.mark.parametrize("save_every_seconds", [0.0, 600.0])
def test_states_are_saved_in_between(tmp_path: Path, save_every_seconds: float) -> None:
    kept = []

    def look(_step: int) -> None:
        progress = read_state(tmp_path / "family" / "seed-1" / STATE).progress
        kept.append((len(progress.epochs), progress.step))

    plan = tiny_plan(tmp_path, save_every_seconds=save_every_seconds)
    plan.train(Recorder(look))
    # After each step, or else at the beginning and at the end of the first epoch.
    assert kept == [
        (epoch, 0 if save_every_seconds else step) for epoch in (0, 1) for step in range(18)
    ]


def test_checkpoints_are_models_below_it(undisturbed: Path) -> None:
    folder = undisturbed / "family" / "seed-1"
    below = [f"step-{step}/{name}" for step in (10, 20, 30) for name in MODEL_FILES]
    assert files(folder) == sorted([*MODEL_FILES, *below])
    for step in (10, 20, 30):
        checkpoint = folder / f"step-{step}"
        read_folder(checkpoint, reference="checkpoint")
        record = json.loads((checkpoint / RECORD).read_text("utf-8"))
        assert record["checkpoint"] == f"step-{step}"
        assert record["figures"]["n_steps"] == step
    assert len({weights(folder / f"step-{step}") for step in (10, 20, 30)}) == 3


def test_a_checkpoint_of_every_epoch(tmp_path: Path) -> None:
    (member,) = tiny_plan(tmp_path, checkpoints="epoch").train(Recorder())
    assert {path.name for path in member.folder.iterdir() if path.is_dir()} == {
        "epoch-1",
        "epoch-2",
    }
    # The last epoch is the best one here, and that is the model.
    assert member.figures["best_epoch"] == 2
    assert weights(member.folder / "epoch-2") == weights(member.folder)
    assert weights(member.folder / "epoch-1") != weights(member.folder)


def test_other_threads_go_on_with_a_warning(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny_plan(tmp_path, n_threads=1).train(signal_after(5))
    before = torch.get_num_threads()
    # As many as before, unless others are asked for.
    watcher = signal_after(5)
    with pytest.raises(KeyboardInterrupt):
        tiny_plan(tmp_path, n_threads=None).train(watcher)
    assert not any("number of threads" in note for note in watcher.notes)
    watcher = Recorder()
    tiny_plan(tmp_path, n_threads=2).train(watcher)
    assert (
        "note: the number of threads was 1 and is 2: the weights will not be those of an "
        "undisturbed training to the last bit"
    ) in watcher.notes
    assert torch.get_num_threads() == before
