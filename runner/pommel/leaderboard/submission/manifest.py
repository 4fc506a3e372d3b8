"""The manifest of a submission: what it says of itself."""

import datetime as dt
import itertools
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import UsageError, printable, quoted
from pommel.leaderboard.submission.limits import (
    SubmissionError,
    brief,
    check_nesting,
    shape_fault,
)
from pommel.models import Method, ModelInfo, Policy
from pommel.scoring import Choices, Compat, Oov, Score, ScoreRule, Swallowed
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.scoring import RunRecord
    from pommel.store import Store

# Letters to Unicode, of which nothing is seen: the fillers of Hangul.
_FILLERS = "\u115f\u1160\u3164\uffa0"

_MOST_CHARACTERS = {"name": 100, "by": 200, "contact": 200, "url": 500, "note": 2000}
_SCHEMES = ("https://", "http://")
# A name, and maybe a password, in front of a host; other schemes have a revision or digest there.
_USER = re.compile(r"https?://[^/?#\s]*@", re.IGNORECASE)
# Clocks differ.
_LATEST = dt.timedelta(days=1)
# What has no looks of its own at the end of a name: joiners, marks of direction, blank letters.
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u200c\u200d\u200e\u200f\u061c\u2800\u3164\uffa0"
_MOST_MARKS = 8


@frozen
class Submitter:
    """Who submits (`by`), and what else a leaderboard shows; "" for what is not said.

    `name` is what the model is called there: packing puts the model's own in the place of "".
    `contact` is for whoever keeps the leaderboard, `url` where the model is described, `note` a
    remark. Each is one line. Raises `UsageError`.
    """

    by: str
    name: str = ""
    contact: str = ""
    url: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            text = getattr(self, each.name)
            most = _MOST_CHARACTERS[each.name]
            if len(text) > most:
                raise UsageError(f"{each.name} has more than {most} characters")
            if text != printable(text) or text != text.strip() or text != text.strip(_UNSEEN):
                raise UsageError(
                    f"{each.name} cannot be {quoted(text)}; write one line, without blanks around "
                    f"it or characters that are not shown"
                )
            # Accents, points, vowel signs that follow one another.
            runs = itertools.groupby(text, lambda one: unicodedata.category(one).startswith("M"))
            if any(is_mark and len(list(run)) > _MOST_MARKS for is_mark, run in runs):
                raise UsageError(f"{each.name} has more than {_MOST_MARKS} marks on one letter")
        if not self.by:
            raise UsageError("by is empty; write who submits")
        for text, what in ((self.by, "by"), (self.name, "name")):
            if text and not has_letter(text):
                raise UsageError(f"{what} cannot be {text!a}; write a letter or digit")
        # Leaderboards make a link of it.
        if (self.url and not self.url.startswith(_SCHEMES)) or " " in self.url:
            raise UsageError(f"url cannot be {quoted(self.url)}; write https://...")
        if any(_USER.search(getattr(self, each.name)) for each in fields(self)):
            raise UsageError("an address has a user or a password in it; everyone could read it")

    def pack(self, store: "Store", records: "Sequence[RunRecord]", path: Path) -> "Manifest":
        """Write a submission by this submitter (see `write_submission`)."""
        from pommel.leaderboard.submission.packing import write_submission

        return write_submission(store, records, path, about=self)


def has_letter(text: str) -> bool:
    """Return whether a text has a letter or digit that can be seen."""
    return any(each.isalnum() and each not in _FILLERS for each in text)


FORMAT = "pommel-submission"
VERSION = 2
MANIFEST = "manifest.json"

_MOST_LEVELS = 20
# Parts of a model's description that are kept and shown to people; None is what is not known.
_SHOWN = (
    *("reference", "name", "kind", "fingerprint", "revision"),
    *("bos", "eos", "dtype", "device"),
)
# Those of a suite, whose names may need joiners.
_SHOWN_OF_SUITES = ("name", "language", "version")


@frozen
class SuiteEntry:
    """A suite that was run: which one, how much there is of it, and what it claims to come to.

    `region_sums_sha256` is that of `recomputing.region_sums_sha256`. `provenance` is what `Run`s
    have, without what holds for the whole submission.
    """

    name: str
    language: str
    version: str
    sha256: str
    n_items: int
    n_sentences: int
    n_tokens: int
    scores: tuple[Score, ...]
    region_sums_sha256: str
    provenance: Mapping[str, Any]

    @property
    def surprisals_file(self) -> str:
        """Where its tokens are in the archive."""
        return f"surprisals/{self.sha256}.jsonl"

    @property
    def results_file(self) -> str:
        """Where the claimed results are."""
        return f"results/{self.sha256}.json"


@frozen
class FileEntry:
    """A file of the archive, as the manifest has it."""

    n_bytes: int
    sha256: str


@frozen
class Manifest:
    """What a submission says of itself.

    `model` is `ModelInfo.to_dict()`, and `policy` names the method.
    `image_digest` is that of a container's image, None where it has none (an image that was built
    here) and for other models. `created` is when the newest run was made, `pommel` the version that
    packed it.
    """

    pommel: str
    created: str
    submitter: Submitter
    model: Mapping[str, Any]
    image_digest: str | None
    policy: Policy
    compat: Compat | None
    oov: Oov
    swallowed: Swallowed
    score_rule: ScoreRule
    suites: tuple[SuiteEntry, ...]
    files: Mapping[str, FileEntry]

    @property
    def version(self) -> int:
        """The version of its form: without the choice that version 2 brought, it stays 1."""
        return 1 if self.swallowed == "begin" else VERSION

    @property
    def choices(self) -> Choices:
        """By what its predictions were counted."""
        return Choices(
            policy=self.policy,
            compat=self.compat,
            score_rule=self.score_rule,
            oov=self.oov,
            swallowed=self.swallowed,
        )

    @property
    def method(self) -> Method:
        """How the tokens were scored."""
        return self.policy.method

    @property
    def model_info(self) -> ModelInfo:
        """The model, under the name that it is submitted under."""
        return ModelInfo.from_dict({**self.model, "name": self.submitter.name})

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as `schemas/submission.json` describes it."""
        value = {
            "format": FORMAT,
            "version": self.version,
            **asdict(self),
            "policy": described(self.policy),
        }
        for score in (each for suite in value["suites"] for each in suite["scores"]):
            del score["reported_share"]
        if self.version == 1:
            del value["swallowed"]
        return value

    def to_bytes(self) -> bytes:
        """Return the content of `manifest.json`; equal manifests have the same bytes."""
        text = json.dumps(
            self.to_dict(), ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1
        )
        return f"{text}\n".encode()


def manifest_from(value: Any, where: str) -> Manifest:
    """Return the manifest that a JSON value describes.

    Raises `SubmissionError`, beginning with `where`, for another format or version, and for a value
    that does not fit `schemas/submission.json` or itself.
    """
    _check_version(value, where)
    check_nesting(value, where, most=_MOST_LEVELS)
    if fault := shape_fault(value, "submission", is_strict=True):
        raise SubmissionError(f"{where}: this is no manifest: {fault}")
    try:
        submitter = Submitter(**value["submitter"])
    except UsageError as error:
        raise SubmissionError(f"{where}: {brief(error)}") from None
    _check_shown(value, where)
    _check_created(value["created"], where)
    policy = policy_of(value["policy"])
    if policy.fingerprint != value["policy"]["fingerprint"]:
        raise SubmissionError(f"{where}: the policy's fingerprint is not that of the policy")
    said = {
        "swallowed": "begin",
        **{key: each for key, each in value.items() if key not in ("format", "version")},
        "submitter": submitter,
        "policy": policy,
        "suites": tuple(_suite(each) for each in value["suites"]),
        "files": {name: FileEntry(**each) for name, each in value["files"].items()},
    }
    return Manifest(**said)


def _check_version(value: object, where: str) -> None:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise SubmissionError(f'{where}: this is no manifest; it has to hold "format": "{FORMAT}"')
    version = value.get("version")
    if type(version) is not int or version < 1:
        raise SubmissionError(f"{where}: the version {brief(version)} is none; versions count up")
    if version > VERSION:
        raise SubmissionError(
            f"{where}: is a submission of version {version}, and this pommel knows versions up to "
            f"{VERSION}; update pommel (`pip install --upgrade pommel`)"
        )


def _check_shown(value: Mapping[str, Any], where: str) -> None:
    """Raise `SubmissionError` for a text that could steer a terminal, or is read backwards."""
    hidden = [
        f"model's {key}" for key in _SHOWN if not (value["model"].get(key) or "").isprintable()
    ]
    hidden += [
        f"suite's {key}"
        for each in value["suites"]
        for key in _SHOWN_OF_SUITES
        if each[key] != printable(each[key])
    ]
    if not value["pommel"].isprintable():
        hidden.append("version of pommel")
    if hidden:
        raise SubmissionError(f"{where}: the {hidden[0]} has characters that are not shown")
    if any(_USER.search(value["model"].get(key) or "") for key in _SHOWN):
        raise SubmissionError(f"{where}: the model's address has a user or a password in it")


def _check_created(created: str, where: str) -> None:
    """Raise `SubmissionError` for what is no time, or one that is still to come."""
    try:
        when = dt.datetime.fromisoformat(created)
    except ValueError:
        raise SubmissionError(f"{where}: created is {quoted(created)}, and no time") from None
    if when > dt.datetime.now(dt.UTC) + _LATEST:
        raise SubmissionError(f"{where}: was created on {created}, which is still to come")


def described(policy: Policy) -> dict[str, str]:
    """Return a policy as JSON values, with its fingerprint."""
    return {**policy.to_dict(), "fingerprint": policy.fingerprint}


def policy_of(value: Mapping[str, Any]) -> Policy:
    """Return the policy of JSON values that have its fingerprint, too."""
    return Policy(**{name: each for name, each in value.items() if name != "fingerprint"})


def _suite(value: Mapping[str, Any]) -> SuiteEntry:
    scores = tuple(Score(**each) for each in value["scores"])
    return SuiteEntry(**{**value, "scores": scores})
