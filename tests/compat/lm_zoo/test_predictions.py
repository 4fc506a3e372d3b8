"""The distributions of models in this process, as the LM Zoo's HDF5 file."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.models.conftest import FolderOf

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so
from pommel.errors import ModelError

SENTENCES = ["The cats that the dog saw were here .", "I", ""]


def check(model: str) -> None:
    """Check a file of predictions against the tokens, the surprisals and the spec."""
    tokens, frame = Z.tokenize(model, SENTENCES), Z.get_surprisals(model, SENTENCES)
    with Z.get_predictions(model, SENTENCES) as file:
        vocabulary = np.char.decode(file["vocabulary"][:], "utf-8").tolist()
        items = Z.spec(model)["vocabulary"]["items"]
        assert vocabulary[: len(items)] == items
        for index, expected in enumerate(tokens):
            group = file[f"sentence/{index}"]
            ids, rows = group["tokens"][:], group["predictions"][:]
            assert [vocabulary[each] for each in ids] == expected
            assert rows.shape == (len(expected), len(vocabulary))
            assert np.allclose(np.exp(rows).sum(axis=1), 1, atol=1e-4)
            if not expected:
                continue
            assert np.allclose(rows[0], -np.log(len(vocabulary)))
            bits = -rows[np.arange(len(ids)), ids] / np.log(2)
            assert bits[1:] == pytest.approx(
                frame.loc[index + 1]["surprisal"].to_numpy()[1:], abs=1e-4
            )


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mamba", "t5"])
def test_rows_are_distributions_before_each_token(tiny_folder: FolderOf, kind: str) -> None:
    check(f"huggingface://{tiny_folder(kind)}")


def test_of_the_model_that_ships() -> None:
    check("builtin://en-gpt2")


def test_a_mark_in_front_is_a_token_of_its_own(tiny_folder: FolderOf) -> None:
    model = f"huggingface://{tiny_folder('llama')}"
    (tokens,) = Z.tokenize(model, ["The dog ."])
    assert tokens[0] == "<s>"
    frame = Z.get_surprisals(model, ["The dog ."])
    assert frame["token"].tolist() == tokens
    # What follows the mark is really scored.
    assert frame["surprisal"].iloc[0] == 0
    assert frame["surprisal"].iloc[1] > 0


def test_a_masked_model_predicts_no_next_token(tiny_folder: FolderOf) -> None:
    model = f"huggingface://{tiny_folder('bert')}"
    with pytest.raises(Z.errors.UnsupportedFeatureError) as caught:
        Z.get_predictions(model, ["The dog ."])
    assert str(caught.value) == f"{model}: a masked model gives no probabilities of next tokens"
    assert (caught.value.model, caught.value.feature) == (model, "get_predictions")


def test_no_sentences_give_a_file_with_the_vocabulary() -> None:
    with Z.get_predictions("builtin://en-gpt2", []) as file:
        assert list(file["sentence"]) == []
        assert len(file["vocabulary"]) == 1500


def test_what_the_model_cannot_take_is_said_before_anything_runs() -> None:
    with pytest.raises(ModelError, match="more than the 128 that the model can take"):
        Z.get_predictions("builtin://en-gpt2", ["word " * 100])


def test_a_dummy_may_name_a_file_of_them(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "out.hdf5", "w") as file:
        file["vocabulary"] = np.array([b"a"])
    answers = {
        "spec": {"tokenizer": {}},
        "get_surprisals": "sentence_id\ttoken_id\ttoken\tsurprisal\n",
        "get_predictions": "out.hdf5",
    }
    (tmp_path / "dummy.json").write_text(json.dumps(answers))
    with Z.get_predictions(f"dummy://{tmp_path}/dummy.json", []) as file:
        assert file["vocabulary"][:].tolist() == [b"a"]
