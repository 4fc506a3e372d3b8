"""The weights of a word-level LSTM: what a file of them may hold, and what it may not."""

from pathlib import Path
from typing import Any

import pytest
from tests.models.lstm.folders import save_random_lstm
from tests.models.lstm.reading import (
    WORDS,
    Change,
    change_config,
    change_weights,
    message_of,
    read,
)

from pommel.errors import InputError, ModelNotAvailableError

torch: Any = pytest.importorskip("torch")
pytest.importorskip("safetensors")


def test_pickles_are_not_read(sound: Path) -> None:
    (sound / "model.safetensors").rename(sound / "model.pt")
    message = message_of(ModelNotAvailableError, sound)
    assert message == "lstm://model: MODEL has no weights (model.safetensors)"


def without(name: str) -> Change:
    return lambda weights: weights.pop(name)


def put(name: str, *shape: int, value: float = 0.0) -> Change:
    return lambda weights: weights.update({name: torch.full(shape, value)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            put("encoder.weight", 6, 12),
            (
                "a checkpoint of another shape: encoder.weight is 6 x 12, and config.json and "
                "vocabulary.txt ask for 5 x 12"
            ),
        ),
        (
            put("rnn.weight_hh_l1", 64),
            (
                "a checkpoint of another shape: rnn.weight_hh_l1 is 64, and config.json and "
                "vocabulary.txt ask for 64 x 16"
            ),
        ),
        (
            put("decoder.bias"),
            (
                "a checkpoint of another shape: decoder.bias is a single number, and config.json "
                "and vocabulary.txt ask for 5"
            ),
        ),
        (
            without("decoder.weight"),
            (
                "decoder.weight is missing, which config.json asks for; a model without one has "
                '"tied": true'
            ),
        ),
        (without("rnn.bias_ih_l1"), "rnn.bias_ih_l1 is missing, which config.json asks for"),
        (
            put("rnn.weight_hr_l0", 1),
            "rnn.weight_hr_l0 is there, and no part of config.json's network",
        ),
        (
            put("decoder.bias", 5, value=float("nan")),
            "decoder.bias has 5 numbers that are infinite or none at all (NaN)",
        ),
        (
            lambda weights: weights["encoder.weight"][2, 3].fill_(float("inf")),
            "encoder.weight has 1 number that is infinite or none at all (NaN)",
        ),
        (
            lambda weights: weights.update({"decoder.bias": torch.arange(5)}),
            (
                "decoder.bias has numbers of the kind int64; they have to be float32, float64, "
                "float16 or bfloat16"
            ),
        ),
    ],
)
def test_weights_that_cannot_be(sound: Path, change: Change, message: str) -> None:
    change_weights(sound, change)
    assert message_of(InputError, sound) == f"MODEL/model.safetensors: {message}"


@pytest.mark.parametrize(
    ("n_layers", "message"),
    [
        (3, "rnn.weight_ih_l2 and 3 others are missing, which config.json asks for"),
        (1, "rnn.bias_hh_l1 and 3 others are there, and no part of config.json's network"),
    ],
)
def test_another_number_of_layers(sound: Path, n_layers: int, message: str) -> None:
    change_config(sound, n_layers=n_layers)
    assert message_of(InputError, sound) == f"MODEL/model.safetensors: {message}"


def test_the_decoder_of_a_tied_model_is_its_encoder(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS, tied=True)

    def copy(weights: dict[str, Any]) -> None:
        weights["decoder.weight"] = weights["encoder.weight"].clone()

    change_weights(folder, copy)
    assert "decoder.weight" not in read(folder).weights
    change_weights(folder, lambda weights: weights["decoder.weight"][0, 0].add_(1e-3))
    assert message_of(InputError, folder) == (
        "MODEL/model.safetensors: decoder.weight is not encoder.weight, and config.json says that "
        "they are tied"
    )


def test_files_that_are_cut_short(sound: Path) -> None:
    path = sound / "model.safetensors"
    whole = path.read_bytes()
    for part in (whole[:-1], whole[:5]):
        path.write_bytes(part)
        message = message_of(InputError, sound)
        assert message.startswith("MODEL/model.safetensors: this is no whole file of safetensors (")


def test_sizes_beyond_all_memory_are_only_compared(sound: Path) -> None:
    change_config(sound, hidden_size=10**9)
    assert message_of(InputError, sound) == (
        "MODEL/model.safetensors: a checkpoint of another shape: rnn.weight_ih_l0 is 64 x 12, and "
        "config.json and vocabulary.txt ask for 4000000000 x 12"
    )
