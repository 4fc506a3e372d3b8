"""Text to formula: parsed, with a good message where that fails, and checked against its suite."""

import functools
import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pommel.errors import FormulaError, nearest
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    Span,
    is_truth,
    to_text,
    walk,
)
from pommel.suite.formula.words import in_words
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    from pommel.suite.formula.judge import Bits, Lookup, Truths, Verdict


Dialect = Literal["pommel", "syntaxgym"]

# Of a region's number; Python converts thousands, but no more.
_MAX_DIGITS = 1000


@frozen
class Remark:
    """Something about a formula, and the characters of its text that it is about."""

    message: str
    hint: str
    span: Span
    severity: Literal["error", "warning"]


# More words, in characters, than a few lines are harder to read than a formula.
_MANY_WORDS = 400


@frozen
class Formula:
    """A parsed formula: `text` as its author wrote it, and the tree, by which formulas compare."""

    text: str = field(compare=False)
    tree: Expression

    @classmethod
    def parse(cls, text: str, *, dialect: Dialect = "pommel") -> "Formula":
        """Parse a prediction's formula.

        The dialect "syntaxgym" refuses what the retired `syntaxgym` package did not know
        (`<= >= != * / ! abs( )`, a minus before anything but a number, other characters than
        `A-Z a-z 0-9 _ -` in names) and lets a bare number pass as a prediction, as it did.
        Raises `FormulaError`, which marks the place and says what to write.
        """
        return _parsed(text, dialect)

    @staticmethod
    def share_by_chance(formulas: Sequence["Formula"]) -> float:
        """Return the share of items in which all of them hold by chance (see `chance_of_all`)."""
        from pommel.suite.formula.chance import chance_of_all

        return chance_of_all(formulas).share

    @staticmethod
    def shares_where_tied(
        formulas: Sequence["Formula"], lookups: Sequence["Lookup"], n_items: int
    ) -> "Bits":
        """Return for each item whether all hold (1, 0), or how likely, if ties are left to chance.

        See `pommel.suite.formula.chance.shares_where_tied`.
        """
        from pommel.suite.formula.chance import shares_where_tied

        return shares_where_tied(formulas, lookups, n_items)

    @property
    def references(self) -> tuple[RegionValue, ...]:
        """Every mention of a region, in the order of the text, repetitions included."""
        return tuple(node for node in walk(self.tree) if isinstance(node, RegionValue))

    @property
    def conjuncts(self) -> tuple["Formula", ...]:
        """The formulas that `&` joins, each by itself; the formula alone where it joins none."""
        found, nodes = [], [self.tree]
        while nodes:
            node = nodes.pop()
            if isinstance(node, Logical) and node.operator == "&":
                nodes += [node.right, node.left]
            else:
                found.append(node)
        return tuple(Formula.parse(to_text(each)) for each in found) if len(found) > 1 else (self,)

    def reference_errors(self, regions_of: Mapping[str, Collection[int]]) -> list[Remark]:
        """Return an error for every condition or region that does not exist.

        `regions_of` maps each condition's name to the numbers of its regions.
        """
        remarks = []
        for node in self.references:
            numbers = regions_of.get(node.condition)
            if numbers is None:
                message = f"there is no condition {node.condition!r}"
                hint = nearest_or_all(node.condition, regions_of)
            elif node.region is not None and node.region not in numbers:
                message = f"condition {node.condition!r} has no region {node.region}"
                hint = f"its regions are {', '.join(map(str, sorted(numbers)))}"
            else:
                continue
            remarks.append(Remark(message=message, hint=hint, span=node.span, severity="error"))
        return remarks

    def warnings(self) -> list[Remark]:
        """Return a warning where a formula may surprise its reader."""
        found = [
            (
                "'&' and '|' share one level and associate to the left",
                "put brackets around what belongs together",
                node.span,
            )
            for node in walk(self.tree)
            if isinstance(node, Logical)
            and isinstance(node.left, Logical)
            and node.left.operator != node.operator
            and not node.left.bracketed
        ]
        if not self.references:
            message = "the formula mentions no region, so it is the same for every item"
            found.append((message, "name a region, e.g. (1;%condition%)", self.tree.span))
        return [
            Remark(message=message, hint=hint, span=span, severity="warning")
            for message, hint, span in found
        ]

    def judge(self, lookup: "Lookup", n_items: int) -> "Verdict":
        """Evaluate the formula over all items.

        `lookup` raises what it likes for a region or condition it does not know. The margin of
        `a < b` is b - a, of `a = b` the tolerance minus |a - b|, of `&` the smaller and of `|` the
        larger of the two sides. A side that is undefined leaves `&` false if the other side is
        false, and `|` true if the other side is true (Kleene's three-valued logic).
        """
        from pommel.suite.formula.judge import judge

        return judge(self.tree, lookup, n_items)

    def settled(self, lookup: "Lookup", room: "Lookup", n_items: int) -> "Truths":
        """Say for every item whether the verdict is the same for all values that may be meant.

        These are all that differ from those of `lookup` by what `room` gives at most, each by its
        own and however they go together; what is infinite may be anything. Where it says so, the
        verdict of `judge` is theirs, too; where not, it may be another.
        """
        from pommel.suite.formula.judge import settled

        return settled(self.tree, lookup, room, n_items)

    def syntaxgym_value(self, surprisals: Mapping[tuple[str, int], float]) -> float | bool:
        """Return what the retired `syntaxgym` made of a formula of its dialect, for one item.

        `surprisals` are those of its regions, by condition and region number. A comparison gives a
        bool, anything else a float, and `&` and `|` one of their operands: `judge` gives truths and
        margins, and this the values that old scripts and tables hold.
        """
        from pommel.suite.formula.judge import syntaxgym_value

        return syntaxgym_value(self.tree, surprisals)

    def in_words(self, region_names: Mapping[int, str], *, metric: str = "sum") -> tuple[str, ...]:
        """Return what the formula says as one line or several; lists are indented by two spaces.

        Conditions stand between asterisks (those with an asterisk in their name between %), regions
        are numbers and, in brackets, their names. `metric` is the region metric that the formula is
        checked with. Formulas that mean different things are different in words, too: what has no
        short wording is spelled out, with brackets. Raises `KeyError` for an unknown metric.
        """
        try:
            return in_words(self.tree, region_names, metric=metric)
        except RecursionError:
            return (f"this formula, which is nested too deeply for words, must hold: {self.text}",)

    def in_few_words(self, region_names: Mapping[int, str], *, metric: str) -> tuple[str, ...]:
        """Return the same; nothing if there are so many words that the formula says it better."""
        lines = self.in_words(region_names, metric=metric)
        return lines if sum(map(len, lines)) <= _MANY_WORDS else ()

    def __str__(self) -> str:
        return to_text(self.tree)


@functools.lru_cache(maxsize=4096)
def _parsed(text: str, dialect: Dialect) -> Formula:
    try:
        formula = Formula(text=text, tree=_built(_parse_to_lark(text), text))
        rules = _check_syntaxgym if dialect == "syntaxgym" else _check
        rules(formula)
    except RecursionError:
        whole = (0, len(text))
        raise _error_at(text, whole, "this formula is nested too deeply") from None
    return formula


@functools.cache
def _parser() -> "Lark":
    from lark import Lark

    grammar = Path(__file__).with_name("formula.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def _parse_to_lark(text: str) -> "Tree[Token]":
    from lark.exceptions import UnexpectedInput, UnexpectedToken

    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        # Lark types the position as always there, and leaves it None at the end of the text.
        position = cast("int | None", error.pos_in_stream)
        raise _syntax_error(text, len(text) if at_end or position is None else position) from None


_UNARY: Mapping[str, type[Negative | Negation | Absolute]] = {
    "negative": Negative,
    "negation": Negation,
    "absolute": Absolute,
}
_BINARY: Mapping[str, type[Arithmetic | Comparison | Logical]] = {
    "arithmetic": Arithmetic,
    "comparison": Comparison,
    "logical": Logical,
}


def _built(tree: "Tree[Token]", text: str) -> Expression:
    """Turn Lark's tree into ours, by the rules of the grammar; raises `FormulaError`.

    It is no Lark Transformer: its call-backs hide exceptions and types from us.
    """
    span = (tree.meta.start_pos, tree.meta.end_pos)
    parts: list[Any] = tree.children
    match tree.data:
        case "start":
            return _built(parts[0], text)
        case "number":
            value = float(parts[0])
            if not math.isfinite(value):
                raise _error_at(text, span, "this number is too large")
            return Number(value=value, span=span)
        case "region":
            return _region(str(parts[0]), text, span)
        case "brackets":
            node = _built(parts[0], text)
            node = replace(node, span=span)
            return replace(node, bracketed=True) if isinstance(node, Logical) else node
        case "negative" | "negation" | "absolute":
            operand = _built(parts[0], text)
            is_number = isinstance(operand, Number) and text[operand.span[0]] not in "(["
            if isinstance(operand, Number) and is_number and tree.data == "negative":
                return Number(value=-operand.value, span=span)
            return _UNARY[tree.data](operand=operand, span=span)
        case _:
            left, operator, right, *chained = parts
            if chained:
                raise _chained_comparison(text, parts)
            return _BINARY[tree.data](
                operator=operator.value,
                left=_built(left, text),
                right=_built(right, text),
                span=span,
            )


def _region(token: str, text: str, span: Span) -> Expression:
    number, _, name = token[1:-1].partition(";")
    condition = name.strip()[1:-1].strip()
    if token[0] + token[-1] not in ("()", "[]"):
        raise _error_at(text, span, "this bracket is closed by one of another kind")
    if not condition:
        raise _error_at(text, span, "the name of the condition is empty", "write (1;%condition%)")
    if len(number) > _MAX_DIGITS:
        raise _error_at(text, span, "this number is too large")
    region = None if number.strip() == "*" else int(number)
    return RegionValue(region=region, condition=condition, span=span)


# What people write for an operator of ours, and what to write instead. Longest first.
_MISTAKEN_OPERATORS = {
    "&&": "&",
    "||": "|",
    "==": "=",
    "<>": "!=",
    "=<": "<=",
    "=>": ">=",
    "and": "&",
    "or": "|",
    "not": "!",
    "~": "!",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "^": "&",
    # What word processors and pages make of them.
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    **dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{HYPHEN}", "-"),
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{LOGICAL AND}": "&",
    "\N{LOGICAL OR}": "|",
    "\N{NOT SIGN}": "!",
}
# A word is one by itself only.
# What only errors need is compiled by then.
_MISTAKEN_OPERATOR = "|".join(
    rf"(?<![^\W\d_]){each}(?![^\W\d_])" if each.isalpha() else re.escape(each)
    for each in _MISTAKEN_OPERATORS
)
# No two parts of this can match the same characters: a hint must not take longer than the parser.
_REGION_LIKE = r"[(\[{]?\s*([0-9]+|\*)\s*([;,:])([^()\[\]{};&|<>=]*)[)\]}]?"
_REGION = r"[(\[]\s*(?:[0-9]+|\*)\s*;%[^%]*%\s*[)\]]"
_SEVERAL_REGIONS = r"[(\[]\s*([0-9]{1,4})\s*([-+,:\u2013])\s*([0-9]{1,4})\s*;\s*(%[^%]*%)\s*[)\]]?"
_MOST_ADDED = 10
_QUOTES = "\"'\u2018\u2019\u201c\u201d\u201e\xab\xbb"
_WIDE_PERCENT = "\N{FULLWIDTH PERCENT SIGN}"
_CLOSING = {"(": ")", "[": "]"}


def _error_at(text: str, span: Span, message: str, hint: str = "") -> FormulaError:
    """Return the error for the characters `span` of `text`."""
    return FormulaError(message, formula=text, start=span[0], end=span[1], hint=hint)


def _syntax_error(text: str, position: int) -> FormulaError:
    """Return the error for a formula that stops making sense at `position`."""
    if not text.strip():
        return _error_at(text, (0, 1), "the formula is empty", "write e.g. (1;%a%) < (1;%b%)")
    for probe in (
        _full_width,
        _several_regions,
        _mistaken_operator,
        _missing_operator,
        _malformed_region,
        _unbalanced_bracket,
        _unexpected,
    ):
        if error := probe(text, position):
            return error
    return _error_at(text, (len(text), len(text) + 1), "the formula ends too early")


def _chained_comparison(text: str, parts: Sequence[Any]) -> FormulaError:
    """Return the error for `a < b < c`; `parts` are Lark's operands and operators in turn."""
    span = (parts[3].start_pos, parts[4].meta.end_pos)
    sides = [text[part.meta.start_pos : part.meta.end_pos] for part in parts[::2]]
    pairs = zip(sides, parts[1::2], sides[1:], strict=False)
    meant = " & ".join(f"{left} {operator} {right}" for left, operator, right in pairs)
    # In brackets, since "|" may stand before or behind, and binds as tightly as "&".
    return _error_at(text, span, "comparisons cannot be chained", f"write ({meant})")


def _full_width(text: str, _position: int) -> FormulaError | None:
    """Complain of what East Asian keyboards give, of all that is in the formula at once."""
    # A condition's name may have such characters.
    masked = re.sub("%[^%]*%", lambda name: " " * len(name[0]), text)
    found = re.findall("[\uff01-\uff5e]", masked)
    if not found:
        return None
    ascii_of = {each: unicodedata.normalize("NFKC", each) for each in found}
    place = masked.index(found[0])
    hint = f"write {' '.join(ascii_of.values())} in ASCII, not {' '.join(ascii_of)}"
    message = f"{text[place]!r} is a full-width character"
    return _error_at(text, (place, place + 1), message, hint)


def _several_regions(text: str, position: int) -> FormulaError | None:
    opening = max(text.rfind(bracket, 0, position + 1) for bracket in "([")
    if opening < 0 or not (match := re.compile(_SEVERAL_REGIONS).match(text, opening)):
        return None
    one, sign, other, name = match.groups()
    numbers = [int(one), int(other)]
    if sign not in "+," and numbers[0] < numbers[1] < numbers[0] + _MOST_ADDED:
        numbers = [*range(numbers[0], numbers[1] + 1)]
    meant = " + ".join(f"({number};{name})" for number in numbers)
    return _error_at(text, match.span(), "a region has one number", f"write {meant}")


def _mistaken_operator(text: str, position: int) -> FormulaError | None:
    # The parser may stop at the second character of "==".
    for start in (position - 1, position):
        if start >= 0 and (wrong := re.compile(_MISTAKEN_OPERATOR).match(text, start)):
            hint = f"write {_MISTAKEN_OPERATORS[wrong[0]]}"
            return _error_at(text, wrong.span(), f"{wrong[0]!r} is not an operator", hint)
    return None


def _missing_operator(text: str, position: int) -> FormulaError | None:
    region = re.compile(_REGION).match(text, position)
    before = text[:position].rstrip()
    if not region or not before:
        return None
    return _error_at(text, region.span(), "there is no operator before this region")


def _malformed_region(text: str, position: int) -> FormulaError | None:
    opening = max(text.rfind(bracket, 0, position + 1) for bracket in "([{")
    number = len(text[:position].rstrip().rstrip("0123456789."))
    for start in (opening, number):
        match = re.compile(_REGION_LIKE).match(text, start) if start >= 0 else None
        # With a comma or a colon it is only meant as a region if it has the name's marks.
        if match and (match[2] == ";" or "%" in match[3]) and position < match.end():
            name = match[3].replace("%", "").strip()
            span = (start, start + len(match[0].rstrip()))
            meant = f"({match[1]};%{name or 'condition'}%)"
            if text[:start].rstrip().endswith("abs"):
                return _error_at(text, span, "abs needs brackets", f"write abs({meant})")
            return _error_at(text, span, "this is not a region", f"write {meant}")
    return None


def _unbalanced_bracket(text: str, position: int) -> FormulaError | None:
    """Complain of the bracket that has no partner, if that is what stopped the parser."""
    pending: list[int] = []
    # A condition's name may hold brackets of its own.
    masked = re.sub("%[^%]*%", lambda name: "%" * len(name[0]), text)
    for index, character in enumerate(masked[: position + 1]):
        if character in _CLOSING:
            pending.append(index)
        elif character in _CLOSING.values():
            if not pending:
                return _error_at(text, (index, index + 1), "this bracket was never opened")
            opened = pending.pop()
            wanted = _CLOSING[text[opened]]
            if wanted != character:
                message = "this bracket is closed by one of another kind"
                return _error_at(text, (opened, index + 1), message, f"write {wanted} at the end")
    if pending and position >= len(text):
        opened = pending[-1]
        return _error_at(text, (opened, opened + 1), "this bracket is never closed")
    return None


def _unexpected(text: str, position: int) -> FormulaError | None:
    """Complain of the word or character that stopped the parser."""
    if position >= len(text):
        return None
    word = re.match(r"[^\W\d]\w*", text[position:])
    found = word[0] if word else text[position]
    # Typed on another keyboard, or pasted: other spaces, small and raised forms.
    plain = unicodedata.normalize("NFKC", found)
    hint = ""
    if plain != found and plain.isascii():
        hint = f"write {plain!r}"
    elif found == "," and text[position + 1 : position + 2].isdigit():
        hint = "decimals have a point, like 1.5"
    elif not found.isprintable():
        hint = "remove this invisible character"
    elif found in _QUOTES:
        hint = "remove the quotation mark"
    elif found.isalpha() and text[position + len(found) :].lstrip().startswith(";"):
        hint = "a region goes by its number: (1;%condition%)"
    elif found.isalpha() or found == "%":
        hint = "a region is written (1;%condition%)"
    return _error_at(text, (position, position + len(found)), f"unexpected {found!r}", hint)


_SYNTAXGYM_NAME = re.compile(r"[A-Za-z0-9_-]+")
_SYNTAXGYM_NUMBER = re.compile(r"[+-]?[0-9.]")


def _check(formula: Formula) -> None:
    """Raise `FormulaError` for the first place that makes no sense.

    The whole must be true or false; so must both sides of `&` and `|` and what follows `!`.
    Surprisals are multiplied and divided by numbers only: bits times bits mean nothing.
    """
    _require_truth(formula, formula.tree, "a prediction must be true or false")
    for node in walk(formula.tree):
        match node:
            case Logical():
                for side in (node.left, node.right):
                    _require_truth(formula, side, f"{node.operator!r} joins comparisons")
            case Negation():
                _require_truth(formula, node.operand, "'!' turns a comparison round")
            case Arithmetic(operator="*" | "/"):
                _check_scaling(formula, node)
            case _:
                pass


def _check_syntaxgym(formula: Formula) -> None:
    """Raise `FormulaError` for what the retired package could not parse."""
    for node in walk(formula.tree):
        construct = _beyond_syntaxgym(formula, node)
        if construct:
            raise _error_at(formula.text, node.span, f"SyntaxGym's formulas have no {construct}")


def _beyond_syntaxgym(formula: Formula, node: Expression) -> str:
    match node:
        case Negation():
            return "'!'"
        case Absolute():
            return "abs( )"
        case Negative():
            return "minus sign before anything but a number"
        case Number():
            # One sign, right before the digits; the span may include brackets.
            written = formula.text[slice(*node.span)].lstrip("([ \t\r\n\f")
            return "" if _SYNTAXGYM_NUMBER.match(written) else "such sign before a number"
        case Arithmetic(operator="*" | "/") | Comparison(operator="<=" | ">=" | "!="):
            return repr(node.operator)
        case RegionValue() if not _SYNTAXGYM_NAME.fullmatch(node.condition):
            return f"condition name like {node.condition!r}"
        case _:
            return ""


def _require_truth(formula: Formula, node: Expression, reason: str) -> None:
    if not is_truth(node):
        raise _error_at(
            formula.text, node.span, f"{reason}, and this is a number", "compare it with something"
        )


def _check_scaling(formula: Formula, node: Arithmetic) -> None:
    if _mentions_region(node.right) and (node.operator == "/" or _mentions_region(node.left)):
        verb = "multiplied" if node.operator == "*" else "divided"
        message = f"surprisals can be {verb} by numbers only"
        raise _error_at(formula.text, node.right.span, message)
    divisor = node.right
    while isinstance(divisor, Negative):
        divisor = divisor.operand
    if node.operator == "/" and isinstance(divisor, Number) and divisor.value == 0:
        raise _error_at(formula.text, node.right.span, "this divides by zero")


def _mentions_region(node: Expression) -> bool:
    return any(isinstance(below, RegionValue) for below in walk(node))


def nearest_or_all(name: str, known: Collection[str]) -> str:
    """Return a hint that names what `name` probably meant, or all there is to choose from."""
    for form in ("NFC", "NFD"):
        same = [each for each in known if unicodedata.normalize(form, name) == each]
        if same:
            return (
                f"{same[0]!r} looks the same, but its accents are encoded in Unicode's form "
                f"{form}, and here they are not: copy the name from there"
            )
    if (plain := name.strip(_WIDE_PERCENT)) in known:
        return f"write {plain!r} between % in ASCII, without {_WIDE_PERCENT}"
    meant = nearest(name, known)
    if meant is not None:
        return f"did you mean {meant!r}?"
    return f"there are: {', '.join(repr(each) for each in known)}"
