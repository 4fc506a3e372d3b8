"""The page of a study: each table as printed, as recomputed, and of the models just scored."""

import base64
import datetime as dt
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import PommelError, package_version
from pommel.files import write_text
from pommel.studies.steps import REPORT, Asked, Step
from pommel.studies.study import Study, Table, at_scale
from pommel.studies.values import StudyValue
from pommel.values import frozen

if TYPE_CHECKING:
    from jinja2 import Environment

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
        by_row: dict[tuple[str, ...], dict[str, StudyValue]] = {}
        for each in self.values:
            row = tuple(each.keys[key] for key in self.row_keys)
            by_row.setdefault(row, {})[each.keys.get(self.table.across, "")] = each
        return [
            (
                [*row],
                [
                    self._cell(own[group], kind) if group in own else _Cell()
                    for group in self.groups
                    for kind in self.kinds
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
        n_decimals = len(value.printed.partition(".")[2]) if value.printed else self.table.decimals
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
    asked: Asked,
    steps: Sequence[tuple[Step, float | None]],
    values: Sequence[StudyValue],
    path: Path,
) -> None:
    """Write the page of a study: one file, which fetches nothing and runs no script.

    `steps` are told with the seconds that they took, None for one that was left out. Figures are
    those beside the page. Raises `PommelError` without the extra `plots`.
    """
    if find_spec("jinja2") is None:
        raise PommelError("pages need the plots extra: pip install 'pommel[plots]'")
    tables = [
        ShownTable(table=table, values=own)
        for table in study.tables
        if at_scale(table, asked.scale)
        and (own := [each for each in values if each.table == table.name])
    ]
    figures = [
        (each, _picture(path.parent / "figures" / f"{each.name}.svg"))
        for each in study.figures
        if (path.parent / "figures" / f"{each.name}.svg").exists()
    ]
    page = (
        _environment()
        .get_template("study.html.j2")
        .render(
            study=study,
            asked=asked,
            scale=study.scales[asked.scale],
            first_words=_first_words(asked, [step for step, _ in steps]),
            tables=tables,
            figures=figures,
            steps=steps,
            report=REPORT if (path.parent / REPORT).exists() else "",
            style=(files("pommel.report") / "page/templates/report.css").read_text("utf-8"),
            version=package_version("pommel"),
            written=f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC",
        )
    )
    write_text(path, page)


def _first_words(asked: Asked, steps: Sequence[Step]) -> str:
    generated = [
        step.name.removeprefix("text-")
        for step in steps
        if step.name.startswith("text-") and step.words[0] == "generate"
    ]
    if not generated:
        return ""
    return _MIXED.format(languages=", ".join(generated)) if asked.corpora else _CIRCULAR


def _picture(path: Path) -> str:
    """Return an SVG as an address that is its content: its styles and names stay its own."""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pommel.studies"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
