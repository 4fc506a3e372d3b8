"""What a caller chooses: how sentences are scored, and how predictions are counted then."""

from dataclasses import field
from typing import Literal, get_args

from pommel.errors import UsageError
from pommel.models import ModelInfo, Policy
from pommel.suite import Suite
from pommel.values import frozen

ScoreRule = Literal["all", "first", "each"]
# "pairs" is "each" of a suite whose comparisons are predictions of their own.
AskedRule = Literal[ScoreRule, "pairs"]
Compat = Literal["syntaxgym"]
Regions = Literal["auto", "all", "needed"]

# What becomes of items whose comparison rests on an unknown word.
Oov = Literal["keep", "skip"]

# In which number format the verdicts are to be those of the model.
Verdicts = Literal["float32"]

# What a region is that has content, and in which no token begins.
Swallowed = Literal["undefined", "skip", "begin"]

# How punctuation marks stand in sentences: as the suite has them, or as the language writes them.
Punctuation = Literal["apart", "natural"]

# The tidy tables of a run; of several there is one more.
Table = Literal["suites", "predictions", "regions", "tokens"]
ResultsTable = Literal[Table, "families"]


@frozen
class Choices:
    """Everything that a run was asked for, but for models and suites.

    `regions` "needed" scores only the regions that some prediction names, "auto" all of them where
    that costs little more (`NeededSentences.of_each`). `oov` "skip" leaves out
    items whose comparison rests on a word that the model does not know. `swallowed` says what a
    region is all of whose characters stand in tokens that begin before it: "undefined" (it has no
    value, and what needs it does not hold), "skip" (the item is left out), or "begin" (tokens count
    where they begin, and it has 0 bits, as in the retired tools). None is "undefined", and "begin"
    under `compat`. `verdicts` "float32" scores again in float32 what a model of half precision
    leaves open (`pommel.scoring.number_format`); others leave nothing open. `punctuation` "natural"
    scores the suites of `Suite.with_punctuation`, the score rule "pairs" those of
    `Suite.with_pairs`, each comparison on its own. Where the model fails at a sentence, its items
    are skipped, unless `strict_model`: then the model has failed.
    Raises `UsageError` for a word that is none of these.
    """

    policy: Policy = field(default_factory=Policy)
    compat: Compat | None = None
    regions: Regions = "all"
    score_rule: AskedRule = "all"
    oov: Oov = "keep"
    swallowed: Swallowed | None = None
    strict_model: bool = False
    verdicts: Verdicts | None = None
    punctuation: Punctuation = "apart"

    def __post_init__(self) -> None:
        if self.compat is not None:
            UsageError.check_choice("compat", self.compat, get_args(Compat))
        if self.swallowed is not None:
            UsageError.check_choice("swallowed", self.swallowed, get_args(Swallowed))
        if self.verdicts is not None:
            UsageError.check_choice("verdicts", self.verdicts, get_args(Verdicts))
        UsageError.check_choice("punctuation", self.punctuation, get_args(Punctuation))
        UsageError.check_choice("regions", self.regions, get_args(Regions))
        UsageError.check_choice("the score rule", self.score_rule, get_args(AskedRule))
        UsageError.check_choice("oov", self.oov, get_args(Oov))

    def as_run(self, suite: Suite) -> Suite:
        """Return the suite as it is run by these choices."""
        suite = suite.with_punctuation(self.punctuation)
        return suite.with_pairs() if self.score_rule == "pairs" else suite

    @property
    def result_rule(self) -> ScoreRule:
        """The score rule of the results."""
        return "each" if self.score_rule == "pairs" else self.score_rule

    def settles(self, model: ModelInfo) -> bool:
        """Whether there is something that a model leaves open, and that is to be settled."""
        return self.verdicts is not None and model.is_half

    @property
    def swallowed_regions(self) -> Swallowed:
        """What becomes of swallowed regions, asked for or not."""
        return self.swallowed or ("begin" if self.compat else "undefined")

    @property
    def settings(self) -> dict[str, str]:
        """Return what is kept of a run's choices beside its policy and its score rule."""
        return {
            "compat": self.compat or "",
            "oov": self.oov,
            "swallowed": self.swallowed_regions,
            # Without it, a run is what it was before there was a choice.
            **({"punctuation": self.punctuation} if self.punctuation != "apart" else {}),
        }
