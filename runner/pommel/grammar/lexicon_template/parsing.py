"""What stands behind the colons of a template's statements, by Lark."""

import functools
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault
from pommel.grammar.lexicon_template.statements import USAGE, Statement
from pommel.grammar.lexicon_template.tree import Constraint, Literal, Operand, Parts, Reference
from pommel.wording import quoted

if TYPE_CHECKING:
    from lark import Lark

_SHOWN = 40
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\(.)")


def parsed(statement: Statement, start: str) -> Any:
    """Return Lark's tree of a content, by the rule `start`, or the fault why there is none."""
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415 - keeps `import pommel` fast

    try:
        return _parsers()[start].parse(statement.text, start=start)
    except UnexpectedInput as error:
        return _syntax_fault(statement, error)


@functools.cache
def _parsers() -> "dict[str, Lark]":
    from lark import Lark  # noqa: PLC0415 - keeps `import pommel` fast

    folder = files("pommel.grammar.lexicon_template")
    starts = {"declaration": ["slot", "choose", "distinct"], "sentence": ["sentence"]}
    parsers = {}
    for name, own in starts.items():
        grammar = (folder / f"{name}.lark").read_text("utf-8")
        lark = Lark(grammar, parser="lalr", start=own, propagate_positions=True)
        parsers.update(dict.fromkeys(own, lark))
    return parsers


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


def _syntax_fault(statement: Statement, error: Any) -> Fault:
    """Say what is wrong with a content that cannot be read."""
    text, usage = statement.text, USAGE[statement.keyword]
    token = getattr(error, "token", None)
    at_end = error.pos_in_stream is None or getattr(token, "type", "") == "$END"
    position = len(text) if at_end else int(error.pos_in_stream)
    place = statement.places.at(position)
    character = text[position : position + 1]
    if statement.keyword in ("condition", "gloss"):
        return place.fault(*_sentence_fault(text, position))
    if at_end:
        return place.fault("this ends too early", f"write {usage}")
    if character == "(":
        return place.fault("a list has no place here", "write in (a b), or has (a b)")
    if character == '"':
        return place.fault("this quotation mark has no partner", "write it twice, around a value")
    word = text[position:].split(maxsplit=1)[0][:_SHOWN] if character != "," else ","
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
