"""Plans: budgets are kept, memory that runs out halves them, and every question is answered."""

import dataclasses
import weakref
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from tests.models.neural.networks import (
    N_KNOWN,
    answers,
    largest_difference,
    network,
    random_requests,
    trial,
)

from pommel.models.model import LoadOptions
from pommel.models.neural.causal import CausalEngine
from pommel.models.neural.memory import Budget
from pommel.models.neural.network import Network, Reading
from pommel.models.neural.passes import Pass, PrefixTree, prefix_tree
from pommel.models.neural.plans import Path, Plan, SequencePlan, TreePlan, sequence_plan
from pommel.models.neural.questions import Bits, Ids

pytest.importorskip("torch")
pytest.importorskip("transformers")

PATHS: list[Path] = ["prefix tree", "padded batches", "batches of equal length"]


def array(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int64)


@st.composite
def trees(draw: st.DrawFn) -> tuple[PrefixTree, Ids]:
    """A tree and its needed nodes: all ends of sequences, and some others."""
    sequences = st.lists(st.integers(0, 2), min_size=1, max_size=8)
    tree = prefix_tree([array(*each) for each in draw(st.lists(sequences, max_size=12))])
    others = draw(st.sets(st.integers(0, len(tree) - 1))) if len(tree) else set()
    return tree, array(*sorted({*others, *tree.leaves.tolist()}))


def plan_of(path: Path, tree: PrefixTree, needed: Ids, row_length: int) -> Plan:
    if path == "prefix tree":
        return TreePlan(tree, needed, row_length=row_length)
    return sequence_plan(tree, needed, equal_lengths=path == "batches of equal length")


def passes_of(plan: Plan, budget: Budget) -> list[Pass]:
    passes = []
    start = 0
    while start < len(plan):
        a_pass, stop = plan.next_pass(start, budget)
        assert stop > start
        passes.append(a_pass)
        start = stop
    return passes


budgets = st.builds(
    Budget, n_tokens=st.integers(1, 40), n_rows=st.integers(1, 12), row_length=st.integers(1, 40)
)


@pytest.mark.parametrize("path", PATHS)
@given(made=trees(), budget=budgets)
def test_every_needed_row_is_made_once_and_within_the_budget(
    path: Path, made: tuple[PrefixTree, Ids], budget: Budget
) -> None:
    tree, needed = made
    passes = passes_of(plan_of(path, tree, needed, budget.row_length), budget)
    places = [place for a_pass in passes for place in a_pass.places.tolist()]
    assert sorted(places) == list(range(len(needed)))
    for a_pass in passes:
        ids = a_pass.ids.reshape(-1)[a_pass.rows]
        assert ids.tolist() == tree.ids[needed[a_pass.places]].tolist()
        assert 1 <= len(a_pass.rows) <= budget.n_rows
        # What can't be made smaller is a single sequence, in a packed row for a single node.
        smallest = len(a_pass.ids) == 1 and (path != "prefix tree" or len(a_pass.rows) == 1)
        assert a_pass.ids.size <= budget.n_tokens or smallest
        if path == "batches of equal length":
            assert len(set(a_pass.lengths.tolist())) == 1


@given(made=trees(), budget=budgets)
def test_no_pass_ends_with_what_nobody_needs(made: tuple[PrefixTree, Ids], budget: Budget) -> None:
    for a_pass in passes_of(TreePlan(*made, row_length=budget.row_length), budget):
        width = a_pass.ids.shape[1]
        last = np.full(len(a_pass.ids), -1)
        np.maximum.at(last, a_pass.rows // width, a_pass.rows % width)
        assert (last == a_pass.lengths - 1).all()


def test_a_row_that_became_two_does_not_make_the_next_pass_too_big() -> None:
    # Two rows of four tokens; budgets are halved when the first has turned out too big.
    tree = prefix_tree([array(1, 2, 3, 4), array(5, 6, 7, 8)])
    plan = TreePlan(tree, np.arange(8), row_length=4)
    assert len(plan) == 2
    sizes = [each.ids.size for each in passes_of(plan, Budget(n_tokens=4, n_rows=2, row_length=4))]
    assert sizes == [2, 4, 2, 4]


def test_the_widest_row_of_a_pass_makes_all_as_wide() -> None:
    # Packed rows of six, six and two tokens, the first of which has too many logits: after its
    # second half comes a wider row, and then there is no place for the last.
    singles = [array(each) for each in range(6)]
    tree = prefix_tree([*singles, np.arange(20, 26), array(30, 31)])
    needed = array(0, 1, 2, 3, 4, 5, 11, 13)
    budget = Budget(n_tokens=12, n_rows=5, row_length=6)
    passes = passes_of(TreePlan(tree, needed, row_length=6), budget)
    assert [each.lengths.tolist() for each in passes] == [[3], [3, 6], [2]]


def test_a_packed_row_that_nobody_needs_is_not_fed() -> None:
    tree = prefix_tree([np.arange(10)])
    budget = Budget(n_tokens=3, n_rows=5, row_length=3)
    [a_pass] = passes_of(TreePlan(tree, array(9), row_length=3), budget)
    assert (a_pass.ids.tolist(), a_pass.rows.tolist()) == ([list(range(10))], [9])


def test_a_sequence_with_more_rows_than_may_be_is_fed_again_for_the_others() -> None:
    plan = SequencePlan(
        sequences=[array(5, 6, 7, 8), array(9)],
        rows=[array(0, 1, 3), array(0)],
        places=[array(0, 1, 2), array(3)],
        equal_lengths=False,
    )
    passes = passes_of(plan, Budget(n_tokens=100, n_rows=2, row_length=100))
    assert [(each.ids.tolist(), each.rows.tolist()) for each in passes] == [
        ([[5, 6, 7, 8]], [0, 1]),
        ([[5, 6, 7, 8], [9, 0, 0, 0]], [3, 4]),
    ]
    assert [each.places.tolist() for each in passes] == [[0, 1], [2, 3]]


def test_each_needed_node_is_read_in_the_first_sequence_that_has_it() -> None:
    # Nodes: 0 is 5, 1 is 5 6, 2 is 5 6 7, 3 is 5 8.
    tree = prefix_tree([array(5, 6, 7), array(5, 8)])
    plan = sequence_plan(tree, array(0, 2, 3), equal_lengths=False)
    assert [each.tolist() for each in plan.sequences] == [[5, 6, 7], [5, 8]]
    assert [each.tolist() for each in plan.rows] == [[0, 2], [1]]
    assert [each.tolist() for each in plan.places] == [[0, 1], [2]]


class SmallMemory(Network):
    """Runs out of memory with more tokens or rows than it can hold, and remembers each pass."""

    most_tokens = 10**9
    most_rows = 10**9

    def logits(self, a_pass: Pass) -> object:
        n_tokens, n_rows = a_pass.ids.size, len(a_pass.rows)
        self.tried = [*getattr(self, "tried", []), (n_tokens, n_rows)]
        if n_tokens > self.most_tokens or n_rows > self.most_rows:
            raise MemoryError
        return super().logits(a_pass)

    @property
    def n_failures(self) -> int:
        return sum(
            n_tokens > self.most_tokens or n_rows > self.most_rows
            for n_tokens, n_rows in self.tried
        )


def small(name: str, path: Path, *, most_tokens: int, most_rows: int) -> CausalEngine:
    found = SmallMemory(network(name), device="cpu")
    found.most_tokens, found.most_rows = most_tokens, most_rows
    return CausalEngine(network=found, path=path)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("most_tokens", "most_rows"), [(60, 10**9), (30, 10**9), (28, 1)])
def test_memory_that_runs_out_halves_the_budget_and_work_goes_on(
    path: Path, most_tokens: int, most_rows: int
) -> None:
    engine = small("GPT2", path, most_tokens=most_tokens, most_rows=most_rows)
    asked = random_requests(40)
    expected = answers(trial("GPT2").engine, asked)
    assert largest_difference(answers(engine, asked), expected) < 1e-4
    # For good: it does not try again what did not fit.
    assert isinstance(engine.network, SmallMemory)
    assert 1 <= engine.network.n_failures <= 20


@pytest.mark.parametrize("path", PATHS)
def test_memory_that_does_not_suffice_for_the_smallest_pass_is_an_error(path: Path) -> None:
    asked = random_requests(40)
    longest = max(len(each.ids) for each in asked)
    engine = small("GPT2", path, most_tokens=longest // 2, most_rows=10**9)
    with pytest.raises(MemoryError):
        answers(engine, asked)


@settings(max_examples=15)
@given(
    most_tokens=st.integers(12, 200),
    most_rows=st.integers(1, 60),
    path=st.sampled_from(PATHS),
    seed=st.integers(0, 1_000),
)
def test_no_answer_is_lost_however_much_memory_there_is(
    most_tokens: int, most_rows: int, path: Path, seed: int
) -> None:
    asked = random_requests(12, longest=5, seed=seed)
    engine = small("GPT2", path, most_tokens=most_tokens, most_rows=most_rows)
    expected = [trial("GPT2").reference.answer(each) for each in asked]
    assert largest_difference(answers(engine, asked), expected) < 1e-4


def test_an_error_other_than_of_memory_is_not_swallowed() -> None:
    class Broken(Network):
        def logits(self, a_pass: Pass) -> object:
            raise ValueError(len(a_pass.ids))

    engine = dataclasses.replace(
        trial("GPT2").engine, network=Broken(network("GPT2"), device="cpu")
    )
    with pytest.raises(ValueError, match=r"^1$"):
        answers(engine, random_requests(3))


def test_nothing_is_no_plan() -> None:
    tree = prefix_tree([])
    assert len(TreePlan(tree, array(), row_length=8)) == 0
    assert len(sequence_plan(tree, array(), equal_lengths=False)) == 0


def test_only_bits_are_left_of_a_pass() -> None:
    alive: list[int] = []

    class Watched(Network):
        logits_before: Any = None

        def logits(self, a_pass: Pass) -> Any:
            before = self.logits_before and self.logits_before()
            alive.append(before is not None)
            logits = super().logits(a_pass)
            self.logits_before = weakref.ref(logits)
            return logits

    engine = CausalEngine(
        network=Watched(network("GPT2"), device="cpu"),
        path="prefix tree",
        options=LoadOptions(batch_tokens=12),
    )
    list(engine.answers(random_requests(20)))
    assert len(alive) > 3
    assert not any(alive)


class Recorded(Network):
    """Notes when a pass is asked for and when its numbers are taken; fails before some pass."""

    fails_at = -1

    def bits(
        self,
        a_pass: Pass,
        row_of_target: Ids,
        targets: Ids,
        group: NDArray[np.bool_] | None = None,
    ) -> Reading:
        self.said = getattr(self, "said", [])
        number = sum(each.startswith("ask") for each in self.said)
        if number == self.fails_at:
            raise ValueError(number)
        numbers = super().bits(a_pass, row_of_target, targets, group)
        self.said.append(f"ask {number}")

        def taken() -> tuple[Bits, Bits | None]:
            self.said.append(f"take {number}")
            return numbers()

        return taken


@pytest.mark.parametrize("path", PATHS)
def test_numbers_are_taken_once_a_pass_when_the_next_one_has_been_asked_for(path: Path) -> None:
    recorded = Recorded(network("GPT2"), device="cpu")
    engine = CausalEngine(network=recorded, path=path, options=LoadOptions(batch_tokens=30))
    list(engine.answers(random_requests(20)))
    n_passes = len(recorded.said) // 2
    assert n_passes > 3
    between = [f"{what} {number}" for number in range(1, n_passes) for what in ("ask", "take")]
    between[1::2] = [f"take {number}" for number in range(n_passes - 1)]
    assert recorded.said == ["ask 0", *between, f"take {n_passes - 1}"]


def test_a_pass_that_fails_leaves_the_answers_of_those_before_it() -> None:
    requests = random_requests(20)
    recorded = Recorded(network("GPT2"), device="cpu")
    recorded.fails_at = 2
    engine = CausalEngine(
        network=recorded, path="padded batches", options=LoadOptions(batch_tokens=30)
    )
    given: list[object] = []
    with pytest.raises(ValueError, match=r"^2$"):
        given.extend(engine.answers(requests))
    assert recorded.said == ["ask 0", "ask 1", "take 0", "take 1"]


@pytest.mark.parametrize("name", ["GPT2", "GPTNeoX", "Llama"])
def test_nothing_looks_at_a_number_while_a_pass_is_asked_for(name: str) -> None:
    # What a GPU would be waited for: `item`, the truth of a tensor, places where it is not 0.
    dispatch: Any = import_module("torch.utils._python_dispatch")

    class Waiting(dispatch.TorchDispatchMode):  # type: ignore[misc]
        said: ClassVar[list[str]] = []

        def __torch_dispatch__(
            self, func: Any, _types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.said.append(func.name())
            return func(*args, **(kwargs or {}))

    asked = random_requests(20)
    group = np.arange(N_KNOWN) % 3 == 0
    engine = CausalEngine(network=Network(network(name), device="cpu"), path="prefix tree")
    with Waiting() as waiting:
        list(engine.answers(asked, group=group))
    assert len(waiting.said) > 100
    found = {
        each
        for each in waiting.said
        if any(word in each for word in ("local_scalar", "nonzero", "masked_select", "unique"))
    }
    assert found == set()
