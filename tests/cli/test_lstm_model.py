"""Word-level LSTMs on the command line: scores, and what is wrong in one line."""

import json
import math
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.models.lstm.folders import reference_bits, save_random_lstm

from pommel.compat import lm_zoo

pytest.importorskip("torch")
pytest.importorskip("safetensors")

# "surgeon" is not among them.
WORDS = ("The", "author", "pilot", "is", "are", "good", ".")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with random weights."""
    return save_random_lstm(tmp_path / "tiny", WORDS)


def test_a_suite_is_run(pommel: Pommel, suite_file: Path, folder: Path) -> None:
    outcome = pommel("run", f"lstm://{folder}", suite_file, "--format", "csv")
    assert outcome.status == 0, outcome.stderr
    (row,) = outcome.rows()
    assert (row["model_name"], row["suite"], row["n_unscored"]) == ("tiny", "agreement", "0")


def test_surprisals_are_those_of_the_equations(pommel: Pommel, folder: Path) -> None:
    outcome = pommel("get-surprisals", f"lstm://{folder}", "-", stdin="The surgeon is good .\n")
    assert outcome.status == 0, outcome.stderr
    rows = [line.split("\t") for line in outcome.stdout.splitlines()[1:]]
    assert [row[2] for row in rows] == ["The", "surgeon", "is", "good", ".", "<eos>"]
    vocabulary = ["<unk>", "<eos>", *WORDS]
    ids = [vocabulary.index(word) for word in ("The", "<unk>", "is", "good", ".", "<eos>")]
    bits = [0.0, *reference_bits(folder, ids)]
    assert [float(row[3]) for row in rows] == pytest.approx(bits, abs=1e-4)
    tokens = pommel("tokenize", f"lstm://{folder}", "-", stdin="The surgeon is good.\n")
    assert tokens.stdout == "The surgeon is good . <eos>\n"
    unknown = pommel("unkify", f"lstm://{folder}", "-", stdin="The surgeon is good.\n")
    assert unknown.stdout == "0 1 0 0 0 0\n"


def test_predictions_are_those_that_the_surprisals_come_from(
    pommel: Pommel, folder: Path, tmp_path: Path
) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "predictions.hdf5"
    (tmp_path / "sentences").write_text("The surgeon is good .\n\n")
    outcome = pommel("get-predictions", f"lstm://{folder}", tmp_path / "sentences", path)
    assert outcome.status == 0, outcome.stderr
    with h5py.File(path) as file:
        vocabulary = [word.decode() for word in file["vocabulary"]]
        ids = file["sentence/0/tokens"][:]
        nats = file["sentence/0/predictions"][:]
        assert file["sentence/1/tokens"][:].tolist() == [1]
    assert vocabulary == ["<unk>", "<eos>", *WORDS]
    assert [vocabulary[each] for each in ids] == ["The", "<unk>", "is", "good", ".", "<eos>"]
    bits = [-nats[place, ids[place]] / math.log(2) for place in range(1, len(ids))]
    assert bits == pytest.approx(reference_bits(folder, ids.tolist()), abs=1e-4)
    assert nats[0].tolist() == pytest.approx([-math.log(9)] * 9)


def test_the_spec_has_the_vocabulary_and_its_marks(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "lower", ("the", "cat"), cased=False)
    spec = lm_zoo.spec(f"lstm://{folder}")
    assert spec["vocabulary"] == {
        "items": ["<unk>", "<eos>", "the", "cat"],
        "unk_types": ["<unk>"],
        "prefix_types": [],
        "suffix_types": ["<eos>"],
        "special_types": [],
    }
    assert spec["tokenizer"] == {"type": "word", "cased": False}
    assert spec["image"]["supported_features"]["get_predictions"]
    assert spec["image"]["gpu"] == {"required": False, "supported": True}


def test_the_model_is_shown(pommel: Pommel, folder: Path) -> None:
    shown = json.loads(pommel("models", "show", folder, "--format", "json-full").stdout)
    assert (shown["reference"], shown["kind"], shown["name"]) == (
        f"lstm://{folder}",
        "lstm",
        "tiny",
    )
    assert (shown["eos"], shown["methods"]) == ("<eos>", ["causal"])
    assert shown["details"]["hidden_size"] == 16


@pytest.mark.parametrize(
    ("file", "content", "status", "message"),
    [
        ("model.safetensors", "", 4, "REFERENCE: MODEL has no weights (model.safetensors)"),
        (
            "vocabulary.txt",
            "<unk>\n<eos>\nThe\ncat\n",
            3,
            (
                "MODEL/model.safetensors: a checkpoint of another shape: encoder.weight is 9 x 12, "
                "and config.json and vocabulary.txt ask for 4 x 12"
            ),
        ),
    ],
)
def test_a_fault_in_a_file_is_one_line(  # noqa: PLR0913, PLR0917 - a fault and what is said of it
    pommel: Pommel,
    suite_file: Path,
    folder: Path,
    file: str,
    content: str,
    status: int,
    message: str,
) -> None:
    (folder / file).unlink()
    if content:
        (folder / file).write_text(content)
    assert_one_line(pommel, suite_file, folder, status, message)


def assert_one_line(
    pommel: Pommel, suite_file: Path, folder: Path, status: int, message: str
) -> None:
    outcome = pommel("run", f"lstm://{folder}", suite_file)
    said = outcome.stderr.replace(f"lstm://{folder}", "REFERENCE").replace(str(folder), "MODEL")
    assert (outcome.status, outcome.stdout) == (status, "")
    assert said.splitlines()[-1] == f"pommel: {message}"
