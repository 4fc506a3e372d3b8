"""A model's surprisals for one suite: by sentence, by token, by region."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from pommel.errors import check_choice
from pommel.models.model import ModelInfo
from pommel.models.policy import Method, Policy
from pommel.models.printed import RECOVERED
from pommel.scoring.regions import (
    Assigner,
    Layouts,
    RegionTable,
    region_table,
    sentence_layouts,
)
from pommel.scoring.retired_alignment import assign_as_syntaxgym
from pommel.scoring.tables import regions_frame, tokens_frame
from pommel.suite.suite import METRICS, Sentence, Suite
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    import pandas as pd

Compat = Literal["syntaxgym"]
SurprisalsTable = Literal["regions", "tokens"]

_METHODS: dict[str, Method] = {method: method for method in get_args(Method)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SuiteSurprisals:
    """A model's surprisals for one suite.

    `sentences[i][c]` is item i in condition `suite.condition_names[c]`; `table` has them by region.
    `policy` is what was asked for, `method` how the tokens were scored.
    """

    suite: Suite
    model: ModelInfo
    policy: Policy
    method: Method
    sentences: tuple[tuple[ScoredSentence, ...], ...]
    table: RegionTable
    assigner: Assigner = field(default=Sentence.regions_of, repr=False)
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_frame(self, table: SurprisalsTable = "regions") -> "pd.DataFrame":
        """Return the surprisals by region, with the suite's metrics, or by token.

        Raises `UsageError` for a name that is none of these.
        """
        check_choice("the table", table, get_args(SurprisalsTable))
        name = self.model.name
        if table == "tokens":
            return tokens_frame(self.suite, self.sentences, model_name=name, assigner=self.assigner)
        return regions_frame(self.suite, self.table, model_name=name, metrics=self.suite.metrics)

    @property
    def skips_unequal(self) -> bool:
        """Whether only sentences of equal length compare: the method scores whole sentences."""
        return self.method == "unmasked-ce"

    @property
    def n_oovs(self) -> int:
        """How many tokens stand for unknown words."""
        return sum(map(len, self.table.oovs.values()))

    @property
    def n_unscored(self) -> int:
        """How many tokens have no surprisal."""
        return int(self.table.n_unscored.sum())


def surprisals_from(  # noqa: PLR0913 - each of these is part of the value
    suite: Suite,
    model: ModelInfo,
    policy: Policy,
    *,
    method: Method,
    compat: Compat | None,
    sentences: Mapping[str, ScoredSentence],
    layouts: Layouts | None = None,
    provenance: Mapping[str, Any],
) -> SuiteSurprisals:
    """Add up to regions what a model has said of a suite's sentences.

    `sentences` has every one of them, by its text; `layouts` are they with their spans, if they
    have been made before. Raises `KeyError` for one that is missing.
    """
    layouts = layouts or sentence_layouts(suite)
    scored = tuple(tuple(sentences[each.text] for each in row) for row in layouts)
    by_starts = goes_by_starts(model, suite, compat)
    assigner = Sentence.regions_of if by_starts else assign_as_syntaxgym
    return SuiteSurprisals(
        suite=suite,
        model=model,
        policy=policy,
        method=method,
        sentences=scored,
        table=region_table(suite, scored, METRICS, layouts=layouts, assigner=assigner),
        assigner=assigner,
        provenance=dict(provenance),
    )


def goes_by_starts(model: ModelInfo, suite: Suite, compat: Compat | None) -> bool:
    """Say whether a token counts in the region in which it begins, as `Sentence.regions_of` has it.

    The retired tool had an alignment of its own for models that print tokens only (LM Zoo's), and
    knew no other joiner than a space.
    """
    is_aligned = model.details.get("offsets") == RECOVERED and suite.joiner == " "
    return not (compat == "syntaxgym" and is_aligned)


def resolved_method(model: ModelInfo, policy: Policy) -> Method:
    """Return the scoring method that a policy means for a model, "auto" where it has none to name.

    A recording's is that of the model that it was made with. Raises `UnsupportedFeatureError` for
    a method that the model does not take.
    """
    method = model.method(policy)
    recorded = str(model.details.get("method"))
    return _METHODS.get(recorded, method) if method == "auto" else method
