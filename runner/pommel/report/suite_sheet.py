"""A suite's data sheet: source, counts, design, words, and what it gives away without syntax."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from pommel.analysis import grouped, number_cell, plain_table
from pommel.errors import printable
from pommel.report.suite_preview import prediction_lines, short_text
from pommel.suite import Frequencies, Item, Region, Suite
from pommel.values import frozen

# Scorers that see no syntax, as `pommel suites controls` has them.
_CONTROLS = ("chance", "context_free", "nearest_region", "unigram", "bigram")
# Of a design with many conditions, as many of those that are alike.
_SHOWN_NAMES = 4
_SUBSCRIPTS = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")


class _Section(NamedTuple):
    """A part of a sheet: facts, and a table, whose columns of numbers come last."""

    title: str
    facts: Mapping[str, str]
    names: Sequence[str] = ()
    numbers: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


@frozen
class SuiteSheet:
    """What there is to know of a suite before it is run.

    `item` is its example. `caveats` are sentences of those who ship it. `controls` are what scorers
    that see no syntax come to, as `pommel suites controls` has it: shares of items (None: not
    known), "notes", and as "text" what the n-gram models have seen. It is empty where they were not
    asked. `frequencies` say how frequent words are.
    """

    suite: Suite
    item: Item
    caveats: Sequence[str] = ()
    controls: Mapping[str, Any]
    frequencies: Frequencies | None = None

    @property
    def text(self) -> str:
        """The sheet for a terminal."""
        lines = [self.suite.name, *(f"  {each}" for each in self._head)]
        for section in self._sections:
            lines += ["", f"  {section.title}"]
            lines += (f"    {each}" for each in _in_columns([*section.facts.items()]))
            rows = [(*section.names, *section.numbers), *section.rows]
            if section.rows:
                lines += (f"    {each}" for each in _in_columns(rows, len(section.numbers)))
        if self.suite.predictions:
            lines += ["", "  predictions"]
            lines += (f"  {each.text}" for each in prediction_lines(self.suite))
        lines += ["", f"  {self._of_item}"]
        sentences = [
            (each.name, " | ".join([*filter(None, [each.context]), *map(_numbered, each.regions)]))
            for each in self.item.conditions
        ]
        lines += (f"    {each}" for each in _in_columns(sentences))
        return "".join(f"{line.rstrip()}\n" for line in lines)

    @property
    def markdown(self) -> str:
        """The sheet as a page of Markdown."""
        from pommel.report.markdown import markdown_table, markdown_text

        parts = [f"# {markdown_text(self.suite.name)}", *map(markdown_text, self._head)]
        for section in self._sections:
            parts.append(f"## {section.title[0].upper()}{section.title[1:]}")
            facts = [f"- {term}: {markdown_text(text)}" for term, text in section.facts.items()]
            parts += ["\n".join(facts)] if facts else []
            if section.rows:
                table = plain_table(names=section.names, numbers=section.numbers, rows=section.rows)
                parts.append(markdown_table(table).strip("\n"))
        if self.suite.predictions:
            parts += ["## Predictions", "\n".join(self._predictions_in_markdown())]
        parts += [f"## Item {self._of_item.removeprefix('item ')}"]
        parts.append("\n".join(self._item_in_markdown()))
        return "\n\n".join(parts) + "\n"

    @property
    def _head(self) -> list[str]:
        return [*filter(None, [_in_a_line(self.suite.meta.get("comment"))]), *self.caveats]

    @property
    def _of_item(self) -> str:
        return f"item {self.item.number} of {len(self.suite.items)}"

    @property
    def _sections(self) -> list[_Section]:
        return [each for each in self._every_section() if each.facts or each.rows]

    def _every_section(self) -> Iterator[_Section]:
        suite, measures = self.suite, self.suite.measures(self.frequencies)
        meta = suite.meta
        source = {
            "language": suite.language,
            "circuit": suite.circuit,
            "version": suite.version,
            "licence": meta.get("license"),
            "author": meta.get("author"),
            "reference": meta.get("reference"),
            "modifier of": suite.modifier_of,
            "generated": _recipe(meta.get("generator")),
            "SHA-256": suite.sha256,
        }
        yield _Section(title="source", facts=_facts(source))
        bad = f"; unacceptable: {_first_of(suite.unacceptable)}" if suite.unacceptable else ""
        metrics = dict.fromkeys(map(suite.metric_of, suite.predictions))
        n_sentences, n_critical = suite.n_sentences, measures.n_critical_words
        n_twice = n_sentences - measures.n_distinct_sentences
        counts: dict[str, object] = {
            "items": len(suite.items),
            "conditions": f"{len(suite.condition_names)}{bad}",
            "sentences": f"{n_sentences}, {n_twice} of them repeated" if n_twice else n_sentences,
            "predictions": str(len(suite.predictions)),
            "region metric": [*metrics],
        }
        if n_critical is not None:
            of_them = f"{n_critical} of them in critical regions"
            if 0 < (measures.n_differing_words or 0) < n_critical:
                of_them += f", {measures.n_differing_words} where compared sides differ"
            counts["distinct words"] = f"{measures.n_words}, {of_them}"
        if measures.n_lexemes:
            slots = (f"{slot} {n}" for slot, n in measures.n_lexemes.items())
            counts["lexicon words"] = ", ".join(slots)
        if self.frequencies and measures.n_unlisted is not None:
            which = f"{Path(self.frequencies.file).name}, {self.frequencies.taken_as}"
            counts["frequencies"] = f"{which}, without {measures.n_unlisted} of the {n_critical}"
        yield _Section(title="counts", facts=_facts(counts))
        yield _Section(
            title="regions",
            facts={},
            names=("number", "name", "critical"),
            numbers=("distinct texts",),
            rows=[
                (str(each.number), each.name, "yes" if each.is_critical else "", str(each.n_texts))
                for each in measures.regions
            ],
        )
        alike = grouped(
            measures.conditions,
            lambda each: (_numbers(each.regions), *map(number_cell, each.means.values())),
        )
        yield _Section(
            title="critical regions: means over items",
            facts={},
            names=("condition", "regions"),
            numbers=[*measures.conditions[0].means] if measures.conditions else (),
            rows=[
                (_first_of([each.condition for each in own]), *row) for row, own in alike.items()
            ],
        )
        yield _Section(
            title="what is compared: mean differences, more surprising minus less",
            facts={},
            names=("less surprising", "more surprising", "regions"),
            numbers=[*measures.contrasts[0].differences] if measures.contrasts else (),
            rows=[
                (
                    each.less.condition,
                    f"{each.more.condition}{'' if each.directed else ' (or less)'}",
                    " and ".join(
                        dict.fromkeys(map(_numbers, (each.less.regions, each.more.regions)))
                    ),
                    *(number_cell(value, sign="+") for value in each.differences.values()),
                )
                for each in measures.contrasts
            ],
        )
        shares = {
            name.replace("_", " "): number_cell(nan if share is None else share)
            for name, share in ((name, self.controls.get(name)) for name in _CONTROLS)
        }
        said = {
            "text of the n-grams": self.controls.get("text"),
            "notes": self.controls.get("notes"),
        }
        yield _Section(
            title="controls: items on which all predictions hold, of scorers that see no syntax",
            facts=_facts({**shares, **said}) if self.controls else {},
        )

    def _predictions_in_markdown(self) -> Iterator[str]:
        from pommel.report.markdown import markdown_text

        suite = self.suite
        for index, prediction in enumerate(suite.predictions):
            formula = printable(" ".join(short_text(prediction.formula).split()))
            code = f"`` {formula} ``" if "`" in formula else f"`{formula}`"
            words = prediction.formula.in_few_words(
                suite.region_names, metric=suite.metric_of(prediction)
            )
            # Conditions stand between asterisks.
            said = [markdown_text(line).replace("\\*", "*") for line in words]
            lines = [markdown_text(prediction.description), "<br>".join(said), code]
            yield f"{index}. " + "\n\n   ".join(filter(None, lines))

    def _item_in_markdown(self) -> Iterator[str]:
        from pommel.report.markdown import markdown_text

        # Of a whole sentence, nothing stands out.
        compared = self.suite.compared_cells
        for condition in self.item.conditions:
            regions = []
            for region in condition.regions:
                number = str(region.number).translate(_SUBSCRIPTS)
                text = f"[{markdown_text(region.text)}]{number}"
                is_critical = (condition.name, region.number) in compared
                regions.append(f"**{text}**" if is_critical else text)
            mark = "\\*" if condition.name in self.suite.unacceptable else ""
            context = f"{markdown_text(condition.context)} " if condition.context else ""
            yield f"- {markdown_text(condition.name)}: {mark}{context}{' '.join(regions)}"
            if gloss := _in_a_line(condition.as_written.get("gloss")):
                yield f"  - {markdown_text(gloss)}"


def _facts(found: Mapping[str, object]) -> dict[str, str]:
    """Return what is known of these facts, each in a line."""
    lines = ((term, _in_a_line(value)) for term, value in found.items())
    return {term: line for term, line in lines if line}


def _in_a_line(value: object) -> str:
    """Return a value, or those of a list, in one line; "" for none."""
    several = value if isinstance(value, list) else [value] if value else []
    return " ".join(", ".join(map(str, several)).split())


def _recipe(generator: object) -> str:
    """Say how a suite was generated, as far as its recipe does."""
    if not isinstance(generator, dict):
        return str(generator or "")
    sample = generator.get("sample")
    parts = [
        str(generator.get("kind") or ""),
        ", ".join(generator.get("files") or ()),
        f"{sample.get('n')} drawn with seed {sample.get('seed')}"
        if isinstance(sample, dict)
        else "all items",
        f"pommel {generator['pommel']}" if generator.get("pommel") else "",
    ]
    return "; ".join(filter(None, parts))


def _numbered(region: Region) -> str:
    return f"{region.number}: {region.text}"


def _numbers(regions: Sequence[int] | None) -> str:
    return "all" if regions is None else " + ".join(map(str, regions))


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return ", ".join(names[:_SHOWN_NAMES]) + more


def _n_cells(text: str) -> int:
    """Return how many cells of a terminal a text takes; rich is loaded only where it has to be."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _in_columns(rows: Sequence[Sequence[str]], n_numbers: int = 0) -> Iterator[str]:
    """Yield rows with their columns below each other, the last ones, of numbers, on the right."""
    widths = [max(map(_n_cells, column)) for column in zip(*rows, strict=True)]
    n_names = len(widths) - n_numbers
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - _n_cells(cell))
            cells.append(cell + blanks if place < n_names else blanks + cell)
        yield "  ".join(cells)
