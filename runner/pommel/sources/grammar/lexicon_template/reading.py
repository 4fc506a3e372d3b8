"""What a template and its lexicons say: names in it are slots, choices and columns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault, FormulaError, Place
from pommel.files import DecodedText
from pommel.sources.grammar.lexicon_file import Row, read_lexicon_file
from pommel.sources.grammar.lexicon_template.features import (
    OWN_VALUE,
    Feature,
    Filled,
    Reference,
    Relation,
)
from pommel.sources.grammar.source import GrammarError, collected, raise_any
from pommel.sources.grammar.statements import Statement, statements
from pommel.sources.grammar.text import Meta, NearestNames, Written, add_meta, repeated, shown
from pommel.suite import Formula
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import ParseTree

# How each statement is written.
USAGE = {
    "meta": "meta language: hi",
    "lexicon": "lexicon: nouns.csv",
    "slot": "slot S: category = n, class = human",
    "choose": "choose NUM: sg pl",
    "distinct": "distinct: S.word O.word",
    "balance": "balance: NUM O.number within V.word",
    "once": "once: verb",
    "lexemes": "lexemes: V.word NUM",
    "regions": "regions: subject | verb | end",
    "condition": "condition match: {S.word} | {V.form[NUM]} | .",
    "gloss": "gloss match: {S.gloss} {V.gloss}",
    "prediction": "prediction: (2;%match%) < (2;%mismatch%)",
    "description": "description: The verb that agrees is less surprising.",
}
# Of these there is one.
_ONCE = ("regions", "balance", "once", "lexemes")
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\(.)")


@frozen
class Variable:
    """A slot, which is filled with rows of the lexicons, or a choice, which is one of `values`."""

    name: Written
    values: tuple[Written, ...]

    @property
    def is_slot(self) -> bool:
        """Whether rows of the lexicons can fill it."""
        return not self.values


# What a region is made of: text, and placeholders.
Parts = tuple[str | Feature, ...]


@frozen
class Joiner:
    """What stands before a region, and not the suite's joiner, if a feature applies, or always."""

    text: str
    condition: Feature | None

    def before(self, filled: Filled) -> str | None:
        """Return what stands there; None if it is what the suite says."""
        return self.text if self.condition is None or self.condition.value(filled) else None


@frozen
class Line:
    """A condition, or its gloss: a name, what its regions are made of, and what stands before each.

    Where that is None, it is what the suite says.
    """

    name: Written
    regions: tuple[Parts, ...]
    joiners: tuple[Joiner | None, ...]


@frozen
class Balance:
    """The features whose combinations of values a sample has equally often, within others."""

    place: Place
    features: tuple[Feature, ...]
    within: tuple[Feature, ...]


@dataclass(slots=True, kw_only=True)
class Template:
    """What a file says, whose `text` was read. `used` are the slots and choices that others name.

    `predictions` are JSON, and `formulas` theirs, with the statements that they stand in.

    `rows` are those of all lexicons, in the order of the template, and `lexicons` their texts, by
    the names that the template has for them.
    """

    file: str
    text: DecodedText
    lexicons: dict[str, DecodedText] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    balance: Balance | None = None
    once: Written | None = None
    lexemes: tuple[Feature, ...] = ()
    regions: list[Written] = field(default_factory=list)
    conditions: list[Line] = field(default_factory=list)
    glosses: list[Line] = field(default_factory=list)
    predictions: list[dict[str, str]] = field(default_factory=list)
    formulas: list[tuple[Formula, Statement]] = field(default_factory=list)
    meta: Meta = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @property
    def whole(self) -> Place:
        """The place of what concerns all of the file."""
        return Place(file=self.file)

    @property
    def columns(self) -> list[str]:
        """The columns of all lexicons, in the order of the template."""
        return list(dict.fromkeys(column for row in self.rows for column in row.written.names))

    @property
    def lexicon_names(self) -> str:
        """What messages call the lexicons."""
        return " and ".join(Path(each).name for each in self.lexicons)

    @property
    def placeholders(self) -> list[Feature]:
        """The features that stand in conditions and glosses, each as it is written first."""
        regions = (region for line in (*self.conditions, *self.glosses) for region in line.regions)
        parts = (part for region in regions for part in region if isinstance(part, Feature))
        return list(dict.fromkeys(parts))

    @property
    def joiners(self) -> list[Joiner]:
        """What stands before regions of conditions, where that is not what the suite says."""
        return [each for line in self.conditions for each in line.joiners if each]

    @property
    def needed(self) -> list[Feature]:
        """The features that every item has to have: placeholders, lexemes, what is balanced."""
        balance = self.balance
        balanced = (*balance.features, *balance.within) if balance else ()
        return list(dict.fromkeys([*self.placeholders, *self.lexemes, *balanced]))


def read_template(path: Path) -> tuple[Template, list[Fault]]:
    """Return what a template and its lexicons say, and what is wrong with the names in it.

    Raises `InputError` if the template cannot be read, and `GrammarError` with every statement that
    is wrong, or else with all that is wrong with the lexicons.
    """
    read = DecodedText.read_words(path)
    found, faults = statements(read.text, str(path), USAGE, once=_ONCE)
    template = Template(file=str(path), text=read)
    lexicon_faults: list[Fault] = []
    for each in found:
        if each.keyword == "lexicon":
            with collected(lexicon_faults):
                lexicon = read_lexicon_file(each.content, each.content_place, folder=path.parent)
                template.rows += lexicon.rows
                template.lexicons[each.content] = lexicon.read
    lexicon_faults += _repetitions(template.rows)
    reader = _Reader(template, {e.name.text: e for e in found if e.keyword in ("slot", "choose")})
    # What differs is looked up last.
    for each in sorted(found, key=lambda each: each.keyword == "distinct"):
        with collected(faults):
            faults += reader.read(each)
    raise_any(faults)
    raise_any(lexicon_faults)
    return template, reader.faults


def _repetitions(rows: Sequence[Row]) -> Iterator[Fault]:
    for row, before in repeated(rows, lambda each: frozenset(each.cells.items())):
        where = f"line {before.written.line}"
        if before.written.file != row.written.file:
            where += f" of {Path(before.written.file).name}"
        what = f"this row is the same as {where}"
        yield row.fault("", what, "remove it; its items would come twice")


class _Reader:
    """Takes the contents of statements into a template; `faults` are those of names in them."""

    def __init__(self, template: Template, variables: Mapping[str, Statement]) -> None:
        """Take the statements of all slots and choices by their names, in their order."""
        self._template = template
        self._variables = variables
        self._numbers = {name: number for number, name in enumerate(variables)}
        self._columns = template.columns
        self._meant = NearestNames()
        self.faults: list[Fault] = []

    def read(self, each: Statement) -> Sequence[Fault]:
        """Take in a statement; return what is wrong with what it says, but for its names.

        Raises `GrammarError` for a content that cannot be read.
        """
        template = self._template
        match each.keyword:
            case "meta":
                value = Written(place=each.content_place, text=each.text)
                return add_meta(template.meta, each.name, value, made=("generator",))
            case "slot" | "choose":
                return self._read_variable(each)
            case "distinct" | "lexemes":
                self._read_features(each)
            case "balance":
                self._read_balance(each)
            case "once":
                template.once = Written(place=each.content_place, text=each.content)
            case "regions":
                template.regions = list(map(each.written, each.tree().children))
            case "condition" | "gloss":
                lines = template.conditions if each.keyword == "condition" else template.glosses
                trees = list(each.tree().find_data("region"))
                regions = tuple(self._region(tree, each) for tree in trees)
                joiners = tuple(self._joiner(tree, each, n) for n, tree in enumerate(trees))
                lines.append(Line(name=each.name, regions=regions, joiners=joiners))
            case "prediction":
                self._read_prediction(each)
            case "description" if template.predictions:
                template.predictions[-1]["description"] = each.content
        return []

    def _read_prediction(self, each: Statement) -> None:
        try:
            formula = Formula.parse(each.text)
        except FormulaError as error:
            raise GrammarError.at(each.at(error.start), error.message, error.hint) from None
        self._template.formulas.append((formula, each))
        self._template.predictions.append({"type": "formula", "formula": each.content})

    def _read_variable(self, statement: Statement) -> Sequence[Fault]:
        tree = statement.tree()
        values = [_operand(each, statement) for each in tree.find_data("value")]
        references = [e for e in values if isinstance(e, Reference) and (e.owner or e.indices)]
        faults = [
            each.place.fault(f"{each} is a reference, not a value", statement.usage)
            for each in references
        ]
        faults += [
            each.place.fault(f"{each} is chosen from twice", "write it once")
            for each, _ in repeated(values, str)
            if each not in references
        ]
        written = tuple(Written(place=each.place, text=str(each)) for each in values)
        self._template.variables.append(Variable(name=statement.name, values=written))
        for each in tree.find_data("constraint"):
            self._read_constraint(each, statement)
        return faults

    def _read_constraint(self, tree: "ParseTree", statement: Statement) -> None:
        operator: Any = " ".join(each for each in tree.children if isinstance(each, str))
        (left,) = tree.find_data("left")
        right = [*tree.find_data("operand")]
        terms: list[Feature | Written] = []
        own: list[Feature] = []
        # What is wrong with each of them is said, and then there is no relation.
        with collected(self.faults):
            own.append(self._left(_reference(left, statement), statement.name.text))
        for each in right:
            with collected(self.faults):
                terms.append(self._right(_operand(each, statement), statement.name.text))
        if own and len(terms) == len(right):
            self._template.relations.append(
                Relation(own[0], operator, tuple(terms), statement.written(tree).text)
            )

    def _read_features(self, statement: Statement) -> None:
        found = self._named(statement.tree().find_data("reference"), statement)
        if statement.keyword == "lexemes":
            self._template.lexemes = found
            return
        self._template.relations += [
            Relation(one, "!=", (two,), f"distinct: {one.reference} {two.reference}")
            for one, two in combinations(found, 2)
        ]

    def _read_balance(self, statement: Statement) -> None:
        tree = statement.tree()
        features, within = (
            self._named(
                [each for part in tree.find_data(name) for each in part.children], statement
            )
            for name in ("balanced", "within")
        )
        self._template.balance = Balance(
            place=statement.content_place, features=features, within=within
        )

    def _named(self, trees: Iterable[Any], statement: Statement) -> tuple[Feature, ...]:
        """Return what references mean, without those that mean nothing, which are faults."""
        found: list[Feature] = []
        for each in trees:
            with collected(self.faults):
                found.append(self._placeholder(_reference(each, statement)))
        return tuple(found)

    def _region(self, tree: "ParseTree", statement: Statement) -> Parts:
        """Return what a region is made of, without white space around it or doubled within."""
        parts: list[str | Feature] = []
        for each in tree.children:
            if isinstance(each, str):
                parts.append(_ESCAPED.sub(r"\1", _SPACE.sub(" ", each)))
                continue
            if each.data == "joiner":
                # Only blanks are before it.
                parts.clear()
                continue
            reference = _reference(each, statement)
            # What means nothing is a fault, and something stands there all the same.
            parts.append(str(reference))
            with collected(self.faults):
                parts[-1] = self._placeholder(reference)
        if parts and isinstance(parts[0], str):
            parts[0] = parts[0].lstrip()
        if parts and isinstance(parts[-1], str):
            parts[-1] = parts[-1].rstrip()
        return tuple(filter(None, parts))

    def _joiner(self, tree: "ParseTree", statement: Statement, n_before: int) -> Joiner | None:
        """Return what a region says of what stands before it; so many regions do.

        Raises `GrammarError` if it says so elsewhere than at its beginning, or where nothing can
        stand.
        """
        found = list(tree.find_data("joiner"))
        if not found:
            return None
        first = next(each for each in tree.children if not isinstance(each, str) or each.strip())
        place, hint = statement.place(found[-1]), "leave it out"
        if statement.keyword == "gloss":
            raise GrammarError.at(place, "a gloss has nothing between its regions", hint)
        if len(found) > 1 or first is not found[0]:
            what = "what stands before a region is written once, at its beginning"
            raise GrammarError.at(place, what, 'write | {""}{SLOT.feature}, or leave it out')
        if not n_before:
            raise GrammarError.at(place, "nothing stands before the first region", hint)
        text, reference = found[0].children
        condition = self._named([reference] if reference else [], statement)
        return Joiner(text=str(text).rstrip()[2:-1], condition=condition[0] if condition else None)

    def _use(self, reference: Reference, own: str = "") -> None:
        named = {each.owner or each.name for each in (reference, *reference.indices)}
        self._template.used |= named - {own}

    def _left(self, reference: Reference, own: str) -> Feature:
        """Return what the left side means: a bare name is a feature of the slot itself."""
        self._use(reference, own)
        is_own = not reference.owner and self._is_slot(own)
        return self._feature(reference, own, own if is_own else "")

    def _right(self, operand: Reference | Written, own: str) -> Feature | Written:
        """Return what an operand means: a bare name is a choice, or else a literal."""
        if isinstance(operand, Written):
            return operand
        self._use(operand, own)
        if not operand.owner:
            if not operand.indices and operand.name not in self._numbers:
                return Written(place=operand.place, text=operand.name)
            if self._is_slot(operand.name):
                hint = f'write {operand.name}.FEATURE, or "{operand.name}" for the value'
                raise _wrong(operand, f"{operand.name} is a slot, not a value", hint)
            if operand.indices and self._is_slot(own):
                hint = f"write {own}.{operand}"
                raise _wrong(operand, f"{operand} does not say whose feature it is", hint)
        return self._feature(operand, own)

    def _placeholder(self, reference: Reference) -> Feature:
        """Return what a placeholder stands for."""
        self._use(reference)
        if reference.owner or not self._is_slot(reference.name):
            return self._feature(reference)
        indices = "".join(f"[{each}]" for each in reference.indices)
        hint = f"write {{{reference.name}.FEATURE{indices}}}; {self._columns_hint()}"
        raise _wrong(reference, f"{{{reference}}} names a slot, and no feature of it", hint)

    def _feature(self, reference: Reference, below: str = "", owner: str = "") -> Feature:
        """Return what a reference means; `owner` is whose feature a bare name is.

        It has to be the slot `below`, or to stand above it, if there is one.
        """
        name = reference.owner or owner or reference.name
        number = self._numbers.get(name)
        if number is None:
            there = shown(self._numbers)
            otherwise = f"there is {there}" if there else f"write slot {name}: ..."
            hint = self._meant.hint(name, self._numbers, otherwise)
            what = "slot" if reference.owner else "slot or choice"
            raise _wrong(reference, f"there is no {what} {name!r}", hint)
        if below and number > self._numbers[below]:
            what = f"{name} is defined below, and a constraint is about what stands above it"
            raise _wrong(reference, what, f"move {name} up, or the constraint down to {name}")
        indices = tuple(self._index(each, below) for each in reference.indices)
        if self._is_slot(name):
            self._check_column(reference)
            return Feature(number, reference.name, indices, reference)
        if reference.owner or indices:
            raise _wrong(reference, f"{name} is a choice, and has no features", f"write {name}")
        return Feature(number, OWN_VALUE, reference=reference)

    def _index(self, reference: Reference, below: str) -> Feature | str:
        if not reference.owner and self._is_slot(reference.name):
            what = f"{reference.name} is a slot, and chooses no column"
            raise _wrong(reference, what, f"write {reference.name}.FEATURE")
        if not reference.owner and reference.name not in self._numbers:
            return reference.name
        return self._feature(reference, below)

    def _check_column(self, reference: Reference) -> None:
        """Raise `GrammarError` if no lexicon has the column, or any that an index can choose."""
        name, begin = reference.name, f"{reference.name}_"
        if reference.indices:
            is_there = any(each.startswith(begin) for each in self._columns)
        else:
            is_there = name in self._columns
        if is_there:
            return
        if not self._columns:
            # That there is no lexicon, or none that can be read, is said elsewhere.
            raise GrammarError([])
        what = f"column that begins with {begin!r}" if reference.indices else f"column {name!r}"
        meant = None if reference.indices else self._meant(name, self._columns)
        hint = f"did you mean {meant!r}?" if meant else self._columns_hint()
        raise _wrong(reference, f"{self._template.lexicon_names} has no {what}", hint)

    def _columns_hint(self) -> str:
        return f"its columns are {shown(self._columns)}"

    def _is_slot(self, name: str) -> bool:
        return name in self._variables and self._variables[name].keyword == "slot"


def _wrong(reference: Reference, message: str, hint: str) -> GrammarError:
    return GrammarError.at(reference.place, message, hint)


def _operand(tree: "ParseTree", statement: Statement) -> Reference | Written:
    """Return the reference or the quoted value that a tree is."""
    (found,) = tree.children
    if not isinstance(found, str):
        return _reference(found, statement)
    text = " ".join(found[1:-1].split())
    return Written(place=statement.place(tree), text=text)


def _reference(tree: "ParseTree", statement: Statement) -> Reference:
    """Return the reference that a tree is."""
    owner, name, *indices = tree.children
    return Reference(
        statement.place(tree),
        str(owner or ""),
        str(name),
        tuple(_reference(each, statement) for each in indices if not isinstance(each, str)),
    )
