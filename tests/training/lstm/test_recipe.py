"""The recipe: its defaults, what it refuses, how two trainings differ."""

from dataclasses import asdict
from typing import Any

import pytest

from pommel.errors import UsageError
from pommel.training.lstm.recipe import Recipe
from pommel.training.record import differences


def test_the_default_is_the_recipe_of_the_literature() -> None:
    assert asdict(Recipe()) == {
        "embedding_size": 800,
        "hidden_size": 800,
        "n_layers": 2,
        "tied": False,
        "dropout": 0.2,
        "batch_size": 20,
        "bptt_steps": 35,
        "learning_rate": 20.0,
        "min_learning_rate": 0.001,
        "clip": 0.25,
        "n_epochs": 40,
        "vocabulary_size": 50_000,
        "min_count": 1,
        "cased": True,
        "split": "words",
        "validation_share": 0.05,
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"embedding_size": 0}, "--embedding-size has to be at least 1, not 0"),
        ({"n_layers": 101}, "--layers has to be at most 100, not 101"),
        ({"learning_rate": 0.0}, "--learning-rate has to be a number above 0, not 0.0"),
        ({"clip": float("nan")}, "--clip has to be a number above 0, not nan"),
        (
            {"min_learning_rate": float("inf")},
            "--min-learning-rate has to be a number above 0, not inf",
        ),
        (
            {"learning_rate": 0.0005},
            "--learning-rate 0.0005 is below --min-learning-rate 0.001, where training ends",
        ),
        ({"split": "lines"}, "split cannot be 'lines'; it is one of words, spaces"),
        (
            {"tied": True, "embedding_size": 2, "hidden_size": 3},
            (
                "--tied needs --embedding-size and --hidden-size to be equal "
                "(the embedding is the decoder's matrix); they are 2 and 3"
            ),
        ),
    ],
)
def test_refuses_what_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recipe(**settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"clip": 0.25}, {"clip": 0.25}, []),
        ({"n_layers": 1}, {"n_layers": 2}, ["--layers was 1 and is 2"]),
        ({"cased": True}, {"cased": False}, ["--lower was not given"]),
        ({"cased": False}, {"cased": True}, ["--lower was given"]),
        ({"tied": True}, {"tied": False}, ["--tied was given"]),
        ({"tied": False}, {"tied": True}, ["--tied was not given"]),
        ({"text_sha256": "a"}, {"text_sha256": "b"}, ["TEXT has another content"]),
        ({"validation_sha256": None}, {"validation_sha256": "b"}, ["--validation was not given"]),
        ({"vocabulary_sha256": "a"}, {"vocabulary_sha256": None}, ["--vocabulary was given"]),
        (
            {"dropout": 0.1, "clip": 1.0},
            {"dropout": 0.2, "clip": 2.0},
            ["--dropout was 0.1 and is 0.2", "--clip was 1.0 and is 2.0"],
        ),
    ],
)
def test_names_what_differs(before: dict[str, Any], now: dict[str, Any], said: list[str]) -> None:
    assert differences(before, now) == said
