"""The studies that ship with pommel at their smallest: killed once, gone on with, looked at."""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.report.page.browser import Browser, barriers

from pommel.sources import PublishedSource
from pommel.studies import Study
from pommel.studies.study import at_scale, words_at

pytestmark = pytest.mark.full

# Each is killed when so many of its steps are done.
N_BEFORE = 2


@pytest.fixture(scope="module", name="cache")
def cache_with_published_results(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A cache with the published results and suites that are beside the checkout."""
    cache = tmp_path_factory.mktemp("cache")
    folder = cache / "hu2020" / PublishedSource.named("hu2020").commit
    shutil.copytree(shared_data / "hu2020" / "per_item", folder / "data" / "raw" / "sg_results")
    shutil.copytree(shared_data / "hu2020" / "suites", folder / "test_suites" / "json")
    shutil.copy(shared_data / "hu2020" / "LICENSE", folder)
    return cache


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the values of a study."""
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def counted_in_docs(repository: Path) -> Mapping[tuple[str, str], list[int]]:
    """Return how many values are equal, differ and are not computable, as the page has them."""
    page = (repository / "docs" / "studies.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)`, (.+?) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    return {(study, table): [*map(int, counts)] for study, table, *counts in rows}


@pytest.mark.parametrize("name", sorted(Study.shipped()))
def test_the_scale_of_the_paper_is_told_before_anything_is_done(
    name: str, cache: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pommel", "reproduce", name, "--scale", "paper"]
    shown = subprocess.run(
        [*command, "--offline", "--dry-run", "-o", "done"],
        cwd=tmp_path,
        env=os.environ | {"POMMEL_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    n_plans = shown.stdout.count("pommel plan make ")
    # Shards of suites that are in no cache are told when these can be fetched.
    unknown = re.findall(r"^plan-\d+: .+--offline", shown.stdout, re.MULTILINE)
    assert shown.stdout.count(" of work, ") + len(unknown) == n_plans
    assert name not in ("hu2020", "syntaxgymes") or not unknown
    # What it takes is told: shards where public models run, hours where models are trained.
    assert n_plans or "trainings may take" in shown.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", sorted(Study.shipped()))
def test_a_study_goes_on_after_a_crash_and_ends_in_its_page(
    name: str, cache: Path, tmp_path: Path, repository: Path, browser: Browser
) -> None:
    command = [sys.executable, "-m", "pommel", "reproduce", name, "--offline", "-o", "done"]
    environment = os.environ | {"POMMEL_CACHE": str(cache)}
    killed = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    )
    steps = tmp_path / "done" / "steps"
    while sum('"seconds"' in path.read_text("utf-8") for path in steps.glob("*.json")) < N_BEFORE:
        assert killed.poll() is None
        time.sleep(0.1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "done" / "index.html").exists()
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"done: [1-9][0-9]* of [0-9]+ steps done already", ended.stderr)
    assert ended.stdout == "done/index.html\n"

    study, values = Study.named(name), rows_of(tmp_path / "done" / "values.csv")
    tables = [each for each in study.tables if at_scale(each, "tiny")]
    assert {each["table"] for each in values} == {each.name for each in tables}
    # What differs, or cannot be computed, says why.
    assert all(each["why"] for each in values if each["verdict"] in ("differs", "not computable"))
    told = counted_in_docs(repository)
    for table in tables:
        own = [each for each in values if each["table"] == table.name]
        # What is printed stands beside what this study's models have, if there is a statistic.
        if words_at(table.own, "tiny"):
            assert any(each["own"] for each in own), table.name
        verdicts = Counter(each["verdict"] for each in own)
        if words_at(table.own, "tiny") and not (table.printed or table.published):
            assert all(each["own"] for each in own)
        if table.printed and name != "gevalm":
            counts = [verdicts[each] for each in ("equal", "differs", "not computable")]
            assert told[name, table.title] == counts

    browser.look(width=1280)
    browser.open(tmp_path / "done" / "index.html")
    page = browser.page
    first = page.locator("main > *").first.inner_text()
    assert first.startswith("The models of this page were trained on text that pommel generates")
    assert page.locator("section table").count() > len(tables)
    shown = [
        each
        for each in study.figures
        if at_scale(each, "tiny") and (each.of == "own" or name in ("clams", "multilingual"))
    ]
    assert page.locator("img.figure").count() == len(shown)
    # Every picture is drawn, and what is wider than the page scrolls by itself.
    assert browser.value("[...document.images].every(each => each.naturalWidth > 0)")
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    assert browser.complaints() == browser.requests()[1:] == []
    assert barriers(page) == []
