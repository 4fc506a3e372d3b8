"""Benchmarks run on little, and print the figures that they say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

COSTS = r" +\d+\.\d\d s +\d+ MB   pommel "
READ = r" +\d+\.\d MB +\d+\.\d\d s +\d+\.\d MB/s\n"
FOUND = r"   \d\.\d{3} s   "
GENERATED = r" sentences +\d+\.\d\d s +[\d,]+ sentences/s   peak +\d+ MB\n"
ARPA = r" +load +\d+\.\d\d s   peak +\d+ MB \(before: \d+ MB\) +[\d,]+ words/s   "


def printed(repository: Path, script: str, *options: str | Path) -> str:
    """Return what a benchmark prints."""
    command = [sys.executable, "-m", f"benchmarks.{script}", *map(str, options)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    return done.stdout


def test_generation(repository: Path) -> None:
    """Few and many of each engine, with as many sentences as it says."""
    few = ("200", "2,000")
    # Pairs: two sentences; sets of a design: seven, 36 of them a template.
    lines = (rf"\{each} +{n}{GENERATED}" for each in (".avg", ".cfg", ".template") for n in few)
    text = printed(repository, "generation", "--pairs", "1000")
    found = re.fullmatch("".join(lines) + rf"\.design +([\d,]+){GENERATED}" * 2, text)
    assert found
    assert all(int(count.replace(",", "")) % (36 * 7) == 0 for count in found.groups())


def test_models_that_are_held_with_a_store_and_without(repository: Path) -> None:
    """Scores are the same with a store and without."""
    options = ("--models", "2", "--suites", "suites:en/garden-path-effects")
    line = re.compile(
        r"2 models   12 runs   peak \d+ MB when loaded, \d+ MB when run, \d+ MB with the scores   "
        r"\d\.\d\d s a model, \d\.\d s for the scores   ([0-9a-f]{12})\n"
    )
    with_store, without = (
        line.fullmatch(printed(repository, "many_models", *options, *more))
        for more in ([], ["--no-store"])
    )
    assert with_store
    assert without
    assert with_store[1] == without[1]


def test_readers_of_ngrams(repository: Path) -> None:
    """Both readers find the same."""
    text = printed(repository, "ngram", "--megabytes", "1", "--sentences", "50")
    assert re.fullmatch(
        r"\d MB, n-grams of order 1 to 4: [\d,]+, [\d,]+, [\d,]+, [\d,]+\n"
        rf"python{ARPA}(\d+\.\d{{4}}) bits/word\nkenlm{ARPA}\1 bits/word\n",
        text,
    )


def test_a_report(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    found = re.fullmatch(
        r"built     2 models x 1 suites   \d+\.\d s\n"
        r"size      (\d\.\d) MB\n"
        r"opened    (?:not at all: no Chromium is installed\n|load event \d+\.\d s   "
        r"first chart \d+\.\d s   [\d,]+ elements\n"
        r"a suite   its curves \d+\.\d s after it was chosen\n)",
        printed(repository, "report", "--models", "2", "--suites", "1", "--output", path),
    )
    assert found
    assert found[1] == f"{path.stat().st_size / 2**20:.1f}"


def test_a_store(repository: Path) -> None:
    found = re.fullmatch(
        r"kept      4,000 sentences   [\d,]+ sentences/s\n"
        r"on disk   \d\.\d MB   (\d+\.\d) bytes/token   \d+ bytes/sentence\n"
        + "".join(
            f"{state}      3,304 sentences{FOUND}{where}\n"
            for where in ("together", "all over")
            for state in ("cold", "warm")
        ),
        printed(repository, "store", "--sentences", "4000"),
    )
    assert found
    # With texts, indices and all.
    assert float(found[1]) < 35


@pytest.mark.full
def test_runs_that_are_read_from_the_cache(repository: Path) -> None:
    pytest.importorskip("transformers")
    models = ("huggingface://step-0", "builtin://en-gpt2", "builtin://en-ngram")
    assert re.fullmatch(
        "".join(
            rf"first +\d+\.\d\d s   again +\d+\.\d\d s   {re.escape(model)}\n"
            for model in (*models, "huggingface://step-*")
        ),
        printed(repository, "cached_run", "--checkpoints", "2"),
    )


@pytest.mark.full
def test_commands_on_many_runs(repository: Path) -> None:
    assert re.fullmatch(
        r"made       30 runs   \d+\.\d s   \d+ MB\n"
        rf"{COSTS}runs list\n"
        rf"{COSTS}stats accuracy --by circuit\n"
        rf"{COSTS}stats training\n"
        rf"{COSTS}report --table md\n"
        rf"{COSTS}report -o page.html\n"
        rf"({COSTS}runs merge \S+ --store merged\.sqlite\n){{2}}"
        r"opened    .*\n",
        printed(repository, "many_runs", "--models", "10", "--suites", "3"),
    )


@pytest.mark.full
def test_suites_that_are_read(repository: Path) -> None:
    names = ["json.loads, made-up", "made-up", "made-up, evaluated"]
    names += ["json.loads, shipped", "shipped", "pommel validate"]
    assert re.fullmatch(
        "".join(f"{name}{READ}" for name in names) + r"sum      [0-9a-f]{64}\n",
        printed(repository, "reading", "--files", "2", "--items", "3"),
    )
