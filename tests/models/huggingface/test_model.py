"""Surprisals against a plain forward pass, one sentence at a time, in float64."""

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import ModelError, ModelNotAvailableError, UsageError
from pommel.models import huggingface
from pommel.models.model import LoadOptions, score_all
from pommel.models.policy import Policy
from pommel.surprisal import ScoredSentence

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

FolderOf = Callable[[str], Path]

SENTENCES = (
    "The cats that the dog saw were here .",
    "I like the dog 🙂 .",
    "I",
    "The dog that saw the cats was here .",
    "naïve café people saw e\u0301 and 🦒 .",
    "the dogs that they saw , and the cats , were not here at all yesterday .",
)
ARCHITECTURES = ("gpt2", "llama", "neox", "opt", "bloom", "mamba")


def open_tiny(folder: Path, **options: Any) -> huggingface.HuggingFaceModel:
    model = huggingface.open(f"huggingface://{folder}", LoadOptions(**options))
    assert isinstance(model, huggingface.HuggingFaceModel)
    return model


def oracle(folder: Path, ids: Sequence[int]) -> list[float]:
    """The surprisals of ids[1:], from one plain pass in float64 over this sentence alone."""
    transformers: Any = import_module("transformers")
    old = transformers.__version__ < "4.56"
    dtype = {"torch_dtype" if old else "dtype": torch.float64}
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, **dtype).eval()
    with torch.no_grad():
        logits = network(torch.tensor([list(ids)])).logits[0]
    log_p = torch.log_softmax(logits.double(), -1)
    return [-float(log_p[i, ids[i + 1]]) / math.log(2) for i in range(len(ids) - 1)]


def bits(scored: ScoredSentence) -> list[float | None]:
    return [token.surprisal_bits for token in scored.tokens]


def places(scored: ScoredSentence) -> list[tuple[str, int, int]]:
    return [(token.text, token.start, token.end) for token in scored.tokens]


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_the_surprisals_are_those_of_a_plain_pass(tiny_folder: FolderOf, kind: str) -> None:
    folder = tiny_folder(kind)
    transformers: Any = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    scored = score_all(open_tiny(folder, batch_size=4), SENTENCES, Policy())
    for sentence, result in zip(SENTENCES[:3], scored, strict=False):
        ids = tokenizer(sentence, add_special_tokens=False)["input_ids"]
        expected = oracle(folder, [tokenizer.bos_token_id, *ids])
        assert [token.text for token in result.tokens] == tokenizer.convert_ids_to_tokens(ids)
        assert bits(result) == pytest.approx(expected, abs=1e-4)


def test_the_end_of_a_sentence_is_scored_in_its_context(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("llama-eos")
    model = open_tiny(folder)
    (scored,) = score_all(model, ["I saw"], Policy())
    (encoded,) = model.encoder.encode(["I saw"], Policy())
    assert scored.tokens[-1].role == "eos"
    assert bits(scored) == pytest.approx(oracle(folder, encoded.ids), abs=1e-4)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_a_batch_gives_what_each_sentence_gives_alone(tiny_folder: FolderOf, kind: str) -> None:
    model = open_tiny(tiny_folder(kind), batch_size=6)
    for sentence, together in zip(
        SENTENCES, score_all(model, SENTENCES, Policy(eos="always")), strict=True
    ):
        (alone,) = score_all(model, [sentence], Policy(eos="always"))
        assert places(alone) == places(together)
        assert bits(together) == pytest.approx(bits(alone), abs=1e-4)


def test_batches_are_sorted_bounded_and_of_one_length_where_padding_shows(
    tiny_folder: FolderOf,
) -> None:
    gpt2 = open_tiny(tiny_folder("gpt2")).scorer
    mamba = open_tiny(tiny_folder("mamba")).scorer
    lengths = [3, 9, 3, 9, 5]
    assert list(gpt2.batches(lengths, 2)) == [[1, 3], [4, 0], [2]]
    assert list(mamba.batches(lengths, 2)) == [[1, 3], [4], [0, 2]]
    # 1,000 tokens x 400 types = 400,000 logits a sentence, 2^27 a batch
    assert {len(batch) for batch in gpt2.batches([1000] * 670, 1000)} == {335}


def test_equal_sentences_are_scored_once(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    fed: list[int] = []
    plain = type(model.scorer).bits

    def counted(self: Any, batch: Sequence[Sequence[int]]) -> list[list[float]]:
        fed.append(len(batch))
        return plain(self, batch)

    monkeypatch.setattr(type(model.scorer), "bits", counted)
    scored = dict(model.score(["I like .", "I", "I like .", "I like ."], Policy()))
    assert fed == [2]
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
    monkeypatch.setattr(type(model.scorer), "bits", None)
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


def test_out_of_memory_halves_the_batch(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    expected = score_all(model, SENTENCES, Policy())
    plain = type(model.scorer).logits

    def logits(self: Any, batch: Sequence[Sequence[int]]) -> Any:
        if len(batch) > limit:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return plain(self, batch)

    monkeypatch.setattr(type(model.scorer), "logits", logits)
    limit = 2
    for one, other in zip(score_all(model, SENTENCES, Policy()), expected, strict=True):
        assert bits(one) == pytest.approx(bits(other), abs=1e-4)
    limit = 0
    with pytest.raises(ModelError, match=r"out of memory on the 2 tokens of 'I'$"):
        score_all(model, ["I"], Policy())


def test_a_network_that_fails_otherwise(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_tiny(tiny_folder("gpt2"))

    def logits(_self: Any, _batch: Any) -> Any:
        raise RuntimeError("CUDA error: device-side assert triggered\nlong advice")

    monkeypatch.setattr(type(model.scorer), "logits", logits)
    with pytest.raises(ModelError, match=r"'I': CUDA error: device-side assert triggered$"):
        score_all(model, ["I"], Policy())


def test_nan_names_the_sentence(tiny_folder: FolderOf) -> None:
    model = open_tiny(tiny_folder("gpt2"))
    broken = model.encoder.encode([" the"], Policy())[0].ids[-1]
    with torch.no_grad():
        model.scorer.network.get_input_embeddings().weight[broken] = math.nan
    with pytest.raises(ModelError) as caught:
        score_all(model, ["I like the dog", "I like"], Policy())
    assert str(caught.value).startswith("the model gives no number (NaN) for ")
    assert str(caught.value).endswith("in 'I like the dog'; a reduced dtype may be the reason")


# --- where and in which numbers


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_reduced_dtype_is_near_and_finite(tiny_folder: FolderOf, dtype: str) -> None:
    folder = tiny_folder("gpt2")
    exact = score_all(open_tiny(folder), SENTENCES[:2], Policy())
    model = open_tiny(folder, dtype=dtype)
    assert model.scorer.network.dtype == getattr(torch, dtype)
    assert model.info.dtype == dtype
    assert model.info.fingerprint != open_tiny(folder).info.fingerprint
    for near, scored in zip(score_all(model, SENTENCES[:2], Policy()), exact, strict=True):
        assert bits(near) == pytest.approx(bits(scored), abs=0.5)


def test_devices_and_numbers_that_are_not_there(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("gpt2")
    with pytest.raises(
        ModelNotAvailableError, match=r"^the device 'cuda:99' is not available here"
    ):
        open_tiny(folder, device="cuda:99")
    with pytest.raises(UsageError, match="no such device: 'gpu'; write cpu, cuda, cuda:N, mps or"):
        open_tiny(folder, device="gpu")
    with pytest.raises(UsageError, match="no such dtype: 'int8'; write float32, bfloat16, float16"):
        open_tiny(folder, dtype="int8")
    with pytest.raises(UsageError, match="the batch size must be 1 or more, not 0"):
        open_tiny(folder, batch_size=0)
    assert open_tiny(folder, device="auto").info.device in {"cpu", "mps", "cuda:0"}


def test_importing_the_backend_does_not_import_torch() -> None:
    code = (
        "import sys, pommel.models.huggingface, pommel.models.registry;"
        "sys.exit(bool({'torch', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
