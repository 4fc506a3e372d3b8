"""Packing stored runs of one model into a submission."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from pommel.errors import UsageError, counted, package_version, quoted
from pommel.files import replacing
from pommel.leaderboard.submission.archive import LEVEL, pack
from pommel.leaderboard.submission.limits import Limits, canonical_line
from pommel.leaderboard.submission.manifest import (
    MANIFEST,
    FileEntry,
    Manifest,
    Submitter,
    SuiteEntry,
    policy_of,
)
from pommel.leaderboard.submission.own_paths import (
    has_path,
    is_local,
    published_model,
    published_name,
    without_paths,
)
from pommel.leaderboard.submission.reading import parse_submission
from pommel.leaderboard.submission.recomputing import claims_of, recomputed, region_sums_sha256
from pommel.leaderboard.submission.token_lines import surprisal_lines
from pommel.scoring import Run, RunRecord
from pommel.store import Store
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence

# What of a run's provenance holds for all runs of a submission, or is said of the suite.
_SHARED = {"suite", "model", "policy", "method", "compat", "score_rule", "oov", "swallowed"}


def write_submission(
    store: Store,
    records: Sequence[RunRecord],
    path: Path,
    *,
    about: Submitter,
    limits: Limits | None = None,
) -> Manifest:
    """Pack runs of a store, and return the manifest of what was written.

    The same runs, submitter and version of pommel give the same bytes, in whichever order the runs
    come. What is written has been read again, and recomputed; it appears at `path` when all is
    well. Paths of this machine are left out. Raises `UsageError` for runs that are not of one model
    under one policy, or on the first items of suites only, and for a model without a name that is
    known by its path only, `StoreError` for tokens that are gone, and `SubmissionError` for runs
    that no leaderboard would take.
    """
    limits = limits or Limits()
    for each in records:
        if each.suite.first_items_of:
            raise UsageError(
                f"{each.result.suite_name}: only its first items were run (--limit), and a board "
                f"has whole suites; run it without --limit"
            )
        if each.choice("verdicts"):
            raise UsageError(
                f"{each.result.suite_name}: its tokens are of two number formats (--verdicts), and "
                f"whoever scores them again has one; run it without --verdicts, or in float32"
            )
    _check_runs(store, records)
    ordered = sorted(records, key=lambda run: (run.result.suite_name, run.suite.language))
    with replacing(path) as aside:
        with ZipFile(aside, "w", ZIP_DEFLATED, compresslevel=LEVEL) as archive:
            manifest, suites = _write(store, ordered, archive, about, limits)
        again = parse_submission(aside.read_bytes(), source=str(path), limits=limits)
        recomputed(again, suites)
    return manifest


def _write(
    store: Store,
    records: Sequence[RunRecord],
    archive: ZipFile,
    about: Submitter,
    limits: Limits,
) -> tuple[Manifest, list[Suite]]:
    newest = max(records, key=lambda run: (run.created, run.run_id))
    model, about = _published(newest.result.provenance["model"], newest.result.model_name, about)
    policy, choices = policy_of(newest.policy), newest.choices
    entries, suites = [], []
    files: dict[str, FileEntry] = {}
    for record, run in zip(records, store.runs.runs(records), strict=True):
        every = {each.text: each for row in run.surprisals.sentences for each in row}
        sentences = [*every.values()]
        entry = _entry(record, run, sentences)
        lines = surprisal_lines(model, policy.to_dict(), sentences)
        claims = [canonical_line(claims_of(run.result, record.choices.swallowed_regions))]
        for name, pieces in ((entry.surprisals_file, lines), (entry.results_file, claims)):
            files[name] = pack(archive, name, pieces, limits)
        entries.append(entry)
        suites.append(run.surprisals.suite)
    manifest = Manifest(
        pommel=package_version("pommel"),
        created=newest.created,
        submitter=about,
        model=model,
        image_digest=_image_digest(model),
        policy=policy,
        compat=choices.compat,
        oov=choices.oov,
        swallowed=choices.swallowed_regions,
        score_rule=choices.result_rule,
        suites=tuple(entries),
        files=files,
    )
    pack(archive, MANIFEST, [manifest.to_bytes()], limits)
    return manifest, suites


def _entry(record: RunRecord, run: Run, sentences: Sequence[ScoredSentence]) -> SuiteEntry:
    provenance = record.result.provenance
    return SuiteEntry(
        name=record.result.suite_name,
        language=record.suite.language,
        version=record.suite.version,
        sha256=record.suite.sha256,
        n_items=len(record.result.item_numbers),
        n_sentences=len(sentences),
        n_tokens=sum(len(each.tokens) for each in sentences),
        scores=record.result.scores,
        region_sums_sha256=region_sums_sha256(run.surprisals.table),
        provenance=without_paths(
            {key: each for key, each in provenance.items() if key not in _SHARED}
        ),
    )


def _published(
    model: Mapping[str, Any], name: str, about: Submitter
) -> tuple[Mapping[str, Any], Submitter]:
    """Return a model's description without paths of this machine, and what is said of it.

    It is called `name` if nothing else is said. Raises `UsageError` for a path in what is said, and
    for a model that is one and has not been given a name.
    """
    for each in ("by", "name", "contact", "note"):
        if has_path(getattr(about, each)):
            raise UsageError(
                f"{each} has a path of a machine in it, and everyone could read it; write it "
                f"without"
            )
    if not about.name and is_local(model["reference"], model.get("revision")):
        raise UsageError(
            f"the model {quoted(model['reference'])} is called by a path of this machine, which is "
            f"not published; say what it is to be called, with --name 'NAME'"
        )
    named = about if about.name else replace(about, name=published_name(name))
    return published_model(model, named.name), named


def _image_digest(model: Mapping[str, Any]) -> str | None:
    if model["kind"] != "container":
        return None
    digests: list[str] = model["details"].get("image", {}).get("digests", [])
    return min(digests, default=None)


def _check_runs(store: Store, records: Sequence[RunRecord]) -> None:
    """Raise `UsageError` unless these can be one submission."""
    if not records:
        raise UsageError("a submission has one run or more")
    store.runs.check_tokens(records)
    for each in records:
        if failed := each.result.provenance.get("failed"):
            raise UsageError(
                f"{each.run_id} ({each.result.suite_name}): the model has failed at "
                f"{counted(len(failed), 'sentence')}, the first {quoted(next(iter(failed)))}; a "
                f"submission has an answer for every one"
            )
    first = records[0]
    for other in records[1:]:
        _check_same(first, other)
    seen: dict[tuple[str, str], RunRecord] = {}
    for each in records:
        before = seen.setdefault((each.result.suite_name, each.suite.language), each)
        if before is not each:
            raise UsageError(
                f"{before.run_id} and {each.run_id} are both runs on {each.result.suite_name}; "
                f"name one of them"
            )


def _check_same(one: RunRecord, other: RunRecord) -> None:
    if one.model.fingerprint != other.model.fingerprint:
        names = f"{one.result.model_name} and {other.result.model_name}"
        if one.result.model_name == other.result.model_name:
            fingerprints = (each.model.fingerprint[:12] for each in (one, other))
            names += f" ({' and '.join(f'fingerprint {each}' for each in fingerprints)})"
        raise UsageError(
            f"a submission is of one model, and these runs are of {names}; choose one with --model "
            f"or by the ids of its runs"
        )
    theirs = _choices(other)
    for name, ours in _choices(one).items():
        if ours != theirs[name]:
            how = "--score" if name == _RULE else f"--policy {name}=..."
            raise UsageError(
                f"a submission's runs are all scored alike, and {name} is {ours} in {one.run_id} "
                f"({one.result.suite_name}) and {theirs[name]} in {other.run_id} "
                f"({other.result.suite_name}); choose with {how}"
            )


_RULE = "the score rule"


def _choices(run: RunRecord) -> dict[str, str]:
    """Return what has to be the same in all runs, by its name."""
    policy = {name: str(each) for name, each in run.policy.items() if name != "fingerprint"}
    return {
        **policy,
        "compat": run.settings.get("compat") or "none",
        "oov": run.settings.get("oov", "keep"),
        "swallowed": str(run.choice("swallowed")),
        _RULE: run.result.score_rule,
    }
