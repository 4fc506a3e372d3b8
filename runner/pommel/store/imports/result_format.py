"""What a format of results offers: how its files are recognised, and what they are read into."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pommel.errors import UsageError, package_version
from pommel.scoring.results import ScoreRule, SuiteResult
from pommel.scoring.run_record import ModelFacts, RunRecord, SuiteFacts

# A result, what is known of its model, and of its suite.
Result = tuple[SuiteResult, ModelFacts, SuiteFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What is said about files of results that they do not say themselves.

    `source` is what the results are called, "" for the format's own name for them, or that of their
    file (see `source_of`). `model`, `suite` and `language` (a tag: en) stand for what a file does
    not name. `columns` maps what a column is
    (`item`) to how a file calls it. `n_items` is how many items a published share is of, and
    `n_items_of` that for single models; None and {} leave it unknown. `chance` is the share of
    items that hold by chance, None what the files or the format say. `score_rule` None is the
    format's own. `keep_all` leaves out what a publication's procedure drops or combines, and
    `by_attractors` makes a suite of each number of intervening nouns.
    """

    source: str = ""
    model: str = ""
    suite: str = ""
    language: str = ""
    score_rule: ScoreRule | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    n_items: int | None = None
    n_items_of: Mapping[str, int] = field(default_factory=dict)
    chance: float | None = None
    keep_all: bool = False
    by_attractors: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The records of files of results, and in a line each what was dropped or is missing."""

    records: tuple[RunRecord, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFormat:
    """A format of results, under the name that `--from` gives it.

    `title` says in a few words what it is. `is_like` says of the first 4,096 characters of a file
    whether they are surely this one's, as the options call its columns. `takes` are the options of
    `ImportOptions` that mean something for it, besides the source. `read` reads files that belong
    together; it raises `InputError` with every fault of them.
    """

    name: str
    title: str
    is_like: Callable[[str, ImportOptions], bool]
    read: Callable[[Sequence[Path], ImportOptions], Imported]
    takes: frozenset[str] = frozenset()


def source_of(options: ImportOptions, paths: Sequence[Path]) -> str:
    """Return what results are called whose format has no name for them: by default like their file.

    Raises `UsageError` where there are several files.
    """
    if not options.source and len(paths) > 1:
        raise UsageError("say with --name what these results are called")
    return options.source or paths[0].stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where records come from: the source's name, its format, the files, and what was done.

    `files` are their names, of which two may be alike, with the SHA-256 of their bytes; `steps` say
    what was dropped or combined.
    """

    source: str
    format: str
    files: Sequence[tuple[str, str]]
    steps: tuple[str, ...] = ()

    def records(self, results: Iterable[Result]) -> tuple[RunRecord, ...]:
        """Return results as records of this origin.

        A record's `run_id` follows from source, model, suite and score rule: what is imported again
        replaces what was there.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        provenance = {
            "source": self.source,
            "format": self.format,
            "files": [{"name": name, "sha256": sha256} for name, sha256 in self.files],
            "steps": [*self.steps],
            "pommel": package_version("pommel"),
            "date": now,
        }
        return tuple(
            RunRecord(
                run_id=RunRecord.id_of(self._decisive(result)),
                result=replace(result, provenance=provenance),
                model=model,
                suite=suite,
                source=self.source,
                created=now,
            )
            for result, model, suite in results
        )

    def _decisive(self, result: SuiteResult) -> dict[str, Any]:
        return {
            "imported": self.source,
            "model": result.model_name,
            "suite": result.suite_name,
            "score_rule": result.score_rule,
        }
