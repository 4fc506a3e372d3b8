"""How models score the sentences of sets, some of which are grammatical and others not.

Within each template: the AUC of grammatical against ungrammatical sentences; and which orders of
the arguments, and which cases of which nouns, a model prefers, of the grammatical sentences of a
permutation design only: what is preferred there is no error.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.cells import Answer, Row, add_sections, interval_cell, plain_table
from pommel.analysis.inference import auc
from pommel.analysis.models_compared import ModelsCompared, labelled
from pommel.errors import InputError, UsageError, counted, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.statistics import Estimate, Interval, Spread
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence, Token

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSentence:
    """One sentence of every template (a condition), and what the design says of it.

    `kind` is the design's word: "plausible", "grammatical", or a violation ("double-nom"). `order`
    are the cases in the order of the sentence; `assignment` is the case of each noun, in the order
    of the nouns. A suite without such a design leaves all three empty.
    """

    name: str
    is_grammatical: bool
    kind: str = ""
    order: tuple[str, ...] = ()
    assignment: tuple[str, ...] = ()

    @property
    def is_plausible(self) -> bool:
        """Whether it has each case on the noun that it is made for, in the design's own order."""
        return self.kind == "plausible"


def is_set(suite: Suite) -> bool:
    """Return whether a suite says which of its conditions no speaker would say."""
    return bool(str(suite.meta.get("unacceptable") or "").split())


def set_sentences(suite: Suite) -> tuple[SetSentence, ...]:
    """Return the sentences of a suite's templates, in the order of `suite.condition_names`.

    `meta.unacceptable` names those that are ungrammatical, and `meta.design` says more, where a
    permutation design has left it. Raises `InputError` for a name that is no condition, and where
    one of the two sets is empty.
    """
    names = suite.condition_names
    unacceptable = str(suite.meta.get("unacceptable") or "").split()
    for name in unacceptable:
        if name not in names:
            meant = nearest(name, names)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise InputError(f"{suite.name}: meta.unacceptable names {name!r}, no condition{hint}")
    if not 0 < len(set(unacceptable)) < len(names):
        which = "no" if not unacceptable else "every"
        raise InputError(f"{suite.name}: meta.unacceptable names {which} condition")
    said = _conditions(suite.meta.get("design"))
    return tuple(
        _sentence(name, said.get(name), is_grammatical=name not in unacceptable) for name in names
    )


def _conditions(design: Any) -> Mapping[str, Any]:
    """Return what a design says of its conditions; `meta.design` may also be a word of anyone's."""
    conditions = design.get("conditions") if isinstance(design, Mapping) else None
    return conditions if isinstance(conditions, Mapping) else {}


def _sentence(name: str, said: Any, *, is_grammatical: bool) -> SetSentence:
    own: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    kind = own.get("kind")
    return SetSentence(
        name=name,
        is_grammatical=is_grammatical,
        kind=kind if isinstance(kind, str) else "",
        order=_words(own.get("case_order")),
        assignment=_words(own.get("assignment")),
    )


def _words(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


# How good a model finds each sentence: one score a sentence, higher is better.

Normalisation = Literal["none", "length", "slor"]

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetScores:
    """The scores of a model's sentences on one suite.

    `scores` has the shape (n_templates, n_sentences), in bits (bits a token where it is
    normalised), with sentences as in `sentences`. A template (an item) with a sentence that has no
    score is left out, its row NaN. `n_unscored` counts the sentences of the others in which a
    token has no surprisal: their score is that of the remaining tokens. `n_not_asked_for` counts
    the templates that are left out because a token was not asked for.
    """

    model: str
    suite: str
    circuit: str
    language: str
    sentences: tuple[SetSentence, ...]
    scores: Scores
    n_unscored: int = 0
    n_not_asked_for: int = 0

    @property
    def kept(self) -> Scores:
        """The rows of the templates that count."""
        return self.scores[~np.isnan(self.scores).any(axis=1)]

    @property
    def n_skipped(self) -> int:
        """How many templates are left out."""
        return len(self.scores) - len(self.kept)

    def named(self, *, with_language: bool) -> str:
        """Return the suite, with its language if that is to be named."""
        return labelled(self.suite, self.language if with_language else "")

    def columns(self, which: Sequence[SetSentence]) -> Scores:
        """Return the scores of some of the sentences, (n_templates that count, n)."""
        indices = [self.sentences.index(each) for each in which]
        return self.kept[:, indices]


def set_scores(
    run: Run, *, normalise: Normalisation = "none", unigram: Run | None = None
) -> SetScores:
    """Return the scores of all sentences of a run.

    "none" is the log-probability: minus the sum of the surprisals of its tokens. "length" is that
    divided by the number of these tokens. "slor" takes off the log-probability by a unigram model
    before it is divided (Pauls and Klein 2012; Lau, Clark and Lappin 2017), for which `unigram` is
    a run of such a model on the same suite; of the text of tokens without a surprisal nothing is
    taken off.

    A sentence has no score where a token was not asked for, where the method does not apply to a
    token, or where the unigram model has no surprisal. With a method that compares sentences of
    equal length only, nor have those of a template in which lengths differ. Raises `InputError` for
    a suite that is no set (see `set_sentences`), and for a `unigram` that is missing or has other
    sentences.
    """
    surprisals, suite = run.surprisals, run.surprisals.suite
    scored = _without_contexts(suite, surprisals.sentences)
    others = _of_unigram(run, unigram) if normalise == "slor" else None
    rows = []
    n_unscored = n_not_asked_for = 0
    for i, sentences in enumerate(scored):
        row = _scores(sentences, normalise, others[i] if others else None)
        if surprisals.skips_unequal and len({len(each.tokens) for each in sentences}) > 1:
            row = [math.nan] * len(row)
        reasons = [_reasons(each) for each in sentences]
        if not any(map(math.isnan, row)):
            n_unscored += sum(map(bool, reasons))
        n_not_asked_for += any("not asked for" in each for each in reasons)
        rows.append(row)
    return SetScores(
        model=run.result.model_name,
        suite=suite.name,
        circuit=suite.circuit,
        language=suite.language,
        sentences=set_sentences(suite),
        scores=np.array(rows, dtype=np.float64),
        n_unscored=n_unscored,
        n_not_asked_for=n_not_asked_for,
    )


def scores_of_runs(
    runs: Iterable[Run],
    *,
    normalise: Normalisation = "none",
    unigrams: Mapping[SuiteKey, Run] | None = None,
) -> tuple[list[SetScores], list[str]]:
    """Return the scores of runs, and the names of the suites that are no sets.

    Runs that differ in the score rule, or in what becomes of unknown words, have the same
    surprisals and count once; what else tells runs of one model apart is added to its name.
    Raises as `set_scores`, and `UsageError` if no suite is a set.
    """
    found: list[SetScores] = []
    records: list[RunRecord] = []
    others: dict[str, None] = {}
    for run in runs:
        suite = run.surprisals.suite
        if not is_set(suite):
            others[suite.name] = None
            continue
        unigram = (unigrams or {}).get((suite.language, suite.name))
        record = replace(
            RunRecord.of(run),
            run_id=str(len(found)),
            result=replace(run.result, score_rule="all"),
            settings={"compat": str(run.result.provenance.get("compat") or "")},
        )
        records.append(record)
        found.append(set_scores(run, normalise=normalise, unigram=unigram))
    if not found:
        raise UsageError(
            f"no suite says which of its conditions are ungrammatical (meta.unacceptable): "
            f"{listed(list(others))}"
        )
    named = [
        replace(found[int(record.run_id)], model=compared.label)
        for compared in ModelsCompared.of(records).models
        for record in compared.records
    ]
    return named, list(others)


def _of_unigram(run: Run, unigram: Run | None) -> Sequence[Sequence[ScoredSentence]]:
    suite = run.surprisals.suite.name
    if unigram is None:
        raise InputError(f"{suite}: there is no run of a unigram model on it, which slor needs")
    own, others = run.surprisals.sentences, unigram.surprisals.sentences
    if [[each.text for each in row] for row in own] != [
        [each.text for each in row] for row in others
    ]:
        raise InputError(f"{suite}: {unigram.result.model_name} has been run on other sentences")
    return _without_contexts(run.surprisals.suite, others)


def _without_contexts(
    suite: Suite, sentences: Sequence[Sequence[ScoredSentence]]
) -> Sequence[Sequence[ScoredSentence]]:
    """Return sentences with the tokens of their regions alone: no context is scored."""
    if not suite.has_context:
        return sentences
    return [
        [
            replace(each, tokens=tuple(t for t in each.tokens if t.start >= layout.start))
            for each, layout in zip(row, laid, strict=True)
        ]
        for row, laid in zip(sentences, suite.sentences(), strict=True)
    ]


def _reasons(sentence: ScoredSentence) -> set[str]:
    """Return why tokens of a sentence have no surprisal; nothing where all have one."""
    return {token.why_unscored for token in sentence.tokens if token.surprisal_bits is None}


def _scores(
    sentences: Sequence[ScoredSentence],
    normalise: Normalisation,
    unigrams: Sequence[ScoredSentence] | None,
) -> list[float]:
    """Return the scores of a template's sentences, NaN for none."""
    others = unigrams or (None,) * len(sentences)
    return [
        _score(sentence, normalise, other)
        for sentence, other in zip(sentences, others, strict=True)
    ]


def _score(
    sentence: ScoredSentence, normalise: Normalisation, unigram: ScoredSentence | None
) -> float:
    """Return a sentence's score, NaN for none."""
    bits = [token.surprisal_bits for token in sentence.tokens if token.surprisal_bits is not None]
    missing = [token for token in sentence.tokens if token.surprisal_bits is None]
    if not bits or any(token.why_unscored != "no context" for token in missing):
        return math.nan
    # Sentences of the same tokens in another order are tied, whatever the order: fsum is exact.
    if unigram is not None:
        bits_of_unigram = [-each for each in _unigram_bits(unigram, missing)]
        return -_sum([*bits, *bits_of_unigram]) / len(bits)
    return -_sum(bits) / (len(bits) if normalise == "length" else 1)


def _unigram_bits(sentence: ScoredSentence, missing: Sequence[Token]) -> list[float]:
    """Return a unigram model's surprisals of a sentence but for the text of some tokens."""
    return [
        math.nan if token.surprisal_bits is None else token.surprisal_bits
        for token in sentence.tokens
        if not any(each.start <= token.start < each.end for each in missing)
    ]


def _sum(values: Sequence[float]) -> float:
    """Return the exact sum, rounded once; NaN for infinities that cancel."""
    if {-math.inf, math.inf} <= set(values):
        return math.nan
    return math.fsum(values)


# What the templates of a set come to together.


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How the bootstrap over templates draws."""

    n_resamples: int = Estimate.N_RESAMPLES
    seed: int = 0


USUAL_RESAMPLING = Resampling()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTemplates:
    """The unweighted mean over templates, its 95% interval, and their sd (n - 1)."""

    n_templates: int
    mean: float
    low: float
    high: float
    sd: float


def shares_over_templates(values: Iterable[float]) -> OverTemplates:
    """Return what AUCs or shares, one a template, come to, with `Interval.of_means`."""
    spread = Spread.of(known := list(values))
    interval = Interval.of_means([known])
    return OverTemplates(
        n_templates=spread.n,
        mean=spread.mean,
        low=interval.low,
        high=interval.high,
        sd=spread.sd,
    )


def over_templates(values: Iterable[float], resampling: Resampling) -> OverTemplates:
    """Return what scores in bits, one a template, come to, with a bootstrap interval.

    NaN where there are too few of them.
    """
    known = list(values)
    estimate = Estimate.of_values(known, n_resamples=resampling.n_resamples, seed=resampling.seed)
    is_finite = all(abs(value) < float("inf") for value in known)
    return OverTemplates(
        n_templates=estimate.n,
        mean=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        sd=Spread.of(known).sd if is_finite else float("nan"),
    )


def set_frame(
    rows: Iterable[Any], columns: Sequence[str], *, estimate: str, mean: str
) -> "pd.DataFrame":
    """Return one row each, with these columns.

    Rows are instances of a dataclass with `scores` (`SetScores`) and an `OverTemplates` in the
    field `estimate`, whose mean is in the column `mean`; their other fields are columns as they
    are.
    """
    return frame_of_rows([_row(each, estimate, mean) for each in rows], columns)


def _row(row: Any, estimate: str, mean: str) -> dict[str, object]:
    scores, found = row.scores, getattr(row, estimate)
    return {
        **{field.name: getattr(row, field.name) for field in fields(row)},
        "model_name": scores.model,
        "suite": scores.suite,
        "circuit": scores.circuit,
        "language": scores.language,
        mean: found.mean,
        "n_templates": found.n_templates,
        "low": found.low,
        "high": found.high,
        "sd": found.sd,
        "n_unscored": scores.n_unscored,
        "n_skipped": scores.n_skipped,
    }


# AUCs by template.

AUC_COLUMNS = (
    "model_name",
    "suite",
    "circuit",
    "language",
    "comparison",
    "n_grammatical",
    "n_ungrammatical",
    "n_templates",
    "auc",
    "low",
    "high",
    "sd",
    "n_ties",
    "n_unscored",
    "n_skipped",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAuc:
    """How often a grammatical sentence of a template scores above an ungrammatical one.

    `comparison` is "all"; a violation, of which alone the ungrammatical sentences are; or
    "plausible", of which alone the grammatical ones are. `n_grammatical` and `n_ungrammatical` are
    the sentences of a template. `auc` is the mean over templates of P(g > u) + P(g = u) / 2.
    `n_ties` counts the pairs of equal scores in all templates, `n_skipped` the templates that are
    left out, and `n_unscored` is as in `SetScores`. `of_templates` has the AUC of each template
    that counts.
    """

    scores: SetScores
    comparison: str
    n_grammatical: int
    n_ungrammatical: int
    auc: OverTemplates
    n_ties: int
    of_templates: tuple[float, ...] = ()


def set_aucs(each: SetScores) -> Iterator[SetAuc]:
    """Yield the AUCs of a model on a suite: of all sentences, and of the kinds that a design has.

    The AUC is computed within each template, and the mean over templates is unweighted, as for the
    50 templates of Rochereau, Sagot and Dupoux (2019).
    """
    good = [one for one in each.sentences if one.is_grammatical]
    bad = [one for one in each.sentences if not one.is_grammatical]
    yield _auc(each, "all", good, bad)
    for kind in dict.fromkeys(one.kind for one in bad):
        if kind:
            yield _auc(each, kind, good, [one for one in bad if one.kind == kind])
    plausible = [one for one in good if one.is_plausible]
    if plausible:
        yield _auc(each, plausible[0].kind, plausible, bad)


def _auc(
    each: SetScores,
    comparison: str,
    good: Sequence[SetSentence],
    bad: Sequence[SetSentence],
) -> SetAuc:
    better, worse = each.columns(good), each.columns(bad)
    of_templates = template_aucs(better, worse)
    return SetAuc(
        scores=each,
        comparison=comparison,
        n_grammatical=len(good),
        n_ungrammatical=len(bad),
        auc=shares_over_templates(of_templates),
        of_templates=tuple(of_templates),
        n_ties=sum(_n_ties(*pair) for pair in zip(better, worse, strict=True)),
    )


def template_aucs(better: Scores, worse: Scores) -> list[float]:
    """Return the AUC of each template; both arrays have the shape (n_templates, n_sentences)."""
    return [auc(above, below) for above, below in zip(better, worse, strict=True)]


def _n_ties(better: Scores, worse: Scores) -> int:
    return int((better[:, np.newaxis] == worse).sum())


# Preferences.

_SHARED = ("model_name", "suite", "circuit", "language")
_ESTIMATE = ("n_templates", "low", "high", "sd", "n_unscored", "n_skipped")
ORDER_COLUMNS = (*_SHARED, "order", "n_sentences", "mean_score", *_ESTIMATE)
PAIR_COLUMNS = (*_SHARED, "order", "other_order", "n_pairs", "share_preferred", *_ESTIMATE)
FEATURE_COLUMNS = (
    *_SHARED,
    "noun",
    "plausible_case",
    "case",
    "n_with",
    "n_without",
    "auc",
    *_ESTIMATE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderScore:
    """The mean score of the sentences with one order of cases ("nom acc dat"), in bits.

    Bits a token where scores are normalised. `n_sentences` are those of a template.
    """

    scores: SetScores
    order: str
    n_sentences: int
    score: OverTemplates


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPreference:
    """How often a sentence in one order scores above the same with its arguments in another.

    The two have the same case for each noun; equal scores count half. `n_pairs` are those of a
    template.
    """

    scores: SetScores
    order: str
    other_order: str
    n_pairs: int
    share: OverTemplates


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturePreference:
    """How often a sentence in which a noun has a case scores above one in which it has another.

    `noun` counts from 1; `plausible_case` is the case that it has in the plausible sentences, ""
    without such: it tells the doer from the thing and the person that is given something.
    """

    scores: SetScores
    noun: int
    plausible_case: str
    case: str
    n_with: int
    n_without: int
    auc: OverTemplates


def order_scores(
    each: SetScores, resampling: Resampling = USUAL_RESAMPLING
) -> Iterator[OrderScore]:
    """Yield the mean score of each order of cases; of a suite without such a design nothing."""
    for order, sentences in _by_order(each).items():
        means = each.columns(list(sentences.values())).mean(axis=1)
        yield OrderScore(
            scores=each,
            order=" ".join(order),
            n_sentences=len(sentences),
            score=over_templates(means.tolist(), resampling),
        )


def order_preferences(each: SetScores) -> Iterator[OrderPreference]:
    """Yield the preference of each order over each that comes after it."""
    for (order, own), (other, others) in combinations(_by_order(each).items(), 2):
        shared = [assignment for assignment in own if assignment in others]
        if not shared:
            continue
        first = each.columns([own[assignment] for assignment in shared])
        second = each.columns([others[assignment] for assignment in shared])
        halves = ((first > second).mean(axis=1) + (first >= second).mean(axis=1)) / 2
        yield OrderPreference(
            scores=each,
            order=" ".join(order),
            other_order=" ".join(other),
            n_pairs=len(shared),
            share=shares_over_templates(halves.tolist()),
        )


def feature_preferences(each: SetScores) -> Iterator[FeaturePreference]:
    """Yield the preference of each noun for each of its cases."""
    good = [one for one in each.sentences if one.is_grammatical and one.assignment]
    plausible = next((one.assignment for one in good if one.is_plausible), ())
    for noun in range(min((len(one.assignment) for one in good), default=0)):
        for case in dict.fromkeys(one.assignment[noun] for one in good):
            having = [one for one in good if one.assignment[noun] == case]
            lacking = [one for one in good if one.assignment[noun] != case]
            if not lacking:
                continue
            values = template_aucs(each.columns(having), each.columns(lacking))
            yield FeaturePreference(
                scores=each,
                noun=noun + 1,
                plausible_case=plausible[noun] if noun < len(plausible) else "",
                case=case,
                n_with=len(having),
                n_without=len(lacking),
                auc=shares_over_templates(values),
            )


def _by_order(each: SetScores) -> dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]]:
    """Return the grammatical sentences by their orders of cases, and by their assignments."""
    found: dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]] = {}
    for one in each.sentences:
        if one.is_grammatical and one.order and one.assignment:
            found.setdefault(one.order, {})[one.assignment] = one
    return found


# For people.

# What stands before the models' columns, and in their cells: the words of a row, a model, a cell.
_Row = tuple[tuple[str, ...], SetScores, OverTemplates]

_OF_SHARES = "Mean over templates [95% score interval over templates]"


def auc_table(rows: Sequence[SetAuc]) -> "Table":
    """Return suites and comparisons x models: the AUC, with its interval."""
    return _table(
        "AUC: how often a grammatical sentence scores above an ungrammatical one",
        f"{_OF_SHARES}; equal scores count half, .5 is chance.",
        ("suite", "comparison", "sentences"),
        [
            (
                (row.scores.suite, row.comparison, f"{row.n_grammatical} : {row.n_ungrammatical}"),
                row.scores,
                row.auc,
            )
            for row in rows
        ],
    )


def order_table(rows: Sequence[OrderScore]) -> "Table":
    """Return suites and orders of cases x models: the mean score."""
    return _table(
        "Mean score of grammatical sentences by the order of their cases",
        "Mean over templates [95% bootstrap interval over templates], in bits: higher is better.",
        ("suite", "order", "sentences"),
        [
            ((row.scores.suite, row.order, str(row.n_sentences)), row.scores, row.score)
            for row in rows
        ],
        digits=2,
    )


def order_preference_table(rows: Sequence[OrderPreference]) -> "Table":
    """Return suites and pairs of orders x models: how often the first one is preferred."""
    return _table(
        "Preference: how often a sentence scores above the same in another order",
        f"{_OF_SHARES}; equal scores count half, .5 is no preference.",
        ("suite", "order", "above", "pairs"),
        [
            (
                (row.scores.suite, row.order, row.other_order, str(row.n_pairs)),
                row.scores,
                row.share,
            )
            for row in rows
        ],
    )


def feature_table(rows: Sequence[FeaturePreference]) -> "Table":
    """Return suites, nouns and cases x models: the AUC of sentences in which the noun has it."""
    return _table(
        "AUC: how often a sentence in which a noun has a case scores above one in which it has not",
        f"{_OF_SHARES}; grammatical sentences only. In brackets: the noun's plausible case.",
        ("suite", "noun", "case", "sentences"),
        [
            (
                (row.scores.suite, _noun(row), row.case, f"{row.n_with} : {row.n_without}"),
                row.scores,
                row.auc,
            )
            for row in rows
        ],
    )


def _noun(row: FeaturePreference) -> str:
    return f"{row.noun} ({row.plausible_case})" if row.plausible_case else str(row.noun)


def _table(
    title: str, caption: str, headers: Sequence[str], rows: Sequence[_Row], *, digits: int = 3
) -> "Table":
    """Return a table whose last columns are the models; each suite is a section."""
    models = list(dict.fromkeys(scores.model for _, scores, _ in rows))
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for words, scores, estimate in rows:
        cells.setdefault(words, {})[scores.model] = _cell(estimate, scores, digits)
    table = plain_table(title, names=headers, numbers=models, caption=caption)
    add_sections(
        table,
        (
            Row(
                section=words[0],
                cells=(*words, *(cells[words].get(model, "") for model in models)),
            )
            for words in sorted(cells, key=lambda each: each[0])
        ),
    )
    return table


def _cell(estimate: OverTemplates, scores: SetScores, digits: int) -> str:
    if not estimate.n_templates:
        return "no templates"
    shown = interval_cell(estimate.mean, estimate, digits)
    of = f" of {estimate.n_templates}" if scores.n_skipped else ""
    return f"{shown}{of}"


# AUCs, the mean score of each order of cases, preferences between two orders, and for cases.
SetTable = Literal["auc", "orders", "pairs", "features"]
SetRow = SetAuc | OrderScore | OrderPreference | FeaturePreference


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SentenceSets(Answer):
    """How models score the sentences of sets: AUCs, or what they prefer of the grammatical ones.

    `scores` are what rows are computed from, `not_sets` the names of suites that are no sets.
    """

    rows: tuple[SetRow, ...]
    scores: tuple[SetScores, ...]
    not_sets: tuple[str, ...]
    table: SetTable = "auc"

    NORMALISATIONS: ClassVar[tuple[Normalisation, ...]] = get_args(Normalisation)
    TABLES: ClassVar[tuple[SetTable, ...]] = get_args(SetTable)

    @classmethod
    def of(  # noqa: PLR0913 - each of these is a choice of the caller's
        cls,
        runs: Iterable[Run],
        *,
        table: SetTable = "auc",
        normalise: Normalisation = "none",
        unigrams: Mapping[SuiteKey, Run] | None = None,
        n_resamples: int = Estimate.N_RESAMPLES,
        seed: int = 0,
    ) -> "SentenceSets":
        """Return the rows of a table; raises as `scores_of_runs` does."""
        scores, not_sets = scores_of_runs(runs, normalise=normalise, unigrams=unigrams)
        resampling = Resampling(n_resamples=n_resamples, seed=seed)
        return cls(
            rows=tuple(row for each in scores for row in _ROWS[table](each, resampling)),
            scores=tuple(scores),
            not_sets=tuple(not_sets),
            table=table,
        )

    @property
    def aucs(self) -> list[SetAuc]:
        """The rows that are AUCs."""
        return [row for row in self.rows if isinstance(row, SetAuc)]

    @property
    def without_templates(self) -> list[SetScores]:
        """The scores of which every template is left out."""
        return [each for each in self.scores if each.n_skipped == len(each.scores)]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the numbers should know, in plain words."""
        return list(self._notes())

    @property
    def why_empty(self) -> str:
        """Why there is no row; "" where there is one."""
        if self.rows:
            return ""
        return (
            f"--table {self.table} needs a suite whose meta.design says which case each noun has "
            "(a permutation design)"
        )

    def frame(self) -> "pd.DataFrame":
        """Return one row each: a comparison, an order, a pair of orders, or a noun and case."""
        columns, estimate, mean = _COLUMNS[self.table]
        return set_frame(self.rows, columns, estimate=estimate, mean=mean)

    def tables(self) -> "list[Table]":
        """Return one table: suites and what is compared x models."""
        return [_PRINTED[self.table](self.rows)]

    def _notes(self) -> Iterator[str]:
        for each in self.scores:
            where = f"{each.model} on {each.suite}"
            if each.n_unscored:
                yield (
                    f"{where}: {counted(each.n_unscored, 'sentence')} with a token without a "
                    "surprisal, which is left out of the sentence's score"
                )
            if each.n_not_asked_for:
                yield (
                    f"{where}: {counted(each.n_not_asked_for, 'template')} left out, not all of "
                    "whose tokens were asked for; run it with --regions all"
                )
            if others := each.n_skipped - each.n_not_asked_for:
                yield (
                    f"{where}: {counted(others, 'template')} left out, with a sentence that the "
                    "method cannot score or compare"
                )
        if self.not_sets:
            yield f"left out, without ungrammatical conditions: {listed(self.not_sets)}"


_ROWS: dict[SetTable, Callable[[SetScores, Resampling], Iterable[SetRow]]] = {
    "auc": lambda each, _resampling: set_aucs(each),
    "orders": order_scores,
    "pairs": lambda each, _resampling: order_preferences(each),
    "features": lambda each, _resampling: feature_preferences(each),
}
# The columns of a tidy table, the field with the estimate, and the column of its mean.
_COLUMNS: dict[SetTable, tuple[Sequence[str], str, str]] = {
    "auc": (AUC_COLUMNS, "auc", "auc"),
    "orders": (ORDER_COLUMNS, "score", "mean_score"),
    "pairs": (PAIR_COLUMNS, "share", "share_preferred"),
    "features": (FEATURE_COLUMNS, "auc", "auc"),
}
_PRINTED: dict[SetTable, Callable[[Sequence[Any]], "Table"]] = {
    "auc": auc_table,
    "orders": order_table,
    "pairs": order_preference_table,
    "features": feature_table,
}
