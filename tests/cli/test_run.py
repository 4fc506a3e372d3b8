"""`pommel run`: what it prints, what it saves, how it ends."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.word_model import WordModel, replace_kind


def test_equal_surprisals_are_noted_as_ties(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("run", "dummy://uniform?bits=2", suite_file)
    assert "compares equal values in 3 items, where '<' and '>' fail" in outcome.stderr


@pytest.mark.parametrize(
    ("languages", "told"),
    [
        (["ja"], "and the suite is in 'ja'"),
        (["ja", "tr-TR"], "and the suites are in 'ja', 'tr'"),
        (["ja", "en", ""], "and 1 of 3 suites is in 'ja'"),
        (["en-GB", ""], ""),
    ],
)
def test_a_built_in_model_of_another_language_is_noted(
    pommel: Pommel, tmp_path: Path, languages: list[str], told: str
) -> None:
    """Whatever it scores there, it says nothing about the language."""
    for number, language in enumerate(languages):
        value = suite_value(f"s{number}")
        value["meta"] |= {"language": language, "joiner": " "} if language else {}
        (tmp_path / f"s{number}.json").write_text(json.dumps(value))
    outcome = pommel("run", "builtin://en-ngram", "dummy://", tmp_path)
    said = f"note: builtin://en-ngram knows 'en' alone, {told}"
    assert (outcome.status, "alone" in outcome.stderr) == (0, bool(told))
    assert not told or said in outcome.stderr.splitlines()


def test_json_has_the_rows_of_csv_as_numbers(pommel: Pommel, suite_file: Path) -> None:
    ran = ("run", "dummy://", suite_file, "--format")
    (record,) = json.loads(pommel(*ran, "json").stdout)
    (row,) = pommel(*ran, "csv").rows()
    assert [*record] == [*row]
    assert (record["score"], record["n_items"], record["family"]) == (float(row["score"]), 3, None)


def test_json_full_is_no_table(pommel: Pommel, suite_file: Path) -> None:
    told = ("--format", "json-full", "--table", "tokens")
    assert pommel("run", "dummy://", suite_file, *told).failure(2) == (
        "--format json-full is no table; leave out --table, or say json"
    )


def test_json_full_has_the_provenance(pommel: Pommel, suite_file: Path) -> None:
    (run,) = json.loads(pommel("run", "dummy://", suite_file, "--format", "json-full").stdout)
    assert run["provenance"]["suite"]["name"] == "agreement"
    assert run["provenance"]["model"]["reference"] == "dummy://"
    assert run["provenance"]["score_rule"] == "all"
    assert run["provenance"]["policy"]["bos"] == "auto"


def test_a_model_that_is_not_there_leaves_no_folder_of_results(
    pommel: Pommel, tmp_path: Path
) -> None:
    outcome = pommel("run", "dummy://", "number_prep", "-o", str(tmp_path / "a" / "file" / "x"))
    assert outcome.status == 0
    outcome = pommel("run", "nonsense://", "number_prep", "-o", str(tmp_path / "new" / "results"))
    assert outcome.status == 4
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_output_saves_five_tables_and_the_provenance(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "results"
    outcome = pommel("run", "dummy://", suite_file, "--output", folder)
    assert f"Full results: {folder}" in outcome.stderr
    names = {path.name for path in folder.iterdir()}
    tables = {"suites.csv", "predictions.csv", "regions.csv", "tokens.csv", "families.csv"}
    assert names == {*tables, "runs.json"}
    assert json.loads((folder / "runs.json").read_text())["complete"] is True
    tokens = list(csv.DictReader((folder / "tokens.csv").read_text().splitlines()))
    assert {row["region_number"] for row in tokens} == {"1", "2", "3"}


def test_a_folder_of_suites(pommel: Pommel, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.json").write_text(json.dumps(suite_value(name)))
    rows = json.loads(
        pommel("run", "dummy://", tmp_path, "--format", "json", "--table", "suites").stdout
    )
    assert [row["suite"] for row in rows] == ["first", "second"]


def test_a_suite_on_standard_input(pommel: Pommel) -> None:
    outcome = pommel(
        "run", "dummy://", "-", "--format", "csv", stdin=json.dumps(suite_value("piped"))
    )
    assert "piped" in outcome.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("run", "dummy://", "nowhere.json"), 3, "nowhere.json: no such file, folder or shipped"),
        (("run", "nonsense://x", "SUITE"), 4, "unknown model reference 'nonsense://x'"),
        (("run", "builtin://en-gtp2", "SUITE"), 4, "did you mean"),
        (("run", "dummy://", "dummy://"), 2, "no suites to run"),
        # Said before any model is looked for: this one is not there.
        (("run", "none://", "SUITE", "--table", "tokens"), 2, "needs --format csv, tsv or json"),
        (("run", "dummy://", "EMPTY"), 3, "the folder holds no suites"),
    ],
)
def test_what_a_user_can_mend(  # noqa: PLR0913, PLR0917 - a table of cases
    pommel: Pommel,
    suite_file: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    status: int,
    message: str,
) -> None:
    (tmp_path / "empty").mkdir()
    places = {"SUITE": str(suite_file), "EMPTY": str(tmp_path / "empty")}
    outcome = pommel(*(places.get(each, each) for each in arguments))
    assert outcome.status == status
    assert message in outcome.stderr
    assert outcome.stdout == ""
    assert "Traceback" not in outcome.stderr


def test_all_faults_of_all_files_come_at_once(pommel: Pommel, tmp_path: Path) -> None:
    for name in ("a", "b"):
        value = suite_value(name)
        value["predictions"][0]["formula"] = "(2;%match%) < (2;%mismtch%)"
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    outcome = pommel("run", "dummy://", tmp_path)
    assert outcome.status == 3
    assert outcome.stderr.count("did you mean 'mismatch'?") == 2


def test_a_faulty_suite_costs_no_other(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    faulty, folder = suites / "faulty.json", tmp_path / "results"
    faulty.write_text("{")
    outcome = pommel("run", "dummy://", suites, "-o", folder, "--format", "csv")
    assert outcome.status == 3
    assert [row["suite"] for row in outcome.rows()] == ["first", "second"]
    *_, complete, fault = outcome.stderr.splitlines()
    assert complete == "pommel: 2 of 3 runs are complete"
    assert fault.startswith(f"pommel: {faulty}:1:2: this is not JSON")
    assert json.loads((folder / "runs.json").read_text())["complete"] is False


def test_a_faulty_suite_and_a_model_that_fails_are_both_named(pommel: Pommel, suites: Path) -> None:
    (suites / "faulty.json").write_text("{")
    outcome = pommel("run", "dummy://", suites, "-m", "builtin://none")
    assert outcome.status == 4
    assert "pommel: 2 of 6 runs are complete" in outcome.stderr
    assert outcome.stderr.index("no built-in model") < outcome.stderr.index("this is not JSON")


def test_a_disk_that_refuses_leaves_nothing_half_written(suite_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    # No file may grow beyond 300 bytes: the first table fits, the longer ones do not.
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300));"
        "from pommel.cli import main;"
        f"main(['run', 'dummy://', {str(suite_file)!r}, '-o', {str(folder)!r}, '--no-store'])"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    # The scores are printed all the same, and no table is there without the others.
    assert "agreement" in done.stdout
    assert not folder.exists()


def test_a_model_that_fails_on_one_suite_keeps_the_others(pommel: Pommel, tmp_path: Path) -> None:
    sound, broken = tmp_path / "a.json", tmp_path / "b.json"
    sound.write_text(json.dumps(suite_value("sound")))
    recorded, folder = tmp_path / "tokens.jsonl", tmp_path / "results"
    pommel("surprisals", "dummy://", sound, "--format", "jsonl", "-o", recorded)
    broken.write_text(json.dumps(suite_value("beyond", n_items=4)))
    outcome = pommel("run", f"recorded://{recorded}", sound, broken, "-o", folder)
    assert outcome.status == 3
    assert "pommel: 1 of 2 runs are complete" in outcome.stderr
    assert "no surprisals for the sentence 'The author is good .'" in outcome.stderr
    assert json.loads((folder / "runs.json").read_text())["complete"] is False


def test_a_model_that_fails_does_not_keep_the_others_from_running(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    outcome = pommel(
        "run", "builtin://nobody", "dummy://", "-m", "builtin://no-one", suite_file, "-o", folder
    )
    assert outcome.status == 4
    assert outcome.stdout.count("dummy") == 1
    lines = outcome.stderr.splitlines()
    assert lines[0] == "pommel: builtin://nobody failed; going on with the other models"
    assert "pommel: 1 of 3 runs are complete" in lines
    last = [line for line in lines if "there is no built-in model" in line]
    assert [line.partition("; ")[0] for line in last] == [
        "pommel: there is no built-in model 'nobody'",
        "pommel: there is no built-in model 'no-one'",
    ]
    saved = json.loads((folder / "runs.json").read_text())
    assert [each["model"] for each in saved["failed"]] == ["builtin://nobody", "builtin://no-one"]
    assert saved["failed"][0]["error"].startswith("there is no built-in model 'nobody'")
    assert [run["provenance"]["model"]["name"] for run in saved["runs"]] == ["dummy"]
    assert saved["complete"] is False


def test_a_model_that_dies_keeps_the_runs_before(
    pommel: Pommel, suite_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> WordModel:
        raise OSError(28, "No space left on device", "cache")

    replace_kind(monkeypatch, "failing", fail)
    folder = tmp_path / "results"
    outcome = pommel("run", "dummy://", "failing://", suite_file, "-o", folder)
    assert outcome.status == 1
    assert "pommel: stopped; 1 of 2 runs are complete" in outcome.stderr
    assert "cache: No space left on device" in outcome.stderr
    assert json.loads((folder / "runs.json").read_text())["complete"] is False


_INTERRUPTING = """
import dataclasses, os, signal, sys
from pommel.cli import main
from pommel.models import dummy

opener = dummy.KIND.open

class Interrupting:
    def __init__(self, model):
        self.info, self._model, self._calls = model.info, model, 0

    def score(self, sentences, policy, spans=None):
        self._calls += 1
        if self._calls == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield from self._model.score(sentences, policy, spans)

dummy.KIND = dataclasses.replace(
    dummy.KIND, open=lambda *arguments: Interrupting(opener(*arguments))
)
main(sys.argv[1:])
"""


def test_ctrl_c_keeps_the_runs_that_are_complete(tmp_path: Path) -> None:
    suites = tmp_path / "suites"
    suites.mkdir()
    for name in ("first", "second"):
        value = suite_value(name)
        value["items"][0]["conditions"][0]["regions"][0]["content"] = f"The {name} pilot"
        (suites / f"{name}.json").write_text(json.dumps(value))
    folder = tmp_path / "results"
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTING, "run", "dummy://", suites, "-o", folder],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[1:] == [
        "pommel: stopped; 1 of 2 runs are complete",
        "",  # the terminal's ^C stands alone
        "pommel: interrupted",
    ]
    assert "Traceback" not in done.stderr
    kept = json.loads((folder / "runs.json").read_text())
    assert kept["complete"] is False
    assert [run["suite"] for run in kept["runs"]] == ["first"]


def test_ctrl_c_keeps_what_is_complete_where_all_is_asked_for_at_once(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        value = suite_value(name)
        value["items"][0]["conditions"][0]["regions"][0]["content"] = f"The {name} pilot"
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    # It answers last things first.
    model = WordModel(
        costly_calls=True, fails_at="The first pilot is good .", failure=KeyboardInterrupt()
    )
    replace_kind(monkeypatch, "toy", lambda *_: model)
    folder = tmp_path / "results"
    outcome = pommel("run", "toy://", tmp_path, "-o", folder)
    assert outcome.status == 130
    assert "pommel: stopped; 1 of 2 runs are complete" in outcome.stderr
    kept = json.loads((folder / "runs.json").read_text())
    assert [run["suite"] for run in kept["runs"]] == ["second"]
    assert kept["complete"] is False


def test_results_are_written_where_nothing_can_be_shown(suite_file: Path, tmp_path: Path) -> None:
    """As on a terminal that has been closed."""
    folder = tmp_path / "results"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pommel", "run", "dummy://", suite_file, "-o", folder],
            stdout=full,
            stderr=full,
            check=False,
        )
    assert done.returncode == 1
    assert json.loads((folder / "runs.json").read_text())["complete"] is True


def test_counts_stay_whole_numbers_beside_a_suite_without_predictions(
    pommel: Pommel, tmp_path: Path
) -> None:
    bare = suite_value("bare")
    bare["predictions"] = []
    for name, value in (("a", suite_value("full")), ("b", bare)):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    outcome = pommel("run", "dummy://uniform?bits=2", tmp_path, "--format", "csv")
    rows = outcome.rows()
    counts = [[row[key] for key in ("n_holding", "n_ties", "n_undefined")] for row in rows]
    assert counts == [["0", "3", "0"], ["", "", ""]]


def test_an_infinite_surprisal_is_no_missing_one(pommel: Pommel, suite_file: Path) -> None:
    recorded = suite_file.with_name("tokens.jsonl")
    pommel("surprisals", "dummy://", suite_file, "--format", "jsonl", "-o", recorded)
    lines = recorded.read_text().splitlines()
    first = json.loads(lines[1])
    first["tokens"][2][3] = "Infinity"
    recorded.write_text("\n".join([lines[0], json.dumps(first), *lines[2:]]))
    outcome = pommel(
        "run", f"recorded://{recorded}", suite_file, "--format", "json", "--table", "predictions"
    )
    assert '"margin_bits": -1e999' in outcome.stdout


def test_a_folder_that_cannot_be_is_refused_before_the_run(
    pommel: Pommel, suite_file: Path
) -> None:
    outcome = pommel("run", "none://", suite_file, "-o", suite_file / "inside")
    assert outcome.status == 1
    assert f"{suite_file}/inside: cannot be written: Not a directory" in outcome.stderr
