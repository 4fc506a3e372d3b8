"""Recurrent networks: the tree through the states, against float64 one word at a time."""

import dataclasses
import functools
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.models.lstm.reference import Weights, as_tensors, bits_of, nats_after, random_weights
from tests.models.neural.counting import Counts, counted

from pommel.models.model import LoadOptions
from pommel.models.neural.questions import Ids, Request
from pommel.models.neural.recurrent import LayerState, LstmNetwork, RecurrentEngine

torch: Any = pytest.importorskip("torch")

N_WORDS = 23
# What rounding in float32 is worth at most, and what a fault is worth at least.
ROUNDING_BITS = 1e-4
FAULT_BITS = 1e-2

Shape = tuple[int, int, int, bool]
SHAPES: tuple[Shape, ...] = (
    # Embedding, hidden, layers, tied.
    (5, 6, 1, False),
    (7, 4, 2, False),
    (4, 4, 2, True),
    (3, 8, 3, False),
    (6, 6, 3, True),
)


@functools.cache
def weights_of(shape: Shape) -> Weights:
    embedding_size, hidden_size, n_layers, tied = shape
    return random_weights(
        N_WORDS,
        embedding_size=embedding_size,
        hidden_size=hidden_size,
        n_layers=n_layers,
        tied=tied,
        seed=sum(shape),
    )


def engine(shape: Shape = SHAPES[1], *, dtype: str = "float32", **limits: Any) -> RecurrentEngine:
    network = LstmNetwork(as_tensors(weights_of(shape)), device="cpu", dtype=dtype)
    return RecurrentEngine(network=network, options=LoadOptions(**limits))


def request(ids: Sequence[int], positions: Sequence[int] | None = None) -> Request:
    """Return a request; without `positions` for all that there can be."""
    asked = range(1, len(ids)) if positions is None else positions
    return Request(ids=np.array(ids, dtype=np.int64), positions=np.array([*asked], dtype=np.int64))


def random_requests(n: int, *, longest: int = 12, seed: int = 0) -> list[Request]:
    """Return requests that share beginnings; some ask little, some nothing."""
    random = np.random.default_rng(seed)
    stems = [random.integers(0, N_WORDS, longest) for _ in range(3)]
    made = []
    for _ in range(n):
        stem = stems[random.integers(3)][: random.integers(0, longest)]
        ids = np.concatenate([stem, random.integers(0, N_WORDS, random.integers(1, 5))])
        asked = random.random(len(ids) - 1) < random.random()
        made.append(request(ids.tolist(), (np.flatnonzero(asked) + 1).tolist()))
    return made


@st.composite
def requests(draw: st.DrawFn) -> list[Request]:
    """Requests over few ids, so that much is shared; some repeat, some ask nothing."""
    sequences = st.lists(st.integers(0, 2), max_size=7)
    made = []
    for ids in draw(st.lists(sequences, max_size=8)):
        asked = draw(st.sets(st.integers(1, len(ids) - 1))) if len(ids) > 1 else ()
        made.append(request(ids, sorted(asked)))
    return [*made, *made[: draw(st.integers(0, 2))]]


def answers(engine: RecurrentEngine, asked: Sequence[Request]) -> list[list[float]]:
    """Return the bits in the order of the requests, each of which is answered once."""
    pairs = list(engine.answers(asked))
    given = dict(pairs)
    assert len(pairs) == len(given) == len(asked)
    assert all(len(answer.boundary_bits) == 0 for answer in given.values())
    return [given[index].bits.tolist() for index in range(len(asked))]


def expected(weights: Weights, asked: Sequence[Request]) -> list[list[float]]:
    """Return what the equations give, sentence by sentence."""
    rows = [bits_of(weights, each.ids.tolist()) for each in asked]
    return [
        [row[position - 1] for position in each.positions]
        for row, each in zip(rows, asked, strict=True)
    ]


def largest_difference(given: list[list[float]], right: list[list[float]]) -> float:
    assert list(map(len, given)) == list(map(len, right))
    pairs = zip(chain(*given), chain(*right), strict=True)
    return max((abs(one - other) for one, other in pairs), default=0.0)


def difference(engine: RecurrentEngine, shape: Shape, asked: Sequence[Request]) -> float:
    return largest_difference(answers(engine, asked), expected(weights_of(shape), asked))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("batch_tokens", [None, 1, 7])
def test_numbers_are_those_of_one_word_at_a_time(shape: Shape, batch_tokens: int | None) -> None:
    tried = engine(shape, batch_tokens=batch_tokens)
    assert difference(tried, shape, random_requests(40)) < ROUNDING_BITS


@pytest.mark.parametrize("shape", SHAPES)
def test_in_double_precision_hardly_anything_is_rounded(shape: Shape) -> None:
    assert difference(engine(shape, dtype="float64"), shape, random_requests(40)) < 1e-12


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_short_numbers_cost_some_exactness_and_no_more(dtype: str) -> None:
    found = difference(engine(dtype=dtype), SHAPES[1], random_requests(40))
    assert ROUNDING_BITS < found < 0.1


@settings(max_examples=100)
@given(
    asked=requests(),
    shape=st.sampled_from(SHAPES),
    batch_tokens=st.one_of(st.none(), st.integers(1, 9)),
    max_memory_bytes=st.sampled_from([None, 1, 2_000, 10_000]),
    data=st.data(),
)
def test_nothing_but_the_sentence_has_a_say_in_its_numbers(
    asked: list[Request],
    shape: Shape,
    batch_tokens: int | None,
    max_memory_bytes: int | None,
    data: st.DataObject,
) -> None:
    tried = engine(shape, batch_tokens=batch_tokens, max_memory_bytes=max_memory_bytes)
    assert difference(tried, shape, data.draw(st.permutations(asked))) < ROUNDING_BITS


def contexts_of(asked: Sequence[Request], *, needed: bool) -> set[tuple[int, ...]]:
    """Return the distinct contexts that something is asked of, or that must be gone through."""
    return {
        tuple(each.ids[:length].tolist())
        for each in asked
        for length in (each.positions if needed else range(1, each.positions.max(initial=0) + 1))
    }


@settings(max_examples=60)
@given(asked=requests())
def test_each_context_is_fed_once_and_projected_if_it_is_needed(asked: list[Request]) -> None:
    tried = engine()
    counts = counted(tried.network)
    answers(tried, asked)
    fed = contexts_of(asked, needed=False)
    assert counts == Counts(
        n_passes=max(map(len, fed), default=0),
        n_tokens_fed=len(fed),
        n_rows_projected=len(contexts_of(asked, needed=True)),
    )


def test_nothing_asked_is_nothing_done() -> None:
    tried = engine()
    counts = counted(tried.network)
    assert answers(tried, [request([]), request([1, 2, 3], [])]) == [[], []]
    assert counts == Counts()


def wide(n_rows: int) -> RecurrentEngine:
    """Return an engine with memory for so many rows of logits, and for more requests."""
    n_words = 1_000
    weights = as_tensors(random_weights(n_words, hidden_size=2))
    network = LstmNetwork(weights, device="cpu", dtype="float32")
    # Half of the memory; a row of logits is a float32 twice, as it is and as log-softmax has it.
    return RecurrentEngine(
        network=network, options=LoadOptions(max_memory_bytes=2 * 8 * n_words * n_rows)
    )


def test_answers_come_as_soon_as_they_are_complete() -> None:
    tried = wide(n_rows=1)
    counts = counted(tried.network)
    iterator = tried.answers([request([1, 2, 3, 4, 5]), request([1, 2])])
    index, _ = next(iterator)
    assert index == 1
    assert counts == Counts(n_passes=1, n_tokens_fed=1, n_rows_projected=1)
    assert [index for index, _ in iterator] == [0]
    assert counts == Counts(n_passes=4, n_tokens_fed=4, n_rows_projected=4)


def test_a_budget_bounds_what_is_computed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, list[int]] = {"step": [], "logits": []}
    step, logits = LstmNetwork.step, LstmNetwork.logits

    def counted_step(network: Any, inputs: Any, *others: Any) -> Any:
        sizes["step"].append(len(inputs))
        return step(network, inputs, *others)

    def counted_logits(network: Any, hidden: Any) -> Any:
        sizes["logits"].append(len(hidden))
        return logits(network, hidden)

    monkeypatch.setattr(LstmNetwork, "step", counted_step)
    monkeypatch.setattr(LstmNetwork, "logits", counted_logits)
    asked = random_requests(40)
    answers(engine(batch_tokens=5), asked)
    assert 1 < max(sizes["step"]) <= 5
    sizes["logits"].clear()
    answers(wide(n_rows=3), asked)
    assert max(sizes["logits"]) == 3


class Failing(LstmNetwork):
    """Has memory for so many words at a depth, and for so many rows."""

    most_words = 1 << 20
    most_rows = 1 << 20
    n_failures = 0

    def step(self, inputs: Any, before: Any, parents: Ids) -> list[LayerState]:
        self._check(len(inputs), self.most_words)
        return super().step(inputs, before, parents)

    def logits(self, hidden: Any) -> Any:
        self._check(len(hidden), self.most_rows)
        return super().logits(hidden)

    def _check(self, n: int, most: int) -> None:
        if n > most:
            self.n_failures += 1
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB.")


def failing(**limits: int) -> RecurrentEngine:
    network = Failing(as_tensors(weights_of(SHAPES[1])), device="cpu", dtype="float32")
    for name, value in limits.items():
        setattr(network, name, value)
    return RecurrentEngine(network=network, options=LoadOptions(batch_tokens=64))


@pytest.mark.parametrize("limits", [{"most_words": 3}, {"most_rows": 2}])
def test_what_does_not_fit_is_halved_until_it_does(limits: dict[str, int]) -> None:
    tried = failing(**limits)
    assert difference(tried, SHAPES[1], random_requests(40)) < ROUNDING_BITS
    assert tried.network.n_failures > 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("limits", [{"most_words": 0}, {"most_rows": 0}])
def test_what_does_not_fit_alone_is_an_error(limits: dict[str, int]) -> None:
    with pytest.raises(MemoryError):
        answers(failing(**limits), random_requests(10))


def test_another_failure_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = engine()

    def fail(*_given: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    monkeypatch.setattr(LstmNetwork, "logits", fail)
    with pytest.raises(RuntimeError, match=r"^mat1 and mat2 shapes cannot be multiplied$"):
        answers(tried, random_requests(5))


@pytest.mark.parametrize("shape", SHAPES)
def test_log_probabilities_are_those_of_the_sentence_and_sum_to_1(shape: Shape) -> None:
    ids = [1, 4, 4, 0, 22]
    found = engine(shape).log_probabilities(ids)
    assert (found.dtype, tuple(found.shape)) == (torch.float32, (5, N_WORDS))
    np.testing.assert_allclose(found.exp().sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(found, [*nats_after(weights_of(shape), ids)], atol=1e-5)


def test_nothing_has_no_log_probabilities() -> None:
    assert tuple(engine().log_probabilities([]).shape) == (0, N_WORDS)


class WrongParents(LstmNetwork):
    """Takes every word for one after the first that was kept."""

    def step(self, inputs: Any, before: Any, parents: Ids) -> list[LayerState]:
        return super().step(inputs, before, np.zeros_like(parents))


class NoMemory(LstmNetwork):
    """Forgets what its cells have held."""

    def chosen(self, states: Any, rows: Ids) -> list[LayerState]:
        kept = super().chosen(states, rows)
        return [dataclasses.replace(each, cell=torch.zeros_like(each.cell)) for each in kept]


class UnchosenStates(LstmNetwork):
    """Keeps the states of leaves, so that others seem to be their parents."""

    def chosen(self, states: Any, rows: Ids) -> list[LayerState]:  # noqa: ARG002
        return list(states)


class OtherWords(LstmNetwork):
    """Gives the input of the neighbour in the vocabulary."""

    def inputs(self, words: Ids) -> Any:
        return super().inputs((words + 1) % N_WORDS)


@pytest.mark.parametrize("fault", [WrongParents, NoMemory, UnchosenStates, OtherWords])
def test_a_fault_in_the_tree_shows(fault: type[LstmNetwork]) -> None:
    network = fault(as_tensors(weights_of(SHAPES[1])), device="cpu", dtype="float32")
    tried = RecurrentEngine(network=network)
    assert difference(tried, SHAPES[1], random_requests(40)) > FAULT_BITS


def test_a_word_is_prepared_once_where_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[list[int]] = []
    inputs = LstmNetwork.inputs

    def noted(network: Any, words: Ids) -> Any:
        asked_for.append(words.tolist())
        return inputs(network, words)

    monkeypatch.setattr(LstmNetwork, "inputs", noted)
    asked = [request([1, 2, 1, 2, 1]), request([1, 2, 3, 3])]
    answers(engine(), asked)
    assert asked_for == [[1, 2, 3]]
    asked_for.clear()
    # As many requests as words fit, and not more.
    answers(engine(batch_tokens=2), asked)
    assert asked_for == [[1], [2], [1, 3], [2]]
