"""How far the shards of a plan are, by what their workers have left in the folder of results.

What a worker writes about itself is JSON: `attempt.json` when it begins, `ended.json` when it
stops, and beside the folders of the attempts `sealed-ATTEMPT.json` when all of a shard is done.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Self

from pommel.sharding.plan import Plan, Shard
from pommel.sharding.segments import PlanFolder, ShardFolder, content_of
from pommel.values import frozen

State = Literal["done", "failed", "running", "missing"]


@frozen
class ShardStatus:
    """How far a shard is.

    One that "failed" is done, but for what the `reasons` say; so do those of a "missing" one how
    attempts at it have ended. One is "running" if an attempt has not said that it has ended: `host`
    is where, `last_sign` when it was last heard of (UTC). `manifest` is what a sealed one says of
    itself, {} of others.
    """

    shard: Shard
    state: State
    reasons: tuple[str, ...] = ()
    host: str = ""
    last_sign: datetime | None = None
    manifest: Mapping[str, Any]

    @classmethod
    def of(cls, shard: Shard, own: ShardFolder) -> Self:
        """Return the status of a shard that has this folder, if it was ever begun."""
        folder = own.path
        if found := own.manifests():
            _, seal = found[0]
            reasons = tuple(
                f"{' on '.join(filter(None, (each['model'], each['suite'])))}: "
                # What a model fails at often begins with its reference.
                f"{each['reason'].removeprefix(each['model'] + ': ')}"
                for each in seal["failures"]
            )
            state: State = "failed" if reasons else "done"
            return cls(shard=shard, state=state, reasons=reasons, manifest=seal)
        attempts = [each.parent for each in sorted(folder.glob("*/attempt.json"))]
        ended = [content_of(each / "ended.json") for each in attempts]
        if all(ended):
            why = tuple(str(end.get("reason") or end.get("how")) for end in ended)
            return cls(shard=shard, state="missing", reasons=why, manifest={})
        running = [each for each, end in zip(attempts, ended, strict=True) if not end]
        # Each segment changes the folder that it is put into.
        latest = max(running, key=lambda each: each.stat().st_mtime)
        when = datetime.fromtimestamp(latest.stat().st_mtime, UTC)
        host = str(content_of(latest / "attempt.json").get("host", ""))
        return cls(shard=shard, state="running", host=host, last_sign=when, manifest={})

    def said(self, now: datetime) -> str:
        """Return the reasons in a line; of one that runs, where it does, and since when unheard."""
        if not self.last_sign:
            return " ".join("; ".join(self.reasons).split())
        return (
            f"{self.host}, {timedelta(seconds=round((now - self.last_sign).total_seconds()))} ago"
        )

    @property
    def seconds(self) -> float:
        """How long it has taken, by its manifest; 0 where there is none."""
        pieces = self.manifest.get("pieces", ())
        return float(sum(each["loading"] + each["scoring"] for each in pieces))


@frozen
class Status:
    """How far all shards of a plan are, in their order."""

    plan: Plan
    shards: tuple[ShardStatus, ...]

    @classmethod
    def read(cls, plan: Plan, folder: Path) -> Self:
        """Return what can be seen in a folder of results; nothing is there before the first run."""
        results = PlanFolder(plan=plan, path=folder)
        shards = tuple(ShardStatus.of(each, results.shard(each)) for each in plan.shards)
        return cls(plan=plan, shards=shards)

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the shards that are not done: never begun, ended before, or running."""
        return tuple(each.shard.number for each in self.shards if not each.manifest)

    def of_state(self, *states: State) -> tuple[ShardStatus, ...]:
        """Return the shards that are in one of these states."""
        return tuple(each for each in self.shards if each.state in states)

    @property
    def array(self) -> str:
        """The missing ones as `sbatch --array` takes them: "3,7-9"."""
        # What follows each other stands as far from its place as its neighbours.
        runs = groupby(enumerate(self.missing), key=lambda each: each[1] - each[0])
        numbers = [[number for _, number in run] for _, run in runs]
        return ",".join(f"{run[0]}-{run[-1]}" if run[1:] else f"{run[0]}" for run in numbers)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain JSON values."""
        return {
            "missing": self.array,
            "seconds_left": self.seconds_left,
            "shards": [
                {
                    "shard": each.shard.number,
                    "state": each.state,
                    "reasons": each.reasons,
                    "host": each.host,
                    "last_sign": each.last_sign and each.last_sign.isoformat(timespec="seconds"),
                }
                for each in self.shards
            ],
        }

    @property
    def measured(self) -> dict[str, tuple[float, float]]:
        """Return what models have taken, by their references, as `Costs.of` wants to know it."""
        took: dict[str, tuple[float, float]] = {}
        for each in self.shards:
            work = {piece.model: piece.work for piece in each.shard.pieces}
            for piece in each.manifest.get("pieces", ()):
                model = piece["model"]
                if piece["scoring"]:
                    rate = piece["scoring"] / work[model]
                    took[self.plan.models[model].reference] = (piece["loading"], rate)
        return took

    @property
    def seconds_left(self) -> float:
        """What is left to do, as long as one worker takes: by what the others took, if any did."""
        left = sum(each.shard.seconds for each in self.shards if not each.manifest)
        measured = [each for each in self.shards if each.seconds]
        planned = sum(each.shard.seconds for each in measured)
        return left * sum(each.seconds for each in measured) / planned if planned else left
