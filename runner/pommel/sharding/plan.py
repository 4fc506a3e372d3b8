"""Plans: which models are to be run on which suites, and the shards that this is cut into.

A plan is a file of JSON that may be read, and changed by hand. What it names is as certain as can
be: models are expanded and stand with their commits, suites with their sums.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from pommel.errors import InputError, SuiteError, UsageError, counted
from pommel.files import JsonDocument, JsonPath, shipped_folder, to_json, write_text
from pommel.models import LoadOptions, NamedModel
from pommel.scoring import Choices
from pommel.sharding.cutting import Part
from pommel.sources import load_suites
from pommel.suite import Suite
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.sharding.costs import Costs


@frozen
class PlannedSuite:
    """A suite as every worker finds it, and what tells that it is still the same.

    `source` is an absolute path, or suites:NAME of one that ships with pommel. `limit` is how many
    items of it are meant, None for all; `sha256` and `n_sentences` are of these.
    """

    name: str
    source: str
    sha256: str
    n_sentences: int
    limit: int | None = None

    @classmethod
    def of(cls, path: Path, suite: Suite) -> Self:
        """Return what a plan has of a suite that was read from a file."""
        is_shipped = path.is_relative_to(shipped_folder("suites"))
        return cls(
            name=suite.name,
            source=f"suites:{path.stem}" if is_shipped else str(path.absolute()),
            sha256=suite.sha256,
            n_sentences=suite.n_sentences,
            limit=len(suite.items) if suite.first_items_of else None,
        )

    def load(self) -> Suite:
        """Return the suite; raises `InputError` where it is not what was planned."""
        loaded = load_suites([self.source])
        loaded.check()
        if len(loaded.suites) != 1:
            raise InputError(f"{self.source}: has {counted(len(loaded.suites), 'suite')}, not one")
        (suite,) = loaded.suites
        suite = suite.first_items(self.limit) if self.limit else suite
        if suite.sha256 != self.sha256:
            raise InputError(
                f"{self.source}: the suite has changed since it was planned (SHA-256 "
                f"{suite.sha256}, not {self.sha256}); put the old one back, or plan again"
            )
        return suite


@frozen
class Piece:
    """A model and some suites, by their places in the plan, from 0.

    `seconds` is how long it may take, with the loading of the model, `work` what there is to
    compute: nodes of prefix trees times parameters. `memory_bytes` is what the model may take.
    """

    model: int
    suites: tuple[int, ...]
    seconds: float
    work: float
    memory_bytes: int


@frozen
class Shard:
    """What one worker does: pieces, one after the other. Shards are counted from 1."""

    number: int
    pieces: tuple[Piece, ...]

    @property
    def seconds(self) -> float:
        """How long it may take."""
        return sum(piece.seconds for piece in self.pieces)

    @property
    def memory_bytes(self) -> int:
        """What the largest of its models may take."""
        return max(piece.memory_bytes for piece in self.pieces)


@frozen(slots=False)
class Plan:
    """Models and suites, each model on each suite in one shard, and how they are to be run.

    `options` say nothing of what belongs to a machine (`OF_A_MACHINE`); whoever runs a shard does.
    """

    models: tuple[NamedModel, ...]
    suites: tuple[PlannedSuite, ...]
    choices: Choices
    options: LoadOptions
    shards: tuple[Shard, ...]

    FORMAT: ClassVar = "pommel-plan"
    VERSION: ClassVar = 1
    # Fields of `LoadOptions`. What is unsafe is allowed where it is done.
    OF_A_MACHINE: ClassVar = (
        *("device", "max_memory_bytes", "batch_tokens", "pull_progress"),
        *("trust_remote_code", "allow_pickle"),
    )

    @staticmethod
    def costs(
        models: Sequence[NamedModel],
        suites: Mapping[Path, Suite],
        options: LoadOptions,
        measured: Mapping[str, tuple[float, float]] | None = None,
    ) -> "Costs":
        """Return what models cost on suites: see `Costs.of`."""
        from pommel.sharding.costs import Costs

        return Costs.of(models, suites, options, measured)

    @classmethod
    def of(
        cls,
        costs: "Costs",
        choices: Choices,
        *,
        n_shards: int | None = None,
        minutes: float | None = None,
    ) -> Self:
        """Return the plan of models on suites, as so many shards, or as shards of so many minutes.

        There are fewer shards where there is less to do than one suite each. Raises `UsageError`
        unless one of both is said.
        """
        if (n_shards is None) == (minutes is None):
            raise UsageError("say how many shards there are to be, or of how many minutes")
        work, order = costs.work, costs.order
        cut = work.cut(n_shards) if n_shards else work.cut_to(60 * (minutes or 0))

        def piece(part: Part) -> Piece:
            own = slice(part.start, part.stop)
            return Piece(
                model=part.model,
                suites=tuple(sorted(order[own])),
                seconds=work.seconds(part),
                work=float(costs.computed[part.model, own].sum()),
                memory_bytes=costs.memory[part.model],
            )

        plan = cls(
            models=costs.models,
            suites=tuple(PlannedSuite.of(*each) for each in costs.suites.items()),
            choices=choices,
            options=costs.options,
            shards=tuple(
                Shard(number=number, pieces=tuple(map(piece, parts)))
                for number, parts in enumerate(cut, start=1)
            ),
        )
        # As it is read again: without what belongs to this machine.
        return cls._made_of(plan.to_dict())

    @classmethod
    def _made_of(cls, value: object) -> Self:
        import msgspec

        return msgspec.convert(value, cls, dec_hook=lambda kind, it: kind(it))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a plan; raises `SuiteError` with the places of what is wrong, and `InputError`."""
        import msgspec

        document = JsonDocument.read(path)
        if document.has_duplicate_keys:
            raise SuiteError(document.duplicate_key_faults())
        value = document.value
        is_plan = isinstance(value, dict) and value.get("format") == cls.FORMAT
        if not is_plan or value.get("version") != cls.VERSION:
            what = f"of version {value.get('version')}" if is_plan else "no plan"
            raise InputError(
                f"{path}: this is {what}; `pommel plan` writes plans, of version {cls.VERSION}"
            )
        # A number remembers how it was written, and is no plain float then.
        plain = json.loads(document.decoded.text)
        try:
            plan = cls._made_of(plain)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at `$")
            steps = re.findall(r"\.(\w+)|\[(\d+)\]", place)
            where = tuple(int(index) if index else key for key, index in steps)
            wrong = [(where, message)]
        else:
            wrong = [*_unknown(plain, plan.to_dict(), ()), *_faults(plan)]
        if wrong:
            faults = [document.fault(place, message) for place, message in wrong]
            raise SuiteError(faults)
        return plan

    def write(self, path: Path) -> None:
        """Write the plan to a file; the same plan gives the same bytes."""
        write_text(path, self.text)

    @cached_property
    def text(self) -> str:
        """The content of its file: a line for each model, suite and shard."""

        def written(part: object) -> str:
            return to_json(part, indent=None).rstrip("\n")

        value = self.to_dict()
        parts = (
            "[\n" + ",\n".join(map(written, each)) + "\n]"
            if isinstance(each, list | tuple)
            else written(each)
            for each in value.values()
        )
        pairs = (f'"{key}": {part}' for key, part in zip(value, parts, strict=True))
        return "{\n" + ",\n".join(pairs) + "\n}\n"

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the plan's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def shard(self, text: str) -> Shard:
        """Return the shard that "3/64" names, or "3"; raises `UsageError` for one it has not."""
        n_shards = len(self.shards)
        number, slash, of = text.partition("/")
        if slash and of != str(n_shards):
            raise UsageError(f"shard {text}: this plan has {counted(n_shards, 'shard')}")
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= n_shards):
            raise UsageError(f"shard {text!r}: write a number from 1 to {n_shards}")
        return self.shards[int(number) - 1]

    def load_suites(self, piece: Piece) -> list[Suite]:
        """Return the suites of a piece, each of which is read once, whatever has it.

        Raises `InputError` for one that has changed since, with both sums.
        """
        for index in piece.suites:
            if index not in self._loaded:
                self._loaded[index] = self.suites[index].load()
        return [self._loaded[index] for index in piece.suites]

    @cached_property
    def _loaded(self) -> dict[int, Suite]:
        return {}

    def to_dict(self) -> dict[str, object]:
        """Return the plan as plain JSON values."""
        import msgspec

        value: dict[str, dict[str, object]] = msgspec.to_builtins(self, enc_hook=str)
        kept = {key: each for key, each in value["options"].items() if key not in self.OF_A_MACHINE}
        if self.choices.punctuation == "apart":
            # So it is in plans of before there was a choice, whose shards may have begun.
            del value["choices"]["punctuation"]
        return {"format": self.FORMAT, "version": self.VERSION, **value, "options": kept}


def _faults(plan: Plan) -> Iterator[tuple[JsonPath, str]]:
    """Yield what makes no sense, and where."""
    has: set[tuple[int, int]] = set()
    for place, shard in enumerate(plan.shards):
        if shard.number != place + 1:
            yield ("shards", place, "number"), f"this is shard {place + 1}, by its place"
        if not shard.pieces:
            yield ("shards", place), "this shard has nothing to do"
        for index, piece in enumerate(shard.pieces):
            where = ("shards", place, "pieces", index)
            yield from (
                ((*where, *own), message) for own, message in _piece_faults(plan, piece, has)
            )
    for place, suite in enumerate(plan.suites):
        if suite.limit is not None and suite.limit < 1:
            yield ("suites", place, "limit"), "write how many items, or null for all"
    for index, number in product(range(len(plan.models)), range(len(plan.suites))):
        if (index, number) not in has:
            missing = f"{plan.models[index].reference} on {plan.suites[number].name}"
            yield ("models", index), f"no shard has {missing}"


def _piece_faults(
    plan: Plan, piece: Piece, has: set[tuple[int, int]]
) -> Iterator[tuple[JsonPath, str]]:
    """Yield what is wrong with a piece, after those of which each model `has` some suites."""
    if not 0 <= piece.model < len(plan.models):
        yield ("model",), f"there are models 0 to {len(plan.models) - 1}"
    for name, amount in (("seconds", piece.seconds), ("work", piece.work)):
        if not amount > 0:
            yield (name,), f"{amount:g} is no amount of work; write a number above 0"
    for at, suite in enumerate(piece.suites):
        if not 0 <= suite < len(plan.suites):
            yield ("suites", at), f"there are suites 0 to {len(plan.suites) - 1}"
        elif (piece.model, suite) in has:
            yield ("suites", at), f"model {piece.model} has suite {suite} for the second time"
        has.add((piece.model, suite))


def _unknown(value: object, known: object, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    """Yield the keys that a plan has not, wherever they are."""
    if isinstance(value, dict) and isinstance(known, dict):
        for key, each in value.items():
            if key not in known:
                yield (*path, key), f"a plan has no {key!r} here"
            else:
                yield from _unknown(each, known[key], (*path, key))
    elif isinstance(value, list) and isinstance(known, list | tuple):
        for index, (each, other) in enumerate(zip(value, known, strict=True)):
            yield from _unknown(each, other, (*path, index))
