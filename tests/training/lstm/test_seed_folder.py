"""The folder of a training: what is in it decides whether it goes on, is refused, or is cleared."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from tests.training.lstm.samples import (
    MODEL_FILES,
    TINY,
    Recorder,
    files,
    signal_after,
    tiny_plan,
    write_text,
)

from pommel.errors import InputError, PommelError, UsageError
from pommel.models.lstm.folder import RECORD
from pommel.training.lstm.recipe import Plan


def refusal(kind: type[PommelError], plan: Plan) -> str:
    """Return why a training is not begun."""
    with pytest.raises(kind) as caught:
        plan.train(Recorder())
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"recipe": replace(TINY, clip=0.5)}, "--clip was 0.25 and is 0.5"),
        (
            {"recipe": replace(TINY, cased=False, n_epochs=3)},
            "--epochs was 2 and is 3, --lower was not given",
        ),
        ({"text": Path("OTHER")}, "TEXT has another content"),
        ({"validation": Path("OTHER")}, "--validation was not given"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_a_folder_of_another_training_is_refused(
    undisturbed: Path, tmp_path: Path, changes: dict[str, Any], what: str, *, finished: bool
) -> None:
    shutil.copy(undisturbed / "text.txt", tmp_path)
    if finished:
        shutil.copytree(undisturbed / "family", tmp_path / "family")
    else:
        with pytest.raises(KeyboardInterrupt):
            tiny_plan(tmp_path).train(signal_after(5))
    there = files(tmp_path)
    if changes.keys() & {"text", "validation"}:
        # Where the file lies is known only now.
        other = write_text(tmp_path / "other.txt", seed=2)
        changes = dict.fromkeys(changes, other)
        there = files(tmp_path)
    watcher = Recorder()
    with pytest.raises(UsageError) as caught:
        # Seed 2 could be trained, and is not: nothing is begun that cannot be ended.
        tiny_plan(tmp_path, seeds=(2, 1), **changes).train(watcher)
    assert str(caught.value) == (
        f"{tmp_path}/family/seed-1 holds another training: {what}; choose another folder, or give "
        "--restart to train anew in this one"
    )
    assert watcher.n_steps == 0
    assert files(tmp_path) == there
    tiny_plan(tmp_path, restart=True, **changes).train(watcher)
    assert files(tmp_path / "family" / "seed-1") == MODEL_FILES


def test_a_model_from_elsewhere_is_not_overwritten(trained: Path, tmp_path: Path) -> None:
    (trained / RECORD).unlink()
    assert refusal(UsageError, tiny_plan(tmp_path)) == (
        f"{trained} holds files of another training or another model (config.json); choose another "
        "folder, or give --restart to train anew in this one"
    )


def test_restarting_deletes_what_a_training_writes_and_nothing_else(
    trained: Path, tmp_path: Path
) -> None:
    mine = ["notes.txt", "step-10/figures.csv", "step-old/config.json"]
    for kept in mine:
        (trained / kept).parent.mkdir(exist_ok=True)
        (trained / kept).write_text("mine")
    tiny_plan(tmp_path, restart=True).train(Recorder())
    assert files(trained) == sorted([*MODEL_FILES, *mine])


def test_a_restart_deletes_nothing_before_the_text_has_been_read(
    trained: Path, tmp_path: Path
) -> None:
    there = files(trained.parent)
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    plan = replace(tiny_plan(tmp_path), text=empty, restart=True)
    with pytest.raises(InputError, match="there is no sentence in it"):
        plan.train(Recorder())
    too_large = replace(TINY, batch_size=10**6)
    with pytest.raises(InputError, match="cannot fill 1000000 streams"):
        replace(tiny_plan(tmp_path), recipe=too_large, restart=True).train(Recorder())
    assert files(trained.parent) == there


@pytest.mark.parametrize("name", ["model.safetensors", "vocabulary.txt"])
def test_a_model_that_lacks_a_part_is_not_finished(
    trained: Path, tmp_path: Path, name: str
) -> None:
    (trained / name).unlink()
    assert refusal(UsageError, tiny_plan(tmp_path)) == (
        f"{trained} holds a trained model without its {name}; choose another folder, or give "
        "--restart to train anew in this one"
    )


@pytest.mark.parametrize("content", ["[]", "{}", '{"recipe": {}, "sha256": {}}'])
def test_a_record_that_is_none(trained: Path, tmp_path: Path, content: str) -> None:
    record = trained / RECORD
    record.write_text(content)
    assert refusal(InputError, tiny_plan(tmp_path)) == (
        f"{record}: this is no record of a training; choose another folder, or give --restart to "
        "train anew in this one"
    )


def test_a_text_that_can_be_read_only_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(InputError, replace(tiny_plan(tmp_path), text=pipe)) == (
        f"{pipe} is no file but a pipe or a device, and it is read twice; write the text to a "
        "file first"
    )
