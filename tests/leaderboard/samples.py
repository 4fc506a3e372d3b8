"""Boards and submissions that tests of leaderboards share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.leaderboard.submission.samples import ABOUT, SUITES, packed
from tests.word_model import WordModel

from pommel.leaderboard import BoardFolder, BoardPlan
from pommel.leaderboard.entry import sealed, unsealed
from pommel.leaderboard.folder import Added
from pommel.leaderboard.rerunning import Rescored
from pommel.leaderboard.standings import Standing
from pommel.leaderboard.submission import Submitter
from pommel.models.model import ModelInfo
from pommel.suite.suite import Suite

WHEN = "2026-01-02T03:04:05+00:00"
KEEPER = "keeper"

# What makes predictions hold in all items.
RIGHT = dict.fromkeys(("bark", "purrs", "sat", "sing", "flies"), 1.0)


@dataclass(slots=True)
class NamedModel(WordModel):
    """A word model with a name, and so with a fingerprint of its own."""

    name: str = "words"
    # As if its weights could be had.
    reference: str = "builtin://en-ngram"
    n_parameters: int | None = None

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(
            reference=self.reference,
            name=self.name,
            kind="toy",
            fingerprint=f"toy-{self.name if self.name.islower() else self.name.encode().hex()}",
            n_parameters=self.n_parameters,
            methods=self.methods,
        )


def model(name: str = "words", bits: Mapping[str, float] | None = None) -> NamedModel:
    """Return a model; "words" holds in one item of the three of `agreement`."""
    return NamedModel(methods=("causal",), name=name, bits=bits or {})


def submission(
    folder: Path,
    of: NamedModel | None = None,
    suites: tuple[Suite, ...] = SUITES,
    *,
    about: Submitter = ABOUT,
    **choices: Any,
) -> Path:
    """Pack a submission in a folder of its own; return where it is."""
    own = of or model()
    place = folder / f"{own.name}-{len([*folder.iterdir()])}"
    place.mkdir()
    packed(place, suites, own, about=replace(about, name=own.name), **choices)
    return place / "x.pommel.zip"


def board_at(folder: Path, suites: Sequence[Suite] = SUITES, **choices: Any) -> BoardFolder:
    """Make a board in the folder `board` of a folder."""
    place = BoardFolder(folder / "board")
    by = choices.pop("by", KEEPER)
    place.make(suites, BoardPlan(**{"name": "Toy", **choices}), when=WHEN, by=by)
    return place


def added(place: BoardFolder, path: Path, *, supersede: bool = False) -> Added:
    """Add a submission."""
    return place.add(path, when=WHEN, by=KEEPER, supersede=supersede)


def ranking(place: BoardFolder) -> tuple[Standing, ...]:
    """Return who stands where."""
    board = place.board()
    return place.standings(board, place.ledger(board)).rows


def rescored(
    n_items: int = 1, *differences: str, n_tokens: int = 16, bits: float = 0.0
) -> Rescored:
    """Return what came of scoring two sentences an item again."""
    return Rescored(
        n_sentences=2 * n_items,
        n_items=n_items,
        n_tokens=n_tokens,
        seed=1,
        tolerance_bits=0.01,
        largest_bits=bits,
        differences=differences,
    )


def resealed(path: Path, change: Callable[[Any], object]) -> None:
    """Change a file in `derived/`, as a stranger would who wants it to be read."""
    value = unsealed(path.read_text())
    change(value)
    path.write_text(sealed(value))


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, by its path."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in sorted(files)}
