"""Has the model said these numbers? A sample of sentences, scored again by the model itself."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pommel.errors import InputError, ModelError, counted, quoted
from pommel.leaderboard.board import Board
from pommel.leaderboard.submission import Submission
from pommel.models import Model, known_references
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence, Token


class Rescored(NamedTuple):
    """What came of scoring a sample again that was drawn by `seed`.

    `n_items` is of how many items these are all sentences. `largest_bits` is the largest difference
    of a token's surprisal, 0 where none was compared and infinite where only one is finite;
    `differences` says in words what is not within the tolerance.
    """

    n_sentences: int
    n_items: int
    n_tokens: int
    seed: int
    tolerance_bits: float
    largest_bits: float
    differences: tuple[str, ...]


class Sample(NamedTuple):
    """Sentences of a submission, drawn for its model to score again, all of `n_items` items."""

    submission: Submission
    board: Board
    texts: tuple[str, ...]
    n_items: int = 0
    seed: int = 0

    @classmethod
    def drawn(
        cls,
        submission: Submission,
        board: Board,
        suites: Sequence[Suite],
        n_sentences: int,
        seed: int,
    ) -> "Sample":
        """Draw items of the board's suites until these have so many sentences, or all items.

        So what is scored again is what items' results follow from, and not a sentence here and
        there.
        """
        claimed = _claims(submission, board).keys()
        items = [texts & claimed for texts in _texts_of_items(suites)]
        texts = _drawn(items, n_sentences, seed)
        n_items = sum(bool(item) and item <= texts.keys() for item in items)
        return cls(
            submission=submission, board=board, texts=tuple(texts), n_items=n_items, seed=seed
        )

    @staticmethod
    def suites_drawn(suites: Sequence[Suite], n_sentences: int, seed: int) -> list[Suite | None]:
        """Return suites with the items alone that are drawn, in the place of each; None for none.

        They are those of a submission that has claimed something of each sentence, and know their
        seed (`meta`).
        """
        texts_of_items = _texts_of_items(suites)
        texts = _drawn(texts_of_items, n_sentences, seed).keys()
        left, found = iter(texts_of_items), list[Suite | None]()
        for suite in suites:
            items = tuple(
                item for item, own in zip(suite.items, left, strict=False) if own <= texts
            )
            known = {**suite.meta, _SEED: seed}
            found.append(replace(suite, items=items, meta=known) if items else None)
        return found

    @classmethod
    def of_suites(cls, submission: Submission, board: Board, drawn: Sequence[Suite]) -> "Sample":
        """Return the sample that suites are which `suites_drawn` has returned.

        Raises `InputError` for others.
        """
        seeds = {each.meta.get(_SEED) for each in drawn}
        if len(seeds) != 1 or not isinstance(seed := seeds.pop(), int):
            raise InputError("these suites are no sample that `pommel leaderboard plan` has drawn")
        claimed = _claims(submission, board).keys()
        items = [texts & claimed for texts in _texts_of_items(drawn)]
        return cls(
            submission=submission,
            board=board,
            texts=tuple(sorted(frozenset().union(*items))),
            n_items=sum(map(bool, items)),
            seed=seed,
        )

    def rescored(self, model: Model, *, tolerance_bits: float) -> Rescored:
        """Score sentences with a model, under the submission's policy, and compare; see `compared`.

        Raises what the model raises, too.
        """
        asked = model.score(list(self.texts), self.submission.policy, [None] * len(self.texts))
        answers = {self.texts[index]: scored for index, scored in asked}
        return self.compared(model.info.fingerprint, answers, tolerance_bits=tolerance_bits)

    def compared(
        self, fingerprint: str, answers: Mapping[str, ScoredSentence], *, tolerance_bits: float
    ) -> Rescored:
        """Compare what the model of this fingerprint has said of all texts, token by token.

        A text of more than one suite of the board is compared with what is claimed in each; what is
        claimed of other suites does not count, here as in the ranking. Another fingerprint is a
        difference, too. Tokens that the submission has not asked for are compared by place and name
        only. Raises `SubmissionError` if a suite of the board is missing, and `ModelError` where
        the model has not said something of each text.
        """
        if n_missing := len({*self.texts} - answers.keys()):
            raise ModelError(f"the model has not scored {counted(n_missing, 'sentence')} of it")
        differences = []
        claimed, found = self.submission.model.fingerprint, fingerprint
        if claimed != found:
            differences.append(
                f"the model has the fingerprint {found[:12]}, and the submission says "
                f"{claimed[:12]}"
            )
        known = _claims(self.submission, self.board)
        n_tokens, largest = 0, 0.0
        for text in self.texts:
            found_tokens = answers[text].tokens
            n_tokens += len(found_tokens)
            faults = []
            for claim in known[text]:
                pairs = zip(claim.tokens, found_tokens, strict=False)
                largest = max([largest, *(_bits_apart(*pair) for pair in pairs)])
                faults.append(_fault(claim, answers[text], tolerance_bits))
            differences += [f"{quoted(text)}: {each}" for each in dict.fromkeys(faults) if each]
        return Rescored(
            n_sentences=len(self.texts),
            n_items=self.n_items,
            n_tokens=n_tokens,
            seed=self.seed,
            tolerance_bits=tolerance_bits,
            largest_bits=largest,
            differences=tuple(differences),
        )


# What a suite that was drawn knows of that.
_SEED = "sample_seed"


def _texts_of_items(suites: Sequence[Suite]) -> list[frozenset[str]]:
    return [
        frozenset(each.sentence(suite.joiner).text for each in item.conditions)
        for suite in suites
        for item in suite.items
    ]


def _drawn(items: Sequence[frozenset[str]], n_sentences: int, seed: int) -> dict[str, None]:
    """Return the sentences of items that are drawn until there are so many."""
    chance = random.Random(seed)  # noqa: S311 - what is drawn is told
    texts: dict[str, None] = {}
    for item in chance.sample(items, len(items)):
        if len(texts) >= n_sentences:
            break
        texts |= dict.fromkeys(sorted(item))
    return texts


def _claims(submission: Submission, board: Board) -> dict[str, list[ScoredSentence]]:
    """Return all that is claimed of each text of the board's suites; raises `SubmissionError`."""
    found: dict[str, list[ScoredSentence]] = {}
    for run in submission.runs_on({each.sha256: each.name for each in board.suites}):
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
        is_other = (ours.surprisal_bits is None) != (theirs.surprisal_bits is None)
        if is_other or not _bits_apart(theirs, ours) <= tolerance_bits:
            return f"{where} has {_words(theirs)} in the submission, and {_words(ours)} now"
    return ""


def _bits_apart(one: Token, other: Token) -> float:
    if one.surprisal_bits is None or other.surprisal_bits is None:
        return 0.0
    return abs(one.surprisal_bits - other.surprisal_bits)


def _words(token: Token) -> str:
    return "no number" if token.surprisal_bits is None else f"{token.surprisal_bits:.4f} bits"


# No character of a pattern, no address with a user or a question, and nothing that goes up.
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_HUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)?(@[A-Za-z0-9_.+/-]+)?")

_IN_REGISTRIES = ("docker", "podman", "library", "shub")
# How many parts the name of an image has at most where no registry is named. Docker's names have
# any number; there, a registry is what has a dot, a port, or capitals, or is localhost.
_MOST_PARTS = {"library": 3, "shub": 2, "oras": 0}
# A name with dots whose last part begins with a letter is no address in numbers.
_HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*(:443)?", re.IGNORECASE)
# Names of this machine and of networks that are not public end so.
_PRIVATE = re.compile(
    r"(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|arpa)(:443)?\Z",
    re.IGNORECASE,
)

# What comes behind apptainer:// may be a file as well as an image in a registry.
_APPTAINER = ("apptainer", "singularity")
_APPTAINER_SOURCES = ("docker", "library", "shub", "oras")


def may_be_opened(reference: str) -> bool:
    """Say whether a stranger's reference leads to no file, folder or server of this machine."""
    scheme, _, rest = reference.partition("://")
    # A folder that is here would win over a name of the hub.
    names = (rest, rest.partition("@")[0]) if scheme.lower() == "huggingface" else ()
    return _is_public(reference) and not any(Path(name).exists() for name in names)


def can_be_had(reference: str, revision: str | None, image_digest: str | None) -> bool:
    """Say whether anybody can have the weights that a submission says its numbers are of.

    They can be had of a built-in model, of one from the Hugging Face hub (its commit is known;
    of a folder there is none), and of an image that a public registry has by its digest. Nobody
    has those behind a server or a program, of a recording, of files, and of images that were
    built and not pushed. What the submission says need not be so: whether there is such a name on
    the hub or in a registry is not looked up.
    """
    scheme = reference.partition("://")[0].lower()
    if scheme in (*_IN_REGISTRIES, *_APPTAINER):
        return image_digest is not None and _is_public(f"docker://{image_digest}")
    return _is_public(reference) and (scheme != "huggingface" or revision is not None)


def _is_public(reference: str) -> bool:
    scheme, _, rest = reference.partition("://")
    scheme = scheme.lower()
    if scheme in _APPTAINER:
        scheme, mark, rest = rest.partition("://")
        return scheme in _APPTAINER_SOURCES and bool(mark) and _is_image(scheme, rest)
    if scheme in _IN_REGISTRIES:
        return _is_image(scheme, rest)
    if scheme == "huggingface":
        return bool(_HUB_NAME.fullmatch(rest)) and ".." not in rest
    return scheme == "builtin" and f"builtin://{rest}" in known_references()[0]


def _is_image(scheme: str, name: str) -> bool:
    if not _IMAGE.fullmatch(name) or ".." in name:
        return False
    host, slash, _ = name.partition("/")
    is_named = bool(slash) and (
        not re.fullmatch("[A-Za-z0-9_-]+", host)
        or host.lower() == "localhost"
        or name.count("/") >= _MOST_PARTS.get(scheme, math.inf)
        or (scheme not in _MOST_PARTS and host != host.lower())
    )
    return not is_named or bool(_HOST.fullmatch(host) and not _PRIVATE.search(host))
