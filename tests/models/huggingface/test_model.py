"""Surprisals against a plain forward pass, one sentence at a time, in float64."""

import math
import subprocess
import sys
from collections.abc import Sequence
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
)
from tests.models.neural.counting import counted, in_torch

from pommel.errors import ModelError, ModelNotAvailableError, UsageError
from pommel.models.huggingface import model as huggingface
from pommel.models.model import Policy, score_all
from pommel.surprisal import ScoredSentence
from pommel.testing import check_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


SENTENCES = (
    "The cats that the dog saw were here .",
    "I like the dog 🙂 .",
    "I",
    "The dog that saw the cats was here .",
    "naïve café people saw e\u0301 and 🦒 .",
    "the dogs that they saw , and the cats , were not here at all yesterday .",
)
ARCHITECTURES = ("gpt2", "llama", "neox", "opt", "bloom", "mamba")


@pytest.mark.parametrize("kind", ["gpt2", "gpt2-ctrl", "llama-eos", "mamba", "bert", "t5"])
def test_it_keeps_the_contract(tiny_folder: FolderOf, kind: str) -> None:
    check_model(open_tiny(tiny_folder(kind)))


def oracle(folder: Path, ids: Sequence[int]) -> list[float]:
    """The surprisals of ids[1:], from one plain pass in float64 over this sentence alone."""
    log_p = log2_softmax(exact_network("AutoModelForCausalLM", folder), ids)
    return [-float(log_p[i, ids[i + 1]]) for i in range(len(ids) - 1)]


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_the_surprisals_are_those_of_a_plain_pass(tiny_folder: FolderOf, kind: str) -> None:
    folder = tiny_folder(kind)
    transformers: Any = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    scored = score_all(open_tiny(folder, batch_tokens=40), SENTENCES, Policy())
    for sentence, result in zip(SENTENCES, scored, strict=True):
        ids = tokenizer(sentence, add_special_tokens=False)["input_ids"]
        expected = oracle(folder, [tokenizer.bos_token_id, *ids])
        assert [token.text for token in result.tokens] == tokenizer.convert_ids_to_tokens(ids)
        assert bits(result) == pytest.approx(expected, abs=1e-4)


def test_the_end_of_a_sentence_is_scored_in_its_context(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("llama-eos")
    model = open_tiny(folder)
    (scored,) = score_all(model, ["I saw"], Policy())
    (encoded,) = model.encoded(["I saw"], Policy())
    assert scored.tokens[-1].role == "eos"
    assert bits(scored) == pytest.approx(oracle(folder, encoded.ids.tolist()), abs=1e-4)


def test_equal_sentences_are_scored_once(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    network = model.scorer.engine.network
    n_projected = []
    for sentences in (["I like .", "I"], ["I like .", "I", "I like .", "I like ."]):
        counts = counted(network)
        scored = dict(model.score(sentences, Policy()))
        n_projected.append(counts.n_rows_projected)
    assert n_projected[0] == n_projected[1]
    assert sorted(scored) == [0, 1, 2, 3]
    assert scored[0] == scored[2] == scored[3] != scored[1]


def test_nothing_to_score(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    assert score_all(model, [], Policy()) == []
    assert score_all(model, [""], Policy()) == [ScoredSentence(text="", tokens=())]
    assert score_all(model, [""], Policy(bos="never")) == [ScoredSentence(text="", tokens=())]
    (ended,) = score_all(model, [""], Policy(eos="always"))
    assert [token.role for token in ended.tokens] == ["eos"]
    assert ended.tokens[0].surprisal_bits is not None


# --- what goes wrong


def test_a_sentence_that_is_too_long_is_named_before_anything_is_scored(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_folder("gpt2")
    model = open_tiny(folder)
    monkeypatch.setattr(model.scorer.engine.network, "logits", None)
    fits, too_long = " ".join(["the"] * 63), " ".join(["the"] * 64)
    with pytest.raises(ModelError) as caught:
        model.score(["I", fits, too_long], Policy())
    assert str(caught.value) == (
        f"huggingface://{folder}: 'the the the the the the the the the the the the the the t...' "
        f"has 65 tokens, more than the 64 that the model can take"
    )
    model.score(["I", fits], Policy())  # exactly as long as the context
    with pytest.raises(ModelError, match="has 65 tokens"):
        model.score([fits], Policy(eos="always"))


def test_what_is_wrong_in_any_block_of_sentences_is_told_at_once(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.models.huggingface.model._BLOCK", 1)
    wrong = ["half \ud800", " ".join(["the"] * 64), "\udfff of it"]
    with pytest.raises(ModelError) as caught:
        open_tiny(tiny_folder("gpt2")).score(["I", *wrong], Policy())
    assert [*caught.value.blamed] == wrong


def fail_beyond(model: huggingface.HuggingFaceModel, limit: int, error: Exception) -> None:
    """Let the network fail on more than `limit` ids at once, as a device would."""
    network = in_torch(model.scorer.engine.network)

    def check(_module: Any, _arguments: Any, inputs: dict[str, Any]) -> None:
        if inputs["input_ids"].numel() > limit:
            raise error

    network.model.register_forward_pre_hook(check, with_kwargs=True)


def test_what_does_not_fit_into_memory_is_cut(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    expected = score_all(model, SENTENCES, Policy())
    error = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
    fail_beyond(model, 40, error)
    for one, other in zip(score_all(model, SENTENCES, Policy()), expected, strict=True):
        assert bits(one) == pytest.approx(bits(other), abs=1e-4)
    fail_beyond(model, 2, error)
    with pytest.raises(ModelError) as caught:
        score_all(model, ["I", "I like the dog"], Policy())
    assert str(caught.value) == (
        f"{model.info.reference}: out of memory on the 5 tokens of 'I like the dog'"
    )


@pytest.mark.parametrize(
    ("sentences", "where"),
    [(["I"], "'I'"), (["I", "dog"], "'I' or 1 other"), (["I", "dog", "cats"], "'I' or 2 others")],
)
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RuntimeError("CUDA error: assert\nlong advice"), "RuntimeError: CUDA error: assert"),
        (IndexError("index out of range in self"), "IndexError: index out of range in self"),
        (ValueError("a shape"), "ValueError: a shape"),
        (TypeError("no tensor"), "TypeError: no tensor"),
        (AssertionError(), "AssertionError"),
    ],
)
def test_a_network_that_fails_otherwise(
    tiny_folder: FolderOf, sentences: list[str], where: str, error: Exception, why: str
) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    fail_beyond(model, 0, error)
    with pytest.raises(ModelError) as caught:
        score_all(model, sentences, Policy())
    assert str(caught.value) == f"{model.info.reference}: failed on {where}: {why}"
    assert caught.value.__cause__ is error


def test_what_pommel_itself_has_to_say_stays_as_it_is(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    fail_beyond(model, 0, ModelError("one line"))
    with pytest.raises(ModelError, match=r"^one line$"):
        score_all(model, ["I"], Policy())


def test_nan_names_the_sentence(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    broken = model.encoded([" the"], Policy())[0].ids[-1]
    with torch.no_grad():
        in_torch(model.scorer.engine.network).model.get_input_embeddings().weight[broken] = math.nan
    with pytest.raises(ModelError) as caught:
        score_all(model, ["I like the dog"], Policy())
    start, _, end = str(caught.value).partition(": the model gives no number (NaN) for ")
    assert start == model.info.reference
    assert end.endswith("in 'I like the dog'; its weights may be damaged")


# --- where and in which numbers


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_reduced_dtype_is_near_and_finite(tiny_folder: FolderOf, dtype: str) -> None:
    folder = tiny_folder("gpt2")
    exact = score_all(open_tiny(folder), SENTENCES[:2], Policy())
    model = open_tiny(folder, dtype=dtype)
    assert in_torch(model.scorer.engine.network).model.dtype == getattr(torch, dtype)
    assert model.info.dtype == dtype
    assert model.info.fingerprint != open_tiny(folder).info.fingerprint
    for near, scored in zip(score_all(model, SENTENCES[:2], Policy()), exact, strict=True):
        assert bits(near) == pytest.approx(bits(scored), abs=0.5)


def test_float64_is_exact(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("gpt2")
    model = open_tiny(folder, dtype="float64")
    for scored in score_all(model, SENTENCES[:2], Policy()):
        (encoded,) = model.encoded([scored.text], Policy())
        assert bits(scored) == pytest.approx(oracle(folder, encoded.ids.tolist()), abs=1e-9)


def test_devices_and_numbers_that_are_not_there(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("gpt2")
    with pytest.raises(
        ModelNotAvailableError, match=r"^the device 'cuda:99' is not available here"
    ):
        open_tiny(folder, device="cuda:99")
    with pytest.raises(UsageError, match="no such device: 'gpu'; write cpu, cuda, cuda:N, mps or"):
        open_tiny(folder, device="gpu")
    with pytest.raises(UsageError, match=r"^no such dtype: 'int8'; write float32, bfloat16, "):
        open_tiny(folder, dtype="int8")
    with pytest.raises(UsageError, match=r"^a batch has 1 token or more, not 0$"):
        open_tiny(folder, batch_tokens=0)
    assert open_tiny(folder, device="auto").info.device in {"cpu", "mps", "cuda:0"}


def test_importing_the_backend_does_not_import_torch() -> None:
    code = (
        "import sys, pommel.models.huggingface, pommel.models.registry;"
        "sys.exit(bool({'torch', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
