"""The training of one member of a family: its folder, its state, its record, its signals."""

import json
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import torch

from pommel.errors import InputError, PommelError, UsageError
from pommel.files import make_folder
from pommel.models import LstmConfig, LstmFolder, find_device
from pommel.training.lstm.recipe import (
    UNK,
    Corpus,
    EpochFigures,
    Plan,
    Progress,
    Watcher,
    read_corpus,
)
from pommel.training.lstm.trainer import Trainer
from pommel.training.record import differences, environment
from pommel.values import frozen

if TYPE_CHECKING:
    from torch import Tensor


# Of the file's layout: one of another version is not read.
_VERSION = 1


@frozen
class State:
    """A training between two steps.

    `identity` is the recipe and the hashes of the texts, `tensors` and `progress` are the
    trainer's; `n_threads` and `device` are what the arithmetic was done with.
    """

    identity: Mapping[str, Any]
    progress: Progress
    tensors: "Mapping[str, Tensor]"
    n_threads: int
    device: str


def write_state(path: Path, state: State) -> None:
    """Write the file; it takes its place as a whole. Raises `PommelError` where it cannot."""
    header = {
        "version": _VERSION,
        "identity": state.identity,
        "progress": asdict(state.progress),
        "n_threads": state.n_threads,
        "device": state.device,
    }
    LstmFolder.write_tensors(path, state.tensors, {"pommel": json.dumps(header)})


def read_state(path: Path) -> State:
    """Return what `write_state` wrote, to the last bit; no code is run.

    Raises `InputError` for a file that is damaged, or was written by another version.
    """
    with _opened(path) as (file, header):
        return State(
            identity=header["identity"],
            progress=Progress.from_dict(header["progress"]),
            tensors={name: file.get_tensor(name) for name in file.keys()},  # noqa: SIM118 - the file is no mapping
            n_threads=header["n_threads"],
            device=header["device"],
        )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    from safetensors import SafetensorError, safe_open

    hint = "give --restart to train from the beginning"
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {})["pommel"])
            if header["version"] != _VERSION:
                raise InputError(f"{path}: written by another version of pommel; {hint}")
            yield file, header
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: the saved state cannot be read ({error}); {hint}") from None


_PACKAGES = ("torch", "numpy", "safetensors")


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StoppedError(Exception):
    """A signal has come, and nobody has acted on it yet."""


@dataclass(slots=True)
class Stop:
    """Whether a signal has come, and which."""

    signal: int | None = None

    def check(self) -> None:
        """Raise `StoppedError` if one has."""
        if self.signal is not None:
            raise StoppedError

    def end(self) -> NoReturn:
        """Do what the signal means: end the process as if nothing had been in between."""
        if self.signal == signal.SIGTERM:
            raise SystemExit(128 + signal.SIGTERM)
        raise KeyboardInterrupt


@contextmanager
def deferred_signals() -> Iterator[Stop]:
    """Keep the first signal for later; the second does at once what it always does.

    At the latest it is acted on at the end, unless an error is on its way. Signals reach the main
    thread only: in any other this changes nothing.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            # None: it was not set from Python, and cannot be.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def take(number: int, _frame: FrameType | None) -> None:
        stop.signal = number
        restore()

    for number in _SIGNALS:
        signal.signal(number, take)
    try:
        yield stop
    finally:
        restore()
    # With the handlers of before: none can come in between.
    if stop.signal is not None:
        stop.end()


STATE = "state.safetensors"

Standing = Literal["empty", "begun", "finished"]

_RECORDED = ("recipe", "sha256", "figures")


@frozen
class SeedFolder(LstmFolder):
    """A folder, and what is trained in it: by which recipe, on files with which hashes.

    A model is finished when its record is there, which is written last. A checkpoint is a folder
    below it, `step-N` or `epoch-N`.
    """

    recipe: Mapping[str, Any]
    sha256: Mapping[str, str | None]

    @property
    def identity(self) -> Mapping[str, Any]:
        """What has to be the same for a training to go on."""
        return {**self.recipe, **self.sha256}

    @property
    def state_path(self) -> Path:
        """Where the state is kept."""
        return self.path / STATE

    def standing(self) -> Standing:
        """Return how far it has come.

        Raises `UsageError` if the folder holds another training, a model from elsewhere, or a part
        of one.
        """
        if self.is_recorded:
            record = self.record()
            self._check_identity({**record["recipe"], **record["sha256"]})
            if self.missing:
                message = f"{self.path} holds a trained model without its {self.missing[0]}"
                raise UsageError(f"{message}; {_HINT}")
            return "finished"
        if self.state_path.is_file():
            with _opened(self.state_path) as (_, header):
                self._check_identity(header["identity"])
            return "begun"
        there = [path.name for path in self._files() if path.exists()]
        if there:
            message = f"{self.path} holds files of another training or another model"
            raise UsageError(f"{message} ({there[0]}); {_HINT}")
        return "empty"

    def record(self) -> Mapping[str, Any]:
        """Return the record of a finished model; raises `InputError` for what is none."""
        value = LstmFolder.record(self)
        if not isinstance(value, dict) or not all(
            isinstance(value.get(name), dict) for name in _RECORDED
        ):
            raise InputError(f"{self.record_path}: this is no record of a training; {_HINT}")
        return value

    def finish(
        self,
        config: LstmConfig,
        vocabulary: Sequence[str],
        weights: "Mapping[str, Tensor]",
        record: Mapping[str, Any],
    ) -> None:
        """Write the model, then its record, and drop the state."""
        self.write_folder(self.path, config, vocabulary, weights)
        self.write_record(record)
        _delete(self.state_path)

    def clear(self) -> None:
        """Delete what a training has written, checkpoints too; other files stay."""
        for path in self._files():
            _delete(path)
        for folder in self._checkpoints():
            if not any(folder.iterdir()):
                folder.rmdir()

    def _files(self) -> Iterator[Path]:
        # The configuration goes first: what is left is no model at any time.
        for folder in (self.path, *self._checkpoints()):
            yield from (*LstmFolder(path=folder).files, folder / STATE)

    def _checkpoints(self) -> list[Path]:
        found = (*self.path.glob("step-*"), *self.path.glob("epoch-*"))
        return sorted(
            path for path in found if path.name.partition("-")[2].isdecimal() and path.is_dir()
        )

    def _check_identity(self, recorded: Mapping[str, Any]) -> None:
        differing = differences(recorded, self.identity)
        if differing:
            message = f"{self.path} holds another training: {', '.join(differing)}"
            raise UsageError(f"{message}; {_HINT}")


_HINT = "choose another folder, or give --restart to train anew in this one"


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise PommelError(f"{path}: cannot be deleted: {error.strerror or error}") from None


@dataclass(slots=True)
class Session:
    """The training of one seed in its folder: what is trained, on what, and who is told."""

    plan: Plan
    corpus: Corpus
    folder: SeedFolder
    seed: int
    watcher: Watcher
    _kept_at: float = field(default_factory=time.monotonic)

    def train(self, state: State | None) -> None:
        """Train from a state, or from the beginning, and write the model.

        On Ctrl-C (SIGTERM) the state is kept; then `KeyboardInterrupt` (`SystemExit`) goes on its
        way. If nothing but the model was left to write, it is written before that. Raises
        `PommelError` if training diverges or a file cannot be written.
        """
        before = state.n_threads if state else torch.get_num_threads()
        device = find_device(self.plan.device)
        with threads(self.plan.n_threads or before), deferred_signals() as stop:
            trainer = Trainer(self.corpus, self.plan.recipe, seed=self.seed, device=device)
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
                self.watcher.note(f"{self._where(trainer)}: stopped; {_AGAIN}")
                stop.end()
            self.folder.finish(
                self._config, self.corpus.vocabulary, trainer.best_weights(), self._record(trainer)
            )

    def _advance(self, trainer: Trainer, stop: Stop) -> None:
        self.watcher.begin(self.seed, n_epochs=self.plan.recipe.n_epochs, n_steps=trainer.n_windows)
        while not trainer.ended_by:
            figures = trainer.advance(stop.check)
            if figures:
                self.watcher.epoch(figures)
            else:
                now = trainer.progress
                self.watcher.step(now.step, now.epoch, now.figures)
            # Before the state: one that is kept has its checkpoint behind it.
            self._keep_checkpoint(trainer, figures)
            is_due = time.monotonic() - self._kept_at >= self.plan.save_every_seconds
            if figures or is_due:
                self._keep(trainer)
            stop.check()

    def _keep(self, trainer: Trainer) -> None:
        state = State(
            identity=self.folder.identity,
            progress=trainer.progress,
            tensors=trainer.tensors(),
            n_threads=torch.get_num_threads(),
            device=trainer.device,
        )
        write_state(self.folder.state_path, state)
        self._kept_at = time.monotonic()

    def _keep_checkpoint(self, trainer: Trainer, figures: EpochFigures | None) -> None:
        every = self.plan.checkpoints
        if figures and every == "epoch":
            name = f"epoch-{figures.epoch}"
        elif not figures and isinstance(every, int) and trainer.n_steps % every == 0:
            name = f"step-{trainer.n_steps}"
        else:
            return
        # A model of its own; without its configuration, which comes last, it is none.
        checkpoint = LstmFolder(path=self.folder.path / name)
        checkpoint.write_record({**self._record(trainer), "checkpoint": name})
        checkpoint.write_folder(
            checkpoint.path, self._config, self.corpus.vocabulary, trainer.weights()
        )

    def _tell_where(self, trainer: Trainer, state: State) -> None:
        self.watcher.note(f"{self._where(trainer)}: goes on from here")
        for what, before, now in (
            ("device", state.device, trainer.device),
            ("number of threads", state.n_threads, torch.get_num_threads()),
        ):
            if now != before:
                self.watcher.note(
                    f"note: the {what} was {before} and is {now}: the weights will not be "
                    "those of an undisturbed training to the last bit"
                )

    def _where(self, trainer: Trainer) -> str:
        now = trainer.progress
        step = f"step {now.step:,} of {trainer.n_windows:,}"
        return f"{self.folder.path}: {step} of epoch {now.epoch}"

    @property
    def _config(self) -> LstmConfig:
        recipe = self.plan.recipe
        return LstmConfig(
            embedding_size=recipe.embedding_size,
            hidden_size=recipe.hidden_size,
            n_layers=recipe.n_layers,
            tied=recipe.tied,
            cased=recipe.cased,
        )

    def _record(self, trainer: Trainer) -> Mapping[str, Any]:
        """Return what decides the weights, what came out, and what the arithmetic was done with."""
        progress, best = trainer.progress, trainer.progress.best
        seconds = sum(each.seconds for each in progress.epochs) + progress.seconds
        return {
            "recipe": dict(self.folder.recipe),
            "seed": self.seed,
            "sha256": dict(self.folder.sha256),
            "corpus": {
                "n_vocabulary": len(self.corpus.vocabulary),
                "training": self.corpus.training.sizes,
                "validation": self.corpus.validation.sizes,
            },
            "figures": {
                "ended_by": trainer.ended_by,
                "n_steps": trainer.n_steps,
                "n_parameters": trainer.n_parameters,
                "best_epoch": best.epoch if best else None,
                "validation_perplexity": best.validation_perplexity if best else None,
                "seconds": round(seconds, 1),
                "epochs": [asdict(each) for each in progress.epochs],
            },
            "environment": {
                **environment(_PACKAGES),
                "device": trainer.device,
                "n_threads": torch.get_num_threads(),
            },
        }


_AGAIN = "the same command goes on from here"


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Compute with so many threads; more or fewer add up in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@frozen
class Member:
    """A trained model: its folder, and what `training.json` in it records."""

    seed: int
    folder: Path
    record: Mapping[str, Any]

    @property
    def figures(self) -> Mapping[str, Any]:
        """What came out of training."""
        figures: Mapping[str, Any] = self.record["figures"]
        return figures

    @property
    def row(self) -> tuple[str, ...]:
        """What a table says of it: folder, epochs, the best of them, perplexity, speed, time."""
        figures = self.figures
        # Each epoch counts alike.
        n_words_per_second = fmean(each["n_words_per_second"] for each in figures["epochs"])
        return (
            str(self.folder),
            str(len(figures["epochs"])),
            str(figures["best_epoch"]),
            f"{figures['validation_perplexity']:.2f}",
            f"{n_words_per_second:,.0f}",
            f"{figures['seconds']:,.0f}",
        )


def train_members(plan: Plan, watcher: Watcher) -> list[Member]:
    """Train each seed of a plan that is not trained yet; return all. Raises as `Plan.train`."""
    sha256 = plan.sha256s()
    folders = [
        SeedFolder(path=plan.out / f"seed-{seed}", recipe=asdict(plan.recipe), sha256=sha256)
        for seed in plan.seeds
    ]
    standings: list[Standing] = [
        "empty" if plan.restart else folder.standing() for folder in folders
    ]
    for folder, standing in zip(folders, standings, strict=True):
        if standing == "finished":
            watcher.note(f"{folder.path} is trained already; --restart trains it anew")
    if any(standing != "finished" for standing in standings):
        corpus = read_corpus(plan, plan.recipe)
        _tell_sizes(corpus, watcher)
    members = []
    for seed, folder, standing in zip(plan.seeds, folders, standings, strict=True):
        if standing != "finished":
            if plan.restart:
                # Not before the text has been read: what is there may be all that there is.
                folder.clear()
            make_folder(folder.path)
            session = Session(plan, corpus, folder, seed, watcher)
            session.train(read_state(folder.state_path) if standing == "begun" else None)
        members.append(Member(seed=seed, folder=folder.path, record=folder.record()))
    return members


def _tell_sizes(corpus: Corpus, watcher: Watcher) -> None:
    watcher.note(f"vocabulary: {len(corpus.vocabulary):,} words")
    for name, section in (("training", corpus.training), ("validation", corpus.validation)):
        unknown = f"{100 * section.unknown_share:.2f} % of them unknown"
        sizes = section.sizes
        watcher.note(
            f"{name}: {sizes['n_sentences']:,} sentences, {sizes['n_words']:,} words, {unknown}"
        )
    if not corpus.training.n_unknown:
        watcher.note(
            f"note: the vocabulary has every word of the text, so {UNK} is never trained, and "
            "bits of unknown words will mean nothing; --min-count or a smaller --vocabulary-size "
            "leave words for it"
        )
