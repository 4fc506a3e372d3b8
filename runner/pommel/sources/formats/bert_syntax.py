"""What Goldberg's (2019) `bert-syntax` prints: whether BERT prefers the correct form of a word.

Two kinds of lines, which tell themselves:

- of Linzen's and Gulordava's sentences, with tabs between: `True` or `False`, the number of
  attractors, the correct form and its logit, the wrong form and its logit, and the sentence, with
  `***mask***` for the form, as Python writes bytes (`b'...'`);
- of Marvin & Linzen's, with spaces between: `True` or `False`, case, subcase, both forms, and the
  sentence as it is.

Lines between them say what was skipped, since BERT has no such word. Of Marvin & Linzen's sentences
a skipped one follows nevertheless, as `False`: it has no result.
"""

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pommel.errors import Fault, Place, SuiteError, counted, quoted
from pommel.files import DecodedText
from pommel.sources.formats.focus_word import (
    N_ATTR,
    attractors_of,
    field_error,
    field_of,
    focus_set,
    form_faults,
    forms_of,
    whole_number,
)
from pommel.sources.formats.pair_rows import has_words, kept_text, kept_texts, mended_set
from pommel.sources.formats.set_format import SetFormat, TextPieces
from pommel.sources.minimal_sets import MinimalSet, words_in

MASK = "***mask***"

# Fields of a set: whether the correct form won (None where it was skipped), both logits, what the
# sentences are counted by, the sentence where we would write it otherwise, and the lines that are
# no results before it and, at the end of a file, after it.
CORRECT, LOGITS, SENTENCE = "correct", "logits", "sentence"
CASE, SUBCASE = "case", "subcase"
LINES_BEFORE, LINES_AFTER = "lines_before", "lines_after"

_RESULT = re.compile(r"(?:True|False)(?!\S)")
_LIKE = re.compile(rf"^(?:True|False)[\t ].*{re.escape(MASK)}", re.MULTILINE)
_IS_NO_OTHER = re.compile(rf"\A(?:True|False)(?!\S)|[\t\r\n]|{re.escape(MASK)}")
_LITERAL = re.compile(r"""[bB]?(?:'(?:[^'\\\r\n]|\\.)*+'|"(?:[^"\\\r\n]|\\.)*+")""")
_LARGEST = sys.float_info.max
_LOGIT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")
_ATTRACTOR_COLUMNS = (
    "True or False",
    "number of attractors",
    "correct form",
    "logit",
    "wrong form",
    "logit",
    "sentence",
)
_MARVIN_COLUMNS = ("True or False", "case", "subcase", "correct form", "wrong form", "sentence")
_FORMS_HINT = "write the correct form and the wrong one"
_TITLE = "results of bert-syntax"


@dataclass(slots=True, kw_only=True)
class _Line:
    """A result's line, what it says, and what is wrong with it."""

    file: str
    number: int
    cells: Sequence[str]
    fields: dict[str, Any] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, index: int, message: str, hint: str) -> None:
        column = sum(len(cell) + 1 for cell in self.cells[:index]) + 1
        place = Place(file=self.file, line=self.number, column=column)
        self.faults.append(place.fault(message, hint))

    def has_columns(self, columns: Sequence[str], separated: str) -> bool:
        if len(self.cells) != len(columns):
            hint = f"write {', '.join(columns)}, with {separated} between"
            self.fault(0, f"this result has {counted(len(self.cells), 'column')}", hint)
        elif self.cells[0] not in ("True", "False"):
            self.fault(0, f"{quoted(self.cells[0])} is no result", "write True or False")
        return not self.faults


def parse_bert_syntax(text: str, *, file: str) -> list[MinimalSet]:
    """Return the sets of a file's text.

    Raises `SuiteError` with every line that begins as a result, or has a tab or a mask in it, and
    is none of these.
    """
    sets: list[MinimalSet] = []
    faults: list[Fault] = []
    others: list[str] = []
    fields: dict[str, Any] = {}
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        if _RESULT.match(line):
            fields = {LINES_BEFORE: others} if others else {}
            cells = line.split("\t") if "\t" in line else line.split(" ", 5)
            result = _Line(file=file, number=number, cells=cells, fields=fields)
            sets += _attractor_set(result) if "\t" in line else _marvin_set(result)
            faults += sorted(result.faults, key=lambda fault: fault.column)
            others = []
        elif "\t" in line or MASK in line:
            hint = "a result begins with True or False"
            place = Place(file=file, line=number, column=1)
            faults.append(place.fault("this is no result", hint))
        else:
            others.append(line)
    if others:
        fields[LINES_AFTER] = others
    if not sets and not faults:
        hint = f"write {', '.join(_ATTRACTOR_COLUMNS)}, with tabs between"
        faults = [Place(file=file, line=0, column=0).fault("there is no result", hint)]
    if faults:
        raise SuiteError(faults)
    return sets


def bert_syntax_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield the text of each set: its result, and the lines around it.

    Raises `InputError` for a set without a result, or whose contrast is not one word and another.
    """
    for number, each in enumerate(sets, start=1):
        line = _marvin_line if CASE in (each.fields or {}) else _attractor_line
        before, after = (_others(each, number, name) for name in (LINES_BEFORE, LINES_AFTER))
        yield "".join(f"{one}\n" for one in (*before, line(each, number), *after))


def text_of_literal(literal: str) -> str:
    """Return the text of a literal such as `b'caf\\xc3\\xa9'` or `'café'`; bytes are UTF-8.

    Raises `ValueError` for anything else, and for an escape that Python does not know.
    """
    if not _LITERAL.fullmatch(literal):
        raise ValueError("this is no string as Python writes it")
    try:
        with warnings.catch_warnings():
            # What is no escape is a warning, and would be read as a backslash.
            warnings.simplefilter("error")
            value = ast.literal_eval(literal)
    except SyntaxError as error:
        raise ValueError(error.msg) from None
    if isinstance(value, bytes):
        return value.decode()
    # Half of a surrogate pair can be written in Python, and nowhere else.
    return str(value).encode().decode()


def _attractor_set(result: _Line) -> list[MinimalSet]:
    if not result.has_columns(_ATTRACTOR_COLUMNS, "tabs"):
        return []
    mark, n_attr, correct, first, wrong, second, literal = result.cells
    if whole_number(n_attr) is None:
        hint = "write how many nouns of the other number intervene"
        result.fault(1, f"{quoted(n_attr)} is no number of attractors", hint)
    for index in (3, 5):
        if not _LOGIT.fullmatch(result.cells[index]):
            hint = "write a number such as -2.5"
            result.fault(index, f"{quoted(result.cells[index])} is no logit", hint)
    try:
        sentence = text_of_literal(literal)
    except ValueError:
        result.fault(6, "this is no sentence as Python writes it", f"write b'... {MASK} ...'")
        sentence = MASK
    words = _words(result, 6, sentence)
    for place, message in form_faults(correct, wrong):
        result.fault((2, 4)[place], message, _FORMS_HINT)
    if result.faults:
        return []
    if (float(first) > float(second)) != (mark == "True"):
        hint = "True is where that of the correct form is greater"
        result.fault(0, f"this says {mark}, and the logits are {first} and {second}", hint)
        return []
    result.fields[CORRECT] = mark == "True"
    result.fields[N_ATTR] = int(n_attr)
    result.fields[LOGITS] = [_logit(first), _logit(second)]
    return [_set(result, words, (correct, wrong), _literal)]


def _marvin_set(result: _Line) -> list[MinimalSet]:
    if not result.has_columns(_MARVIN_COLUMNS, "spaces"):
        return []
    mark, case, subcase, correct, wrong, sentence = result.cells
    words = _words(result, 5, sentence)
    for place, message in form_faults(correct, wrong):
        result.fault((3, 4)[place], message, _FORMS_HINT)
    if result.faults:
        return []
    before = result.fields.get(LINES_BEFORE, [""])[-1]
    is_skipped = mark == "False" and before == f"skipping {correct} {wrong} bad wins"
    result.fields[CORRECT] = None if is_skipped else mark == "True"
    result.fields[CASE] = case
    result.fields[SUBCASE] = subcase
    return [_set(result, words, (correct, wrong), str)]


def _words(result: _Line, index: int, sentence: str) -> list[str]:
    words = words_in(sentence)
    if words.count(MASK) != 1:
        hint = "write it once, with spaces around, in the place of the form"
        result.fault(index, f"this sentence has {words.count(MASK)} {MASK}", hint)
    return words


def _set(
    result: _Line, words: Sequence[str], forms: tuple[str, str], spelt: Callable[[str], str]
) -> MinimalSet:
    found = focus_set(words, words.index(MASK), forms, result.fields)
    if spelt(_masked(mended_set(found))) != result.cells[-1]:
        result.fields[SENTENCE] = result.cells[-1]
    return found


def _attractor_line(found: MinimalSet, number: int) -> str:
    correct, wrong = forms_of(found, number, _TITLE)
    n_attractors = attractors_of(found, number, _TITLE)
    mark = _mark(field_of(found, number, CORRECT, _TITLE), number)
    values = field_of(found, number, LOGITS, _TITLE)
    logits = list(map(_written_logit, values)) if isinstance(values, list) else []
    if len(logits) != len((correct, wrong)) or not all(map(_LOGIT.fullmatch, logits)):
        raise field_error(number, LOGITS, "no list of two numbers")
    first, second = logits
    if (float(first) > float(second)) != mark:
        raise field_error(number, CORRECT, f"{mark}, and the logits are {first} and {second}")
    sentence = _sentence(found, text_of_literal) or _literal(_masked(found))
    return "\t".join((str(mark), str(n_attractors), correct, first, wrong, second, sentence))


def _marvin_line(found: MinimalSet, number: int) -> str:
    correct, wrong = forms_of(found, number, _TITLE)
    names = {name: field_of(found, number, name, _TITLE) for name in (CASE, SUBCASE)}
    for name, value in names.items():
        if not isinstance(value, str) or re.search(r"[ \t\r\n]", value):
            raise field_error(number, name, "no text without spaces")
    fields = found.fields or {}
    # What was skipped has None for a result, and is printed as wrong.
    is_skipped = CORRECT in fields and fields[CORRECT] is None
    mark = not is_skipped and _mark(field_of(found, number, CORRECT, _TITLE), number)
    case, subcase = names.values()
    sentence = _sentence(found, str) or _masked(found)
    return f"{mark} {case} {subcase} {correct} {wrong} {sentence}"


def _others(found: MinimalSet, number: int, name: str) -> tuple[str, ...]:
    """Return the lines beside a result that are none themselves."""
    if name not in (found.fields or {}):
        return ()
    texts = kept_texts(found.fields, name)
    if texts is None or any(map(_IS_NO_OTHER.search, texts)):
        raise field_error(number, name, "no list of lines that are no results")
    return texts


def _mark(value: Any, number: int) -> bool:
    if not isinstance(value, bool):
        raise field_error(number, CORRECT, "neither true nor false")
    return value


def _written_logit(value: Any) -> str:
    """Return how a logit is written; what is none is written as such, too."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    # A whole number may be too large for any float.
    return repr(float(value)) if abs(value) <= _LARGEST else "inf"


def _masked(found: MinimalSet) -> str:
    return " ".join(filter(None, (found.before, MASK, found.after)))


def _sentence(found: MinimalSet, read: Callable[[str], str]) -> str:
    """Return the sentence as it was written, if that still is this sentence, otherwise ""."""
    written = kept_text(found.fields, SENTENCE)
    if written is None or "\t" in written:
        return ""
    try:
        sentence = read(written)
    except ValueError:
        return ""
    return written if has_words(sentence, _masked(found)) else ""


def _literal(sentence: str) -> str:
    return repr(sentence.encode())


def _logit(text: str) -> float | str:
    """Return a number, or the text if the number would be written otherwise."""
    number = float(text)
    return number if repr(number) == text else text


BERT_SYNTAX = SetFormat(
    name="bert-syntax",
    title="results of bert-syntax",
    endings=(".txt",),
    read=lambda path: parse_bert_syntax(DecodedText.read(path).text, file=str(path)),
    written=TextPieces(bert_syntax_lines),
    compared="contrast",
    is_like=lambda text: _LIKE.search(text) is not None,
)
