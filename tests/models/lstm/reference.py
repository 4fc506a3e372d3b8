"""What a word-level LSTM has to say: the equations in double precision, one word at a time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, Array]


def random_weights(  # noqa: PLR0913 - the shape of a network
    n_words: int,
    *,
    embedding_size: int = 5,
    hidden_size: int = 6,
    n_layers: int = 2,
    tied: bool = False,
    seed: int = 7,
) -> dict[str, Array]:
    """Return weights by their names in torch, large enough for every word to matter.

    They are float32 numbers: a network in that format has just these.
    """
    generator = np.random.default_rng(seed)
    embedding_size = hidden_size if tied else embedding_size

    def random(*shape: int) -> Array:
        return (generator.standard_normal(shape) * 0.7).astype(np.float32).astype(np.float64)

    weights = {"encoder.weight": random(n_words, embedding_size)}
    for layer in range(n_layers):
        n_inputs = hidden_size if layer else embedding_size
        weights[f"rnn.weight_ih_l{layer}"] = random(4 * hidden_size, n_inputs)
        weights[f"rnn.weight_hh_l{layer}"] = random(4 * hidden_size, hidden_size)
        weights[f"rnn.bias_ih_l{layer}"] = random(4 * hidden_size)
        weights[f"rnn.bias_hh_l{layer}"] = random(4 * hidden_size)
    if not tied:
        weights["decoder.weight"] = random(n_words, hidden_size)
    weights["decoder.bias"] = random(n_words)
    return weights


def as_tensors(weights: Weights) -> dict[str, Any]:
    """Return the weights as torch has them, float32."""
    import torch

    return {name: torch.tensor(each, dtype=torch.float32) for name, each in weights.items()}


def nats_after(weights: Weights, ids: Sequence[int]) -> Iterator[Array]:
    """Yield, after each of `ids`, the logarithms of what is expected next, (n_words,)."""
    decoder = weights.get("decoder.weight", weights["encoder.weight"])
    hidden_size = weights["rnn.weight_hh_l0"].shape[1]
    n_layers = sum(name.startswith("rnn.weight_hh") for name in weights)
    states = [(np.zeros(hidden_size), np.zeros(hidden_size)) for _ in range(n_layers)]
    for word in ids:
        signal = weights["encoder.weight"][word]
        for layer in range(n_layers):
            states[layer] = _step(weights, layer, signal, *states[layer])
            signal = states[layer][0]
        logits = decoder @ signal + weights["decoder.bias"]
        yield logits - logits.max() - math.log(np.exp(logits - logits.max()).sum())


def bits_of(weights: Weights, ids: Sequence[int]) -> list[float]:
    """Return the surprisals, in bits, of all words but the first."""
    rows = zip(nats_after(weights, ids), pairwise(ids), strict=False)
    return [-float(nats[following]) / math.log(2) for nats, (_, following) in rows]


def _step(
    weights: Weights, layer: int, signal: Array, hidden: Array, cell: Array
) -> tuple[Array, Array]:
    gates = (
        weights[f"rnn.weight_ih_l{layer}"] @ signal
        + weights[f"rnn.bias_ih_l{layer}"]
        + weights[f"rnn.weight_hh_l{layer}"] @ hidden
        + weights[f"rnn.bias_hh_l{layer}"]
    )
    into, forget, new, out = np.split(gates, 4)
    cell = _sigmoid(forget) * cell + _sigmoid(into) * np.tanh(new)
    return _sigmoid(out) * np.tanh(cell), cell


def _sigmoid(values: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-values))
    return result
