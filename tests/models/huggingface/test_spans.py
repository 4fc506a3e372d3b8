"""Only what is asked for is scored, and it gets the same numbers."""

from typing import Any

import pytest
from tests.models.huggingface.opened import FolderOf, bits, open_tiny, outcomes
from tests.models.neural.counting import counted

from pommel.models.huggingface import model
from pommel.models.model import Policy, Spans, score_all

pytest.importorskip("torch")
pytest.importorskip("transformers")


# GPT-2's tokens of it have the space in front: they begin at 0, 1, 5 and 9.
SENTENCE = "I saw the dogs"


@pytest.mark.parametrize(
    ("policy", "first"),
    [(Policy(bos="never"), "no context"), (Policy.SYNTAXGYM, 0.0)],
)
def test_a_first_token_without_context(
    tiny_folder: FolderOf, policy: Policy, first: float | str
) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    (asked,) = score_all(model, [SENTENCE], policy, [[(0, 1)]])
    (not_asked,) = score_all(model, [SENTENCE], policy, [[(1, 5)]])
    assert outcomes(asked) == [first, *["not asked for"] * 3]
    assert outcomes(not_asked)[0] == "not asked for"
    assert isinstance(outcomes(not_asked)[1], float)


@pytest.mark.parametrize("kind", ["gpt2", "bert", "t5"])
def test_a_sentence_of_which_nothing_is_asked_is_never_fed(
    tiny_folder: FolderOf, kind: str
) -> None:
    model = open_tiny(tiny_folder(kind))
    counts = counted(model.scorer.engine.network)
    scored = score_all(model, [SENTENCE, "the dog"], Policy(), [[], [(100, 200)]])
    assert counts.n_passes == counts.n_tokens_fed == 0
    assert {outcome for each in scored for outcome in outcomes(each)} == {"not asked for"}
    assert [each.text for each in scored] == [SENTENCE, "the dog"]


def test_nothing_behind_the_last_span_is_fed(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    counts = counted(model.scorer.engine.network)
    score_all(model, [SENTENCE], Policy(), [[(1, 2)]])
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (2, 1)


def test_equal_sentences_share_what_is_asked_of_them(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    asked: list[Spans | None] = [[(1, 2)], [(5, 6)], [(3, 4)]]
    one, same, other = score_all(model, [SENTENCE, SENTENCE, "the cats saw"], Policy(), asked)
    assert one == same
    assert [index for index, value in enumerate(bits(one)) if value is not None] == [1, 2]
    assert bits(other).count(None) == len(other.tokens) - 1
    everything, _ = score_all(model, [SENTENCE, SENTENCE], Policy(), [[(1, 2)], None])
    assert None not in bits(everything)


def test_many_sentences_are_held_a_block_at_a_time(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ["I saw the dogs", "the dog saw", "I saw the dog", "the", "", "I saw the dogs"]
    spans: list[Spans | None] = [((1, 2),), None, ((5, 6),), None, None, ((9, 10),)]
    opened = open_tiny(tiny_folder("gpt2"))
    expected = score_all(opened, sentences, Policy(), spans)
    held: list[int] = []
    encode = opened.vocabulary.encode

    def watched(texts: Any, ends: Any) -> Any:
        held.append(len(texts))
        return encode(texts, ends)

    monkeypatch.setattr(opened.vocabulary, "encode", watched)
    monkeypatch.setattr(model, "_BLOCK", 2)
    monkeypatch.setattr(model, "_BLOCKS_KEPT", 1)
    found = score_all(opened, sentences, Policy(), spans)
    # All of them to be checked, before anything is computed; what is not kept again to be scored.
    assert held == [2, 2, 1, 2, 1]
    for one, other in zip(found, expected, strict=True):
        assert outcomes(one) == [
            each if isinstance(each, str | None) else pytest.approx(each, abs=1e-4)
            for each in outcomes(other)
        ]
