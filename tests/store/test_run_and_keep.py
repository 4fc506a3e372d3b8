"""Runs that are kept while they run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import Sentences, make_suite
from tests.word_model import WordModel

import pommel
from pommel.errors import ModelError, StoreError, UsageError
from pommel.models.family import Membership, NamedModel
from pommel.scoring import Choices, Run
from pommel.scoring.run import run_suites
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store
from pommel.store.store import run_and_keep

TOY = NamedModel(reference="toy://words")
ITEMS: list[Sentences] = [{"a": ("The dog", "barks"), "b": ("The dog", "bark")}]
CATS: list[Sentences] = [{"a": ("The cat", "purrs"), "b": ("The cat", "purr")}]
DOGS = make_suite(ITEMS, ["(2;%b%) < (2;%a%)"], name="dogs", language="en", circuit="agreement")
PETS = make_suite([*ITEMS, *CATS], ["(2;%b%) < (2;%a%)"], name="pets")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as opened:
        yield opened


def test_without_a_store_it_is_run_suites() -> None:
    (plain,) = run_suites(WordModel(), [DOGS])
    (run,) = run_and_keep(TOY, WordModel(), [DOGS], store=None)
    assert run.to_frame("predictions").equals(plain.to_frame("predictions"))


def test_each_run_is_kept_when_it_is_complete(store: Store) -> None:
    runs = run_and_keep(TOY, WordModel(), [DOGS, PETS], store=store)
    (first,) = [next(runs)]
    every = store.runs.records(Selection(complete_only=False))
    assert [(each.result.suite_name, each.status) for each in every] == [
        ("dogs", "complete"),
        ("pets", "interrupted"),
    ]
    assert every[0].run_id == RunRecord.of(first).run_id
    assert every[0].result.to_frame().equals(first.result.to_frame())
    assert (every[0].suite.language, every[0].result.circuit) == ("en", "agreement")
    # What is under way has the id that it will have.
    (second,) = runs
    assert RunRecord.of(second).run_id == every[1].run_id
    assert [each.status for each in store.runs.records()] == ["complete", "complete"]


@pytest.mark.parametrize("n_together", [None, 2])
def test_a_failure_after_the_last_answer_spoils_it(store: Store, n_together: int | None) -> None:
    list(run_and_keep(TOY, WordModel(), [DOGS], store=store))
    failure = ModelError("it fails")
    failure.spoiled = frozenset({"The cat purrs", "The cat purr"})
    model = WordModel(
        fails_at="end", failure=failure, costly_calls=not n_together, n_together=n_together
    )
    runs: list[Run] = []
    for _ in range(2):
        with pytest.raises(ModelError, match="it fails"):
            runs += run_and_keep(TOY, model, [DOGS, PETS], store=store)
    # What does not rest on it is complete; the rest is asked for again each time.
    assert [each.result.suite_name for each in runs] == ["dogs", "dogs"]
    assert [each.result.suite_name for each in store.runs.records()] == ["dogs"]
    assert {frozenset(each) for each in model.asked} == {failure.spoiled}


def test_the_same_command_is_the_same_run(store: Store) -> None:
    model = WordModel()
    for _ in range(2):
        list(run_and_keep(TOY, model, [DOGS], store=store))
    assert len(model.asked) == 1
    assert len(store.runs.records()) == 1
    list(run_and_keep(TOY, model, [DOGS], Choices(score_rule="first"), store=store))
    assert len(model.asked) == 1
    assert [each.result.score_rule for each in store.runs.records()] == ["all", "first"]


def test_a_run_that_fails_goes_on_where_it_was(store: Store) -> None:
    model = WordModel(fails_at="The cat purrs")
    with pytest.raises(ModelError, match="it fails"):
        list(run_and_keep(TOY, model, [DOGS, PETS], store=store))
    model.fails_at = ""
    runs = list(run_and_keep(TOY, model, [DOGS, PETS], store=store))
    assert [run.result.suite_name for run in runs] == ["dogs", "pets"]
    # The toy scores the last thing first: "The cat purr" had been kept.
    assert model.asked[-1] == ["The cat purrs"]


def test_a_sentence_at_which_a_model_fails_is_told_of_and_asked_for_again(store: Store) -> None:
    failed = {"The cat purrs": "it is too long"}
    model = WordModel(refuses="The cat purrs", failure=ModelError.of_sentences(failed))
    for _ in range(2):
        dogs, pets = run_and_keep(TOY, model, [DOGS, PETS], store=store)
        assert "failed" not in dogs.result.provenance
        assert pets.result.provenance["failed"] == failed
        assert pets.result.predictions[0].results == (True, None)
    assert model.asked[-2:] == [["The cat purr"], ["The cat purrs"]]
    records = store.runs.records(Selection(suites=("pets",)))
    (kept,) = store.runs.runs(records)
    assert kept.surprisals.failed == failed
    assert [*kept.notes()] == [*pets.notes()]
    again = store.runs.evaluate_again(records[0], PETS, Choices(score_rule="each"))
    assert again.result.provenance["failed"] == failed
    assert again.result.scores[0].n_items == 1
    model.refuses = ""
    _, pets = run_and_keep(TOY, model, [DOGS, PETS], store=store)
    assert model.asked[-1] == ["The cat purrs"]
    assert "failed" not in pets.result.provenance
    assert pets.result.n_counted == 2


def test_a_member_of_a_family_is_kept_under_its_name(store: Store) -> None:
    member = Membership(family="toys", axis="seed", label="seed-1", value=1.0)
    named = NamedModel(reference="toy://words", name="toys/seed-1", membership=member)
    (run,) = run_and_keep(named, WordModel(), [DOGS], store=store)
    (record,) = store.runs.records()
    assert (record.result.model_name, record.result.membership) == ("toys/seed-1", member)
    assert record.run_id == RunRecord.of(run).run_id


def test_a_model_alone_and_in_its_families_is_several_runs(store: Store) -> None:
    model = WordModel()
    seeds = Membership(family="toys", axis="seed", label="seed-1", pattern="toy://seed-*")
    places: list[tuple[str | None, Membership | None]] = [
        (None, None),
        ("toys/seed-1", seeds),
        ("toys/seed-1", replace(seeds, axis="member")),
        ("toys/seed-1", replace(seeds, family="others")),
        ("toys/seed-1", replace(seeds, label="seed-2")),
    ]
    for name, member in places:
        named = NamedModel(reference="toy://words", name=name, membership=member)
        list(run_and_keep(named, model, [DOGS], store=store))
    assert [each.result.membership for each in store.runs.records()] == [
        member for _, member in places
    ]
    assert len(model.asked) == 1
    # By which path it was reached makes no difference.
    elsewhere = replace(seeds, pattern="toy:///here/seed-*")
    named = NamedModel(reference="toy:///here", name="toys/seed-1", membership=elsewhere)
    list(run_and_keep(named, model, [DOGS], store=store))
    assert store.runs.records()[1].result.membership == elsewhere
    assert len(store.runs.records()) == len(places)


def test_a_run_comes_back_without_its_model(store: Store) -> None:
    (run,) = run_and_keep(TOY, WordModel(), [PETS], store=store)
    again = store.runs.run(RunRecord.of(run).run_id)
    for table in ("suites", "predictions", "regions", "tokens"):
        assert again.to_frame(table).equals(run.to_frame(table))
    assert again.result.provenance == run.result.provenance


# --- from Python


def test_pommel_run_keeps_where_it_is_told(tmp_path: Path, own_store: Path) -> None:
    path = tmp_path / "kept.sqlite"
    model = WordModel()
    first = pommel.run(model, DOGS, store=path)
    with pommel.open_store(path) as opened:
        second = pommel.run(model, DOGS, store=opened)
        assert len(opened.runs.records()) == 1
    assert first.to_frame("predictions").equals(second.to_frame("predictions"))
    assert len(model.asked) == 1
    # A function keeps nothing in the user's own store unless it is told to.
    pommel.run(model, DOGS)
    assert not own_store.exists()
    with pommel.open_store() as opened:
        assert opened.path == own_store


def test_what_ran_alone_and_in_a_family_comes_back_in_the_family(store: Store) -> None:
    member = Membership(family="toys", axis="seed", label="seed-1", pattern="toy://seed-*")
    named = NamedModel(reference="toy://words", name="toys/seed-1", membership=member)
    for each in (named, TOY):
        list(run_and_keep(each, WordModel(), [DOGS], store=store))
    list(run_and_keep(TOY, WordModel(), [PETS], store=store))
    again = pommel.stored_results(store=store)
    assert [(run.result.suite_name, run.result.model_name) for run in again] == [
        ("dogs", "toys/seed-1"),
        ("pets", "toys/seed-1"),
    ]


@pytest.mark.parametrize("store", [True, 1, b"kept.sqlite"])
def test_what_is_no_store(store: object) -> None:
    with pytest.raises(UsageError) as raised:
        pommel.run(WordModel(), DOGS, store=store)  # type: ignore[arg-type]
    assert str(raised.value) == (
        f"the store cannot be {store!r}: give the path of a file, or open_store(), which is the "
        f"store of the command line"
    )


def test_a_store_that_is_named_is_made_if_it_is_to_be(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    for named in (path, str(path)):
        with pytest.raises(StoreError) as raised:
            pommel.open_store(named)
        assert str(raised.value) == (
            f"{path}: there is no store; open_store(PATH, create=True) makes one"
        )
    assert not path.exists()
    pommel.open_store(path, create=True).close()
    pommel.open_store(path).close()
