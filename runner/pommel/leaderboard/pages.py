"""What the pages of a board's site show beside its ranking, and their texts.

They can be read without their script, which sorts and searches tables, and they fetch nothing.
"""

import base64
import csv
import hashlib
import io
import math
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pommel.errors import PommelError
from pommel.files import CsvTable
from pommel.leaderboard.board import PinnedSuite
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.examples import SuiteExample
from pommel.leaderboard.standings import Comparisons, Standing, weighted_mean
from pommel.statistics import Interval
from pommel.values import frozen

if TYPE_CHECKING:
    from jinja2 import Environment

    from pommel.leaderboard.site import Ranking

# The folders of a site; names of files are the beginnings of hashes.
_SUBMISSIONS, _SUITES = "submissions", "suites"
PLACES = (".", _SUBMISSIONS, _SUITES)
_ID_DIGITS = 16

# So many colours there are in style.css.
_N_COLOURS = 7
# More columns are read by nobody; `pairs.csv` has all.
_MOST_IN_MATRIX = 60
_MOST_COMPARED = 50
_DIGITS = 6
# What of a time is its date.
DATE = 10
# For what is not known.
NOTHING = "\N{EN DASH}"


def site_environment() -> "Environment":
    """Return what makes pages of templates; raises `PommelError` without the extra `plots`."""
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise PommelError("the site needs the plots extra: pip install 'pommel[plots]'") from None
    # The script of tables is that of a report.
    rooms = [PackageLoader("pommel", f"{room}/templates") for room in ("leaderboard", "report")]
    environment = Environment(
        loader=ChoiceLoader(rooms),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "share": _share,
        "date": _date,
        "size": _size,
        "points": _points,
    }
    return environment


def _share(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{share:.3f}"


def _date(time: str) -> str:
    return time[:DATE]


def _size(n: int | None) -> str:
    """Return a number of parameters as people say it, such as "124.4M"; a dash for none."""
    for unit, name in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k")):
        if n is not None and n >= unit:
            return f"{n / unit:,.1f}".removesuffix(".0") + name
    return NOTHING if n is None else str(n)


def _points(share: float) -> str:
    """Return a difference of two shares in hundredths, with its sign."""
    text = f"{100 * share:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of a CSV file, with texts in quotation marks; cells are as they are to be."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerows(lines)
    return text.getvalue()


class Compared(NamedTuple):
    """How far a submission is from another: its score minus that one's.

    `p` is adjusted for all its comparisons; `verdict` is that of `Comparisons`.
    """

    other: Standing
    difference: float
    low: float
    high: float
    p: float
    verdict: str


class OnSuite(NamedTuple):
    """What a submission comes to on one suite."""

    row: Standing
    score: float
    interval: Interval
    n_swallowed: int


@frozen(slots=False)
class Pages:
    """What the pages of a site show; `entries` are by id, `examples` as the board's suites."""

    ranking: "Ranking"
    entries: Mapping[str, Entry]
    examples: tuple[SuiteExample, ...]

    @cached_property
    def comparisons(self) -> Comparisons:
        """How far apart those are that are ranked, in their order."""
        standings = self.ranking.standings
        ids = [row.id for row in standings.rows]
        entries = [self.entries[each] for each in ids]
        return Comparisons.of(self.ranking.board, entries, standings.pairs.of(ids))

    @cached_property
    def colours(self) -> Mapping[str, int]:
        """The number of each circuit's colour; there are only so many."""
        return {name: place % _N_COLOURS for place, name in enumerate(self.ranking.board.circuits)}

    def matrix_row(self, row: int) -> list[tuple[float, str]]:
        """Return how far one that is ranked is from the first ones, and what that tells."""
        found = self.comparisons
        differences = found.difference[row, :_MOST_IN_MATRIX].tolist()
        return [(each, found.verdict(row, column)) for column, each in enumerate(differences)]

    @cached_property
    def chances(self) -> Mapping[str, float]:
        """What comes out by chance, by circuit; as "" the score. NaN where it is not known."""
        suites = self.ranking.board.suites
        of_circuit = {}
        for name in self.ranking.board.circuits:
            own = [i for i, suite in enumerate(suites) if suite.circuit == name]
            of_circuit[name] = weighted_mean(
                [self.examples[i].chance for i in own], [suites[i].weight for i in own]
            )
        weights = [*self.ranking.board.circuits.values()]
        return {**of_circuit, "": weighted_mean([*of_circuit.values()], weights)}

    def compared(self, index: int) -> list[Compared]:
        """Return one that is ranked against those around it, the best first."""
        rows, found = self.ranking.standings.rows, self.comparisons
        start = max(0, min(index - _MOST_COMPARED // 2, len(rows) - 1 - _MOST_COMPARED))
        return [
            Compared(
                other=rows[place],
                difference=float(found.difference[index, place]),
                low=float(found.low[index, place]),
                high=float(found.high[index, place]),
                p=float(found.p[index, place]),
                verdict=found.verdict(index, place),
            )
            for place in range(start, min(start + 1 + _MOST_COMPARED, len(rows)))
            if place != index
        ]

    def on_suite(self, suite: PinnedSuite) -> list[OnSuite]:
        """Return what all come to on a suite, the best first."""
        found = []
        for row in self.ranking.rows:
            entry = self.entries[row.id]
            n_predictions = entry.n_predictions[suite.sha256]
            counts = np.bincount(entry.n_holding[suite.sha256], minlength=n_predictions + 1)
            interval = _interval(tuple(counts.tolist()))
            found.append(
                OnSuite(row, row.suites[suite.sha256], interval, row.n_swallowed[suite.sha256])
            )
        return sorted(found, key=lambda each: -each.score)

    @staticmethod
    def suite_page(suite: PinnedSuite) -> str:
        """Return where a suite's page lies in the site."""
        return f"{_SUITES}/{suite.sha256[:_ID_DIGITS]}.html"

    def pairs_csv(self) -> str:
        """Return one line a pair of those that are ranked, the better first."""
        found = self.comparisons
        rows = [
            (row.id, CsvTable.spreadsheet_cell(row.name)) for row in self.ranking.standings.rows
        ]
        lines: list[tuple[object, ...]] = [
            ("id", "model", "other_id", "other_model", "difference", "low", "high", "p", "other_p")
        ]
        for (i, one), (j, other) in combinations(enumerate(rows), 2):
            numbers = (found.difference[i, j], found.low[i, j], found.high[i, j])
            ps = (found.p[i, j], found.p[j, i])
            lines.append((*one, *other, *(round(float(each), _DIGITS) for each in (*numbers, *ps))))
        return csv_text(lines)

    def texts(self, environment: "Environment") -> dict[str, str]:
        """Return the text of each page by its name."""
        ranking, script = self.ranking, environment.get_template("tables.js").render()
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        environment.globals |= {
            "pages": self,
            "ranking": ranking,
            "board": ranking.board,
            "script": script,
            "script_sha256": digest,
            "n_in_matrix": _MOST_IN_MATRIX,
        }
        files = {
            name: environment.get_template(f"{name}.j2").render(root="")
            for name in ("index.html", "pairs.html", "submit.html")
        }
        page = environment.get_template("submission.html.j2")
        for index, row in enumerate(ranking.rows):
            files[f"{_SUBMISSIONS}/{row.id}.html"] = page.render(
                row=row,
                entry=self.entries[row.id],
                listed=ranking.listed(row),
                compared=self.compared(index) if row.rank else [],
                root="../",
            )
        page = environment.get_template("suite.html.j2")
        for suite, example in zip(ranking.board.suites, self.examples, strict=True):
            files[self.suite_page(suite)] = page.render(
                pinned=suite, example=example, rows=self.on_suite(suite), root="../"
            )
        return files


@cache
def _interval(counts: tuple[int, ...]) -> Interval:
    """Return the interval of a mean of items; so many of them hold in 0, 1, 2, ... predictions."""
    values = np.repeat(np.linspace(0, 1, len(counts)), counts)
    return Interval.of_means([values.tolist()])
