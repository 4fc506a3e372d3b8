"""Results hold next to nothing of runs, and what is read again is what was run."""

import gc
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest
from tests.store.run_samples import agreement, assert_same_result
from tests.word_model import WordModel

import pommel
from pommel.errors import ModelError, StoreError
from pommel.models.model import ModelInfo
from pommel.scoring.run import Run, SuiteSurprisals, run_suites
from pommel.store import Store
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence, Token

TABLES = ("suites", "predictions", "regions", "tokens", "families")


@dataclass(slots=True)
class Numbered(WordModel):
    """A model of its own name and numbers."""

    number: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        self.bits = {"bark": self.number + 0.1}

    @property
    def info(self) -> ModelInfo:
        own = f"words-{self.number}"
        return ModelInfo(
            reference=f"toy://{own}", name=self.name or own, kind="toy", fingerprint=own
        )


def models(n: int) -> list[Numbered]:
    return [Numbered(number=number) for number in range(n)]


def suites() -> list[Suite]:
    return [agreement(), agreement("again", [{"good": ("An ox", "bark"), "bad": ("An ox", "bar")}])]


def n_alive() -> int:
    """Return how many values of runs there are."""
    gc.collect()
    kinds = (Token, ScoredSentence, SuiteSurprisals)
    return sum(type(each) in kinds or type(each) is Run for each in gc.get_objects())


@pytest.fixture(params=["with a store", "without"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "store.sqlite" if request.param == "with a store" else None


def test_what_is_held_does_not_grow_with_the_models(store: Path | None) -> None:
    # The first run fills caches that are small.
    pommel.run(models(1), suites(), store=store)
    counts = []
    for n in (2, 6):
        results = pommel.run(models(n), suites(), store=store)
        assert len(results) == 2 * n
        assert all(len(run.surprisals.sentences) for run in results)
        for table in TABLES:
            results.to_frame(table)  # type: ignore[arg-type]
        counts.append(n_alive())
    assert counts[0] == counts[1]


def test_what_came_of_a_model_is_read_once_for_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def opened(file: Path) -> Store:
        read.append(file)
        return Store.open(file, read_only=True)

    monkeypatch.setattr("pommel.store.late_runs._opened", opened)
    results = pommel.run(models(6), suites(), store=tmp_path / "store.sqlite")
    assert len(read) == 6
    results.to_frame()
    assert len(read) == 12


def test_what_is_read_is_what_was_run_to_the_last_bit(store: Path | None) -> None:
    results = pommel.run(models(2), suites(), store=store)
    held = [run for model in models(2) for run in run_suites(model, suites())]
    for late, run in zip(results, held, strict=True):
        date = {"date": late.result.provenance["date"]}
        dated = replace(run.result, provenance={**run.result.provenance, **date})
        assert_same_result(late.result, dated)
        assert late.surprisals.sentences == run.surprisals.sentences
        for table in ("regions", "tokens"):
            one, other = late.to_frame(table), run.to_frame(table)
            pd.testing.assert_frame_equal(one, other, check_exact=True)
        assert late.surprisals.evaluate().score == run.result.score
        assert late.surprisals.policy == run.surprisals.policy
        assert late.surprisals.provenance == {**run.surprisals.provenance, **date}
        assert [*late.notes()] == [*run.notes()]


def test_runs_are_a_sequence_and_shown_under_names_that_differ(store: Path | None) -> None:
    named = [Numbered(number=number, name="words") for number in (3, 4)]
    results = pommel.run(named, agreement(), store=store)
    assert [run.result.model_name for run in results.runs] == ["toy://words-3", "toy://words-4"]
    assert results.runs[-1].surprisals.model.name == "toy://words-4"
    assert [run.result.model_name for run in results.runs[:1]] == ["toy://words-3"]
    assert {note.split(" on ")[0] for note in results.notes()} == {"toy://words-3", "toy://words-4"}


def test_a_sentence_at_which_the_model_fails_is_told_again(store: Path | None) -> None:
    failing = Numbered(number=1, fails_at="The cat purr .", failure=_failure())
    (run,) = pommel.run(failing, agreement(), store=store)
    assert run.surprisals.failed == {"The cat purr .": "too long"}
    assert next(run.notes()).startswith("words-1 on agreement: failed at 1 sentence ('The cat purr")


def _failure() -> ModelError:
    return ModelError.of_sentences({"The cat purr .": "too long"})


def test_a_store_or_a_run_that_is_gone_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results = pommel.run(models(6), agreement(), store="store.sqlite")
    # The file is found again from another folder.
    monkeypatch.chdir("/")
    path = tmp_path / "store.sqlite"
    with pommel.open_store(path) as opened:
        (head,) = (each for each in opened.runs.heads() if each.result.model_name == "words-0")
        opened.runs.delete([head.run_id])
    assert len(results) == 6
    with pytest.raises(StoreError) as caught:
        results.to_frame()
    assert str(caught.value) == (
        f"{path}: run {head.run_id} is no longer there; run the model again"
    )
    path.unlink()
    with pytest.raises(StoreError, match=r"store\.sqlite: there is no store; `pommel run` makes "):
        _ = results.runs[1].result


def test_a_run_that_was_made_again_meanwhile_is_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    results = pommel.run(models(6), agreement(), store=path)
    before = pommel.stored_results("words-0", store=path).to_frame()["score"][0]
    with Store.open(path, rescore=True) as opened:
        other = Numbered(number=0)
        other.bits = {"bark": 9.0}
        pommel.run(other, agreement(), store=opened)
    again = pommel.stored_results("words-0", store=path)
    assert results.to_frame()["score"][0] == again.to_frame()["score"][0] != before


def test_stored_results_hold_no_tokens(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    pommel.run(models(4), suites(), store=path)
    gc.collect()
    before = n_alive()
    results = pommel.stored_results(store=path)
    assert (len(results), n_alive()) == (8, before)
    assert len(results.to_frame("tokens")) == 4 * (26 + 4)
