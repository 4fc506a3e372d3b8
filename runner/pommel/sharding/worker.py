"""Running one shard of a plan, so that at most a second of it is lost, whatever happens.

What is scored lies in a store on a disk of this machine, and leaves it once a second as a segment.
Whoever tries the shard next takes in the segments of those before, and scores what is missing.
"""

import contextlib
import os
import platform
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from pommel.errors import InputError, ModelError, PommelError, StoreError, UsageError, counted
from pommel.models import LoadOptions, closing, load_model
from pommel.scoring import NeededSentences, Run, SuiteSurprisals
from pommel.sharding.plan import Piece, Shard
from pommel.sharding.segments import Attempt, PlanFolder, Tell
from pommel.store import Store, run_and_keep
from pommel.suite import Suite

# By which a scheduler knows the job, for those who look for its log.
_JOBS = ("SLURM_JOB_ID", "JOB_NAME", "SKYPILOT_TASK_ID", "RAY_JOB_ID")


@dataclass(slots=True, kw_only=True)
class Worker:
    """One attempt at a shard; `options` say how this machine loads models."""

    folder: PlanFolder
    shard: Shard
    options: LoadOptions
    tell: Tell
    failures: list[dict[str, object]] = field(default_factory=list)
    errors: list[PommelError] = field(default_factory=list)
    seconds: list[dict[str, float]] = field(default_factory=list)
    n_runs: int = 0
    _is_scoring: bool = False
    _is_stopped: bool = False

    @property
    def name(self) -> str:
        """Which shard it is, of how many."""
        return f"{self.shard.number}/{len(self.folder.plan.shards)}"

    def run(self) -> None:
        """Run what is left of the shard, and seal it; nothing if it is done.

        What fails costs only itself, and is raised at the end, the first with its exit status. A
        signal that ends the process does so after the batch that is being scored.
        """
        if self.folder.store:
            with Store.open(self.folder.store) as store, self._stopping():
                self._run_pieces(store)
        else:
            self._attempt()
        if self.errors:
            raise ModelError.joined(self.errors)

    def _attempt(self) -> None:
        own = self.folder.shard(self.shard)
        if (seals := own.seals(self.tell)) and not seals[0][1]["failures"]:
            self.tell(f"shard {self.name} is done: {seals[0][0]}")
            return
        machine = {"host": platform.node(), "device": self.options.device, "shard": self.name}
        jobs = {each: os.environ[each] for each in _JOBS if each in os.environ}
        about = {**machine, "process": os.getpid(), "jobs": jobs, **Run.environment()}
        attempt = own.attempt(about)
        how = {"how": "failed"}
        try:
            with tempfile.TemporaryDirectory(prefix="pommel-shard-") as scratch, self._stopping():
                self._run(_Scratch.opened(Path(scratch), attempt, machine), about)
            how = {"how": "sealed"}
        except KeyboardInterrupt:
            how = {"how": "stopped"}
            raise
        except BaseException as error:
            reason = str(error) or type(error).__name__
            how = {"how": "failed", "reason": reason}
            if isinstance(error, StoreError) and "/pommel-shard-" in reason:
                where = f"a shard is worked on in {tempfile.gettempdir()}, or where TMPDIR says"
                raise StoreError(f"{reason} ({where})") from None
            raise
        finally:
            # Where the disk is full, this is no more important than what is on its way.
            with contextlib.suppress(PommelError):
                attempt.say("ended", how)

    def _run(self, scratch: "_Scratch", about: dict[str, object]) -> None:
        with contextlib.closing(scratch.store):
            if n_there := scratch.take_in(self.tell):
                self.tell(f"shard {self.name}: {counted(n_there, 'sentence')} of earlier attempts")
            try:
                self._run_pieces(scratch.store, scratch.keep, is_new=not n_there)
            finally:
                scratch.keep()
            manifest = {
                "runs": self.n_runs,
                "failures": self.failures,
                "pieces": self.seconds,
                **about,
            }
            scratch.seal(manifest)

    def _run_pieces(
        self, store: Store, keep: Callable[[], None] = lambda: None, *, is_new: bool = False
    ) -> None:
        """Run them into a store, and have it kept elsewhere after each batch."""
        for number, piece in enumerate(self.shard.pieces, start=1):
            self._run_piece(piece, number, store, keep, is_new=is_new)
        self.tell(f"shard {self.name} is done: {counted(self.n_runs, 'run')}")

    def _run_piece(
        self, piece: Piece, number: int, store: Store, keep: Callable[[], None], *, is_new: bool
    ) -> None:
        plan, named = self.folder.plan, self.folder.plan.models[piece.model]
        suites = [*self._suites(piece)]
        self.tell(
            f"shard {self.name}, {number} of {len(self.shard.pieces)}: {named.reference} on "
            f"{counted(len(suites), 'suite')}"
        )
        began = loaded = time.monotonic()

        def progress(_n_scored: int) -> None:
            keep()
            if self._is_stopped:
                raise KeyboardInterrupt

        try:
            # What earlier attempts have scored wholly needs no model.
            model = load_model(named.reference, self._load_options, remembered=not is_new)
            loaded = time.monotonic()
            for following in self.shard.pieces[number : number + 1]:
                options = replace(self._load_options, pull_progress=None)
                threading.Thread(
                    target=plan.models[following.model].fetch, args=(options,), daemon=True
                ).start()
            with closing(model):
                self._is_scoring = True
                choices = plan.choices
                if choices.regions == "auto" and len(piece.suites) < len(plan.suites):
                    # What it means holds for all suites, whichever of them are in this shard.
                    whole = replace(piece, suites=tuple(range(len(plan.suites))))
                    # One that has changed is told by the shards that have it.
                    with contextlib.suppress(InputError):
                        every = NeededSentences.of_each(model, plan.load_suites(whole), choices)
                        choices = every[0].choices
                for run in run_and_keep(
                    named, model, suites, choices, store=store, progress=progress
                ):
                    self.n_runs += 1
                    keep()
                    if failed := run.result.provenance.get("failed"):
                        reason = SuiteSurprisals.failures_told("sentences", failed)
                        self._failed(named.reference, reason, run.result.suite_name)
        except (ModelError, InputError, UsageError) as error:
            self._failed(named.reference, str(error), status=error.exit_status)
            self.errors.append(error.without_frames())
        finally:
            self._is_scoring = False
        ended = time.monotonic()
        self.seconds.append(
            {"model": piece.model, "loading": loaded - began, "scoring": ended - loaded}
        )

    @property
    def _load_options(self) -> LoadOptions:
        """What the plan says of loading, and this machine."""
        plan = self.folder.plan
        machine = {name: getattr(self.options, name) for name in plan.OF_A_MACHINE}
        return replace(plan.options, **machine)

    def _suites(self, piece: Piece) -> Iterator[Suite]:
        """Yield the suites of a piece that are as they were planned."""
        for index in piece.suites:
            try:
                yield from self.folder.plan.load_suites(replace(piece, suites=(index,)))
            except InputError as error:
                planned = self.folder.plan
                model, name = planned.models[piece.model].reference, planned.suites[index].name
                self._failed(model, str(error), name, error.exit_status)
                self.errors.append(error)

    def _failed(self, model: str, reason: str, suite: str = "", status: int = 0) -> None:
        failure = {"model": model, "suite": suite, "reason": reason, "status": status}
        self.failures.append(failure)
        self.tell(f"pommel: {reason}; going on with the others")

    @contextlib.contextmanager
    def _stopping(self) -> Iterator[None]:
        """Have the first signal wait for the batch that is being scored.

        All that end the process come as Ctrl-C does (`pommel.__main__`).
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self._is_stopped or not self._is_scoring:
                raise KeyboardInterrupt
            self._is_stopped = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


@dataclass(slots=True, kw_only=True)
class _Scratch:
    """The store that an attempt works in, and what of it has become segments."""

    store: Store
    attempt: Attempt
    last: int = 0
    n_changes: int = -1

    @classmethod
    def opened(cls, folder: Path, attempt: Attempt, machine: dict[str, str]) -> "_Scratch":
        store = Store.open(folder / "store.sqlite")
        # What a power cut would cost here is in segments.
        store.database.rows("PRAGMA synchronous = OFF")
        own = {**machine, "attempt": attempt.name}
        store.cache.provenance = lambda: {**Run.environment(), **own}
        return cls(store=store, attempt=attempt)

    def take_in(self, tell: Tell) -> int:
        """Take in what earlier attempts have scored; return how many sentences."""
        for path in self.attempt.shard.stores(tell):
            self.store.take_in(path, unchanged=True)
        self.last = self.store.last_scored
        ((n_there,),) = self.store.database.rows("SELECT count(*) FROM scored")
        return int(n_there)

    def keep(self) -> None:
        """Write what has been kept since the last time as a segment."""
        n_changes = self.store.database.connection.total_changes
        if n_changes == self.n_changes or (last := self.store.last_scored) == self.last:
            return
        path = self.store.path.with_name("segment.sqlite")
        path.unlink(missing_ok=True)
        with Store.open(path) as segment:
            segment.database.rows("PRAGMA synchronous = OFF")
            segment.take_in(self.store.path, since=self.last)
            segment.database.rows("PRAGMA journal_mode = DELETE")
        self.attempt.keep(path)
        self.last, self.n_changes = last, n_changes

    def seal(self, manifest: dict[str, object]) -> None:
        """Write all of it, and that it is all."""
        path = self.store.path.with_name("whole.sqlite")
        self.store.database.rows("VACUUM INTO ?", (str(path),))
        self.attempt.seal(path, manifest)
