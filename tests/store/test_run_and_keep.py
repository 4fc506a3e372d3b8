"""Runs that are kept while they run."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.builders import Sentences, make_suite
from tests.word_model import WordModel

import pommel
from pommel.errors import ModelError, StoreError, UsageError
from pommel.models.family import Membership, NamedModel
from pommel.models.model import Model, ModelInfo, Policy, Spans
from pommel.scoring import Choices, Run
from pommel.scoring.run import run_suites
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store
from pommel.store.database import Database
from pommel.store.store import run_and_keep
from pommel.store.surprisal_cache import encode_tokens, sentence_hash
from pommel.suite.suite import Condition, Sentence, Suite
from pommel.surprisal import ScoredSentence, Token

TOY = NamedModel(reference="toy://words")
ITEMS: list[Sentences] = [{"a": ("The dog", "barks"), "b": ("The dog", "bark")}]
CATS: list[Sentences] = [{"a": ("The cat", "purrs"), "b": ("The cat", "purr")}]
DOGS = make_suite(ITEMS, ["(2;%b%) < (2;%a%)"], name="dogs", language="en", circuit="agreement")
PETS = make_suite([*ITEMS, *CATS], ["(2;%b%) < (2;%a%)"], name="pets")


@dataclass(slots=True)
class Clock:
    """A clock that goes on when it is looked at."""

    seconds_a_look: float = 0.0
    seconds: float = 0.0

    def monotonic(self) -> float:
        self.seconds += self.seconds_a_look
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("pommel.store.store.time", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as opened:
        yield opened


def test_without_a_store_it_is_run_suites() -> None:
    (plain,) = run_suites(WordModel(), [DOGS])
    (run,) = run_and_keep(TOY, WordModel(), [DOGS], store=None)
    assert run.to_frame("predictions").equals(plain.to_frame("predictions"))


def test_each_run_is_kept_when_it_is_complete(store: Store, clock: Clock) -> None:
    clock.seconds_a_look = 1.0
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


# --- when it is kept


@dataclass(slots=True)
class Timed:
    """A model that takes some time for a sentence, and tells what the store has by then."""

    clock: Clock
    path: Path
    seconds: float
    n_together: int | None = None
    told: list[tuple[float, int, int]] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return WordModel(n_together=self.n_together).info

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        for index, scored in WordModel().score(sentences, policy, spans):
            with Database.open(self.path) as other:
                ((n_scored, n_complete),) = other.rows(
                    "SELECT (SELECT count(*) FROM scored), count(finished) FROM runs"
                )
            self.told.append((round(self.clock.seconds, 3), n_scored, n_complete))
            self.clock.seconds += self.seconds
            yield index, scored


def many(n_suites: int) -> list[Suite]:
    """Return suites of two sentences."""
    formula = "(2;%b%) < (2;%a%)"
    return [
        make_suite(
            [{"a": (f"Cat {n}", "purrs"), "b": (f"Cat {n}", "purr")}], [formula], name=f"cats {n}"
        )
        for n in range(n_suites)
    ]


def commits_of(store: Store, model: Model, suites: Sequence[Suite]) -> int:
    """Return how many transactions a run commits."""
    said: list[str] = []
    store.database.connection.set_trace_callback(said.append)
    assert len([*run_and_keep(TOY, model, suites, store=store)]) == len(suites)
    store.database.connection.set_trace_callback(None)
    return said.count("COMMIT")


@pytest.mark.parametrize("n_suites", [1, 12])
def test_a_fast_run_commits_at_its_beginning_and_at_its_end(
    store: Store, clock: Clock, n_suites: int
) -> None:
    assert clock.seconds == 0
    assert commits_of(store, WordModel(), many(n_suites)) == 2
    # Nothing is left to be scored.
    assert commits_of(store, WordModel(), many(n_suites)) == 2


def test_what_the_store_has_is_read_once(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clock.seconds == 0
    # It is asked how much there is to do first.
    monkeypatch.setattr(WordModel, "work", lambda *_: (1, 1), raising=False)
    commits_of(store, WordModel(), many(3))
    said: list[str] = []
    store.database.connection.set_trace_callback(said.append)
    model = WordModel()
    choices = Choices(regions="auto")
    assert len([*run_and_keep(TOY, model, many(3), choices, store=store)]) == 3
    assert sum("tokens, check_sum FROM sentences" in each for each in said) == 1
    assert model.asked == []


def test_what_runs_have_alike_is_looked_for_once(store: Store, clock: Clock) -> None:
    assert clock.seconds == 0
    said: list[str] = []

    def n_looks(n_suites: int) -> int:
        said.clear()
        assert len([*run_and_keep(TOY, WordModel(), many(n_suites), store=store)]) == n_suites
        return sum("FROM documents" in each for each in said)

    n_looks(12)
    store.database.connection.set_trace_callback(said.append)
    # Of each run, its suite: what was known of it, and where it goes.
    assert n_looks(12) - n_looks(2) == 2 * 10


def test_what_is_scored_again_is_committed_as_rarely(store: Store, clock: Clock) -> None:
    assert clock.seconds == 0
    old, new = WordModel(bits={"Cat": 1.0}), WordModel(bits={"Cat": 2.0})
    commits_of(store, old, many(12))
    again = replace(store, rescore=True)
    assert commits_of(again, new, many(12)) == 2
    assert len(new.asked) == 12
    for run in run_and_keep(TOY, old, many(12), store=store):
        bits = [each.tokens[0].surprisal_bits for row in run.surprisals.sentences for each in row]
        assert bits == [2.0, 2.0]
    assert len(old.asked) == 12


def test_a_slower_run_commits_once_a_second(store: Store, clock: Clock) -> None:
    model = Timed(clock, store.path, seconds=0.25)
    assert commits_of(store, model, many(4)) == 1 + 2 + 1
    # What has been kept when each of eight sentences comes, four of which are a second's work: the
    # second sentence of a suite makes its run complete.
    assert model.told == [
        *((n / 4, 0, 0) for n in range(4)),
        *((1 + n / 4, 4, 1) for n in range(4)),
    ]


def test_a_slow_model_keeps_each_sentence(store: Store, clock: Clock) -> None:
    model = Timed(clock, store.path, seconds=7)
    assert commits_of(store, model, many(2)) == 1 + 4 + 1
    # A run waits for the commit behind that of its last sentence.
    assert model.told == [(0, 0, 0), (7, 1, 0), (14, 2, 0), (21, 3, 1)]


@pytest.mark.parametrize(
    ("seconds", "kept"), [(0.2, [0, 0, 0, 0, 0, 0, 6]), (1, [0, 0, 0, 3, 3, 3, 6])]
)
def test_a_batch_is_kept_whole(store: Store, clock: Clock, seconds: float, kept: list[int]) -> None:
    items: list[Sentences] = [{"a": (f"Cat {n}",)} for n in range(7)]
    model = Timed(clock, store.path, seconds=seconds, n_together=3)
    list(run_and_keep(TOY, model, [make_suite(items, [])], store=store))
    assert [n_scored for _, n_scored, _ in model.told] == kept


def test_who_stops_to_ask_keeps_what_is_there(store: Store, clock: Clock) -> None:
    model = Timed(clock, store.path, seconds=0.25)
    runs = run_and_keep(TOY, model, many(4), store=store)
    assert next(runs).result.suite_name == "cats 0"
    assert len(store.runs.records()) == 1
    assert isinstance(runs, Generator)
    runs.close()
    every = store.runs.records(Selection(complete_only=False))
    assert [each.status for each in every] == ["complete"] * 2 + ["interrupted"] * 2
    assert [store.runs.progress(each) for each in every] == [(2, 2), (2, 2), (0, 2), (0, 2)]


def test_ctrl_c_keeps_what_is_complete(store: Store, clock: Clock) -> None:
    assert clock.seconds == 0
    model = WordModel(fails_at="Cat 2 purrs", failure=KeyboardInterrupt())
    runs = run_and_keep(TOY, model, many(4), store=store)
    assert [next(runs).result.suite_name for _ in range(2)] == ["cats 0", "cats 1"]
    with pytest.raises(KeyboardInterrupt):
        next(runs)
    every = store.runs.records(Selection(complete_only=False))
    assert [each.status for each in every] == ["complete"] * 2 + ["interrupted"] * 2
    # The toy scores the last thing first.
    assert store.runs.progress(every[2]) == (1, 2)


def test_a_store_that_fails_at_last_says_what_had_failed_before(store: Store, clock: Clock) -> None:
    clock.seconds_a_look = 1.0
    model = WordModel(fails_at="Cat 2 purrs")
    runs = run_and_keep(TOY, model, many(4), store=store)
    next(runs)
    clock.seconds_a_look = 0.0
    store.database.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError) as raised:
        list(runs)
    assert raised.value.__cause__ is model.failure


def test_each_sentence_is_hashed_and_written_once(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clock.seconds == 0
    written, laid = Counter[str](), Counter[str]()

    def encoded(scored: ScoredSentence) -> bytes:
        written[scored.text] += 1
        return encode_tokens(scored)

    def sentence(condition: Condition, joiner: str = " ") -> Sentence:
        laid[condition.name] += 1
        return made_sentence(condition, joiner)

    made_sentence = Condition.sentence
    monkeypatch.setattr("pommel.store.surprisal_cache.encode_tokens", encoded)
    monkeypatch.setattr(Condition, "sentence", sentence)
    sentence_hash.cache_clear()
    suites = [*many(3), make_suite(CATS, [], name="a"), make_suite(CATS, [], name="b")]
    for n_models in (1, 2, 3):
        model = WordModel(fingerprint=str(n_models))
        list(run_and_keep(TOY, model, suites, store=store))
        # Eight distinct sentences of ten, for each model.
        assert written.total() == 8 * n_models
        assert set(written.values()) == {n_models}
        # The texts are the same for all of them.
        assert sentence_hash.cache_info().misses == 8
        assert laid == {"a": 5, "b": 5}


# --- where others are quicker


@dataclass(slots=True)
class Overtaken:
    """A model that another process has scored sentences with when it begins to."""

    others: Model
    path: Path
    suites: Sequence[Suite]

    @property
    def info(self) -> ModelInfo:
        return self.others.info

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        with Store.open(self.path) as other:
            list(run_and_keep(TOY, self.others, self.suites, store=other))
        return WordModel().score(sentences, policy, spans)


def test_runs_rest_on_the_numbers_of_who_was_first(store: Store, clock: Clock) -> None:
    assert clock.seconds == 0
    named = NamedModel(reference="toy://words", name="toy")
    model = Overtaken(WordModel(bits={"barks": 0.5}), store.path, [DOGS])
    dogs, pets = run_and_keep(named, model, [DOGS, PETS], store=store)
    assert [run.result.predictions[0].margin_bits.tolist() for run in (dogs, pets)] == [
        [-3.5],
        [-3.5, 1.0],
    ]
    kept = [store.runs.run(RunRecord.of(run).run_id) for run in (dogs, pets)]
    for run, again in zip((dogs, pets), kept, strict=True):
        assert again.result.model_name == "toy"
        for table in ("suites", "predictions", "regions", "tokens"):
            assert again.to_frame(table).equals(run.to_frame(table))


def test_another_model_of_the_same_fingerprint_is_an_error(store: Store, clock: Clock) -> None:
    assert clock.seconds == 0
    whole = ScoredSentence(
        text="The dog barks",
        tokens=(Token(text="The dog barks", start=0, end=13, surprisal_bits=1.0),),
    )
    model = Overtaken(WordModel(sentences={whole.text: whole}), store.path, [DOGS])
    with pytest.raises(StoreError, match="does not give 'The dog barks' the tokens"):
        list(run_and_keep(TOY, model, [PETS], store=store))
    assert [each.result.suite_name for each in store.runs.records()] == ["dogs"]


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
