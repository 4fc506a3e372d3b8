"""Text to tree, and a good message where that fails."""

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, cast

from pommel.errors import FormulaError
from pommel.suite.formula import hints, typing_rules
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Formula,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    Span,
)

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

Dialect = Literal["pommel", "syntaxgym"]

# Of a region's number; Python converts thousands, but no more.
_MAX_DIGITS = 1000


@functools.lru_cache(maxsize=4096)
def parse(text: str, *, dialect: Dialect = "pommel") -> Formula:
    """Parse a prediction's formula.

    The dialect "syntaxgym" refuses what the retired `syntaxgym` package did not know
    (`<= >= != * / ! abs( )`, a minus before anything but a number, other characters than
    `A-Z a-z 0-9 _ -` in names) and lets a bare number pass as a prediction, as it did.
    Raises `FormulaError`, which marks the place and says what to write.
    """
    try:
        formula = Formula(text=text, tree=_Builder(text).build(_parse_to_lark(text)))
        rules = typing_rules.check_syntaxgym if dialect == "syntaxgym" else typing_rules.check
        rules(formula)
    except RecursionError:
        whole = (0, len(text))
        raise hints.error_at(text, whole, "this formula is nested too deeply") from None
    return formula


@functools.cache
def _parser() -> "Lark":
    from lark import Lark  # noqa: PLC0415 - keeps `import pommel` fast

    grammar = (files("pommel.suite.formula") / "formula.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def _parse_to_lark(text: str) -> "Tree[Token]":
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415 - keeps `import pommel` fast

    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
        # Lark types the position as always there, and leaves it None at the end of the text.
        position = cast("int | None", error.pos_in_stream)
        position = len(text) if at_end or position is None else position
        raise hints.syntax_error(text, position) from None


class _Builder:
    """Turns Lark's tree into ours; each method is named after a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text

    def build(self, tree: "Tree[Token]") -> Expression:
        # Not a Lark Transformer: its call-backs hide exceptions and types from us.
        child: Any = tree.children[0]
        return self._expression(child)

    def _expression(self, tree: Any) -> Expression:
        span = (tree.meta.start_pos, tree.meta.end_pos)
        method = getattr(self, f"_{tree.data}")
        node: Expression = method(tree.children, span)
        return node

    def _number(self, parts: Sequence[Any], span: Span) -> Expression:
        value = float(parts[0])
        if not math.isfinite(value):
            raise FormulaError(
                "this number is too large", formula=self._text, start=span[0], end=span[1]
            )
        return Number(value=value, span=span)

    def _region(self, parts: Sequence[Any], span: Span) -> Expression:
        token = str(parts[0])
        number, _, name = token[1:-1].partition(";")
        condition = name.strip()[1:-1].strip()
        if token[0] + token[-1] not in ("()", "[]"):
            raise hints.error_at(self._text, span, "this bracket is closed by one of another kind")
        if not condition:
            raise hints.error_at(
                self._text, span, "the name of the condition is empty", "write (1;%condition%)"
            )
        if len(number) > _MAX_DIGITS:
            raise hints.error_at(self._text, span, "this number is too large")
        region = None if number.strip() == "*" else int(number)
        return RegionValue(region=region, condition=condition, span=span)

    def _negative(self, parts: Sequence[Any], span: Span) -> Expression:
        operand = self._expression(parts[0])
        if isinstance(operand, Number) and self._text[operand.span[0]] not in "([":
            return Number(value=-operand.value, span=span)
        return Negative(operand=operand, span=span)

    def _negation(self, parts: Sequence[Any], span: Span) -> Expression:
        return Negation(operand=self._expression(parts[0]), span=span)

    def _absolute(self, parts: Sequence[Any], span: Span) -> Expression:
        return Absolute(operand=self._expression(parts[0]), span=span)

    def _brackets(self, parts: Sequence[Any], span: Span) -> Expression:
        node = self._expression(parts[0])
        return _with_span(node, span)

    def _arithmetic(self, parts: Sequence[Any], span: Span) -> Expression:
        left, operator, right = parts
        sides = self._expression(left), self._expression(right)
        return Arithmetic(operator=operator.value, left=sides[0], right=sides[1], span=span)

    def _comparison(self, parts: Sequence[Any], span: Span) -> Expression:
        left, operator, right, *chained = parts
        if chained:
            raise hints.chained_comparison(self._text, parts)
        return Comparison(
            operator=operator.value,
            left=self._expression(left),
            right=self._expression(right),
            span=span,
        )

    def _logical(self, parts: Sequence[Any], span: Span) -> Expression:
        left, operator, right = parts
        sides = self._expression(left), self._expression(right)
        return Logical(operator=operator.value, left=sides[0], right=sides[1], span=span)


def _with_span(node: Expression, span: Span) -> Expression:
    if isinstance(node, Logical):
        return replace(node, span=span, bracketed=True)
    return replace(node, span=span)
