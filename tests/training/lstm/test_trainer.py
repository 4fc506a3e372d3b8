"""The trainer: steps beside a plain reference, annealing, its state."""

import math
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from tests.training.lstm.samples import TINY, write_text
from torch.nn.functional import cross_entropy

from pommel.errors import PommelError
from pommel.training.lstm.recipe import Corpus, EpochFigures, Progress, Sources, read_corpus
from pommel.training.lstm.trainer import Trainer


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    path = write_text(tmp_path_factory.mktemp("corpus") / "text.txt")
    return read_corpus(Sources(text=path), TINY)


def go_on() -> None:
    """Ask for no stop."""


def epoch_of(trainer: Trainer) -> EpochFigures:
    """Advance to the end of the epoch."""
    while True:
        if figures := trainer.advance(go_on):
            return figures


def test_a_step_is_gradient_descent_on_a_window_with_a_clipped_gradient(corpus: Corpus) -> None:
    recipe = replace(TINY, dropout=0.0, clip=0.05)
    trainer = Trainer(corpus, recipe, seed=1)
    weights = {name: each.requires_grad_() for name, each in trainer.weights().items()}
    lstm = torch.nn.LSTM(5, 6, 2)
    words = torch.from_numpy(corpus.training.words).long()
    n_longer = len(words) % 4
    lengths = [len(words) // 4 + (stream < n_longer) for stream in range(4)]
    texts = torch.cat([torch.tensor([corpus.vocabulary.index("<eos>")]), words])
    starts = [sum(lengths[:stream]) for stream in range(4)]
    hidden = None
    for step in range(3):
        window = [slice(start + 7 * step, start + 7 * step + 8) for start in starts]
        read = torch.stack([texts[each] for each in window], 1)
        parameters = {name: each for name, each in weights.items() if name.startswith("rnn.")}
        states, hidden = torch.func.functional_call(
            lstm,
            {name.removeprefix("rnn."): each for name, each in parameters.items()},
            (weights["encoder.weight"][read[:-1]], hidden),
        )
        hidden = tuple(each.detach() for each in hidden)
        logits = states @ weights["decoder.weight"].T + weights["decoder.bias"]
        loss = cross_entropy(logits.flatten(0, 1), read[1:].flatten())
        gradients = torch.autograd.grad(loss, list(weights.values()))
        norm = torch.cat([each.flatten() for each in gradients]).norm()
        assert norm > 0.05
        weights = {
            name: (each - 5 * gradient * 0.05 / norm).detach().requires_grad_()
            for (name, each), gradient in zip(weights.items(), gradients, strict=True)
        }
        assert trainer.advance(go_on) is None
        for name, each in trainer.weights().items():
            torch.testing.assert_close(each, weights[name].detach(), atol=1e-6, rtol=1e-4)
    assert trainer.n_steps == trainer.progress.step == 3
    assert trainer.progress.n_words == 3 * 4 * 7


def test_the_validation_perplexity_is_per_word_and_end_of_sentence(corpus: Corpus) -> None:
    # One stream: every word is read behind all those before it.
    trainer = Trainer(corpus, replace(TINY, batch_size=1), seed=1)
    figures = epoch_of(trainer)
    network = trainer._network  # noqa: SLF001
    words = torch.from_numpy(corpus.validation.words).long()
    eos = torch.tensor([corpus.vocabulary.index("<eos>")])
    with torch.no_grad():
        logits, _ = network(torch.cat([eos, words[:-1]])[:, None], network.start(1))
    expected = math.exp(cross_entropy(logits[:, 0], words).item())
    assert figures.validation_perplexity == pytest.approx(expected, rel=1e-5)


def test_training_lowers_both_perplexities(corpus: Corpus) -> None:
    trainer = Trainer(corpus, replace(TINY, n_epochs=6), seed=1)
    all_figures = [epoch_of(trainer) for _ in range(6)]
    assert trainer.ended_by == "epochs"
    assert all_figures[-1].training_perplexity < 0.8 * all_figures[0].training_perplexity
    best = trainer.progress.best
    assert best is not None
    assert best.validation_perplexity == min(each.validation_perplexity for each in all_figures)
    assert best.validation_perplexity < all_figures[0].validation_perplexity


def test_the_learning_rate_is_divided_by_four_and_the_best_weights_are_kept(
    corpus: Corpus,
) -> None:
    trainer = Trainer(
        corpus, replace(TINY, n_epochs=50, learning_rate=80.0, min_learning_rate=3.0), seed=1
    )
    weights = {}
    rates = []
    while not trainer.ended_by:
        rates.append(trainer.progress.learning_rate)
        figures = epoch_of(trainer)
        weights[figures.epoch] = trainer.weights()
    epochs = trainer.progress.epochs
    for before, after in pairwise(epochs):
        ratio = 1 if before.is_best else 4
        assert before.learning_rate / after.learning_rate == ratio
    assert [each.learning_rate for each in epochs] == rates
    lowest = min(epochs, key=lambda each: each.validation_perplexity)
    assert trainer.progress.best == lowest
    assert not epochs[-1].is_best
    for name, each in trainer.best_weights().items():
        assert each.equal(weights[lowest.epoch][name])
    assert trainer.ended_by == "learning rate"
    assert trainer.progress.learning_rate < 3 <= epochs[-1].learning_rate


def test_a_loss_that_is_no_number_ends_training(corpus: Corpus) -> None:
    recipe = replace(TINY, learning_rate=1e38, clip=1e38)
    trainer = Trainer(corpus, recipe, seed=1)
    with pytest.raises(PommelError) as caught:
        epoch_of(trainer)
    step = trainer.progress.step + 1
    assert 1 < step < 10
    assert str(caught.value) == (
        f"training diverged in step {step} of epoch 1: the loss is not a finite number, or far too "
        "high; try a --learning-rate below 1e+38, with --restart"
    )


def test_a_loss_far_beyond_any_guess_ends_training(corpus: Corpus) -> None:
    trainer = Trainer(corpus, replace(TINY, learning_rate=1e6, clip=1e6), seed=1)
    with pytest.raises(PommelError, match=r"^training diverged in .* or far too high"):
        epoch_of(trainer)
    assert trainer.progress.epochs == []


def test_a_stop_during_validation_leaves_the_epoch_open(corpus: Corpus) -> None:
    trainer = Trainer(corpus, TINY, seed=1)
    undisturbed = Trainer(corpus, TINY, seed=1)
    expected = epoch_of(undisturbed)
    for _ in range(trainer.n_windows):
        trainer.advance(go_on)
    calls = []

    def stop_at_second() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        trainer.advance(stop_at_second)
    assert trainer.progress.step == trainer.n_windows
    figures = trainer.advance(go_on)
    assert figures is not None
    assert figures.validation_perplexity == expected.validation_perplexity
    assert figures.training_perplexity == expected.training_perplexity


@pytest.mark.parametrize(
    ("changes", "epochs"),
    [
        ({}, 1),
        ({"tied": True, "embedding_size": 6}, 1),
        ({"dropout": 0.0}, 1),
        # The second epoch is worse than the first, whose weights are kept ...
        ({"learning_rate": 20.0}, 1),
        # ... and the third has a quarter of the learning rate.
        ({"learning_rate": 20.0, "n_epochs": 3}, 2),
    ],
)
def test_a_state_is_all_that_another_trainer_needs(
    corpus: Corpus, changes: dict[str, Any], epochs: int
) -> None:
    recipe = replace(TINY, **changes)
    first, second = Trainer(corpus, recipe, seed=1), Trainer(corpus, recipe, seed=99)
    for _ in range(epochs):
        epoch_of(first)
    for _ in range(3):
        first.advance(go_on)
    kept = first.tensors()
    second.restore(Progress.from_dict(asdict(first.progress)), kept)
    while not first.ended_by:
        first.advance(go_on)
        second.advance(go_on)
    assert second.ended_by
    for name, each in first.best_weights().items():
        assert each.equal(second.best_weights()[name])


def test_seeds_differ_and_nothing_else_decides(corpus: Corpus) -> None:
    torch.manual_seed(1)
    trainers = [Trainer(corpus, TINY, seed=seed) for seed in (1, 1, 2)]
    for trainer in trainers:
        torch.rand(3)
        epoch_of(trainer)
    first, again, other = (trainer.weights()["encoder.weight"] for trainer in trainers)
    assert first.equal(again)
    assert not first.equal(other)
