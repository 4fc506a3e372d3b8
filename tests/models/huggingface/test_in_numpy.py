"""The shipped neural model in numpy: what it says is what it says in torch, and nobody needs that.

The oracle is the same folder opened by transformers, as any other model is.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.models.neural.counting import counted

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.files.shipped import shipped_folder
from pommel.models.huggingface import model as huggingface
from pommel.models.huggingface.left_to_right import LeftToRight
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.model import Boundary, LoadOptions, Policy, score_all
from pommel.models.registry import load_model
from pommel.sources.load import suite_files
from pommel.store.database import Database
from pommel.store.surprisal_cache import CachedModel, SurprisalCache
from pommel.suite.read import LoadedSuite
from pommel.surprisal import ScoredSentence

REFERENCE = "builtin://en-gpt2"
FOLDER = shipped_folder("builtin") / "en-gpt2"


@cache
def in_numpy(dtype: str = "float32") -> HuggingFaceModel:
    found = load_model(REFERENCE, LoadOptions(dtype=dtype))
    assert isinstance(found, HuggingFaceModel)
    return found


@cache
def in_torch(dtype: str = "float32") -> HuggingFaceModel:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    options = LoadOptions(dtype=dtype)
    found = huggingface.open_folder(FOLDER, reference=REFERENCE, name="en-gpt2", options=options)
    assert isinstance(found, HuggingFaceModel)
    return found


@cache
def shipped_sentences(every: int) -> list[str]:
    """Return the sentences of one in so many of the shipped English suites."""
    suites = [LoadedSuite.read(path).suite for path in suite_files("en")[::every]]
    return sorted({each.text for suite in suites for row in suite.sentences() for each in row})


def largest_difference(sentences: Sequence[str], policy: Policy, dtype: str = "float64") -> float:
    """Return by how many bits a surprisal in float32 is off from torch's in `dtype`."""
    pairs = zip(
        score_all(in_numpy(), sentences, policy),
        score_all(in_torch(dtype), sentences, policy),
        strict=True,
    )
    largest = 0.0
    for one, other in pairs:
        for token, expected in zip(one.tokens, other.tokens, strict=True):
            assert replace(token, surprisal_bits=None) == replace(expected, surprisal_bits=None)
            if token.surprisal_bits is not None and expected.surprisal_bits is not None:
                largest = max(largest, abs(token.surprisal_bits - expected.surprisal_bits))
    return largest


POLICIES = [
    Policy(),
    Policy(boundary="corrected"),
    Policy(bos="never", eos="always", first_token="zero"),
    Policy.SYNTAXGYM,
]


@pytest.mark.parametrize("policy", POLICIES)
def test_surprisals_are_those_of_torch(policy: Policy) -> None:
    assert largest_difference(shipped_sentences(10)[::10], policy) < 1e-4


@pytest.mark.full
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_surprisals_of_all_shipped_sentences_are_those_of_torch(dtype: str) -> None:
    sentences = shipped_sentences(1)
    assert len(sentences) > 3000
    for policy in POLICIES[:2]:
        assert largest_difference(sentences, policy, dtype) < 1e-4


@pytest.mark.parametrize("boundary", ["raw", "corrected"])
@pytest.mark.parametrize("span", [None, (4, 8)])
def test_work_is_what_the_network_then_does(
    boundary: Boundary, span: tuple[int, int] | None
) -> None:
    model, policy = load_model(REFERENCE), Policy(boundary=boundary)
    assert isinstance(model, HuggingFaceModel)
    assert isinstance(model.scorer, LeftToRight)
    texts = ["The dogs bark .", "The dog barks ."]
    spans = [span and [span]] * len(texts)
    work = model.work(texts, policy, spans)
    # One packed row: nothing is padding.
    counts = counted(model.scorer.engine.network)
    score_all(model, texts, policy, spans)
    assert work == (counts.n_tokens_fed, counts.n_rows_projected)


def test_in_float64_they_are_the_same_but_for_the_last_digits() -> None:
    sentences = shipped_sentences(10)[::40]
    for one, other in zip(
        score_all(in_numpy("float64"), sentences, Policy()),
        score_all(in_torch("float64"), sentences, Policy()),
        strict=True,
    ):
        bits = [[token.surprisal_bits for token in each.tokens] for each in (one, other)]
        np.testing.assert_allclose(np.array(bits[0]), np.array(bits[1]), rtol=0, atol=1e-9)


def test_what_comes_next_is_as_in_torch() -> None:
    ids = next(iter(in_numpy().ids_of(["The dog barks ."], Policy()))).tolist()
    found, expected = (each.log_probabilities(ids) for each in (in_numpy(), in_torch()))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-5)
    assert in_numpy().items() == in_torch().items()
    assert in_numpy().tokenizer_spec == in_torch().tokenizer_spec
    assert in_numpy().vocabulary_items == in_torch().vocabulary_items


# Letters, marks, joined emoji, spaces of all kinds, and the mark itself written out.
_PIECES = st.sampled_from(["<|endoftext|>", "'s", "  ", "\u00a0", "\u200d", "e\u0301", "👩‍🚀", "ﬁ"])
_TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=6).map("".join)


@given(_TEXTS.filter(lambda text: not any(unicodedata.category(c) == "Cs" for c in text)))
def test_any_text_has_the_tokens_that_transformers_gives_it(text: str) -> None:
    for policy in (Policy(), Policy(bos="never", eos="always")):
        (found,), (expected,) = (each.encoded([text], policy) for each in (in_numpy(), in_torch()))
        assert found.ids.tolist() == expected.ids.tolist()
        assert found.offsets.tolist() == expected.offsets.tolist()
        assert found.words.tolist() == expected.words.tolist()
        assert found.tokens == expected.tokens


def test_the_description_is_that_of_torch_but_for_what_computes() -> None:
    one, other = in_numpy().info, in_torch().info
    assert (one.details["arithmetic"], one.details["numpy"]) == ("numpy", np.__version__)
    assert other.details["arithmetic"] == "torch"
    assert one.fingerprint == other.fingerprint
    computing = {"arithmetic", "numpy", "tokenizers", "torch", "transformers"}
    kept = [{k: v for k, v in each.details.items() if k not in computing} for each in (one, other)]
    assert kept[0] == kept[1]
    assert replace(one, details={}) == replace(other, details={})


def test_numbers_of_any_format_of_float_are_told_apart() -> None:
    assert in_numpy("float64").info.dtype == "float64"
    assert in_numpy("float64").info.fingerprint == in_torch("float64").info.fingerprint
    assert in_numpy("float64").info.fingerprint != in_numpy().info.fingerprint


def test_half_precision_is_torchs() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    info = load_model(REFERENCE, LoadOptions(dtype="bfloat16")).info
    assert (info.details["arithmetic"], info.dtype) == ("torch", "bfloat16")


@pytest.mark.parametrize("options", [{"device": "gpu"}, {"device": "gpu", "dtype": "bfloat16"}])
def test_a_device_that_is_no_name_of_one(options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        load_model(REFERENCE, LoadOptions(**options))  # type: ignore[arg-type]
    assert str(caught.value) == "no such device: 'gpu'; write cpu, cuda, cuda:N, mps or auto"


def test_a_sentence_that_is_too_long_is_refused() -> None:
    with pytest.raises(
        Exception, match=r"has 201 tokens, more than the 128 that the model can take"
    ):
        list(in_numpy().score([" dog" * 100], Policy()))


def test_a_folder_that_lacks_its_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((FOLDER / "config.json").read_bytes())
    with pytest.raises(ModelNotAvailableError, match=r"has no weights \(model\.safetensors\)"):
        huggingface.open_shipped(tmp_path, reference="builtin://x", name="x", options=LoadOptions())


KEPT = ["The dogs bark .", "The dog barks .", "The cats sleep ."]


def bits_of(sentences: Iterable[ScoredSentence]) -> list[list[float]]:
    """Return the surprisals, NaN for none."""
    return [
        [np.nan if token.surprisal_bits is None else token.surprisal_bits for token in each.tokens]
        for each in sentences
    ]


def test_what_the_store_has_of_torch_serves_numpy_and_the_other_way_round(tmp_path: Path) -> None:
    for first, second in ((in_torch(), in_numpy()), (in_numpy(), in_torch())):
        path = tmp_path / f"{first.info.details['arithmetic']}.sqlite"
        with Database.open(path) as database:
            cache = SurprisalCache(database=database)
            # Two sentences, the second but for its end: what is missing is filled in.
            before = bits_of(
                score_all(CachedModel(first, cache), KEPT[:2], Policy(), [None, [(0, 8)]])
            )
            after = bits_of(score_all(CachedModel(second, cache), KEPT, Policy()))
        assert np.isnan(before[1]).any()
        for row, filled in zip(before, after, strict=False):
            kept = ~np.isnan(row)
            # To the last bit: who comes second does not change what is there.
            assert np.array(row)[kept].tolist() == np.array(filled)[kept].tolist()
        expected = bits_of(score_all(in_torch("float64"), KEPT, Policy()))
        for row, right in zip(after, expected, strict=True):
            np.testing.assert_allclose(row, right, rtol=0, atol=1e-4)
