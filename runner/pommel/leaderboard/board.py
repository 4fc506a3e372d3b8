"""What a board is: pinned suites, how they are scored, and how circuits are weighed."""

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, UsageError, nearest, printable, quoted
from pommel.files import check_file_names, parse_json
from pommel.leaderboard.submission import Limits
from pommel.leaderboard.submission.limits import shape_fault
from pommel.leaderboard.submission.manifest import has_letter
from pommel.scoring import Choices, ScoreRule, Swallowed
from pommel.suite import Suite
from pommel.values import frozen


class BoardError(InputError):
    """A board that is damaged, or a submission that a sound board does not take."""


FORMAT = "pommel-leaderboard"
VERSION = 2

# What circuits and suites may weigh, as in the schema. Sums of the least are still exact enough.
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1_000_000

# What may change without another board coming of it.
_WORDS = ("name", "description")


@frozen
class PinnedSuite:
    """A suite of a board: `file` is its place in the board, `weight` that within its circuit."""

    name: str
    language: str
    version: str
    sha256: str
    circuit: str
    weight: float
    n_items: int
    file: str


@frozen
class Board:
    """What `board.json` holds.

    `circuits` maps names to weights. A score is the weighted mean over circuits of the weighted
    means over their suites. `swallowed` is what a region is that has content and no token of its
    own: "begin" (0 bits) on boards of before there was a choice, "undefined" on others. `limits`
    are those of `submission.Limits` that are not the usual ones, `seed` that of everything that is
    drawn for intervals and tests.
    """

    name: str
    description: str
    score_rule: ScoreRule
    swallowed: Swallowed
    circuits: Mapping[str, float]
    suites: tuple[PinnedSuite, ...]
    limits: Mapping[str, int | float]
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the board as `schemas/leaderboard.json` describes it."""
        value = {
            "format": FORMAT,
            "version": VERSION,
            **asdict(self),
            "circuits": [{"name": name, "weight": each} for name, each in self.circuits.items()],
        }
        if self.swallowed == "begin":
            # A board of version 1 stays one: what decides its scores has a check sum.
            value["version"] = 1
            del value["swallowed"]
        return value

    def to_text(self) -> str:
        """Return the content of `board.json`."""
        return f"{json.dumps(self.to_dict(), ensure_ascii=False, indent=1)}\n"

    @property
    def settings_sha256(self) -> str:
        """The SHA-256 over all that decides a score: the board without its name and description."""
        settings = {name: each for name, each in self.to_dict().items() if name not in _WORDS}
        canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def shares(self) -> tuple[float, ...]:
        """What part of a score each suite is; they add up to 1."""
        of_circuit = dict.fromkeys(self.circuits, 0.0)
        for suite in self.suites:
            of_circuit[suite.circuit] += suite.weight
        total = math.fsum(self.circuits.values())
        return tuple(
            self.circuits[suite.circuit] / total * suite.weight / of_circuit[suite.circuit]
            for suite in self.suites
        )

    @property
    def item_shares(self) -> NDArray[np.float64]:
        """What part of a score each item is, shape (items of all suites,)."""
        n_items = [suite.n_items for suite in self.suites]
        return np.repeat(np.array(self.shares) / n_items, n_items)

    @property
    def choices(self) -> Choices:
        """By what predictions are counted, whatever a submission chose."""
        return Choices(score_rule=self.score_rule, oov="keep", swallowed=self.swallowed)

    def submission_limits(self) -> Limits:
        """Return how much a submission may hold."""
        # The schema has the names and types that there are.
        return Limits(**self.limits)  # type: ignore[arg-type]


# What the circuit of suites is called that belong to none.
OTHER = "other"


@frozen
class BoardPlan:
    """What a new board is to be; a circuit and a suite weigh 1 if nothing else is said."""

    name: str
    description: str = ""
    score_rule: ScoreRule = "all"
    circuit_weights: Mapping[str, float] = field(default_factory=dict)
    suite_weights: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, int | float] = field(default_factory=dict)
    seed: int = 0

    def board(self, suites: Sequence[Suite]) -> Board:
        """Return the board of these suites, as its file is read; raises as `make` does."""
        Suite.check_distinct_names(suites)
        check_file_names(suite.name for suite in suites)
        pinned = tuple(_pin(suite, self.suite_weights) for suite in suites)
        circuits = dict.fromkeys((each.circuit for each in pinned), 1.0)
        _check_weights("circuit", self.circuit_weights, list(circuits))
        _check_weights("suite", self.suite_weights, [suite.name for suite in suites])
        if not has_letter(self.name):
            raise UsageError(
                f"the name of a leaderboard cannot be {self.name[:80]!a}; write a letter or digit"
            )
        board = Board(
            name=self.name,
            description=self.description,
            score_rule=self.score_rule,
            swallowed="undefined",
            circuits={**circuits, **self.circuit_weights},
            suites=pinned,
            limits=self.limits,
            seed=self.seed,
        )
        try:
            return board_from(board.to_text(), "the new board")
        except BoardError as error:
            raise UsageError(str(error)) from None


def board_from(text: str, where: str) -> Board:
    """Return the board that the text of a `board.json` describes.

    Raises `BoardError`, beginning with `where`, for another format or version, for what does not
    fit `schemas/leaderboard.json`, and for suites and circuits that do not fit each other.
    """
    try:
        value = parse_json(text, where=where)
    except InputError as error:
        raise BoardError(str(error)) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BoardError(f'{where}: this is no leaderboard; it has to hold "format": "{FORMAT}"')
    version = value.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BoardError(
            f"{where}: is a leaderboard of version {version}, and this pommel knows versions up to "
            f"{VERSION}; update pommel (`pip install --upgrade pommel`)"
        )
    if fault := shape_fault(value, "leaderboard"):
        raise BoardError(f"{where}: {fault}")
    said = {
        "swallowed": "begin",
        **{key: each for key, each in value.items() if key not in ("format", "version")},
        # Programs that write JSON make 1 of 1.0, and the hash is that of 1.0.
        "circuits": {each["name"]: float(each["weight"]) for each in value["circuits"]},
        "suites": tuple(
            PinnedSuite(
                **{**each, "weight": float(each["weight"]), "n_items": int(each["n_items"])}
            )
            for each in value["suites"]
        ),
        "limits": {name: _limit(name, each) for name, each in value["limits"].items()},
        "seed": int(value["seed"]),
    }
    board = Board(**said)
    _check_sense(board, where)
    return board


def _limit(name: str, value: float) -> int | float:
    if isinstance(getattr(Limits(), name), float):
        return float(min(value, sys.float_info.max))
    return int(value)


def _check_sense(board: Board, where: str) -> None:
    """Raise `BoardError` for texts that are not one line that is shown, and other nonsense."""
    texts = [("name", board.name), *(("circuit", each) for each in board.circuits)]
    texts += [("description", line) for line in board.description.split("\n")]
    for suite in board.suites:
        texts += [("suite", suite.name), ("language", suite.language), ("version", suite.version)]
    for what, text in texts:
        if text != printable(text):
            raise BoardError(
                f"{where}: the {what} {quoted(text)} has characters that are not shown, or more "
                f"than one line"
            )
    if wrong := {suite.circuit for suite in board.suites} ^ set(board.circuits):
        raise BoardError(f"{where}: the circuit {quoted(min(wrong))} has no weight, or no suites")
    files = Counter(f"the file {suite.file}" for suite in board.suites)
    hashes = Counter(f"the suite {suite.sha256}" for suite in board.suites)
    for what, n in (files | hashes).items():
        if n > 1:
            raise BoardError(f"{where}: {what} is there twice")


def _pin(suite: Suite, weights: Mapping[str, float]) -> PinnedSuite:
    if not suite.predictions or not suite.items:
        raise UsageError(f"the suite {suite.name} has no predictions or no items, and so no score")
    return PinnedSuite(
        name=suite.name,
        language=suite.language,
        version=suite.version,
        sha256=suite.sha256,
        circuit=suite.circuit or OTHER,
        weight=weights.get(suite.name, 1.0),
        n_items=len(suite.items),
        file=f"suites/{suite.name}.json",
    )


def _check_weights(what: str, weights: Mapping[str, float], known: Sequence[str]) -> None:
    for name, weight in weights.items():
        if name not in known:
            meant = nearest(name, known)
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(known)}"
            raise UsageError(f"no {what} of the board is called {quoted(name)}; {hint}")
        if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            raise UsageError(
                f"the weight of {name} cannot be {weight:g}; it is from {LEAST_WEIGHT:f} to "
                f"{MOST_WEIGHT:,}"
            )
