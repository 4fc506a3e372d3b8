"""Trying a network on a few tokens when it is loaded: what may be done with it, and what not.

What it says by itself, one sequence alone, is what any faster way has to say.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from pommel.errors import ModelNotAvailableError
from pommel.models.neural.memory import Budget
from pommel.models.neural.network import Network, at_least_float32
from pommel.models.neural.passes import Pass, PrefixTree, TreeShape, prefix_tree
from pommel.models.neural.plans import Path, Plan, TreePlan, carry_out, sequence_plan
from pommel.models.neural.questions import Answers, Asked, Bits, Ids, Questions
from pommel.values import positional

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

# How much of the largest surprisal two ways may differ by before it is more than rounding.
ROUNDING = {"float64": 1e-9, "float32": 2e-5, "bfloat16": 0.05, "float16": 0.01}


# A way to ask a network for all that is expected of it.
Way = TypeVar("Way")


@contextmanager
def not_available() -> Iterator[None]:
    """Turn whatever a network raises on plain token ids into `ModelNotAvailableError`."""
    try:
        yield
    except Exception as error:
        problem = f"it fails on plain token ids: {type(error).__name__}: {error}"
        raise ModelNotAvailableError(problem) from error


def own_bits(network: Network, ids: Ids, rows: Ids, targets: Ids) -> Bits:
    """Return the surprisals of `targets` at the positions `rows` of one sequence, in bits.

    Nothing is done but to call the network: no batch, no mask, all rows projected.
    """
    logits = network.logits_of(ids, whole=True)
    table = at_least_float32(logits).log_softmax(-1)
    nats = -table[rows.tolist(), targets.tolist()]
    return np.asarray(nats.cpu().numpy() / np.log(2), dtype=np.float64)


@positional(eq=False)
class Check(Generic[Way]):
    """What a network says of a few requests, each alone: what any faster way has to say.

    `dtype` names its number format. `answers` asks it in some way, as engines do.
    """

    network: Network
    dtype: str
    expected: Sequence[Bits]
    answers: Callable[[Way], Answers]

    def fault_of_rows(self, way: Way) -> str:
        """Return what is wrong with numbers, even if the network computes all rows by itself.

        One that can't do with fewer, in some part or anywhere, goes on with all of them there.
        """
        fault, _ = self.fault(way)
        while fault and self.network.widen():
            fault, _ = self.fault(way)
        return fault

    def fault(self, way: Way) -> tuple[str, float]:
        """Return what is wrong with numbers, and by how many bits they differ from its own."""
        try:
            deviation = self.deviation_bits(way)
        except Exception as error:  # noqa: BLE001 - networks raise anything
            return f"it raises {type(error).__name__}", np.inf
        largest = max(bits[np.isfinite(bits)].max(initial=0) for bits in self.expected)
        # Said this way round, a network that gives no numbers passes: scoring names the sentence.
        if deviation > ROUNDING[self.dtype] * largest:
            return f"its numbers differ by {deviation:.2g} bits", deviation
        return "", deviation

    def deviation_bits(self, way: Way) -> float:
        """Return by how much any number differs from the network's own, infinity if it is none."""
        given = dict(self.answers(way))
        largest = 0.0
        for index, own in enumerate(self.expected):
            bits = given[index].bits
            judged = ~np.isnan(own) & (bits != own)
            differences = np.abs(bits[judged] - own[judged])
            # NaN, where the network itself gives a number, is as far off as can be.
            differences[np.isnan(differences)] = np.inf
            largest = max(largest, float(differences.max(initial=0)))
        return largest


# A right mask must differ at least so many times less than one that is wrong on purpose.
_POWER = 10
# Where the right one does not differ at all, rounding hides as much as it does elsewhere.
_LEAST_BITS = 1e-7
# How configurations say that attention does not look back at everything.
_WINDOWS = (
    "sliding_window",
    "sliding_window_size",
    "window_size",
    "attention_window",
    "attention_window_size",
    "local_attention_window_len",
    "keep_window_size",
    "attention_chunk_size",
)
# Rotary positions that are others in a longer input: they depend on what else is fed.
_STRETCHING = frozenset({"dynamic", "longrope"})
# Small, so that the few tokens of the check take several passes with several rows each.
_ROW_LENGTH = 16
_PASS_TOKENS = 40


@positional
class Paths:
    """The fastest path that gives a network's own numbers, why none is faster, and the next one.

    `beside` is the fastest that is no prefix tree.
    """

    path: Path
    why: str
    beside: Path


def find_paths(network: Network, dtype: str) -> Paths:
    """Try a causal network; `dtype` names its number format.

    A network that takes no path with only needed rows projected has all of them projected. If even
    then it has other numbers beside others, or in part, than alone and whole, that is how it goes.
    """
    # Beyond its window attention is another matter, and so is the path: see `CausalEngine`.
    window = attention_window(network.model.config)
    sequences = [each[:window] for each in _sequences(network.n_known)]
    expected = [
        own_bits(network, each[:-1], np.arange(len(each) - 1), each[1:]) for each in sequences
    ]
    answers = functools.partial(_answers, network, sequences)
    check = Check(network, dtype, expected, answers)
    fault = check.fault_of_rows(functools.partial(sequence_plan, equal_lengths=True))
    if fault:
        why = f"in a batch or in part, {fault}"
        return Paths("one by one", why, beside="one by one")
    padding, _ = check.fault(functools.partial(sequence_plan, equal_lengths=False))
    beside: Path = "batches of equal length" if padding else "padded batches"
    # The class says so where a state is handed on from token to token: it can't branch.
    why = "it is recurrent"
    if not getattr(network.model, "_is_stateful", False):
        row_length = min(_ROW_LENGTH, window or _ROW_LENGTH)
        why, right = check.fault(functools.partial(TreePlan, row_length=row_length))
        if not why:
            # Sequences that see each other have to show.
            mixed = functools.partial(_EverybodySees, row_length=row_length)
            if check.deviation_bits(mixed) >= _POWER * max(right, _LEAST_BITS):
                return Paths("prefix tree", "", beside)
            why = "a wrong mask would hardly show"
    reasons = [f"prefix tree: {why}", *([f"padding: {padding}"] if padding else [])]
    return Paths(beside, "; ".join(reasons), beside)


# From a tree and those of its nodes that something is asked of to a plan.
_Planner = Callable[[PrefixTree, Ids], Plan]


def _answers(network: Network, sequences: Sequence[Ids], planner: _Planner) -> Answers:
    """Ask a network for all tokens of some sequences by a plan."""
    tree = prefix_tree([each[:-1] for each in sequences])
    pairs = zip(sequences, tree.paths, strict=True)
    questions = Questions([Asked(nodes, each[1:]) for each, nodes in pairs])
    budget = Budget(n_tokens=_PASS_TOKENS, n_rows=_PASS_TOKENS, row_length=_ROW_LENGTH)
    return carry_out(planner(tree, questions.rows), questions, network, budget)


class _EverybodySees(TreePlan):
    """A tree whose packed rows are taken for sentences: wrong, to see whether that shows."""

    def next_pass(self, start: int, budget: Budget) -> tuple[Pass, int]:
        a_pass, stop = TreePlan.next_pass(self, start, budget)
        ends = np.full_like(a_pass.ids, a_pass.ids.shape[1])
        depths = a_pass.tree.depths if a_pass.tree else ends
        return replace(a_pass, tree=TreeShape(depths, ends)), stop


def _sequences(n_known: int) -> list[Ids]:
    """Return sequences of ids with branches at several depths, one inside another."""
    random = np.random.default_rng(7)
    stem, branch, *others = (random.integers(0, n_known, n) for n in (3, 3, 4, 2, 5, 6, 4))
    return [
        np.concatenate(parts)
        for parts in (
            (stem, branch, others[0]),
            (stem, branch, others[1]),
            (stem, others[2]),
            (stem, branch),
            (stem[:1], others[3]),
            (others[4],),
        )
    ]


def check_causal(network: Network, *, dtype: str) -> None:
    """Raise `ModelNotAvailableError` if tokens depend on those that follow.

    Then the network is not causal, whatever its configuration says. One that fails on plain token
    ids is not available either.
    """
    first, second, third, fourth = (number % network.n_known for number in (3, 4, 5, 6))
    with not_available():
        rows = [
            network.logits_of(np.array([first, second, last]), whole=True)[:2].float()
            for last in (third, fourth)
        ]
    # A network that gives no numbers passes: scoring names the sentence.
    numbers = rows[0].isfinite() & rows[1].isfinite()
    differences, sizes = (rows[0] - rows[1])[numbers].abs(), rows[0][numbers].abs()
    if len(sizes) and differences.max() > ROUNDING[dtype] * sizes.max():
        message = "it is not a causal language model: tokens depend on those that follow"
        raise ModelNotAvailableError(message)


def attention_window(config: "PreTrainedConfig") -> int | None:
    """Return how far back a network's attention looks, None for everything."""
    text = config.get_text_config(decoder=True)
    given = [getattr(text, name, None) for name in _WINDOWS]
    return min((each for each in given if type(each) is int and each > 0), default=None)


def stretching_limit(config: "PreTrainedConfig") -> int | None:
    """Return how long an input may be before it changes a network's rotary positions, or None."""
    text = config.get_text_config(decoder=True)
    given = getattr(text, "rope_parameters", None) or getattr(text, "rope_scaling", None) or {}
    # One for all layers, or one for each kind of layer.
    parts = [given, *(each for each in given.values() if isinstance(each, dict))]
    stretching = [
        each for each in parts if (each.get("rope_type") or each.get("type")) in _STRETCHING
    ]
    if not stretching:
        return None
    name = "original_max_position_embeddings"
    given_limits = [each.get(name) or getattr(text, name, None) for each in stretching]
    limits = [int(each) for each in given_limits if each]
    return min(limits or [int(text.max_position_embeddings)])
