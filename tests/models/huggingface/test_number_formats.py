"""Networks of half precision whose verdicts are float32's, told by networks, not by toys."""

from pathlib import Path

import pytest
from tests.models.conftest import FolderOf
from tests.models.huggingface.opened import open_tiny

from pommel.files import shipped_folder
from pommel.models.lstm.model import LstmModel, open_folder as open_lstm
from pommel.models.model import LoadOptions, Model
from pommel.scoring import Choices, Run
from pommel.scoring.run import run_suites
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite

torch = pytest.importorskip("torch")

SETTLED = Choices(verdicts="float32", regions="needed")


def shipped(*names: str, n_items: int | None = None) -> list[Suite]:
    """Return shipped English suites, or their first items."""
    suites = [
        LoadedSuite.read(path).suite
        for path in sorted((shipped_folder("suites") / "en").rglob("*.json"))
        if not names or path.stem in names
    ]
    return [each.first_items(n_items) if n_items else each for each in suites]


def verdicts(runs: list[Run]) -> list[bool]:
    return [
        verdict
        for run in runs
        for each in run.result.predictions
        for verdict in each.holds.tolist()
    ]


def share_scored_again(runs: list[Run]) -> float:
    texts = {each.text for run in runs for row in run.surprisals.sentences for each in row}
    again = {text for run in runs for text in run.result.provenance["verdicts"]["sentences"]}
    return len(again) / len(texts)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_same_in_float32_is_the_model_that_is_opened_so(
    dtype: str, tiny_folder: FolderOf
) -> None:
    folder = tiny_folder("gpt2")
    half, exact = open_tiny(folder, dtype=dtype), open_tiny(folder)
    again = half.in_float32()
    assert half.info.is_half
    assert again.info == exact.info
    assert not exact.info.is_half


def test_every_verdict_of_a_random_network_is_that_of_float32(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("gpt2")
    # Those of few tokens: so small a tokenizer cuts words into letters.
    suites = [
        each
        for each in shipped(n_items=4)
        if max(len(sentence.text) for row in each.sentences() for sentence in row) < 50
    ]
    assert len(suites) > 3
    runs = [*run_suites(open_tiny(folder, dtype="bfloat16"), suites, SETTLED)]
    true = [*run_suites(open_tiny(folder), suites, Choices(regions="needed"))]
    assert verdicts(runs) == verdicts(true)
    assert 0 < share_scored_again(runs) < 1


def test_an_lstm_is_asked_in_float32_as_well(tmp_path: Path) -> None:
    from tests.models.lstm.folders import save_random_lstm

    suites = shipped(n_items=2)
    words = {
        word for each in suites for row in each.sentences() for s in row for word in s.text.split()
    }
    folder = save_random_lstm(tmp_path / "lstm", sorted(words))

    def opened(dtype: str) -> LstmModel:
        return open_lstm(folder, reference="lstm://x", name="x", options=LoadOptions(dtype=dtype))

    runs = [*run_suites(opened("bfloat16"), suites, SETTLED)]
    assert verdicts(runs) == verdicts([*run_suites(opened("float32"), suites)])


@pytest.mark.full
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_verdict_of_the_built_in_model_as_it_is_and_perturbed_is_that_of_float32(
    share: float, dtype: str, tmp_path: Path
) -> None:
    """Weights move by normal noise of this share of their own spread; 1 is hardly the model."""
    from benchmarks.gpu.shapes import perturbed

    folder = perturbed(shipped_folder("builtin") / "en-gpt2", tmp_path / "model", share=share)
    # Processors are slow at float16.
    suites = shipped(n_items=None if dtype == "bfloat16" else 5)

    def run(model: Model, choices: Choices) -> list[Run]:
        return [*run_suites(model, suites, choices)]

    true = run(open_tiny(folder), Choices(regions="needed"))
    runs = run(open_tiny(folder, dtype=dtype), SETTLED)
    assert verdicts(runs) == verdicts(true)
    assert share_scored_again(runs) < 1
