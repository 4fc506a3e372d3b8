"""New suites: a design without sentences, and the file in which they are to be written."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from pommel.errors import Fault, FormulaError, SuiteError, counted
from pommel.files import CsvRow, CsvTable, json_chunks
from pommel.suite.formula import Formula
from pommel.suite.metrics import METRICS
from pommel.suite.suite import Condition, Region, Suite
from pommel.values import frozen

# Columns of long CSV that no table of sentences has.
_OF_REGIONS = {"region_number", "content"}
_OTHER_BARS = re.compile(f"[{Region.OTHER_BARS}]")
# What a table of sentences calls the column with the items' numbers.
_NUMBERED = ("item", "item_number")
# The contents of one item: condition -> region -> text.
Sentences = Mapping[str, Mapping[int, str]]


@frozen
class Design:
    """What a suite is before it has sentences.

    `regions_of` has the conditions in their order, and the region numbers of each. `predictions`
    are JSON values, as in a suite's file; so is `metric`.
    """

    regions_of: Mapping[str, tuple[int, ...]]
    region_names: Mapping[int, str]
    predictions: tuple[Mapping[str, Any], ...] = ()
    metric: Any = "sum"

    @classmethod
    def new(
        cls, conditions: Sequence[str], region_names: Sequence[str], formulas: Sequence[str] = ()
    ) -> Self:
        """Return a design in which every condition has all regions, numbered from 1.

        The names are taken as they are (see `condition_fault`); raises `FormulaError` for a
        formula that does not parse or names a condition or region that is not there.
        """
        numbers = tuple(range(1, len(region_names) + 1))
        design = cls(
            regions_of=dict.fromkeys(conditions, numbers),
            region_names=dict(zip(numbers, region_names, strict=True)),
        )
        return design.with_formulas(formulas)

    @classmethod
    def of(cls, suite: Suite) -> Self:
        """Return the design of a suite: its first item's regions, its predictions and metric."""
        return cls(
            regions_of={
                condition.name: tuple(region.number for region in condition.regions)
                for condition in suite.items[0].conditions
            },
            region_names=dict(suite.region_names),
            # What else their file says of them is about its own sentences.
            predictions=tuple(replace(each, as_written={}).to_dict() for each in suite.predictions),
            metric=suite.meta["metric"],
        )

    @staticmethod
    def items_of(table: CsvTable, conditions: Sequence[str] = ()) -> list[dict[str, object]]:
        """Return the JSON of the items of a table: a row an item, a column a condition's sentences.

        Between regions stands a bar (`|`), and every sentence has as many. A column `item` or
        `item_number` has the items' numbers; otherwise they are counted. All other columns are
        conditions, or those that are named; what is in the rest becomes the item's `source`. Raises
        `SuiteError` with every fault.
        """
        faults: list[Fault] = []
        header = table.header.fields if table.header else ()
        numbered = next((each for each in header if each.casefold() in _NUMBERED), "")
        names = conditions or Design._conditions_of(table, numbered)
        rows = table.records(names, faults, others_allowed=True)
        if table.header:
            faults += Design._name_faults(table.header, names)
        for row in rows:
            faults += row.text_faults(names)
            faults += Design._bar_faults(row, names)
        if not conditions and table.header:
            names = Design._with_bars(table.header, names, rows, faults)
        bars = Counter(row[name].count("|") for row in rows for name in names)
        n_regions = max(bars, key=bars.__getitem__) + 1 if bars else 0
        empty = "write one, with | between its regions"
        if not conditions:
            empty += "; if its column is no condition, name those that are: --condition NAME"
        design = Design.new(names, [""] * n_regions)
        items: list[dict[str, object]] = []
        for row, number in zip(rows, Design._numbers(rows, numbered, faults), strict=True):
            texts = {name: [*map(Region.text_of, row[name].split("|"))] for name in names}
            for name, regions in texts.items():
                if not any(regions):
                    faults.append(row.fault(name, "there is no sentence", empty))
                elif len(regions) != n_regions and not _OTHER_BARS.search(row[name]):
                    found = counted(len(regions), "region")
                    message = f"this sentence has {found}, and others have {n_regions}"
                    hint = "an empty region has its bar, too: the dog | | barks"
                    faults.append(row.fault(name, message, hint))
            contents = {name: dict(enumerate(regions, 1)) for name, regions in texts.items()}
            known = {numbered, *names}
            rest = {name: text for name, text in row.cells.items() if text and name not in known}
            (item,) = design.draft({"name": ""}, n_items=1, sentences=contents)["items"]
            items.append({**item, "item_number": number} | ({"source": rest} if rest else {}))
        if faults:
            raise SuiteError(Fault.in_order(faults))
        return items

    @staticmethod
    def _conditions_of(table: CsvTable, numbered: str) -> list[str]:
        header = table.header.fields if table.header else ()
        if {*map(str.casefold, header)} >= _OF_REGIONS:
            hint = f"`pommel convert {shlex.quote(table.file)} -o NAME.json` makes a suite of it"
            told = table.rows[0].place(0).fault("this table has a row a region, not an item", hint)
            raise SuiteError([told])
        return [each for each in header if each != numbered or not each]

    @staticmethod
    def _name_faults(header: CsvRow, names: Sequence[str]) -> Iterator[Fault]:
        for name in names:
            if name in header.fields and (message := Design.condition_fault(name)):
                yield header.place(header.fields.index(name)).fault(message, "rename the column")

    @staticmethod
    def _bar_faults(row: CsvRow, names: Sequence[str]) -> Iterator[Fault]:
        """Yield the sentences with a character that looks like the bar between regions."""
        for name in names:
            if found := _OTHER_BARS.search(row[name]):
                code = f"U+{ord(found[0]):04X}"
                message = f"{found[0]} ({code}) is no bar between regions"
                yield row.fault(name, message, "write | (U+007C)")

    @staticmethod
    def _with_bars(
        header: CsvRow, names: Sequence[str], rows: Sequence[CsvRow], faults: list[Fault]
    ) -> Sequence[str]:
        """Return the columns of which a cell has a bar, if one has: the others are no conditions.

        `faults` is told of the others. A note, or a number, would be blamed as a sentence.
        """
        numbers = [name for name in names if rows and all(row[name].isdecimal() for row in rows)]
        names = [name for name in names if name not in numbers]
        barred = [name for name in names if any("|" in row[name] for row in rows)]
        hint = shlex.join(word for name in barred or names for word in ("--condition", name))
        for name in numbers:
            message = f"the column {name!r} has nothing but numbers"
            meant = f"call it item if they are the items', or name the conditions: {hint}"
            faults.append(header.place(header.fields.index(name)).fault(message, meant))
        for name in names:
            # A bar of another kind has its own fault.
            is_told = any(_OTHER_BARS.search(row[name]) for row in rows)
            if barred and name not in barred and not is_told:
                message = f"no cell of the column {name!r} has a bar, and those of others have"
                meant = f"write | between its regions, or name the conditions: {hint}"
                faults.append(header.place(header.fields.index(name)).fault(message, meant))
        return barred or names

    @staticmethod
    def _numbers(rows: Sequence[CsvRow], column: str, faults: list[Fault]) -> list[int]:
        """Return the items' numbers, which are counted without a column; `faults` is added to."""
        if not column:
            return [*range(1, len(rows) + 1)]
        first = {row[column]: row for row in reversed(rows)}
        numbers = []
        for row in rows:
            number = row[column]
            if not re.fullmatch("[0-9]{1,18}", number):
                message = f"the number of the item is {number!r}"
                hint = "write a whole number like 1"
                if not number:
                    hint += "; of merged cells the first one alone has it"
                faults.append(row.fault(column, message, hint))
                number = "0"
            elif first[number] is not row:
                message = f"there is an item {number} in line {first[number].line} already"
                faults.append(row.fault(column, message, "give each a number of its own"))
            numbers.append(int(number))
        return numbers

    @property
    def first_metric(self) -> str:
        """The metric that predictions are checked with."""
        if self.metric == "all":
            return next(iter(METRICS))
        return str(self.metric if isinstance(self.metric, str) else self.metric[0])

    @staticmethod
    def condition_fault(name: str, known: Sequence[str] = ()) -> str:
        """Say why a condition cannot have this name, "" if it can; `known` are the others'."""
        if name in known:
            return f"there is a condition {name!r} already"
        # Marks of direction, spaces without a width and line ends are pasted, and not seen. Joiners
        # within a word belong to some scripts.
        ends = [each for each in name[:1] + name[-1:] if unicodedata.category(each) == "Cf"]
        controls = [each for each in name if unicodedata.category(each) == "Cc"]
        if fault := Condition.name_fault(name):
            return fault
        if hidden := [*ends, *controls][:1]:
            what = f"has the character U+{ord(hidden[0]):04X}, which cannot be seen"
            return f"the condition's name {name!r} {what}"
        return ""

    @staticmethod
    def region_fault(name: str, _known: Sequence[str] = ()) -> str:
        """Say why a new region cannot have this name, "" if it can, the others' or not."""
        return "" if name.strip() else "the name of a region is empty"

    def fitting_formula(self, text: str) -> Formula:
        """Parse a formula over these conditions and regions; raises `FormulaError`."""
        formula = Formula.parse(text)
        for remark in formula.reference_errors(self.regions_of):
            start, end = remark.span
            raise FormulaError(remark.message, formula=text, start=start, end=end, hint=remark.hint)
        return formula

    def with_formulas(self, formulas: Sequence[str]) -> Self:
        """Return the design with these predictions instead; raises `FormulaError`."""
        for formula in formulas:
            self.fitting_formula(formula)
        predictions = tuple({"type": "formula", "formula": formula} for formula in formulas)
        return replace(self, predictions=predictions)

    def draft(
        self, meta: Mapping[str, str], *, n_items: int, sentences: Sentences | None = None
    ) -> Mapping[str, Any]:
        """Return the JSON of a new suite; `meta` has its name, and what else is known of it.

        Each item has `sentences`. What is not written is empty, so that `pommel validate` names
        every condition that still waits for its text, and no placeholder is ever scored.
        """
        return {
            "meta": {"name": meta["name"], "metric": self.metric, **meta},
            "region_meta": {str(number): name for number, name in self.region_names.items()},
            "predictions": [dict(prediction) for prediction in self.predictions],
            "items": [
                {"item_number": number, "conditions": self._conditions(sentences or {})}
                for number in range(1, n_items + 1)
            ],
        }

    def filled(self) -> Mapping[str, Any]:
        """Return the JSON of a suite with one item, whose regions all have a text of their own."""
        sentences = {
            name: {number: f"word{place}.{number}" for number in numbers}
            for place, (name, numbers) in enumerate(self.regions_of.items())
        }
        return self.draft({"name": "filled"}, n_items=1, sentences=sentences)

    @staticmethod
    def draft_text(value: Mapping[str, Any]) -> str:
        """Return a draft's file: one region a line, so that a sentence is read from top down."""
        return "".join(json_chunks(value, "items", value["items"], line_height=1))

    def _conditions(self, contents: Sentences) -> list[Mapping[str, Any]]:
        return [
            {
                "condition_name": name,
                "regions": [
                    {"region_number": number, "content": contents.get(name, {}).get(number, "")}
                    for number in numbers
                ],
            }
            for name, numbers in self.regions_of.items()
        ]
