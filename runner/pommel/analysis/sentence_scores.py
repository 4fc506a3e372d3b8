"""How good a model finds the sentences of a set: one score a sentence, higher is better."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.sentence_sets import SetSentence, is_set, set_sentences
from pommel.analysis.subjects import SuiteKey, subjects
from pommel.errors import InputError, UsageError, listed
from pommel.scoring.run import Run
from pommel.scoring.run_record import RunRecord, record_of
from pommel.surprisal import ScoredSentence, Token

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
    others = _of_unigram(run, unigram) if normalise == "slor" else None
    rows = []
    n_unscored = n_not_asked_for = 0
    for i, sentences in enumerate(surprisals.sentences):
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
            record_of(run),
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
    labelled = [
        replace(found[int(record.run_id)], model=subject.label)
        for subject in subjects(records)
        for record in subject.records
    ]
    return labelled, list(others)


def _of_unigram(run: Run, unigram: Run | None) -> Sequence[Sequence[ScoredSentence]]:
    suite = run.surprisals.suite.name
    if unigram is None:
        raise InputError(f"{suite}: there is no run of a unigram model on it, which slor needs")
    own, others = run.surprisals.sentences, unigram.surprisals.sentences
    if [[each.text for each in row] for row in own] != [
        [each.text for each in row] for row in others
    ]:
        raise InputError(f"{suite}: {unigram.result.model_name} has been run on other sentences")
    return others


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
