"""A family: the same recipe on the same text with several seeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.files import make_folder
from pommel.models import find_device
from pommel.training.lstm.recipe import UNK, Corpus, Plan, Section, Watcher, read_corpus

if TYPE_CHECKING:
    from pommel.training.lstm.session import SeedFolder, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
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
    def n_words_per_second(self) -> float:
        """The mean speed of training, each epoch counting alike."""
        speeds = [float(each["n_words_per_second"]) for each in self.figures["epochs"]]
        return sum(speeds) / len(speeds)

    @property
    def row(self) -> tuple[str, ...]:
        """What a table says of it: folder, epochs, the best of them, perplexity, speed, time."""
        figures = self.figures
        return (
            str(self.folder),
            str(len(figures["epochs"])),
            str(figures["best_epoch"]),
            f"{figures['validation_perplexity']:.2f}",
            f"{self.n_words_per_second:,.0f}",
            f"{figures['seconds']:,.0f}",
        )


def train_family(plan: Plan, watcher: Watcher) -> list[Member]:
    """Train each seed that is not trained yet, one after another; return all of them.

    A training that was interrupted goes on where it stood. Raises `UsageError` if a folder holds
    another training (nothing is trained then), `InputError` for a text that cannot be trained on,
    `ModelNotAvailableError` without torch or the device, and what `Session.train` raises.
    """
    find_device(plan.device, asked_by="training an LSTM")
    # Imported here: it needs torch.
    from pommel.training.lstm.session import Session, read_state  # noqa: PLC0415 - needs torch, an extra

    folders = _folders(plan)
    standings = _standings(folders, plan, watcher)
    if any(standing != "finished" for standing in standings.values()):
        corpus = read_corpus(plan.sources, plan.recipe)
        _tell_sizes(corpus, watcher)
    for seed, standing in standings.items():
        folder = folders[seed]
        if standing == "finished":
            continue
        if plan.restart:
            # Not before the text has been read: what is there may be all that there is.
            folder.clear()
        make_folder(folder.path)
        session = Session(plan, corpus, folder, seed=seed, watcher=watcher)
        session.train(read_state(folder.state_path) if standing == "begun" else None)
    return [
        Member(seed=seed, folder=folder.path, record=folder.record())
        for seed, folder in folders.items()
    ]


def _folders(plan: Plan) -> "dict[int, SeedFolder]":
    from pommel.training.lstm.session import SeedFolder  # noqa: PLC0415 - needs torch, an extra

    sha256 = plan.sources.sha256s()
    return {
        seed: SeedFolder(
            path=plan.out / f"seed-{seed}", recipe=plan.recipe.to_dict(), sha256=sha256
        )
        for seed in plan.seeds
    }


def _standings(
    folders: "Mapping[int, SeedFolder]", plan: Plan, watcher: Watcher
) -> "dict[int, Standing]":
    if plan.restart:
        return dict.fromkeys(folders, "empty")
    standings = {seed: folder.standing() for seed, folder in folders.items()}
    for seed, standing in standings.items():
        if standing == "finished":
            watcher.note(f"{folders[seed].path} is trained already; --restart trains it anew")
    return standings


def _tell_sizes(corpus: Corpus, watcher: Watcher) -> None:
    n_words = len(corpus.vocabulary)
    watcher.note(f"vocabulary: {n_words:,} words")
    for name, section in (("training", corpus.training), ("validation", corpus.validation)):
        watcher.note(f"{name}: {_size(section)}")
    if not corpus.training.n_unknown:
        watcher.note(
            f"note: the vocabulary has every word of the text, so {UNK} is never trained, and "
            "bits of unknown words will mean nothing; --min-count or a smaller --vocabulary-size "
            "leave words for it"
        )


def _size(section: Section) -> str:
    n_words = len(section.words) - section.n_sentences
    unknown = f"{100 * section.unknown_share:.2f} % of them unknown"
    return f"{section.n_sentences:,} sentences, {n_words:,} words, {unknown}"
