"""`pommel compare` on runs in a real store."""

from pathlib import Path

import pytest
from tests.analysis.records import record, seeds
from tests.cli.samples import Pommel, save

from pommel.scoring.run_record import RunRecord

RUNS = [
    record("gpt2", "s", "1111", sha256="1" * 64),
    record("gpt2", "t", "10"),
    record("ngram", "s", "1000", sha256="2" * 64),
    *seeds("lstm", "s", "1100", "1000"),
]


@pytest.fixture(autouse=True)
def kept(own_store: Path) -> Path:
    """A store with several models on one suite."""
    save(own_store, *RUNS)
    return own_store


def test_two_models(pommel: Pommel) -> None:
    outcome = pommel("compare", "gpt2", "ngram", "--format", "csv")
    assert outcome.status == 0
    suite, whole = outcome.rows()
    assert (suite["level"], suite["suite"], whole["level"]) == ("suite", "s", "all")
    assert (suite["model_a"], suite["model_b"]) == ("gpt2", "ngram")
    assert [suite[name] for name in ("n_both", "n_only_a", "n_only_b", "n_neither")] == [
        *("1", "3", "0", "0")
    ]
    assert (suite["difference"], suite["p_mcnemar"]) == ("0.75", "0.25")
    warning, note = outcome.stderr.splitlines()
    assert warning.startswith("warning: s: gpt2 and ngram have run different versions of this ")
    assert note == "note: 1 suite of gpt2 left out, which ngram has no run on: t"


def test_runs_by_their_ids(pommel: Pommel) -> None:
    def run_id(model: str, suite: str) -> str:
        (found,) = (run for run in RUNS if _is(run, model, suite))
        return found.run_id

    one, other = run_id("gpt2", "s")[:8], run_id("ngram", "s").upper()
    rows = pommel("compare", one, other, "--format", "csv").rows()
    assert [(row["model_a"], row["model_b"], row["suite"]) for row in rows] == [
        ("gpt2", "ngram", "s"),
        ("gpt2", "ngram", ""),
    ]


def _is(run: RunRecord, model: str, suite: str) -> bool:
    return (run.result.model_name, run.result.suite_name) == (model, suite)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("gpt2", "ngramm"),
            "'ngramm' is no model and no run among those that are chosen; did you mean 'ngram'?",
        ),
        (
            ("gpt2", "xyz"),
            (
                "'xyz' is no model and no run among those that are chosen; "
                "`pommel runs list` shows what there is"
            ),
        ),
        (
            ("[gn]*", "lstm"),
            (
                "'[gn]*' means 2 models: gpt2, ngram; name one, or the seeds of one family "
                "(--score and --source choose among runs of one model)"
            ),
        ),
        (
            ("gpt2", "ngram", "--model", "gpt2"),
            "--model is for other commands: here A and B say what is compared",
        ),
        (
            ("gpt2", "ngram", "--suite", "t"),
            (
                "'ngram' is no model and no run among those that are chosen; "
                "`pommel runs list` shows what there is"
            ),
        ),
    ],
)
def test_what_cannot_be_compared(pommel: Pommel, arguments: tuple[str, ...], message: str) -> None:
    outcome = pommel("compare", *arguments)
    assert outcome.status == 2
    assert outcome.stderr.splitlines()[-1] == f"pommel: {message}"
    assert outcome.stdout == ""
