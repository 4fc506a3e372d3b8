"""What a template means with its lexicons.

The lexicons are put together; names in the template are slots, choices and columns; constraints are
relations of features; and each slot has a domain, the rows that can fill it, or a reason why none
can.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import TypeVar

from pommel.errors import Fault, counted, listed
from pommel.files import DecodedText
from pommel.sources.grammar.lexicon_file import (
    NOT_APPLICABLE,
    Cells,
    Row,
    read_lexicon_file,
    repeated,
)
from pommel.sources.grammar.lexicon_template.template import (
    Constraint,
    Operand,
    Operator,
    Reference,
    Template,
    Variable,
)
from pommel.sources.grammar.source import GrammarError
from pommel.sources.grammar.text import NearestNames, Written

_MOST_LISTED = 12

_Name = TypeVar("_Name")
_Above = TypeVar("_Above")
_Found = TypeVar("_Found")

# What a choice stands for is the only feature that it has.
OWN_VALUE = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The rows of all files, in the order of the template; columns in the order of the files.

    `files` is what was read, by the names that the template has for it.
    """

    files: Mapping[str, DecodedText]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> str:
        """What messages call it: the names of its files."""
        return " and ".join(Path(each).name for each in self.files)


def read_lexicons(files: Sequence[Written], folder: Path) -> tuple[Lexicon, list[Fault]]:
    """Return the rows of some files, and what is wrong with them.

    `files` are their names as a template in `folder` has them.
    """
    faults: list[Fault] = []
    rows: list[Row] = []
    read: dict[str, DecodedText] = {}
    for each in files:
        found, more = read_lexicon_file(each.text, each.place, folder=folder)
        faults += more
        if found:
            rows += found.rows
            read[each.text] = found.read
    faults += _repetitions(rows)
    columns = dict.fromkeys(column for row in rows for column in row.columns)
    return Lexicon(files=read, columns=tuple(columns), rows=tuple(rows)), faults


def _repetitions(rows: Sequence[Row]) -> Iterator[Fault]:
    for row, before in repeated(rows, lambda each: frozenset(each.cells.items())):
        where = f"line {before.written.line}"
        if before.file != row.file:
            where += f" of {Path(before.file).name}"
        what = f"this row is the same as {where}"
        yield row.place().fault(what, "remove it; its items would come twice")


# None is what does not apply.
Value = str | None
# What fills the slots, by their numbers: all of them, or as many as are asked for.
Filled = Sequence[Cells] | Mapping[int, Cells]


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of what fills a slot; `indices` are put behind its name, with `_` between."""

    variable: int
    column: str
    indices: tuple["Feature | str", ...] = ()

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return frozenset((self.variable,)).union(
            *(each.variables for each in self.indices if isinstance(each, Feature))
        )

    def column_in(self, filled: Filled) -> str | None:
        """Return the column that is meant; None if an index does not apply."""
        names = [each if isinstance(each, str) else each.value(filled) for each in self.indices]
        if None in names:
            return None
        return "_".join([self.column, *filter(None, names)])

    def value(self, filled: Filled) -> Value:
        """Return what stands there."""
        if not self.indices:
            return filled[self.variable].get(self.column)
        column = self.column_in(filled)
        return None if column is None else filled[self.variable].get(column)


Term = Feature | str


@dataclass(frozen=True, slots=True)
class Relation:
    """A constraint over features and literals: `left operator right`.

    It holds as follows; what does not apply (`_`) is a value that is equal to itself only.
    `=`, `!=`: the two are the same, or not. `in`: the left one is among the right ones, where a
    feature stands for each word of its cell. `has`, `lacks`, `shares`: all, none or some of the
    right ones are words of the left cell; what does not apply has no words.
    """

    left: Feature
    operator: Operator
    right: tuple[Term, ...]
    text: str

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return self.left.variables.union(*(each.variables for each in self._features))

    @property
    def features(self) -> tuple[Feature, ...]:
        """All features that it mentions, but those that choose columns."""
        return (self.left, *self._features)

    @property
    def difference(self) -> tuple[Feature, Feature] | None:
        """The two features of different slots that it wants to differ, if it is of that kind."""
        if self.operator != "!=" or not isinstance(self.right[0], Feature):
            return None
        left, right = self.left, self.right[0]
        plain = not left.indices and not right.indices and left.variable != right.variable
        return (left, right) if plain else None

    def holds(self, filled: Filled) -> bool:
        """Say whether it is so; all that it mentions has to be filled."""
        left = self.left.value(filled)
        if self.operator in ("=", "!="):
            return (left == _value(self.right[0], filled)) == (self.operator == "=")
        found = self._elements(filled)
        match self.operator:
            case "in":
                return left in found
            case "not in":
                return left not in found
            case "has":
                return bool(found) and found <= words_of(left)
            case "lacks":
                return not found & words_of(left)
            case _:
                return bool(found & words_of(left))

    @property
    def _features(self) -> tuple[Feature, ...]:
        return tuple(each for each in self.right if isinstance(each, Feature))

    def _elements(self, filled: Filled) -> frozenset[Value]:
        found: set[Value] = set()
        for each in self.right:
            if isinstance(each, Feature):
                found |= words_of(each.value(filled))
            else:
                found.add(_value(each, filled))
        return frozenset(found)


# What a constraint says, and how it is written.
Bound = tuple[Relation, Constraint]


@functools.lru_cache(maxsize=1 << 16)
def words_of(cell: Value) -> frozenset[Value]:
    """Return the words of a cell, none for what does not apply."""
    return frozenset(cell.split()) if cell is not None else frozenset()


def _value(term: Term, filled: Filled) -> Value:
    if isinstance(term, Feature):
        return term.value(filled)
    return None if term == NOT_APPLICABLE else term


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """What a slot or a choice can be, in order; of a slot, `rows` are the rows of its cells."""

    cells: tuple[Cells, ...]
    rows: tuple[Row, ...] = ()

    def values(self, column: str) -> list[str]:
        """Return the different values of a feature, without what does not apply."""
        return list(dict.fromkeys(each[column] for each in self.cells if column in each))

    def lacks(self, column: str) -> bool:
        """Say whether there is a row to which a feature does not apply."""
        return any(column not in each for each in self.cells)


def domains_of(
    template: Template, lexicon: Lexicon, bound: Sequence[Bound]
) -> tuple[list[Domain], list[Fault]]:
    """Return what each slot and choice can be by itself, and the faults of those that can't be
    anything, or of values that no row has.
    """
    domains, faults = [], []
    meant = NearestNames()
    for number, variable in enumerate(template.variables):
        own = [each for each in bound if each[0].variables == {number}]
        domain, chain = _filtered(variable, number, lexicon, own)
        domains.append(domain)
        unknown = [
            fault
            for each in bound
            if each[0].left.variable == number
            for fault in _unknown(each, template, lexicon, meant)
        ]
        # Without rows at all, the fault is the lexicon's.
        if not domain.cells and (lexicon.rows or not variable.is_slot):
            faults.append(_nothing(variable, chain, own, unknown[:1]))
            unknown = unknown[1:]
        faults += unknown
    return domains, faults


def _filtered(
    variable: Variable, number: int, lexicon: Lexicon, own: Sequence[Bound]
) -> tuple[Domain, list[int]]:
    """Return what a slot can be, and how many rows each of its own constraints has left."""
    kept: list[tuple[Cells, Row | None]] = [(row.cells, row) for row in lexicon.rows]
    if not variable.is_slot:
        kept = [({OWN_VALUE: each.text}, None) for each in variable.values]
    chain = []
    for relation, _ in own:
        kept = [(cells, row) for cells, row in kept if relation.holds({number: cells})]
        chain.append(len(kept))
    rows = tuple(row for _, row in kept if row is not None)
    return Domain(cells=tuple(cells for cells, _ in kept), rows=rows), chain


def _unknown(
    bound: Bound, template: Template, lexicon: Lexicon, meant: NearestNames
) -> Iterator[Fault]:
    """Yield the values that a constraint compares with a feature which never has them."""
    relation, constraint = bound
    column = relation.left.column
    if relation.left.indices:
        return
    variable = template.variables[relation.left.variable]
    known = [row.cells[column] for row in lexicon.rows if column in row.cells]
    what = f"no row has {{}} as its {column}"
    if not variable.is_slot:
        known = [each.text for each in variable.values]
        what = f"{variable.name} is never {{}}"
    elif relation.operator in ("has", "lacks", "shares"):
        known = [word for cell in known for word in cell.split()]
    there = dict.fromkeys(known)
    for term, written in zip(relation.right, constraint.right, strict=True):
        # What is written there, or the values of a choice that is named there.
        values: Sequence[Written] = ()
        if isinstance(term, Feature):
            values = template.variables[term.variable].values
        else:
            values = [Written(place=written.place, text=term)]
        for value in values:
            if value.text != NOT_APPLICABLE and value.text not in there:
                otherwise = f"there is {listed(list(there), most=_MOST_LISTED)}"
                hint = meant.hint(value.text, there, otherwise)
                yield value.place.fault(what.format(repr(value.text)), hint)


def _nothing(
    variable: Variable, chain: Sequence[int], own: Sequence[Bound], unknown: Sequence[Fault]
) -> Fault:
    noun = "value" if not variable.is_slot else "row"
    each = [
        f"{relation.text}: {counted(n, noun)}" for n, (relation, _) in zip(chain, own, strict=True)
    ]
    emptied = chain.index(0)
    what = f"no {noun} can be {variable.name} ({', '.join(each[: emptied + 1])})"
    hint = [f"{fault.message}; {fault.hint}" for fault in unknown]
    return variable.place.fault(what, *(hint or [f"change {own[emptied][0].text}"]))


class Binding:
    """The names of a template, looked up; what is wrong with them is added to `faults`."""

    def __init__(self, template: Template, lexicon: Lexicon, faults: list[Fault]) -> None:
        self._template = template
        self._lexicon = lexicon
        self._indices = template.indices
        self._faults = faults
        self._meant = NearestNames()

    def relations(self) -> list[Bound]:
        """Return what all constraints say, in the order of the slots, then `distinct`.

        Constraints with a fault are left out.
        """
        found = []
        for number, variable in enumerate(self._template.variables):
            for each in variable.constraints:
                left = self._tried(self._left, each.left, number)
                terms = [self._tried(self._right, one, number) for one in each.right]
                right = tuple(term for term in terms if term is not None)
                if left is not None and len(right) == len(terms):
                    found.append((Relation(left, each.operator, right, each.text), each))
        for references in self._template.distinct:
            bound = [(each, self.placeholder(each)) for each in references]
            for (one, left), (two, other) in combinations(bound, 2):
                if left is not None and other is not None:
                    text = f"distinct: {one} {two}"
                    constraint = Constraint(
                        place=two.place, text=text, left=one, operator="!=", right=(two,)
                    )
                    found.append((Relation(left, "!=", (other,), text), constraint))
        return found

    def placeholder(self, reference: Reference) -> Feature | None:
        """Return what a placeholder stands for; None, after a fault, if there is no such thing."""
        return self._tried(self._placed, reference, None)

    def _tried(
        self, look_up: Callable[[_Name, _Above], _Found], name: _Name, above: _Above
    ) -> _Found | None:
        """Return what a look-up finds; None, after its faults, if it fails."""
        try:
            return look_up(name, above)
        except GrammarError as error:
            self._faults += error.faults
            return None

    def _placed(self, reference: Reference, _: int | None) -> Feature:
        if reference.owner is not None or not self._is_slot(reference.name):
            return self._feature(reference, None)
        hint = f"write {{{reference.name}.FEATURE}}; {self._columns_hint()}"
        if reference.indices:
            hint = self._stem_hint(reference)
        raise _wrong(reference, f"{{{reference}}} names a slot, and no feature of it", hint)

    def _stem_hint(self, reference: Reference) -> str:
        """Say how a column is chosen, with one that there is, if there is one."""
        n = len(reference.indices)
        columns = (each.rsplit("_", n) for each in self._lexicon.columns)
        stem, *ends = next(
            (each for each in columns if len(each) > n and each[0]), ["np", *["def", "sg"][-n:]]
        )
        indices = "".join(f"[{each}]" for each in reference.indices)
        column = "_".join([stem, *ends])
        what = "an index chooses among columns whose names begin alike"
        return f"{what}: for {column}, write {{{reference.name}.{stem}{indices}}}"

    def _left(self, reference: Reference, number: int) -> Feature:
        """Return what the left side means: a bare name is a feature of the slot itself."""
        own = self._template.variables[number]
        if reference.owner is None and own.is_slot:
            reference = replace(reference, owner=own.name)
        return self._feature(reference, number)

    def _right(self, operand: Operand, number: int) -> Term:
        """Return what an operand means: a bare name is a choice, or else a literal."""
        if isinstance(operand, Written):
            return operand.text
        own = self._template.variables[number]
        if operand.owner is None:
            if not operand.indices and operand.name not in self._indices:
                return operand.name
            if self._is_slot(operand.name):
                hint = f'write {operand.name}.FEATURE, or "{operand.name}" for the value'
                raise _wrong(operand, f"{operand.name} is a slot, not a value", hint)
            if operand.indices and own.is_slot:
                hint = f"write {own.name}.{operand}"
                raise _wrong(operand, f"{operand} does not say whose feature it is", hint)
        return self._feature(operand, number)

    def _feature(self, reference: Reference, above: int | None) -> Feature:
        """Return what a reference means; `above` is the slot that it has to be, or stand above."""
        name = reference.name if reference.owner is None else reference.owner
        number = self._indices.get(name)
        if number is None:
            there = listed(list(self._indices), most=_MOST_LISTED)
            otherwise = f"there is {there}" if there else f"write slot {name}: ..."
            hint = self._meant.hint(name, self._indices, otherwise)
            what = "slot" if reference.owner is not None else "slot or choice"
            raise _wrong(reference, f"there is no {what} {name!r}", hint)
        if above is not None and number > above:
            what = f"{name} is defined below, and a constraint is about what stands above it"
            raise _wrong(reference, what, f"move {name} up, or the constraint down to {name}")
        indices = tuple(self._index(each, above) for each in reference.indices)
        if self._is_slot(name):
            self._check_column(reference)
            return Feature(number, reference.name, indices)
        if reference.owner is not None or indices:
            raise _wrong(reference, f"{name} is a choice, and has no features", f"write {name}")
        return Feature(number, OWN_VALUE)

    def _index(self, reference: Reference, above: int | None) -> Feature | str:
        if reference.owner is None and self._is_slot(reference.name):
            what = f"{reference.name} is a slot, and chooses no column"
            raise _wrong(reference, what, f"write {reference.name}.FEATURE")
        if reference.owner is None and reference.name not in self._indices:
            return reference.name
        return self._feature(reference, above)

    def _check_column(self, reference: Reference) -> None:
        """Raise `GrammarError` if no lexicon has the column, or any that an index can choose."""
        columns, name = self._lexicon.columns, reference.name
        begin = f"{name}_"
        if reference.indices:
            if any(each.startswith(begin) for each in columns):
                return
            what, hint = f"column that begins with {begin!r}", self._columns_hint()
        elif name in columns:
            return
        else:
            what, hint = f"column {name!r}", self._columns_hint()
            meant = self._meant(name, columns)
            hint = f"did you mean {meant!r}?" if meant else hint
        if not columns:
            # That there is no lexicon, or none that can be read, is said elsewhere.
            raise GrammarError([])
        raise _wrong(reference, f"{self._lexicon.names} has no {what}", hint)

    def _columns_hint(self) -> str:
        return f"its columns are {listed(self._lexicon.columns, most=_MOST_LISTED)}"

    def _is_slot(self, name: str) -> bool:
        number = self._indices.get(name)
        return number is not None and self._template.variables[number].is_slot


def _wrong(reference: Reference, message: str, hint: str) -> GrammarError:
    return GrammarError([reference.place.fault(message, hint)])


def chosen_columns(
    feature: Feature, domains: Sequence[Domain]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the columns that a feature may look at, each behind the values of its indices."""
    indices = [
        [each] if isinstance(each, str) else domains[each.variable].values(each.column)
        for each in feature.indices
    ]
    for values in product(*indices):
        yield values, "_".join([feature.column, *filter(None, values)])


def column_faults(
    lexicon: Lexicon, domains: Sequence[Domain], bound: Mapping[Feature, Reference]
) -> Iterator[Fault]:
    """Yield the columns that an index can choose, and no lexicon has."""
    for feature, reference in bound.items():
        for values, column in chosen_columns(feature, domains) if feature.indices else ():
            if column not in lexicon.columns:
                what = f"{lexicon.names} has no column {column!r}"
                chosen = ", ".join(
                    f"{each} = {value}"
                    for each, value in zip(reference.indices, values, strict=True)
                    if str(each) != value
                )
                why = f", which {reference} is where {chosen}" if chosen else ""
                columns = [each for each in lexicon.columns if each.startswith(feature.column)]
                hint = f"its columns are {listed(columns, most=_MOST_LISTED)}"
                yield reference.place.fault(f"{what}{why}", hint)


def uses(template: Template) -> Iterator[tuple[int | None, Reference]]:
    """Yield all references, each with the number of the slot in whose constraints it stands."""
    for number, variable in enumerate(template.variables):
        for each in variable.constraints:
            yield from ((number, operand) for operand in _flat((each.left, *each.right)))
    lines = (*template.conditions, *template.glosses)
    others = [reference for line in lines for reference in line.references]
    others += [reference for references in template.distinct for reference in references]
    yield from ((None, each) for each in _flat(others))


def _flat(operands: Sequence[Operand]) -> Iterator[Reference]:
    for each in operands:
        if isinstance(each, Reference):
            yield each
            yield from each.indices
