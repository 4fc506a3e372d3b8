"""`pommel run` on families of models: what runs, what is said, what is printed and saved."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.word_model import replace_kind

from pommel.models import recorded

FAMILY = "recorded://en/seed-{2,1}.jsonl"

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def seeds(here: Path, pommel: Pommel, suite_file: Path) -> Path:
    """A folder with recordings of three seeds, of which the second prefers what is wrong."""
    folder = here / "en"
    folder.mkdir()
    pommel("surprisals", "dummy://", suite_file, "--format", "jsonl", "-o", "all.jsonl")
    header, *lines = Path("all.jsonl").read_text().splitlines()
    for seed in (1, 2, 3):
        sentences = [json.loads(line) for line in lines]
        for sentence in sentences:
            is_match = " is " in sentence["sentence"]
            sentence["tokens"][2][3] = 1.0 if is_match == (seed != 2) else 9.0
        written = [header, *map(json.dumps, sentences)]
        (folder / f"seed-{seed}.jsonl").write_text("\n".join(written) + "\n")
    return folder


def column(rows: Sequence[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


@pytest.mark.usefixtures("seeds")
def test_each_member_and_their_mean(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("run", "recorded://en/seed-*", "dummy://", suite_file, "-o", "out")
    assert outcome.status == 0
    heading = next(line for line in outcome.stdout.splitlines() if "┃" in line)
    assert [cell.strip() for cell in heading.split("┃")[4:-1]] == [
        *("chance", "en/seed-1", "en/seed-2", "en/seed-3", "en (mean ± sd, n = 3)", "dummy"),
    ]
    # Two of three: the mean is 2/3, of a sample the standard deviation is the root of 1/3.
    assert " 0.67 ± 0.58 " in outcome.stdout
    rows = list(csv.DictReader((Path("out") / "suites.csv").read_text().splitlines()))
    assert column(rows, "model_name", "family", "axis", "member", "axis_value", "score") == [
        ("en/seed-1", "en", "seed", "seed-1", "1.0", "1.0"),
        ("en/seed-2", "en", "seed", "seed-2", "2.0", "0.0"),
        ("en/seed-3", "en", "seed", "seed-3", "3.0", "1.0"),
        ("dummy", "", "", "", "", rows[3]["score"]),
    ]


@pytest.mark.usefixtures("seeds")
def test_the_table_of_families(pommel: Pommel, suite_file: Path) -> None:
    arguments = ("run", "recorded://en/seed-*", suite_file, "--table", "families")
    rows = pommel(*arguments, "--format", "csv").rows()
    assert column(rows, "family", "level", "suite", "n_members", "n_items", "min", "max") == [
        ("en", "suite", "agreement", "3", "3", "0.0", "1.0"),
        ("en", "all", "", "3", "3", "0.0", "1.0"),
    ]
    assert float(rows[0]["sd"]) == pytest.approx((1 / 3) ** 0.5)
    assert float(rows[0]["sd_population"]) == pytest.approx(2**0.5 / 3)
    (records,) = [json.loads(pommel(*arguments, "--format", "json").stdout)]
    assert [record["mean"] for record in records] == [pytest.approx(2 / 3)] * 2
    outcome = pommel(*arguments)
    assert outcome.status == 2
    assert "--table families needs --format csv, tsv or json" in outcome.stderr
    # Without families the table is empty, and has its columns.
    lines = pommel(
        "run", "dummy://", suite_file, "--table", "families", "--format", "csv"
    ).stdout.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["family"]


@pytest.mark.usefixtures("seeds")
def test_what_is_saved(pommel: Pommel, suite_file: Path) -> None:
    pommel("run", "recorded://en/seed-*", "dummy://", suite_file, "-o", "out")
    assert len((Path("out") / "families.csv").read_text().splitlines()) == 3
    runs = json.loads((Path("out") / "runs.json").read_text())["runs"]
    assert [run["model_name"] for run in runs] == ["en/seed-1", "en/seed-2", "en/seed-3", "dummy"]
    assert [run["family"] for run in runs[1:]] == [
        {"name": "en", "axis": "seed", "member": "seed-2", "axis_value": 2.0},
        {"name": "en", "axis": "seed", "member": "seed-3", "axis_value": 3.0},
        None,
    ]
    # Where a number comes from is no matter of what it is called in a table.
    models = [run["provenance"]["model"] for run in runs]
    assert [each["reference"] for each in models[:2]] == [
        "recorded://en/seed-1.jsonl",
        "recorded://en/seed-2.jsonl",
    ]
    assert [each["name"] for each in models] == ["dummy"] * 4
    assert len({each["fingerprint"] for each in models[:2]}) == 2
    for name in ("predictions", "regions", "tokens"):
        rows = list(csv.DictReader((Path("out") / f"{name}.csv").read_text().splitlines()))
        assert {row["model_name"] for row in rows} == {run["model_name"] for run in runs}


def test_a_path_without_scheme_may_be_a_family(
    pommel: Pommel, suite_file: Path, seeds: Path
) -> None:
    (seeds / "notes.md").write_text("")
    rows = pommel("run", "en/*.jsonl", suite_file, "--format", "csv").rows()
    assert column(rows, "model_name") == [("en/seed-1",), ("en/seed-2",), ("en/seed-3",)]


def test_steps_have_a_table_of_their_own(pommel: Pommel, suite_file: Path, seeds: Path) -> None:
    for seed, step in ((1, 900), (2, 1000), (3, 50)):
        (seeds / f"seed-{seed}.jsonl").rename(seeds / f"step{step}.jsonl")
    outcome = pommel("run", "recorded://en/step*", suite_file)
    assert "en by step: SG scores (all predictions of a suite hold)" in outcome.stdout
    cells = [line.split("│")[1:-1] for line in outcome.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in cells] == [
        ["step50", "1.00"],
        ["step900", "1.00"],
        ["step1000", "0.00"],
        ["chance", "0.50"],
    ]
    assert "±" not in outcome.stdout
    outcome = pommel(
        "run", "recorded://en/step*", suite_file, "--format", "csv", "--table", "families"
    )
    assert len(outcome.stdout.splitlines()) == 1


def test_a_member_that_fails_does_not_keep_the_others_from_running(
    pommel: Pommel, suite_file: Path, seeds: Path
) -> None:
    (seeds / "seed-2.jsonl").write_text("{")
    outcome = pommel("run", "recorded://en/seed-*", suite_file, "-o", "out")
    assert outcome.status == 3
    assert " en (mean ± sd, n = 2) " in outcome.stdout
    lines = outcome.stderr.splitlines()
    assert lines[0] == "pommel: recorded://en/seed-2.jsonl failed; going on with the other models"
    assert "pommel: 2 of 3 runs are complete" in lines
    assert lines[-1].startswith("pommel: en/seed-2.jsonl:1: ")
    saved = json.loads((Path("out") / "runs.json").read_text())
    assert saved["complete"] is False
    assert [each["model"] for each in saved["failed"]] == ["recorded://en/seed-2.jsonl"]


def test_fail_under_looks_at_every_member(pommel: Pommel, suite_file: Path, seeds: Path) -> None:
    arguments = ("run", "recorded://en/seed-*", suite_file, "--fail-under", "0.5")
    outcome = pommel(*arguments)
    assert outcome.status == 5
    assert outcome.stderr.endswith("1 gate failed:\n- en/seed-2, agreement: 0 is below 0.5\n")
    (seeds / "seed-2.jsonl").unlink()
    assert pommel(*arguments).status == 0


@pytest.mark.usefixtures("seeds")
def test_compat_prints_the_members_one_after_the_other(pommel: Pommel, suite_file: Path) -> None:
    arguments = ("recorded://en/seed-*", suite_file, "--compat", "syntaxgym")
    lines = pommel("run", *arguments).stdout.splitlines()
    assert lines[0] == "suite\tprediction_id\titem_number\tresult"
    results = [line.split("\t")[3] for line in lines[1:]]
    assert results == ["True"] * 3 + ["False"] * 3 + ["True"] * 3


@pytest.mark.usefixtures("seeds")
def test_a_model_runs_once(pommel: Pommel, suite_file: Path) -> None:
    one = "recorded://en/seed-1.jsonl"
    outcome = pommel("run", one, FAMILY, "-m", FAMILY, suite_file, "--format", "csv")
    assert column(outcome.rows(), "model_name") == [("en/seed-1",), ("en/seed-2",)]
    line = f"note: {one} belongs to a family that is named, too; it runs once"
    assert outcome.stderr.splitlines()[0] == line
    outcome = pommel("run", FAMILY, "recorded://en/seed-{2,3}.jsonl", suite_file)
    assert outcome.failure(2) == (
        "recorded://en/seed-2.jsonl is in two families, "
        "recorded://en/seed-{2,1}.jsonl and recorded://en/seed-{2,3}.jsonl; name it in one"
    )


@pytest.mark.usefixtures("seeds")
def test_what_a_shell_has_expanded_is_noted(pommel: Pommel, suite_file: Path) -> None:
    taken = [f"recorded://en/seed-{seed}.jsonl" for seed in (1, 2, 3)]
    outcome = pommel("run", *taken, suite_file)
    assert outcome.stderr.splitlines()[0] == (
        "note: recorded://en/seed-1.jsonl, recorded://en/seed-2.jsonl, ... are taken as 3 "
        "separate models; as one family, write it in quotes: 'recorded://en/seed-{1,2,3}.jsonl'"
    )
    assert "±" not in outcome.stdout
    assert "note: " not in pommel("run", *taken[:1], suite_file).stderr


@pytest.mark.usefixtures("seeds")
def test_models_without_a_common_axis_have_a_mean_in_the_tidy_table_only(
    pommel: Pommel, suite_file: Path
) -> None:
    for number, name in enumerate("ab", 1):
        (Path("en") / f"seed-{number}.jsonl").rename(Path("en") / f"{name}.jsonl")
    outcome = pommel("run", "recorded://en/{a,b}.jsonl", suite_file, "-o", "out")
    assert "±" not in outcome.stdout
    rows = list(csv.DictReader((Path("out") / "families.csv").read_text().splitlines()))
    assert column(rows, "axis", "level", "mean") == [
        ("member", "suite", "0.5"),
        ("member", "all", "0.5"),
    ]


def test_paths_that_a_shell_has_expanded_are_no_suites(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("run", "en/seed-1", "en/seed-2", "en/seed-10", suite_file)
    assert outcome.failure(2) == (
        "en/seed-2 would be a suite; if it is a model, write the pattern in quotes: "
        "'en/seed-{1,2,10}'"
    )


@pytest.mark.parametrize(
    ("reference", "status", "message"),
    [
        (
            "lstm://en/sed-*",
            4,
            "lstm://en/sed-*: no folder matches en/sed-*; in en there is: seed-1",
        ),
        ("huggingface://m@{a}", 2, "huggingface://m@{a}: {a} is no choice; write two names or"),
    ],
)
@pytest.mark.usefixtures("seeds")
def test_patterns_that_name_nothing_are_refused_before_anything_runs(
    pommel: Pommel, suite_file: Path, reference: str, status: int, message: str
) -> None:
    outcome = pommel("run", "dummy://", reference, suite_file, "-o", "out")
    assert outcome.status == status
    assert outcome.stderr.startswith(f"pommel: {message}")
    assert outcome.stdout == ""
    assert not Path("out").exists()


@pytest.mark.parametrize(
    "arguments",
    [("surprisals", FAMILY, "SUITE"), ("models", "show", FAMILY), ("conditional", FAMILY, "PAIRS")],
)
def test_elsewhere_a_family_is_refused(
    pommel: Pommel, suite_file: Path, arguments: tuple[str, ...]
) -> None:
    Path("pairs.csv").write_text("context,target\nThe author,is\n")
    places = {"SUITE": str(suite_file), "PAIRS": "pairs.csv"}
    outcome = pommel(*(places.get(each, each) for each in arguments))
    assert outcome.status == 2
    assert outcome.stdout == ""
    assert outcome.stderr == (
        "pommel: recorded://en/seed-{2,1}.jsonl names 2 models "
        "(recorded://en/seed-1.jsonl, recorded://en/seed-2.jsonl); name one\n"
    )


@pytest.mark.usefixtures("seeds")
def test_ctrl_c_keeps_the_members_that_are_complete(
    pommel: Pommel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_or_stop(reference: str, options: Any) -> Any:
        if reference.endswith("seed-2.jsonl"):
            raise KeyboardInterrupt
        return recorded.open_model(reference, options)

    replace_kind(monkeypatch, "recorded", open_or_stop)
    Path("s.json").write_text(json.dumps(suite_value()))
    outcome = pommel("run", FAMILY, "s.json", "-o", "out")
    assert outcome.status == 130
    assert "pommel: stopped; 1 of 2 runs are complete" in outcome.stderr
    saved = json.loads((Path("out") / "runs.json").read_text())
    assert [run["model_name"] for run in saved["runs"]] == ["en/seed-1"]
