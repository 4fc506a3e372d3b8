"""A GPT-2 in numpy, fed with the same passes as networks in torch: what ships needs no torch."""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from pommel.models.model import LoadOptions
from pommel.models.neural.memory import Budget, usable_bytes
from pommel.models.neural.passes import Pass, TreeShape
from pommel.models.neural.questions import Bits, Ids

Numbers = NDArray[np.floating]

# As in torch: beyond so many tokens caches overflow, and long rows make attention cost more.
_PASS_TOKENS = 1_024
_ROW_LENGTH = 128


class NumpyGpt2:
    """A network of Radford et al. (2019), as transformers has it, with tied embeddings.

    Activations are "gelu_new". Nothing is dropped out.
    """

    def __init__(
        self, weights: Mapping[str, Numbers], *, n_heads: int, epsilon: float, dtype: str
    ) -> None:
        """Take weights by transformers' names; everything is computed in `dtype`.

        `epsilon` is what is added to variances.
        """
        self._weights = {
            name.removeprefix("transformer."): each.astype(dtype) for name, each in weights.items()
        }
        self._words, self._places = self._weights["wte.weight"], self._weights["wpe.weight"]
        self._n_layers = sum(name.endswith("attn.c_attn.weight") for name in weights)
        self._n_heads = n_heads
        self._epsilon = epsilon

    @property
    def n_parameters(self) -> int:
        """How many weights it has."""
        return sum(each.size for each in self._weights.values())

    @property
    def n_outputs(self) -> int:
        """How many token ids it knows, and how many numbers a row of logits has."""
        return len(self._words)

    @property
    def max_tokens(self) -> int:
        """For how many tokens it has positions."""
        return len(self._places)

    def budget(self, options: LoadOptions) -> Budget:
        """Return how much may go through at once; what nobody has said is what suits the caches."""
        budget = Budget(n_tokens=options.batch_tokens or _PASS_TOKENS, row_length=_ROW_LENGTH)
        n_bytes, width = self._words.itemsize, self._words.shape[1]
        budget.limit(
            options.max_memory_bytes or usable_bytes(["cpu"]),
            # What is alive at once in a layer, and attention for each position that is looked at.
            bytes_per_token=n_bytes * (16 * width + 2 * self._n_heads * _ROW_LENGTH),
            bytes_per_row=n_bytes * 2 * self.n_outputs,
        )
        return budget

    def bits(
        self,
        a_pass: Pass,
        row_of_target: Ids,
        targets: Ids,
        group: NDArray[np.bool_] | None = None,
    ) -> Callable[[], tuple[Bits, Bits | None]]:
        """Return what gives the surprisals of targets in a pass's rows; see `Network.bits`."""
        rows = self.logits(a_pass)
        rows -= rows.max(-1, keepdims=True)
        wanted = rows[row_of_target, targets]
        in_group = None if group is None else _log_sum(rows[:, group])
        total = np.log(np.exp(rows, out=rows).sum(-1))
        bits = _bits(total[row_of_target] - wanted)
        group_bits = None if in_group is None else _bits(total - in_group)
        return lambda: (bits, group_bits)

    def log_probabilities(self, ids: Ids) -> NDArray[np.float32]:
        """Return what is expected after each of `ids`; see `Network.log_probabilities`."""
        logits = self.logits(Pass.alone(ids))
        logits -= _log_sum(logits)[:, None]
        return logits.astype(np.float32)

    # Far below 0 an activation is x / infinity; some libraries warn of products that are right.
    @np.errstate(all="ignore")
    def logits(self, a_pass: Pass) -> Numbers:
        """Return the logits of the pass's rows, (n_rows x n_outputs)."""
        ids = a_pass.ids
        place = np.arange(ids.shape[1])
        # What stands behind a sequence is not seen by it.
        alone = TreeShape(np.broadcast_to(place, ids.shape), np.full_like(ids, ids.shape[1]))
        shape = a_pass.tree or alone
        seen = (place <= place[:, None]) & (place[:, None] < shape.ends[:, None, :])
        # What is added to attention scores: (sequences x 1 x positions that look x looked at).
        mask = np.where(seen, 0, -np.inf).astype(self._words.dtype)[:, None]
        hidden = (self._words[ids] + self._places[shape.depths]).reshape(ids.size, -1)
        for number in range(self._n_layers):
            layer = f"h.{number}"
            hidden += self._attention(self._normed(hidden, f"{layer}.ln_1"), mask, f"{layer}.attn")
            inner = self._affine(self._normed(hidden, f"{layer}.ln_2"), f"{layer}.mlp.c_fc")
            hidden += self._affine(_gelu(inner), f"{layer}.mlp.c_proj")
        logits: Numbers = self._normed(hidden[a_pass.rows], "ln_f") @ self._words.T
        return logits

    def _attention(self, hidden: Numbers, mask: Numbers, name: str) -> Numbers:
        """Return what attention adds to hidden states, (positions of all sequences x width)."""
        n_sequences, _, length, _ = mask.shape
        parts = self._affine(hidden, f"{name}.c_attn")
        parts = parts.reshape(n_sequences, length, 3, self._n_heads, -1)
        # Each (sequences x heads x positions x numbers of a head).
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query / math.sqrt(query.shape[-1]) @ key.swapaxes(-1, -2)
        scores += mask
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        mixed = scores @ value
        mixed /= scores.sum(-1, keepdims=True)
        return self._affine(mixed.swapaxes(1, 2).reshape(hidden.shape), f"{name}.c_proj")

    def _affine(self, hidden: Numbers, name: str) -> Numbers:
        product: Numbers = hidden @ self._weights[f"{name}.weight"]
        product += self._weights[f"{name}.bias"]
        return product

    def _normed(self, hidden: Numbers, name: str) -> Numbers:
        centred: Numbers = hidden - hidden.mean(-1, keepdims=True)
        variances = np.square(centred).mean(-1, keepdims=True)
        centred /= np.sqrt(variances + self._epsilon)
        centred *= self._weights[f"{name}.weight"]
        centred += self._weights[f"{name}.bias"]
        return centred


_GELU_SCALE = -2 * math.sqrt(2 / math.pi)


def _gelu(inputs: Numbers) -> Numbers:
    """Return x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3): x / (1 + exp(-2 u))."""
    divisors = inputs * inputs
    divisors *= _GELU_SCALE * 0.044715
    divisors += _GELU_SCALE
    divisors *= inputs
    np.exp(divisors, out=divisors)
    divisors += 1
    return np.divide(inputs, divisors, out=divisors)


def _log_sum(rows: Numbers) -> Numbers:
    """Return the logarithm of the sum of each row's exponentials, however small they all are."""
    largest = rows.max(-1)
    sums: Numbers = np.log(np.exp(rows - largest[:, None]).sum(-1))
    sums += largest
    return sums


def _bits(nats: Numbers) -> Bits:
    # Rounding may make a certain token's surprisal -1e-7.
    return np.maximum(nats, 0).astype(np.float64) / math.log(2)
