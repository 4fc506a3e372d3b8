"""The network beside PyTorch's own modules."""

import pytest

pytest.importorskip("torch")

import torch
from hypothesis import given, strategies as st

from pommel.models.lstm.folder import LstmConfig, shapes
from pommel.training.lstm.recipe import Recipe
from pommel.training.lstm.trainer import WordNetwork

N_WORDS = 11


def network(
    *, seed: int = 1, n_layers: int = 2, tied: bool = False, dropout: float = 0.4
) -> WordNetwork:
    recipe = Recipe(
        embedding_size=6 if tied else 5,
        hidden_size=6,
        n_layers=n_layers,
        tied=tied,
        dropout=dropout,
    )
    made = WordNetwork(N_WORDS, recipe)
    made.initialise(torch.Generator().manual_seed(seed))
    return made


def inputs(n_times: int = 4, n_streams: int = 3) -> torch.Tensor:
    return torch.arange(n_times * n_streams).reshape(n_times, n_streams) % N_WORDS


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("n_layers", [1, 3])
def test_computes_what_modules_of_torch_compute(n_layers: int, *, tied: bool) -> None:
    ours = network(n_layers=n_layers, tied=tied)
    weights = ours.weights()
    lstm = torch.nn.LSTM(6 if tied else 5, 6, n_layers)
    lstm.load_state_dict(
        {name.removeprefix("rnn."): each for name, each in weights.items() if "rnn." in name}
    )
    decoder = weights["encoder.weight" if tied else "decoder.weight"]
    state, cell = torch.rand(2, n_layers, 3, 6)
    with torch.no_grad():
        states, after = lstm(weights["encoder.weight"][inputs()], (state, cell))
        logits, hidden = ours(inputs(), torch.stack([state, cell]))
    torch.testing.assert_close(logits, states @ decoder.T + weights["decoder.bias"])
    torch.testing.assert_close(hidden, torch.stack(after))


@pytest.mark.parametrize("tied", [True, False])
def test_its_weights_are_those_of_a_model_folder(*, tied: bool) -> None:
    weights = network(tied=tied).weights()
    config = LstmConfig(embedding_size=6 if tied else 5, hidden_size=6, n_layers=2, tied=tied)
    assert {name: tuple(each.shape) for name, each in weights.items()} == shapes(config, N_WORDS)
    again = network(tied=tied, seed=2)
    again.load(weights)
    for name, each in again.weights().items():
        assert each.equal(weights[name])


def test_weights_are_drawn_as_in_the_literature_and_from_the_seed_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    weights = network(seed=1).weights()
    assert torch.get_rng_state().equal(before), "the caller's generator is left alone"
    torch.manual_seed(6)
    same, other = network(seed=1).weights(), network(seed=2).weights()
    for name, each in weights.items():
        assert each.equal(same[name])
        if name == "decoder.bias":
            assert not each.any()
            continue
        assert not each.equal(other[name])
        limit = 6**-0.5 if name.startswith("rnn.") else 0.1
        assert 0.7 * limit < each.abs().max() <= limit


def test_a_copy_of_the_weights_does_not_change_with_them() -> None:
    made = network()
    copy = made.weights()["encoder.weight"]
    before = copy.clone()
    with torch.no_grad():
        made.encoder.weight.add_(1)
    assert copy.equal(before)


def test_dropout_draws_from_its_generator_alone() -> None:
    made = network()
    start = made.start(3)
    generators = [torch.Generator().manual_seed(3) for _ in range(2)]
    first, second = (made(inputs(), start, each)[0] for each in generators)
    assert first.equal(second)
    assert not first.equal(made(inputs(), start, generators[0])[0])
    assert not first.equal(made(inputs(), start)[0])
    assert made(inputs(), start)[0].equal(made(inputs(), start)[0])


@given(dropout=st.sampled_from([0.1, 0.5, 0.9]), seed=st.integers(0, 5))
def test_dropout_keeps_the_mean(dropout: float, seed: int) -> None:
    made = network(dropout=dropout)
    dropped = made._dropped(torch.ones(200, 200), torch.Generator().manual_seed(seed))  # noqa: SLF001
    kept = dropped[dropped != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - dropout)))
    assert abs(dropped.mean() - 1) < 0.05
    assert abs((dropped == 0).float().mean() - dropout) < 0.02


def test_without_dropout_nothing_is_drawn() -> None:
    made = network(dropout=0.0)
    generator = torch.Generator().manual_seed(3)
    before = generator.get_state()
    made(inputs(), made.start(3), generator)
    assert generator.get_state().equal(before)
