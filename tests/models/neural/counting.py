"""The work that a network does: what a clock measures, without the clock."""

from dataclasses import dataclass
from typing import Any

from pommel.models.neural.gpt2 import NumpyGpt2
from pommel.models.neural.network import Network
from pommel.models.neural.recurrent import LstmNetwork


@dataclass(slots=True, kw_only=True)
class Counts:
    """`n_tokens_fed` includes padding."""

    n_passes: int = 0
    n_tokens_fed: int = 0
    n_rows_projected: int = 0


def in_torch(network: Network | NumpyGpt2) -> Network:
    """Return a network that is known to be one of torch."""
    assert isinstance(network, Network)
    return network


def counted(network: Network | NumpyGpt2 | LstmNetwork) -> Counts:
    """Return what counts the work that a network does from now on."""
    counts = Counts()
    watched: Any = network
    logits = watched.logits

    def of_pass(a_pass: Any) -> Any:
        counts.n_passes += 1
        counts.n_tokens_fed += a_pass.ids.size
        counts.n_rows_projected += len(a_pass.rows)
        return logits(a_pass)

    def of_states(hidden: Any) -> Any:
        counts.n_rows_projected += len(hidden)
        return logits(hidden)

    watched.logits = of_states if isinstance(network, LstmNetwork) else of_pass
    if isinstance(network, LstmNetwork):
        step = network.step

        def of_step(inputs: Any, *states: Any) -> Any:
            counts.n_passes += 1
            counts.n_tokens_fed += len(inputs)
            return step(inputs, *states)

        watched.step = of_step
    return counts
