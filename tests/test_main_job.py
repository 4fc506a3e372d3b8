"""The main job, end to end, on real models: the shipped suites and the published ones."""

from pathlib import Path

import pytest

import pommel
from pommel.api import Results
from pommel.sources.load import suite_files

pytest.importorskip("torch")

MODELS = ("builtin://en-gpt2", "builtin://en-ngram")
BEYOND_A_MODIFIER = ("number_prep", "number_src", "number_orc")


@pytest.fixture(scope="module")
def shipped() -> Results:
    """All shipped English suites on both built-in models."""
    return pommel.run(MODELS, "suites:en")


def test_each_circuit_of_the_field_has_suites() -> None:
    suites = [pommel.load_suite(path) for path in suite_files("en")]
    assert {suite.circuit for suite in suites} == {
        "agreement",
        "center-embedding",
        "garden-path-effects",
        "gross-syntactic-state",
        "licensing",
        "long-distance-dependencies",
    }
    by_name = {suite.name: suite for suite in suites}
    for suite in suites:
        assert len(suite.items) >= 24
        assert suite.language == "en"
        assert suite.meta["license"] == "CC-BY-4.0"
        assert suite.version
        assert all(prediction.description for prediction in suite.predictions)
        modified = suite.meta.get("modifier_of")
        assert modified is None or by_name[str(modified)].circuit == suite.circuit


def test_the_suites_tell_the_models_apart(shipped: Results) -> None:
    scores = _scores(shipped)
    assert scores["en-gpt2", "number_simple"] >= 0.95
    assert scores["en-ngram", "number_simple"] >= 0.95
    for name in BEYOND_A_MODIFIER:
        assert scores["en-gpt2", name] - scores["en-ngram", name] >= 0.5


def test_no_word_of_the_shipped_suites_is_unknown(shipped: Results) -> None:
    assert {run.surprisals.n_oovs for run in shipped} == {0}


def test_every_token_of_the_shipped_suites_has_a_surprisal(shipped: Results) -> None:
    assert {run.surprisals.n_unscored for run in shipped} == {0}


def test_words_really_split_into_pieces(shipped: Results) -> None:
    (run,) = (
        run
        for run in shipped
        if (run.result.model_name, run.result.suite_name) == ("en-gpt2", "number_simple")
    )
    tokens = run.to_frame("tokens")
    inside = tokens[(tokens["start"] > 0) & ~tokens["token"].str.startswith("Ġ")]
    assert len(inside) > 0


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::pommel.SuiteWarning")
def test_the_published_suites_run_on_both_models(shared_data: Path) -> None:
    results = pommel.run(MODELS, shared_data / "hu2020" / "suites", score="first")
    assert len(results) == 2 * 34
    of_one = [run for run in results if run.result.model_name == "en-gpt2"]
    assert sum(run.result.n_items for run in of_one) == 842
    assert sum(len(row) for run in of_one for row in run.surprisals.sentences) == 3304
    assert sum(len(run.result.predictions) for run in of_one) == 36


@pytest.mark.parametrize(("prediction", "n_holding"), [(0, 17), (1, 0)])
def test_recorded_surprisals_give_the_published_result(
    shared_data: Path, prediction: int, n_holding: int
) -> None:
    folder = shared_data / "sg_eval"
    model = f"recorded://{folder}/surprisals_fgd_hierarchy.txt?spec={folder}/spec.template.json"
    (run,) = pommel.run(model, folder / "fgd_hierarchy.json")
    found = run.result.predictions[prediction]
    assert (found.n_holding, found.n_items) == (n_holding, 24)


def _scores(results: Results) -> dict[tuple[str, str], float]:
    return {(run.result.model_name, run.result.suite_name): run.result.score for run in results}
