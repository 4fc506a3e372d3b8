"""Which rows can fill each slot, and why none can."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pommel.errors import Fault, counted, listed
from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Cells, Row
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
    Literal,
    Operand,
    Template,
    Variable,
)
from pommel.sources.grammar.meant import Meant

_MOST_LISTED = 12


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
    meant = Meant()
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
        if not domain.cells and (lexicon.rows or isinstance(variable, Choice)):
            faults.append(_nothing(variable, chain, own, unknown[:1]))
            unknown = unknown[1:]
        faults += unknown
    return domains, faults


def _filtered(
    variable: Variable, number: int, lexicon: Lexicon, own: Sequence[Bound]
) -> tuple[Domain, list[int]]:
    """Return what a slot can be, and how many rows each of its own constraints has left."""
    if isinstance(variable, Choice):
        rows: Sequence[Row] = ()
        cells: list[Cells] = [{OWN_VALUE: each.text} for each in variable.values]
    else:
        rows, cells = lexicon.rows, [each.cells for each in lexicon.rows]
    kept = list(range(len(cells)))
    chain = []
    for relation, _ in own:
        kept = [each for each in kept if relation.holds({number: cells[each]})]
        chain.append(len(kept))
    found = tuple(cells[each] for each in kept)
    return Domain(cells=found, rows=tuple(rows[each] for each in kept) if rows else ()), chain


def _unknown(bound: Bound, template: Template, lexicon: Lexicon, meant: Meant) -> Iterator[Fault]:
    """Yield the values that a constraint compares with a feature which never has them."""
    relation, constraint = bound
    feature = relation.left
    if feature.indices:
        return
    known = _known(feature, relation, template, lexicon)
    there = listed(list(known), most=_MOST_LISTED)
    what = f"no row has {{}} as its {feature.column}"
    if isinstance(template.variables[feature.variable], Choice):
        what = f"{template.variables[feature.variable].name} is never {{}}"
    for term, written in zip(relation.right, constraint.right, strict=True):
        for value in _written_values(term, written, template):
            if value.text != NOT_APPLICABLE and value.text not in known:
                probably = meant(value.text, known)
                hint = f"did you mean {probably}?" if probably else f"there is {there}"
                yield value.place.fault(what.format(repr(value.text)), hint)


def _written_values(term: Term, written: Operand, template: Template) -> Sequence[Literal]:
    """Return the value that is written on the right of a constraint, or those of its choice."""
    if isinstance(term, str):
        return [Literal(place=written.place, text=term)]
    variable = template.variables[term.variable]
    return variable.values if isinstance(variable, Choice) else ()


def _known(
    feature: Feature, relation: Relation, template: Template, lexicon: Lexicon
) -> dict[str, None]:
    variable = template.variables[feature.variable]
    if isinstance(variable, Choice):
        return dict.fromkeys(each.text for each in variable.values)
    cells = [row.cells[feature.column] for row in lexicon.rows if feature.column in row.cells]
    if relation.operator in ("has", "lacks", "shares"):
        return dict.fromkeys(word for cell in cells for word in cell.split())
    return dict.fromkeys(cells)


def _nothing(
    variable: Variable, chain: Sequence[int], own: Sequence[Bound], unknown: Sequence[Fault]
) -> Fault:
    noun = "value" if isinstance(variable, Choice) else "row"
    each = [
        f"{relation.text}: {counted(n, noun)}" for n, (relation, _) in zip(chain, own, strict=True)
    ]
    emptied = chain.index(0)
    what = f"no {noun} can be {variable.name} ({', '.join(each[: emptied + 1])})"
    hint = [f"{fault.message}; {fault.hint}" for fault in unknown]
    return variable.place.fault(what, *(hint or [f"change {own[emptied][0].text}"]))
