"""Word-level LSTMs: words with offsets, the policy's marks, bits against the equations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.models.lstm.folders import reference_bits, save_random_lstm
from tests.models.lstm.opened import WORDS, opened, outcomes
from tests.models.neural.counting import counted

from pommel.models.lstm import model
from pommel.models.lstm.model import LstmModel
from pommel.models.model import Policy, Spans, score_all
from pommel.surprisal import ScoredSentence
from pommel.testing import check_model

pytest.importorskip("torch")
pytest.importorskip("safetensors")

SENTENCES = (
    "The cats are here .",
    "The cat (that sleeps), xyzzy.",
    "the cats the cats the cats are",
    "don't  the\u00a0dog",
    "",
    "  ",
    "cat",
)


def expected(folder: Path, scored: ScoredSentence, *, context: bool = True) -> list[float]:
    """Return the bits of all tokens but a first without context, from the folder's files."""
    vocabulary = (folder / "vocabulary.txt").read_text("utf-8").split("\n")
    names = ["<unk>" if token.oov else token.text for token in scored.tokens]
    return reference_bits(
        folder, [vocabulary.index(name) for name in ["<eos>", *names][not context :]]
    )


def test_it_keeps_the_contract(small: LstmModel) -> None:
    check_model(small)


def test_words_have_their_offsets_and_the_end_is_one(small: LstmModel) -> None:
    text = SENTENCES[1]
    (scored,) = score_all(small, [text], Policy())
    texts = ("The", "cat", "(", "that", "sleeps", ")", ",", "xyzzy", ".", "<eos>")
    assert tuple(token.text for token in scored.tokens) == texts
    assert all(text[token.start : token.end] == token.text for token in scored.tokens[:-1])
    assert [token.text for token in scored.tokens if token.oov] == ["that", "xyzzy"]
    last = scored.tokens[-1]
    assert (last.start, last.end, last.role) == (len(text), len(text), "eos")
    assert {token.role for token in scored.tokens[:-1]} == {"text"}


@pytest.mark.parametrize("shape", [{}, {"tied": True}, {"n_layers": 1}, {"n_layers": 3}])
def test_bits_are_those_of_the_equations(tmp_path: Path, shape: dict[str, Any]) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS, **shape)
    for scored in score_all(opened(folder), SENTENCES, Policy()):
        assert outcomes(scored) == pytest.approx(expected(folder, scored), abs=1e-4)


@pytest.mark.parametrize(
    ("policy", "first"),
    [
        (Policy(bos="never"), "no context"),
        (Policy(bos="tokenizer", eos="always"), "no context"),
        (Policy.SYNTAXGYM, 0.0),
    ],
)
def test_a_first_word_without_context(
    small: LstmModel, folder: Path, policy: Policy, first: float | str
) -> None:
    (scored,) = score_all(small, ["The cat sleeps"], policy)
    assert scored.tokens[-1].role == "eos"
    assert outcomes(scored)[0] == first
    bits = expected(folder, scored, context=False)
    assert outcomes(scored)[1:] == pytest.approx(bits, abs=1e-4)
    # What is before an empty sentence's end is nothing, too.
    (empty,) = score_all(small, [""], policy)
    assert outcomes(empty) == [first]


def test_policies_that_change_what_is_scored_and_those_that_do_not(small: LstmModel) -> None:
    text = "The cat sleeps"
    (whole,) = score_all(small, [text], Policy())
    same = (
        Policy(bos="always", eos="always"),
        Policy(method="causal"),
        Policy(boundary="corrected"),
    )
    for policy in same:
        assert score_all(small, [text], policy) == [whole]
    (open_end,) = score_all(small, [text], Policy(eos="never"))
    assert [token.text for token in open_end.tokens] == ["The", "cat", "sleeps"]
    assert outcomes(open_end) == pytest.approx(outcomes(whole)[:-1], abs=1e-4)
    assert score_all(small, [""], Policy(eos="never")) == [ScoredSentence(text="", tokens=())]


@pytest.mark.parametrize(("cased", "unknown"), [(True, [True, False]), (False, [False, False])])
def test_words_are_looked_up_as_written_or_in_lower_case(
    tmp_path: Path, *, cased: bool, unknown: list[bool]
) -> None:
    folder = save_random_lstm(tmp_path / "model", ["cat"], cased=cased)
    (scored,) = score_all(opened(folder), ["CAT cat"], Policy(eos="never"))
    assert [token.oov for token in scored.tokens] == unknown
    assert [token.text for token in scored.tokens] == ["CAT", "cat"]


def test_marks_in_a_sentence(tmp_path: Path, small: LstmModel) -> None:
    (scored,) = score_all(small, ["the <eos> <unk>"], Policy(eos="never"))
    rows = [(token.text, token.oov, token.role) for token in scored.tokens]
    # The end mark is no word, and is cut as unknown words are; what stands for unknown words does.
    assert rows == [
        ("the", False, "text"),
        ("<", True, "text"),
        ("eos", True, "text"),
        (">", True, "text"),
        ("<unk>", True, "text"),
    ]
    lower = save_random_lstm(tmp_path / "model", ["the"], cased=False)
    (scored,) = score_all(opened(lower), ["THE <EOS>"], Policy(eos="never"))
    assert [token.oov for token in scored.tokens] == [False, True, True, True]


def test_marks_may_have_other_names(tmp_path: Path) -> None:
    words = ["the", "cat"]
    folder = save_random_lstm(tmp_path / "m", words, marks=("OOV", "</s>"), unk="OOV", eos="</s>")
    model = opened(folder)
    assert (model.info.bos, model.info.eos) == ("</s>", "</s>")
    (scored,) = score_all(model, ["the dog"], Policy())
    assert [token.text for token in scored.tokens] == ["the", "dog", "</s>"]
    assert outcomes(scored) == pytest.approx(reference_bits(folder, [1, 2, 0, 1]), abs=1e-4)


# --- what is asked for


TEXT = "The cat sleeps here"


def test_a_first_word_that_is_not_asked_for_has_that_reason(small: LstmModel) -> None:
    (asked,) = score_all(small, [TEXT], Policy.SYNTAXGYM, [[(0, 1)]])
    (not_asked,) = score_all(small, [TEXT], Policy.SYNTAXGYM, [[(4, 5)]])
    assert outcomes(asked) == [0.0, *["not asked for"] * 4]
    assert outcomes(not_asked)[0] == "not asked for"


def test_the_work_is_that_which_is_needed(small: LstmModel) -> None:
    counts = counted(small.engine.network)
    sentences = ["The cat sleeps", "The cats are here .", "The cat sleeps"]
    spans: list[Spans | None] = [[(4, 5)], [(9, 10)], [(8, 9)]]
    score_all(small, sentences, Policy(), spans)
    # <eos>, The, cat; cats. Asked: after <eos> The, after <eos> The cat, after <eos> The cats.
    assert (counts.n_tokens_fed, counts.n_rows_projected, counts.n_passes) == (4, 3, 3)
    counts = counted(small.engine.network)
    score_all(small, sentences, Policy(), [[], [(100, 200)], []])
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (0, 0)


def test_blocks_change_nothing(small: LstmModel, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = score_all(small, SENTENCES, Policy())
    monkeypatch.setattr(model, "_BLOCK", 2)
    assert_equal(score_all(small, SENTENCES, Policy()), whole)


def assert_equal(found: Sequence[ScoredSentence], right: Sequence[ScoredSentence]) -> None:
    for one, other in zip(found, right, strict=True):
        assert one.text == other.text
        assert outcomes(one) == pytest.approx(outcomes(other), abs=1e-4)
