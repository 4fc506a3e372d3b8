"""Conditional scores: which tokens are the target's, what is asked of a model, what is counted."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, strategies as st
from tests.builders import by_word, token

import pommel
from pommel.errors import InputError
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, Spans, score_all
from pommel.models.registry import load_model
from pommel.scoring.choices import Choices
from pommel.scoring.conditional import Comparison, ConditionalScore
from pommel.surprisal import ScoredSentence, Token

NAN = math.nan


@dataclass(slots=True, kw_only=True)
class ToyModel:
    """Scores a word with its length unless it is told, last sentences first.

    It scores what it is asked for, or everything if `is_obedient` is false.
    """

    sentences: dict[str, ScoredSentence] = field(default_factory=dict)
    is_obedient: bool = True
    asked: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(reference="toy://words", name="words", kind="toy", fingerprint="0")

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        assert spans is not None
        self.policies.append(policy)
        for text, wanted in zip(sentences, spans, strict=True):
            assert wanted is not None
            self.asked.append((text, list(wanted)))
        for index in reversed(range(len(sentences))):
            scored = self.sentences.get(sentences[index]) or by_word(sentences[index])
            yield index, self._only(scored, spans[index]) if self.is_obedient else scored

    def _only(self, scored: ScoredSentence, spans: Spans | None) -> ScoredSentence:
        tokens = (
            each
            if any(start <= each.start < end for start, end in spans or ())
            else replace(each, surprisal_bits=None, why_unscored="not asked for")
            for each in scored.tokens
        )
        return replace(scored, tokens=tuple(tokens))


def told(*tokens: Token, text: str) -> ToyModel:
    scored = ScoredSentence(text=text, tokens=tokens)
    scored.check()
    return ToyModel(sentences={text: scored})


# --- what a model is asked


def test_the_target_is_asked_for_with_what_joins_it_and_the_mark_at_the_end() -> None:
    model = ToyModel()
    (score,) = ConditionalScore.of_pairs(model, [("The dog", "barks .")])
    # The token of the first word may begin with the joiner; a mark lies at character 15.
    assert model.asked == [("The dog barks .", [(7, 16)])]
    assert [each.text for each in score.tokens] == ["barks", "."]
    assert (score.n_tokens, score.n_unscored) == (2, 0)
    assert (score.surprisal_bits, score.mean_surprisal_bits) == (6.0, 3.0)
    assert (score.context, score.target, score.text) == ("The dog", "barks .", "The dog barks .")
    assert score.crossing is None
    assert score.oovs == ()


def test_every_sentence_is_asked_for_once_from_the_first_token_that_a_pair_needs() -> None:
    model = ToyModel()
    pairs = [
        ("The dog", "barks ."),
        ("A cat", "purrs"),
        ("The", "dog barks ."),
        ("The dog", "barks ."),
    ]
    scores = ConditionalScore.of_pairs(model, pairs)
    assert model.asked == [
        ("The dog barks .", [(3, 16)]),
        ("A cat purrs", [(5, 12)]),
    ]
    assert [each.surprisal_bits for each in scores] == [6.0, 5.0, 9.0, 6.0]
    assert [(each.context, each.target) for each in scores] == pairs


def test_progress_adds_up_to_all_pairs() -> None:
    steps: list[int] = []
    pairs = [("The", "dog"), ("A", "cat"), ("The", "dog")]
    ConditionalScore.of_pairs(ToyModel(), pairs, progress=steps.append)
    assert sorted(steps) == [1, 2]


def test_without_pairs_no_model_is_asked() -> None:
    model = ToyModel()
    assert ConditionalScore.of_pairs(model, []) == []
    assert model.policies == []


def test_the_policy_reaches_the_model() -> None:
    model = ToyModel()
    ConditionalScore.of_pairs(model, [("The", "dog")])
    ConditionalScore.of_pairs(model, [("The", "dog")], Choices(policy=Policy(eos="never")))
    assert model.policies == [Policy(), Policy(eos="never")]


def test_a_model_that_scores_more_than_it_is_asked_gives_the_same() -> None:
    pairs = [("The dog", "barks ."), ("", "A cat"), ("The", "dog barks .")]
    eager = ToyModel(is_obedient=False)
    assert ConditionalScore.of_pairs(eager, pairs) == ConditionalScore.of_pairs(ToyModel(), pairs)


@pytest.mark.parametrize("target", ["", " \t"])
def test_a_target_needs_something_to_score(target: str) -> None:
    with pytest.raises(InputError) as caught:
        ConditionalScore.of_pairs(ToyModel(), [("The", "dog"), ("The", target)])
    assert str(caught.value) == (
        f"pair 2: the target {target!r} has no visible character; write the words to be scored"
    )


# --- which tokens are the target's


def test_nothing_joins_an_empty_context() -> None:
    model = ToyModel()
    (score,) = ConditionalScore.of_pairs(model, [("", "The dog")])
    assert model.asked == [("The dog", [(0, 8)])]
    assert score.surprisal_bits == 6.0


def test_a_language_without_spaces() -> None:
    tokens = (token("犬", 0, 1.0), token("が", 1, 2.0), token("吠える", 2, 4.0))
    model = told(*tokens, text="犬が吠える")
    (score,) = ConditionalScore.of_pairs(model, [("犬", "が吠える")], joiner="")
    assert model.asked == [("犬が吠える", [(1, 6)])]
    assert score.surprisal_bits == 6.0


def test_the_joiner_belongs_to_the_target() -> None:
    tokens = (token("The", 0, 1.0), token("▁", 3, 2.0), token("dog", 4, 4.0))
    (score,) = ConditionalScore.of_pairs(told(*tokens, text="The dog"), [("The", "dog")])
    assert [each.text for each in score.tokens] == ["▁", "dog"]


def test_a_token_that_begins_with_the_contexts_last_space_is_the_targets() -> None:
    tokens = (token("The", 0, 1.0), token(" dog", 3, 4.0))
    model = told(*tokens, text="The dog")
    (score,) = ConditionalScore.of_pairs(model, [("The ", "dog")], joiner="")
    assert model.asked == [("The dog", [(3, 8)])]
    assert (score.surprisal_bits, score.crossing) == (4.0, None)


def test_a_token_of_the_contexts_last_spaces_only_is_the_contexts() -> None:
    tokens = (token("The", 0, 1.0), token("\n", 3, 2.0), token("dog", 4, 4.0))
    (score,) = ConditionalScore.of_pairs(
        told(*tokens, text="The\ndog"), [("The\n", "dog")], joiner=""
    )
    assert [each.text for each in score.tokens] == ["dog"]


def test_a_token_across_the_border_counts_where_it_begins_and_is_reported() -> None:
    tokens = (token("un", 0, 1.0), token("happi", 2, 2.0), token("ness", 7, 4.0))
    model = told(*tokens, text="unhappiness")
    (score,) = ConditionalScore.of_pairs(model, [("unhap", "piness")], joiner="")
    assert (score.crossing, score.surprisal_bits) == ("happi", 4.0)


def test_a_target_within_a_token_of_the_context_has_no_score() -> None:
    model = told(token("犬が", 0, 3.0), text="犬が")
    (score,) = ConditionalScore.of_pairs(model, [("犬", "が")], joiner="")
    assert (score.crossing, score.n_tokens) == ("犬が", 0)
    assert math.isnan(score.surprisal_bits)
    assert math.isnan(score.mean_surprisal_bits)


def test_a_token_that_ends_in_the_joiner_crosses_nothing() -> None:
    tokens = (token("The ", 0, 1.0), token("dog", 4, 4.0))
    (score,) = ConditionalScore.of_pairs(told(*tokens, text="The dog"), [("The", "dog")])
    assert (score.crossing, score.surprisal_bits) == (None, 4.0)


def test_the_mark_at_the_end_counts() -> None:
    tokens = (token("The", 0, 1.0), token("dog", 4, 4.0), token("</s>", 7, 8.0, end=7, role="eos"))
    (score,) = ConditionalScore.of_pairs(told(*tokens, text="The dog"), [("The", "dog")])
    assert (score.surprisal_bits, score.n_tokens) == (12.0, 2)


# --- what is counted


def test_tokens_without_a_surprisal_are_counted_and_left_out_of_sum_and_mean() -> None:
    tokens = (token("The", 0, None), token("dog", 4, 4.0), token("barks", 8, 2.0))
    model = told(*tokens, text="The dog barks")
    (score,) = ConditionalScore.of_pairs(model, [("", "The dog barks")])
    assert (score.n_tokens, score.n_unscored) == (3, 1)
    assert (score.surprisal_bits, score.mean_surprisal_bits) == (6.0, 3.0)


def test_a_target_without_any_surprisal_has_no_score() -> None:
    model = told(token("The", 0, None), text="The")
    (score,) = ConditionalScore.of_pairs(model, [("", "The")])
    assert (score.n_tokens, score.n_unscored) == (1, 1)
    assert math.isnan(score.surprisal_bits)
    assert math.isnan(score.mean_surprisal_bits)


def test_a_word_of_probability_0_has_an_infinite_surprisal() -> None:
    model = told(token("The", 0, 1.0), token("dog", 4, math.inf), text="The dog")
    (score,) = ConditionalScore.of_pairs(model, [("The", "dog")])
    assert score.surprisal_bits == score.mean_surprisal_bits == math.inf


def test_unknown_words_of_the_target_are_named_as_they_are_written() -> None:
    text = "A wug saw a blick"
    tokens = (
        token("A", 0, 1.0),
        token("<unk>", 1, 1.0, end=5, oov=True),
        token("saw", 6, 1.0),
        token("a", 10, 1.0),
        token("<unk>", 11, 1.0, end=17, oov=True),
    )
    (score,) = ConditionalScore.of_pairs(told(*tokens, text=text), [("A wug", "saw a blick")])
    assert score.oovs == ("blick",)


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [
        ([1.0, 2.0, 5.0], [2.0, 3.0, 4.0], (2, 0, 0)),
        ([1.0, math.inf], [1.0, math.inf], (0, 2, 0)),
        ([1.0, NAN, 1.0], [NAN, NAN, math.inf], (1, 0, 2)),
        ([], [], (0, 0, 0)),
    ],
)
def test_comparison(good: list[float], bad: list[float], expected: tuple[int, int, int]) -> None:
    n_right, n_ties, n_undefined = expected
    found = Comparison.of(good, bad)
    assert found == Comparison(
        n_items=len(good), n_right=n_right, n_ties=n_ties, n_undefined=n_undefined
    )
    if good:
        assert found.share_right == n_right / len(good)
    else:
        assert math.isnan(found.share_right)


# --- laws, on models that ship


def sum_bits(model: Model, text: str, policy: Policy) -> float:
    (scored,) = score_all(model, [text], policy)
    return math.fsum(each.surprisal_bits or 0.0 for each in scored.tokens)


WORDS = st.sampled_from(["the", "author", "authors", "is", "good", ",", ".", "wug", "don't"])
PHRASES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(PHRASES, PHRASES), max_size=5)


@pytest.mark.parametrize("reference", ["dummy://", "builtin://en-ngram"])
def test_a_sentence_is_its_context_and_then_its_target(reference: str) -> None:
    # The chain rule: -log2 p(context target) = -log2 p(context) - log2 p(target | context).
    model = load_model(reference)

    @given(pairs=PAIRS, eos=st.sampled_from(["never", "always"]))
    def law(pairs: list[tuple[str, str]], eos: str) -> None:
        policy = Policy(eos="always") if eos == "always" else Policy(eos="never")
        scores = ConditionalScore.of_pairs(model, pairs, Choices(policy=policy))
        assert [(each.context, each.target) for each in scores] == pairs
        for score in scores:
            whole = sum_bits(model, f"{score.context} {score.target}", policy)
            context = sum_bits(model, score.context, Policy(eos="never"))
            assert score.surprisal_bits + context == pytest.approx(whole, abs=1e-9)
            assert score.mean_surprisal_bits * score.n_tokens == pytest.approx(score.surprisal_bits)

    law()


@given(pairs=PAIRS, joiner=st.sampled_from(["", " ", " , "]))
def test_any_text_gives_the_target_what_the_context_does_not_have(
    pairs: list[tuple[str, str]], joiner: str
) -> None:
    model = load_model("dummy://")
    for score in ConditionalScore.of_pairs(model, pairs, joiner=joiner):
        (whole,) = score_all(model, [score.text], Policy())
        n_before = len(whole.tokens) - score.n_tokens
        assert whole.tokens[n_before:] == score.tokens
        border = len(score.context)
        assert [each.start < border for each in whole.tokens] == [
            index < n_before for index in range(len(whole.tokens))
        ]
        is_cut = n_before > 0 and whole.tokens[n_before - 1].end > border
        assert (score.crossing is not None) == is_cut


GPT2_PAIRS = [
    ("The author", "is good ."),
    ("The author", "are good ."),
    ("The authors near the pilot", "are good ."),
    ("The author", "is good ."),
    ("The author is", "good ."),
    ("", "The author is good ."),
]


@pytest.mark.parametrize("eos", ["never", "always"])
def test_a_neural_models_scores_are_differences_of_whole_sentences(eos: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    model = load_model("builtin://en-gpt2", LoadOptions())
    policy = Policy(eos="always") if eos == "always" else Policy(eos="never")
    scores = ConditionalScore.of_pairs(model, GPT2_PAIRS, Choices(policy=policy))
    for score in scores:
        context = sum_bits(model, score.context, Policy(eos="never")) if score.context else 0.0
        expected = sum_bits(model, score.text, policy) - context
        assert score.surprisal_bits == pytest.approx(expected, abs=1e-4)
        assert score.n_unscored == 0
    # It knows agreement, and its scores are compared as the authors of such suites do.
    assert scores[0].mean_surprisal_bits < scores[1].mean_surprisal_bits


# --- `import pommel`


def test_by_the_name_of_a_model() -> None:
    (score,) = pommel.conditional_scores("dummy://uniform?bits=2", [("The dog", "barks .")])
    assert score.surprisal_bits == 4.0
