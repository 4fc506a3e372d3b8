"""The folder of a study: what its steps make, which of them are done, and who does the others.

    study.toml                as it was when the steps were last run
    text/ models/             what models are trained on, and the models
    published/ materials/     what others have published: results, and suites made of theirs
    variants/                 suites written otherwise
    store.sqlite              results of the study's models; published.sqlite has the published ones
    tables/ figures/          what statistics say, and plots
    logs/STEP.log             all that a step has said
    steps/STEP.json           a step that is done, and of what
    values.csv                every value of every table: printed, recomputed, of the study's models
    index.html                the page

A step is done if its file in steps/ says so of the same command, the same files and the same steps
before it. That is written last, so that a study which was killed goes on where it stood; what
trains and what runs models goes on within its step. What was begun otherwise than it is asked for
now is cleared away first: texts and tables of it, and all runs, whose surprisals stay. Models that
were trained, and shards, go only where somebody has said so.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pommel.errors import InputError, PommelError, UsageError, listed
from pommel.files import (
    GZIP_FAULTS,
    locked_for_others,
    make_folder,
    opened,
    replacing,
    sha256_of,
    write_text,
)
from pommel.sharding import Worker
from pommel.store import Store
from pommel.studies.page import write_page
from pommel.studies.steps import (
    JOIN,
    OFFLINE,
    OWN_STORE,
    PUBLISHED_STORE,
    Asked,
    Step,
    StudySteps,
)
from pommel.studies.study import Study, at_scale
from pommel.studies.values import StudyValue, read_numbers
from pommel.values import frozen

PAGE = "index.html"
_VALUES = "values.csv"
# What steps make, and which of it costs hours.
_CLEARED = (
    "figures",
    "materials",
    "models",
    "plans",
    "published",
    "shards",
    "tables",
    "text",
    "variants",
)
_COSTLY = ("models", "shards")
_SECONDS_BETWEEN_LOOKS = 0.05


@frozen
class StepEnd:
    """How a step has ended: `seconds` it took, `failure` is "" or what is to be known of it."""

    step: Step
    seconds: float
    failure: str = ""
    status: int = 0


@frozen(slots=False)
class StudyFolder:
    """A study that is done in a folder, as it was asked for."""

    study: Study
    asked: Asked
    path: Path
    n_jobs: int | None = None
    restart: bool = False
    ends: list[StepEnd] = field(default_factory=list)

    @staticmethod
    def copy(study: Study, folder: Path) -> list[Path]:
        """Copy the file of a study, and those of its printed values; return their paths.

        Raises `UsageError` if one of them is there already.
        """
        paths = [folder / each.relative_to(study.file.parent) for each in study.files]
        if there := [path for path in paths if path.exists()]:
            raise UsageError(f"{there[0]} is there already; give another folder")
        for path in paths:
            make_folder(path.parent)
            _copy(study.file.parent / path.relative_to(folder), path)
        return paths

    @cached_property
    def plan(self) -> StudySteps:
        """All steps; raises `UsageError` for a scale that the study has not."""
        if self.asked.scale not in self.study.scales:
            there = listed([*self.study.scales])
            raise UsageError(
                f"{self.study.file.name} has no scale {self.asked.scale}; it has {there}"
            )
        for language, path in self.asked.corpora.items():
            if language not in self.study.languages:
                there = listed(self.study.languages, most=9)
                raise UsageError(f"the study has no language {language!r}: it has {there}")
            if not path.is_file():
                raise InputError(f"{path}: there is no such text")
        if self.asked.ratings and not self.study.takes_ratings:
            raise UsageError("--ratings: the study has no table that people stand in")
        for path in self.asked.ratings.values():
            if not path.is_file():
                raise InputError(f"{path}: there is no such table of ratings")
        return StudySteps.of(self.study, self.asked)

    @property
    def n_at_once(self) -> int:
        """How many steps are under way at once: as many as was said, or two."""
        return self.n_jobs or min(2, os.cpu_count() or 1)

    @property
    def page(self) -> Path:
        """The page that a study ends in."""
        return self.path / PAGE

    def is_done(self, step: Step) -> bool:
        """Say whether a step need not be done again."""
        file = self._done_file(step)
        told = _read(file)
        is_same = told.get("key") == self._keys[step.name] and "seconds" in told
        return is_same and all((self.path / each).exists() for each in step.makes)

    def _done_file(self, step: Step) -> Path:
        return self.path / "steps" / f"{step.name}.json"

    def log(self, step: Step) -> Path:
        """Return the file of what a step has said."""
        return self.path / "logs" / f"{step.name}.log"

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """What each step rests on: its command, files from outside, and the steps before it."""
        keys: dict[str, str] = {}
        for step in self.plan.steps:
            outside = map(Path, step.reads)
            files = [each for path in outside for each in (path, *sorted(path.rglob("*.json")))]
            sums = [sha256_of(path) for path in files if path.is_file()]
            told = [*step.words, *sums, *(keys.get(each, "") for each in step.needs)]
            keys[step.name] = hashlib.sha256("\0".join(told).encode()).hexdigest()
        return keys

    def run(self) -> Generator[str]:
        """Do what is not done, several steps at once, and yield in words what is under way.

        `ends` has each step that has ended. In the end the values and the page are written. Closed
        before, it ends what is under way. Raises `UsageError` where somebody else is at it or a
        text is missing, and `PommelError`, with the exit status of a step that has failed.
        """
        if missing := self.plan.missing_corpora:
            options = " ".join(f"--corpus {each}=FILE" for each in missing)
            raise UsageError(f"this scale trains on text that people wrote: {options}")
        for name in ("logs", "steps", "tables", "figures", "text", "models", "plans"):
            make_folder(self.path / name)
        with (self.path / "steps" / "lock").open("a") as lock:
            if not locked_for_others(lock.fileno(), waiting=False):
                raise UsageError(f"{self.path}: a study is being done there; give another -o")
            copied = self.path / "study.toml"
            if copied.resolve() != self.study.file.resolve():
                _copy(self.study.file, copied)
            yield from self._run_steps()
            self._write_page()

    def _run_steps(self) -> Generator[str]:
        self._clear()
        work = _Work(folder=self)
        try:
            while work.begin() or work.running:
                yield ", ".join(work.running)
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                work.look()
        finally:
            Worker.end_all(each.worker for each in work.running.values())
        if work.failures:
            error = PommelError("\npommel: ".join(each.failure for each in work.failures))
            error.exit_status = work.failures[0].status
            raise error

    def _clear(self) -> None:
        """Clear away what was done, or begun, by steps that are others now, or none.

        Raises `UsageError`, before anything goes, for what has cost hours and was not given up.
        """
        files = {path.stem: path for path in (self.path / "steps").glob("*.json")}
        told = {name: _read(path) for name, path in files.items()}
        stale = {name for name in files if told[name].get("key") != self._keys.get(name)}
        stores = {"run-": self.path / OWN_STORE, "import-": self.path / PUBLISHED_STORE}
        emptied = [
            store for kind, store in stores.items() if any(name.startswith(kind) for name in stale)
        ]
        for kind, store in stores.items():
            if store in emptied or not store.exists():
                stale |= {name for name in files if name.startswith(kind)}
        made = {path: name for name in stale for path in self._cleared(told[name].get("makes"))}
        costly = [
            name
            for path, name in made.items()
            if path.relative_to(self.path).parts[0] in _COSTLY and path.exists()
        ]
        if costly and not self.restart:
            raise UsageError(
                f"{self.path}: {listed(sorted(costly))} was done otherwise than it is asked for "
                "now; --restart deletes that and does it anew, another -o keeps it"
            )
        for store in emptied:
            if store.exists():
                with Store.open(store) as kept:
                    kept.runs.delete([each.run_id for each in kept.runs.heads()])
        for path in made:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        for name in stale:
            files[name].unlink()

    def _cleared(self, makes: object) -> Iterator[Path]:
        """Yield what of the paths that a step has made lies where steps make something.

        The file that says so may be anybody's.
        """
        for each in makes if isinstance(makes, list) else ():
            parts = Path(str(each)).parts
            if len(parts) > 1 and parts[0] in _CLEARED and ".." not in parts:
                yield self.path / str(each)

    def start(self, step: Step) -> Worker | None:
        """Start a step; what takes no worker is done at once."""
        self._tell(step)
        if step.words[0] == JOIN:
            _join(self.path / step.output, (self.path / each for each in step.words[1:]))
            return None
        n_threads = str(max(1, (os.cpu_count() or 1) // self.n_at_once))
        return Worker.started(
            step.expanded(self.path),
            self.log(step),
            {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", n_threads)},
            folder=self.path,
            output=self._part(step) if step.output else None,
        )

    def _tell(self, step: Step, seconds: float | None = None) -> None:
        """Write what is known of a step; with the seconds that it took, it is done."""
        told = {"key": self._keys[step.name], "command": step.line, "makes": step.makes}
        done = {} if seconds is None else {"seconds": round(seconds, 1)}
        write_text(self._done_file(step), json.dumps({**told, **done}) + "\n")

    def _part(self, step: Step) -> Path:
        output = self.path / step.output
        return output.with_name(f".{output.name}.part")

    def end(self, step: Step, status: int, seconds: float) -> StepEnd:
        """Return how a step has ended; if well, it is done from now on."""
        failure, part = "", self._part(step)
        has_part = bool(step.output) and part.exists()
        if status:
            said = self.log(step).read_text("utf-8", "replace").strip().splitlines()
            last = said[-1].removeprefix("pommel: ") if said else "it said nothing"
            failure = f"{step.name} failed with status {status}: {last} ({self.log(step)})"
        elif has_part:
            try:
                self._check(step, part)
            except InputError as error:
                failure, status = f"{step.name}: {error}", error.exit_status
        if has_part and not failure:
            _copy(part, self.path / step.output)
        if has_part:
            part.unlink()
        if not failure:
            self._tell(step, seconds)
        # Ended by a signal, it has no status that a command has.
        status = max(1, status) if failure else 0
        ended = StepEnd(step=step, seconds=seconds, failure=failure, status=status)
        self.ends.append(ended)
        return ended

    def _check(self, step: Step, output: Path) -> None:
        """Raise `InputError` if a statistic has not what its table needs."""
        for table in self.study.tables:
            if step.output in (table.file("own"), table.file("published")):
                read_numbers(output, table)

    def counts(self) -> dict[str, int]:
        """Return how many printed values come out as printed, differ, and cannot be computed."""
        return StudyValue.counts(self.values)

    def planned(self) -> Iterator[str]:
        """Yield what `pommel plan` says of models that would run by a plan: shards and costs.

        Nothing is written to the study's folder, and no model is loaded. Materials that lie in no
        cache are fetched into one.
        """
        steps = {each.name: each for each in self.plan.steps}
        with TemporaryDirectory() as aside:
            folder = Path(aside)
            for step in self.plan.steps:
                if step.words[:2] == ("plan", "make"):
                    needed = _needed(step, steps)
                    missing = [each for each in needed if not (folder / each.makes[0]).exists()]
                    ends = [_said(each.expanded(folder), folder) for each in missing]
                    lost = [said for status, said in ends if status]
                    yield f"{step.name}: {lost[0]}" if lost else _planned(step, folder)

    @cached_property
    def values(self) -> list[StudyValue]:
        """Every value of every table, as far as there are any; asked for when the study is done."""
        return [
            value
            for table in self.study.tables
            if at_scale(table, self.asked.scale)
            for value in StudyValue.of_table(self.study, table, self.path)
        ]

    def _write_page(self) -> None:
        write_text(self.path / _VALUES, StudyValue.csv(self.values))
        told = {each.name: _read(self._done_file(each)) for each in self.plan.steps}
        seconds = {
            name: took
            for name, each in told.items()
            if isinstance(took := each.get("seconds"), int | float)
        }
        write_page(self.study, self.plan, seconds, self.values, self.page)


def _copy(source: Path, path: Path) -> None:
    with replacing(path) as aside:
        aside.write_bytes(source.read_bytes())


def _join(path: Path, texts: Iterable[Path]) -> None:
    """Write a text that has the lines of others, which may be gzipped, one behind the other.

    Raises `InputError` for a text that cannot be read.
    """
    with replacing(path) as aside, aside.open("wb") as joined:
        for text in texts:
            try:
                with opened(text) as lines:
                    # The last line of a text that somebody gives may have no end.
                    joined.writelines(line.rstrip(b"\r\n") + b"\n" for line in lines)
            except (OSError, *GZIP_FAULTS) as error:
                raise InputError(f"{text}: cannot be read: {error}") from None


def _read(path: Path) -> Mapping[str, object]:
    """Return what a step's file says; nothing if there is none, or a damaged one."""
    with contextlib.suppress(OSError, ValueError):
        told = json.loads(path.read_text("utf-8"))
        return told if isinstance(told, dict) else {}
    return {}


def _needed(step: Step, steps: Mapping[str, Step]) -> list[Step]:
    """Return what has to be done before a step, each behind what it needs itself."""
    before = [steps[name] for name in step.needs if name in steps]
    every = [each for one in before for each in (*_needed(one, steps), one)]
    return [*{each.name: each for each in every}.values()]


def _planned(step: Step, folder: Path) -> str:
    """Return what making a plan says, without making one."""
    words = [each for each in step.expanded(folder) if each not in ("-o", *step.makes)]
    status, said = _said(words, folder)
    # Without the hub, sizes are those that names tell of.
    return said if status == 0 else _said([*words, OFFLINE], folder)[1]


def _said(words: Sequence[str], folder: Path) -> tuple[int, str]:
    """Run a command of pommel in a folder, and return its status and all that it says."""
    with TemporaryDirectory() as aside:
        log = Path(aside, "log")
        worker = Worker.started(words, log, folder=folder)
        try:
            status = worker.wait()
        finally:
            Worker.end_all([worker])
        return status, log.read_text("utf-8", "replace")


class _Running(NamedTuple):
    step: Step
    worker: Worker
    began_s: float


@dataclass(slots=True, kw_only=True)
class _Work:
    """What is to be done, what is under way, and what has failed.

    `lost` are the names of optional steps that have failed, and of all that needs them.
    """

    folder: StudyFolder
    waiting: dict[str, Step] = field(init=False)
    running: dict[str, _Running] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    failures: list[StepEnd] = field(default_factory=list)

    def __post_init__(self) -> None:
        steps = self.folder.plan.steps
        self.waiting = {each.name: each for each in steps if not self.folder.is_done(each)}

    def begin(self) -> bool:
        """Begin what can be, and say whether anything is left to begin; nothing after a failure."""
        for step in [*self.waiting.values()] if not self.failures else ():
            if self.lost & {*step.needs}:
                self.lost.add(step.name)
                del self.waiting[step.name]
                continue
            is_ready = not {*step.needs} & (self.waiting.keys() | self.running.keys())
            if is_ready and len(self.running) < self.folder.n_at_once:
                began_s = time.monotonic()
                if worker := self.folder.start(step):
                    self.running[step.name] = _Running(step, worker, began_s)
                else:
                    self.folder.end(step, 0, time.monotonic() - began_s)
                del self.waiting[step.name]
        return bool(self.waiting) and not self.failures

    def look(self) -> None:
        """Take note of what has ended."""
        for name, each in [*self.running.items()]:
            if (status := each.worker.poll()) is not None:
                del self.running[name]
                ended = self.folder.end(each.step, status, time.monotonic() - each.began_s)
                if ended.failure and each.step.optional:
                    self.lost.add(name)
                elif ended.failure:
                    self.failures.append(ended)
