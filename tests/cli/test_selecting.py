"""What other commands are given of the stored runs: records, or runs with tokens."""

from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.cli.samples import save
from tests.store.run_samples import agreement, assert_same_result, imported, made

from pommel.cli.selecting import (
    run_options,
    selected_records,
    selected_runs,
    selection_options,
)
from pommel.errors import StoreError, UsageError
from pommel.store import Store


def parsed(*arguments: str | Path) -> dict[str, Any]:
    """Return what a command with these options is given."""
    found: dict[str, Any] = {}

    @click.command()
    @selection_options
    def command(**chosen: Any) -> None:
        found.update(chosen)

    outcome = CliRunner().invoke(command, [str(each) for each in arguments])
    assert outcome.exit_code == 0, outcome.output
    return found


def test_records_have_their_items(own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement())
        store.runs.save_records([imported()])
    ours, theirs = selected_records(parsed())
    assert_same_result(ours.result, run.result)
    assert theirs.source == "paper"
    assert [each.source for each in selected_records(parsed("--source", "p*r"))] == ["paper"]


def test_another_store_is_named(own_store: Path, tmp_path: Path) -> None:
    save(tmp_path / "other.sqlite", imported())
    assert len(selected_records(parsed("--store", tmp_path / "other.sqlite"))) == 1
    with pytest.raises(UsageError, match="there is no store"):
        selected_records(parsed())
    assert not own_store.exists()


def test_runs_have_tokens_and_names_that_tell_them_apart(own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement())
        store.runs.save_records([imported(model="words", suite="npi")])
    (found,) = selected_runs(parsed("--suite", "agreement"))
    assert found.result.model_name == found.surprisals.model.name == "words"
    pd.testing.assert_frame_equal(found.to_frame("tokens"), run.to_frame("tokens"))
    both = selected_runs(parsed())
    assert next(both).to_frame("tokens")["model_name"].unique().tolist() == ["toy://words"]
    with pytest.raises(StoreError, match="there are results only, no suite and no tokens"):
        next(both)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "bos=never"), "--policy bos=never: what fits has bos=auto"),
        (
            ("--policy", "bos=auto", "--policy", "oov=skip"),
            (
                "--policy oov=skip: what fits has oov=keep; `pommel runs evaluate --oov skip` "
                "makes others"
            ),
        ),
        (
            ("--model", "words", "--score", "first"),
            (
                "--score first: what fits was evaluated under all; `pommel runs evaluate --score "
                "first` evaluates it anew, with no model"
            ),
        ),
    ],
)
def test_what_there_is_where_nothing_fits(
    own_store: Path, arguments: tuple[str, ...], message: str
) -> None:
    with Store.open(own_store) as store:
        made(store, agreement())
        store.runs.save_records([imported(rule="first")])
    with pytest.raises(UsageError) as raised:
        selected_records(parsed("--source", "pommel", *arguments))
    assert str(raised.value) == message


def test_the_score_rule_may_be_left_to_a_command() -> None:
    @click.command()
    @run_options
    def command(**_: Any) -> None: ...

    assert "--score" not in {name for each in command.params for name in each.opts}
    assert set(parsed()) == {
        "only_runs",
        "only_models",
        "only_suites",
        "only_circuits",
        "only_languages",
        "only_sources",
        "only_rules",
        "only_choices",
        "store",
    }
