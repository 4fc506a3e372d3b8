"""Runs: a model on suites, from sentences to results."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from pommel.errors import ModelError, check_choice
from pommel.models.model import Model
from pommel.models.policy import Method, Policy
from pommel.models.spans import has_needed
from pommel.scoring.needed import Needed, all_needed, every_span, needed_spans
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.provenance import provenance
from pommel.scoring.regions import Layouts, sentence_layouts
from pommel.scoring.results import ScoreRule, SuiteResult
from pommel.scoring.suite_surprisals import (
    Compat,
    SuiteSurprisals,
    goes_by_starts,
    resolved_method,
    surprisals_from,
)
from pommel.scoring.tables import TABLES, Table, suites_frame
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    import pandas as pd

Regions = Literal["all", "needed"]
# What becomes of items whose comparison rests on an unknown word.
Oov = Literal["keep", "skip"]

# Called with the number of sentences that have just been scored.
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One model x one suite x one policy."""

    surprisals: SuiteSurprisals
    result: SuiteResult

    def to_frame(self, table: Table = "suites") -> "pd.DataFrame":
        """Return one of the run's tidy tables (see `pommel.scoring.tables`).

        Raises `UsageError` for a name that is none.
        """
        check_choice("the table", table, TABLES)
        match table:
            case "suites":
                return suites_frame([self.result])
            case "predictions":
                return self.result.to_frame("predictions")
            case _:
                return self.surprisals.to_frame(table)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the predictions and the score."""
        return self.result._repr_html_()


def compute_surprisals(  # noqa: PLR0913 - each of these is a choice of the caller's
    model: Model,
    suite: Suite,
    policy: Policy | None = None,
    *,
    compat: Compat | None = None,
    regions: Regions = "all",
    known: dict[str, ScoredSentence] | None = None,
    progress: Progress | None = None,
) -> SuiteSurprisals:
    """Score every distinct sentence of a suite once, and add tokens up to regions.

    `regions` "needed" asks the model only for the regions that some prediction names; the others
    may have no values.
    `known` holds sentences that the same model has scored under the same policy before; it is read
    and added to. Raises what the model raises.
    """
    work = _Work.of(model, [suite], policy, compat=compat, regions=regions)
    if known is not None:
        work.scored = known
    work.take(work.ask([suite]), progress)
    return work.surprisals(suite)


def evaluate(
    surprisals: SuiteSurprisals, *, score_rule: ScoreRule = "all", oov: Oov = "keep"
) -> SuiteResult:
    """Check a suite's predictions against a model's surprisals.

    `oov` "skip" leaves out items whose comparison rests on a word that the model does not know.
    """
    check_choice("oov", oov, get_args(Oov))
    return evaluate_predictions(
        surprisals.suite,
        surprisals.table,
        score_rule=score_rule,
        skip_unequal=surprisals.skips_unequal,
        skip_oov=oov == "skip",
        model_name=surprisals.model.name,
        provenance={**surprisals.provenance, "score_rule": score_rule, "oov": oov},
    )


def run_suites(  # noqa: PLR0913 - each of these is a choice of the caller's
    model: Model,
    suites: Sequence[Suite],
    policy: Policy | None = None,
    *,
    score_rule: ScoreRule = "all",
    oov: Oov = "keep",
    compat: Compat | None = None,
    regions: Regions = "all",
    progress: Progress | None = None,
) -> Iterator[Run]:
    """Yield one run a suite, each as soon as it is complete.

    Where calls are costly (`ModelInfo.costly_calls`), all suites' sentences are scored first; if
    that fails, the suites of which everything is known by then are still yielded before the
    failure is raised. What a model refuses to be asked for (a sentence that is too long) costs its
    own suite only; the refusal is raised at the end. `regions` as in `compute_surprisals`, `oov`
    as in `evaluate`.
    """
    work = _Work.of(model, suites, policy, compat=compat, regions=regions)
    together = model.info.costly_calls and len(suites) > 1
    groups = deque([list(suites)] if together else [[suite] for suite in suites])
    failure: BaseException | None = None
    while groups:
        group = groups.popleft()
        try:
            asked = work.ask(group)
        except ModelError as error:
            if len(group) > 1:
                groups.extend([suite] for suite in group)
            else:
                failure = failure or error
            continue
        try:
            work.take(asked, progress)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failure = error
            groups.clear()
        for suite in group:
            if work.is_complete(suite):
                surprisals = work.surprisals(suite)
                result = evaluate(surprisals, score_rule=score_rule, oov=oov)
                yield Run(surprisals=surprisals, result=result)
    if failure:
        raise failure


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a model has been asked for; `counts` says how often suites have each sentence."""

    counts: Counter[str]
    missing: Sequence[str]
    answers: Iterable[tuple[int, ScoredSentence]]


@dataclass(slots=True, kw_only=True)
class _Work:
    """What is asked of a model, and what it has answered so far."""

    model: Model
    policy: Policy
    method: Method
    compat: Compat | None
    regions: Regions
    layouts: Mapping[int, Layouts]
    needed: Needed
    scored: dict[str, ScoredSentence] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        model: Model,
        suites: Sequence[Suite],
        policy: Policy | None,
        *,
        compat: Compat | None,
        regions: Regions,
    ) -> "_Work":
        """Find out what has to be asked for all suites; checks the caller's choices."""
        if compat is not None:
            check_choice("compat", compat, get_args(Compat))
        check_choice("regions", regions, get_args(Regions))
        policy = policy or Policy()
        layouts = {id(suite): sentence_layouts(suite) for suite in suites}
        parts = []
        for suite in suites:
            own = layouts[id(suite)]
            # Spans say where tokens begin, and only `Sentence.regions_of` goes by that.
            is_by_start = goes_by_starts(model.info, suite, compat)
            is_partial = regions == "needed" and is_by_start
            parts.append(needed_spans(suite, own) if is_partial else every_span(own))
        return cls(
            model=model,
            policy=policy,
            method=resolved_method(model.info, policy),
            compat=compat,
            regions=regions,
            layouts=layouts,
            needed=all_needed(parts),
        )

    def ask(self, suites: Sequence[Suite]) -> _Asked:
        """Ask the model for what is missing; raises what it refuses before it computes anything."""
        every = [text for suite in suites for row in self._texts(suite) for text in row]
        missing = [text for text in dict.fromkeys(every) if not self._is_known(text)]
        spans = [self.needed[text] for text in missing]
        # Even to be asked for nothing may cost a model its start.
        answers = self.model.score(missing, self.policy, spans) if missing else ()
        return _Asked(counts=Counter(every), missing=missing, answers=answers)

    def take(self, asked: _Asked, progress: Progress | None) -> None:
        """Keep what the model answers; `progress` counts all the sentences of the suites."""
        counts, missing = asked.counts, asked.missing
        if progress:
            progress(counts.total() - sum(counts[text] for text in missing))
        for index, sentence in asked.answers:
            self.scored[missing[index]] = sentence
            if progress:
                progress(counts[missing[index]])

    def is_complete(self, suite: Suite) -> bool:
        """Say whether all sentences of a suite are there."""
        return all(self._is_known(text) for row in self._texts(suite) for text in row)

    def surprisals(self, suite: Suite) -> SuiteSurprisals:
        """Return the surprisals of a suite all of whose sentences are there."""
        return surprisals_from(
            suite,
            self.model.info,
            self.policy,
            method=self.method,
            compat=self.compat,
            sentences=self.scored,
            layouts=self.layouts[id(suite)],
            provenance=provenance(
                suite,
                self.model.info,
                self.policy,
                method=self.method,
                compat=self.compat,
                regions=self.regions,
            ),
        )

    def _texts(self, suite: Suite) -> list[list[str]]:
        return [[sentence.text for sentence in row] for row in self.layouts[id(suite)]]

    def _is_known(self, text: str) -> bool:
        return text in self.scored and has_needed(self.scored[text], self.needed[text])
