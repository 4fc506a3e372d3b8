"""Encoder-decoder models by teacher forcing, against plain float64 passes."""

from importlib import import_module

import pytest
from tests.models.huggingface.opened import FolderOf, bits, exact_network, log2_softmax, open_tiny

from pommel.errors import ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.model import Policy, score_all

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


SENTENCES = ("The cats that they saw were here .", "I saw the dog", "The cats", "")


@pytest.mark.parametrize(
    ("kind", "source", "start"),
    [("t5", ["</s>"], ["<pad>"]), ("bart", ["<s>", "</s>"], ["</s>", "<s>"])],
)
def test_the_decoder_reads_the_sentence_and_the_encoder_its_marks(
    tiny_folder: FolderOf, kind: str, source: list[str], start: list[str]
) -> None:
    folder = tiny_folder(kind)
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
    network = exact_network("AutoModelForSeq2SeqLM", folder)
    model = open_tiny(folder)
    source_ids = tokenizer.convert_tokens_to_ids(source)
    start_ids = tokenizer.convert_tokens_to_ids(start)
    for sentence, scored in zip(SENTENCES, score_all(model, SENTENCES, Policy()), strict=True):
        ids = [*tokenizer(sentence, add_special_tokens=False)["input_ids"]]
        ids.append(tokenizer.eos_token_id)
        decoder_ids = [*start_ids, *ids]
        log_p = log2_softmax(network, decoder_ids[:-1], input_ids=source_ids)
        rows = range(len(start_ids) - 1, len(decoder_ids) - 1)
        expected = [-float(log_p[row, ids[n]]) for n, row in enumerate(rows)]
        assert [token.text for token in scored.tokens] == tokenizer.convert_ids_to_tokens(ids)
        assert scored.tokens[-1].role == "eos"
        assert bits(scored) == pytest.approx(expected, abs=1e-4)


def test_the_description(tiny_folder: FolderOf) -> None:
    info = open_tiny(tiny_folder("t5")).info
    assert info.methods == ("causal",)
    assert (info.bos, info.eos, info.details["network"]) == ("<pad>", "</s>", "encoder-decoder")


@pytest.mark.parametrize("policy", [Policy(), Policy(bos="always"), Policy.SYNTAXGYM])
def test_the_first_token_follows_the_start(tiny_folder: FolderOf, policy: Policy) -> None:
    model = open_tiny(tiny_folder("t5"))
    (scored,) = score_all(model, ["I saw"], policy)
    assert None not in bits(scored)
    assert bits(scored)[0] != 0


def test_marks_that_a_policy_leaves_out(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("t5")
    model = open_tiny(folder)
    (scored,) = score_all(model, ["I saw"], Policy(eos="never"))
    assert {token.role for token in scored.tokens} == {"text"}
    with pytest.raises(UnsupportedFeatureError) as caught:
        model.score(["I"], Policy(bos="never"))
    assert str(caught.value) == (
        f"huggingface://{folder}: bos=never: a decoder always begins with its start token, "
        "'<pad>' here; write bos=auto"
    )


def test_a_decoder_without_a_start(tiny_folder: FolderOf) -> None:
    with pytest.raises(ModelNotAvailableError, match=r"\(decoder_start_token_id\)$"):
        open_tiny(tiny_folder("t5-startless"))
