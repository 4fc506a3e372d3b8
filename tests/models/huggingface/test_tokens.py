"""Where tokens lie, which marks are added, and the tokenizers that give no offsets."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.models.huggingface.opened import FolderOf, bits, open_tiny, places

from pommel.errors import ModelError
from pommel.models.huggingface.tokens import (
    Ends,
    Vocabulary,
    character_spans,
    is_common,
    vocabulary_spec,
    whitespace_words,
)
from pommel.models.model import Policy, score_all
from pommel.surprisal import ScoredSentence, Token

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


# --- the two ends


@pytest.mark.parametrize(
    ("kind", "prefix", "suffix"),
    [
        ("gpt2", ["<|endoftext|>"], []),  # named, but never added by the tokenizer
        ("llama", ["<s>"], []),  # added by the tokenizer too
        ("llama-eos", ["<s>"], ["</s>"]),
        ("llama-cls", ["[CLS]"], ["[SEP]"]),  # by other names
        ("llama-words", [], []),
        ("opt", ["</s>"], []),
    ],
)
def test_auto_adds_each_mark_once(
    tiny_folder: FolderOf, kind: str, prefix: list[str], suffix: list[str]
) -> None:
    model = open_tiny(tiny_folder(kind))
    (encoded,) = model.encoded(["The cats"], Policy())
    texts = [model.vocabulary.text(token_id) for token_id in encoded.ids]
    inner = len(texts) - len(suffix)
    assert (texts[: len(prefix)], texts[inner:]) == (prefix, suffix)
    assert not {*prefix, *suffix} & set(texts[len(prefix) : inner])
    assert encoded.n_marks == len(prefix)
    assert model.info.bos == (prefix[0] if prefix else None)


@pytest.mark.parametrize(
    ("kind", "n_marks", "first_is_zero"), [("gpt2", 0, True), ("llama", 1, False)]
)
def test_the_retired_tools_took_what_the_tokenizer_added(
    tiny_folder: FolderOf, kind: str, n_marks: int, *, first_is_zero: bool
) -> None:
    model = open_tiny(tiny_folder(kind))
    (encoded,) = model.encoded(["The cats"], Policy.SYNTAXGYM)
    (scored,) = score_all(model, ["The cats"], Policy.SYNTAXGYM)
    assert encoded.n_marks == n_marks
    assert (bits(scored)[0] == 0.0) is first_is_zero


def test_marks_that_a_sentence_writes_out_are_not_doubled(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    text = "<|endoftext|>I<|endoftext|>"
    (written,) = score_all(model, [text], Policy(eos="always"))
    (plain,) = score_all(model, ["I"], Policy(eos="always"))
    assert [(t.text, t.start, t.end, t.role) for t in written.tokens] == [
        ("<|endoftext|>", 0, 13, "special"),
        ("I", 13, 14, "text"),
        ("<|endoftext|>", 14, 27, "special"),
    ]
    assert bits(written) == [None, *(pytest.approx(value) for value in bits(plain))]


def test_eos_is_scored_at_the_end_of_the_sentence(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    (scored,) = score_all(model, ["I like the dog"], Policy(eos="always"))
    last = scored.tokens[-1]
    assert (last.text, last.start, last.end, last.role) == ("<|endoftext|>", 14, 14, "eos")
    (without,) = score_all(open_tiny(tiny_folder("llama-eos")), ["I"], Policy(eos="never"))
    assert [token.role for token in without.tokens] == ["text"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy(bos="always"), "bos=always: this model has no beginning-of-sentence mark"),
        (Policy(eos="always"), "eos=always: this model has no end-of-sentence mark"),
    ],
)
def test_a_mark_that_is_not_there(tiny_folder: FolderOf, policy: Policy, message: str) -> None:
    folder = tiny_folder("llama-words")
    with pytest.raises(ModelError) as caught:
        open_tiny(folder).score(["I"], policy)
    assert str(caught.value) == f"huggingface://{folder}: {message}"


# --- tokens and characters


def test_pieces_of_one_character_stay_in_its_region(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("llama"))
    (scored,) = score_all(model, ["I 🦒 X"], Policy())
    assert places(scored) == [
        ("▁I", 0, 1),
        ("▁", 1, 2),
        ("<0xF0>", 2, 2),
        ("<0x9F>", 2, 2),
        ("<0xA6>", 2, 2),
        ("<0x92>", 2, 3),
        ("▁", 3, 4),
        ("<0x58>", 4, 5),
    ]
    (scored,) = score_all(model, ["X"], Policy())
    assert places(scored) == [("▁", 0, 0), ("<0x58>", 0, 1)]


def test_normalised_and_unknown_words(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("llama-words"))
    (scored,) = score_all(model, ["The  ﬁne CATS"], Policy())
    assert places(scored) == [("the", 0, 3), ("[UNK]", 5, 8), ("cats", 9, 13)]
    assert [token.oov for token in scored.tokens] == [False, True, False]
    assert {token.role for token in scored.tokens} == {"text"}


def test_text_that_is_none(tiny_folder: FolderOf) -> None:
    with pytest.raises(ModelError) as caught:
        open_tiny(tiny_folder("gpt2")).score(["I \ud83d"], Policy())
    expected = r"the character '\ud83d' at 2 is half of a pair and no text (in 'I \ud83d')"
    assert str(caught.value) == expected


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    sentences=st.lists(st.text(max_size=12), max_size=4), eos=st.sampled_from(["auto", "always"])
)
@pytest.mark.parametrize("kind", ["gpt2", "llama-eos"])
def test_any_text_is_covered_and_scored(
    tiny_folder: FolderOf, kind: str, sentences: list[str], eos: Any
) -> None:
    if kind not in _models:
        _models[kind] = open_tiny(tiny_folder(kind))
    model = _models[kind]
    for sentence, scored in zip(
        sentences, score_all(model, sentences, Policy(eos=eos)), strict=True
    ):
        assert scored.text == sentence
        scored.check()
        starts = [token.start for token in scored.tokens]
        assert starts == sorted(starts)
        assert all(value is not None and value >= 0 for value in bits(scored))


_models: dict[str, Any] = {}


# --- tokenizers without offsets


def test_a_tokenizer_in_python(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2-ctrl"))
    (scored,) = score_all(model, ["the dogs saw Zed ."], Policy())
    assert places(scored) == [
        ("the", 0, 3),
        ("do@@", 4, 6),
        ("g@@", 6, 7),
        ("s", 7, 8),
        ("s@@", 9, 10),
        ("a@@", 10, 11),
        ("w", 11, 12),
        ("<unk>", 13, 14),
        ("e@@", 14, 15),
        ("d", 15, 16),
        (".", 17, 18),
    ]
    assert [token.text for token in scored.tokens if token.oov] == ["<unk>"]
    assert bits(scored)[0] is None


def test_a_tokenizer_of_bytes() -> None:
    tokenizer = pytest.importorskip("transformers").ByT5Tokenizer()
    read = Vocabulary(tokenizer, n_known=len(tokenizer))
    nothing = Ends(opening=(), closing=())
    (encoded,) = read.encode(["猫 é"], nothing)
    # Of the bytes of a character the last has it: all are counted in its region.
    places = [(0, 0), (0, 0), (0, 1), (1, 2), (2, 2), (2, 3)]
    assert [*map(tuple, encoded.offsets.tolist())] == places
    assert encoded.ids.tolist() == [3 + byte for byte in "猫 é".encode()]
    (plain,) = read.encode(["a b"], nothing)
    assert plain.offsets.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_a_tokenizer_that_drops_a_character(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("llama-dropping"))
    answers = model.score(["I 🦒 I", "I"], Policy())
    assert next(answers)[0] == 1
    with pytest.raises(ModelError, match="no token stands for '🦒' ") as caught:
        next(answers)
    assert caught.value.blamed.keys() == {"I 🦒 I"}


# --- many sentences


def test_sentences_are_read_in_bulk_and_kept_small(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_tiny(tiny_folder("bert"))
    sentences = ["the dog", "I like the cats .", "", "the dogs"] * 3
    expected = model.encoded(sentences, Policy())
    monkeypatch.setattr("pommel.models.huggingface.tokens._SENTENCES_AT_ONCE", 5)
    for one, other, sentence in zip(
        model.encoded(sentences, Policy()), expected, sentences, strict=True
    ):
        assert one.text == sentence
        assert one.ids.tolist() == other.ids.tolist()
        assert one.tokens == other.tokens
        n_bytes = one.ids.nbytes + one.offsets.nbytes + one.words.nbytes
        assert n_bytes <= 20 * len(one.ids)


def test_a_tokenizer_is_asked_once_for_a_block_and_for_the_text_of_a_token(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    tokenizer = model.vocabulary.tokenizer
    named = tokenizer.convert_ids_to_tokens
    n_read: list[int] = []
    asked: list[int] = []

    class Counting(type(tokenizer)):  # type: ignore[misc]
        def __call__(self, texts: list[str], **how: object) -> object:
            n_read.append(len(texts))
            return super().__call__(texts, **how)

    monkeypatch.setattr(tokenizer, "__class__", Counting)

    def counting(ids: list[int]) -> list[str]:
        asked.extend(ids)
        return list(named(ids))

    monkeypatch.setattr(tokenizer, "convert_ids_to_tokens", counting)
    sentences = [f"The cats {'sat ' * number}." for number in range(15)]
    scored = score_all(model, sentences, Policy())
    assert n_read == [15]
    texts = {token.text for sentence in scored for token in sentence.tokens}
    assert len(asked) == len(set(asked)) == len(texts)


@pytest.mark.parametrize(
    ("text", "starts", "words"),
    [
        ("", [], []),
        ("the cats.", [0, 4, 8], [0, 1, 1]),
        # a token may begin with the space in front of its word
        ("the cats", [0, 3, 5], [0, 1, 1]),
        ("  the\ncats ", [0, 2, 5, 6, 10], [0, 0, 1, 1, 2]),
    ],
)
def test_words_between_white_space(text: str, starts: list[int], words: list[int]) -> None:
    assert whitespace_words(text, np.array(starts, dtype=np.int32)).tolist() == words


def test_a_tokenizer_in_python_has_words_between_white_space(tiny_folder: FolderOf) -> None:
    (encoded,) = open_tiny(tiny_folder("gpt2-ctrl")).encoded(["the dogs saw ."], Policy())
    assert encoded.words.tolist() == [0, 1, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("X dogs", [("▁", 0), ("<0x58>", 0), ("▁", 1), ("dog", 1), ("s", 1)]),
        # a mark that is written out is a word of its own
        ("the <s> dog", [("▁the▁", 0), ("<s>", 1), ("▁", 2), ("▁", 2), ("dog", 2)]),
        ("I  X", [("▁I", 0), ("▁", 1), ("▁", 1), ("<0x58>", 1)]),
    ],
)
def test_without_a_pre_tokenizer_words_end_at_white_space(
    tiny_folder: FolderOf, text: str, words: list[tuple[str, int]]
) -> None:
    (encoded,) = open_tiny(tiny_folder("llama")).encoded([text], Policy())
    tokens = [token.text for token in encoded.tokens]
    assert list(zip(tokens, encoded.words.tolist(), strict=True)) == words


# --- names


def test_every_output_of_a_network_has_a_name(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("llama-words"))
    names = list(model.vocabulary.items(model.n_outputs))
    n_tokens = len(model.vocabulary.tokenizer)
    assert len(names) == model.n_outputs == 400
    assert names[:3] == ["[UNK]", "[CLS]", "[SEP]"]
    assert names[n_tokens - 1] == model.vocabulary.text(n_tokens - 1)
    assert names[n_tokens:] == [f"<unused{number}>" for number in range(n_tokens, 400)]


@pytest.mark.parametrize(
    ("sentence", "offsets", "spans"),
    [
        ("", [], []),
        ("a b", [(0, 1), (1, 3)], [(0, 1), (1, 3)]),
        ("a b", [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        # pieces of one character: the last has it, and all of them stay where it is
        (
            "a 🙂.",
            [(0, 1), (1, 3), (2, 3), (2, 3), (3, 4)],
            [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4)],
        ),
        # pieces of a ligature that was taken apart
        ("ﬁx", [(0, 1), (0, 1), (1, 2)], [(0, 0), (0, 1), (1, 2)]),
        # a dummy space in front, with and without offsets of its own
        ("ab", [(0, 1), (0, 1), (1, 2)], [(0, 0), (0, 1), (1, 2)]),
        ("ab", [(0, 0), (0, 2)], [(0, 0), (0, 2)]),
        # no character, and an offset that leads back
        ("ab c", [(0, 2), (0, 0), (3, 4)], [(0, 2), (2, 2), (3, 4)]),
        # dropped characters: an accent, a soft hyphen before a word, both between words
        ("cafe\u0301s", [(0, 4), (5, 6)], [(0, 5), (5, 6)]),
        ("a \u00adb", [(0, 1), (3, 4)], [(0, 1), (2, 4)]),
        ("e\u0301 \u200bb", [(0, 1), (4, 5)], [(0, 2), (3, 5)]),
        ("\u0301a\u0301", [(1, 2)], [(0, 3)]),
        # what can be seen is never passed over
        ("a ? b", [(0, 1), (4, 5)], [(0, 1), (4, 5)]),
    ],
)
def test_spans(sentence: str, offsets: list[tuple[int, int]], spans: list[tuple[int, int]]) -> None:
    assert character_spans(sentence, offsets) == spans


@given(
    sentence=st.text(alphabet="ab \u0301🙂", max_size=8),
    offsets=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=8),
)
def test_spans_fit_whatever_a_tokenizer_says(sentence: str, offsets: list[tuple[int, int]]) -> None:
    clipped = [(min(a, len(sentence)), min(b, len(sentence))) for a, b in offsets]
    spans = character_spans(sentence, clipped)
    assert len(spans) == len(offsets)
    covered = 0
    for start, end in spans:
        assert covered <= start <= end <= len(sentence)
        covered = end


@given(st.text(min_size=1, max_size=10), st.data())
def test_pieces_that_share_characters_cover_the_sentence(
    sentence: str, data: st.DataObject
) -> None:
    pieces = data.draw(st.lists(st.integers(1, 3), min_size=len(sentence), max_size=len(sentence)))
    offsets = [(i, i + 1) for i, n_pieces in enumerate(pieces) for _ in range(n_pieces)]
    spans = character_spans(sentence, offsets)
    assert [start for start, _ in spans] == [start for start, _ in offsets]
    tokens = [Token(text="x", start=a, end=b, surprisal_bits=1.0) for a, b in spans]
    ScoredSentence(text=sentence, tokens=tuple(tokens)).check()


@pytest.mark.parametrize(
    ("words", "sentinel", "position", "metaspace"),
    [
        (["▁the", "s"], "", "", "▁"),
        (["Ġthe", "s"], "Ġ", "initial", ""),
        (["the", "##s"], "##", "medial", ""),
        (["the</w>", "s"], "</w>", "final", ""),
        (["the@@", "s"], "", "", ""),
    ],
)
def test_how_a_vocabulary_marks_its_words(
    words: list[str], sentinel: str, position: str, metaspace: str
) -> None:
    class Tokenizer:
        unk_token = "<unk>"
        all_special_tokens = ("<unk>", "<pad>")

        def get_vocab(self) -> dict[str, int]:
            return {word: number for number, word in enumerate(words)}

    tokenizer: Any = Tokenizer()
    spec = vocabulary_spec(tokenizer)
    assert (spec.sentinel, spec.sentinel_position) == (sentinel, position)
    assert spec.metaspace == metaspace
    assert (set(spec.unk_types), set(spec.special_types)) == ({"<unk>"}, {"<pad>"})


@pytest.mark.parametrize(
    ("n_carriers", "n_words", "expected"),
    [
        (0, 10, False),
        (1, 10, True),
        (1, 50, True),
        (1, 51, False),
        (2, 100, True),
        (2, 101, False),
    ],
)
def test_a_mark_is_common_from_a_fiftieth_of_the_vocabulary_on(
    n_carriers: int, n_words: int, *, expected: bool
) -> None:
    others = ["the"] * (n_words - n_carriers)
    assert is_common("##", ["##s"] * n_carriers + others) is expected
    assert is_common("@@", ["do@@"] * n_carriers + others, at_end=True) is expected
    assert not is_common("@@", ["@@s"] * n_words, at_end=True)
