"""`pommel runs list` and `pommel runs show`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, save, suite_value
from tests.store.run_samples import agreement, imported, made, named, own, reported
from tests.word_model import WordModel

from pommel.errors import ModelError
from pommel.scoring.results import KeptPredictions
from pommel.scoring.run_record import RunRecord
from pommel.store import Store
from pommel.store.store import run_and_keep

FILL = "`pommel run MODEL SUITE...` keeps its runs, `pommel import-results` those of others"


def listed(pommel: Pommel, *arguments: str) -> list[dict[str, str]]:
    outcome = pommel("runs", "list", *arguments, "--format", "csv")
    assert outcome.status == 0, outcome.stderr
    return outcome.rows()


@pytest.mark.parametrize("is_there", [False, True])
def test_nothing_to_list_is_no_error(pommel: Pommel, own_store: Path, is_there: bool) -> None:  # noqa: FBT001
    if is_there:
        Store.open(own_store).close()
    outcome = pommel("runs", "list")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"note: {own_store} has no runs yet; {FILL}\n"
    assert own_store.exists() == is_there
    assert listed(pommel) == []
    assert json.loads(pommel("runs", "list", "--format", "json").stdout) == []


def test_how_runs_were_scored_is_shown_where_it_differs(
    pommel: Pommel, suite_file: Path, own_store: Path
) -> None:
    pommel("run", "dummy://", suite_file)
    pommel("run", "dummy://", suite_file, "--bos", "never", "--oov", "skip")
    pommel("run", "dummy://", suite_file, "--compat", "syntaxgym")
    assert "policy" in pommel("runs", "list").stdout.splitlines()[1]
    assert [row["policy"] for row in listed(pommel)] == [
        "bos=tokenizer first_token=zero compat=syntaxgym",
        "bos=never oov=skip",
        "",
    ]
    assert [row["policy"] for row in listed(pommel, "--policy", "oov=skip")] == [
        "bos=never oov=skip"
    ]
    assert own_store.exists()


def test_number_formats_are_shown_where_they_differ(pommel: Pommel, own_store: Path) -> None:
    save(own_store, own(1, loaded={"dtype": "float32"}), own(2, loaded={"dtype": "bfloat16"}))
    assert [row["policy"] for row in listed(pommel)] == ["dtype=bfloat16", ""]
    assert [row["run_id"] for row in listed(pommel, "--policy", "dtype=float32")] == [f"{1:012x}"]


def test_a_long_list_is_cut_for_people(pommel: Pommel, own_store: Path) -> None:
    save(own_store, *(imported(f"{number:012x}") for number in range(33)))
    outcome = pommel("runs", "list")
    assert outcome.stdout.count("gpt2") == 30
    assert outcome.stderr == "3 older runs not shown; --all shows them\n"
    # The last to be saved is the newest.
    assert "│ 000000000020 │" in outcome.stdout
    assert "000000000000" not in outcome.stdout
    assert pommel("runs", "list", "--all").stdout.count("gpt2") == 33
    assert len(listed(pommel)) == 33


def test_an_interrupted_run_says_how_far_it_is(pommel: Pommel, own_store: Path) -> None:
    model = WordModel(fails_at="An owl sat .")
    with Store.open(own_store) as store:
        with pytest.raises(ModelError):
            list(run_and_keep(named(model), model, [agreement()], store=store))
        ((n_scored,),) = store.database.rows("SELECT count(*) FROM scored")
    assert f"interrupted: {n_scored} of 6 sentences" in pommel("runs", "list").stdout
    (row,) = listed(pommel)
    assert (row["status"], row["n_scored"], row["n_sentences"]) == (
        "interrupted",
        str(n_scored),
        "6",
    )
    assert (row["n_items"], row["score"]) == ("", "")
    shown = pommel("runs", "show", row["run_id"])
    assert f" · interrupted: {n_scored} of 6 sentences\n" in shown.stdout
    assert "score:" not in shown.stdout
    value = json.loads(pommel("runs", "show", row["run_id"], "--format", "json-full").stdout)
    assert (value["n_scored"], value["score"], value["scores"]) == (n_scored, None, [])


def test_results_of_others_of_which_some_are_lost(pommel: Pommel, own_store: Path) -> None:
    save(own_store, replace(imported(), status="interrupted"))
    assert pommel("runs", "list").stdout.splitlines()[3].endswith("│ incomplete │")
    (row,) = listed(pommel)
    assert (row["status"], row["n_scored"], row["n_sentences"]) == ("interrupted", "", "")
    assert "run         0123456789ab · incomplete\n" in pommel("runs", "show", "0123").stdout


def test_results_of_others_say_what_is_known(pommel: Pommel, own_store: Path) -> None:
    save(own_store, imported(rule="each", holds="1-0"), reported())
    rows = listed(pommel)
    assert [(row["score"], row["low"], row["n_items"]) for row in rows] == [
        ("0.826", "", "0"),
        ("0.5", "0.09453120573423074", "3"),
    ]
    assert "0.83 │ complete" in pommel("runs", "list").stdout


def test_runs_on_several_predictions_show_their_mean(pommel: Pommel, own_store: Path) -> None:
    with Store.open(own_store) as store:
        made(store, agreement(), score_rule="each")
        made(store, agreement("none", formulas=[]))
    assert "(mean) │ complete" in pommel("runs", "list").stdout
    assert "no predictions │ complete" in pommel("runs", "list").stdout
    assert [row["low"] for row in listed(pommel)] == ["", ""]


# --- one run


def test_a_run_in_full(pommel: Pommel, own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement(version="1.2.0"), oov="skip")
        record = RunRecord.of(run)
    outcome = pommel("runs", "show", record.run_id[:4].upper())
    head, table, rest = outcome.stdout.split("\n\n")
    created = record.created.replace("T", " ").removesuffix("+00:00")
    assert head.splitlines() == [
        f"run         {record.run_id} · complete",
        "model       words · toy://words · toy",
        "suite       agreement · agreement · en · version 1.2.0 · 3 items",
        "policy      bos auto, eos auto, first_token unscored, method auto, boundary raw",
        "settings    oov skip, swallowed undefined",
        "score rule  all",
        "source      pommel",
        f"date        {created} UTC",
    ]
    assert "0: (2;%good%) < (2;%bad%)" in table
    assert table.splitlines()[-1].startswith("score: 0.3333 [0.0615, 0.7923], 1 of 3 items")
    # How wide the first column is depends on which packages are loaded.
    lines = [line.split() for line in rest.splitlines()]
    assert ["suite.version", "1.2.0"] in lines
    assert ["model.reference", "toy://words"] in lines


def test_a_run_of_a_family_that_others_have_published(pommel: Pommel, own_store: Path) -> None:
    save(own_store, imported(rule="each"))
    lines = pommel("runs", "show", "0123456789ab").stdout.splitlines()
    assert lines[1] == "model       gpt2 · GPT · 117,000,000 parameters"
    assert lines[2] == "suite       agreement · agreement · en · number · 3 items"
    assert "policy" not in "".join(lines)
    # No margins were published.
    assert [each.strip() for each in lines[-3].split("│")[2:7]] == ["2/3", "0.67", "-", "-", "-"]
    assert lines[-1] == "score of prediction 0: 0.6667 [0.2077, 0.9385], 2 of 3 items"


def test_a_reported_score_has_no_counts(pommel: Pommel, own_store: Path) -> None:
    save(own_store, reported())
    assert pommel("runs", "show", "fedc").stdout.splitlines()[-1] == "score: 0.8260"


def test_infinite_and_missing_margins_are_json(pommel: Pommel, own_store: Path) -> None:
    with Store.open(own_store) as store:
        model = WordModel(bits={"barks": float("inf")})
        record = RunRecord.of(made(store, agreement(), model))
        store.runs.save_records([imported()])
    shown = pommel("runs", "show", record.run_id, "--format", "json-full").stdout
    assert '"margin_bits": 1e999' in shown
    assert json.loads(shown)["items"][0]["margin_bits"] == float("inf")
    others = json.loads(pommel("runs", "show", "0123", "--format", "json-full").stdout)
    assert others["items"][0]["margin_bits"] is None


# --- what a user can mend


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "abc"), "run 'abc': give at least 4 digits of its id"),
        (("show", "9999"), "no run has an id that begins with '9999'; `pommel runs list` shows"),
        (("show", "0123456789aa"), "begins with '0123456789aa'; did you mean 0123456789ab?"),
        (
            ("show", "01234"),
            (
                "run '01234' may be 0123456789ab (gpt2 on agreement), 0123400000ff (gpt2 on npi); "
                "give more digits of its id"
            ),
        ),
        (("list", "--model", "gtp2"), "--model 'gtp2': no run in the store has such a model; did "),
        (("list", "--suite", "x*"), "such a suite; there are agreement, npi"),
        (("list", "--circuit", "npi"), "such a circuit; there are agreement"),
        (("list", "--source", "pommel"), "such a source; there are paper"),
        (("list", "--language", "de"), "such a language; there are en"),
        (("list", "--policy", "beam=3"), "--policy beam=3: write KEY=VALUE (method=pll); KEY is "),
        (("list", "--policy", "bos"), "--policy bos: write KEY=VALUE (method=pll); KEY is method,"),
        (("list", "--policy", "bos=never"), "--policy bos=never: of what fits, it is not known"),
        (
            ("list", "--score", "each"),
            (
                "--score each: what fits was evaluated under all; `pommel runs evaluate --score "
                "each` evaluates it anew, with no model"
            ),
        ),
        (("list", "--run", "0123456789ab", "--suite", "npi"), "no run in STORE fits all of that"),
        (("list", "--score", "some"), "'some' is not one of 'all', 'first', 'each'"),
        (("list", "--store", "nowhere.sqlite", "--all", "--run"), "requires an argument"),
    ],
)
def test_what_fits_no_run(
    pommel: Pommel, own_store: Path, arguments: tuple[str, ...], message: str
) -> None:
    save(own_store, imported(), imported("0123400000ff", suite="npi"))
    outcome = pommel("runs", *arguments)
    assert outcome.status == 2
    assert message.replace("STORE", str(own_store)) in outcome.stderr
    assert outcome.stdout == ""


def test_there_is_no_store_to_show_from(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "none.sqlite"
    outcome = pommel("runs", "show", "abcd", "--store", path)
    assert outcome.failure(2) == f"{path}: there is no store; {FILL}"
    Store.open(path).close()
    outcome = pommel("runs", "show", "abcd", "--store", path)
    assert outcome.stderr == f"pommel: {path}: has no runs yet; {FILL}\n"


def test_a_file_that_is_no_store(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(suite_value()))
    outcome = pommel("runs", "list", "--store", path)
    assert outcome.status == 1
    assert "is no SQLite file, and was not changed" in outcome.stderr


def test_names_of_others_cannot_steer_a_terminal(pommel: Pommel, own_store: Path) -> None:
    with Store.open(own_store) as store:
        record = imported(model="[bold]x[/bold]")
        store.runs.save_records([replace(record, source="a\tb")])
    assert "[bold]x[/bold]" in pommel("runs", "list").stdout


def test_no_item_is_unpacked_for_a_list(
    pommel: Pommel, own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(own_store) as store:
        store.runs.save_records([imported(f"{n:012x}", suite=f"suite-{n}") for n in range(40)])
    wanted = pommel("runs", "list", "--format", "csv").rows()

    def unpacked(_: KeptPredictions) -> None:
        raise AssertionError

    monkeypatch.setattr(KeptPredictions, "unpacked", unpacked)
    assert pommel("runs", "list", "--format", "csv").rows() == wanted
    assert {each["score"] for each in wanted} == {str(2 / 3)}
    assert pommel("runs", "list").status == 0
