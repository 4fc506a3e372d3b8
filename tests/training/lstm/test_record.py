"""The record of a training, and what is said of the model because of it."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from tests.training.lstm.samples import N_STEPS, TINY

from pommel import api
from pommel.models.lstm.folder import RECORD, read_folder


def test_a_member_is_a_model_with_a_record(undisturbed: Path) -> None:
    folder = undisturbed / "family" / "seed-1"
    read = read_folder(folder, reference="lstm://seed-1")
    assert read.config.hidden_size == 6
    assert len(read.vocabulary) == 62
    record = json.loads((folder / RECORD).read_text("utf-8"))
    assert record["recipe"] == asdict(TINY)
    assert record["seed"] == 1
    assert record["figures"]["n_steps"] == N_STEPS
    assert record["figures"]["ended_by"] == "epochs"
    assert record["figures"]["best_epoch"] == 2
    assert [each["epoch"] for each in record["figures"]["epochs"]] == [1, 2]
    assert record["corpus"]["training"]["n_sentences"] == 36
    assert record["environment"]["n_threads"] == 1
    assert record["environment"]["torch"] == torch.__version__.partition("+")[0] or (
        record["environment"]["torch"] == torch.__version__
    )
    assert len(record["sha256"]["text_sha256"]) == 64


@pytest.mark.parametrize(("name", "n_steps", "n_epochs"), [(".", 36, 2), ("step-30", 30, 1)])
def test_the_model_tells_what_its_training_recorded(
    undisturbed: Path, name: str, n_steps: int, n_epochs: int
) -> None:
    folder = undisturbed / "family" / "seed-1" / name
    record = json.loads((folder / RECORD).read_text("utf-8"))
    assert len(record["figures"]["epochs"]) == n_epochs
    lowest = min(each["validation_perplexity"] for each in record["figures"]["epochs"])
    assert api.load_model(f"lstm://{folder}").info.details["training"] == {
        "seed": 1,
        "n_steps": n_steps,
        "validation_perplexity": lowest,
    }
