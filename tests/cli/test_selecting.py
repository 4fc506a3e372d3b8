"""What other commands are given of the stored runs: records, or runs with tokens."""

import gc
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

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
from pommel.store.run_rows import RunRow, RunRows


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


@pytest.mark.parametrize(
    ("arguments", "n_looks"), [((), 1), (("--score", "all"), 2), (("--suite", "npi"), 2)]
)
def test_where_nothing_is_chosen_rows_are_looked_at_once(
    own_store: Path,
    arguments: tuple[str, ...],
    n_looks: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save(own_store, imported(), imported("b" * 12, suite="npi"))
    looks = []
    rows = RunRows.rows

    def looked(own: RunRows, *given: Any, **named: Any) -> Iterator[RunRow]:
        looks.append(given)
        return rows(own, *given, **named)

    monkeypatch.setattr(RunRows, "rows", looked)
    assert all(each.result.is_read for each in parsed(*arguments).records())
    assert len(looks) == n_looks


def test_a_damaged_run_that_does_not_count_is_no_matter(own_store: Path) -> None:
    older = replace(imported("a" * 12), created="2019-01-01T00:00:00+00:00")
    save(own_store, older, imported("b" * 12))
    with Store.open(own_store) as store:
        store.database.connection.execute("UPDATE runs SET check_sum = 0 WHERE run_key = 1")
    assert [each.run_id for each in parsed().records()] == ["b" * 12]
    with pytest.raises(StoreError, match="is damaged"):
        parsed("--run", "aaaa").records()


def test_no_cycles_are_looked_for_while_a_command_reads_runs(own_store: Path) -> None:
    save(own_store, imported())
    is_on = []

    @click.command()
    @takes_options
    def command(chosen: SelectionOptions) -> None:
        chosen.records()
        is_on.append(gc.isenabled())

    assert CliRunner().invoke(command, []).exit_code == 0
    assert (is_on, gc.isenabled()) == ([False], True)


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
