"""One member of a family, from its seed or a saved state to a finished model."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from pommel.models.lstm.folder import LstmConfig
from pommel.models.neural.device import find_device
from pommel.training.lstm.corpus import EOS, UNK, Corpus
from pommel.training.lstm.interruption import Stop, StoppedError, deferred_signals
from pommel.training.lstm.plan import Plan
from pommel.training.lstm.progress import EpochFigures, Watcher
from pommel.training.lstm.record import described, environment, outcome
from pommel.training.lstm.seed_folder import SeedFolder
from pommel.training.lstm.state import State
from pommel.training.lstm.trainer import Trainer


class Session:
    """The training of one seed in its folder."""

    def __init__(
        self,
        plan: Plan,
        corpus: Corpus,
        folder: SeedFolder,
        *,
        seed: int,
        watcher: Watcher,
    ) -> None:
        """Take what is trained, on what, where, and who is told."""
        self._plan = plan
        self._corpus = corpus
        self._folder = folder
        self._seed = seed
        self._device = find_device(plan.device)
        self._watcher = watcher
        self._kept_at = time.monotonic()

    def train(self, state: State | None) -> None:
        """Train from a state, or from the beginning, and write the model.

        On Ctrl-C (SIGTERM) the state is kept; then `KeyboardInterrupt` (`SystemExit`) goes on its
        way. If nothing but the model was left to write, it is written before that. Raises
        `PommelError` if training diverges or a file cannot be written.
        """
        before = state.n_threads if state else torch.get_num_threads()
        with _threads(self._plan.n_threads or before), deferred_signals() as stop:
            trainer = Trainer(self._corpus, self._plan.recipe, seed=self._seed, device=self._device)
            if state:
                trainer.restore(state.progress, state.tensors)
                self._tell_where(trainer, state)
            else:
                # A folder that cannot be written to is better known now.
                self._keep(trainer)
            try:
                self._advance(trainer, stop)
            except StoppedError:
                self._keep(trainer)
                self._watcher.note(f"{self._where(trainer)}: stopped; {_AGAIN}")
                stop.end()
            self._folder.finish(
                self._config, self._corpus.vocabulary, trainer.best_weights(), self._record(trainer)
            )

    def _advance(self, trainer: Trainer, stop: Stop) -> None:
        self._watcher.begin(
            self._seed, n_epochs=self._plan.recipe.n_epochs, n_steps=trainer.n_windows
        )
        while not trainer.ended_by:
            figures = trainer.advance(stop.check)
            if figures:
                self._watcher.epoch(figures)
            else:
                self._watcher.step(trainer.progress)
            # Before the state: one that is kept has its checkpoint behind it.
            self._keep_checkpoint(trainer, figures)
            is_due = time.monotonic() - self._kept_at >= self._plan.save_every_seconds
            if figures or is_due:
                self._keep(trainer)
            stop.check()

    def _keep(self, trainer: Trainer) -> None:
        self._folder.keep(
            State(
                identity=self._folder.identity,
                progress=trainer.progress,
                tensors=trainer.tensors(),
                n_threads=torch.get_num_threads(),
                device=str(self._device),
            )
        )
        self._kept_at = time.monotonic()

    def _keep_checkpoint(self, trainer: Trainer, figures: EpochFigures | None) -> None:
        every = self._plan.checkpoints
        if figures and every == "epoch":
            name = f"epoch-{figures.epoch}"
        elif not figures and isinstance(every, int) and trainer.n_steps % every == 0:
            name = f"step-{trainer.n_steps}"
        else:
            return
        record = {**self._record(trainer), "checkpoint": name}
        self._folder.write_checkpoint(
            name, self._config, self._corpus.vocabulary, trainer.weights(), record
        )

    def _tell_where(self, trainer: Trainer, state: State) -> None:
        self._watcher.note(f"{self._where(trainer)}: goes on from here")
        now = {"device": str(self._device), "number of threads": torch.get_num_threads()}
        before = {"device": state.device, "number of threads": state.n_threads}
        for what, value in now.items():
            if value != before[what]:
                self._watcher.note(
                    f"note: the {what} was {before[what]} and is {value}: the weights will not be "
                    "those of an undisturbed training to the last bit"
                )

    def _where(self, trainer: Trainer) -> str:
        now = trainer.progress
        step = f"step {now.step:,} of {trainer.n_windows:,}"
        return f"{self._folder.path}: {step} of epoch {now.epoch}"

    @property
    def _config(self) -> LstmConfig:
        recipe = self._plan.recipe
        return LstmConfig(
            embedding_size=recipe.embedding_size,
            hidden_size=recipe.hidden_size,
            n_layers=recipe.n_layers,
            tied=recipe.tied,
            unk=UNK,
            eos=EOS,
            cased=recipe.cased,
        )

    def _record(self, trainer: Trainer) -> dict[str, Any]:
        n_threads = torch.get_num_threads()
        figures = outcome(
            trainer.progress, n_steps=trainer.n_steps, n_parameters=trainer.n_parameters
        )
        return {
            **described(self._folder.recipe, self._folder.sha256, self._corpus, seed=self._seed),
            "figures": {"ended_by": trainer.ended_by, **figures},
            "environment": environment(device=str(self._device), n_threads=n_threads),
        }


_AGAIN = "the same command goes on from here"


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Compute with so many threads; more or fewer add up in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
