"""What the pages of a board's site show beside its ranking, and their texts.

They can be read without their script, which sorts and searches tables, and they fetch nothing.
"""

import base64
import csv
import hashlib
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pommel.errors import PommelError, UsageError, counted, quoted
from pommel.files import CsvTable
from pommel.leaderboard.board import Board, PinnedSuite
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.examples import SuiteExample
from pommel.leaderboard.standings import Comparisons, Standing, Standings, weighted_mean
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


class Places(NamedTuple):
    """Where the parts of a site are, as links on one of its pages say it.

    `root` stands before the names of files; `submissions` before ids and `suites` before keys, both
    with `ending` behind. The others are whole, `upload` and `suites_file` "" where submissions are
    to be sent, and suites to be had, in another way. `has_ended` is whether what is ranked no
    longer has a page.
    """

    root: str
    ranking: str
    json: str
    submissions: str
    suites: str
    ending: str = ".html"
    upload: str = ""
    suites_file: str = ""
    has_ended: bool = False

    @classmethod
    def in_folder(cls, folder: str) -> "Places":
        """Return those that a page in a folder of a static site has, "" for the outermost."""
        root = "../" if folder else ""
        submissions, suites = ("" if name == folder else f"{root}{name}/" for name in PLACES[1:])
        return cls(
            root=root,
            ranking=f"{root}index.html",
            json=f"{root}leaderboard.json",
            submissions=submissions,
            suites=suites,
        )


@cache
def site_environment(page: str = "") -> "Environment":
    """Return what makes pages of templates; raises `PommelError` without the extra `plots`.

    `page` is a template in the place of `page.html.j2`, which is around the content of each.
    """
    try:
        from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined
    except ImportError:
        needed = f"the site needs the plots extra: {PommelError.install('plots')}"
        raise PommelError(needed) from None
    # The script of tables is that of a report.
    rooms = [PackageLoader("pommel", f"{room}/templates") for room in ("leaderboard", "report")]
    own = [DictLoader({"page.html.j2": page})] if page else []
    environment = Environment(
        loader=ChoiceLoader([*own, *rooms]),
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
        "counted": counted,
    }
    script = environment.get_template("tables.js").render()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {"script": script, "script_sha256": digest}
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

    def within(
        self, *, circuit: str = "", language: str = "", before: "Pages | None" = None
    ) -> "Pages":
        """Return the pages of the ranking by the suites of a circuit and a language, "" for any.

        What was computed `before`, for the same suites, is not computed again. Raises `UsageError`
        where the board has no such suite.
        """
        ranking, whole = self.ranking, self.ranking.board
        own = self.parts(whole, circuit, language)
        suites = tuple(whole.suites[index] for index in own)
        used = {each.circuit for each in suites}
        circuits = {name: weight for name, weight in whole.circuits.items() if name in used}
        board = replace(whole, suites=suites, circuits=circuits)
        entries, head = [*self.entries.values()], ranking.ledger.ranking_head
        standings = Standings.of(board, entries, head, before.ranking.standings if before else None)
        if apart := {row.id for row in ranking.standings.apart}:
            standings = standings.setting_apart(apart)
        return replace(
            self,
            ranking=replace(ranking, board=board, standings=standings),
            examples=tuple(self.examples[index] for index in own),
        )

    @staticmethod
    def parts(board: Board, circuit: str, language: str) -> list[int]:
        """Return which suites of a board are of a circuit and in a language; raises as `within`."""
        found = [
            index
            for index, each in enumerate(board.suites)
            if circuit in {"", each.circuit} and language in {"", each.language}
        ]
        if not found:
            raise UsageError(
                f"no suite of the board is of the circuit {quoted(circuit)} and the language "
                f"{quoted(language)}"
            )
        return found

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
    def suite_key(suite: PinnedSuite) -> str:
        """Return what a suite's page is called."""
        return suite.sha256[:_ID_DIGITS]

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

    @property
    def names(self) -> list[str]:
        """What the pages are called."""
        return [
            *("index", "pairs", "submit"),
            *(f"{_SUBMISSIONS}/{row.id}" for row in self.ranking.rows),
            *(f"{_SUITES}/{self.suite_key(each)}" for each in self.ranking.board.suites),
        ]

    @staticmethod
    def file(name: str) -> str:
        """Return a file that pages have beside them: `style.css`, or the script `tables.js`."""
        return site_environment().get_template(name).render()

    def text(self, name: str, at: Places | None = None, *, around: str = "") -> str:
        """Return the text of a page by its name; raises `KeyError` for one that is not there.

        `at` says where its links lead, by themselves to the files of a static site; `around` is the
        template around it (`site_environment`). Raises `PommelError` without the extra `plots`.
        """
        folder, _, key = name.rpartition("/")
        own = self._of_submission(key) if folder == _SUBMISSIONS else {}
        if folder == _SUITES:
            own = self._of_suite(key)
        template = site_environment(around).get_template(f"{folder[:-1] or name}.html.j2")
        return template.render(
            pages=self,
            ranking=self.ranking,
            board=self.ranking.board,
            n_in_matrix=_MOST_IN_MATRIX,
            at=at or Places.in_folder(folder),
            **own,
        )

    def _of_submission(self, submission_id: str) -> Mapping[str, object]:
        """Return what the page of a submission shows."""
        index = self._places[submission_id]
        row = self.ranking.rows[index]
        return {
            "row": row,
            "entry": self.entries[row.id],
            "listed": self.ranking.listed(row),
            "compared": self.compared(index) if row.rank else [],
        }

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {row.id: index for index, row in enumerate(self.ranking.rows)}

    def _of_suite(self, key: str) -> Mapping[str, object]:
        """Return what the page of a suite shows."""
        suites = self.ranking.board.suites
        index = [*map(self.suite_key, suites)].index(key)
        return {
            "pinned": suites[index],
            "example": self.examples[index],
            "rows": self.on_suite(suites[index]),
        }


@cache
def _interval(counts: tuple[int, ...]) -> Interval:
    """Return the interval of a mean of items; so many of them hold in 0, 1, 2, ... predictions."""
    values = np.repeat(np.linspace(0, 1, len(counts)), counts)
    return Interval.of_means([values.tolist()])
