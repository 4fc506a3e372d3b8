"""The work that a prefix tree needs: counted, and its bare matrix products timed.

No scoring with these weights can be faster than the products: four in each layer for every node of
the tree, one with the vocabulary for every row that is looked at. Attention is not counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.scoring.ours import Recorder
from benchmarks.scoring.variant import Goal, Variant
from benchmarks.scoring.workload import Work

from pommel.models.neural.passes import Pass

NAME = "bare matrix products"
# Scoring is to take at most so many times as long.
GOAL = Goal(factor=1.25, at_most=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How much a pass holds: positions with padding, nodes that no pass before had, rows."""

    n_positions: int
    n_nodes: int
    n_rows: int


def shapes_of(passes: Sequence[Pass]) -> list[Shape]:
    """Return the shapes of passes over packed rows of a prefix tree, or over plain sequences."""
    seen: set[tuple[int, ...]] = set()
    shapes = []
    for each in passes:
        n_before = len(seen)
        seen.update(_prefixes(each))
        shapes.append(
            Shape(n_positions=each.ids.size, n_nodes=len(seen) - n_before, n_rows=len(each.rows))
        )
    return shapes


def _prefixes(a_pass: Pass) -> Iterator[tuple[int, ...]]:
    """Yield the ids up to each position, without padding."""
    for row, length in enumerate(a_pass.lengths.tolist()):
        path: tuple[int, ...] = ()
        for place in range(length):
            depth = place if a_pass.tree is None else int(a_pass.tree.depths[row, place])
            path = (*path[:depth], int(a_pass.ids[row, place]))
            yield path


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of a GPT-2: those of its layers, (in x out) each, and those of its head.

    *Shape:* `head` (width x vocabulary).
    """

    layers: Sequence[Any]
    head: Any

    def n_flop(self, shapes: Sequence[Shape]) -> float:
        """Return how many additions and multiplications the products take."""
        n_nodes = sum(shape.n_nodes for shape in shapes)
        n_rows = sum(shape.n_rows for shape in shapes)
        n_layer_weights = sum(int(weight.numel()) for weight in self.layers)
        return 2.0 * (n_nodes * n_layer_weights + n_rows * int(self.head.numel()))


def gpt2_weights(model: Any) -> Weights:
    """Return the weights of a `GPT2LMHeadModel` that tokens are multiplied with."""
    modules = [*model.transformer.h.modules()]
    found = [getattr(module, "weight", None) for module in modules]
    matrix = 2
    return Weights(
        layers=[weight.data for weight in found if weight is not None and weight.ndim == matrix],
        head=model.lm_head.weight.data.T,
    )


class Products:
    """The matrix products of the passes that a recorder holds, into memory that is there."""

    def __init__(self, weights: Weights, recorder: Recorder) -> None:
        """Take weights, and the recorder of the variant that runs before this one."""
        self.weights = weights
        self.shapes: list[Shape] = []
        self._recorder = recorder
        self._inputs: dict[int, Any] = {}
        self._outputs: dict[int, Any] = {}
        self._hidden: Any = None
        self._logits: Any = None

    def variant(self) -> Variant:
        """Return it as a variant without bits."""
        return Variant(
            name=NAME, run=self._run, read=lambda _work, _raw: {}, prepare=self._prepare, goal=GOAL
        )

    def _prepare(self) -> None:
        import torch

        self.shapes = shapes_of(self._recorder.passes)
        n_nodes = max(shape.n_nodes for shape in self.shapes)
        n_rows = max(shape.n_rows for shape in self.shapes)
        head = self.weights.head
        sizes = {size for weight in self.weights.layers for size in weight.shape}
        self._inputs = {size: torch.randn(n_nodes, size).to(head) for size in sizes}
        self._outputs = {size: torch.zeros_like(each) for size, each in self._inputs.items()}
        self._hidden = torch.randn(n_rows, head.shape[0]).to(head)
        self._logits = torch.zeros(n_rows, head.shape[1]).to(head)

    def _run(self, _work: Work) -> None:
        import torch

        head = self.weights.head
        with torch.inference_mode():
            for shape in self.shapes:
                n_nodes, n_rows = shape.n_nodes, shape.n_rows
                for weight in self.weights.layers:
                    n_in, n_out = weight.shape
                    output = self._outputs[n_out][:n_nodes]
                    torch.mm(self._inputs[n_in][:n_nodes], weight, out=output)
                torch.mm(self._hidden[:n_rows], head, out=self._logits[:n_rows])
        if head.is_cuda:
            torch.cuda.synchronize()
