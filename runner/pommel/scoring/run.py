"""Runs: a model on suites, from sentences to results."""

import datetime as dt
import json
import platform
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from pommel.errors import ModelError, UsageError, counted, listed, package_version
from pommel.files import frame_of
from pommel.models import Method, Model, ModelInfo, Named, Policy
from pommel.scoring.choices import Choices, Compat, Oov, Regions, ScoreRule, Swallowed
from pommel.scoring.evaluated_suite import evaluated_suite_to_dict
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import (
    Assigner,
    Layouts,
    Needed,
    RegionTable,
    all_needed,
    every_span,
    needed_spans,
    region_table,
)
from pommel.scoring.results import PredictionResult, SuiteResult, Table
from pommel.suite import Metric, Sentence, Suite
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    import pandas as pd


# Called with the number of sentences that have just been scored.
Progress = Callable[[int], None]
SurprisalsTable = Literal["regions", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SuiteSurprisals:
    """A model's surprisals for one suite.

    `sentences[i][c]` is item i in condition `suite.condition_names[c]`; `table` has them by region.
    `policy` is what was asked for, `method` how the tokens were scored, `compat` which retired tool
    was followed.
    """

    suite: Suite
    model: ModelInfo
    policy: Policy
    method: Method
    sentences: tuple[tuple[ScoredSentence, ...], ...]
    table: RegionTable
    compat: Compat | None = None
    assigner: Assigner = field(default=Sentence.regions_of, repr=False)
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(  # noqa: PLR0913 - each of these is a choice of the caller's
        cls,
        model: Model,
        suite: Suite,
        policy: Policy | None = None,
        *,
        compat: Compat | None = None,
        regions: Regions = "all",
        known: dict[str, ScoredSentence] | None = None,
        progress: Progress | None = None,
    ) -> "SuiteSurprisals":
        """Score every distinct sentence of a suite once, and add tokens up to regions.

        `regions` "needed" asks the model only for the regions that some prediction names; the
        others may have no values.
        `known` holds sentences that the same model has scored under the same policy before; it is
        read and added to. Raises what the model raises.
        """
        choices = Choices(policy=policy or Policy(), compat=compat, regions=regions)
        work = _Work.of(model, [suite], choices)
        if known is not None:
            work.scored = known
        work.take(work.ask([suite]), progress)
        return work.surprisals(suite)

    @classmethod
    def from_sentences(  # noqa: PLR0913 - each of these is part of the value
        cls,
        suite: Suite,
        model: ModelInfo,
        policy: Policy,
        *,
        method: Method,
        compat: Compat | None,
        sentences: Mapping[str, ScoredSentence],
        layouts: Layouts | None = None,
        provenance: Mapping[str, Any],
    ) -> "SuiteSurprisals":
        """Add up to regions what a model has said of a suite's sentences.

        `sentences` has every one of them, by its text; `layouts` are they with their spans, if they
        have been made before. Raises `KeyError` for one that is missing.
        """
        layouts = layouts or suite.sentences()
        scored = tuple(tuple(sentences[each.text] for each in row) for row in layouts)
        by_starts = goes_by_starts(model, suite, compat)
        assigner = Sentence.regions_of if by_starts else Sentence.regions_of_as_syntaxgym
        return cls(
            suite=suite,
            model=model,
            policy=policy,
            method=method,
            sentences=scored,
            table=region_table(suite, scored, get_args(Metric), layouts=layouts, assigner=assigner),
            compat=compat,
            assigner=assigner,
            provenance=dict(provenance),
        )

    def evaluate(
        self,
        *,
        score_rule: ScoreRule = "all",
        oov: Oov = "keep",
        swallowed: Swallowed | None = None,
    ) -> SuiteResult:
        """Check a suite's predictions against the surprisals; the choices are as in `Choices`."""
        return self.evaluated(
            Choices(compat=self.compat, score_rule=score_rule, oov=oov, swallowed=swallowed)
        )

    def evaluated(self, choices: Choices) -> SuiteResult:
        """Check the predictions by a run's choices; how it was scored is not looked at."""
        choices = replace(choices, compat=self.compat)
        counted_so = {
            "score_rule": choices.score_rule,
            "oov": choices.oov,
            "swallowed": choices.swallowed_regions,
        }
        return evaluate_predictions(
            self.suite,
            self.table,
            score_rule=choices.score_rule,
            skip_unequal=self.skips_unequal,
            skip_oov=choices.oov == "skip",
            swallowed=choices.swallowed_regions,
            model_name=self.model.name,
            provenance={**self.provenance, **counted_so},
        )

    def to_evaluated_suite(self) -> dict[str, Any]:
        """Return the suite's JSON value with the surprisals of every region."""
        return evaluated_suite_to_dict(
            self.suite,
            self.table,
            model_name=self.model.name,
            with_n_tokens=self.skips_unequal,
            zero_where_swallowed=self.compat is not None,
        )

    def to_frame(self, table: SurprisalsTable = "regions") -> "pd.DataFrame":
        """Return the surprisals by region, with the suite's metrics, or by token.

        Raises `UsageError` for a name that is none of these.
        """
        UsageError.check_choice("the table", table, get_args(SurprisalsTable))
        name = self.model.name
        if table == "tokens":
            return tokens_frame(self.suite, self.sentences, model_name=name, assigner=self.assigner)
        shown = self.table if self.compat else self.table.without_swallowed()
        return regions_frame(self.suite, shown, model_name=name, metrics=self.suite.all_metrics)

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One model x one suite x one policy."""

    surprisals: SuiteSurprisals
    result: SuiteResult

    def to_frame(self, table: Table = "suites") -> "pd.DataFrame":
        """Return one of the run's tidy tables (docs/results.md).

        Raises `UsageError` for a name that is none.
        """
        UsageError.check_choice("the table", table, get_args(Table))
        match table:
            case "suites":
                return self.result.to_frame("suites")
            case "predictions":
                return self.result.to_frame("predictions")
            case _:
                return self.surprisals.to_frame(table)

    def renamed(self, called: Named) -> "Run":
        """Return a run whose model is called something else."""
        model = replace(self.surprisals.model, name=called.name)
        result = replace(self.result, model_name=called.name, membership=called.membership)
        return Run(surprisals=replace(self.surprisals, model=model), result=result)

    def notes(self) -> Iterator[str]:
        """Yield what a reader of the scores should know, in plain words."""
        table, result = self.surprisals.table, self.result
        where = f"{result.model_name} on {result.suite_name}"
        if table.crossings:
            example = table.crossings[0]
            yield (
                f"{where}: {counted(len(table.crossings), 'token')} across a region's border, each "
                f"counted where it begins (e.g. {example.token!r} in item "
                f"{table.item_numbers[example.cell[0]]}, condition "
                f"{table.condition_names[example.cell[1]]!r})"
            )
        if table.oovs:
            words = sorted({word for found in table.oovs.values() for word in found})
            shown = listed(words, most=5)
            yield f"{where}: {counted(self.surprisals.n_oovs, 'unknown word')} ({shown})"
        for prediction in result.predictions:
            yield from self._prediction_notes(prediction, where)

    def _prediction_notes(self, prediction: PredictionResult, where: str) -> Iterator[str]:
        name = f"{where}: prediction {prediction.prediction_id}"
        chosen, skipped = self.result.provenance, prediction.skipped
        is_oov = prediction.oov & (chosen.get("oov") == "skip")
        is_swallowed = prediction.swallowed & (chosen.get("swallowed") == "skip")
        if n_oov := int((skipped & is_oov).sum()):
            rests = "rests" if n_oov == 1 else "rest"
            yield f"{name} skips {counted(n_oov, 'item')} that {rests} on an unknown word"
        if n_swallowed := int((skipped & is_swallowed & ~is_oov).sum()):
            items = counted(n_swallowed, "item")
            yield f"{name} skips {items} with a region in which no token begins"
        if n_others := int((skipped & ~is_oov & ~is_swallowed).sum()):
            yield f"{name} skips {counted(n_others, 'item')} {self._why_skipped()}"
        if prediction.n_oov:
            items = counted(prediction.n_oov, "item")
            yield f"{name} rests on an unknown word in {items}; --oov skip leaves them out"
        if prediction.n_unscored:
            yield (
                f"{name} needs a token without a surprisal in "
                f"{counted(prediction.n_unscored, 'item')}; it is left out of its region"
            )
        if prediction.n_swallowed:
            yield f"{name} {self._swallowed_note(prediction)}"
        no_value = ~prediction.defined & ~prediction.swallowed & ~prediction.skipped
        if n_undefined := int(no_value.sum()):
            yield (f"{name} has no value in {counted(n_undefined, 'item')}, and counts as failed")
        if prediction.n_ties:
            yield (
                f"{name} compares equal values in {counted(prediction.n_ties, 'item')}, "
                "where '<' and '>' fail"
            )

    def _swallowed_note(self, prediction: PredictionResult) -> str:
        items = counted(prediction.n_swallowed, "item")
        what = f"needs a region in which no token begins in {items}"
        if self.result.provenance.get("swallowed") == "begin":
            return f"{what}, which counts as 0 bits"
        return f"{what}, and counts as failed there; --swallowed skip leaves them out"

    def _why_skipped(self) -> str:
        if self.surprisals.method == "unmasked-ce":
            return "whose conditions have different numbers of tokens (unmasked-ce)"
        return (
            f"in which a word that it needs is several tokens or unknown ({self.surprisals.method})"
        )

    @staticmethod
    def environment() -> dict[str, Any]:
        """Return what the numbers are computed with: pommel, packages, Python and machine."""
        # Only what is loaded can have had a say in the numbers.
        loaded = [name for name in _PACKAGES if name in sys.modules]
        return {
            "pommel": package_version("pommel"),
            "packages": {name: package_version(name) for name in loaded},
            "python": platform.python_version(),
            "platform": platform.platform(),
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the predictions and the score."""
        return self.result._repr_html_()


def run_suites(
    model: Model,
    suites: Sequence[Suite],
    choices: Choices | None = None,
    *,
    progress: Progress | None = None,
) -> Iterator[Run]:
    """Yield one run a suite, each as soon as it is complete.

    Where calls are costly (`ModelInfo.costly_calls`), all suites' sentences are scored first; if
    that fails, the suites of which everything is known by then are still yielded before the
    failure is raised, unless it puts what they rest on in doubt (`ModelError.spoiled`). What a
    model refuses to be asked for (a sentence that is too long) costs its own suite only; the
    refusal is raised at the end.
    """
    choices = choices or Choices()
    work = _Work.of(model, suites, choices)
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
                yield Run(surprisals=surprisals, result=surprisals.evaluated(choices))
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
    choices: Choices
    method: Method
    layouts: Mapping[int, Layouts]
    needed: Needed
    scored: dict[str, ScoredSentence] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model, suites: Sequence[Suite], choices: Choices) -> "_Work":
        """Find out what has to be asked for all suites."""
        layouts: dict[int, Layouts] = {}
        parts = []
        for suite in suites:
            if choices.compat and suite.has_context:
                raise UsageError(
                    f"{suite.name} has contexts, which {choices.compat} did not know; run it "
                    f"without --compat"
                )
            if choices.regions == "needed":
                looked_at = NeededSentences.of(suite, model.info, choices.compat)
                layouts[id(suite)] = looked_at.layouts
                parts.append(looked_at.spans)
            else:
                layouts[id(suite)] = suite.sentences()
                parts.append(every_span(layouts[id(suite)]))
        return cls(
            model=model,
            choices=choices,
            method=model.info.resolved_method(choices.policy),
            layouts=layouts,
            needed=all_needed(parts),
        )

    def ask(self, suites: Sequence[Suite]) -> _Asked:
        """Ask the model for what is missing; raises what it refuses before it computes anything."""
        every = [text for suite in suites for row in self._texts(suite) for text in row]
        missing = [text for text in dict.fromkeys(every) if not self._is_known(text)]
        spans = [self.needed[text] for text in missing]
        # Even to be asked for nothing may cost a model its start.
        answers = self.model.score(missing, self.choices.policy, spans) if missing else ()
        return _Asked(counts=Counter(every), missing=missing, answers=answers)

    def take(self, asked: _Asked, progress: Progress | None) -> None:
        """Keep what the model answers; `progress` counts all the sentences of the suites."""
        counts, missing = asked.counts, asked.missing
        if progress:
            progress(counts.total() - sum(counts[text] for text in missing))
        try:
            for index, sentence in asked.answers:
                self.scored[missing[index]] = sentence
                if progress:
                    progress(counts[missing[index]])
        except ModelError as error:
            for text in error.spoiled:
                self.scored.pop(text, None)
            raise

    def is_complete(self, suite: Suite) -> bool:
        """Say whether all sentences of a suite are there."""
        return all(self._is_known(text) for row in self._texts(suite) for text in row)

    def surprisals(self, suite: Suite) -> SuiteSurprisals:
        """Return the surprisals of a suite all of whose sentences are there."""
        choices = self.choices
        return SuiteSurprisals.from_sentences(
            suite,
            self.model.info,
            choices.policy,
            method=self.method,
            compat=choices.compat,
            sentences=self.scored,
            layouts=self.layouts[id(suite)],
            provenance=provenance(suite, self.model.info, choices, method=self.method),
        )

    def _texts(self, suite: Suite) -> list[list[str]]:
        return [[sentence.text for sentence in row] for row in self.layouts[id(suite)]]

    def _is_known(self, text: str) -> bool:
        return text in self.scored and self.scored[text].has_all_of(self.needed[text])


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededSentences:
    """What the predictions of a suite look at: of which sentences, and which parts of them.

    `texts` are the distinct sentences, `layouts` all of them with their spans. `named` has the
    spans of the regions that predictions name, `spans` those that have to be scored for that.
    """

    texts: tuple[str, ...]
    layouts: Layouts
    named: Needed
    spans: Needed

    @classmethod
    def of(cls, suite: Suite, model: ModelInfo, compat: Compat | None) -> "NeededSentences":
        """Return what a suite's predictions look at in a model's tokens."""
        # Spans say where tokens begin, and only `Sentence.regions_of` goes by that.
        is_by_start = goes_by_starts(model, suite, compat)
        layouts = suite.sentences()
        named = needed_spans(suite, layouts)
        return cls(
            texts=tuple(dict.fromkeys(each.text for row in layouts for each in row)),
            layouts=layouts,
            named=named,
            spans=named if is_by_start else every_span(layouts),
        )

    def are_in(self, scored: ScoredSentence) -> bool:
        """Say whether a sentence has been scored wherever predictions look at it."""
        return scored.has_all_of(self.spans[scored.text])


def goes_by_starts(model: ModelInfo, suite: Suite, compat: Compat | None) -> bool:
    """Say whether a token counts in the region in which it begins, as `Sentence.regions_of` has it.

    The retired tool had an alignment of its own for models that print tokens only (LM Zoo's), and
    knew no other joiner than a space.
    """
    is_aligned = model.has_recovered_offsets and suite.joiner == " "
    return not (compat == "syntaxgym" and is_aligned)


def regions_frame(
    suite: Suite, table: RegionTable, *, model_name: str, metrics: Sequence[Metric]
) -> "pd.DataFrame":
    """One row a region of a sentence; `oovs` is a JSON list, since a word may hold any mark."""
    columns: dict[str, list[Any]] = {name: [] for name in _REGION_COLUMNS}
    bits: dict[str, list[float]] = {metric: [] for metric in metrics}
    place = {number: index for index, number in enumerate(table.region_numbers)}
    for i, item in enumerate(suite.items):
        for c, name in enumerate(table.condition_names):
            for region in item.condition(name).regions:
                cell = (i, c, place[region.number])
                columns["item_number"].append(item.number)
                columns["condition_name"].append(name)
                columns["region_number"].append(region.number)
                columns["region_name"].append(suite.region_names.get(region.number, ""))
                columns["content"].append(region.content)
                columns["n_tokens"].append(int(table.n_tokens[cell]))
                columns["n_unscored"].append(int(table.n_unscored[cell]))
                columns["n_oovs"].append(len(table.oovs.get(cell, ())))
                columns["oovs"].append(_json_list(table.oovs.get(cell, ())))
                for metric in metrics:
                    bits[metric].append(float(table.values[metric][cell]))
    columns["suite"] = [suite.name] * len(columns["content"])
    columns["model_name"] = [model_name] * len(columns["content"])
    named = {f"{metric}_bits": values for metric, values in bits.items()}
    tail = {name: columns.pop(name) for name in ("n_tokens", "n_unscored", "n_oovs", "oovs")}
    return frame_of({**columns, **named, **tail})


def tokens_frame(
    suite: Suite,
    sentences: Sequence[Sequence[ScoredSentence]],
    *,
    model_name: str,
    assigner: Assigner = Sentence.regions_of,
) -> "pd.DataFrame":
    """One row a token; `surprisal_bits` is missing where the model gave none."""
    columns: dict[str, list[Any]] = {name: [] for name in _TOKEN_COLUMNS}
    for item, row in zip(suite.items, sentences, strict=True):
        for name, scored in zip(suite.condition_names, row, strict=True):
            condition = item.condition(name)
            regions = assigner(condition.sentence(suite.joiner), scored.tokens)
            for index, (token, region) in enumerate(zip(scored.tokens, regions, strict=True)):
                columns["item_number"].append(item.number)
                columns["condition_name"].append(name)
                columns["token_index"].append(index)
                columns["token"].append(token.text)
                columns["start"].append(token.start)
                columns["end"].append(token.end)
                number = None if region is None else condition.regions[region].number
                columns["region_number"].append(number)
                columns["surprisal_bits"].append(token.surprisal_bits)
                columns["oov"].append(token.oov)
                columns["role"].append(token.role)
    columns["suite"] = [suite.name] * len(columns["token"])
    columns["model_name"] = [model_name] * len(columns["token"])
    return frame_of(columns)


_REGION_COLUMNS = (
    "suite",
    "model_name",
    "item_number",
    "condition_name",
    "region_number",
    "region_name",
    "content",
    "n_tokens",
    "n_unscored",
    "n_oovs",
    "oovs",
)

_TOKEN_COLUMNS = (
    "suite",
    "model_name",
    "item_number",
    "condition_name",
    "token_index",
    "token",
    "start",
    "end",
    "region_number",
    "surprisal_bits",
    "oov",
    "role",
)


def _json_list(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)


def provenance(
    suite: Suite, model: ModelInfo, choices: Choices, *, method: Method
) -> dict[str, Any]:
    """Return suite hash and version, model, policy, package versions, machine and time (UTC).

    `method` is the scoring method that the policy, which was asked for, meant for the model.
    """
    policy = choices.policy
    return {
        "suite": {
            "name": suite.name,
            "version": suite.version or None,
            "sha256": suite.sha256,
            "n_items": len(suite.items),
        },
        "model": model.to_dict(),
        "policy": {**policy.to_dict(), "fingerprint": policy.fingerprint},
        "method": method,
        "compat": choices.compat,
        "regions": choices.regions,
        **Run.environment(),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


_PACKAGES = ("numpy", "torch", "transformers", "tokenizers")
