"""The list of images that ships with pommel."""

import json

import pytest

from pommel.files.shipped import shipped_folder
from pommel.models.alignment import TokenizerSpec

REGISTRY = json.loads((shipped_folder("registry") / "lm_zoo.json").read_text("utf-8"))
NAMES = ["gpt2", "GRNN", "JRNN", "ngram", "ordered-neurons", "RNNG", "tinylstm"]


def test_the_shipped_list_has_the_seven_models() -> None:
    assert list(REGISTRY) == NAMES
    assert all(entry["shortname"] == name for name, entry in REGISTRY.items())
    assert {entry["image"]["registry"] for entry in REGISTRY.values()} == {"docker.io"}


@pytest.mark.parametrize(
    ("name", "size", "n_unknown", "first", "last"),
    [
        ("gpt2", 2438041842, 0, "<|endoftext|>", "<|endoftext|>"),
        ("GRNN", 4767176854, 1, None, "<eos>"),
        ("JRNN", 5371224184, 1, "<S>", "</S>"),
        ("ngram", 880261703, 1, None, "</s>"),
        ("ordered-neurons", 3218739006, 1, "<eos>", "<eos>"),
        ("RNNG", 1560615778, 66, None, None),
        ("tinylstm", 3295284357, 66, None, "<eos>"),
    ],
)
def test_what_is_known_of_each(
    name: str, size: int, n_unknown: int, first: str | None, last: str | None
) -> None:
    entry = REGISTRY[name]
    spec = TokenizerSpec.from_dict(entry)
    assert entry["image"]["name"] == "cpllab/language-models"
    assert (entry["image"]["tag"], entry["image"]["size"]) == (name.lower(), size)
    assert len(spec.unk_types) == n_unknown
    assert spec.prefix_types == frozenset({first} - {None})
    assert spec.suffix_types == frozenset({last} - {None})


def test_features_of_the_shipped_models() -> None:
    features = {name: entry["image"]["supported_features"] for name, entry in REGISTRY.items()}
    predicting = [name for name, each in features.items() if each["get_predictions"]]
    assert predicting == ["gpt2", "GRNN", "JRNN"]
    mounting = [name for name, each in features.items() if each["mount_checkpoint"]]
    assert mounting == ["ordered-neurons", "RNNG", "tinylstm"]
    on_gpus = [name for name, entry in REGISTRY.items() if entry["image"]["gpu"]["supported"]]
    assert on_gpus == ["tinylstm"]
