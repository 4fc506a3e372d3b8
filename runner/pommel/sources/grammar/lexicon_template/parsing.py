"""What stands behind the colons of a template's statements, by Lark."""

import re
from typing import Any

from pommel.errors import Fault, quoted
from pommel.sources.grammar import lark_text
from pommel.sources.grammar.lark_text import Unparsed
from pommel.sources.grammar.lexicon_template.statements import USAGE, Statement
from pommel.sources.grammar.lexicon_template.tree import (
    Constraint,
    Literal,
    Operand,
    Parts,
    Reference,
)

# So much of a placeholder that is not closed is shown.
_SHOWN = 40
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\(.)")


def parsed(statement: Statement, start: str) -> Any:
    """Return Lark's tree of a content, by the rule `start`, or the fault why there is none."""
    grammar = "sentence" if start == "sentence" else "declaration"
    tree = lark_text.parsed(statement.text, f"lexicon_template/{grammar}.lark", start=start)
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
