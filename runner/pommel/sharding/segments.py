"""What workers leave in a folder that all machines see: files that are written once, whole.

    plan.json                                      the plan that the shards are of
    shard-03-of-64/ATTEMPT/attempt.json            who tries, where, since when
    shard-03-of-64/ATTEMPT/000001-SHA256.sqlite    a segment: a store with what came since the last
    shard-03-of-64/ATTEMPT/ended.json              how it has ended
    shard-03-of-64/sealed-ATTEMPT-SHA256.sqlite    a store with all of the shard
    shard-03-of-64/sealed-ATTEMPT.json             written last: the shard is done

There is no lock, and nothing is decided by a clock. Each attempt has a folder of its own, so that
two at once do no harm. Segments go when their shard is sealed.
"""

import contextlib
import json
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pommel.errors import InputError, UsageError
from pommel.files import make_folder, replacing, sha256_of, to_json, write_text
from pommel.models import LoadOptions
from pommel.sharding.plan import Plan, Shard
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.sharding.status import Status

# Where a scheduler says which of its workers this is, and from which number it counts.
_NUMBERED = {"SLURM_ARRAY_TASK_ID": 1, "JOB_COMPLETION_INDEX": 0, "SKYPILOT_NODE_RANK": 0}

# Says something to whoever started it.
Tell = Callable[[str], object]


@frozen
class PlanFolder:
    """A plan, and the folder that its shards lie in, or else a `store` that is to have all."""

    plan: Plan
    path: Path
    store: Path | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return a folder by its plan; raises `UsageError` for none, and as `Plan.read` does."""
        file = path / "plan.json"
        if not file.is_file():
            how = f"`pommel run --plan PLAN -o {path}` makes it"
            raise UsageError(f"{path} has no plan.json: {how}")
        return cls(plan=Plan.read(file), path=path)

    @classmethod
    def begun(cls, plan: Plan, path: Path) -> Self:
        """Return a folder in which there is a plan from now on.

        Raises `UsageError` if it has another one's shards, and `PommelError` if it cannot be
        written.
        """
        begun = cls(plan=plan, path=path)
        if not begun.file.exists():
            plan.write(begun.file)
        # Another one may have been as fast.
        there = Plan.read(begun.file).fingerprint
        if there != plan.fingerprint:
            raise UsageError(
                f"{path}: has the shards of another plan ({there[:12]}, and this one is "
                f"{plan.fingerprint[:12]}); give another folder with -o"
            )
        return begun

    @property
    def file(self) -> Path:
        """The file of the plan."""
        return self.path / "plan.json"

    def log(self, number: object) -> Path:
        """Return the file of all that the attempts at a shard have said, one after the other."""
        return self.path / "logs" / f"shard-{number}.log"

    def last_words(self, number: int) -> str:
        """Return the last line that an attempt at a shard has said, and where all of it stands."""
        log = self.log(number)
        said = log.read_text("utf-8", "replace").strip() if log.exists() else ""
        return f"{said.rpartition(chr(10))[2]} ({log})" if said else "no worker has said anything"

    @staticmethod
    def shard_of_environment() -> str | None:
        """Return the shard that a scheduler has given this process, None if there is none.

        A task of a Slurm array has the number that `sbatch --array` names, which is taken for the
        shard's, from 1. Pods of an indexed Kubernetes Job and nodes of SkyPilot are counted from 0.
        """
        for name, first in _NUMBERED.items():
            value = os.environ.get(name, "")
            if value.isascii() and value.isdigit():
                return str(int(value) + 1 - first)
        return None

    def shard(self, shard: Shard) -> "ShardFolder":
        """Return the folder of a shard, there or not."""
        n_shards = len(self.plan.shards)
        name = f"shard-{shard.number:0{len(str(n_shards))}}-of-{n_shards}"
        return ShardFolder(path=self.path / name, fingerprint=self.plan.fingerprint)

    def stores(self, tell: Tell) -> Iterator[Path]:
        """Yield the stores that all shards come to, in their order; say what is not done yet."""
        for shard in self.plan.shards:
            folder = self.shard(shard)
            if not folder.seals(tell):
                tell(f"note: {folder.path}: not done; the sentences that are there are taken")
            yield from folder.stores(tell)

    def status(self) -> "Status":
        """Return how far the shards are, by what their workers have left."""
        from pommel.sharding.status import Status

        return Status.read(self.plan, self.path)

    def run(self, shard: Shard, options: LoadOptions, tell: Tell) -> None:
        """Run a shard, or what is left of it; see `pommel.sharding.worker`."""
        from pommel.sharding.worker import Worker

        Worker(folder=self, shard=shard, options=options, tell=tell).run()

    def run_all(self, n_workers: int, options: LoadOptions) -> Generator[str]:
        """Run all shards in so many processes, on one or several devices; see `Launcher.steps`."""
        from pommel.sharding.launching.local import LocalWorkers

        self.plan.write(self.file)
        make_folder(self.log(1).parent)
        return LocalWorkers(
            n_workers=n_workers,
            device=options.device,
            max_memory=str(options.max_memory_bytes or ""),
            batch_tokens=options.batch_tokens,
            trust_remote_code=options.trust_remote_code,
            allow_pickle=options.allow_pickle,
        ).steps(self)


@frozen
class ShardFolder:
    """The folder of a shard, and the fingerprint of its plan."""

    path: Path
    fingerprint: str

    def seals(self, tell: Tell) -> list[tuple[Path, Mapping[str, Any]]]:
        """Return whole stores of the shard with their manifests, those of fewest failures first.

        Raises `InputError` for one of another plan. One whose store is not what it was is told.
        """
        return [each for each in self.manifests() if _is_whole(each[0], tell)]

    def manifests(self) -> list[tuple[Path, Mapping[str, Any]]]:
        """Return what `seals` does, without a look into the stores, which are there.

        What is no manifest, as it is not written wholly, is none.
        """
        found = []
        for path in sorted(self.path.glob("sealed-*.json")):
            manifest = content_of(path)
            if not {*manifest} >= _OF_A_MANIFEST:
                continue
            if manifest["plan"] != self.fingerprint:
                raise InputError(f"{path}: is of another plan; take it out of this folder")
            store = self.path / manifest["file"]
            if store.is_file():
                found.append((store, manifest))
        return sorted(found, key=lambda each: len(each[1]["failures"]))

    def stores(self, tell: Tell) -> list[Path]:
        """Return the whole stores of the shard, or else the segments of all attempts at it."""
        if seals := self.seals(tell):
            return [path for path, _ in seals]
        segments = [*sorted(self.path.glob("*/*.sqlite"))]
        whole = [each for each in segments if _is_whole(each, tell)]
        # Segments go when another attempt has sealed it.
        are_gone = not all(each.exists() for each in segments)
        return [path for path, _ in self.seals(tell)] if are_gone else whole

    def attempt(self, about: Mapping[str, object]) -> "Attempt":
        """Begin an attempt, of which a file tells who it is."""
        host = "".join(each if each.isalnum() else "-" for each in platform.node())
        now = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        name = f"{now}-{host}-{os.getpid()}-{secrets.token_hex(2)}"
        attempt = Attempt(shard=self, name=name)
        make_folder(attempt.path)
        attempt.say("attempt", {"plan": self.fingerprint, "began": now, **about})
        return attempt


_OF_A_MANIFEST = {"plan", "file", "failures", "pieces"}


def content_of(path: Path) -> Mapping[str, Any]:
    """Return the object in a file; {} where there is none, or it cannot be read yet."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_whole(path: Path, tell: Tell) -> bool:
    """Say whether a file has the sum that is in its name; one that is there and has not is told."""
    try:
        is_whole = sha256_of(path) == path.stem.rpartition("-")[2]
    except InputError:
        # It is gone.
        return False
    if not is_whole:
        tell(f"note: {path}: is not what was written, and passed over")
    return is_whole


@dataclass(slots=True, kw_only=True)
class Attempt:
    """An attempt at a shard, and how many segments it has written."""

    shard: ShardFolder
    name: str
    n_segments: int = 0

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.shard.path / self.name

    def say(self, name: str, about: Mapping[str, object]) -> None:
        """Write a file about the attempt."""
        write_text(self.path / f"{name}.json", to_json(about, indent=2))

    def keep(self, segment: Path) -> None:
        """Write a segment."""
        self.n_segments += 1
        _write(segment, self.path / f"{self.n_segments:06}-{sha256_of(segment)}.sqlite")

    def seal(self, whole: Path, manifest: Mapping[str, object]) -> None:
        """Write all of the shard and its manifest; segments go."""
        segments = [*self.shard.path.glob("*/*.sqlite")]
        name = f"sealed-{self.name}-{sha256_of(whole)}.sqlite"
        _write(whole, self.shard.path / name)
        about = {"plan": self.shard.fingerprint, "file": name, **manifest}
        write_text(self.shard.path / f"sealed-{self.name}.json", to_json(about, indent=2))
        for each in segments:
            with contextlib.suppress(OSError):
                each.unlink()


def _write(source: Path, target: Path) -> None:
    with replacing(target) as aside:
        shutil.copyfile(source, aside)
    # Whoever opens it as a store is not to change it.
    with contextlib.suppress(OSError):
        target.chmod(0o444)
