"""A submission's results again, from its tokens, by the code that scores our own runs."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pommel.errors import counted, quoted
from pommel.leaderboard.submission.limits import SubmissionError, brief
from pommel.leaderboard.submission.manifest import described
from pommel.leaderboard.submission.reading import Submission, SubmittedRun
from pommel.models import Method, Spans
from pommel.scoring import (
    Choices,
    NeededSentences,
    RegionTable,
    Run,
    SuiteResult,
    SuiteSurprisals,
    Swallowed,
)
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence

# Another machine or a later numpy may round a mean otherwise; sums come out the same everywhere.
_ROUNDING_BITS = 1e-6


def recomputed(
    submission: Submission,
    suites: Sequence[Suite],
    choices: Choices | None = None,
) -> list[Run]:
    """Return a run on each of the suites, computed from the submission's tokens alone.

    Predictions are counted by `choices`, None for the submission's own. Models are called what they
    are submitted as. Raises `SubmissionError` if a suite is missing, if sentences are missing or
    not the suite's, if a region that a prediction names was not scored, or has a token without a
    surprisal that is not the sentence's first, and if what was claimed (region sums, or anything
    about a prediction in an item) is not what comes out.
    """
    runs = []
    submitted_runs = submission.runs_on({suite.sha256: suite.name for suite in suites})
    for suite, submitted in zip(suites, submitted_runs, strict=True):
        name, version = submitted.entry.name, submitted.entry.version
        if (name, version) != (suite.name, suite.version):
            raise SubmissionError(
                f"{submission.source}: calls the suite {suite.name} (version "
                f"{suite.version or 'none'}) {quoted(name)} (version {brief(version or 'none')})"
            )
        where = f"{submission.source}: suite {suite.name}"
        surprisals = _surprisals(submission, submitted, suite, where)
        if region_sums_sha256(surprisals.table) != submitted.entry.region_sums_sha256:
            raise SubmissionError(
                f"{where}: the sums of its regions are not those that it was packed with; its "
                f"surprisals have been moved or changed"
            )
        own = submission.manifest.choices
        found = surprisals.evaluate(own)
        _check_claims(submitted.claimed, claims_of(found, own.swallowed_regions), where)
        entry = submitted.entry
        if (entry.n_items, entry.scores) != (len(suite.items), found.scores):
            raise SubmissionError(f"{where}: the manifest has other scores, or of other items")
        result = surprisals.evaluate(choices or own)
        runs.append(Run(surprisals=surprisals, result=result))
    return runs


def _surprisals(
    submission: Submission, submitted: SubmittedRun, suite: Suite, where: str
) -> SuiteSurprisals:
    """Return the suite's surprisals; raises unless there are its sentences and no others.

    They have to be scored where it matters.
    """
    manifest = submission.manifest
    choices = replace(manifest.choices, regions="needed")
    needed = NeededSentences.of(suite, submission.model, choices)
    texts, method = needed.texts, choices.policy.method
    missing = [text for text in texts if text not in submitted.sentences]
    if missing:
        raise SubmissionError(
            f"{where}: has no tokens for {len(missing)} of {counted(len(texts), 'sentence')}, the "
            f"first {quoted(missing[0])}"
        )
    known = set(texts)
    extra = next((text for text in submitted.sentences if text not in known), None)
    if extra is not None:
        raise SubmissionError(f"{where}: has tokens for {quoted(extra)}, which is not in the suite")
    for text in texts:
        scored = submitted.sentences[text]
        if not needed.are_in(scored):
            raise SubmissionError(
                f"{where}: a region that a prediction names was not scored in {quoted(text)}"
            )
        if fault := unscored_fault(scored, needed.named[text], method):
            raise SubmissionError(f"{where}: {fault}")
    about = {
        "suite": suite.identity,
        "model": dict(manifest.model),
        "policy": described(manifest.policy),
        "method": method,
        "compat": choices.compat,
    }
    return SuiteSurprisals.from_sentences(
        needed,
        submitted.sentences,
        method=method,
        provenance={**submitted.entry.provenance, **about},
    )


# What is said of each item and prediction, beside the margin: a truth value each.
_FLAGS = ("holds", "tie", "defined", "swallowed", "unscored", "oov", "skipped")


def claims_of(result: SuiteResult, swallowed: Swallowed) -> Mapping[str, Any]:
    """Return what a submission says of a suite's results, as JSON values.

    Submissions of version 1 took swallowed regions for 0 bits, and do not say where there were
    some.
    """
    names = [name for name in _FLAGS if swallowed != "begin" or name != "swallowed"]
    return {
        "item_numbers": list(result.item_numbers),
        "predictions": [
            {
                "prediction_id": each.prediction_id,
                "formula": each.formula,
                **{name: getattr(each, name).tolist() for name in names},
                "margin_bits": [_margin(bits) for bits in each.margin_bits.tolist()],
            }
            for each in result.predictions
        ],
    }


def _margin(bits: float) -> float | str | None:
    """Return a margin as JSON has it, which has no infinity."""
    if math.isnan(bits):
        return None
    return bits if math.isfinite(bits) else "Infinity" if bits > 0 else "-Infinity"


def _check_claims(claimed: object, found: Mapping[str, Any], where: str) -> None:
    """Raise, naming the first difference, unless what was claimed is what was found."""
    if not isinstance(claimed, dict) or not isinstance(claimed.get("predictions"), list):
        raise SubmissionError(f"{where}: the claimed results are no results")
    if claimed.get("item_numbers") != found["item_numbers"]:
        raise SubmissionError(f"{where}: the claimed results are of other items than the suite's")
    theirs, ours = (each["predictions"] for each in (claimed, found))
    if [*map(_outline, theirs)] != [*map(_outline, ours)]:
        raise SubmissionError(
            f"{where}: the claimed results are of other predictions, or do not say of each what a "
            f"submission of this version does"
        )
    differences = [
        f"item {item}, prediction {known['prediction_id']}: {'; '.join(said)}"
        for claim, known in zip(theirs, ours, strict=True)
        for i, item in enumerate(found["item_numbers"])
        if (said := [*_claimed_otherwise(claim, known, i)])
    ]
    if differences:
        n_more = len(differences) - 1
        more = f" ({counted(n_more, 'more difference')})" if n_more else ""
        raise SubmissionError(f"{where}, {differences[0]}{more}")


def _outline(prediction: object) -> object:
    """Return which prediction it is, and how many values it has of what."""
    if not isinstance(prediction, dict):
        return prediction
    return {
        key: (len(each),) if isinstance(each, list) else each for key, each in prediction.items()
    }


def _claimed_otherwise(
    claimed: Mapping[str, Any], found: Mapping[str, Any], item: int
) -> Iterator[str]:
    """Say what is claimed of an item otherwise than it comes out."""
    for name, column in found.items():
        if not isinstance(column, list):
            continue
        claim, truth = claimed[name][item], column[item]
        are_numbers = {type(claim), type(truth)} <= {int, float}
        if are_numbers and abs(claim - truth) <= _ROUNDING_BITS:
            continue
        if are_numbers or (type(claim), claim) != (type(truth), truth):
            said, comes = map(_shown, (claim, truth))
            yield f"{name.removesuffix('_bits')} is claimed to be {said}, and comes out {comes}"


def _shown(value: object) -> str:
    return f"{value:.4f} bits" if isinstance(value, float) else brief(json.dumps(value))


def region_sums_sha256(table: RegionTable) -> str:
    """Return the SHA-256 over the sums of all regions, and how many tokens each has.

    Items as in the suite, conditions as in `suite.condition_names`, regions by number: first all
    sums in bits as little-endian float64, then all counts as little-endian int64. A region of which
    tokens were not asked for has no sum; its NaN is 0x7ff8000000000000.
    """
    sums = table.values["sum"] + 0.0  # -0.0 becomes 0.0
    sums[np.isnan(sums)] = np.nan
    digest = hashlib.sha256(sums.astype("<f8").tobytes())
    digest.update(table.n_tokens.astype("<i8").tobytes())
    return digest.hexdigest()


# Those that may read a sentence from left to right; the others see what stands behind, too.
_LEFT_TO_RIGHT: tuple[Method, ...] = ("auto", "causal", "ngram")


def unscored_fault(scored: ScoredSentence, spans: Spans | None, method: Method) -> str:
    """Return what is wrong with tokens in `spans` that have no context, "" if nothing is.

    Predictions take such a token for one of 0 bits. So it has to be one that no model could score:
    nothing that can be seen stands before it in the sentence, and the method is none that masks.
    `spans` are as in `needed.needed_spans`; that tokens were not asked for, or are not comparable
    (their items are skipped), is not looked at.
    """
    for token in scored.tokens:
        if token.surprisal_bits is not None or token.why_unscored != "no context":
            continue
        if not (spans is None or any(start <= token.start < end for start, end in spans)):
            continue
        is_from_left = method in _LEFT_TO_RIGHT
        if is_from_left and not scored.text[: token.start].strip():
            continue
        rule = (
            "only the first token of a sentence can be without context"
            if is_from_left
            else f"under the method {method} no token is without context"
        )
        return (
            f"the token {quoted(token.text)} has no surprisal in {quoted(scored.text)}, in a "
            f"region that a prediction names; {rule}"
        )
    return ""
