"""Whole words: on models whose vocabulary can be enumerated their probabilities sum to 1."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from tests.models.huggingface.opened import FolderOf, bits, log2_softmax, open_tiny
from tests.models.neural.counting import counted, in_torch
from tests.models.tiny_tokenizers import byte_level, metaspace, unigram, word_level, word_pieces

from pommel.errors import UnsupportedFeatureError
from pommel.models.huggingface import model as huggingface
from pommel.models.huggingface.boundary import corrected_bits, find_boundaries, word_mark
from pommel.models.huggingface.tokens import Vocabulary, vocabulary_spec
from pommel.models.model import Policy, score_all

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


EOS = "<eos>"
CORRECTED = Policy(boundary="corrected", eos="always")
RAW = Policy(eos="always")
# What no sentence has before it is the mark alone; GPT-2's first word has no space in front.
LETTERS = "ab"


def letters_with_spaces() -> Any:
    """`a`, `b`, and both with the space before them: the text of tokens tells the tokens."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    vocabulary = {EOS: 0, "Ġa": 1, "Ġb": 2, "a": 3, "b": 4}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=EOS))
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(" ?."), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    hf: Any = import_module("transformers")
    return hf.PreTrainedTokenizerFast(tokenizer_object=core, bos_token=EOS, eos_token=EOS)


def letters_with_ends() -> Any:
    """`a`, `b`, and both at the end of a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {EOS: 0, "a</w>": 1, "b</w>": 2, "a": 3, "b": 4}
    core = Tokenizer(models.BPE(vocabulary, [], end_of_word_suffix="</w>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    hf: Any = import_module("transformers")
    return hf.PreTrainedTokenizerFast(tokenizer_object=core, bos_token=EOS, eos_token=EOS)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., huggingface.HuggingFaceModel]:
    """Return a function that opens a toy model with a tokenizer of five tokens."""
    torch.set_num_threads(1)

    def model_with(tokenizer: Any) -> huggingface.HuggingFaceModel:
        folder = tmp_path_factory.mktemp("toy")
        hf: Any = import_module("transformers")
        torch.manual_seed(11)
        common = {"vocab_size": 5, "bos_token_id": 0, "eos_token_id": 0}
        sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32}
        config = hf.GPT2Config(**sizes, **common, initializer_range=0.3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer.save_pretrained(folder)
            hf.GPT2LMHeadModel(config).save_pretrained(folder)
        return open_tiny(folder, dtype="float64")

    return model_with


def words_of(n_most: int) -> Iterator[str]:
    """Yield every word of up to so many letters."""
    for n in range(1, n_most + 1):
        yield from map("".join, itertools.product(LETTERS, repeat=n))


def p_words(
    model: huggingface.HuggingFaceModel, context: str, words: Sequence[str], policy: Policy
) -> tuple[list[float], float]:
    """Return the probability of each word after a context, and that of the sentence's end."""
    sentences = [*(f"{context} {word}" for word in words), context]
    found = []
    for sentence, scored in zip(sentences, score_all(model, sentences, policy), strict=True):
        own = len(context) if sentence != context else len(context) + 1
        behind = [t for t in scored.tokens if t.end > own or (t.role == "eos" and own > t.end - 1)]
        if sentence != context:
            behind = [token for token in behind if token.role != "eos"]
        found.append(2.0 ** -sum(token.surprisal_bits or 0.0 for token in behind))
    return found[:-1], found[-1]


def p_sequence(model: huggingface.HuggingFaceModel, ids: Sequence[int], n_given: int) -> float:
    """Return, in float64, the probability of `ids[n_given:]` after `ids[:n_given]`."""
    if len(ids) == n_given:
        return 1.0
    log_p = log2_softmax(in_torch(model.scorer.engine.network).model, ids[:-1])
    return float(2.0 ** sum(float(log_p[i - 1, ids[i]]) for i in range(n_given, len(ids))))


def ids_of(model: huggingface.HuggingFaceModel, text: str) -> list[int]:
    (encoded,) = model.encoded([text], Policy())
    return [int(each) for each in encoded.ids]


BEGINNINGS = (0, 1, 2)  # the end of the sentence, "Ġa", "Ġb"
CONTINUATIONS = (3, 4)


@pytest.mark.parametrize("context", ["a", "ab ba", "b aab b"])
def test_words_that_show_their_beginnings(toy: Callable[..., Any], context: str) -> None:
    model = toy(letters_with_spaces())
    given = ids_of(model, context)
    words = list(words_of(5))
    found, p_end = p_words(model, context, words, CORRECTED)
    # p(word | context) = p(context, word, and then a boundary) / p(context, and then a boundary)
    p_boundary = sum(p_sequence(model, [*given, each], len(given)) for each in BEGINNINGS)

    def p_going_on(word: str, then: Sequence[int]) -> float:
        ids = ids_of(model, f"{context} {word}")
        assert ids[: len(given)] == given
        return sum(p_sequence(model, [*ids, each], len(given)) for each in then) / p_boundary

    assert found == pytest.approx([p_going_on(word, BEGINNINGS) for word in words], abs=1e-9)
    unfinished = sum(p_going_on(word, CONTINUATIONS) for word in words if len(word) == 5)
    assert unfinished > 0.001
    assert sum(found) + p_end + unfinished == pytest.approx(1, abs=1e-9)
    # Raw "probabilities" are those of all words that begin so: "a" has those of "aa" and "ab", too.
    raw, _ = p_words(model, context, words, RAW)
    assert raw[0] > raw[2] + raw[3] > 0
    assert found[0] != pytest.approx(raw[0], abs=0.01)


def test_the_mass_that_is_missing_goes_to_nothing(toy: Callable[..., Any]) -> None:
    model = toy(letters_with_spaces())
    missing = []
    for n_letters in (2, 4, 6, 8):
        found, p_end = p_words(model, "a", list(words_of(n_letters)), CORRECTED)
        missing.append(1 - sum(found) - p_end)
    assert missing == sorted(missing, reverse=True)
    assert 0 < missing[-1] < missing[0] / 10


def test_words_that_show_their_ends(toy: Callable[..., Any]) -> None:
    model = toy(letters_with_ends())
    words = list(words_of(5))
    found, p_end = p_words(model, "ab", words, CORRECTED)
    assert (found, p_end) == p_words(model, "ab", words, RAW)
    given = ids_of(model, "ab")
    expected = [p_sequence(model, ids_of(model, f"ab {word}"), len(given)) for word in words]
    assert found == pytest.approx(expected, abs=1e-9)
    # What is left is the mass of beginnings that go on too long, or break off with the sentence.
    beginnings = [[{"a": 3, "b": 4}[letter] for letter in word] for word in words]
    too_long = [[*given, *ids] for ids in beginnings if len(ids) == 5]
    broken_off = [[*given, *ids, 0] for ids in beginnings if len(ids) < 5]
    left = sum(p_sequence(model, ids, len(given)) for ids in (*too_long, *broken_off))
    assert sum(found) + p_end + left == pytest.approx(1, abs=1e-9)


def test_what_moves_from_token_to_token(toy: Callable[..., Any]) -> None:
    model = toy(letters_with_spaces())
    network = in_torch(model.scorer.engine.network).model
    text = "ab ba"
    (raw,), (corrected,) = (score_all(model, [text], each) for each in (RAW, CORRECTED))
    log_p = log2_softmax(network, ids_of(model, text))
    boundary = [-math.log2(sum(2.0 ** float(row[each]) for each in BEGINNINGS)) for row in log_p]
    moved = [b - a for a, b in zip(bits(raw), bits(corrected), strict=True)]  # type: ignore[operator]
    # a, b, Ġb, a, and the end; the first word has no space in front, and nothing is taken off
    assert [token.text for token in raw.tokens] == ["a", "b", "Ġb", "a", EOS]
    expected = [0, boundary[2], -boundary[2], boundary[4], -boundary[4]]
    assert moved == pytest.approx(expected, abs=1e-9)
    # Without the mark at the end the last word's end still counts.
    (open_ended,) = score_all(model, [text], Policy(boundary="corrected"))
    assert bits(open_ended) == pytest.approx(bits(corrected)[:-1], abs=1e-9)


def test_only_what_the_asked_words_need_is_asked(toy: Callable[..., Any]) -> None:
    model = toy(letters_with_spaces())
    (whole,) = score_all(model, ["ab ba ab"], CORRECTED)
    counts = counted(model.scorer.engine.network)
    (part,) = score_all(model, ["ab ba ab"], CORRECTED, [[(2, 5)]])
    assert [token.text for token in part.tokens if token.surprisal_bits is not None] == ["Ġb", "a"]
    assert bits(part)[2:4] == pytest.approx(bits(whole)[2:4], abs=1e-9)
    # Behind "ab" (for "Ġb" and the boundary), "ab b" (for "a") and "ab ba" (for the boundary).
    assert counts.n_rows_projected == 3


def test_a_first_token_without_context_is_not_corrected(toy: Callable[..., Any]) -> None:
    model = toy(letters_with_spaces())
    zero = Policy(bos="never", boundary="corrected", first_token="zero")
    (scored,) = score_all(model, ["a b"], zero)
    assert bits(scored)[0] == 0.0
    (unscored,) = score_all(model, ["a b"], Policy(bos="never", boundary="corrected"))
    assert bits(unscored)[0] is None
    assert bits(unscored)[1:] == bits(scored)[1:]


# --- what a vocabulary shows


@pytest.mark.parametrize(
    ("tokenizer", "mark"),
    [
        (byte_level, "beginnings"),
        (metaspace, "beginnings"),
        (lambda: unigram("$A"), "beginnings"),
        (word_pieces, "continuations"),
        (word_level, "ends"),
        (letters_with_ends, "ends"),
        (letters_with_spaces, "beginnings"),
    ],
)
def test_what_vocabularies_mark(tokenizer: Callable[[], Any], mark: str) -> None:
    found = tokenizer()
    assert word_mark(found, vocabulary_spec(found)) == mark


def test_a_tokenizer_whose_pieces_say_that_they_go_on(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2-ctrl"))
    tokenizer = model.vocabulary.tokenizer
    assert word_mark(tokenizer, vocabulary_spec(tokenizer)) == "ends"
    corrected, raw = (
        score_all(model, ["the dogs saw ."], Policy(boundary=each)) for each in ("corrected", "raw")
    )
    assert corrected == raw


def group_of(tokenizer: Any) -> set[str]:
    vocabulary = Vocabulary(tokenizer, n_known=400)
    found = find_boundaries(vocabulary)
    assert found is not None
    assert found.group is not None
    return set(vocabulary.texts(np.flatnonzero(found.group).tolist()))


def test_what_begins_a_word() -> None:
    gpt2 = group_of(byte_level())
    # A line break and a tab are bytes of their own, a no-break space is two.
    assert {"<|endoftext|>", "Ġ", "Ċ", "ĉ", "Ġcats", "Ġ."} <= gpt2
    assert not {"cats", ".", "Â", "ł", "a"} & gpt2
    llama = group_of(metaspace())
    assert {"</s>", "▁", "<0x0A>", "<0x20>"} <= llama
    assert not {"<s>", "<unk>", "<0x41>", "cat", "."} & llama
    bert = group_of(word_pieces())
    assert {"[SEP]", "[UNK]", "the", "cats", "."} <= bert
    assert not {"[CLS]", "[MASK]", "[PAD]"} & bert
    assert not any(text.startswith("##") for text in bert)


def test_every_word_of_a_tokenizer_that_marks_continuations(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("bert-decoder"), dtype="float64")
    text = "the yesterdays."
    (raw,) = score_all(model, [text], Policy())
    (corrected,) = score_all(model, [text], Policy(boundary="corrected"))
    assert [t.text for t in raw.tokens] == ["the", "yesterday", "##s", ".", "[SEP]"]
    moved = [b - a for a, b in zip(bits(raw), bits(corrected), strict=True)]  # type: ignore[operator]
    # Between its beginning and its end a word's tokens keep their surprisal; all in all what is
    # moved cancels, but for the beginning of the first word.
    assert moved[0] != 0
    assert moved[1] < 0 < moved[2]
    log_p = log2_softmax(in_torch(model.scorer.engine.network).model, ids_of(model, text)[:1])
    boundaries = find_boundaries(model.vocabulary)
    assert boundaries is not None
    assert boundaries.group is not None
    first = -math.log2(sum(2.0 ** log_p[0].numpy()[boundaries.group]))
    assert sum(moved) == pytest.approx(-first, abs=1e-9)


def test_a_tokenizer_that_marks_neither(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("llama-dropping")
    model = open_tiny(folder)
    with pytest.raises(UnsupportedFeatureError) as caught:
        model.score(["I"], Policy(boundary="corrected"))
    assert str(caught.value) == (
        f"huggingface://{folder}: boundary=corrected: this model's tokenizer marks neither where "
        "words begin nor where they end; write boundary=raw"
    )


def test_what_is_impossible_stays_so() -> None:
    at = np.array([1, 2])
    moved = corrected_bits(
        np.array([math.inf, 3.0]), np.array([1, 0]), np.array([0, 2]), at, np.array([math.inf, 1.0])
    )
    assert moved.tolist() == [math.inf, 4.0]
