"""Items that break the pattern of the others: which conditions say the same, how others differ."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from pommel.errors import quoted
from pommel.suite.lint.characters import as_read
from pommel.suite.lint.subject import Remark, Subject
from pommel.suite.suite import Condition, Suite
from pommel.values import frozen, positional

# What no more than so many items do, and no more than one in ten, is an oversight where at least
# as many do otherwise as are named here.
_MOST_ODD = 3
_ODD_SHARE = 0.1
_LEAST_OTHERS = 4
# Of how two conditions differ, that share of the items in which they do has to be alike: words go
# their own ways. Whether it is, is looked for in so many items first.
_USUAL_SHARE = 0.5
_ENOUGH_ITEMS = 100
# Among so many conditions, two pairs may have changed places at once; and so many texts of a region
# are compared with each other.
_MOST_CONDITIONS = 12
# Of so many conditions, items that have something in common are looked at by themselves: of more
# that takes long, and they say more of each other.
_FEW_CONDITIONS = 6
# That share of a region's words, and so many of them, must keep their places for it to be a design.
_KEPT_SHARE = 0.95
_LEAST_KEPT = 8


def _is_odd(n_items: int, n_others: int) -> bool:
    """Say whether so many items do by oversight what so many others do not."""
    share = _ODD_SHARE * (n_items + n_others)
    return n_others >= _LEAST_OTHERS and n_items <= min(_MOST_ODD, max(1, share))


# What the conditions of an item say in a region, in the order of the suite's.
_Row = Sequence[str]
# Two conditions, by their places in that order.
_Pair = tuple[int, int]
# What is left of two texts without what they begin with and end with alike.
_Change = tuple[str, str]


@lru_cache(maxsize=1 << 16)
def _change(one: str, other: str) -> _Change:
    if not one or not other:
        # All that counts is which of them has the gap.
        return "…" * bool(one), "…" * bool(other)
    start = end = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]


@positional
class _Break:
    """What two conditions do in a region of an item, and in hardly any other one.

    They `differ`, though they say the same elsewhere; they are `alike`, though they differ
    elsewhere; or they are `turned`: *dogs* and *dog*, where others have *cat* and *cats*.
    """

    region: int
    pair: _Pair
    how: Literal["differ", "alike", "turned"]


# Which conditions of an item say the same in a region: of each the first one that does.
_Shape = tuple[int, ...]


def _shape(row: _Row) -> _Shape:
    first = {text: place for place, text in reversed([*enumerate(row)])}
    return tuple(first[text] for text in row)


@frozen
class _RegionPattern:
    """What conditions say in a region of each item, and what of that is so in nearly all items.

    `alike` are the pairs that say the same in nearly all items (True), or in hardly any (False).
    `turned` is how two conditions differ in hardly any item, while in most it is the reverse.
    """

    number: int
    rows: Sequence[_Row]
    alike: Mapping[_Pair, bool]
    turned: Mapping[_Pair, _Change]

    @classmethod
    def of(cls, number: int, rows: Sequence[_Row]) -> "_RegionPattern":
        """Find the pattern of a region."""
        shapes = Counter(map(_shape, rows))
        n_conditions = len(rows[0])
        alike = {}
        for one, other in itertools.combinations(range(n_conditions), 2):
            n_alike = sum(n for shape, n in shapes.items() if shape[one] == shape[other])
            n_unlike = len(rows) - n_alike
            if _is_odd(n_unlike, n_alike) or _is_odd(n_alike, n_unlike):
                alike[one, other] = n_alike > n_unlike
        # Of those that say the same, the first one stands for all.
        apart = [
            place
            for place in range(n_conditions)
            if not any(alike.get((before, place)) for before in range(place))
        ]
        pairs = itertools.combinations(apart, 2) if len(apart) <= _MOST_CONDITIONS else ()
        turned = {pair: found[::-1] for pair in pairs if (found := _usual_change(rows, pair))}
        return cls(number=number, rows=rows, alike=alike, turned=turned)

    def breaks(self, row: _Row) -> Iterator[_Break]:
        """Yield where an item would break the pattern, if its conditions said this."""
        shape = _shape(row)
        for pair, is_alike in self.alike.items():
            one, other = pair
            if (shape[one] == shape[other]) != is_alike:
                yield _Break(self.number, pair, "differ" if is_alike else "alike")
        for pair, change in self.turned.items():
            if _changed(row, pair) == change:
                yield _Break(self.number, pair, "turned")


def _changed(row: _Row, pair: _Pair) -> _Change | None:
    one, other = pair
    return _change(row[one], row[other]) if row[one] != row[other] else None


def _usual_change(rows: Sequence[_Row], pair: _Pair) -> _Change | None:
    """Return how two conditions differ in most of the items in which they do, if it is so."""
    # A few items tell that it is not, at less cost.
    few = rows[:: len(rows) // _ENOUGH_ITEMS + 1]
    for some, share in ((few, _USUAL_SHARE / 2), (rows, _USUAL_SHARE)):
        found = Counter(change for row in some if (change := _changed(row, pair)))
        if not found or max(found.values()) < share * found.total():
            return None
    change, n_items = found.most_common(1)[0]
    return change if _is_odd(found[change[::-1]], n_items) else None


# Conditions that have changed places.
_Swap = tuple[_Pair, ...]


@frozen
class _Odd:
    """An item that breaks the pattern: by conditions that have changed places, or by what a region
    says.

    `swaps` are of several ways in which they may have done so.
    """

    item: int
    swaps: Sequence[_Swap] = ()
    breaks: Sequence[_Break] = ()

    @property
    def region(self) -> int:
        """The region that is odd."""
        return self.breaks[0].region

    def pairs(self, *how: str) -> list[_Pair]:
        """Return the conditions that break the pattern in one of these ways."""
        return [each.pair for each in self.breaks if each.how in how]


def _oddities(suite: Suite) -> list[_Odd]:
    """Return the items that break the pattern of the others, each region by itself.

    If an item is like the others once two conditions have changed places, or two pairs have, that
    is what has happened.
    """
    regions = [
        _RegionPattern.of(number, [tuple(map(as_read, row)) for row in rows])
        for number, rows in suite.once(rows_of).items()
    ]
    found = []
    habits = _Habits.of(suite, {region.number: region.rows for region in regions})
    for item in range(len(suite.items)):
        breaks = [each for region in regions for each in region.breaks(region.rows[item])]
        if not breaks:
            if swaps := habits.swaps(item) if habits else ():
                found.append(_Odd(item=item, swaps=swaps))
        elif swap := _swap(regions, item, {each.pair for each in breaks}):
            found.append(_Odd(item=item, swaps=[swap]))
        else:
            of_region = itertools.groupby(breaks, key=lambda each: each.region)
            found += (_Odd(item=item, breaks=[*several]) for _, several in of_region)
    return found


def rows_of(suite: Suite) -> Mapping[int, Sequence[_Row]]:
    """Return what each region says: of every item, what its conditions say."""
    names = suite.condition_names
    texts = [
        {
            condition.name: {region.number: region.text for region in condition.regions}
            for condition in item.conditions
        }
        for item in suite.items
    ]
    return {
        number: [tuple(item[name].get(number, "") for name in names) for item in texts]
        for number in suite.region_numbers
    }


def _swap(regions: Sequence[_RegionPattern], item: int, broken: Collection[_Pair]) -> _Swap:
    """Return the conditions of an item with which it is like the others once they change places.

    () if there are none. What changes no pair that breaks the pattern need not be looked at.
    """
    n_conditions = len(regions[0].rows[item])
    concerned = {place for pair in broken for place in pair}
    pairs = [
        pair
        for pair in itertools.combinations(range(n_conditions), 2)
        if not concerned.isdisjoint(pair)
    ]
    twice = itertools.combinations(pairs, 2) if n_conditions <= _MOST_CONDITIONS else ()
    for swap in itertools.chain(((pair,) for pair in pairs), twice):
        moved = [place for pair in swap for place in pair]
        if len({*moved}) < len(moved) or any(set(moved).isdisjoint(pair) for pair in broken):
            continue
        places = [*range(n_conditions)]
        for one, other in swap:
            places[one], places[other] = other, one
        rows = ([region.rows[item][place] for place in places] for region in regions)
        if not any(any(region.breaks(row)) for region, row in zip(regions, rows, strict=True)):
            return swap
    return ()


@positional
class _Word:
    """What a region says in some condition."""

    region: int
    text: str


# What an item may have in common with others: see `_votes`.
_Ground = Hashable
# What items do on each ground.
_Votes = Mapping[_Ground, Hashable]


@frozen
class _Habits:
    """What conditions do in all items that have something in common, but for one in ten.

    `rows` are those of each item, by region, and `common` is what it has in common with others.
    `usual` is of each ground what most items do there, how many of them, and how many items there
    are.
    """

    n_conditions: int
    rows: Sequence[Mapping[int, _Row]]
    common: Sequence[Sequence[Hashable]]
    usual: Mapping[_Ground, tuple[Hashable, int, int]]

    @classmethod
    def of(cls, suite: Suite, rows: Mapping[int, Sequence[_Row]]) -> "_Habits | None":
        """Find the habits of a suite's items; None of one with many conditions, or few items."""
        n_conditions, n_items = len(suite.condition_names), len(suite.items)
        if n_conditions > _FEW_CONDITIONS or n_items <= _LEAST_OTHERS:
            return None
        of_items = [{number: own[item] for number, own in rows.items()} for item in range(n_items)]
        common = _common(suite, of_items)
        counts: dict[_Ground, Counter[Hashable]] = defaultdict(Counter)
        # All votes of all items at once would take much memory.
        for votes in map(_votes, of_items, common):
            for ground, vote in votes.items():
                counts[ground][vote] += 1
        settled = _settled(counts)
        usual = {}
        for ground, found in counts.items():
            vote, n_most = found.most_common(1)[0]
            n_all = found.total()
            is_known = n_all > (1 if isinstance(ground, _Word) else _LEAST_OTHERS)
            is_habit = not isinstance(ground, _Word) or ground.region in settled
            # One of the others may be the item that is asked about.
            if is_known and is_habit and n_all - n_most <= 1 + _ODD_SHARE * n_all:
                usual[ground] = vote, n_most, n_all
        return cls(n_conditions=n_conditions, rows=of_items, common=common, usual=usual)

    def swaps(self, item: int) -> list[_Swap]:
        """Return the conditions with which an item does what others do once they change places.

        Each pair with which it does is one by itself.
        """
        own = _votes(self.rows[item], self.common[item])
        against, agreed = self._agreement(own, own)
        if against < _LEAST_OTHERS:
            return []
        found: list[_Swap] = []
        for one, other in itertools.combinations(range(self.n_conditions), 2):
            places = [*range(self.n_conditions)]
            places[one], places[other] = other, one
            moved = {
                number: tuple([row[place] for place in places])
                for number, row in self.rows[item].items()
            }
            still, now = self._agreement(own, _votes(moved, self.common[item]))
            # All that was against it is for it then, and nothing else is lost.
            if not still and now >= agreed + against:
                found.append(((one, other),))
        return found

    def _agreement(self, own: _Votes, votes: _Votes) -> tuple[int, int]:
        """Return how many votes of others are against these votes of an item, and how many for it.

        `own` are those that are counted.
        """
        against = agreed = 0
        for ground in votes.keys() & self.usual.keys():
            vote, n_usual, n_others = self.usual[ground]
            if ground in own:
                n_others -= 1
                n_usual -= own[ground] == vote
            if n_others - n_usual > _ODD_SHARE * n_others:
                continue
            if votes[ground] == vote:
                agreed += n_usual
            else:
                against += n_usual
        return against, agreed


def _common(suite: Suite, rows: Sequence[Mapping[int, _Row]]) -> list[list[Hashable]]:
    """Return what each item has in common with some others, but not with all.

    That is what a region says in all of its conditions, and what `source` says. The last one, None,
    is common to all.
    """
    found: list[list[Hashable]] = []
    for item, own in zip(suite.items, rows, strict=True):
        source = item.as_written.get("source")
        said = source.items() if isinstance(source, Mapping) else ()
        found.append([(slot, str(value)) for slot, value in said])
        found[-1] += ((number, row[0]) for number, row in own.items() if row[0] and _is_one(row))
    counts = Counter(itertools.chain.from_iterable(found))
    return [
        [*(each for each in own if _LEAST_OTHERS < counts[each] < len(rows)), None] for own in found
    ]


def _is_one(row: _Row) -> bool:
    return row.count(row[0]) == len(row)


def _votes(rows: Mapping[int, _Row], common: Sequence[Hashable]) -> _Votes:
    """Return what an item does if its regions say this.

    That is how two conditions differ in a region: by what it has in common with others, and by how
    two other conditions differ there. And it is in which conditions a region says something.
    """
    votes: dict[_Ground, Hashable] = {}
    for number, row in rows.items():
        if _is_one(row):
            continue
        pairs = itertools.combinations(range(len(row)), 2)
        changes = {pair: _changed(row, pair) for pair in pairs}
        for pair, change in changes.items():
            votes.update({(number, pair, each): change for each in common})
            if change:
                others = changes.keys() - {pair}
                votes.update({(number, each, pair, change): changes[each] for each in others})
        for text in {*row}:
            votes[_Word(number, text)] = tuple(i for i, own in enumerate(row) if own == text)
    return votes


def _settled(counts: Mapping[_Ground, Counter[Hashable]]) -> AbstractSet[int]:
    """Return the regions in which what is said in several items keeps its conditions."""
    kept: dict[int, list[bool]] = defaultdict(list)
    for ground, votes in counts.items():
        if isinstance(ground, _Word) and votes.total() > 1:
            n_most = max(votes.values())
            n_other = votes.total() - n_most
            kept[ground.region].append(not n_other or _is_odd(n_other, n_most))
    return {
        region
        for region, own in kept.items()
        if sum(own) >= max(_LEAST_KEPT, _KEPT_SHARE * len(own))
    }


def swapped_conditions(subject: Subject) -> Iterator[Remark]:
    """Yield the items that are like the others once conditions have changed places."""
    names = subject.suite.condition_names
    for odd in subject.suite.once(_oddities):
        if not odd.swaps:
            continue
        number = subject.numbers([odd.item])[0]
        swaps = [[(names[one], names[other]) for one, other in each] for each in odd.swaps]
        which = ", or those of ".join(
            ", and those of ".join(f"{one!r} and {other!r}" for one, other in pairs)
            for pairs in swaps
        )
        yield Remark(
            path=subject.items[odd.item][swaps[0][0][0]].path,
            message=f"the sentences of {which} seem to have changed places in item {number}: with "
            "each other's names the item is like the others",
            hint="give each the name of the other",
            item_numbers=(number,),
            predictions=_predictions(subject, {n for each in swaps for pair in each for n in pair}),
            cause="odd",
        )


def _predictions(
    subject: Subject, names: Collection[str], region: int | None = None
) -> tuple[int, ...]:
    """Return the indexes of the predictions that look at one of the conditions.

    Of a region only those that look at it, or behind it.
    """
    return tuple(
        index
        for index, formula in enumerate(subject.formulas)
        if any(
            each.condition in names
            and (region is None or each.region is None or each.region >= region)
            for each in formula.references
        )
    )


def odd_word(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that differ between conditions that say the same in the other items."""
    for odd in subject.suite.once(_oddities):
        if odd.pairs("differ") and not odd.pairs("alike"):
            hint = "in the other items they say the same; write one of them in both"
            yield _other_form(subject, odd, "differ", hint)


def odd_form(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that say what another condition says, or differ the other way round.

    In the other items they differ, or differ in one direction.
    """
    for odd in subject.suite.once(_oddities):
        if odd.pairs("alike"):
            yield _same_form(subject, odd)
        elif odd.breaks and not odd.pairs("differ"):
            hint = "in the other items it is the other way round; exchange them"
            yield _other_form(subject, odd, "turned", hint)


def _other_form(subject: Subject, odd: _Odd, how: str, hint: str) -> Remark:
    condition, other = _culprit(subject.suite, odd, how)
    rest = f"and that of {other.name!r} {_said(other, odd)}"
    return _remark(subject, odd, condition, rest, hint)


def _same_form(subject: Subject, odd: _Odd) -> Remark:
    condition, other = _culprit(subject.suite, odd, "alike")
    hint = "in the other items they differ; write what belongs to each"
    if odd.pairs("differ"):
        first, second = _culprit(subject.suite, odd, "differ")
        usual = second if first == condition else first
        hint = f"in the other items it is as that of {usual.name!r}, here {_said(usual, odd)}"
    remark = _remark(subject, odd, condition, f"as that of {other.name!r} does", hint)
    # What follows from it where nothing else is odd, other rules say, too.
    is_same = remark.cause and not odd.pairs("differ")
    return replace(remark, cause="same") if is_same else remark


def _culprit(suite: Suite, odd: _Odd, how: str) -> tuple[Condition, Condition]:
    """Return the condition that is odd, and another one that shows it in this way.

    It is the one that has a part in all that is odd; of two such ones, that with the rarer word, or
    else that which is less like what the others say.
    """
    row = suite.once(rows_of)[odd.region][odd.item]
    pairs = odd.pairs(how)
    suspects = set.intersection(*map(set, odd.pairs("differ", "alike") or pairs)) or {*pairs[0]}
    counts = suite.once(_word_counts)

    def likelihood(place: int) -> tuple[int, int]:
        n_least = min((counts[word] for word in row[place].split()), default=0)
        return n_least, -sum(len("".join(_change(row[place], other))) for other in row)

    culprit = min(sorted(suspects), key=likelihood)
    one, other = next((pair for pair in pairs if culprit in pair), pairs[0])
    shown = (culprit, other) if culprit == one else (other, one)
    first, second = (suite.condition_names[each] for each in shown)
    return suite.items[odd.item].condition(first), suite.items[odd.item].condition(second)


def _word_counts(suite: Suite) -> Counter[str]:
    rows = itertools.chain.from_iterable(suite.once(rows_of).values())
    return Counter(word for row in rows for text in row for word in text.split())


def _said(condition: Condition, odd: _Odd) -> str:
    text = "".join(each.text for each in condition.regions if each.number == odd.region)
    return quoted(text) if text else "nothing"


def _remark(subject: Subject, odd: _Odd, condition: Condition, rest: str, hint: str) -> Remark:
    numbers = [each.number for each in condition.regions]
    path = subject.items[odd.item][condition.name].path
    predictions = _predictions(subject, [condition.name], odd.region)
    return Remark(
        path=(*path, "regions", numbers.index(odd.region), "content")
        if odd.region in numbers
        else path,
        message=f"region {odd.region} of {condition.name!r} says {_said(condition, odd)} "
        f"{subject.where([odd.item])}, {rest}",
        hint=hint,
        item_numbers=subject.numbers([odd.item]),
        predictions=predictions,
        cause="odd" if predictions else None,
    )
