"""What a large leaderboard costs: seconds for add, show, export, and for ranking it anew.

    python -m benchmarks.leaderboard [--submissions 500] [--suites 33] [--output FOLDER]

A board of shipped English suites. All submissions but one are simulated: they have entries in the
ledger and results, right in a share of items that differs from one to the next, and no archive. The
last is a real one, of the built-in n-gram model, which `pommel leaderboard add` reads, computes and
ranks among the others. `show` is timed as a process of its own.
"""

import argparse
import base64
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from pommel.leaderboard import BoardFolder, BoardPlan
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.ledger import Ledger
from pommel.models.model import Policy
from pommel.sources.load import load_suites
from pommel.suite.suite import Suite

WHEN = "2026-01-01T00:00:00+00:00"


def main() -> None:
    """Print a line a command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--suites", type=int, default=33)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = chosen.output or Path(folder)
        run(work, chosen.submissions, chosen.suites)


def run(work: Path, n_submissions: int, n_suites: int) -> None:
    """Make a board in a folder, and time what is done with it."""
    shipped = load_suites(["suites:en"]).suites
    # More than there are come again under other names.
    suites = [
        each
        if n < len(shipped)
        else replace(each, name=f"{each.name}-{n}", meta={**each.meta, "name": f"{each.name}-{n}"})
        for n, each in enumerate(islice(cycle(shipped), n_suites))
    ]
    place = BoardFolder(work / "board")
    board = place.make(suites, BoardPlan(name="Simulated"), when=WHEN, by="simulation")
    packed = real_submission(work, [each.file for each in board.suites], place.folder)
    fill(place, board, n_submissions - 1, [n_named_regions(each) for each in suites])
    timed("ranked anew", lambda: rank(place, board))
    timed("add", lambda: pommel("leaderboard", "add", place.folder, packed))
    timed("show", lambda: pommel("leaderboard", "show", place.folder))
    timed("show csv", lambda: pommel("leaderboard", "show", place.folder, "--format", "csv"))
    timed("export", lambda: pommel("leaderboard", "export", place.folder, "-o", work / "site"))
    n_bytes = sum(each.stat().st_size for each in (work / "site").rglob("*") if each.is_file())
    print(f"the site has {n_bytes / 2**20:.1f} MiB")


def real_submission(work: Path, files: list[str], folder: Path) -> Path:
    """Run the n-gram model on the board's suites, and pack that."""
    store = ("--store", work / "store.sqlite")
    path = work / "en-ngram.pommel.zip"
    pommel("run", "builtin://en-ngram", *(folder / each for each in files), *store)
    pommel("submit", "--by", "simulation", "-o", path, *store)
    return path


def n_named_regions(suite: Suite) -> int:
    """Return how many regions of how many conditions the predictions of a suite name."""
    predictions = [each.formula.references for each in suite.predictions]
    return len({(each.condition, each.region) for one in predictions for each in one})


def fill(place: BoardFolder, board: Board, n_submissions: int, n_regions: list[int]) -> None:
    """Put simulated submissions on a board; `n_regions` are those that its suites name."""
    generator = np.random.default_rng(0)
    policy = {**Policy().to_dict(), "fingerprint": Policy().fingerprint}
    ledger = place.ledger(board)
    place.entry_file("x").parent.mkdir(exist_ok=True)
    for number in range(n_submissions):
        skills = generator.beta(8, 3) + generator.normal(0, 0.12, len(board.suites))
        skills = np.clip(skills, 0.02, 0.98)
        entry = simulated(board, number, skills, n_regions, generator, policy)
        place.entry_file(entry.id).write_text(entry.to_text())
        ledger = added(ledger, entry)
    place.ledger_file.write_text(ledger.text)


def simulated(  # noqa: PLR0913, PLR0917 - what it is made of
    board: Board,
    number: int,
    skills: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    n_regions: list[int],
    generator: np.random.Generator,
    policy: dict[str, str],
) -> Entry:
    """Return an entry that holds in a share of each suite's items."""
    sha256 = hashlib.sha256(str(number).encode()).hexdigest()
    n_holding = {
        each.sha256: (generator.random(each.n_items) < skill).astype(int).tolist()
        for each, skill in zip(board.suites, skills, strict=True)
    }
    sums = {
        each.sha256: generator.gamma(2, 5, (n, each.n_items)).astype("<f4").tobytes()
        for each, n in zip(board.suites, n_regions, strict=True)
    }
    return Entry(
        id=sha256[:16],
        content_sha256=sha256,
        name=f"model-{number:03}",
        by=f"Group {number % 37}",
        url="https://example.org",
        note="",
        created=WHEN,
        pommel="0",
        model={
            # As if its weights could be had: what is listed apart is compared with nothing.
            "reference": f"huggingface://simulated/model-{number:03}",
            "revision": "0" * 40,
            "name": f"model-{number:03}",
            "kind": "huggingface",
            "fingerprint": sha256,
            "n_parameters": 7 * 10**6 * (number + 1) if number % 3 else None,
        },
        image_digest=None,
        policy=policy,
        n_tokens=40_000,
        n_predictions=dict.fromkeys(n_holding, 1),
        n_holding=n_holding,
        n_swallowed=dict.fromkeys(n_holding, 0),
        named_sums={name: base64.b64encode(each).decode() for name, each in sums.items()},
    )


def added(ledger: Ledger, entry: Entry) -> Ledger:
    """Return the ledger with the addition of an entry."""
    known = {
        "id": entry.id,
        "file_sha256": entry.content_sha256,
        "content_sha256": entry.content_sha256,
        "supersedes": [],
    }
    return ledger.with_event("added", known, when=WHEN, by="simulation")


def rank(place: BoardFolder, board: Board) -> None:
    """Rank all submissions, with nothing to go by, and keep that."""
    ledger = place.ledger(board)
    place.write_standings(board, ledger, place.entries(board, ledger))


def pommel(*arguments: str | Path) -> None:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "pommel", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command


def timed(what: str, done: Callable[[], None]) -> None:
    """Print how long something takes."""
    began = time.perf_counter()
    done()
    print(f"{what:12} {time.perf_counter() - began:6.2f} s", flush=True)


if __name__ == "__main__":
    main()
