"""The seeds of a family: what is in their folders, which are trained, what is recorded."""

import contextlib
import json
import os
import random
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from safetensors import SafetensorError
from tokenizers import Tokenizer

from pommel.errors import InputError, PommelError, UsageError, first_line
from pommel.files import make_folder, parse_json
from pommel.training.lstm.recipe import Sources, Watcher
from pommel.training.lstm.session import threads
from pommel.training.record import differences, environment
from pommel.training.text import TextFile, set_aside
from pommel.training.transformer.recipe import TransformerRecipe
from pommel.training.transformer.trainer import Figures, Trainer, encoded, train_tokenizer
from pommel.values import frozen

RECORD = "training.json"
_PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "safetensors")
_HINT = "choose another folder, or give --restart to train anew in this one"


@frozen
class Member:
    """A trained model: its folder, and what training.json in it records."""

    seed: int
    folder: Path
    record: Mapping[str, Any]

    @property
    def row(self) -> tuple[str, ...]:
        """What a table says of it: folder, epochs, bits in training and validation, time."""
        figures = self.record["figures"]
        return (
            str(self.folder),
            str(self.record["recipe"]["n_epochs"]),
            f"{figures['unigram_bits_per_token']:.3f}",
            f"{figures['training_bits_per_token']:.3f}",
            f"{figures['validation_bits_per_token']:.3f}",
            f"{figures['seconds']:,.0f}",
        )


@frozen
class Corpus:
    """The sentences of a text, and what makes tokens of them."""

    tokenizer: Tokenizer
    training: tuple[str, ...]
    validation: tuple[str, ...]


@frozen
class Family:
    """A recipe and a text; each seed has a folder `seed-N` below `out`."""

    recipe: TransformerRecipe
    text: Path
    out: Path
    watcher: Watcher

    def train(self, seeds: Sequence[int], *, n_threads: int, restart: bool) -> list[Member]:
        """Train and return the members; see `TransformerRecipe.train`."""
        sha256 = Sources(text=self.text).sha256s()["text_sha256"]
        identity = {**asdict(self.recipe), "text_sha256": sha256}
        folders = {seed: self.out / f"seed-{seed}" for seed in seeds}
        finished = set()
        for seed, folder in folders.items():
            if _standing(folder, identity, restart=restart) == "finished":
                self.watcher.note(f"{folder} is trained already; --restart trains it anew")
                finished.add(seed)
        if len(finished) < len(folders):
            corpus = self._read()
            make_folder(self.out)
            with threads(n_threads):
                for seed, folder in folders.items():
                    if seed not in finished:
                        self._train_one(seed, folder, corpus, str(sha256), n_threads)
        return [
            Member(seed=seed, folder=folder, record=_record(folder))
            for seed, folder in folders.items()
        ]

    def _read(self) -> Corpus:
        """Read the text and make its tokenizer. Raises as `TextFile.sentences` does."""
        # In lower case the tokenizer puts them, and those of suites.
        text = TextFile(path=self.text, split="spaces")
        sentences = [" ".join(words) for words in text.sentences()]
        share = self.recipe.validation_share
        chosen = {*set_aside(len(sentences), share, self.text, "take more text")}
        training = tuple(each for n, each in enumerate(sentences) if n not in chosen)
        validation = tuple(each for n, each in enumerate(sentences) if n in chosen)
        self.watcher.note(f"training: {len(training):,} sentences")
        self.watcher.note(f"validation: {len(validation):,} sentences")
        tokenizer = train_tokenizer(training, self.recipe)
        self.watcher.note(f"vocabulary: {tokenizer.get_vocab_size():,} tokens")
        return Corpus(tokenizer=tokenizer, training=training, validation=validation)

    def _train_one(
        self, seed: int, folder: Path, corpus: Corpus, sha256: str, n_threads: int
    ) -> None:
        started = time.monotonic()
        sentences = list(corpus.training)
        random.Random(seed).shuffle(sentences)  # noqa: S311 - shuffling, not secrets
        training, validation = (
            encoded(corpus.tokenizer, each, self.recipe) for each in (sentences, corpus.validation)
        )
        trainer = Trainer(self.recipe, corpus.tokenizer, seed=seed)
        with _replacing(folder) as aside:
            figures = trainer.train(training, validation, self.watcher)
            record = {
                "recipe": asdict(self.recipe),
                "seed": seed,
                "sha256": {"text_sha256": sha256},
                "corpus": {
                    "n_vocabulary": corpus.tokenizer.get_vocab_size(),
                    "n_training_sentences": len(training),
                    "n_validation_sentences": len(validation),
                },
                "figures": {**_rounded(figures), "seconds": round(time.monotonic() - started, 1)},
                "environment": {**environment(_PACKAGES), "n_threads": n_threads},
            }
            trainer.save(aside)
            text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
            (aside / RECORD).write_text(text, "utf-8", newline="\n")


def _rounded(figures: Figures) -> Mapping[str, int | float]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in asdict(figures).items()
    }


def _standing(
    folder: Path, identity: Mapping[str, Any], *, restart: bool
) -> Literal["empty", "finished"]:
    """Return how far a folder has come; what is to be trained anew is empty.

    Raises `UsageError` if it holds another training, or files that no training has left.
    """
    try:
        there = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return "empty"
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}; {_HINT}") from None
    if not there:
        return "empty"
    recorded: Mapping[str, Any] = {}
    with contextlib.suppress(OSError, InputError, ValueError, KeyError, TypeError):
        record = _record(folder)
        recorded = {**record["recipe"], **record["sha256"]}
    if recorded.keys() != identity.keys():
        message = f"{folder} holds files that are of no training of a transformer ({there[0]})"
        raise UsageError(f"{message}; choose another folder")
    if restart:
        return "empty"
    if differing := differences(recorded, identity):
        message = f"{folder} holds another training: {', '.join(differing)}"
        raise UsageError(f"{message}; {_HINT}")
    return "finished"


def _record(folder: Path) -> Any:
    path = folder / RECORD
    return parse_json(path.read_text("utf-8"), where=str(path))


@contextlib.contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Give a new folder that takes the place of `folder` when all has gone well.

    Raises `PommelError` for what the file system refuses.
    """
    # What a process has left that was killed.
    for left in folder.parent.glob(f".{folder.name}.*.part"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        with TemporaryDirectory(
            prefix=f".{folder.name}.", suffix=".part", dir=folder.parent
        ) as aside:
            new, old = Path(aside) / "new", Path(aside) / "old"
            new.mkdir()
            yield new
            # Whatever is cut off then: what has its name has its content.
            for each in new.rglob("*"):
                with each.open("rb+") as written:
                    os.fsync(written.fileno())
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise PommelError(f"{folder}: cannot be written: {reason}") from None
