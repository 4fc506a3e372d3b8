"""A board as a static site: pages that need no scripts and fetch nothing, a CSV and a JSON file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import PommelError, UsageError
from pommel.files.text import replacing
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.folder import BoardFolder
from pommel.leaderboard.standings import Pairs, Scored, Standing, Standings
from pommel.leaderboard.tables import DATE, rank_range, to_csv, to_json
from pommel.statistics import ALPHA

if TYPE_CHECKING:
    from jinja2 import Environment

# By this file a folder is known as one that may be written over.
MARK = "leaderboard.json"
_PAGES = "submissions"

# The plots of scores, in pixels, and how much room there is beside the axis.
_PLOT_WIDTH, _PLOT_MARGIN = 150, 6
_LINKS = ("https://", "http://")
# A page names so many submissions that it cannot be told from.
_MOST_NAMED = 40


def write_site(place: BoardFolder, folder: Path) -> int:
    """Write a board as a site, and return how many submissions have a page.

    The same board gives the same bytes. `folder` has to be new, empty, or a site that was written
    before, whose pages of submissions that are no longer ranked are deleted. Raises `UsageError`
    for another folder, and `PommelError` without the extra `plots` or where nothing can be written.
    """
    environment = _environment()
    if folder.exists() and (not folder.is_dir() or _is_others(folder)):
        raise UsageError(f"{folder}: holds other files; a site needs a folder of its own")
    board = place.board()
    ledger = place.ledger(board)
    standings = place.standings(board, ledger)
    ranked = place.entries(board, ledger)
    entries = {each.id: each for each in ranked}
    shared: dict[str, Any] = {"board": board, "ledger": ledger, "standings": standings}
    shared |= {"n_items": sum(each.n_items for each in board.suites), "range": rank_range}
    pages = dict(_pages(environment, shared, entries, place.pairs(board, ledger)))
    # The mark comes first: what follows may be written over, should it be cut short.
    _write(folder / MARK, to_json(board, ledger, standings, ranked))
    _write(folder / "leaderboard.csv", to_csv(board, ledger, standings))
    _write(folder / "style.css", _source(environment, "style.css"))
    for name, text in pages.items():
        _write(folder / name, text)
    for path in sorted((folder / _PAGES).glob("*.html")):
        if f"{_PAGES}/{path.name}" not in pages:
            path.unlink()
    return len(standings.rows)


def _pages(
    environment: "Environment",
    shared: Mapping[str, Any],
    entries: Mapping[str, Entry],
    pairs: Pairs,
) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each page."""
    standings: Standings = shared["standings"]
    ledger = shared["ledger"]
    low = min([row.total.low for row in standings.rows], default=0.0)
    high = max([row.total.high for row in standings.rows], default=1.0)
    ended = [each for each in ledger.submissions.values() if each.status != "ranked"]
    index = environment.get_template("index.html.j2")
    yield (
        "index.html",
        index.render(shared, entries=entries, ended=ended, plot=_plot_on(low, high), root=""),
    )
    page = environment.get_template("submission.html.j2")
    alike = _alike(standings, pairs)
    for row in standings.rows:
        entry, own = entries[row.id], alike[row.id]
        known = {"row": row, "entry": entry, "listed": ledger.submissions[row.id]}
        yield (
            f"{_PAGES}/{row.id}.html",
            page.render(
                shared,
                **known,
                alike=own[:_MOST_NAMED],
                n_alike=len(own),
                facts=_facts(entry),
                plot=_plot_on(0.0, 1.0),
                link=entry.url if entry.url.startswith(_LINKS) else "",
                root="../",
            ),
        )


def _alike(standings: Standings, pairs: Pairs) -> dict[str, list[Standing]]:
    """Return for each submission those that it cannot be told from, the best first."""
    places = {name: index for index, name in enumerate(pairs.ids)}
    differs = pairs.adjusted() < ALPHA
    return {
        row.id: [
            other
            for other in standings.rows
            if other is not row and not differs[places[row.id], places[other.id]]
        ]
        for row in standings.rows
    }


def _facts(entry: Entry) -> list[tuple[str, str]]:
    """Return what is known of a submission's model, and how it was scored."""
    model = entry.model
    n_parameters = model.get("n_parameters")
    policy = ", ".join(
        f"{name} {each}" for name, each in sorted(entry.policy.items()) if name != "fingerprint"
    )
    facts = [
        ("model", str(model["reference"])),
        ("kind", str(model["kind"])),
        ("revision", str(model.get("revision") or "")),
        ("image", entry.image_digest or ""),
        ("parameters", "" if n_parameters is None else f"{n_parameters:,}"),
        ("fingerprint", str(model["fingerprint"])),
        ("policy", policy),
        ("tokens", f"{entry.n_tokens:,}"),
        ("runs made", entry.created[:DATE]),
        ("packed by", f"pommel {entry.pommel}"),
    ]
    return [(term, text) for term, text in facts if text]


def _plot_on(low: float, high: float) -> Any:
    """Return what turns a score into the places of its marks on an axis from low to high."""
    span = (high - low) or 1.0
    inner = _PLOT_WIDTH - 2 * _PLOT_MARGIN

    def place(value: float) -> str:
        return f"{_PLOT_MARGIN + inner * (value - low) / span:.1f}"

    def plot(scored: Scored) -> dict[str, str]:
        marks = {"low": scored.low, "score": scored.score, "high": scored.high}
        return {**{name: place(each) for name, each in marks.items()}, "width": str(_PLOT_WIDTH)}

    return plot


def _is_others(folder: Path) -> bool:
    return any(folder.iterdir()) and not (folder / MARK).is_file()


def _environment() -> "Environment":
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    except ImportError:
        raise PommelError("the site needs the plots extra: pip install 'pommel[plots]'") from None
    environment = Environment(
        loader=PackageLoader("pommel.leaderboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"share": "{:.3f}".format, "date": lambda text: text[:DATE]}
    return environment


def _source(environment: "Environment", name: str) -> str:
    assert environment.loader  # noqa: S101 - it was made with one
    return environment.loader.get_source(environment, name)[0]


def _write(path: Path, text: str) -> None:
    # A stranger's text may hold half of a surrogate pair.
    with replacing(path) as aside:
        aside.write_bytes(text.encode("utf-8", "replace"))
