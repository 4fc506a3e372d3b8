"""Templates from their text: what a file says, before any lexicon is looked at.

A file is statements, `keyword name: content`, indented lines going on with them; what stands behind
the colons is parsed by Lark.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

from pommel.errors import Fault, FormulaError, Place, nearest, quoted
from pommel.files import DecodedText
from pommel.sources.grammar.source import GrammarError
from pommel.sources.grammar.text import META_USAGE, Unparsed, meta_faults, meta_value, parsed
from pommel.suite import Formula

# A cell that is a form without any sound, such as the Russian copula in the present tense.
ZERO_FORM = "∅"

Operator = OneOf["=", "!=", "in", "not in", "has", "lacks", "shares"]

# How each statement is written.
USAGE = {
    "meta": META_USAGE,
    "lexicon": "lexicon: nouns.csv",
    "slot": "slot S: category = n, class = human",
    "choose": "choose NUM: sg pl",
    "distinct": "distinct: S.word O.word",
    "regions": "regions: subject | verb | end",
    "condition": "condition match: {S.word} | {V.form[NUM]} | .",
    "gloss": "gloss match: {S.gloss} {V.gloss}",
    "prediction": "prediction: (2;%match%) < (2;%mismatch%)",
    "description": "description: The verb that agrees is less surprising.",
}
_NAMED = frozenset({"meta", "slot", "choose", "condition", "gloss"})
_HEAD = re.compile(r"([^\W\d_]+)(?:[^\S\n]+([^:\n]*?))?[^\S\n]*:")
_KEYWORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\s.,:=!(){}\[\]|\"#\\]+")
_CONDITION_NAME = re.compile(r"[^%{}|]+")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
# So much of a placeholder that is not closed is shown.
_SHOWN = 40
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A value that is written out."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`S.word`, `S.nom[NUM]`, or a bare name, of which its place says what it means.

    `owner` is the slot, None for a bare name. Each of `indices` is put behind the name, with `_`
    between them.
    """

    place: Place
    owner: str | None
    name: str
    indices: tuple["Reference", ...] = ()

    def __str__(self) -> str:
        owner = "" if self.owner is None else f"{self.owner}."
        return owner + self.name + "".join(f"[{each}]" for each in self.indices)


Operand = Reference | Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """`left operator right`; `text` is how it is written, white space apart.

    `right` is one operand, or those of a list in brackets.
    """

    place: Place
    text: str
    left: Reference
    operator: Operator
    right: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What is filled with rows of the lexicons."""

    place: Place
    name: str
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is one of some values."""

    place: Place
    name: str
    values: tuple[Literal, ...]
    constraints: tuple[Constraint, ...]


Variable = Slot | Choice
# What a region is made of: text, and placeholders.
Parts = tuple[str | Reference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A condition, or its gloss: a name, and what its regions are made of."""

    place: Place
    name: str
    regions: tuple[Parts, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """All placeholders, from left to right."""
        return tuple(p for parts in self.regions for p in parts if isinstance(p, Reference))


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionText:
    """A formula that parses, and what it means in words; `places` are those of its characters."""

    formula: str
    places: "Places"
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where each character of a text stands, which begins in the first column of a line."""

    file: str
    line: int
    text: str

    def at(self, offset: int) -> Place:
        """Return the place of the character with that number, from 0."""
        before = self.text[:offset]
        column = len(before) - (before.rfind("\n") + 1) + 1
        return Place(file=self.file, line=self.line + before.count("\n"), column=column)


@dataclass(slots=True, kw_only=True)
class Template:
    """What a file says. Names are unique; whether they exist, `binding` finds out."""

    file: str
    lexicons: list[Literal] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    distinct: list[tuple[Reference, ...]] = field(default_factory=list)
    regions: tuple[Literal, ...] = ()
    conditions: list[Line] = field(default_factory=list)
    glosses: list[Line] = field(default_factory=list)
    predictions: list[PredictionText] = field(default_factory=list)
    meta: dict[str, str | list[str]] = field(default_factory=dict)

    @property
    def whole(self) -> Place:
        """The place of what concerns all of the file."""
        return Place(file=self.file, line=0, column=0)

    @property
    def indices(self) -> Mapping[str, int]:
        """The number of each slot and choice, by its name."""
        return {each.name: index for index, each in enumerate(self.variables)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A keyword, a name (empty where there is none), and a content.

    `text` is all of the statement, with blanks in place of comments and of what stands before the
    content, so that whatever is found in it has the place that it has in the file.
    """

    keyword: str
    name: str
    name_offset: int
    places: Places

    @property
    def text(self) -> str:
        """The content, where it stands."""
        return self.places.text

    @property
    def place(self) -> Place:
        """Where the statement begins."""
        return self.places.at(0)

    @property
    def name_place(self) -> Place:
        """Where its name stands."""
        return self.places.at(self.name_offset)

    @property
    def content_place(self) -> Place:
        """Where its content begins, or would."""
        text = self.text
        return self.places.at(len(text) - len(text.lstrip()) if text.strip() else len(text))

    @property
    def content(self) -> str:
        """The content in one line."""
        return " ".join(self.text.split())


def statements(text: str, *, file: str) -> tuple[list[Statement], list[Fault]]:
    """Return the statements of a file, and what is wrong with those that are none."""
    found: list[Statement] = []
    faults: list[Fault] = []
    for line, written in _blocks(text):
        places = Places(file=file, line=line, text=written)
        each = _statement(places)
        if isinstance(each, Fault):
            faults.append(each)
        else:
            found.append(each)
    return found, faults


def _blocks(text: str) -> list[tuple[int, str]]:
    """Return where statements begin, and their lines without comments."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        bare = _COMMENT.sub(lambda found: " " * len(found[0]), line)
        if blocks and (not bare.strip() or bare[0].isspace()):
            blocks[-1][1].append(bare)
        elif bare.strip():
            blocks.append((number, [bare]))
    return [(number, "\n".join(block).rstrip()) for number, block in blocks]


def _statement(places: Places) -> Statement | Fault:
    text = places.text
    if text[0].isspace():
        hint = "begin it in the first column"
        return places.at(len(text) - len(text.lstrip())).fault(
            "an indented line goes on with the one above, and there is none", hint
        )
    head = _HEAD.match(text)
    keyword = (head or _KEYWORD.match(text) or [text.split()[0]])[0 if head is None else 1]
    if keyword not in USAGE:
        meant = nearest(keyword, USAGE)
        hint = f"did you mean {meant}?" if meant else f"a line begins with {', '.join(USAGE)}"
        return places.at(0).fault(f"there is no statement {quoted(keyword)}", hint)
    if head is None:
        return places.at(0).fault("this line has no colon", f"write {USAGE[keyword]}")
    name = head[2] or ""
    offset = head.start(2) if name else head.end(1)
    fault = _name_fault(keyword, name, places.at(offset).fault)
    if fault:
        return fault
    blank = " " * head.end() + text[head.end() :]
    places = Places(file=places.file, line=places.line, text=blank)
    return Statement(keyword=keyword, name=name, name_offset=offset, places=places)


def _name_fault(keyword: str, name: str, fault: Callable[[str, str], Fault]) -> Fault | None:
    usage = f"write {USAGE[keyword]}"
    if not name and keyword in _NAMED:
        return fault(f"{keyword} has no name", usage)
    if name and keyword not in _NAMED:
        return fault(f"{keyword} has no name of its own, and here is {quoted(name)}", usage)
    if keyword in ("condition", "gloss"):
        if not _CONDITION_NAME.fullmatch(name):
            return fault(f"{quoted(name)} cannot be a name", f"without % {{ }} |; {usage}")
    elif keyword in _NAMED and (not _NAME.fullmatch(name) or name == "_"):
        return fault(f"{quoted(name)} cannot be a name", f"one word of letters; {usage}")
    return None


def statement_tree(statement: Statement, start: str) -> Any:
    """Return Lark's tree of a content, by the rule `start`, or the fault why there is none."""
    grammar = "sentence" if start == "sentence" else "declaration"
    tree = parsed(statement.text, f"lexicon_template/{grammar}.lark", start=start)
    return _syntax_fault(statement, tree) if isinstance(tree, Unparsed) else tree


def constraints_of(tree: Any, statement: Statement) -> tuple[Constraint, ...]:
    """Return the constraints among the children of a slot's or a choice's tree."""
    found = (each for each in tree.children if each is not None and each.data == "constraint")
    return tuple(_constraint(each, statement) for each in found)


def _constraint(tree: Any, statement: Statement) -> Constraint:
    left, *middle = tree.children
    words = [str(each) for each in middle if not hasattr(each, "data")]
    operands = [operand_of(each, statement) for each in middle if hasattr(each, "data")]
    operator: Any = " ".join(words)
    start, end = tree.meta.start_pos, tree.meta.end_pos
    return Constraint(
        place=statement.places.at(start),
        text=" ".join(statement.text[start:end].split()),
        left=reference_of(left, statement),
        operator=operator,
        right=tuple(operands),
    )


def operand_of(tree: Any, statement: Statement) -> Operand:
    """Return the reference or the quoted value that an operand's tree is."""
    (found,) = tree.children
    if hasattr(found, "data"):
        return reference_of(found, statement)
    place = statement.places.at(found.start_pos)
    return Literal(place=place, text=" ".join(found[1:-1].split()))


def reference_of(tree: Any, statement: Statement) -> Reference:
    """Return the reference that a tree is."""
    names = [each for each in tree.children if not hasattr(each, "data")]
    indices = [each for each in tree.children if hasattr(each, "data")]
    return Reference(
        place=statement.places.at(names[0].start_pos),
        owner=str(names[0]) if len(names) > 1 else None,
        name=str(names[-1]),
        indices=tuple(reference_of(each, statement) for each in indices),
    )


def region_of(tree: Any, statement: Statement) -> Parts:
    """Return what a region is made of, without white space around it or doubled within."""
    parts: list[str | Reference] = []
    for child in tree.children:
        if hasattr(child, "data"):
            parts.append(reference_of(child, statement))
        else:
            parts.append(_ESCAPED.sub(r"\1", _SPACE.sub(" ", str(child))))
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(part for part in parts if part)


def _syntax_fault(statement: Statement, found: Unparsed) -> Fault:
    """Say what is wrong with a content that cannot be read."""
    usage = USAGE[statement.keyword]
    place = statement.places.at(found.offset)
    if statement.keyword in ("condition", "gloss"):
        return place.fault(*_sentence_fault(found.text, found.offset))
    if found.is_at_end:
        return place.fault("this ends too early", f"write {usage}")
    if found.character == "(":
        return place.fault("a list has no place here", "write in (a b), or has (a b)")
    if found.character == '"':
        return place.fault("this quotation mark has no partner", "write it twice, around a value")
    word = found.word if found.character != "," else ","
    return place.fault(f"{quoted(word)} has no place here", f"write {usage}")


def _sentence_fault(text: str, position: int) -> tuple[str, str]:
    character = text[position : position + 1]
    if character == "\\":
        return "this backslash stands before no { } | # or \\", "write \\\\ for a backslash"
    if character == "}":
        return "this brace has no partner", "write {SLOT.feature}, or \\} for the character itself"
    opened = text.rfind("{", 0, position)
    if not character or character in "|{" or character.isspace():
        shown = quoted(text[opened:position].strip()[:_SHOWN])
        return f"{shown} is not closed", "write {SLOT.feature}, without blanks between the braces"
    return f"{quoted(character)} has no place between braces", "write {SLOT.feature}"


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
            Formula.parse(statement.text)
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
        tree = statement_tree(statement, start)
        if isinstance(tree, Fault):
            self._faults.append(tree)
            return None
        return tree

    def _fault(self, place: Place, message: str, hint: str) -> None:
        self._faults.append(place.fault(message, hint))
