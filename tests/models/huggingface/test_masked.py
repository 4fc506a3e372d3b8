"""Masked models: each method against plain float64 passes over the inputs that it describes."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.models.huggingface.opened import (
    FolderOf,
    bits,
    exact_network,
    log2_softmax,
    open_tiny,
    outcomes,
    texts,
)
from tests.models.neural.counting import counted

from pommel.errors import ModelError, ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.model import Method, Policy, score_all

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


KINDS = ("bert", "roberta", "distilbert", "xlmr", "albert")
SENTENCE = "The cats that they saw were here ."


class Oracle:
    """The network in float64, and the ids of a sentence as the tokenizer makes them."""

    def __init__(self, folder: Path, sentence: str) -> None:
        self.network = exact_network("AutoModelForMaskedLM", folder)
        tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
        encoding = tokenizer(sentence)
        self.ids: list[int] = encoding["input_ids"]
        self.words: list[int | None] = encoding.word_ids()
        self.mask: int = tokenizer.mask_token_id

    def bits(self, hidden: Callable[[int, int], bool], *, marks: bool = False) -> list[float]:
        """Return the surprisal of each token (and the marks), with what is `hidden` masked."""
        places = range(len(self.ids)) if marks else range(1, len(self.ids) - 1)
        return [self._bits(place, hidden) for place in places]

    def _bits(self, place: int, hidden: Callable[[int, int], bool]) -> float:
        ids = [self.mask if hidden(i, place) else each for i, each in enumerate(self.ids)]
        return -float(log2_softmax(self.network, ids)[place, self.ids[place]])


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_is_what_it_says(tiny_folder: FolderOf, kind: str) -> None:
    folder = tiny_folder(kind)
    model, oracle = open_tiny(folder), Oracle(folder, SENTENCE)
    words = oracle.words

    def found(method: Method) -> list[float | None]:
        return bits(score_all(model, [SENTENCE], Policy(method=method))[0])

    pll = oracle.bits(lambda i, place: i == place)
    assert found("auto") == found("pll") == pytest.approx(pll, abs=1e-4)
    assert found("pll-word-l2r") == pytest.approx(
        oracle.bits(lambda i, place: i >= place and words[i] == words[place]), abs=1e-4
    )
    assert found("masked-l2r") == pytest.approx(oracle.bits(lambda i, place: i >= place), abs=1e-4)
    unmasked = oracle.bits(lambda _i, _place: False, marks=True)
    assert found("unmasked-ce") == pytest.approx(unmasked, abs=1e-4)


@pytest.mark.parametrize("method", ["pll", "masked-l2r", "unmasked-ce"])
@pytest.mark.parametrize("span", [None, (4, 8)])
def test_work_is_what_the_network_then_does(
    tiny_folder: FolderOf, method: Method, span: tuple[int, int] | None
) -> None:
    model, policy = open_tiny(tiny_folder("bert")), Policy(method=method)
    spans = [span and [span]]
    work = model.work([SENTENCE], policy, spans)
    counts = counted(model.scorer.engine.network)
    score_all(model, [SENTENCE], policy, spans)
    assert work == (counts.n_tokens_fed, counts.n_rows_projected)


def test_its_own_method_is_pseudo_log_likelihood(tiny_folder: FolderOf) -> None:
    info = open_tiny(tiny_folder("bert")).info
    assert info.methods == ("pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce")
    assert (info.details["network"], info.details["scoring"]) == ("masked", "padded batches")
    assert (info.bos, info.eos) == ("[CLS]", "[SEP]")


# --- marks


def test_marks_are_context_and_no_tokens(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("bert"))
    for policy in (Policy(), Policy.SYNTAXGYM, Policy(bos="always")):
        (encoded,) = model.encoded(["the dog"], policy)
        ids = [model.vocabulary.text(token_id) for token_id in encoded.ids]
        assert ids == ["[CLS]", "the", "dog", "[SEP]"]
        assert (encoded.n_marks, encoded.n_closing) == (1, 1)
        (scored,) = score_all(model, ["the dog"], policy)
        assert texts(scored) == ["the", "dog"]
        assert None not in bits(scored)
    (bare,) = model.encoded(["the dog"], Policy(bos="never", eos="never"))
    assert [model.vocabulary.text(token_id) for token_id in bare.ids] == ["the", "dog"]
    (alone,) = score_all(model, ["the dog"], Policy(bos="never", eos="never"))
    assert None not in bits(alone)
    assert bits(alone) != pytest.approx(bits(scored), abs=0.01)


def test_marks_are_tokens_where_nothing_is_masked(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("bert"))
    (scored,) = score_all(model, ["the dog"], Policy(method="unmasked-ce", eos="always"))
    assert [(token.text, token.start, token.end, token.role) for token in scored.tokens] == [
        ("[CLS]", 0, 0, "bos"),
        ("the", 0, 3, "text"),
        ("dog", 4, 7, "text"),
        ("[SEP]", 7, 7, "eos"),
    ]
    assert None not in bits(scored)
    never = Policy(method="unmasked-ce", bos="never", eos="never")
    assert texts(score_all(model, ["the dog"], never)[0]) == ["the", "dog"]


@pytest.mark.parametrize("method", ["auto", "pll", "pll-word-l2r", "masked-l2r", "focus-mask"])
def test_a_mark_that_is_context_has_no_surprisal(tiny_folder: FolderOf, method: Method) -> None:
    folder = tiny_folder("bert")
    model = open_tiny(folder)
    with pytest.raises(UnsupportedFeatureError) as caught:
        model.score(["the dog"], Policy(method=method, eos="always"))
    name = "pll" if method == "auto" else method
    assert str(caught.value) == (
        f"huggingface://{folder}: eos=always: the method {name!r} takes the mark at the end of a "
        "sentence for context and gives it no surprisal; write eos=auto, or method=unmasked-ce"
    )


def test_marks_that_the_tokenizer_does_not_add(tiny_folder: FolderOf, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(tiny_folder("bert"), tmp_path / "bert"))
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.save_pretrained(folder)
    model = open_tiny(folder)
    assert texts(score_all(model, ["the dog"], Policy(method="unmasked-ce"))[0]) == ["the", "dog"]
    with pytest.raises(ModelError) as caught:
        model.score(["the"], Policy(bos="always"))
    assert str(caught.value) == (
        f"huggingface://{folder}: bos=always: this model has no beginning-of-sentence mark"
    )
    with pytest.raises(ModelError) as caught:
        model.score(["the"], Policy(method="unmasked-ce", eos="always"))
    assert str(caught.value) == (
        f"huggingface://{folder}: eos=always: this model has no end-of-sentence mark"
    )


# --- words


def test_a_word_in_focus_is_one_token(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("bert"))
    sentence = "the cats, that zebra saw yesterdays"
    (pll,) = score_all(model, [sentence], Policy())
    (focus,) = score_all(model, [sentence], Policy(method="focus-mask"))
    assert texts(focus) == ["the", "cats", ",", "that", "[UNK]", "saw", "yesterday", "##s"]
    left_out = {"cats", ",", "[UNK]", "yesterday", "##s"}
    for token, one, other in zip(focus.tokens, outcomes(focus), bits(pll), strict=True):
        expected = "not comparable" if token.text in left_out else pytest.approx(other, abs=1e-4)
        assert one == expected, token
    (part,) = score_all(model, [sentence], Policy(method="focus-mask"), [[(4, 14)]])
    assert outcomes(part) == [
        "not asked for",
        "not comparable",
        "not comparable",
        pytest.approx(bits(pll)[3], abs=1e-4),
        *["not asked for"] * 4,
    ]


def test_an_unknown_word_is_never_in_focus_whatever_its_id(tmp_path: Path) -> None:
    from tests.models.tiny_tokenizers import word_pieces

    hf: Any = import_module("transformers")
    tokenizer = word_pieces()
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    # The first of the special tokens changes places with the unknown one.
    swapped = {"[PAD]": tokenizer.unk_token_id, "[UNK]": tokenizer.pad_token_id}
    state["model"]["vocab"] |= swapped
    for added in state["added_tokens"]:
        added["id"] = swapped.get(added["content"], added["id"])
    state["added_tokens"].sort(key=lambda added: added["id"])
    core = import_module("tokenizers").Tokenizer.from_str(json.dumps(state))
    hf.PreTrainedTokenizerFast(
        tokenizer_object=core, **tokenizer.special_tokens_map
    ).save_pretrained(tmp_path)
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 90}
    config = hf.BertConfig(**size, intermediate_size=8, initializer_range=0.3)
    hf.BertForMaskedLM(config).save_pretrained(tmp_path)
    model = open_tiny(tmp_path)
    assert model.vocabulary.unknown == 0
    (focus,) = score_all(model, ["the zebra saw"], Policy(method="focus-mask"))
    assert texts(focus) == ["the", "[UNK]", "saw"]
    assert [outcome == "not comparable" for outcome in outcomes(focus)] == [False, True, False]


def test_words_are_those_of_the_pre_tokenizer(tiny_folder: FolderOf) -> None:
    bert, xlmr = (open_tiny(tiny_folder(kind)) for kind in ("bert", "xlmr"))
    (cut,) = bert.encoded(["the dogs."], Policy())
    assert cut.words.tolist() == [0, 1, 2]
    (kept,) = xlmr.encoded(["the dogs."], Policy())
    n_first = texts(score_all(xlmr, ["the"], Policy())[0])
    assert kept.words.tolist() == [0] * len(n_first) + [1] * (kept.n_tokens - len(n_first))


def test_words_end_at_white_space_where_the_pre_tokenizer_cuts_none(
    tiny_folder: FolderOf, tmp_path: Path
) -> None:
    import shutil

    folder = Path(shutil.copytree(tiny_folder("xlmr"), tmp_path / "xlmr"))
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
    core = tokenizer.backend_tokenizer
    core.pre_tokenizer = import_module("tokenizers").pre_tokenizers.Metaspace(split=False)
    tokenizer.save_pretrained(folder)
    assert set(tokenizer("the dogs saw", add_special_tokens=False).word_ids()) == {0}
    for method in ("pll", "pll-word-l2r"):
        one, other = (
            score_all(open_tiny(each), [SENTENCE, "", "I"], Policy(method=method))
            for each in (folder, tiny_folder("xlmr"))
        )
        for unsplit, split in zip(one, other, strict=True):
            assert texts(unsplit) == texts(split)
            assert bits(unsplit) == pytest.approx(bits(split), abs=1e-4)


# --- what a masked model does not do


def test_what_it_refuses(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("bert")
    model = open_tiny(folder)
    with pytest.raises(UnsupportedFeatureError) as caught:
        model.score(["the"], Policy(method="causal"))
    assert str(caught.value) == (
        f"huggingface://{folder} does not take the method 'causal'; it takes pll, pll-word-l2r, "
        "masked-l2r, focus-mask, unmasked-ce"
    )
    with pytest.raises(UnsupportedFeatureError) as caught:
        model.score(["the"], Policy(boundary="corrected"))
    assert str(caught.value) == (
        f"huggingface://{folder}: boundary=corrected: a masked model sees where words end; "
        "write boundary=raw"
    )
    with pytest.raises(UnsupportedFeatureError, match=r"gives no probabilities of next tokens$"):
        model.log_probabilities([1, 2])
    with pytest.raises(UnsupportedFeatureError, match="does not take the method 'pll'"):
        open_tiny(tiny_folder("gpt2")).score(["the"], Policy(method="pll"))


def test_a_tokenizer_without_a_mask(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("bert-maskless")
    with pytest.raises(ModelNotAvailableError) as caught:
        open_tiny(folder)
    assert str(caught.value) == (
        f"huggingface://{folder}: its tokenizer has no mask token (mask_token), which is what a "
        "masked model is asked with"
    )


@pytest.mark.parametrize(
    ("kind", "policy", "n_fits"),
    [
        ("bert", Policy(), 62),
        # RoBERTa has 66 embeddings of positions, the first two of them for padding
        ("roberta", Policy(), 62),
        ("bert", Policy(eos="never"), 63),
        # a place for what follows is there even without a mark for it
        ("bert", Policy(method="masked-l2r", eos="never"), 62),
    ],
)
def test_a_sentence_that_is_too_long(
    tiny_folder: FolderOf, kind: str, policy: Policy, n_fits: int
) -> None:
    model = open_tiny(tiny_folder(kind))
    assert model.info.max_tokens == 64
    (scored,) = score_all(model, [" ".join(["the"] * n_fits)], policy, [[(0, 1)]])
    assert bits(scored)[0] is not None
    with pytest.raises(ModelError, match="has 65 tokens, more than the 64 that the model can take"):
        model.score([" ".join(["the"] * (n_fits + 1))], policy)
