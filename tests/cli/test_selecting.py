"""What other commands are given of the stored runs: records, or runs with tokens."""

from dataclasses import fields
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.cli.samples import save
from tests.store.run_samples import agreement, assert_same_result, imported, made

from pommel.cli.option_groups import takes_options
from pommel.cli.selecting import RunSelectionOptions, SelectionOptions
from pommel.errors import StoreError, UsageError
from pommel.store import Store


def parsed(*arguments: str | Path) -> SelectionOptions:
    """Return what a command with these options is given."""
    found = []

    @click.command()
    @takes_options
    def command(chosen: SelectionOptions) -> None:
        found.append(chosen)

    outcome = CliRunner().invoke(command, [str(each) for each in arguments])
    assert outcome.exit_code == 0, outcome.output
    return found[0]


def test_records_have_their_items(own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement())
        store.runs.save_records([imported()])
    ours, theirs = parsed().records()
    assert_same_result(ours.result, run.result)
    assert theirs.source == "paper"
    assert [each.source for each in parsed("--source", "p*r").records()] == ["paper"]


def test_another_store_is_named(own_store: Path, tmp_path: Path) -> None:
    save(tmp_path / "other.sqlite", imported())
    assert len(parsed("--store", tmp_path / "other.sqlite").records()) == 1
    with pytest.raises(UsageError, match="there is no store"):
        parsed().records()
    assert not own_store.exists()


def test_runs_have_tokens_and_names_that_tell_them_apart(own_store: Path) -> None:
    with Store.open(own_store) as store:
        run = made(store, agreement())
        store.runs.save_records([imported(model="words", suite="npi")])
    (found,) = parsed("--suite", "agreement").runs_with_tokens()
    assert found.result.model_name == found.surprisals.model.name == "words"
    pd.testing.assert_frame_equal(found.to_frame("tokens"), run.to_frame("tokens"))
    both = parsed().runs_with_tokens()
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
        parsed("--source", "pommel", *arguments).records()
    assert str(raised.value) == message


def test_the_score_rule_may_be_left_to_a_command() -> None:
    names = {each.name for each in fields(RunSelectionOptions)}
    assert {each.name for each in fields(SelectionOptions)} - names == {"only_score_rules"}
