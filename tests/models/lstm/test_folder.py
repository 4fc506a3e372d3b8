"""The folder of a word-level LSTM: written and read again, and everything that may be wrong."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.models.lstm.full_disk import files_of_at_most
from tests.models.lstm.reading import (
    VOCABULARY,
    change_config,
    change_weights,
    message_of,
    read,
)
from tests.models.lstm.reference import as_tensors, random_weights

from pommel.errors import InputError, ModelNotAvailableError, PommelError
from pommel.models.lstm.folder import LstmConfig, write_folder

torch: Any = pytest.importorskip("torch")
pytest.importorskip("safetensors")


@pytest.mark.parametrize("tied", [False, True])
def test_what_is_written_is_read(tmp_path: Path, *, tied: bool) -> None:
    weights = as_tensors(random_weights(5, embedding_size=6, hidden_size=6, tied=tied))
    config = LstmConfig(
        embedding_size=6, hidden_size=6, n_layers=2, tied=tied, unk="¿", eos="</s>", cased=False
    )
    vocabulary = ("the", "</s>", "naïve", "¿", "日本語")
    write_folder(tmp_path / "new" / "model", config, vocabulary, weights)
    found = read(tmp_path / "new" / "model")
    assert (found.config, found.vocabulary) == (config, vocabulary)
    assert found.weights.keys() == weights.keys()
    assert all(found.weights[name].equal(each) for name, each in weights.items())


def test_a_trained_network_is_written_as_it_is(tmp_path: Path) -> None:
    # A matrix that is turned round, of parameters, and the tied one under both of its names.
    weights = as_tensors(random_weights(5, hidden_size=6, tied=True))
    turned = weights["encoder.weight"].t().contiguous().t().requires_grad_()
    given = {**weights, "encoder.weight": turned, "decoder.weight": turned}
    config = LstmConfig(embedding_size=6, hidden_size=6, n_layers=2, tied=True)
    write_folder(tmp_path, config, VOCABULARY, given)
    found = read(tmp_path).weights
    assert found.keys() == weights.keys()
    assert found["encoder.weight"].equal(weights["encoder.weight"])


def test_whoever_may_read_the_folder_may_read_its_files(tmp_path: Path) -> None:
    weights = as_tensors(random_weights(5))
    config = LstmConfig(embedding_size=5, hidden_size=6, n_layers=2)
    write_folder(tmp_path, config, VOCABULARY, weights)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    names = ("config.json", "model.safetensors", "vocabulary.txt")
    assert modes == dict.fromkeys(names, modes["config.json"])
    assert modes["config.json"] & stat.S_IRUSR


def test_weights_of_another_shape_are_not_written(tmp_path: Path) -> None:
    config = LstmConfig(embedding_size=5, hidden_size=6, n_layers=2)
    with pytest.raises(AssertionError):
        write_folder(tmp_path / "model", config, VOCABULARY[:4], as_tensors(random_weights(5)))
    assert not (tmp_path / "model").exists()


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("")
    config = LstmConfig(embedding_size=5, hidden_size=6, n_layers=2)
    with pytest.raises(PommelError, match=r"model.safetensors: cannot be written: "):
        write_folder(tmp_path / "model", config, VOCABULARY, as_tensors(random_weights(5)))


def test_on_a_full_disk_the_model_of_before_stays(sound: Path) -> None:
    before = {path.name: path.read_bytes() for path in sound.iterdir()}
    config = LstmConfig(embedding_size=50, hidden_size=60, n_layers=2)
    weights = as_tensors(random_weights(5, embedding_size=50, hidden_size=60))
    with files_of_at_most(50_000), pytest.raises(PommelError) as caught:
        write_folder(sound, config, VOCABULARY, weights)
    assert str(caught.value).startswith(f"{sound}/model.safetensors: cannot be written: ")
    assert "File too large" in str(caught.value)
    assert {path.name: path.read_bytes() for path in sound.iterdir()} == before


def test_the_fingerprint_is_that_of_all_that_decides_the_numbers(sound: Path) -> None:
    known = {read(sound).fingerprint}
    path = sound / "config.json"
    # Another order, other keys and other white space say nothing else.
    config = {"note": "a key of somebody else", **json.loads(path.read_text()), "cased": True}
    path.write_text(json.dumps(config, indent=3))
    assert {read(sound).fingerprint} == known
    for content in ({**config, "cased": False}, {**config, "unk": "The"}):
        path.write_text(json.dumps(content))
        known.add(read(sound).fingerprint)
    path.write_text(json.dumps(config))
    (sound / "vocabulary.txt").write_text("<unk>\n<eos>\ncat\nThe\nsleeps\n")
    known.add(read(sound).fingerprint)
    change_weights(sound, lambda weights: weights["decoder.bias"].add_(1))
    known.add(read(sound).fingerprint)
    assert len(known) == 5
    assert all(len(each) == 64 for each in known)


@pytest.mark.parametrize("number_format", ["float64", "float16", "bfloat16"])
def test_weights_may_be_stored_in_other_number_formats(sound: Path, number_format: str) -> None:
    wanted = getattr(torch, number_format)

    def convert(weights: dict[str, Any]) -> None:
        weights |= {name: each.to(wanted) for name, each in weights.items()}

    change_weights(sound, convert)
    assert {each.dtype for each in read(sound).weights.values()} == {wanted}


# --- what is missing


def test_folders_that_are_none(tmp_path: Path) -> None:
    message = message_of(ModelNotAvailableError, tmp_path / "none")
    assert message == "lstm://model: there is no folder MODEL"
    (tmp_path / "file").touch()
    message = message_of(ModelNotAvailableError, tmp_path / "file")
    assert message == "lstm://model: MODEL is a file; a model is a folder"
    assert message_of(ModelNotAvailableError, tmp_path) == (
        "lstm://model: MODEL has no config.json; a model is a folder with config.json, "
        "vocabulary.txt and weights"
    )


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("vocabulary.txt", "MODEL/vocabulary.txt: No such file or directory"),
        ("model.safetensors", "MODEL has no weights (model.safetensors)"),
    ],
)
def test_files_that_are_missing(sound: Path, file: str, message: str) -> None:
    (sound / file).unlink()
    assert message_of(ModelNotAvailableError, sound) == f"lstm://model: {message}"


# --- what is wrong


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1", ":1: this is not JSON: Expecting ',' delimiter (column 3)"),
        ("[]", ": this is no configuration of an LSTM: [] is not of type 'object'"),
        (
            '{"embedding_size": 3, "n_layers": 1}',
            ": this is no configuration of an LSTM: 'hidden_size' is a required property",
        ),
    ],
)
def test_files_that_are_no_configuration(sound: Path, content: str, message: str) -> None:
    (sound / "config.json").write_text(content)
    assert message_of(InputError, sound) == f"MODEL/config.json{message}"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("n_layers", True, "True is not of type 'integer'"),
        ("hidden_size", 2.5, "2.5 is not of type 'integer'"),
        ("embedding_size", "12", "'12' is not of type 'integer'"),
        ("tied", 1, "1 is not of type 'boolean'"),
        ("cased", None, "None is not of type 'boolean'"),
        ("eos", "a b", r"'a b' does not match '^\\S+$'"),
        ("unk", "", r"'' does not match '^\\S+$'"),
    ],
)
def test_configurations_that_cannot_be(sound: Path, key: str, value: Any, message: str) -> None:
    change_config(sound, **{key: value})
    assert message_of(InputError, sound) == (
        f"MODEL/config.json: this is no configuration of an LSTM: {message} (at {key})"
    )


def test_sizes_that_cannot_be(sound: Path) -> None:
    change_config(sound, hidden_size=-1)
    assert message_of(InputError, sound) == (
        "MODEL/config.json: hidden_size has to be at least 1, not -1"
    )


def test_numbers_that_are_whole_are_integers(sound: Path) -> None:
    change_config(sound, n_layers=2.0)
    assert repr(read(sound).config.n_layers) == "2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<unk>\nThe\ncat\nsleeps\n.\n",
            (
                ": the mark '<eos>' is not in it; it has to be, or config.json has to name another "
                "as 'eos'"
            ),
        ),
        ("<unk>\n\n", ":2: the line is blank; a vocabulary has a word a line"),
    ],
)
def test_vocabularies_that_cannot_be(sound: Path, text: str, message: str) -> None:
    (sound / "vocabulary.txt").write_text(text)
    assert message_of(InputError, sound) == f"MODEL/vocabulary.txt{message}"
