"""What the names in a template mean: the slots, choices and columns of the lexicons."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from pommel.errors import Fault, listed
from pommel.sources.grammar.lexicon_template.domains import Domain
from pommel.sources.grammar.lexicon_template.lexicon import Lexicon
from pommel.sources.grammar.lexicon_template.relations import (
    OWN_VALUE,
    Bound,
    Feature,
    Relation,
    Term,
)
from pommel.sources.grammar.lexicon_template.tree import (
    Choice,
    Constraint,
    Literal,
    Operand,
    Reference,
    Slot,
    Template,
    Variable,
)
from pommel.sources.grammar.meant import Meant

_MOST_LISTED = 12


class Binding:
    """The names of a template, looked up; what is wrong with them is added to `faults`."""

    def __init__(self, template: Template, lexicon: Lexicon, faults: list[Fault]) -> None:
        self._template = template
        self._lexicon = lexicon
        self._indices = template.indices
        self._faults = faults
        self._meant = Meant()

    def relations(self) -> list[Bound]:
        """Return what all constraints say, in the order of the slots, then `distinct`.

        Constraints with a fault are left out.
        """
        found = []
        for number, variable in enumerate(self._template.variables):
            for each in variable.constraints:
                relation = self._relation(each, number)
                if relation:
                    found.append((relation, each))
        for references in self._template.distinct:
            found += self._distinct(references)
        return found

    def placeholder(self, reference: Reference) -> Feature | None:
        """Return what a placeholder stands for; None, after a fault, if there is no such thing."""
        if reference.owner is not None or not self._is_slot(reference.name):
            return self._feature(reference)
        hint = f"write {{{reference.name}.FEATURE}}; {self._columns_hint()}"
        if reference.indices:
            hint = self._stem_hint(reference)
        self._fault(reference, f"{{{reference}}} names a slot, and no feature of it", hint)
        return None

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

    def _relation(self, constraint: Constraint, number: int) -> Relation | None:
        own = self._template.variables[number]
        left = self._left(constraint.left, own, number)
        right = [self._right(each, own, number) for each in constraint.right]
        if left is None or None in right:
            return None
        return Relation(
            left=left,
            operator=constraint.operator,
            right=tuple(each for each in right if each is not None),
            text=constraint.text,
        )

    def _distinct(self, references: Sequence[Reference]) -> list[Bound]:
        found = []
        bound = [(each, self.placeholder(each)) for each in references]
        for (one, left), (two, right) in combinations(bound, 2):
            if left is not None and right is not None:
                text = f"distinct: {one} {two}"
                relation = Relation(left=left, operator="!=", right=(right,), text=text)
                written = Constraint(
                    place=two.place, text=text, left=one, operator="!=", right=(two,)
                )
                found.append((relation, written))
        return found

    def _left(self, reference: Reference, own: Variable, number: int) -> Feature | None:
        """Return what the left side means: a bare name is a feature of the slot itself."""
        if reference.owner is not None or isinstance(own, Choice):
            return self._feature(reference, above=number)
        indices = self._index_terms(reference, above=number)
        if indices is None or not self._has_column(
            reference, reference.name, is_begin=bool(indices)
        ):
            return None
        return Feature(number, reference.name, indices)

    def _right(self, operand: Operand, own: Variable, number: int) -> Term | None:
        """Return what an operand means: a bare name is a choice, or else a literal."""
        if isinstance(operand, Literal):
            return operand.text
        if operand.owner is None and not operand.indices and operand.name not in self._indices:
            return operand.name
        if operand.owner is None and self._is_slot(operand.name):
            hint = f'write {operand.name}.FEATURE, or "{operand.name}" for the value'
            self._fault(operand, f"{operand.name} is a slot, not a value", hint)
            return None
        if operand.owner is None and operand.indices and isinstance(own, Slot):
            hint = f"write {own.name}.{operand}"
            self._fault(operand, f"{operand} does not say whose feature it is", hint)
            return None
        return self._feature(operand, above=number)

    def _feature(self, reference: Reference, above: int | None = None) -> Feature | None:
        """Return what a reference means; `above` is the slot that it has to be, or stand above."""
        name = reference.name if reference.owner is None else reference.owner
        number = self._indices.get(name)
        if number is None:
            self._unknown(reference, name)
            return None
        if above is not None and number > above:
            what = f"{name} is defined below, and a constraint is about what stands above it"
            self._fault(reference, what, f"move {name} up, or the constraint down to {name}")
            return None
        indices = self._index_terms(reference, above)
        if indices is None:
            return None
        if self._is_slot(name):
            found = self._has_column(reference, reference.name, is_begin=bool(indices))
            return Feature(number, reference.name, indices) if found else None
        if reference.owner is not None or indices:
            hint = f"write {name}"
            self._fault(reference, f"{name} is a choice, and has no features", hint)
            return None
        return Feature(number, OWN_VALUE)

    def _index_terms(
        self, reference: Reference, above: int | None
    ) -> tuple[Feature | str, ...] | None:
        found: list[Feature | str] = []
        for each in reference.indices:
            if each.owner is None and not self._is_slot(each.name):
                number = self._indices.get(each.name)
                if number is None:
                    found.append(each.name)
                    continue
            elif each.owner is None:
                hint = f"write {each.name}.FEATURE"
                self._fault(each, f"{each.name} is a slot, and chooses no column", hint)
                return None
            term = self._feature(each, above)
            if term is None:
                return None
            found.append(term)
        return tuple(found)

    def _has_column(self, reference: Reference, name: str, *, is_begin: bool) -> bool:
        columns = self._lexicon.columns
        begin = f"{name}_"
        if name in columns if not is_begin else any(each.startswith(begin) for each in columns):
            return True
        if not columns:
            # That there is no lexicon, or none that can be read, is said elsewhere.
            return False
        what = f"{self._lexicon.names} has no column {name!r}"
        if is_begin:
            what = f"{self._lexicon.names} has no column that begins with {begin!r}"
        meant = self._meant(name, columns) if not is_begin else None
        self._fault(reference, what, f"did you mean {meant!r}?" if meant else self._columns_hint())
        return False

    def _columns_hint(self) -> str:
        return f"its columns are {listed(self._lexicon.columns, most=_MOST_LISTED)}"

    def _is_slot(self, name: str) -> bool:
        number = self._indices.get(name)
        return number is not None and isinstance(self._template.variables[number], Slot)

    def _unknown(self, reference: Reference, name: str) -> None:
        meant = self._meant(name, self._indices)
        there = listed(list(self._indices), most=_MOST_LISTED)
        hint = f"did you mean {meant}?" if meant else f"there is {there}" if there else ""
        what = "slot" if reference.owner is not None else "slot or choice"
        self._fault(reference, f"there is no {what} {name!r}", hint or f"write slot {name}: ...")

    def _fault(self, reference: Reference, message: str, hint: str) -> None:
        self._faults.append(reference.place.fault(message, hint))


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
