"""A model in front of which there is a store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.word_model import WordModel

from pommel.errors import ModelError
from pommel.models.model import LoadOptions, ModelInfo, Policy, Spans, score_all
from pommel.models.registry import load_model
from pommel.store.database import Database
from pommel.store.surprisal_cache import CachedModel, SurprisalCache
from pommel.surprisal import ScoredSentence

POLICY = Policy()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[SurprisalCache]:
    with Database.open(tmp_path / "store.sqlite") as database:
        yield SurprisalCache(database=database)


def test_nothing_is_asked_for_twice(cache: SurprisalCache) -> None:
    model = WordModel()
    first = score_all(CachedModel(model, cache), ["a dog", "a cat", "a dog"], POLICY)
    second = score_all(CachedModel(model, cache), ["the cat", "a dog"], POLICY)
    assert [each.text for each in first] == ["a dog", "a cat", "a dog"]
    assert second[1] == first[0]
    # The first one's sentences, each once; of the second one's, what was missing.
    assert model.asked == [["a dog", "a cat"], ["the cat"]]


def test_a_model_is_not_started_for_nothing(cache: SurprisalCache) -> None:
    model = WordModel()
    cached = CachedModel(model, cache)
    for _ in range(2):
        assert score_all(cached, ["a dog"], POLICY) == score_all(WordModel(), ["a dog"], POLICY)
    assert len(model.asked) == 1


def test_another_policy_is_another_number(cache: SurprisalCache) -> None:
    model = WordModel()
    for bos in ("auto", "never", "auto"):
        score_all(CachedModel(model, cache), ["a dog"], Policy(bos=bos))
    assert model.asked == [["a dog"], ["a dog"]]


def test_auto_is_the_method_that_it_means(cache: SurprisalCache) -> None:
    model = WordModel(methods=("causal",))
    score_all(CachedModel(model, cache), ["a dog"], Policy(method="auto"))
    score_all(CachedModel(model, cache), ["a dog"], Policy(method="causal"))
    assert model.asked == [["a dog"]]


def test_what_a_sentence_was_not_asked_for_is_asked_for_later(cache: SurprisalCache) -> None:
    model = WordModel()
    cached = CachedModel(model, cache)
    ((_, first),) = cached.score(["the dog barks"], POLICY, [((4, 7),)])
    assert [token.surprisal_bits for token in first.tokens] == [None, 3.0, None]
    model.bits = {"dog": 99.0}
    ((_, second),) = cached.score(["the dog barks"], POLICY, [((8, 13),)])
    # What was known stays as it was.
    assert [token.surprisal_bits for token in second.tokens] == [None, 3.0, 5.0]
    ((_, again),) = cached.score(["the dog barks"], POLICY, [((4, 13),)])
    assert again == second
    assert model.spans == [[((4, 7),)], [((8, 13),)]]


@pytest.mark.parametrize("n_together", [None, 2])
def test_a_refusal_comes_before_anything_is_scored(
    cache: SurprisalCache, n_together: int | None
) -> None:
    model = WordModel(refuses="too long", n_together=n_together)
    with pytest.raises(ModelError, match="it fails"):
        CachedModel(model, cache).score(["a", "b", "c", "too long"], POLICY)
    assert len(model.asked) == 1


def test_everything_is_asked_for_again_if_it_is_to_be(cache: SurprisalCache) -> None:
    old, new = WordModel(bits={"dog": 1.0}), WordModel(bits={"dog": 2.0})
    score_all(CachedModel(old, cache), ["a dog", "the dog"], POLICY)
    (again,) = score_all(CachedModel(new, cache, rescore=True), ["a dog"], POLICY)
    assert again.tokens[1].surprisal_bits == 2.0
    kept = score_all(CachedModel(old, cache), ["a dog", "the dog"], POLICY)
    assert [each.tokens[1].surprisal_bits for each in kept] == [2.0, 1.0]
    assert len(old.asked) == len(new.asked) == 1


def test_what_came_before_a_failure_is_kept(cache: SurprisalCache) -> None:
    # The toy scores the last thing first.
    model = WordModel(fails_at="b")
    with pytest.raises(ModelError, match="it fails"):
        score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    model.fails_at = ""
    score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    assert model.asked == [["a", "b", "c", "d"], ["a", "b"]]


def test_ctrl_c_keeps_what_has_come_one_by_one(cache: SurprisalCache) -> None:
    model = WordModel(fails_at="b", failure=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    model.fails_at = ""
    score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    assert model.asked == [["a", "b", "c", "d"], ["a", "b"]]


def test_ctrl_c_keeps_whole_batches_where_numbers_depend_on_them(cache: SurprisalCache) -> None:
    model = WordModel(fails_at="c", failure=KeyboardInterrupt(), n_together=2)
    with pytest.raises(KeyboardInterrupt):
        score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    model.fails_at = ""
    score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    # All of it is tried first; "d" had been scored, and is scored again, as it was with "c".
    assert model.asked == [["a", "b", "c", "d"], ["a", "b"], ["c", "d"], ["c", "d"]]


def test_a_failing_model_keeps_what_it_has_answered_of_a_batch(cache: SurprisalCache) -> None:
    model = WordModel(fails_at="c", n_together=2)
    with pytest.raises(ModelError, match="it fails"):
        score_all(CachedModel(model, cache), ["a", "b", "c", "d"], POLICY)
    known = cache.known(cache.key(model.info, POLICY), ["a", "b", "c", "d"])
    assert sorted(known) == ["a", "b", "d"]


def test_a_sentence_that_is_to_blame_leaves_the_other_batches_as_they_are(
    cache: SurprisalCache,
) -> None:
    blamed = {"a": "it is no number"}
    failure = ModelError.of_sentences(blamed)
    # The toy comes to it when it has answered the rest of the batch.
    model = WordModel(fails_at="a", failure=failure, n_together=2)
    answers = CachedModel(model, cache).score(["a", "b", "c", "d"], POLICY)
    assert [next(answers)[0] for _ in range(3)] == [1, 3, 2]
    with pytest.raises(ModelError) as caught:
        next(answers)
    assert caught.value.blamed == blamed
    assert model.asked == [["a", "b", "c", "d"], ["a", "b"], ["c", "d"]]


def test_the_numbers_of_the_first_who_kept_them_hold(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Database.open(path) as one, Database.open(path) as other:
        ours = CachedModel(WordModel(), SurprisalCache(database=one))
        theirs = CachedModel(WordModel(bits={"dog": 9.0}), SurprisalCache(database=other))
        # We have asked for it, and wait; they are quicker.
        answers = ours.score(["dog"], POLICY)
        assert score_all(theirs, ["dog"], POLICY)[0].tokens[0].surprisal_bits == 9.0
        ((_, scored),) = answers
    assert scored.tokens[0].surprisal_bits == 9.0


def test_a_batch_that_another_process_has_scored_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    model = WordModel(n_together=1)
    with Database.open(path) as one, Database.open(path) as other:
        answers = CachedModel(model, SurprisalCache(database=one)).score(["a", "b", "c"], POLICY)
        assert next(answers)[0] == 0
        score_all(CachedModel(WordModel(), SurprisalCache(database=other)), ["b"], POLICY)
        assert [index for index, _ in answers] == [1, 2]
    assert model.asked == [["a", "b", "c"], ["a"], ["c"]]


def test_a_table_in_order_is_asked_for_all_of_it(cache: SurprisalCache, tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    rows = [f"{n}\t1\t{word}\t{n}.0" for n, word in enumerate(("wren", "robin", "owl", "wren"), 1)]
    path.write_text("sentence_id\ttoken_id\ttoken\tsurprisal\n" + "\n".join(rows) + "\n")
    model = load_model(f"recorded://{path}", LoadOptions())
    sentences = ["wren", "robin", "owl"]
    undisturbed = score_all(model, sentences, POLICY)
    # A process that was killed after its first batch leaves this.
    cache.keep(cache.key(model.info, POLICY), undisturbed[1:2])
    assert score_all(CachedModel(model, cache), sentences, POLICY) == undisturbed
    known = cache.known(cache.key(model.info, POLICY), sentences)
    assert known == {each.text: each for each in undisturbed}


# --- laws


@dataclass(slots=True)
class Neighbourly:
    """A model whose numbers tell with how many others a sentence was scored, and which."""

    n_together: int
    dies_after: int | None = None
    scored: list[str] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return WordModel(n_together=self.n_together).info

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        for index, sentence in enumerate(sentences):
            if self.dies_after == len(self.scored):
                raise KeyboardInterrupt
            self.scored.append(sentence)
            bits = {word: 1e-6 * len(" ".join(sentences)) for word in sentence.split()}
            ((_, scored),) = WordModel(bits=bits).score([sentence], policy, spans)
            yield index, scored


SENTENCES = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"]


@settings(max_examples=30)
@given(
    sentences=st.lists(st.sampled_from(SENTENCES), min_size=1),
    before=st.lists(st.sampled_from(["a", "ccc", "ggggggg"])),
    n_together=st.integers(1, 4),
    deaths=st.lists(st.integers(0, 6), max_size=4),
)
def test_a_run_that_was_stopped_comes_out_as_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[str],
    before: list[str],
    n_together: int,
    deaths: list[int],
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    outcomes, answered = [], []
    for name, dies_after in (("undisturbed", []), ("stopped", deaths)):
        with Database.open(folder / name) as database:
            cache = SurprisalCache(database=database)
            score_all(CachedModel(Neighbourly(1), cache), before, POLICY)
            for each in dies_after:
                cut_short = CachedModel(Neighbourly(n_together, each), cache)
                try:
                    score_all(cut_short, sentences, POLICY)
                except KeyboardInterrupt:
                    continue
            last = Neighbourly(n_together)
            outcomes.append(score_all(CachedModel(last, cache), sentences, POLICY))
            answered.append(last.scored)
    assert outcomes[0] == outcomes[1]
    # Nothing is left to be done after the last batch that was kept but what comes behind it.
    assert answered[0][len(answered[0]) - len(answered[1]) :] == answered[1]
