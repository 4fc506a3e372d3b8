"""The page of a study: each table as printed, as recomputed, and of the models just scored."""

import base64
import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path

from pommel.errors import package_version
from pommel.files import write_text
from pommel.report import page_environment
from pommel.studies.steps import REPORT, StudySteps
from pommel.studies.study import Study, Table
from pommel.studies.values import StudyValue
from pommel.values import frozen

# What stands first on a page whose models know nothing but text that pommel has made.
_CIRCULAR = (
    "The models of this page were trained on text that pommel generates, from grammars with words "
    "and constructions of the suites that test them: that is circular. Their numbers show that "
    "every step works, and say nothing about a language or about what models learn from one."
)
_MIXED = (
    "Some models of this page were trained on text that pommel generates ({languages}), which is "
    "circular: their numbers say nothing about these languages."
)
_SOURCES = {"recomputed": "recomputed", "own": "here"}


@frozen
class _Cell:
    text: str = ""
    kind: str = ""
    why: str = ""


@frozen(slots=False)
class ShownTable:
    """A table as the page has it: rows by the keys that are not `across`, cells for each column."""

    table: Table
    values: Sequence[StudyValue]

    @property
    def row_keys(self) -> list[str]:
        """The keys that tell rows apart."""
        return [key for key in self.table.keys if key != self.table.across]

    @property
    def groups(self) -> list[str]:
        """The values of the key that is across; one without a name where there is none."""
        across = self.table.across
        return [*dict.fromkeys(each.keys[across] for each in self.values)] if across else [""]

    @property
    def kinds(self) -> list[str]:
        """What each group has columns of: those of which there is a value."""
        has = {
            "printed": any(each.printed for each in self.values),
            "recomputed": any(each.recomputed is not None for each in self.values),
            "own": any(each.own is not None for each in self.values),
        }
        return [kind for kind, is_there in has.items() if is_there]

    @property
    def heads(self) -> list[str]:
        """What the columns of a group are called."""
        own = {**_SOURCES, "printed": self.table.printed_head}
        return [own[kind] for kind in self.kinds]

    @property
    def rows(self) -> list[tuple[list[str], list[_Cell]]]:
        """Each row: its keys, and a cell for each group and kind."""
        groups, kinds = self.groups, self.kinds
        by_row: dict[tuple[str, ...], dict[str, StudyValue]] = {}
        for each in self.values:
            row = tuple(each.keys[key] for key in self.row_keys)
            by_row.setdefault(row, {})[each.keys.get(self.table.across, "")] = each
        return [
            (
                [*row],
                [
                    self._cell(own[group], kind) if group in own else _Cell()
                    for group in groups
                    for kind in kinds
                ],
            )
            for row, own in by_row.items()
        ]

    def _cell(self, value: StudyValue, kind: str) -> _Cell:
        if kind == "printed":
            return _Cell(text=value.printed)
        number = value.recomputed if kind == "recomputed" else value.own
        if number is None:
            return _Cell()
        n_decimals = value.n_decimals if value.printed else self.table.decimals
        differs = kind == "recomputed" and value.verdict == "differs"
        # One digit more shows by how much.
        text = f"{number:.{n_decimals + differs}f}"
        return _Cell(text=text, kind=value.verdict if kind == "recomputed" else "", why=value.why)

    @property
    def counts(self) -> dict[str, int]:
        """How many values are equal, differ, and are not computable."""
        return StudyValue.counts(self.values)

    @property
    def whys(self) -> dict[str, list[str]]:
        """Each reason that is given, with the rows that it is about."""
        found: dict[str, list[str]] = {}
        for each in self.values:
            if each.why:
                found.setdefault(each.why, []).append(", ".join(each.keys.values()))
        return found


def write_page(
    study: Study,
    plan: StudySteps,
    seconds: Mapping[str, float],
    values: Sequence[StudyValue],
    path: Path,
) -> None:
    """Write the page of a study: one file, which fetches nothing and runs no script.

    `seconds` are those that steps took, by name; what has none was left out. Figures are those
    beside the page. Raises `PommelError` without the extra `plots`.
    """
    environment = page_environment("pommel.studies")
    tables = [
        ShownTable(table=table, values=own)
        for table in study.tables
        if (own := [each for each in values if each.table == table.name])
    ]
    figures = [
        (each, _picture(picture))
        for each in study.figures
        if (picture := path.parent / each.file).exists()
    ]
    page = environment.get_template("study.html.j2").render(
        study=study,
        asked=plan.asked,
        scale=study.scales[plan.asked.scale],
        first_words=_first_words(plan),
        tables=tables,
        figures=figures,
        steps=plan.steps,
        seconds=seconds,
        report=REPORT if (path.parent / REPORT).exists() else "",
        version=package_version("pommel"),
        written=f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC",
    )
    write_text(path, page)


def _first_words(plan: StudySteps) -> str:
    if not plan.generated:
        return ""
    return _MIXED.format(languages=", ".join(plan.generated)) if plan.asked.corpora else _CIRCULAR


def _picture(path: Path) -> str:
    """Return an SVG as an address that is its content: its styles and names stay its own."""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"
