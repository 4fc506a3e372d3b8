"""The causal engine against plain float64, sentence by sentence, over many architectures."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.models.neural.networks import (
    CONFIGURATIONS,
    N_KNOWN,
    AncestorsHidden,
    Trial,
    answers,
    engine_of,
    largest_difference,
    limited,
    network,
    random_requests,
    reference,
    requests,
    trial,
)

from pommel.models.model import LoadOptions
from pommel.models.neural.causal import CausalEngine
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass
from pommel.models.neural.questions import Request
from pommel.models.neural.self_check import find_paths

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")

# What rounding in float32 is worth at most, and what a fault is worth at least.
ROUNDING_BITS = 1e-4
FAULT_BITS = 1e-3
GROUP = np.arange(N_KNOWN) % 3 == 0

PATHS = {
    "GPT2": ("prefix tree", ""),
    "GPTNeoX": ("prefix tree", ""),
    "Llama": ("prefix tree", ""),
    "OPT": ("prefix tree", ""),
    "Bloom": ("padded batches", "prefix tree: it raises ValueError"),
    "Gemma2": ("prefix tree", ""),
    "Mistral": ("prefix tree", ""),
    "Mamba": ("padded batches", "prefix tree: it is recurrent"),
    "GPTNeo": ("prefix tree", ""),
    "GPTJ": ("prefix tree", ""),
    "XGLM": ("prefix tree", ""),
    "Qwen2": ("prefix tree", ""),
}


@pytest.fixture(params=CONFIGURATIONS)
def tried(request: pytest.FixtureRequest) -> Trial:
    """Each architecture in turn."""
    return trial(request.param)


def difference(tried: Trial, engine: CausalEngine, asked: list[Request]) -> float:
    expected = [tried.reference.answer(each, GROUP) for each in asked]
    return largest_difference(answers(engine, asked, GROUP), expected)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_each_architecture_takes_the_fastest_path_that_is_right_for_it(name: str) -> None:
    engine = trial(name).engine
    assert (engine.path, engine.why) == PATHS[name]


@pytest.mark.parametrize("batch_tokens", [None, 1, 7, 64])
def test_numbers_are_those_of_one_sentence_alone(tried: Trial, batch_tokens: int | None) -> None:
    engine = limited(tried.engine, batch_tokens=batch_tokens)
    assert difference(tried, engine, random_requests(30)) < ROUNDING_BITS


@pytest.mark.parametrize("name", CONFIGURATIONS)
@settings(max_examples=12)
@given(
    asked=requests(),
    batch_tokens=st.one_of(st.none(), st.integers(1, 60)),
    max_memory_bytes=st.sampled_from([None, 1, 10_000, 200_000]),
    data=st.data(),
)
def test_nothing_but_the_sentence_has_a_say_in_its_numbers(
    name: str,
    asked: list[Request],
    batch_tokens: int | None,
    max_memory_bytes: int | None,
    data: st.DataObject,
) -> None:
    tried = trial(name)
    engine = limited(tried.engine, batch_tokens=batch_tokens, max_memory_bytes=max_memory_bytes)
    assert difference(tried, engine, data.draw(st.permutations(asked))) < ROUNDING_BITS


@pytest.mark.parametrize("path", ["padded batches", "batches of equal length"])
@pytest.mark.parametrize("name", ["GPT2", "Mistral", "Mamba"])
def test_the_slower_paths_are_exact_too(name: str, path: Any) -> None:
    tried = trial(name)
    engine = dataclasses.replace(tried.engine, path=path)
    for batch_tokens in (None, 1, 50):
        found = limited(engine, batch_tokens=batch_tokens)
        assert difference(tried, found, random_requests(30)) < ROUNDING_BITS


def test_log_probabilities_are_those_of_the_sentence_and_sum_to_1(tried: Trial) -> None:
    ids = random_requests(1, longest=12)[0].ids
    found = tried.engine.log_probabilities(ids.tolist())
    assert found.dtype == np.float32
    assert found.shape == (len(ids), N_KNOWN)
    np.testing.assert_allclose(np.exp(found).sum(-1), 1, atol=1e-5)
    expected = tried.reference.log2_probabilities(ids)
    np.testing.assert_allclose(found / np.log(2), expected, atol=ROUNDING_BITS)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["GPT2", "GPTNeoX", "Llama", "OPT", "Bloom", "Gemma2", "Mamba"])
def test_short_numbers_cost_some_exactness_and_no_more(name: str, dtype: str) -> None:
    # Surprisals of these networks differ by bits from token to token.
    tried = trial(name)
    engine = engine_of(network(name).to(getattr(torch, dtype)), dtype=dtype)
    assert engine.path == tried.engine.path
    assert difference(tried, engine, random_requests(30)) < 0.3


class SiblingsSeen(Network):
    """Lets tokens see all that stand before them in their packed row."""

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        given = super().inputs(a_pass)
        if a_pass.tree is not None:
            mask = given["attention_mask"]
            given["attention_mask"] = torch.triu(torch.full_like(mask, mask.min()), 1)
        return given


class PlacesInTheRow(Network):
    """Takes the place in the packed row for the position in the sentence."""

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        given = super().inputs(a_pass)
        if a_pass.tree is not None:
            places = torch.arange(a_pass.ids.shape[1])
            given["position_ids"] = places.expand_as(given["position_ids"])
        return given


class OnePositionLate(Network):
    """Counts positions from 1."""

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        given = super().inputs(a_pass)
        if a_pass.tree is not None:
            given["position_ids"] = given["position_ids"] + 1
        return given


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (SiblingsSeen, "GPT2"),
        (SiblingsSeen, "Llama"),
        (SiblingsSeen, "OPT"),
        (AncestorsHidden, "GPT2"),
        (AncestorsHidden, "Llama"),
        (PlacesInTheRow, "GPT2"),
        (PlacesInTheRow, "Llama"),
        (OnePositionLate, "GPT2"),
        # Rotary positions count from anywhere: there is no such fault in Llama.
        (OnePositionLate, "OPT"),
    ],
)
def test_a_fault_in_the_tree_shows_and_the_check_finds_it(fault: type[Network], name: str) -> None:
    model = network(name)
    oracle = reference(name, model)
    wrong = fault(model, device="cpu")
    # No row is so wide that the wrong positions of `PlacesInTheRow` do not exist.
    engine = CausalEngine(network=wrong, path="prefix tree", options=LoadOptions(batch_tokens=60))
    asked = random_requests(30)
    expected = [oracle.answer(each) for each in asked]
    assert largest_difference(answers(engine, asked), expected) > FAULT_BITS
    found = find_paths(wrong, "float32")
    assert found.path == "padded batches"
    assert found.why.startswith("prefix tree: its numbers differ by ")
