"""A new statistic, by the steps of CONTRIBUTING.md."""

import re
import sys
from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save

from pommel import analysis
from pommel.cli import groups

FILE = '''
"""How many suites a model has run."""

from dataclasses import dataclass
from typing import Annotated

from pommel.analysis.asking import Option, Question, WithModels
from pommel.analysis.cells import Answer, Column, plain_table
from pommel.analysis.models_compared import ModelsCompared

COLUMNS = (Column("model", "label", title="model"), Column("n_suites", title="suites"))


@dataclass(frozen=True, kw_only=True)
class BreadthAsked(WithModels, Question):
    """How many suites each model has run."""

    least: Annotated[int, Option(least=1, metavar="N", help="Models with as many suites.")] = 1

    def answer(self, records):
        """Count the suites of each model."""
        found = ModelsCompared.of(self.chosen(records)).models
        rows = [{"label": each.label, "n_suites": len(each.by_suite)} for each in found]
        return Breadth(rows=tuple(row for row in rows if row["n_suites"] >= self.least))


@dataclass(frozen=True, kw_only=True)
class Breadth(Answer):
    rows: tuple

    def frame(self):
        return Column.frame(self.rows, COLUMNS)

    def tables(self):
        rows = [[each.text(row) for each in COLUMNS] for row in self.rows]
        return [plain_table("Suites", names=["model"], numbers=["suites"], rows=rows)]
'''


def steps(repository: Path) -> list[str]:
    """Return the files that CONTRIBUTING names for a new statistic."""
    text = (repository / "CONTRIBUTING.md").read_text("utf-8")
    section = text.split("## Add a statistic")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def test_a_new_statistic_is_a_file_and_a_line(
    pommel: Pommel,
    own_store: Path,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert steps(repository) == [
        "runner/pommel/analysis/STATISTIC.py",
        "runner/pommel/cli/groups.py",
        "runner/pommel/report/text_tables.py",
        "docs/statistics.md",
        "tests/analysis/",
    ]
    # The file, and the line.
    (tmp_path / "breadth.py").write_text(FILE, "utf-8")
    monkeypatch.setattr("pommel.analysis.__path__", [*analysis.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pommel.analysis.breadth", raising=False)
    monkeypatch.setitem(
        groups.STATISTICS, "breadth", ("stats:analysis.breadth.BreadthAsked", "Suites run.")
    )
    # Nothing else is to be done for the command, its help and its options.
    assert "breadth     Suites run.\n" in pommel("stats", "--help").stdout
    asked = pommel("stats", "breadth", "--help").stdout
    assert "How many suites each model has run." in asked
    assert "--least N " in asked
    assert asked.index("--least") < asked.index("--exclude-model") < asked.index("--format")
    save(own_store, *(record(*each, "10") for each in (("m", "s"), ("m", "t"), ("n", "s"))))
    told = pommel("stats", "breadth", "--format", "csv").rows()
    assert [tuple(row.values()) for row in told] == [("m", "2"), ("n", "1")]
    assert "│ m     │      2 │" in pommel("stats", "breadth", "--least", "2").stdout
    assert pommel("stats", "breadth", "--exclude-model", "m", "--format", "csv").rows() == [
        {"model": "n", "n_suites": "1"}
    ]
    assert pommel("stats", "breadth", "--least", "0").status == 2


@pytest.mark.parametrize("question", ["StabilityAsked", "CorrelationAsked", "MixedAsked"])
def test_two_files_have_its_name(repository: Path, question: str) -> None:
    package = repository / "runner" / "pommel"
    files = [
        path.relative_to(package)
        for path in sorted(package.rglob("*.py*"))
        if path.suffix in (".py", ".pyi") and question in path.read_text("utf-8")
    ]
    assert [str(path.parent) for path in files] == ["analysis", "cli"]
    assert files[1].name == "groups.py"
