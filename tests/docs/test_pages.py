"""What README, CONTRIBUTING and docs/ show is what comes out, block by block.

`python -m tests.docs.refresh PAGE...` writes what comes out now into a page.
"""

from pathlib import Path

import pytest
from tests.docs.pages import Page, pages
from tests.docs.prepared import PUBLISHED, parts
from tests.docs.running import PageError, Workplace

PAGES = {page.name: page for page in pages()}
# Those that have parts with published data, or long ones; one of them has a test of its own.
FULL = [
    name
    for name, page in PAGES.items()
    if name != "docs/reproducing.md" and any(part.is_full for part in parts(page))
]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is read or written."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "POMMEL_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(PAGES[name], tmp_path, monkeypatch, full=False)


@pytest.mark.full
@pytest.mark.timeout(900)  # all of a page's commands, one after another
@pytest.mark.parametrize("name", FULL)
def test_what_a_page_shows_of_published_data(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared_data == PUBLISHED
    check(PAGES[name], tmp_path, monkeypatch, full=True)


def check(page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch, *, full: bool) -> None:
    """Run the parts of a page, and report all that comes out otherwise."""
    wrong: list[str] = []
    for number, part in enumerate(parts(page)):
        if part.is_full != full:
            continue
        place = Workplace(folder=folder / f"part{number}")
        place.folder.mkdir()
        monkeypatch.setenv("POMMEL_STORE", str(place.folder / "store.sqlite"))
        with place.until_done:
            part.prepare(place)
            for block in part.blocks:
                try:
                    place.run(block)
                except (PageError, ValueError) as error:
                    wrong.append(str(error))
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)
