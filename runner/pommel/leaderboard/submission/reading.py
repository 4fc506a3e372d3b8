"""Reading a submission of a stranger: everything in it is checked, nothing is unpacked to disk."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pommel.errors import quoted
from pommel.leaderboard.submission.archive import Archive
from pommel.leaderboard.submission.limits import (
    Counted,
    Limits,
    SubmissionError,
    named,
    parse_strict,
)
from pommel.leaderboard.submission.manifest import MANIFEST, Manifest, SuiteEntry, manifest_from
from pommel.leaderboard.submission.token_lines import read_sentences
from pommel.models import ModelInfo, Policy
from pommel.surprisal import ScoredSentence
from pommel.values import frozen


@frozen(eq=False)
class SubmittedRun:
    """What a submission has of one suite.

    `sentences` are by text, and are sound as such; whether they are the suite's, and whether
    `claimed` (JSON, as it stands in the file of results) follows from them, only `recomputed` can
    say.
    """

    entry: SuiteEntry
    sentences: Mapping[str, ScoredSentence]
    claimed: object


@frozen(eq=False)
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

    def runs_on(self, suites: Mapping[str, str]) -> list[SubmittedRun]:
        """Return the runs on suites, given as names by SHA-256 (`Suite.sha256`).

        Raises `SubmissionError`, which names them, unless all are there.
        """
        known = {each.entry.sha256: each for each in self.runs}
        missing = [each for each in suites if each not in known]
        if missing:
            names = {each.entry.name for each in self.runs}
            what = ", ".join(f"{suites[each]} (SHA-256 {each[:12]}...)" for each in missing[:3])
            more = f" and {len(missing) - 3} more" if missing[3:] else ""
            other = next((suites[each] for each in missing if suites[each] in names), "")
            hint = f"; it has another version of {other}" if other else ""
            raise SubmissionError(f"{self.source}: has no run on {what}{more}{hint}")
        return [known[each] for each in suites]


def read_submission(path: Path, *, limits: Limits | None = None) -> Submission:
    """Read what `write_submission` writes, and refuse everything else.

    Raises `SubmissionError` with the file and the reason. Memory is bounded by the limits: the
    archive itself, and some 200 bytes a token.
    """
    limits = limits or Limits()
    return parse_submission(read_archive(path, limits), source=str(path), limits=limits)


def read_archive(path: Path, limits: Limits) -> bytes:
    """Return the bytes of a submission's file, at most one more than may be."""
    try:
        # Opening a pipe would wait for a writer. A link is fine: whoever reads has named it.
        if path.exists() and not path.is_file():
            raise SubmissionError(f"{path}: is no file")
        with path.open("rb") as stream:
            return stream.read(min(path.stat().st_size, limits.n_archive_bytes) + 1)
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be read: {error.strerror or error}") from None


def parse_submission(raw: bytes, *, source: str, limits: Limits | None = None) -> Submission:
    """Read the bytes of a submission, as `read_submission` does a file's."""
    limits = limits or Limits()
    if len(raw) > limits.n_archive_bytes:
        raise SubmissionError(f"{source}: has more than {limits.n_archive_bytes:,} bytes")
    archive = Archive.of(raw, source, limits)
    if MANIFEST not in archive.members:
        raise SubmissionError(f"{source}: has no {MANIFEST}")
    described = archive.whole(MANIFEST, limits.n_manifest_bytes)
    where = f"{source}: {MANIFEST}"
    manifest = manifest_from(parse_strict(described, where), where)
    _check_suites(manifest, where)
    _check_files(archive, manifest)
    counted = Counted(limits=limits)
    return Submission(
        source=source,
        sha256=hashlib.sha256(described).hexdigest(),
        manifest=manifest,
        runs=tuple(_run(archive, manifest, entry, counted) for entry in manifest.suites),
    )


def _check_suites(manifest: Manifest, where: str) -> None:
    seen: set[object] = set()
    for each in manifest.suites:
        own = {each.sha256, (each.name, each.language)}
        if own & seen:
            raise SubmissionError(f"{where}: has the suite {quoted(each.name)} twice")
        seen |= own


def _check_files(archive: Archive, manifest: Manifest) -> None:
    """Raise unless the files are those of the manifest's suites, byte for byte."""
    source = archive.source
    due = {name for each in manifest.suites for name in (each.surprisals_file, each.results_file)}
    there = archive.members.keys() - {MANIFEST}
    if undue := sorted(there - manifest.files.keys()):
        raise SubmissionError(f"{source}: {undue[0]} is not in the manifest")
    if missing := sorted((manifest.files.keys() | due) - there):
        raise SubmissionError(f"{source}: {named(missing[0])} is missing")
    if undue := sorted(manifest.files.keys() - due):
        raise SubmissionError(f"{source}: {undue[0]} belongs to no suite of the manifest")
    for name, listed in manifest.files.items():
        n_bytes = archive.members[name].file_size
        if n_bytes != listed.n_bytes:
            raise SubmissionError(
                f"{source}: {name} has {n_bytes:,} bytes, and the manifest says {listed.n_bytes:,}"
            )
        digest = hashlib.sha256()
        for piece in archive.content(name):
            digest.update(piece)
        if digest.hexdigest() != listed.sha256:
            raise SubmissionError(f"{source}: {name} has not the SHA-256 that the manifest says")


def _run(archive: Archive, manifest: Manifest, entry: SuiteEntry, counted: Counted) -> SubmittedRun:
    where = f"{archive.source}: {entry.surprisals_file}"
    pieces = archive.content(entry.surprisals_file)
    sentences = read_sentences(pieces, manifest, where, counted)
    found = (len(sentences), sum(len(each.tokens) for each in sentences.values()))
    if found != (entry.n_sentences, entry.n_tokens):
        raise SubmissionError(
            f"{where} has {found[0]:,} sentences and {found[1]:,} tokens, and the manifest says "
            f"{entry.n_sentences:,} and {entry.n_tokens:,}"
        )
    name = entry.results_file
    results = archive.whole(name, counted.limits.n_results_bytes)
    claimed = parse_strict(results, f"{archive.source}: {name}")
    return SubmittedRun(entry=entry, sentences=sentences, claimed=claimed)
