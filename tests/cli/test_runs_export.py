"""`pommel runs export`, and which runs a command takes."""

import csv
import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.samples import Pommel, save, suite_value
from tests.store.run_samples import agreement, imported, made, reported

from pommel.errors import PommelError
from pommel.scoring.run_record import RunRecord
from pommel.store import Store


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.parametrize("extra", [(), ("--score", "each"), ("--oov", "skip"), ("--bos", "never")])
def test_files_are_those_that_the_run_wrote(
    pommel: Pommel, suites: Path, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    models = ("dummy://", "dummy://uniform?bits=2")
    pommel("run", *models, suites, "--output", tmp_path / "run", *extra)
    outcome = pommel("runs", "export", "-o", tmp_path / "export")
    assert outcome.status == 0
    assert outcome.stderr == f"4 runs: {tmp_path / 'export'}\n"
    assert files_in(tmp_path / "export") == files_in(tmp_path / "run")


def test_files_of_families_and_of_models_of_one_name(
    pommel: Pommel, tmp_path: Path, suites: Path
) -> None:
    for bits, name in enumerate(("a/en/seed-1", "a/en/seed-2", "b/en/seed-1", "b/en/seed-2"), 1):
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True, parents=True)
        model = f"dummy://uniform?bits={bits}"
        # The other suite has the same sentences.
        pommel("surprisals", model, suites / "first.json", "--format", "jsonl", "-o", path)
    models = [f"recorded://{tmp_path}/{folder}/en/seed-*.jsonl" for folder in ("a", "b")]
    assert pommel("run", *models, suites, "--output", tmp_path / "run").status == 0
    assert pommel("runs", "export", "-o", tmp_path / "export").status == 0
    families = {row["family"] for row in rows_of(tmp_path / "export" / "families.csv")}
    assert families == {*models}
    assert files_in(tmp_path / "export") == files_in(tmp_path / "run")


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_other_formats_have_the_same_tables(
    pommel: Pommel, suites: Path, tmp_path: Path, form: str
) -> None:
    pommel("run", "dummy://", suites, "--output", tmp_path / "run")
    assert pommel("runs", "export", "-o", tmp_path / "out", "--format", form).status == 0
    tables = ("suites", "predictions", "regions", "tokens", "families")
    assert set(files_in(tmp_path / "out")) == {*(f"{name}.{form}" for name in tables), "runs.json"}
    for name in ("suites", "predictions", "regions", "tokens"):
        path = tmp_path / "out" / f"{name}.{form}"
        found = pd.read_parquet(path) if form == "parquet" else pd.read_json(path)
        wanted = pd.read_csv(tmp_path / "run" / f"{name}.csv")
        assert list(found.columns) == list(wanted.columns)
        for column in ("score", "margin_bits", "sum_bits", "surprisal_bits", "item_number"):
            if column in wanted:
                assert found[column].tolist() == pytest.approx(wanted[column].tolist())


def test_parquet_needs_a_package(
    pommel: Pommel, tmp_path: Path, own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(own_store, imported())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    outcome = pommel("runs", "export", "-o", tmp_path / "out", "--format", "parquet")
    assert outcome.failure(2) == f"Parquet needs pyarrow: {PommelError.install('parquet')}"
    assert not (tmp_path / "out").exists()


def test_runs_without_tokens_are_in_the_other_tables(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    with Store.open(own_store) as store:
        made(store, agreement())
        store.runs.save_records([imported(), reported()])
    out = tmp_path / "out"
    outcome = pommel("runs", "export", "-o", out)
    assert outcome.status == 0
    assert outcome.stderr.splitlines()[-2] == (
        "note: 2 runs came without tokens, so that tokens.csv and regions.csv lack them; those "
        "files hold the others only"
    )
    assert {row["model_name"] for row in rows_of(out / "suites.csv")} == {"words", "gpt2"}
    assert {row["suite"] for row in rows_of(out / "tokens.csv")} == {"agreement"}
    runs = json.loads((out / "runs.json").read_text())["runs"]
    assert [(each["model_name"], each["score"]) for each in runs] == [
        ("words", pytest.approx(1 / 3)),
        ("gpt2", pytest.approx(2 / 3)),
        ("gpt2", 0.826),
    ]


def test_of_runs_without_tokens_none_are_left_from_before(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    with Store.open(own_store) as store:
        made(store, agreement())
        store.runs.save_records([imported()])
    out = tmp_path / "out"
    pommel("runs", "export", "-o", out)
    assert (out / "tokens.csv").exists()
    outcome = pommel("runs", "export", "-o", out, "--source", "paper")
    assert "tokens.csv and regions.csv lack them; those files are not written\n" in outcome.stderr
    assert set(files_in(out)) == {"suites.csv", "predictions.csv", "families.csv", "runs.json"}


def test_a_folder_that_cannot_be(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    with Store.open(own_store) as store:
        made(store, agreement())
    (tmp_path / "file").touch()
    outcome = pommel("runs", "export", "-o", tmp_path / "file" / "out")
    assert outcome.status == 1
    assert "cannot be written: Not a directory" in outcome.stderr


# --- which runs


def suites_of(folder: Path) -> list[tuple[str, str, str]]:
    rows = rows_of(folder / "suites.csv")
    return [(row["model_name"], row["suite"], row["score_rule"]) for row in rows]


def test_runs_are_named_by_ids_or_patterns(
    pommel: Pommel, suites: Path, tmp_path: Path, own_store: Path
) -> None:
    pommel("run", "dummy://", "dummy://uniform?bits=2", suites)
    with Store.open(own_store) as store:
        ids = [each.run_id for each in store.runs.heads()]
    out = tmp_path / "out"
    pommel("runs", "export", ids[0][:6], "--run", ids[3], "-o", out)
    assert suites_of(out) == [("dummy", "first", "all"), ("uniform-2", "second", "all")]
    pommel("runs", "export", "--model", "dummy://uni*", "--suite", "s*", "-o", out)
    assert suites_of(out) == [("uniform-2", "second", "all")]
    pommel("runs", "export", "--suite", "first", "--suite", "second", "--model", "dummy", "-o", out)
    assert suites_of(out) == [("dummy", "first", "all"), ("dummy", "second", "all")]


def test_the_newest_counts_unless_ids_are_named(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    suite_file = tmp_path / "agreement.json"
    for n_items in (3, 2):
        suite_file.write_text(json.dumps(suite_value(n_items=n_items)))
        pommel("run", "dummy://", suite_file)
    with Store.open(own_store) as store:
        older, newer = (each.run_id for each in store.runs.heads())
    out = tmp_path / "out"
    outcome = pommel("runs", "export", "-o", out)
    assert outcome.stderr.splitlines()[0] == (
        "note: 1 run left out for newer ones of the same model, suite and score rule (dummy on "
        "agreement); --policy or --run chooses others"
    )
    assert [row["n_items"] for row in rows_of(out / "suites.csv")] == ["2"]
    outcome = pommel("runs", "export", older, newer, "-o", out)
    assert "left out" not in outcome.stderr
    assert [row["n_items"] for row in rows_of(out / "suites.csv")] == ["3", "2"]


def test_models_on_different_versions_of_a_suite(pommel: Pommel, tmp_path: Path) -> None:
    suite_file = tmp_path / "agreement.json"
    for n_items, model in ((3, "dummy://"), (2, "dummy://uniform?bits=2")):
        suite_file.write_text(json.dumps(suite_value(n_items=n_items)))
        pommel("run", model, suite_file)
    outcome = pommel("runs", "export", "-o", tmp_path / "out")
    assert outcome.stderr.splitlines()[0] == (
        "note: not all runs on agreement are on the same version of the suite; `pommel runs show` "
        "has its SHA-256"
    )


def test_several_score_rules_are_not_mixed(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    pommel("run", "dummy://", suites)
    pommel("run", "dummy://", suites, "--score", "first")
    outcome = pommel("runs", "export", "-o", tmp_path / "out")
    assert outcome.failure(2) == (
        "dummy on first has runs under the score rules all and first; choose one with --score"
    )
    assert pommel("runs", "export", "-o", tmp_path / "out", "--score", "first").status == 0
    assert {rule for *_, rule in suites_of(tmp_path / "out")} == {"first"}


def test_models_of_others_are_not_ours(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    with Store.open(own_store) as store:
        made(store, agreement())
        store.runs.save_records([imported(model="words"), imported("1" * 12, source="poster")])
    pommel("runs", "export", "-o", tmp_path / "out")
    assert [name for name, *_ in suites_of(tmp_path / "out")] == [
        "toy://words",
        "words (paper)",
        "gpt2",
    ]


def test_an_interrupted_run_has_no_tables(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement())
        run_id = RunRecord.of(run).run_id
        with store.database.transaction() as connection:
            connection.execute("UPDATE runs SET status = 'running'")
    outcome = pommel("runs", "export", run_id, "-o", tmp_path / "out")
    assert outcome.failure(2) == (
        f"no run that fits is complete ({run_id}, words on agreement); the command that "
        "began it goes on with it"
    )
