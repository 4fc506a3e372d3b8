"""`pommel stats items`: tidy files of items for other programs."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.builders import suite_value
from tests.cli.samples import Pommel

from pommel.analysis.items import ITEM_COLUMNS
from pommel.errors import PommelError

ITEMS = [{"x": ("the dog",), "y": ("a dog",)}, {"x": ("the cat",), "y": ("a cat",)}]


@pytest.fixture
def in_store(pommel: Pommel, tmp_path: Path) -> None:
    """A suite and the same with a modifier have run on one model."""
    for name, meta in (("plain", {}), ("more", {"modifier_of": "plain"})):
        value = suite_value(ITEMS, ["(1;%x%) < (1;%y%)"], name=name, circuit="toys", **meta)
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    outcome = pommel("run", "dummy://", tmp_path / "plain.json", tmp_path / "more.json")
    assert outcome.status == 0


@pytest.mark.usefixtures("in_store")
def test_the_name_of_the_file_says_the_format(pommel: Pommel, tmp_path: Path) -> None:
    for ending in ("csv", "tsv", "json", "parquet"):
        outcome = pommel("stats", "items", "-o", tmp_path / f"items.{ending}")
        assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "", "")
    frame = pd.read_csv(tmp_path / "items.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "items.tsv", sep="\t"), frame)
    read = pd.read_parquet(tmp_path / "items.parquet")
    assert list(read.columns) == list(ITEM_COLUMNS)
    columns = ["item", "holds", "margin_bits", "prediction_id"]
    pd.testing.assert_frame_equal(read[columns], frame[columns], check_dtype=False)
    records = json.loads((tmp_path / "items.json").read_text())
    assert [row["item"] for row in records] == frame["item"].tolist()
    assert records[0]["n_parameters"] is None


@pytest.mark.usefixtures("in_store")
def test_the_format_that_is_named_wins(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    assert pommel("stats", "items", "--format", "tsv", "-o", path).status == 0
    assert path.read_text().startswith("model\tfamily\t")


@pytest.mark.usefixtures("in_store")
def test_parquet_needs_a_file_and_its_extra(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for table in ("items", "regions"):
        # It is said before the store is looked for.
        outcome = pommel("stats", table, "--format", "parquet", "--store", tmp_path / "none.sqlite")
        assert outcome.failure(2) == "--format parquet needs a file: -o FILE"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    outcome = pommel("stats", "items", "-o", tmp_path / "items.parquet")
    assert (
        outcome.failure(1) == f"Parquet needs the parquet extra: {PommelError.install('parquet')}"
    )
    assert not (tmp_path / "items.parquet").exists()
