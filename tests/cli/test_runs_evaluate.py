"""`pommel runs evaluate`: no model, other predictions."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import Outcome, Pommel, save, suite_value
from tests.store.run_samples import agreement, imported, made

from pommel.models import registry
from pommel.store import Selection, Store
from pommel.surprisal import Token


@pytest.fixture
def run(pommel: Pommel, suite_file: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """What `pommel run` says of a suite; from then on, there is no model."""
    outcome = pommel("run", "dummy://", suite_file, "--format", "csv")

    def refuse(*_: object) -> None:
        raise AssertionError("a model was opened")

    monkeypatch.setattr(registry, "load_model", refuse)
    return outcome


def edited(path: Path, **changes: Any) -> Path:
    """Write the suite with other values at its top."""
    value = suite_value()
    value["meta"] |= changes.pop("meta", {})
    path.write_text(json.dumps(value | changes))
    return path


def formulas(*texts: str) -> list[dict[str, str]]:
    return [{"type": "formula", "formula": text} for text in texts]


def ids(path: Path) -> list[str]:
    with Store.open(path) as store:
        return [each.run_id for each in store.runs.heads()]


def test_nothing_changed_is_the_same_run(pommel: Pommel, run: Outcome, own_store: Path) -> None:
    before = ids(own_store)
    outcome = pommel("runs", "evaluate", "--format", "csv")
    assert outcome.stdout == run.stdout
    assert outcome.stderr == (
        "nothing new to keep: the store has these runs, which are the newest now\n"
    )
    assert ids(own_store) == before


@pytest.mark.usefixtures("run")
def test_a_run_that_is_judged_otherwise_now_is_kept_anew(
    pommel: Pommel, own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one is that rounding had decided, by a version that knew no ties but exact ones."""
    n_ties = []
    # First, everything is a tie.
    for tie_bits in (1e9, 1e-5):
        monkeypatch.setattr(Token, "TIE_BITS", tie_bits)
        outcome = pommel("runs", "evaluate", "--format", "csv")
        assert "1 run kept with other results than before: " in outcome.stderr
        (row,) = pommel("stats", "accuracy", "--by", "suite", "--format", "csv").rows()
        assert row["n_ties"] == outcome.rows()[0]["n_ties"]
        n_ties.append(int(row["n_ties"]))
    assert n_ties[0] > n_ties[1] == 0
    assert len(ids(own_store)) == 1


@pytest.mark.usefixtures("here")
def test_pairs_are_the_same_whether_they_were_run_or_evaluated_again(
    pommel: Pommel, tmp_path: Path
) -> None:
    joined = "((2;%match%) < (2;%mismatch%)) & ((2;%match%) > 1)"
    path = edited(tmp_path / "pairs.json", predictions=formulas(joined))
    pommel("run", "dummy://", path, "--format", "csv", "--store", "one.sqlite")
    again = pommel(
        "runs", "evaluate", "--score", "pairs", "--store", "one.sqlite", "--format", "csv"
    )
    asked = ("run", "dummy://", path, "--score", "pairs", "--store", "other.sqlite")
    scores = [
        [(row["prediction_id"], row["score_rule"], row["score"]) for row in outcome.rows()]
        for outcome in (again, pommel(*asked, "--format", "csv"))
    ]
    assert scores[0] == scores[1]
    assert [each[:2] for each in scores[0]] == [("0", "each"), ("1", "each")]
    # What was scored is known, and so is the run.
    with Store.open(Path("other.sqlite")) as store:
        (record,) = store.runs.records()
        assert [each.formula for each in record.result.predictions] == [
            "(2;%match%) < (2;%mismatch%)",
            "(2;%match%) > 1",
        ]
    pommel(*asked)
    assert len(ids(Path("other.sqlite"))) == 1


@pytest.mark.usefixtures("run")
def test_what_was_evaluated_last_counts(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    new = edited(tmp_path / "new.json", predictions=formulas("(2;%match%) > (2;%mismatch%)"))
    old = edited(tmp_path / "old.json")
    scores = []
    for path in (new, old, new, old):
        outcome = pommel("runs", "evaluate", "--suite-file", path, "--format", "csv")
        (row,) = pommel("stats", "accuracy", "--by", "suite", "--format", "csv").rows()
        assert row["accuracy"] == outcome.rows()[0]["score"]
        scores.append(float(row["accuracy"]))
    assert scores == [*scores[:2], *scores[:2]]
    assert scores[0] != scores[1]
    assert len(ids(own_store)) == 2
    # Where it comes from is what it was when it ran.
    first, _ = ids(own_store)
    with Store.open(own_store) as store:
        record = next(each for each in store.runs.heads() if each.run_id == first)
    assert "scored" not in record.result.provenance
    assert record.created > record.result.provenance["date"]
    shown = pommel("runs", "show", first).stdout
    assert f"date        {record.created[:19].replace('T', ' ')} UTC\n" in shown


@pytest.mark.usefixtures("run")
def test_a_suite_without_predictions_does_not_take_the_place_of_one_with(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    path = edited(tmp_path / "new.json", predictions=[])
    assert pommel("runs", "evaluate", "--suite-file", path).status == 0
    assert len(ids(own_store)) == 2
    outcome = pommel("stats", "accuracy", "--by", "suite", "--format", "csv")
    assert [row["n_items"] for row in outcome.rows()] == ["3"]
    assert outcome.stderr == (
        "note: 1 run left out on a suite without predictions, for older ones with a score (dummy "
        "on agreement); --run chooses others\n"
    )


def test_another_rule_is_another_run(pommel: Pommel, run: Outcome, own_store: Path) -> None:
    outcome = pommel("runs", "evaluate", "--score", "each", "--format", "csv")
    (row,) = outcome.rows()
    assert (row["score_rule"], row["prediction_id"]) == ("each", "0")
    assert row["score"] == run.rows()[0]["score"]
    _, new = ids(own_store)
    assert outcome.stderr == f"1 run kept: {new}\n"
    assert pommel("runs", "evaluate", "--score", "each").stderr.startswith("nothing new to keep")


def test_a_table_for_people(pommel: Pommel, run: Outcome) -> None:
    assert run.status == 0
    outcome = pommel("runs", "evaluate", "--score", "first")
    assert "the first prediction of a suite holds" in outcome.stdout
    predictions = pommel("runs", "evaluate", "--score", "first", "--table", "predictions")
    assert "mean margin (bits)" in predictions.stdout


@pytest.mark.usefixtures("run")
def test_json_says_which_run_scored_it(pommel: Pommel, own_store: Path) -> None:
    (value,) = json.loads(
        pommel("runs", "evaluate", "--oov", "skip", "--format", "json-full").stdout
    )
    scored, new = ids(own_store)
    assert value["provenance"]["scored"]["run_id"] == scored
    assert value["provenance"]["oov"] == "skip"
    shown = json.loads(pommel("runs", "show", new, "--format", "json-full").stdout)
    assert shown["provenance"] == value["provenance"]


@pytest.mark.usefixtures("run")
def test_an_edited_suite_takes_the_place_of_the_one_of_its_name(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    path = edited(
        tmp_path / "new.json",
        predictions=formulas("(*;%match%) <= (*;%match%)", "(3;%match%) != (3;%mismatch%)"),
        meta={"metric": "mean"},
    )
    outcome = pommel("runs", "evaluate", "--suite-file", path, "--score", "each", "--format", "csv")
    assert [row["n_holding"] for row in outcome.rows()] == ["3", "3"]
    with Store.open(own_store) as store:
        old, new = store.runs.heads()
        assert store.runs.suite(new).metrics == ("mean",)
        assert old.suite.sha256 != new.suite.sha256
    # And the edited one is checked again with no file.
    again = pommel("runs", "evaluate", new.run_id, "--score", "each", "--format", "csv")
    assert again.stdout == outcome.stdout


@pytest.mark.usefixtures("run")
def test_a_suite_of_another_name_is_checked_for_every_model(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    path = edited(tmp_path / "new.json", meta={"name": "other"})
    outcome = pommel("runs", "evaluate", "--suite-file", path, "--format", "csv")
    assert [(row["model_name"], row["suite"]) for row in outcome.rows()] == [("dummy", "other")]
    assert len(ids(own_store)) == 2


@pytest.mark.usefixtures("run")
def test_sentences_that_were_never_scored(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    path = tmp_path / "new.json"
    path.write_text(json.dumps(suite_value(n_items=4)))
    outcome = pommel("runs", "evaluate", "--suite-file", path)
    assert outcome.status == 1
    assert "dummy has not scored 2 of 8 sentences of agreement" in outcome.stderr
    assert len(ids(own_store)) == 1


def test_models_that_share_a_suite(pommel: Pommel, suite_file: Path, own_store: Path) -> None:
    pommel("run", "dummy://", "dummy://uniform?bits=2", suite_file)
    outcome = pommel("runs", "evaluate", "--score", "first", "--format", "csv")
    assert [row["model_name"] for row in outcome.rows()] == ["dummy", "uniform-2"]
    assert len(ids(own_store)) == 4
    # Under a rule that is given, what it was scored under before does not matter.
    outcome = pommel("runs", "evaluate", "--score", "each", "--format", "csv")
    assert [row["model_name"] for row in outcome.rows()] == ["dummy", "uniform-2"]
    outcome = pommel("runs", "evaluate")
    assert outcome.status == 2
    assert "has runs under the score rules all and first; choose one with --score" in outcome.stderr


def test_compat_stays_what_it_was(pommel: Pommel, suite_file: Path, own_store: Path) -> None:
    pommel("run", "dummy://", suite_file, "--compat", "syntaxgym")
    pommel("runs", "evaluate", "--score", "first")
    with Store.open(own_store) as store:
        assert [each.settings["compat"] for each in store.runs.heads()] == ["syntaxgym"] * 2


def test_results_of_others_have_no_tokens(pommel: Pommel, own_store: Path) -> None:
    save(own_store, imported())
    message = (
        "there are no tokens of 0123456789ab: only results were imported; run the model with "
        "`pommel run`"
    )
    for arguments in ((), ("0123",)):
        outcome = pommel("runs", "evaluate", *arguments)
        assert outcome.failure(2) == f"{message}"
    with Store.open(own_store) as store:
        made(store, agreement("b"))
    outcome = pommel("runs", "evaluate")
    assert outcome.status == 0
    assert outcome.stderr.startswith("note: 1 run left out, imported without tokens\n")


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--table", "tokens"), 2, "--table tokens needs --format csv, tsv or json"),
        (("--suite-file", "nowhere.json"), 3, "nowhere.json: no such file, folder or shipped"),
        (("--fail-under", "1", "--oov", "skip"), 5, "1 gate failed:"),
        (("--fail-under", "suite:agrement=1"), 2, "did you mean 'agreement'?"),
        (("ffff",), 2, "no run has an id that begins with 'ffff'"),
    ],
)
def test_what_a_user_can_mend(
    pommel: Pommel, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("runs", "evaluate", *arguments)
    assert outcome.status == status
    assert message in outcome.stderr


@pytest.mark.usefixtures("run")
def test_two_suites_of_one_name(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    files = [edited(tmp_path / f"{name}.json") for name in "ab"]
    files[0].write_text(files[0].read_text().replace(" <", "<"))
    outcome = pommel("runs", "evaluate", "--suite-file", files[0], "--suite-file", files[1])
    assert outcome.status == 3
    assert "several suites are called 'agreement'" in outcome.stderr
    with Store.open(own_store) as store:
        assert len(store.runs.heads(Selection(complete_only=False))) == 1
