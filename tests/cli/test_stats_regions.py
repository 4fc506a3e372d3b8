"""`pommel stats regions`: a tidy row a region, for lme4 and others."""

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from tests.analysis.lme4 import is_there
from tests.builders import suite_value
from tests.cli.samples import Pommel

from pommel.analysis.regions import REGION_COLUMNS

ITEMS = [
    {"x_1": ("the old dog", "barks", ""), "y_1": ("a", "dog", "bark s")},
    {"x_1": ("the cat", "meows", "."), "y_1": ("a", "cat", "meow")},
]


@pytest.fixture
def in_store(pommel: Pommel, tmp_path: Path) -> Path:
    """A suite has run on a model."""
    value = suite_value(ITEMS, ["(2;%x_1%) < (3;%y_1%)"], name="s", language="eu")
    value["items"][0]["source"] = {"verb": "bark"}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(value))
    assert pommel("run", "dummy://", path, "--regions", "all").status == 0
    return path


@pytest.mark.usefixtures("in_store")
def test_rows(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("stats", "regions")
    assert (outcome.status, outcome.stderr) == (0, "")
    rows = outcome.rows()
    assert list(rows[0]) == list(REGION_COLUMNS)
    names = (
        *("item", "condition_name", "factor_1", "factor_2", "region_number", "position"),
        *("critical", "content", "n_characters", "n_words", "lexemes"),
    )
    assert [tuple(row[name] for name in names) for row in rows[:6]] == [
        ("s:1", "x_1", "x", "", "1", "1", "0", "the old dog", "11", "3", '{"verb": "bark"}'),
        ("s:1", "x_1", "x", "", "2", "2", "1", "barks", "5", "1", '{"verb": "bark"}'),
        ("s:1", "x_1", "x", "", "3", "3", "0", "", "0", "0", '{"verb": "bark"}'),
        ("s:1", "y_1", "y", "", "1", "1", "0", "a", "1", "1", '{"verb": "bark"}'),
        ("s:1", "y_1", "y", "", "2", "2", "0", "dog", "3", "1", '{"verb": "bark"}'),
        ("s:1", "y_1", "y", "", "3", "3", "1", "bark s", "6", "2", '{"verb": "bark"}'),
    ]
    assert [row["lexemes"] for row in rows[6:]] == [""] * 6
    # The numbers are those of the run's own table.
    pommel("runs", "export", "-o", tmp_path / "out")
    (path,) = (tmp_path / "out").glob("**/regions.csv")
    own = list(csv.DictReader(io.StringIO(path.read_text())))
    shared = ("item_number", "region_name", "n_tokens", "n_unscored", "n_oovs", "oovs", "sum_bits")
    assert [[row[name] for name in shared] for row in rows] == [
        [row[name] for name in shared] for row in own
    ]
    first = rows[0]
    assert float(first["sum_bits"]) == pytest.approx(
        float(first["mean_bits"]) * int(first["n_tokens"])
    )


def test_files_and_suites_of_several_metrics(
    pommel: Pommel, in_store: Path, tmp_path: Path
) -> None:
    value = json.loads(in_store.read_text())
    # Without blanks between, words go on over the ends of regions.
    value["meta"] |= {"name": "t", "metric": "median", "joiner": ""}
    in_store.write_text(json.dumps(value))
    assert pommel("run", "dummy://", in_store).status == 0
    for ending in ("csv", "tsv", "json", "parquet"):
        outcome = pommel("stats", "regions", "-o", tmp_path / f"r.{ending}")
        assert (outcome.status, outcome.stdout) == (0, "")
        assert outcome.stderr == (
            "note: 5 rows without bits: no token begins in the region, or none was asked for "
            "(`pommel run --regions all` asks)\n"
        )
    text = (tmp_path / "r.csv").read_text()
    assert text.count("model,") == 1
    frame = pd.read_csv(tmp_path / "r.csv")
    assert frame["suite"].value_counts().to_dict() == {"s": 12, "t": 12}
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "r.tsv", sep="\t"), frame)
    records = json.loads((tmp_path / "r.json").read_text())
    assert [row["content"] or None for row in records] == [
        None if pd.isna(each) else each for each in frame["content"]
    ]
    read = pd.read_parquet(tmp_path / "r.parquet")
    assert list(read.columns) == list(REGION_COLUMNS)
    assert read["sum_bits"].tolist() == pytest.approx(frame["sum_bits"].tolist(), nan_ok=True)


def test_runs_that_newer_ones_take_the_place_of_are_told(pommel: Pommel, in_store: Path) -> None:
    value = json.loads(in_store.read_text())
    value["items"].pop()
    in_store.write_text(json.dumps(value))
    pommel("run", "dummy://", in_store, "--regions", "all")
    runs = [row["run_id"] for row in pommel("runs", "list", "--format", "csv").rows()]
    outcome = pommel("stats", "regions", *(part for each in runs for part in ("--run", each)))
    assert outcome.stderr.splitlines()[1:] == [
        "note: 1 run left out for newer runs on other versions of s"
    ]
    assert len({row["run_id"] for row in outcome.rows()}) == 1


@pytest.mark.full
def test_the_lines_of_the_page_run_in_r(pommel: Pommel, repository: Path, tmp_path: Path) -> None:
    if not is_there():
        pytest.skip("needs R with lme4")
    models = ("builtin://en-ngram", "builtin://en-gpt2")
    suites = ("number_orc", "number_prep", "number_simple")
    assert pommel("run", *models, *suites, "--regions", "all").status == 0
    for table in ("items", "regions"):
        assert pommel("stats", table, "-o", tmp_path / f"{table}.csv").status == 0
    page = (repository / "docs" / "statistics.md").read_text("utf-8")
    blocks = re.findall(r"^```r\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert [re.findall(r"glmer|lmer", block) for block in blocks] == [["glmer"], ["lmer", "glmer"]]
    for block in blocks:
        done = subprocess.run(
            ["Rscript", "-e", block], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Fixed effects:" in done.stdout
    # A verb that does not match its subject surprises by bits.
    (effect,) = re.findall(r"^factor_1mismatch +(-?[0-9.]+)", done.stdout, re.MULTILINE)[:1]
    assert float(effect) > 1
