"""Reading a submission of a stranger: everything in it is checked, nothing is unpacked to disk."""

import hashlib
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import quoted
from pommel.leaderboard.submission.archive import Member, content_of, members_of
from pommel.leaderboard.submission.limits import (
    Counted,
    Limits,
    SubmissionError,
    named,
    parse_strict,
)
from pommel.leaderboard.submission.manifest import (
    MANIFEST,
    Manifest,
    SuiteEntry,
    manifest_from,
    read_claims,
)
from pommel.leaderboard.submission.token_lines import read_sentences
from pommel.models import ModelInfo, Policy
from pommel.scoring import SuiteResult
from pommel.surprisal import ScoredSentence

_OURS = re.compile(r"manifest\.json|surprisals/[0-9a-f]{64}\.jsonl|results/[0-9a-f]{64}\.json")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubmittedRun:
    """What a submission has of one suite.

    `sentences` are by text, and are sound as such; whether they are the suite's, and whether
    `claimed` follows from them, only `recomputed` can say.
    """

    entry: SuiteEntry
    sentences: Mapping[str, ScoredSentence]
    claimed: SuiteResult


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Submission:
    """A submission that has been read; `source` names it in messages.

    `sha256` is that of the manifest, which has the hashes of everything else: it is the same for
    the same content, however that is packed.
    """

    source: str
    sha256: str
    manifest: Manifest
    runs: tuple[SubmittedRun, ...]

    @property
    def model(self) -> ModelInfo:
        """The model, under the name that it is submitted under."""
        return self.manifest.model_info

    @property
    def reference(self) -> str:
        """The reference by which the model is loaded: its image by digest, if it has one."""
        digest = self.manifest.image_digest
        return f"docker://{digest}" if digest else self.model.reference

    @property
    def policy(self) -> Policy:
        """How all sentences were scored; it names the method."""
        return self.manifest.policy

    def run_on(self, suite_sha256: str) -> SubmittedRun | None:
        """Return the run on the suite with this SHA-256 (`Suite.sha256`)."""
        return next((each for each in self.runs if each.entry.sha256 == suite_sha256), None)


def read_submission(path: Path, *, limits: Limits | None = None) -> Submission:
    """Read what `write_submission` writes, and refuse everything else.

    Raises `SubmissionError` with the file and the reason. Memory is bounded by the limits: the
    archive itself, and some 200 bytes a token.
    """
    limits = limits or Limits()
    try:
        status = path.stat()
        # Opening a pipe would wait for a writer.
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionError(f"{path}: is no file")
        with path.open("rb") as stream:
            raw = stream.read(min(status.st_size, limits.n_archive_bytes) + 1)
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be read: {error.strerror or error}") from None
    return parse_submission(raw, source=str(path), limits=limits)


def parse_submission(raw: bytes, *, source: str, limits: Limits | None = None) -> Submission:
    """Read the bytes of a submission, as `read_submission` does a file's."""
    limits = limits or Limits()
    if len(raw) > limits.n_archive_bytes:
        raise SubmissionError(f"{source}: has more than {limits.n_archive_bytes:,} bytes")
    members = members_of(raw, source, limits)
    _check_names(members, source)
    described = _whole(raw, members[MANIFEST], source, limits.n_manifest_bytes)
    where = f"{source}: {MANIFEST}"
    manifest = manifest_from(parse_strict(described, where), where)
    _check_suites(manifest, where)
    _check_files(raw, members, manifest, source)
    counted = Counted(limits=limits)
    return Submission(
        source=source,
        sha256=hashlib.sha256(described).hexdigest(),
        manifest=manifest,
        runs=tuple(
            _run(raw, members, manifest, entry, source, counted) for entry in manifest.suites
        ),
    )


def _check_names(members: Mapping[str, Member], source: str) -> None:
    for name in members:
        if not _OURS.fullmatch(name):
            raise SubmissionError(
                f"{source}: {named(name)} is no file of a submission; only JSON is read, no "
                f"pickles or programs"
            )
    if MANIFEST not in members:
        raise SubmissionError(f"{source}: has no {MANIFEST}")


def _whole(raw: bytes, member: Member, source: str, most: int) -> bytes:
    """Return the content of a file that is not read line by line."""
    if member.n_bytes > most:
        raise SubmissionError(f"{source}: {member.name} has more than {most:,} bytes")
    return b"".join(content_of(raw, member, source))


def _check_suites(manifest: Manifest, where: str) -> None:
    hashes, names = set(), set()
    for each in manifest.suites:
        name = (each.name, each.language)
        if each.sha256 in hashes or name in names:
            raise SubmissionError(f"{where}: has the suite {quoted(each.name)} twice")
        hashes.add(each.sha256)
        names.add(name)


def _check_files(
    raw: bytes, members: Mapping[str, Member], manifest: Manifest, source: str
) -> None:
    """Raise unless the files are those of the manifest's suites, byte for byte."""
    due = {name for each in manifest.suites for name in (each.surprisals_file, each.results_file)}
    there = members.keys() - {MANIFEST}
    if undue := sorted(there - manifest.files.keys()):
        raise SubmissionError(f"{source}: {undue[0]} is not in the manifest")
    if missing := sorted((manifest.files.keys() | due) - there):
        raise SubmissionError(f"{source}: {named(missing[0])} is missing")
    if undue := sorted(manifest.files.keys() - due):
        raise SubmissionError(f"{source}: {undue[0]} belongs to no suite of the manifest")
    for name, listed in manifest.files.items():
        n_bytes = members[name].n_bytes
        if n_bytes != listed.n_bytes:
            raise SubmissionError(
                f"{source}: {name} has {n_bytes:,} bytes, and the manifest says {listed.n_bytes:,}"
            )
        digest = hashlib.sha256()
        for piece in content_of(raw, members[name], source):
            digest.update(piece)
        if digest.hexdigest() != listed.sha256:
            raise SubmissionError(f"{source}: {name} has not the SHA-256 that the manifest says")


def _run(  # noqa: PLR0913, PLR0917 - what is read, and what it is read against
    raw: bytes,
    members: Mapping[str, Member],
    manifest: Manifest,
    entry: SuiteEntry,
    source: str,
    counted: Counted,
) -> SubmittedRun:
    before = (counted.n_sentences, counted.n_tokens)
    name = entry.surprisals_file
    pieces = content_of(raw, members[name], source)
    sentences = read_sentences(pieces, manifest, f"{source}: {name}", counted)
    found = (counted.n_sentences - before[0], counted.n_tokens - before[1])
    if found != (entry.n_sentences, entry.n_tokens):
        raise SubmissionError(
            f"{source}: {name} has {found[0]:,} sentences and {found[1]:,} tokens, and the "
            f"manifest says {entry.n_sentences:,} and {entry.n_tokens:,}"
        )
    name = entry.results_file
    results = _whole(raw, members[name], source, counted.limits.n_results_bytes)
    claimed = read_claims(results, manifest, entry, f"{source}: {name}")
    return SubmittedRun(entry=entry, sentences=sentences, claimed=claimed)
