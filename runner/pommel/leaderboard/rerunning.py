"""Has the model said these numbers? A sample of sentences, scored again by the model itself."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pommel.errors import quoted
from pommel.leaderboard.board import Board
from pommel.leaderboard.submission import Submission, SubmissionError
from pommel.models.model import Model
from pommel.surprisal import ScoredSentence, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What came of scoring sentences again.

    `largest_bits` is the largest difference of a token's surprisal, 0 where none was compared;
    `differences` says in words what is not within the tolerance.
    """

    n_sentences: int
    n_tokens: int
    largest_bits: float
    differences: tuple[str, ...]


def reference_of(submission: Submission) -> str:
    """Return the reference by which the model is loaded: its image by digest, if it has one."""
    digest = submission.manifest.image_digest
    return f"docker://{digest}" if digest else submission.model.reference


def sampled(submission: Submission, board: Board, n_sentences: int, seed: int) -> list[str]:
    """Return a random sample of the texts of the board's suites, all if there are not so many."""
    texts = _claims(submission, board)
    chance = random.Random(seed)  # noqa: S311 - what is drawn is told
    return chance.sample(sorted(texts), min(n_sentences, len(texts)))


def rescored(
    submission: Submission,
    board: Board,
    texts: Sequence[str],
    model: Model,
    *,
    tolerance_bits: float,
) -> Rescored:
    """Score sentences with a model, under the submission's policy, and compare token by token.

    A text of more than one suite of the board is compared with what is claimed in each; what is
    claimed of other suites does not count, here as in the ranking. Another fingerprint is a
    difference, too. Tokens that the submission has not asked for are compared by place and name
    only. Raises `SubmissionError` if a suite of the board is missing, and what the model raises.
    """
    differences = []
    claimed, found = submission.model.fingerprint, model.info.fingerprint
    if claimed != found:
        differences.append(
            f"the model has the fingerprint {found[:12]}, and the submission says {claimed[:12]}"
        )
    known = _claims(submission, board)
    n_tokens, largest = 0, 0.0
    answers = dict(model.score(list(texts), submission.policy, [None] * len(texts)))
    for index, text in enumerate(texts):
        found_tokens = answers[index].tokens
        n_tokens += len(found_tokens)
        faults = []
        for claim in known[text]:
            pairs = zip(claim.tokens, found_tokens, strict=False)
            largest = max([largest, *(_bits_apart(*pair) for pair in pairs)])
            faults.append(_fault(claim, answers[index], tolerance_bits))
        differences += [f"{quoted(text)}: {each}" for each in dict.fromkeys(faults) if each]
    return Rescored(
        n_sentences=len(texts),
        n_tokens=n_tokens,
        largest_bits=largest,
        differences=tuple(differences),
    )


def _claims(submission: Submission, board: Board) -> dict[str, list[ScoredSentence]]:
    """Return all that is claimed of each text of the board's suites; raises `SubmissionError`."""
    found: dict[str, list[ScoredSentence]] = {}
    for suite in board.suites:
        run = submission.run_on(suite.sha256)
        if run is None:
            raise SubmissionError(f"{submission.source}: has no run on {suite.name}")
        for text, each in run.sentences.items():
            found.setdefault(text, []).append(each)
    return found


def _fault(claimed: ScoredSentence, found: ScoredSentence, tolerance_bits: float) -> str:
    """Return the first thing that differs, "" if nothing does."""
    if len(claimed.tokens) != len(found.tokens):
        return f"{len(claimed.tokens)} tokens are claimed, and the model has {len(found.tokens)}"
    for number, (ours, theirs) in enumerate(zip(found.tokens, claimed.tokens, strict=True), 1):
        where = f"token {number} ({quoted(ours.text)})"
        if (ours.text, ours.start, ours.end) != (theirs.text, theirs.start, theirs.end):
            return f"{where} is claimed to be {quoted(theirs.text)}, {theirs.start}-{theirs.end}"
        if ours.oov != theirs.oov:
            return f"{where} is claimed {'' if theirs.oov else 'not '}to be an unknown word"
        if theirs.surprisal_bits is None and theirs.why_unscored == "not asked for":
            continue
        if (ours.surprisal_bits is None) != (theirs.surprisal_bits is None):
            return f"{where} has {_words(theirs)} in the submission, and {_words(ours)} now"
        if not _bits_apart(theirs, ours) <= tolerance_bits:
            return f"{where} has {_words(theirs)} in the submission, and {_words(ours)} now"
    return ""


def _bits_apart(one: Token, other: Token) -> float:
    if one.surprisal_bits is None or other.surprisal_bits is None:
        return 0.0
    return abs(one.surprisal_bits - other.surprisal_bits)


def _words(token: Token) -> str:
    return "no number" if token.surprisal_bits is None else f"{token.surprisal_bits:.4f} bits"
