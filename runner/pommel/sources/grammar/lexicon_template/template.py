"""Templates from their text: what a file says, before any lexicon is looked at.

A file is statements, `keyword name: content`, indented lines going on with them; what stands behind
the colons is parsed by Lark.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pommel.errors import Fault, FormulaError, Place, nearest, quoted
from pommel.files import DecodedText
from pommel.sources.grammar.source import GrammarError
from pommel.sources.grammar.text import META_USAGE, Unparsed, Written, add_meta, parsed
from pommel.suite import Formula

if TYPE_CHECKING:
    from lark import ParseTree

# A cell that is a form without any sound, such as the Russian copula in the present tense.
ZERO_FORM = "∅"

Operator = Literal["=", "!=", "in", "not in", "has", "lacks", "shares"]

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
_BETWEEN_BARS = re.compile(r"(?:^|(?<=\|))[^|]*")
_ESCAPED = re.compile(r"\\(.)")


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


Operand = Reference | Written


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
class Variable:
    """A slot, which is filled with rows of the lexicons, or a choice, which is one of `values`."""

    place: Place
    name: str
    constraints: tuple[Constraint, ...]
    values: tuple[Written, ...] = ()

    @property
    def is_slot(self) -> bool:
        """Whether rows of the lexicons can fill it."""
        return not self.values


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
    places: "Statement"
    description: str = ""


@dataclass(slots=True, kw_only=True)
class Template:
    """What a file says. Names are unique; whether they exist, `binding` finds out."""

    file: str
    lexicons: list[Written] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    distinct: list[tuple[Reference, ...]] = field(default_factory=list)
    regions: tuple[Written, ...] = ()
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
    content, so that whatever is found in it has the place that it has in the file, where it begins
    in the first column of a line.
    """

    file: str
    line: int
    text: str
    keyword: str = ""
    name: str = ""
    name_offset: int = 0

    def at(self, offset: int) -> Place:
        """Return the place of the character with that number, from 0."""
        before = self.text[:offset]
        column = len(before) - (before.rfind("\n") + 1) + 1
        return Place(file=self.file, line=self.line + before.count("\n"), column=column)

    @property
    def name_place(self) -> Place:
        """Where its name stands."""
        return self.at(self.name_offset)

    @property
    def content_place(self) -> Place:
        """Where its content begins, or would."""
        text = self.text
        return self.at(len(text) - len(text.lstrip()) if text.strip() else len(text))

    @property
    def content(self) -> str:
        """The content in one line."""
        return " ".join(self.text.split())


def _blocks(text: str, file: str) -> list[Statement]:
    """Return the lines of each statement, without comments."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        bare = _COMMENT.sub(lambda found: " " * len(found[0]), line)
        if blocks and (not bare.strip() or bare[0].isspace()):
            blocks[-1][1].append(bare)
        elif bare.strip():
            blocks.append((number, [bare]))
    return [
        Statement(file=file, line=number, text="\n".join(block).rstrip())
        for number, block in blocks
    ]


def _statement(block: Statement) -> Statement:
    """Return the statement that a block of lines is. Raises `GrammarError`."""
    text = block.text
    if text[0].isspace():
        what = "an indented line goes on with the one above, and there is none"
        raise _wrong(block.content_place, what, "begin it in the first column")
    head = _HEAD.match(text)
    keyword = (head or _KEYWORD.match(text) or [text.split()[0]])[0 if head is None else 1]
    if keyword not in USAGE:
        meant = nearest(keyword, USAGE)
        hint = f"did you mean {meant}?" if meant else f"a line begins with {', '.join(USAGE)}"
        raise _wrong(block.at(0), f"there is no statement {quoted(keyword)}", hint)
    usage = f"write {USAGE[keyword]}"
    if head is None:
        raise _wrong(block.at(0), "this line has no colon", usage)
    name = head[2] or ""
    offset = head.start(2) if name else head.end(1)
    is_condition = keyword in ("condition", "gloss")
    if not name and keyword in _NAMED:
        raise _wrong(block.at(offset), f"{keyword} has no name", usage)
    if name and keyword not in _NAMED:
        what = f"{keyword} has no name of its own, and here is {quoted(name)}"
        raise _wrong(block.at(offset), what, usage)
    allowed = _CONDITION_NAME if is_condition else _NAME
    if name and (not allowed.fullmatch(name) or (name == "_" and not is_condition)):
        hint = "without % { } |" if is_condition else "one word of letters"
        raise _wrong(block.at(offset), f"{quoted(name)} cannot be a name", f"{hint}; {usage}")
    blank = " " * head.end() + text[head.end() :]
    return replace(block, text=blank, keyword=keyword, name=name, name_offset=offset)


def _wrong(place: Place, message: str, hint: str) -> GrammarError:
    return GrammarError([place.fault(message, hint)])


def _tree(statement: Statement, start: str) -> "ParseTree":
    """Return Lark's tree of a content, by the rule `start`. Raises `GrammarError`."""
    grammar = "sentence" if start == "sentence" else "declaration"
    found = parsed(statement.text, f"lexicon_template/{grammar}.lark", start=start)
    if isinstance(found, Unparsed):
        raise GrammarError([_syntax_fault(statement, found)])
    tree: ParseTree = found
    return tree


def _parts(tree: "ParseTree") -> "tuple[list[str], list[ParseTree]]":
    """Return the words and the trees that a tree is made of."""
    words = [str(each) for each in tree.children if isinstance(each, str)]
    # What is not there is None.
    return words, [each for each in tree.children if each and not isinstance(each, str)]


def _constraints(tree: "ParseTree", statement: Statement) -> tuple[Constraint, ...]:
    """Return the constraints among the children of a slot's or a choice's tree."""
    return tuple(_constraint(each, statement) for each in tree.find_data("constraint"))


def _constraint(tree: "ParseTree", statement: Statement) -> Constraint:
    words, (left, *right) = _parts(tree)
    start, end = tree.meta.start_pos, tree.meta.end_pos
    operator: Any = " ".join(words)
    return Constraint(
        place=statement.at(start),
        text=" ".join(statement.text[start:end].split()),
        left=_reference(left, statement),
        operator=operator,
        right=tuple(_operand(each, statement) for each in right),
    )


def _operand(tree: "ParseTree", statement: Statement) -> Operand:
    """Return the reference or the quoted value that an operand's tree is."""
    quoted_values, references = _parts(tree)
    if references:
        return _reference(references[0], statement)
    text = " ".join(quoted_values[0][1:-1].split())
    return Written(place=statement.at(tree.meta.start_pos), text=text)


def _reference(tree: "ParseTree", statement: Statement) -> Reference:
    """Return the reference that a tree is."""
    (*owner, name), indices = _parts(tree)
    return Reference(
        place=statement.at(tree.meta.start_pos),
        owner=owner[0] if owner else None,
        name=name,
        indices=tuple(_reference(each, statement) for each in indices),
    )


def _region(tree: "ParseTree", statement: Statement) -> Parts:
    """Return what a region is made of, without white space around it or doubled within."""
    parts: list[str | Reference] = [
        _ESCAPED.sub(r"\1", _SPACE.sub(" ", each))
        if isinstance(each, str)
        else _reference(each, statement)
        for each in tree.children
    ]
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(filter(None, parts))


def _syntax_fault(statement: Statement, found: Unparsed) -> Fault:
    """Say what is wrong with a content that cannot be read."""
    usage = USAGE[statement.keyword]
    place = statement.at(found.offset)
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
    template = Template(file=file)
    faults: list[Fault] = []
    seen: dict[tuple[str, str], Place] = {}
    before = ""
    for block in _blocks(text, file):
        try:
            each = _statement(block)
            faults += _read(each, template, seen, before)
        except GrammarError as error:
            faults += error.faults
        words = block.text.partition(":")[0].split()
        before = words[0] if words and words[0] in USAGE else before
    if faults:
        raise GrammarError(sorted(faults, key=lambda fault: (fault.line, fault.column)))
    return template


def _check_new(each: Statement, seen: dict[tuple[str, str], Place]) -> None:
    """Raise `GrammarError` for a statement that says what another one does, or nothing.

    `seen` has the kinds and names that there have been.
    """
    kind = "slot" if each.keyword == "choose" else each.keyword
    name = "" if kind == "regions" else each.name or (each.content if kind == "lexicon" else "")
    if (kind, name) in seen and (name or (kind == "regions" and each.content)):
        if kind == "regions":
            raise _wrong(each.name_place, "regions are named twice", "name them once")
        hint = f"line {seen[kind, name].line} has it; give each a name of its own"
        raise _wrong(each.name_place, f"{name} is there already", hint)
    seen[kind, name] = each.at(0)
    if not each.content and kind != "slot":
        raise _wrong(
            each.content_place, "nothing follows the colon", f"write {USAGE[each.keyword]}"
        )


def _read(
    each: Statement, template: Template, seen: dict[tuple[str, str], Place], before: str
) -> list[Fault]:
    """Take a statement into a template; return what is wrong with what it says.

    `before` is the keyword of the statement before it. Raises `GrammarError` for a content that
    cannot be read.
    """
    _check_new(each, seen)
    match each.keyword:
        case "meta":
            key = Written(place=each.name_place, text=each.name)
            value = Written(place=each.content_place, text=each.text)
            return add_meta(template.meta, key, value, made=("generator",))
        case "lexicon":
            template.lexicons.append(Written(place=each.content_place, text=each.content))
        case "slot" | "choose" as kind:
            tree = _tree(each, kind)
            values = [_operand(one, each) for one in _parts(tree)[1] if one.data == "operand"]
            template.variables.append(
                Variable(
                    place=each.name_place,
                    name=each.name,
                    constraints=_constraints(tree, each),
                    values=tuple(Written(place=one.place, text=str(one)) for one in values),
                )
            )
            return list(_value_faults(values))
        case "distinct":
            references = (_reference(one, each) for one in _parts(_tree(each, "distinct"))[1])
            template.distinct.append(tuple(references))
        case "regions":
            template.regions = tuple(_region_names(each))
        case "condition" | "gloss" as kind:
            regions = tuple(_region(one, each) for one in _parts(_tree(each, "sentence"))[1])
            line = Line(place=each.name_place, name=each.name, regions=regions)
            (template.conditions if kind == "condition" else template.glosses).append(line)
        case "prediction":
            template.predictions.append(_prediction(each))
        case "description" if before != "prediction":
            hint = "write it below the prediction that it describes"
            return [each.at(0).fault("this describes no prediction", hint)]
        case "description" if template.predictions:
            last = template.predictions[-1]
            template.predictions[-1] = replace(last, description=each.content)
    return []


def _prediction(statement: Statement) -> PredictionText:
    try:
        Formula.parse(statement.text)
    except FormulaError as error:
        raise _wrong(statement.at(error.start), error.message, error.hint) from None
    return PredictionText(formula=statement.content, places=statement)


def _value_faults(values: Sequence[Operand]) -> Iterator[Fault]:
    seen: set[str] = set()
    for each in values:
        if isinstance(each, Reference) and (each.owner is not None or each.indices):
            what = f"{each} is a reference, not a value"
            yield each.place.fault(what, f"write {USAGE['choose']}")
        elif str(each) in seen:
            yield each.place.fault(f"{each} is chosen from twice", "write it once")
        seen.add(str(each))


def _region_names(statement: Statement) -> Iterator[Written]:
    for found in _BETWEEN_BARS.finditer(statement.text):
        name = found[0]
        place = statement.at(found.start() + len(name) - len(name.lstrip()))
        yield Written(place=place, text=" ".join(name.split()))
