"""Write what comes out now into pages: `python -m tests.docs.refresh docs/store.md...`.

Only the output of commands that print something else than their page shows is written, and all of
it: what is to be elided is elided by hand. Parts with published data are left alone where there is
none.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.docs.pages import REPOSITORY, Block, Shown, page_of, steps
from tests.docs.prepared import PUBLISHED, parts
from tests.docs.running import PageError, Workplace


def refresh(path: Path) -> None:
    """Write a page again."""
    page = page_of(path)
    text = page.text
    for part in parts(page):
        if part.is_full and not PUBLISHED.is_dir():
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Workplace(folder=Path(folder))
            os.environ["POMMEL_STORE"] = str(place.folder / "store.sqlite")
            with place.until_done:
                part.prepare(place)
                for block in part.blocks:
                    text = _refreshed(text, block, place)
    path.write_text(text, "utf-8")


def _refreshed(text: str, block: Block, place: Workplace) -> str:
    for step in steps(block):
        if not isinstance(step, Shown) or not step.lines or step.is_part:
            place.step(step, block.place)
            continue
        outcome = place.command(step.command)
        try:
            place.compare(step, outcome)
        except PageError:
            printed = outcome.output.rstrip("\n").split("\n")
            text = text.replace(
                _indented(step.lines, block.indent), _indented(printed, block.indent)
            )
    return text


def _indented(lines: Sequence[str], indent: str) -> str:
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


if __name__ == "__main__":
    for each in sys.argv[1:]:
        refresh(REPOSITORY / each)
