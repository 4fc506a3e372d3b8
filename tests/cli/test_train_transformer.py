"""`pommel train transformer`."""

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.training.lstm.samples import write_text

from pommel.cli.train_transformer import command
from pommel.errors import PommelError
from pommel.training.transformer.recipe import TransformerRecipe

SMALL = (
    *("--width", "8", "--layers", "1", "--heads", "2", "--vocabulary-size", "300"),
    *("--epochs", "2"),
)
# Settings of the recipe that are no options, or whose default follows from another.
FIXED = {"weight_decay", "warmup_share", "cased", "n_epochs"}


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_text(tmp_path / "text.txt", 60)


def test_options_have_the_recipes_defaults() -> None:
    of_the_command = {each.name: each for each in command.params}
    for field in fields(TransformerRecipe):
        if field.name not in FIXED:
            parameter = of_the_command[field.name]
            assert parameter.default == getattr(TransformerRecipe(), field.name)
            assert parameter.opts == [TransformerRecipe.option(field.name)]


def test_trains_a_family_that_scores_a_suite(
    pommel: Pommel, text: Path, tmp_path: Path, suite_file: Path
) -> None:
    pytest.importorskip("transformers")
    out = tmp_path / "my family"
    seeds = ("--seed", "1", "--seed", "2", "--seed", "1")
    outcome = pommel(
        "train", "transformer", text, "-o", out, "--objective", "masked", "--lower", *seeds, *SMALL
    )
    assert outcome.status == 0, outcome.stderr
    assert sorted(path.name for path in out.iterdir()) == ["seed-1", "seed-2"]
    table = [line for line in outcome.stdout.splitlines() if "seed-" in line]
    assert [re.split(r"\s*│\s*", line)[1:3] for line in table] == [
        [str(out / "seed-1"), "2"],
        [str(out / "seed-2"), "2"],
    ]
    lines = outcome.stderr.splitlines()
    assert lines[:2] == ["training: 57 sentences", "validation: 3 sentences"]
    figure = r"\d+\.\d{3}"
    epoch = rf"seed 2, epoch 2 of 2: {figure} bits per token in training, {figure} in validation, "
    assert sum(re.fullmatch(rf"{epoch}[\d,]+ tokens/s", line) is not None for line in lines) == 1
    # Nothing of torch's or transformers' own.
    assert len(lines) == 3 + 4 + 2
    assert lines[-1] == f"Score suites: pommel run 'huggingface://{out}/seed-*' SUITE..."
    scored = pommel("run", f"huggingface://{out}/seed-*", suite_file, "--format", "csv")
    assert [row["model_name"].rpartition("/")[2] for row in scored.rows()] == [
        "seed-1",
        "seed-2",
    ]


def test_other_options_in_the_same_folder_are_one_line(
    pommel: Pommel, text: Path, tmp_path: Path
) -> None:
    pytest.importorskip("transformers")
    arguments = ("train", "transformer", text, "-o", tmp_path / "family", *SMALL)
    assert pommel(*arguments).status == 0
    again = pommel(*arguments)
    assert again.status == 0
    assert "seed-1 is trained already; --restart trains it anew" in again.stderr
    assert pommel(*arguments, "--epochs", "3", "--lower").failure(2) == (
        f"{tmp_path}/family/seed-1 holds another training: --epochs was 2 and is 3, --lower was "
        "not given; choose another folder, or give --restart to train anew in this one"
    )


@pytest.mark.parametrize("missing", ["torch", "transformers", "tokenizers"])
def test_without_the_extra_it_says_what_to_install(
    pommel: Pommel, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    outcome = pommel("train", "transformer", text, "-o", tmp_path / "family")
    assert outcome.failure(4) == (
        "training a transformer needs torch, transformers and tokenizers: "
        f"{PommelError.install('hf')}"
    )
    assert not (tmp_path / "family").exists()
