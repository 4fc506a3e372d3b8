"""The list of images that ships with pommel, and what `schemas/lm_zoo_registry.json` allows."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pommel.errors import InputError
from pommel.files.shipped import json_schema, shipped_folder
from pommel.models.alignment import TokenizerSpec
from pommel.models.reference_files import check_shape

REGISTRY = json.loads((shipped_folder("registry") / "lm_zoo.json").read_text("utf-8"))
NAMES = ["gpt2", "GRNN", "JRNN", "ngram", "ordered-neurons", "RNNG", "tinylstm"]
# An entry as the LM Zoo wrote it.
PUBLISHED = {
    "RNNG": {
        "ref_url": "TODO",
        "image": {
            "maintainer": "someone@example.org",
            "version": "ca867981a9bd1ac987447ab6f77e0850236f604d",
            "datetime": "2020-05-25T17:43:57.369318478Z",
            "supported_features": {"tokenize": True, "mount_checkpoint": True},
            "gpu": {"required": False, "supported": False},
            "registry": "docker.io",
            "name": "cpllab/language-models",
            "tag": "rnng",
            "size": 1560615778,
        },
        "tokenizer": {"type": "word", "cased": True},
        "shortname": "RNNG",
    }
}


def check(registry: Any) -> None:
    check_shape(registry, json_schema("lm_zoo_registry"), where="r.json", noun="registry")


def changed(**image: Any) -> dict[str, Any]:
    entry: dict[str, Any] = PUBLISHED["RNNG"]
    return {"RNNG": {**entry, "image": {**entry["image"], **image}}}


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(json_schema("lm_zoo_registry"))


def test_the_shipped_list_fits_it_and_has_the_seven_models() -> None:
    registry = REGISTRY
    check(registry)
    assert list(registry) == NAMES
    assert all(entry["shortname"] == name for name, entry in registry.items())


@pytest.mark.parametrize(
    ("name", "size", "n_unknown", "first", "last"),
    [
        ("gpt2", 2440000000, 0, "<|endoftext|>", "<|endoftext|>"),
        ("GRNN", 4767176854, 1, None, "<eos>"),
        ("JRNN", 5371224184, 1, "<S>", "</S>"),
        ("ngram", 880207473, 1, None, "</s>"),
        ("ordered-neurons", 3218739014, 1, "<eos>", "<eos>"),
        ("RNNG", 1560615778, 66, None, None),
        ("tinylstm", 3295284385, 66, None, "<eos>"),
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


def test_a_list_as_the_lm_zoo_published_it() -> None:
    check(PUBLISHED)


def test_what_more_there_is_may_be_there() -> None:
    check(changed(max_memory=None, architecture="amd64"))


@pytest.mark.parametrize(
    ("registry", "message"),
    [
        ([], "r.json: this is no registry: [] is not of type 'object'"),
        ({}, "r.json: this is no registry: {} should be non-empty"),
        ({"a": 1}, "r.json: this is no registry: 1 is not of type 'object' (at a)"),
        ({"a": {"shortname": "a"}}, "r.json: this is no registry: 'image' is a required property"),
        (changed(name="Ünë"), "r.json: this is no registry: 'Ünë' does not match "),
        (changed(tag="x\n"), "r.json: this is no registry: 'x\\n' does not match "),
        (changed(tag="x; rm"), "r.json: this is no registry: 'x; rm' does not match "),
        (changed(registry="h/x"), "r.json: this is no registry: 'h/x' does not match "),
        (changed(size="big"), "r.json: this is no registry: 'big' is not of type 'integer'"),
        (changed(version="\x1b[31m"), "r.json: this is no registry: '\\x1b[31m' should not be "),
        ({"docker://a": PUBLISHED["RNNG"]}, "r.json: this is no registry: 'docker://a' does not "),
    ],
)
def test_what_is_no_list_of_images(registry: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        check(registry)
    assert str(raised.value).startswith(message)
