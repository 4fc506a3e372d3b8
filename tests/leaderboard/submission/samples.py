"""A sound submission in its parts, and how it is taken apart, changed and packed again."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builders import Sentences
from tests.leaderboard.submission.zip_builder import Entry, zip_of
from tests.store.run_samples import agreement, made, store_at
from tests.word_model import WordModel

from pommel.leaderboard.submission import Submitter, parse_submission, recomputed, write_submission
from pommel.models.model import Policy
from pommel.scoring.run import Run
from pommel.scoring.run_record import RunRecord
from pommel.store import Store
from pommel.suite.suite import Suite

SOURCE = "x.pommel.zip"
ABOUT = Submitter(by="A. Linguist", name="Words", url="https://example.org/words")

BIRDS: tuple[Sentences, ...] = (
    {"good": ("Two wrens", "sing", "."), "bad": ("Two wrens", "sings", ".")},
    {"good": ("A robin", "flies", "."), "bad": ("A robin", "fly", ".")},
)
AGREEMENT = agreement()
SONG = agreement("song", BIRDS)
SUITES = (AGREEMENT, SONG)

Change = Callable[[Any], object]


def surprisals(suite: Suite = AGREEMENT) -> str:
    """Return where a suite's tokens are."""
    return f"surprisals/{suite.sha256}.jsonl"


def results(suite: Suite = AGREEMENT) -> str:
    """Return where a suite's claimed results are."""
    return f"results/{suite.sha256}.json"


def word_model(**choices: Any) -> WordModel:
    """Return a model with a method that it names."""
    return WordModel(methods=("causal",), **choices)


def records_of(store: Store) -> list[RunRecord]:
    """Return all that a store has."""
    return store.runs.records()


def packed(
    folder: Path,
    suites: tuple[Suite, ...] = SUITES,
    model: WordModel | None = None,
    *,
    about: Submitter = ABOUT,
    **choices: Any,
) -> tuple[bytes, list[Run]]:
    """Run a model on suites and pack that; return the archive and the runs."""
    path = folder / SOURCE
    with store_at(folder) as store:
        runs = [made(store, suite, model or word_model(), **choices) for suite in suites]
        write_submission(store, records_of(store), path, about=about)
    return path.read_bytes(), runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The files of a submission, in their order; every change makes others of them."""

    files: Mapping[str, bytes]

    @classmethod
    def of(cls, raw: bytes) -> "Parts":
        """Take a submission apart, by Python's own reader."""
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return cls(files={name: archive.read(name) for name in archive.namelist()})

    @property
    def manifest(self) -> Any:
        """The manifest as a JSON value of its own."""
        return json.loads(self.files["manifest.json"])

    def entries(self) -> list[Entry]:
        """Return the files as entries of an archive."""
        return [Entry(name=name.encode(), content=each) for name, each in self.files.items()]

    def packed(self) -> bytes:
        """Return the archive."""
        return zip_of(self.entries())

    def with_raw(self, name: str, content: bytes) -> "Parts":
        """Replace or add a file, and nothing else."""
        return Parts(files={**self.files, name: content})

    def with_manifest(self, change: Change) -> "Parts":
        """Change the manifest."""
        manifest = self.manifest
        change(manifest)
        return self.with_raw("manifest.json", json.dumps(manifest).encode())

    def with_file(self, name: str, content: bytes) -> "Parts":
        """Replace or add a file, and have the manifest say so."""
        sha256 = hashlib.sha256(content).hexdigest()

        def note(manifest: Any) -> None:
            manifest["files"][name] = {"n_bytes": len(content), "sha256": sha256}

        return self.with_raw(name, content).with_manifest(note)

    def with_claims(self, change: Change, suite: Suite = AGREEMENT) -> "Parts":
        """Change the claimed results of a suite; the manifest has the new hash."""
        claims = json.loads(self.files[results(suite)])
        change(claims)
        return self.with_file(results(suite), json.dumps(claims).encode())

    def with_lines(self, change: Change, suite: Suite = AGREEMENT) -> "Parts":
        """Change the lines of a suite's surprisals; hash and counts in the manifest are right."""
        lines = [json.loads(line) for line in self.files[surprisals(suite)].splitlines()]
        change(lines)
        content = "".join(f"{json.dumps(each)}\n" for each in lines).encode()

        def count(manifest: Any) -> None:
            (entry,) = (each for each in manifest["suites"] if each["sha256"] == suite.sha256)
            entry["n_sentences"] = len(lines) - 1
            entry["n_tokens"] = sum(len(each["tokens"]) for each in lines[1:])

        return self.with_file(surprisals(suite), content).with_manifest(count)


def taken(raw: bytes) -> list[Run]:
    """Read and recompute a submission, as a leaderboard does."""
    submission = parse_submission(raw, source=SOURCE)
    return recomputed(submission, SUITES)


def policy_dict(**choices: Any) -> dict[str, str]:
    """Return a policy as a manifest has it."""
    policy = Policy(**choices)
    return {**policy.to_dict(), "fingerprint": policy.fingerprint}
