"""GPT-2 in numpy against the same weights in torch, in float64, sentence by sentence."""

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.models.neural.counting import counted
from tests.models.neural.networks import (
    N_KNOWN,
    Trial,
    answers,
    largest_difference,
    limited,
    network,
    random_requests,
    reference,
    request,
    requests,
)

from pommel.models.model import LoadOptions
from pommel.models.neural.causal import CausalEngine
from pommel.models.neural.gpt2 import NumpyGpt2
from pommel.models.neural.passes import Pass
from pommel.models.neural.questions import Request

pytest.importorskip("torch")
pytest.importorskip("transformers")

# As of networks in torch: what rounding in float32 is worth at most, a fault at least.
ROUNDING_BITS = 1e-4
FAULT_BITS = 1e-3
GROUP = np.arange(N_KNOWN) % 3 == 0


def in_numpy(model: Any, dtype: str = "float32") -> NumpyGpt2:
    weights = {name: each.numpy() for name, each in model.transformer.state_dict().items()}
    config = model.config
    epsilon = config.layer_norm_epsilon
    return NumpyGpt2(weights, n_heads=config.n_head, epsilon=epsilon, dtype=dtype)


def engine_of(known: NumpyGpt2, **options: Any) -> CausalEngine:
    return CausalEngine(network=known, path="prefix tree", options=LoadOptions(**options))


@functools.cache
def trial() -> Trial:
    model = network("GPT2")
    return Trial(engine=engine_of(in_numpy(model)), reference=reference("GPT2", model))


def difference(engine: CausalEngine, asked: list[Request]) -> float:
    expected = [trial().reference.answer(each, GROUP) for each in asked]
    return largest_difference(answers(engine, asked, GROUP), expected)


@pytest.mark.parametrize("batch_tokens", [None, 1, 7, 64])
def test_numbers_are_those_of_one_sentence_alone_in_torch(batch_tokens: int | None) -> None:
    engine = limited(trial().engine, batch_tokens=batch_tokens)
    assert difference(engine, random_requests(30)) < ROUNDING_BITS


def test_in_float64_they_are_the_same_but_for_the_last_digits() -> None:
    engine = engine_of(in_numpy(network("GPT2"), "float64"))
    assert difference(engine, random_requests(30)) < 1e-9


@given(
    asked=requests(),
    batch_tokens=st.one_of(st.none(), st.integers(1, 60)),
    max_memory_bytes=st.sampled_from([None, 1, 10_000, 200_000]),
    path=st.sampled_from(["prefix tree", "padded batches", "batches of equal length"]),
    data=st.data(),
)
def test_nothing_but_the_sentence_has_a_say_in_its_numbers(
    asked: list[Request],
    batch_tokens: int | None,
    max_memory_bytes: int | None,
    path: Any,
    data: st.DataObject,
) -> None:
    engine = limited(trial().engine, batch_tokens=batch_tokens, max_memory_bytes=max_memory_bytes)
    engine = dataclasses.replace(engine, path=path)
    assert difference(engine, data.draw(st.permutations(asked))) < ROUNDING_BITS


def test_the_tree_is_fed_as_to_any_network() -> None:
    # Fed: 5 6 7 8, of two sentences that share three tokens. A row of each is projected.
    engine = engine_of(in_numpy(network("GPT2")))
    counts = counted(engine.network)
    answers(engine, [request([5, 6, 7, 8, 9]), request([5, 6, 7, 10])])
    assert (counts.n_passes, counts.n_tokens_fed, counts.n_rows_projected) == (1, 4, 4)


def test_log_probabilities_are_those_of_the_sentence_and_sum_to_1() -> None:
    ids = random_requests(1, longest=12)[0].ids
    found = trial().engine.log_probabilities(ids.tolist())
    assert found.dtype == np.float32
    assert found.shape == (len(ids), N_KNOWN)
    np.testing.assert_allclose(np.exp(found).sum(-1), 1, atol=1e-5)
    expected = trial().reference.log2_probabilities(ids)
    np.testing.assert_allclose(found / np.log(2), expected, atol=ROUNDING_BITS)
    assert trial().engine.log_probabilities([]).shape == (0, N_KNOWN)


def test_what_is_all_but_impossible_has_a_number_and_a_group_of_such_too() -> None:
    # Logits so far apart that exponentials of most are 0 in float32.
    model = network("GPT2")
    model.transformer.ln_f.weight.data.mul_(40)
    known, oracle = engine_of(in_numpy(model)), reference("GPT2", model)
    rarest = int(oracle.log2_probabilities(np.array([5, 6]))[-1].argmin())
    group = np.arange(N_KNOWN) == rarest
    asked = [request([5, 6, rarest], [2], [2])]
    [expected] = [oracle.answer(each) for each in asked]
    assert expected.bits[0] > 150
    [found] = answers(known, asked, group)
    np.testing.assert_allclose(found.bits, expected.bits, rtol=1e-5)
    np.testing.assert_allclose(found.boundary_bits, expected.bits, rtol=1e-5)


class NoMemory(NumpyGpt2):
    """Has memory for five tokens at once."""

    def logits(self, a_pass: Pass) -> Any:
        if a_pass.ids.size > 5:
            raise MemoryError
        return super().logits(a_pass)


def test_a_pass_that_does_not_fit_is_halved() -> None:
    model = network("GPT2")
    known = in_numpy(model)
    known.__class__ = NoMemory
    assert difference(engine_of(known), [request([5, 6, 7, 8, 9])]) < ROUNDING_BITS
    with pytest.raises(MemoryError):
        answers(engine_of(known), [request(range(5, 12), [6])])


@pytest.mark.parametrize("limit", [{}, {"batch_tokens": 40}, {"max_memory_bytes": 1 << 20}])
def test_the_budget_is_what_was_asked_for(limit: dict[str, int]) -> None:
    known = in_numpy(network("GPT2"))
    budget = known.budget(LoadOptions(**limit))  # type: ignore[arg-type]
    assert budget.n_tokens == limit.get("batch_tokens", 1_024 if not limit else budget.n_tokens)
    if "max_memory_bytes" in limit:
        assert budget.n_tokens < 1_024
        assert budget.n_rows * known.n_outputs * 4 <= limit["max_memory_bytes"] // 2


class SiblingsSeen(NumpyGpt2):
    """Lets tokens see all that stand before them in their packed row."""

    def logits(self, a_pass: Pass) -> Any:
        assert a_pass.tree is not None
        ends = np.full_like(a_pass.ids, a_pass.ids.shape[1])
        tree = dataclasses.replace(a_pass.tree, ends=ends)
        return super().logits(dataclasses.replace(a_pass, tree=tree))


class PlacesInTheRow(NumpyGpt2):
    """Takes the place in the packed row for the position in the sentence."""

    def logits(self, a_pass: Pass) -> Any:
        assert a_pass.tree is not None
        depths = np.broadcast_to(np.arange(a_pass.ids.shape[1]), a_pass.ids.shape)
        tree = dataclasses.replace(a_pass.tree, depths=depths)
        return super().logits(dataclasses.replace(a_pass, tree=tree))


@pytest.mark.parametrize("fault", [SiblingsSeen, PlacesInTheRow])
def test_a_fault_in_the_tree_shows(fault: type[NumpyGpt2]) -> None:
    known = in_numpy(network("GPT2"))
    known.__class__ = fault
    assert difference(engine_of(known, batch_tokens=60), random_requests(30)) > FAULT_BITS
