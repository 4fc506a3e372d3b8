"""The number agreement items of Gulordava et al. (2018): `generated.tab`, two rows an item.

The row of the correct form, then that of the wrong one, which have the sentence, ended by
`<eos>`, in common. At the index `len_prefix` (from 0) it has a third word, that of the corpus: both
forms are to be put in its place. Cells are separated by tabs, with quotes around those that have
quotes in them. Some of the published files have columns more.
"""

from collections.abc import Iterator, Sequence

from pommel.errors import Fault, counted, quoted
from pommel.files import CsvRow, CsvTable
from pommel.sources.formats.focus_word import (
    EOS,
    focus_set,
    form_faults,
    whole_number,
    words_of,
)
from pommel.sources.formats.set_format import SetFormat, checked_sets
from pommel.sources.minimal_sets import MinimalSet

COLUMNS = (
    "pattern",
    "constr_id",
    "sent_id",
    "correct_number",
    "form",
    "class",
    "type",
    "prefix",
    "n_attr",
    "punct",
    "freq",
    "len_context",
    "len_prefix",
    "sent",
)
_TELLING = ("form", "class", "len_prefix", "sent")
_SHARED = ("pattern", "constr_id", "sent_id", "type", "len_prefix", "sent")
_CLASSES = ("correct", "wrong")
# What the row after one of a class can be for both to be an item; a faulty row has no class.
_AFTER = {"correct": ("wrong", ""), "": ("wrong",), "wrong": ()}


def parse_gulordava(text: str, file: str) -> list[MinimalSet]:
    """Return the sets of a file's text.

    A set's fields are the columns of its rows, with both values where the rows differ. Raises
    `SuiteError` with every row that has no partner, no such columns, or no such word.
    """
    faults: list[Fault] = []
    table = CsvTable.parse(text, file=file, separator="\t")
    records = table.records(COLUMNS, faults, others_allowed=True)
    # A row that cannot be read is somebody's partner.
    rows: dict[int, CsvRow | None] = {fault.line: None for fault in faults}
    for record in records:
        is_known = record["class"] in _CLASSES
        rows[record.line] = record if is_known else None
        if not is_known:
            what = f"the class {quoted(record['class'])} is none"
            faults.append(record.fault("class", what, "write correct or wrong"))
    pairs = list(_pairs([rows[line] for line in sorted(rows)], faults))
    return checked_sets(pairs, lambda pair: _pair_faults(*pair), lambda pair: _set(*pair), faults)


def _pairs(rows: Sequence[CsvRow | None], faults: list[Fault]) -> Iterator[tuple[CsvRow, CsvRow]]:
    """Yield the rows of items; add those without a partner to the faults.

    A faulty row, which is None here, is taken for the partner that is missing beside it.
    """
    kinds = [*(row["class"] if row else "" for row in rows), "end"]
    index = 0
    while index < len(rows):
        row, kind = rows[index], kinds[index]
        index += 1
        if kinds[index] in _AFTER[kind]:
            partner = rows[index]
            index += 1
            if row and partner:
                yield row, partner
        elif row:
            other, side = ("correct", "before") if kind == "wrong" else ("wrong", "after")
            hint = f"write the row of the {other} form {side} it"
            faults.append(row.fault("class", f"this row has no {other} one {side} it", hint))


def _pair_faults(correct: CsvRow, wrong: CsvRow) -> Iterator[Fault]:
    for name in _SHARED:
        if wrong[name] != correct[name]:
            what = f"{name} is {quoted(wrong[name])}, and {quoted(correct[name])} in the row before"
            hint = f"the two rows of an item have the same {', '.join(_SHARED)}"
            yield wrong.fault(name, what, hint)
    index, words = whole_number(correct["len_prefix"]), words_of(correct["sent"])
    if index is None or index >= len(words):
        hint = f"the words of sent are numbered from 0, {EOS} left out"
        what = f"sent has {counted(len(words), 'word')}, and none at {correct['len_prefix']}"
        yield correct.fault("len_prefix", what, hint)
    for place, message in form_faults(correct["form"], wrong["form"]):
        hint = "write the correct form, and in the row after it the wrong one"
        yield (correct, wrong)[place].fault("form", message, hint)


def _set(correct: CsvRow, wrong: CsvRow) -> MinimalSet:
    fields: dict[str, object] = {}
    for name, value in correct.cells.items():
        both = [_value(value), _value(wrong[name])]
        fields[name] = both[0] if both[0] == both[1] else both
    forms = correct["form"], wrong["form"]
    return focus_set(words_of(correct["sent"]), int(correct["len_prefix"]), forms, fields)


def _value(text: str) -> str | int:
    number = whole_number(text)
    return text if number is None else number


GULORDAVA = SetFormat(
    name="gulordava",
    endings=(".tab",),
    parse=parse_gulordava,
    compared="contrast",
    is_like=lambda text: {*_TELLING} <= {*text.partition("\n")[0].split()},
)
