"""Templates from their text."""

from dataclasses import replace
from typing import Any

from pommel.errors import Fault, FormulaError, GrammarError, Place
from pommel.sources.grammar.lexicon_template.parsing import (
    constraints_of,
    operand_of,
    parsed,
    reference_of,
    region_of,
)
from pommel.sources.grammar.lexicon_template.statements import USAGE, Statement, statements
from pommel.sources.grammar.lexicon_template.tree import (
    Choice,
    Line,
    Literal,
    PredictionText,
    Reference,
    Slot,
    Template,
)
from pommel.sources.grammar.meta import meta_faults, meta_value
from pommel.suite.formula import parse


def parse_template(text: str, *, file: str) -> Template:
    """Return what a template's text says; `file` is its name in messages.

    Raises `GrammarError` with every fault: statements that cannot be read, names that are there
    twice, formulas that do not parse.
    """
    found, faults = statements(text, file=file)
    reading = _Reading(Template(file=file), faults)
    for each in found:
        reading.add(each)
    if faults:
        raise GrammarError(sorted(faults, key=lambda fault: (fault.line, fault.column)))
    return reading.template


class _Reading:
    """What has been read so far."""

    def __init__(self, template: Template, faults: list[Fault]) -> None:
        self.template = template
        self._faults = faults
        self._names: dict[tuple[str, str], Place] = {}
        self._before = ""

    def add(self, statement: Statement) -> None:
        """Take in one statement."""
        readers = {
            "meta": self._add_meta,
            "lexicon": self._add_lexicon,
            "slot": self._add_slot,
            "choose": self._add_choice,
            "distinct": self._add_distinct,
            "regions": self._add_regions,
            "condition": self._add_condition,
            "gloss": self._add_gloss,
            "prediction": self._add_prediction,
            "description": self._add_description,
        }
        kind = "slot" if statement.keyword == "choose" else statement.keyword
        name = statement.name or (statement.content if kind in ("lexicon", "regions") else "")
        key = (kind, "" if kind == "regions" else name)
        if name and key in self._names:
            what = f"{name} is there already" if kind != "regions" else "regions are named twice"
            hint = f"line {self._names[key].line} has it; give each a name of its own"
            self._fault(statement.name_place, what, "name them once" if kind == "regions" else hint)
            return
        self._names[key] = statement.place
        if not statement.content and kind != "slot":
            what = "nothing follows the colon"
            self._fault(statement.content_place, what, f"write {USAGE[statement.keyword]}")
        else:
            readers[statement.keyword](statement)
        self._before = statement.keyword

    def _add_meta(self, statement: Statement) -> None:
        self.template.meta[statement.name] = value = meta_value(statement.name, statement.text)
        self._faults += meta_faults(
            statement.name,
            value,
            key_place=statement.name_place,
            value_place=statement.content_place,
            made=("generator",),
        )

    def _add_lexicon(self, statement: Statement) -> None:
        literal = Literal(place=statement.content_place, text=statement.content)
        self.template.lexicons.append(literal)

    def _add_slot(self, statement: Statement) -> None:
        tree = self._parsed(statement, "slot")
        if tree is not None:
            constraints = constraints_of(tree, statement)
            slot = Slot(place=statement.name_place, name=statement.name, constraints=constraints)
            self.template.variables.append(slot)

    def _add_choice(self, statement: Statement) -> None:
        tree = self._parsed(statement, "choose")
        if tree is None:
            return
        operands = [operand_of(each, statement) for each in tree.children if each.data == "operand"]
        values: list[Literal] = []
        seen: set[str] = set()
        for each in operands:
            text = str(each) if isinstance(each, Reference) else each.text
            if isinstance(each, Reference) and (each.owner is not None or each.indices):
                hint = f"write {USAGE['choose']}"
                self._fault(each.place, f"{text} is a reference, not a value", hint)
            elif text in seen:
                self._fault(each.place, f"{text} is chosen from twice", "write it once")
            seen.add(text)
            values.append(Literal(place=each.place, text=text))
        self.template.variables.append(
            Choice(
                place=statement.name_place,
                name=statement.name,
                values=tuple(values),
                constraints=constraints_of(tree, statement),
            )
        )

    def _add_distinct(self, statement: Statement) -> None:
        tree = self._parsed(statement, "distinct")
        if tree is not None:
            references = tuple(reference_of(each, statement) for each in tree.children)
            self.template.distinct.append(references)

    def _add_regions(self, statement: Statement) -> None:
        offset, names = 0, []
        for part in statement.text.split("|"):
            place = statement.places.at(offset + len(part) - len(part.lstrip()))
            names.append(Literal(place=place, text=" ".join(part.split())))
            offset += len(part) + 1
        self.template.regions = tuple(names)

    def _add_condition(self, statement: Statement) -> None:
        self.template.conditions += self._line(statement)

    def _add_gloss(self, statement: Statement) -> None:
        self.template.glosses += self._line(statement)

    def _line(self, statement: Statement) -> list[Line]:
        tree = self._parsed(statement, "sentence")
        if tree is None:
            return []
        regions = tuple(region_of(region, statement) for region in tree.children)
        return [Line(place=statement.name_place, name=statement.name, regions=regions)]

    def _add_prediction(self, statement: Statement) -> None:
        try:
            parse(statement.text)
        except FormulaError as error:
            self._fault(statement.places.at(error.start), error.message, error.hint)
            return
        found = PredictionText(formula=statement.content, places=statement.places)
        self.template.predictions.append(found)

    def _add_description(self, statement: Statement) -> None:
        predictions = self.template.predictions
        if self._before != "prediction":
            what = "this describes no prediction"
            self._fault(statement.place, what, "write it below the prediction that it describes")
        elif predictions:
            predictions[-1] = replace(predictions[-1], description=statement.content)

    def _parsed(self, statement: Statement, start: str) -> Any:
        """Return Lark's tree of the content; None, after a fault, if there is none."""
        tree = parsed(statement, start)
        if isinstance(tree, Fault):
            self._faults.append(tree)
            return None
        return tree

    def _fault(self, place: Place, message: str, hint: str) -> None:
        self._faults.append(place.fault(message, hint))
