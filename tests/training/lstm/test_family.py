"""Families: one recipe, several seeds, a model each."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from tests.training.lstm.samples import (
    N_STEPS,
    TINY,
    Recorder,
    files,
    tiny_plan,
    weights,
)

from pommel.errors import PommelError
from pommel.training.lstm.session import STATE


def test_the_same_plan_gives_the_same_bytes_and_another_seed_others(
    undisturbed: Path, tmp_path: Path
) -> None:
    shutil.copy(undisturbed / "text.txt", tmp_path)
    torch.manual_seed(17)
    first, second = tiny_plan(tmp_path, seeds=(1, 2)).train(Recorder())
    assert (first.seed, second.seed) == (1, 2)
    assert weights(first.folder) == weights(undisturbed / "family" / "seed-1")
    assert weights(first.folder) != weights(second.folder)
    # They differ in nothing but the seed.
    records = [dict(member.record) for member in (first, second)]
    assert records[0]["corpus"] == records[1]["corpus"]
    assert (first.folder / "vocabulary.txt").read_bytes() == (
        second.folder / "vocabulary.txt"
    ).read_bytes()
    assert float(first.row[4].replace(",", "")) > 0


def test_what_is_trained_is_not_trained_again(undisturbed: Path) -> None:
    before = weights(undisturbed / "family" / "seed-1")
    watcher = Recorder()
    (member,) = tiny_plan(undisturbed).train(watcher)
    assert watcher.n_steps == 0
    assert watcher.notes == [
        f"{undisturbed}/family/seed-1 is trained already; --restart trains it anew"
    ]
    assert weights(member.folder) == before


@pytest.mark.usefixtures("trained")
def test_a_family_can_grow(tmp_path: Path) -> None:
    watcher = Recorder()
    members = tiny_plan(tmp_path, seeds=(3, 1)).train(watcher)
    assert [member.seed for member in members] == [3, 1]
    assert watcher.n_steps == N_STEPS


def test_a_training_that_diverges_leaves_no_model(tmp_path: Path) -> None:
    wild = tiny_plan(tmp_path, recipe=replace(TINY, learning_rate=1e38, clip=1e38))
    with pytest.raises(PommelError, match=r"training diverged in step \d of epoch 1"):
        wild.train(Recorder())
    assert files(tmp_path / "family" / "seed-1") == [STATE]


def test_sizes_and_unknown_words_are_told(tmp_path: Path) -> None:
    watcher = Recorder()
    tiny_plan(tmp_path, recipe=replace(TINY, n_epochs=1)).train(watcher)
    assert watcher.notes[0] == "vocabulary: 62 words"
    assert watcher.notes[1].startswith("training: 36 sentences, 4")
    assert watcher.notes[1].endswith("% of them unknown")
    assert len(watcher.notes) == 3
    watcher = Recorder()
    wide = replace(TINY, n_epochs=1, vocabulary_size=5_000)
    tiny_plan(tmp_path, out="wide", recipe=wide).train(watcher)
    assert watcher.notes[3] == (
        "note: the vocabulary has every word of the text, so <unk> is never trained, and bits of "
        "unknown words will mean nothing; --min-count or a smaller --vocabulary-size leave words "
        "for it"
    )


def test_a_folder_that_cannot_be_is_known_before_training(tmp_path: Path) -> None:
    (tmp_path / "family").write_text("a file")
    watcher = Recorder()
    with pytest.raises(PommelError, match="family/seed-1: cannot be written: Not a directory"):
        tiny_plan(tmp_path).train(watcher)
    assert watcher.n_steps == 0
