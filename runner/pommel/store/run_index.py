"""All runs of a store in brief, as columns, and which of them count: kept up as the store changes.

200,000 runs are some 15 MB so. They are known by blocks of keys, each with a digest of what the
store has there; only blocks whose digest has changed are read again.

Which runs count is decided as `told_apart_records` and `one_each` do it, and by them: what they
decide on is the same for all runs of a kin (one model, asked and counted in one way), but for when
these began, and on which suites. So they are given the outermost runs of each kin.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pommel.scoring import RunRecord, ScoreRule, SuiteFacts, SuiteKey, SuiteResult
from pommel.statistics import mean_score
from pommel.store.database import Database, damaged
from pommel.store.run_rows import MAKE_NO_SENSE, RunRows, scored_of
from pommel.store.selection import (
    StoredModel,
    model_key,
    stored_models,
    told_apart_records,
    variant_key,
)
from pommel.values import frozen

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]

# Keys of a block.
_SIZE = 1024

# Where there are keys, and what tells that something is different there: of runs that are complete
# their check sums, of others when they began. The first part goes from block to block, over those
# that are empty.
_DIGESTS = f"""
    WITH RECURSIVE block (n) AS (
        SELECT (SELECT min(run_key) FROM runs) / {_SIZE}
        UNION ALL
        SELECT (SELECT min(run_key) FROM runs WHERE run_key >= (n + 1) * {_SIZE}) / {_SIZE}
        FROM block WHERE n IS NOT NULL
    )
    SELECT n, (
        SELECT count(*) || ' ' || sum(run_key) || ' ' || coalesce(sum(check_sum), 0) || ' '
            || coalesce(group_concat(CASE WHEN check_sum IS NULL THEN run_id || created END), '')
        FROM runs WHERE run_key BETWEEN n * {_SIZE} AND n * {_SIZE} + {_SIZE - 1}
    )
    FROM block WHERE n IS NOT NULL
"""  # noqa: S608 - our own numbers

_ROWS = f"""
    SELECT run_key, status, created, scores, model_name, of_model, of_choices, source, score_rule,
        suite_name, circuit, of_suite
    FROM json_each(?) AS block
    CROSS JOIN runs
        ON run_key BETWEEN block.value * {_SIZE} AND block.value * {_SIZE} + {_SIZE - 1}
"""  # noqa: S608 - our own numbers


@frozen(eq=False)
class Block:
    """The runs of a block in the order of their keys, a column each (see `RunIndex`)."""

    digest: str
    keys: Numbers
    ways: Numbers
    places: Numbers
    created: NDArray[np.object_]
    scores: NDArray[np.float64]
    is_complete: Marks
    is_scored: Marks


@frozen
class RunPlace:
    """What runs were on: a suite in one version."""

    suite_name: str
    circuit: str
    facts: SuiteFacts

    @property
    def suite_key(self) -> SuiteKey:
        """What tells the suite from others, whatever its version."""
        return self.facts.language, self.suite_name


# What tells ways, and places: names, and keys of documents.
_Way = tuple[str, int | None, int | None, str, ScoreRule]
_Place = tuple[str, str, int | None]
_Name = TypeVar("_Name")


@frozen
class _Known:
    """What is behind the numbers of ways, places and suites; it only grows."""

    ways: list[RunRecord] = field(default_factory=list)
    way_numbers: dict[_Way, int] = field(default_factory=dict)
    places: list[RunPlace] = field(default_factory=list)
    place_numbers: dict[_Place, int] = field(default_factory=dict)
    # Of each place.
    suites: list[int] = field(default_factory=list)
    is_limited: list[bool] = field(default_factory=list)
    suite_numbers: dict[SuiteKey, int] = field(default_factory=dict)


@frozen(eq=False)
class CountedRuns:
    """The runs that count, by their places in an index, ascending.

    `kins` are numbers of `models`: the model as it ran, under the name that tells it from others.
    """

    rows: Numbers
    kins: Numbers
    models: Sequence[RunRecord]


@frozen(slots=False, eq=False)
class RunIndex:
    """All runs of a store, in the order of their keys, as columns.

    A way is a model, and how it was asked and counted: `ways` has a record each that says so, and
    has no suite and no results. A score is NaN where there is none.
    """

    blocks: Mapping[int, Block] = field(default_factory=dict)
    known: _Known = field(default_factory=_Known)

    @property
    def ways(self) -> Sequence[RunRecord]:
        """What ways are."""
        return self.known.ways

    @property
    def places(self) -> Sequence[RunPlace]:
        """What places are."""
        return self.known.places

    @property
    def suites_of_places(self) -> Sequence[int]:
        """The number of each place's suite, whatever the version."""
        return self.known.suites

    def renewed(self, database: Database, rows: RunRows) -> "RunIndex":
        """Return the index as the store is now; raises `StoreError` for what cannot be read.

        What is read is of one moment if the caller sees to it.
        """
        digests: dict[int, str] = dict(database.rows(_DIGESTS))
        same = {n: each for n, each in self.blocks.items() if digests.get(n) == each.digest}
        changed = [n for n in digests if n not in same]
        if not changed and len(same) == len(self.blocks):
            return self
        reading = _Reading(known=self.known, database=database, rows=rows)
        found = same | reading.blocks(changed, digests)
        return RunIndex(blocks=dict(sorted(found.items())), known=self.known)

    @cached_property
    def keys(self) -> Numbers:
        """By what the store finds each run."""
        return _joined([each.keys for each in self.blocks.values()], np.int64)

    @cached_property
    def way_of(self) -> Numbers:
        """Of each run the number of its way."""
        return _joined([each.ways for each in self.blocks.values()], np.int64)

    @cached_property
    def place_of(self) -> Numbers:
        """Of each run the number of its place."""
        return _joined([each.places for each in self.blocks.values()], np.int64)

    @cached_property
    def created(self) -> NDArray[np.object_]:
        """Of each run when it began (ISO 8601, UTC)."""
        return _joined([each.created for each in self.blocks.values()], np.object_)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Of each run its score."""
        return _joined([each.scores for each in self.blocks.values()], np.float64)

    @cached_property
    def is_complete(self) -> Marks:
        """Of each run whether it has come to its end."""
        return _joined([each.is_complete for each in self.blocks.values()], np.bool_)

    @cached_property
    def by_age(self) -> Numbers:
        """The places of all runs, the oldest first; of the same second in the order of keys."""
        return np.argsort(self.created, kind="stable")

    @cached_property
    def is_scored(self) -> Marks:
        """Of each run whether it has a score: not of those without predictions."""
        return _joined([each.is_scored for each in self.blocks.values()], np.bool_)

    @cached_property
    def ages(self) -> Numbers:
        """Of each run a number that is the greater the newer it is."""
        ages = np.zeros(len(self.keys), dtype=np.int64)
        ordered = self.created[self.by_age]
        ages[self.by_age[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
        return ages

    @cached_property
    def suite_of(self) -> Numbers:
        """Of each run the number of its suite, whatever the version."""
        return np.array(self.known.suites, dtype=np.int64)[self.place_of]

    @cached_property
    def counted(self) -> CountedRuns:
        """The newest run of each model on each suite under each score rule, as `one_each` has it.

        Models are called as `told_apart_records` calls them.
        """
        return _Counting(index=self).counted()


_Kind = TypeVar("_Kind", bound=np.generic)


def _joined(columns: Sequence[NDArray[_Kind]], kind: type[_Kind]) -> NDArray[_Kind]:
    return np.concatenate([np.zeros(0, dtype=kind), *columns])


@frozen
class _Reading:
    """Reads blocks; ways and places that are new are known when all of them have been read."""

    known: _Known
    database: Database
    rows: RunRows
    ways: dict[_Way, int] = field(default_factory=dict)
    places: dict[_Place, int] = field(default_factory=dict)

    def blocks(self, wanted: Sequence[int], digests: Mapping[int, str]) -> dict[int, Block]:
        """Return blocks by their numbers; raises `StoreError` for a run that makes no sense."""
        rows = self.database.connection.execute(_ROWS, [json.dumps(wanted)])
        found = {
            n: self._block([*own], digests[n])
            for n, own in groupby(rows, lambda row: row[0] // _SIZE)
        }
        self._learn()
        return found

    def _block(self, rows: list[tuple[Any, ...]], digest: str) -> Block:
        rows.sort(key=lambda row: row[0])
        keys, statuses, created, scores, *shared = zip(*rows, strict=True)
        ways, places = zip(*shared[:5], strict=True), zip(*shared[5:], strict=True)
        n_ways, n_places = len(self.known.ways), len(self.known.places)
        return Block(
            digest=digest,
            keys=np.array(keys, dtype=np.int64),
            ways=_numbered(ways, self.known.way_numbers, self.ways, n_ways),
            places=_numbered(places, self.known.place_numbers, self.places, n_places),
            created=np.array(created, dtype=np.object_),
            scores=np.array([*map(_score, scores)], dtype=np.float64),
            is_complete=np.array([each == "complete" for each in statuses], dtype=np.bool_),
            is_scored=np.array([each != "[]" for each in scores], dtype=np.bool_),
        )

    def _learn(self) -> None:
        """Make what the new numbers stand for."""
        self.rows.read_documents(
            [*(key for each in self.ways for key in each[1:3]), *(each[2] for each in self.places)]
        )
        try:
            ways = [self._way(*each) for each in self.ways]
            places = [self._place(*each) for each in self.places]
        except MAKE_NO_SENSE:
            what = "what is kept of some run makes no sense"
            raise damaged(self.database.path, what) from None
        known = self.known
        known.ways.extend(ways)
        known.way_numbers.update(self.ways)
        known.places.extend(places)
        known.place_numbers.update(self.places)
        for each in places:
            number = known.suite_numbers.setdefault(each.suite_key, len(known.suite_numbers))
            known.suites.append(number)
            known.is_limited.append(bool(each.facts.first_items_of))

    def _way(
        self,
        model_name: str,
        of_model: int | None,
        of_choices: int | None,
        source: str,
        rule: ScoreRule,
    ) -> RunRecord:
        model, member, provenance = self.rows.shared("of_model", of_model)[1]
        policy, settings = self.rows.shared("of_choices", of_choices)[1]
        return RunRecord(
            run_id="",
            result=SuiteResult(
                suite_name="",
                circuit="",
                model_name=model_name,
                score_rule=rule,
                item_numbers=(),
                predictions=(),
                membership=member,
                provenance={name: provenance[name] for name in ["model"] if name in provenance},
            ),
            model=model,
            policy=policy,
            settings=settings,
            source=source,
        )

    def _place(self, suite_name: str, circuit: str, of_suite: int | None) -> RunPlace:
        facts, *_ = self.rows.shared("of_suite", of_suite)[1]
        return RunPlace(suite_name=suite_name, circuit=circuit, facts=facts)


def _numbered(
    names: Iterable[_Name], known: Mapping[_Name, int], new: dict[_Name, int], n_known: int
) -> Numbers:
    """Return the numbers of names; `new` gets those that are not known, numbered from there on."""
    found = []
    for name in names:
        number = known.get(name)
        found.append(new.setdefault(name, n_known + len(new)) if number is None else number)
    return np.array(found, dtype=np.int64)


# Models on the same suites have few shares.
@lru_cache(maxsize=1 << 16)
def _score(scores: str) -> float:
    return mean_score(score.share for score, _ in scored_of(scores))


@frozen
class _Counting:
    """Decides which runs of an index count.

    A kin is a way, whether the runs are on first items only, and whether they are runs of a model
    alone that go to its family. For the rules, see `one_each` and `told_apart_records`.
    """

    index: RunIndex

    def counted(self) -> CountedRuns:
        """Return the runs that count."""
        index = self.index
        complete = index.by_age[index.is_complete[index.by_age]]
        is_limited = np.array(index.known.is_limited, dtype=np.bool_)[index.place_of]
        kins = _KINS * index.way_of + _LIMITED * is_limited
        outermost = self._outermost(complete, kins)
        in_families = self._in_families(complete, outermost)
        for lacking, _ in in_families.values():
            kins[lacking] += _JOINED
        if in_families:
            outermost = self._outermost(complete, kins)
        beside = self._beside(outermost, kins, in_families)
        told = told_apart_records(
            [self._record(row) for row in sorted({*outermost.tolist(), *beside})]
        )
        # First items count where there is no whole suite.
        if not is_limited[complete].all():
            complete = complete[~is_limited[complete]]
            told = [each for each in told if not is_limited[int(each.run_id)]]
        return self._newest(complete, kins, told)

    def _record(self, row: int) -> RunRecord:
        """Return a run as far as it is looked at; `run_id` is its place in the index."""
        index = self.index
        # The suite is known by its number.
        return replace(
            index.ways[int(index.way_of[row])],
            run_id=str(row),
            suite=_numbered_suite(int(index.suite_of[row])),
            created=index.created[row],
        )

    def _outermost(self, by_age: Numbers, kins: Numbers) -> Numbers:
        """Return the oldest run of each kin, and of the newest ones the first and the last."""
        if not len(by_age):
            return by_age
        by_kin = by_age[np.argsort(kins[by_age], kind="stable")]
        own, ages = kins[by_kin], self.index.ages[by_kin]
        ends = np.flatnonzero(np.r_[own[1:] != own[:-1], True])
        starts = np.r_[0, ends[:-1] + 1]
        # Ascending by kin, then by age.
        together = own * (int(ages.max()) + 1) + ages
        newest = np.searchsorted(together, together[ends])
        return np.unique(by_kin[np.concatenate([starts, newest, ends])])

    def _in_families(
        self, complete: Numbers, outermost: Numbers
    ) -> dict[int, tuple[Numbers, Numbers]]:
        """Return the ways of models alone that are in one family, too, and were asked alike there.

        Each has its own runs on suites that the family lacks, and the runs in the family.
        """
        index = self.index
        ways = np.flatnonzero(np.bincount(index.way_of[outermost])).tolist()
        keys = [{model_key(each) for each in found} for found in self._alone_and_members(ways)]
        if keys[0].isdisjoint(keys[1]):
            return {}
        records = [self._record(row) for row in outermost.tolist()]
        stored = stored_models(records)
        models: dict[int, StoredModel] = {}
        families: dict[tuple[str, object], set[StoredModel]] = {}
        for each in records:
            model = stored[each.run_id]
            models[int(index.way_of[int(each.run_id)])] = model
            if model.family is not None:
                families.setdefault((model.model, variant_key(each)), set()).add(model)
        ways_of: dict[StoredModel, list[int]] = {}
        for way, model in models.items():
            ways_of.setdefault(model, []).append(way)
        by_way = complete[np.argsort(index.way_of[complete], kind="stable")]
        own_ways = index.way_of[by_way]

        def runs(wanted: Iterable[int]) -> Numbers:
            ends = [np.searchsorted(own_ways, [way, way + 1]) for way in wanted]
            return np.concatenate([by_way[first:last] for first, last in ends])

        found = {}
        for way, model in models.items():
            members = families.get((model.model, variant_key(index.ways[way])), set())
            if model.family is None and len(members) == 1:
                (member,) = members
                own, theirs = runs([way]), runs(ways_of[member])
                lacking = ~np.isin(index.suite_of[own], index.suite_of[theirs])
                found[way] = own[lacking], theirs
        return found

    def _alone_and_members(self, ways: Iterable[int]) -> tuple[list[RunRecord], list[RunRecord]]:
        """Return those of the ways that are models alone, and those that are members."""
        found: tuple[list[RunRecord], list[RunRecord]] = [], []
        for way in ways:
            each = self.index.ways[way]
            found[bool(each.is_own and each.result.membership)].append(each)
        return found

    def _beside(
        self,
        outermost: Numbers,
        kins: Numbers,
        in_families: Mapping[int, tuple[Numbers, Numbers]],
    ) -> Iterator[int]:
        """Yield, for each run that does not go to the family, one there that it has instead."""
        index = self.index
        for row in outermost.tolist():
            way = int(index.way_of[row])
            if way in in_families and not kins[row] & _JOINED:
                theirs = in_families[way][1]
                yield int(theirs[index.suite_of[theirs] == index.suite_of[row]][0])

    def _newest(self, by_age: Numbers, kins: Numbers, told: Sequence[RunRecord]) -> CountedRuns:
        """Return the newest runs; `told` has outermost ones of each kin."""
        index, n_suites = self.index, len(self.index.known.suite_numbers)
        stored = stored_models(told)
        distinct = {*stored.values()}
        in_family = {each.model for each in distinct if each.family is not None}
        both = {each.model for each in distinct if each.family is None} & in_family
        seats: dict[tuple[StoredModel, ScoreRule], int] = {}
        variants: dict[tuple[str, ScoreRule, object], int] = {}
        # By kin: what its runs compete for, suite by suite; and under which name, a model alone
        # has the same in a family.
        seat_of, alone_as, member_as = np.full((3, _KINS * len(index.ways)), -1, dtype=np.int64)
        models: dict[int, RunRecord] = {}
        for each in told:
            kin, model = int(kins[int(each.run_id)]), stored[each.run_id]
            rule = each.result.score_rule
            models[kin] = each
            seat_of[kin] = seats.setdefault((model, rule), len(seats))
            if model.model in both:
                what = (model.model, rule, variant_key(each))
                number = variants.setdefault(what, len(variants))
                (alone_as if model.family is None else member_as)[kin] = number
        scored = index.is_scored[by_age]
        in_order = np.concatenate([by_age[~scored], by_age[scored]])
        suites, own = index.suite_of[in_order], kins[in_order]
        is_best = _is_last(seat_of[own] * n_suites + suites)
        # What has run in a family just so does not count alone.
        if variants:
            is_member, is_alone = member_as[own] >= 0, alone_as[own] >= 0
            alone, there = alone_as[own] * n_suites + suites, member_as[own] * n_suites + suites
            is_scored = index.is_scored[in_order]
            is_best &= ~is_alone | ~np.where(
                is_scored,
                np.isin(alone, there[is_member & is_scored]),
                np.isin(alone, there[is_member]),
            )
        rows = np.sort(in_order[is_best])
        present = np.flatnonzero(np.bincount(kins[rows]))
        return CountedRuns(
            rows=rows,
            kins=np.searchsorted(present, kins[rows]),
            models=[models[kin] for kin in present.tolist()],
        )


# Of a way: beside the others, runs on first items, and those that go to a family.
_KINS, _LIMITED, _JOINED = 4, 2, 1


@lru_cache(maxsize=4096)
def _numbered_suite(number: int) -> SuiteFacts:
    return SuiteFacts(language=str(number))


def _is_last(codes: Numbers) -> Marks:
    """Say of each code whether it is the last of its kind."""
    order = np.argsort(codes, kind="stable")
    found = np.zeros(len(codes), dtype=np.bool_)
    found[order[np.r_[codes[order][1:] != codes[order][:-1], True][: len(codes)]]] = True
    return found
