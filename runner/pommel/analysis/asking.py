"""What questions are asked with: options as typed values, which know no command line."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated

from pommel.analysis.cells import Answer
from pommel.analysis.models_compared import (
    Average,
    Grouping,
    ModelsCompared,
    Pooling,
    without_models,
)
from pommel.errors import UsageError
from pommel.scoring import RunRecord
from pommel.statistics import Estimate
from pommel.values import frozen


@frozen
class Option:
    """What a field of a question is: its `help`, and its `name` if it is not called as the field.

    `metavar` stands for its value in help, of which there may be several (`n_values`); a number is
    at least `least`, or above it (`is_open`), and at most `most`.
    """

    help: str = ""
    name: str = ""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    is_open: bool = False
    n_values: int = 1


@frozen(slots=False)
class Question(ABC):
    """What a statistic is asked; its fields are options, its docstring the help of its command."""

    @abstractmethod
    def answer(self, records: Sequence[RunRecord]) -> Answer:
        """Return what the statistic says of these runs."""


@frozen(slots=False)
class WithLevel:
    """What an accuracy is of."""

    level: Annotated[
        Grouping,
        Option(
            name="--by",
            help="Each suite, or the accuracy on the suites of each circuit, language or group, or "
            "on all.",
        ),
    ] = "suite"


@frozen(slots=False)
class WithAverage:
    """What counts alike in an accuracy of several suites."""

    average: Annotated[
        Average,
        Option(help="Of several suites: the mean of their accuracies, or all their items pooled."),
    ] = "suites"


@frozen(slots=False)
class WithPooling:
    """Whose accuracy is looked at."""

    pooling: Annotated[
        Pooling,
        Option(
            name="--pool",
            help="Each model by itself, or the mean over the sizes of a family, or over all "
            "models.",
        ),
    ] = "none"


# Fewer have no 2.5th percentile.
_FEWEST_RESAMPLES = 99


@frozen(slots=False)
class WithDraws:
    """How often items are drawn again, and the seed."""

    n_resamples: Annotated[
        int,
        Option(
            name="--resamples",
            least=_FEWEST_RESAMPLES,
            metavar="N",
            help="How often the bootstrap draws items again.",
        ),
    ] = Estimate.N_RESAMPLES
    seed: Annotated[
        int,
        Option(
            least=0, metavar="N", help="Seed of these draws: the same one gives the same numbers."
        ),
    ] = 0


@frozen(slots=False)
class WithChance(WithAverage):
    """How accuracies are computed of which no margins are drawn.

    `chance` is the share that holds by chance; None takes it from the formulas
    (`pommel.suite.formula.chance`), and where a result has none from `SuiteFacts.chance`.
    Where neither says it, there is no test. `average` says what a row of several suites is.
    """

    chance: Annotated[
        float | None,
        Option(
            least=0,
            most=1,
            metavar="X",
            help="Share of items that hold by chance.  [default: what formulas or imports say]",
        ),
    ] = None


@frozen(slots=False)
class Settings(WithDraws, WithChance):
    """How accuracies are computed; without draws (`n_resamples` 0) margins are left out."""


@frozen(slots=False)
class WithModels:
    """Which models are left out."""

    excluded_models: Annotated[
        tuple[str, ...],
        Option(
            name="--exclude-model",
            metavar="GLOB",
            help="Models to leave out: name, reference or family; repeatable.",
        ),
    ] = ()

    def chosen(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the records without those of models that are left out.

        Globs are tried on a model's name, its reference, and the families it belongs to. Raises
        `UsageError` for a glob that matches no model, and where no model is left.
        """
        kept = without_models(records, self.excluded_models)
        if records and not kept:
            raise UsageError("--exclude-model leaves no model")
        return kept


def globs_by_name(arguments: Sequence[str], option: str) -> dict[str, list[str]]:
    """Return globs by the names that an option gives to what they match, as in BLOOM='bloom*'.

    Raises `UsageError` for an argument that has no name or no glob.
    """
    found: dict[str, list[str]] = {}
    for argument in arguments:
        name, _, glob = argument.partition("=")
        if not (name.strip() and glob):
            raise UsageError(f"{option} {argument}: write NAME=GLOB, such as BLOOM='bloom*'")
        found.setdefault(name.strip(), []).append(glob)
    return found


@frozen(slots=False)
class WithFamilies(WithModels):
    """Which models are left out, and which are families."""

    size_families: Annotated[
        tuple[str, ...],
        Option(
            name="--family",
            metavar="NAME=GLOB",
            help="Models that are one family in several sizes (BLOOM='bloom*'); repeatable.",
        ),
    ] = ()

    def chosen(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the same in the families of sizes that are said here.

        Raises `UsageError` for a model that would be of two of them, too.
        """
        families = globs_by_name(self.size_families, "--family")
        return ModelsCompared.with_size_families(super().chosen(records), families)
