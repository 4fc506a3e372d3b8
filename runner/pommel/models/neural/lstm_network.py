"""A word-level LSTM on its device: a step of many words at once, and what is expected after it."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pommel.models.neural.network import Counts
from pommel.models.neural.requests import Ids

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LayerState:
    """What a layer knows after some words: `hidden` and `cell`, both (n x hidden_size)."""

    hidden: "torch.Tensor"
    cell: "torch.Tensor"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Layer:
    """A layer's weights, transposed, and the sum of its two biases."""

    from_input: "torch.Tensor"
    from_hidden: "torch.Tensor"
    bias: "torch.Tensor"


class LstmNetwork:
    """An embedding, layers of LSTM cells and a projection to the vocabulary, on one device.

    Cells are those of torch's `LSTM` (Hochreiter and Schmidhuber 1997, with the forget gate of
    Gers et al. 2000, without peepholes). Nothing is dropped out.
    """

    def __init__(self, weights: "Mapping[str, torch.Tensor]", *, device: str, dtype: str) -> None:
        """Take weights by their names in torch's modules `encoder`, `rnn` and `decoder`.

        Without a `decoder.weight` it is the encoder's. `dtype` is the number format that everything
        is computed in.
        """
        import torch  # noqa: PLC0415 - an extra

        number_format = getattr(torch, dtype)
        own = {name: each.detach().to(device, number_format) for name, each in weights.items()}
        self.device = device
        self.dtype = number_format
        self.counts = Counts()
        self._encoder = own["encoder.weight"]
        self._decoder = own.get("decoder.weight", self._encoder).t()
        self._decoder_bias = own["decoder.bias"]
        n_layers = sum(name.startswith("rnn.weight_hh_l") for name in own)
        self._layers = [_layer(own, number) for number in range(n_layers)]

    @property
    def n_known(self) -> int:
        """How many words it knows; as many numbers a row of logits has."""
        return int(self._encoder.shape[0])

    @property
    def n_layers(self) -> int:
        """How many layers it has."""
        return len(self._layers)

    @property
    def hidden_size(self) -> int:
        """How wide a layer's state is."""
        return int(self._layers[0].from_hidden.shape[0])

    def inputs(self, words: Ids) -> "torch.Tensor":
        """Return what words give to the first layer's gates, (n_words x 4 * hidden_size)."""
        import torch  # noqa: PLC0415 - an extra

        first = self._layers[0]
        with torch.inference_mode(), _exact_products(self.device):
            return torch.addmm(first.bias, self._encoder[self.tensor(words)], first.from_input)

    def step(
        self, inputs: "torch.Tensor", before: Sequence[LayerState], parents: Ids
    ) -> list[LayerState]:
        """Return the states after one more word each, layer by layer.

        *Shape:* `inputs` (n x 4 * hidden_size), which is used up. Word i comes after row
        `parents[i]` of the states `before`, or first of all if there are none.
        """
        import torch  # noqa: PLC0415 - an extra

        self.counts.n_passes += 1
        self.counts.n_tokens_fed += len(inputs)
        rows = self.tensor(parents)
        after: list[LayerState] = []
        with torch.inference_mode(), _exact_products(self.device):
            for number, layer in enumerate(self._layers):
                gates = inputs
                if after:
                    gates = torch.addmm(layer.bias, after[-1].hidden, layer.from_input)
                state = before[number] if before else None
                after.append(_cells(gates, state, rows, layer))
        return after

    def chosen(self, states: Sequence[LayerState], rows: Ids) -> list[LayerState]:
        """Return the states in some rows only."""
        if not states or len(rows) == len(states[0].hidden):
            return list(states)
        which = self.tensor(rows)
        return [LayerState(hidden=state.hidden[which], cell=state.cell[which]) for state in states]

    def logits(self, hidden: "torch.Tensor") -> "torch.Tensor":
        """Return the logits after each of the top layer's `hidden`, (n_rows x n_known)."""
        import torch  # noqa: PLC0415 - an extra

        self.counts.n_rows_projected += len(hidden)
        with torch.inference_mode(), _exact_products(self.device):
            return torch.addmm(self._decoder_bias, hidden, self._decoder)

    def tensor(self, array: Ids) -> "torch.Tensor":
        """Return an array on the network's device."""
        import torch  # noqa: PLC0415 - an extra

        return torch.as_tensor(array, device=self.device)


def _layer(weights: "Mapping[str, torch.Tensor]", number: int) -> _Layer:
    return _Layer(
        from_input=weights[f"rnn.weight_ih_l{number}"].t(),
        from_hidden=weights[f"rnn.weight_hh_l{number}"].t(),
        bias=weights[f"rnn.bias_ih_l{number}"] + weights[f"rnn.bias_hh_l{number}"],
    )


def _cells(
    gates: "torch.Tensor", before: LayerState | None, rows: "torch.Tensor", layer: _Layer
) -> LayerState:
    """Return a layer's state; its inputs `gates` become what they open."""
    if before is not None:
        # Once for each state, however many words come after it.
        gates += (before.hidden @ layer.from_hidden)[rows]
    into, forget, new, out = gates.chunk(4, -1)
    cell = into.sigmoid_() * new.tanh_()
    if before is not None:
        cell += forget.sigmoid_() * before.cell[rows]
    return LayerState(hidden=out.sigmoid_() * cell.tanh(), cell=cell)


@contextlib.contextmanager
def _exact_products(device: str) -> Iterator[None]:
    """Keep a GPU from rounding float32 to 10 bits (TF32) in products of matrices."""
    import torch  # noqa: PLC0415 - an extra

    if not device.startswith("cuda"):
        yield
        return
    flags: Any = torch.backends.cuda.matmul
    name, exact = ("fp32_precision", "ieee")
    if not hasattr(flags, name):
        # Before torch 2.9.
        name, exact = ("allow_tf32", False)  # type: ignore[assignment]
    chosen = getattr(flags, name)
    setattr(flags, name, exact)
    try:
        yield
    finally:
        setattr(flags, name, chosen)
