"""A step of an LSTM: torch's own modules as the oracle, and how exactly a GPU has to multiply."""

from typing import Any

import numpy as np
import pytest
from tests.models.lstm.reference import as_tensors, random_weights

from pommel.models.neural import recurrent
from pommel.models.neural.precision import linear
from pommel.models.neural.recurrent import LstmNetwork

torch: Any = pytest.importorskip("torch")

N_WORDS, N_INPUTS, N_UNITS, N_LAYERS = 11, 5, 6, 3
WEIGHTS = as_tensors(
    random_weights(N_WORDS, embedding_size=N_INPUTS, hidden_size=N_UNITS, n_layers=N_LAYERS)
)


def network(device: str = "cpu", dtype: str = "float32") -> LstmNetwork:
    return LstmNetwork(WEIGHTS, device=device, dtype=dtype)


def theirs(ids: list[list[int]]) -> Any:
    """Return what torch's modules say of sequences of one length: (sequences x n x words)."""
    modules = torch.nn.ModuleDict(
        {
            "encoder": torch.nn.Embedding(N_WORDS, N_INPUTS),
            "rnn": torch.nn.LSTM(N_INPUTS, N_UNITS, N_LAYERS, batch_first=True),
            "decoder": torch.nn.Linear(N_UNITS, N_WORDS),
        }
    )
    modules.load_state_dict(WEIGHTS)
    with torch.inference_mode():
        return modules["decoder"](modules["rnn"](modules["encoder"](torch.tensor(ids)))[0])


def test_sizes_are_those_of_the_weights() -> None:
    tried = network()
    assert (tried.n_known, tried.n_layers, tried.hidden_size) == (N_WORDS, N_LAYERS, N_UNITS)


def test_steps_are_those_of_torch() -> None:
    tried = network()
    # 3 1 4 and 3 1 5: the states after 3 and after 3 1 are there once.
    after: Any = []
    logits = []
    for words, parents in (([3], [0]), ([1], [0]), ([4, 5], [0, 0])):
        after = tried.step(tried.inputs(np.array(words)), after, np.array(parents))
        logits.append(tried.logits(after[-1].hidden))
    expected = theirs([[3, 1, 4], [3, 1, 5]])
    for place, rows in enumerate(logits):
        torch.testing.assert_close(rows.expand(2, -1), expected[:, place], rtol=1e-5, atol=1e-5)


def test_chosen_states_are_those_of_the_rows() -> None:
    tried = network()
    states = tried.step(tried.inputs(np.array([1, 2, 3])), [], np.zeros(3, dtype=np.int64))
    kept = tried.chosen(states, np.array([0, 2]))
    assert len(kept) == N_LAYERS
    for few, all_of_them in zip(kept, states, strict=True):
        torch.testing.assert_close(few.hidden, all_of_them.hidden[[0, 2]])
        torch.testing.assert_close(few.cell, all_of_them.cell[[0, 2]])
    assert tried.chosen([], np.array([], dtype=np.int64)) == []


def test_weights_that_are_being_trained_are_left_alone() -> None:
    trained = {name: each.clone().requires_grad_() for name, each in WEIGHTS.items()}
    tried = LstmNetwork(trained, device="cpu", dtype="float32")
    (state, *_) = tried.step(tried.inputs(np.array([1])), [], np.array([0]))
    assert not state.hidden.requires_grad
    assert all(each.requires_grad and each.grad is None for each in trained.values())


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_everything_is_computed_in_the_number_format_that_was_asked_for(dtype: str) -> None:
    tried = network(dtype=dtype)
    states = tried.step(tried.inputs(np.array([1, 2])), [], np.array([0, 0]))
    number_format = getattr(torch, dtype)
    assert {each.dtype for state in states for each in (state.hidden, state.cell)} == {
        number_format
    }
    # Sums over the vocabulary that are rounded to so few bits would be off by more than all else.
    at_least = torch.float64 if dtype == "float64" else torch.float32
    assert tried.logits(states[-1].hidden).dtype == at_least


def test_products_are_exact_while_it_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = network()
    said: list[str] = []

    def noted(*given: Any) -> Any:
        said.append(torch.backends.mkldnn.matmul.fp32_precision)
        return linear(*given)

    monkeypatch.setattr(recurrent, "linear", noted)
    states = tried.step(tried.inputs(np.array([1])), [], np.array([0]))
    tried.logits(states[-1].hidden)
    assert said == ["ieee"] * (1 + (N_LAYERS - 1) + 1)
