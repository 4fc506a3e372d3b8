"""Shards that are run: what comes of them together, and what of them when something goes wrong."""

import json
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.sharding.shards import (
    MODELS,
    SUITES,
    assert_equal,
    merged,
    planned,
    run_alone,
    run_shards,
)
from tests.sharding.slow_model import SlowModel, open_model
from tests.word_model import WordModel, replace_kind

from pommel.errors import InputError, ModelError, PommelError, UsageError
from pommel.models import LoadOptions, NamedModel, Policy
from pommel.models.model import Spans
from pommel.scoring import Choices
from pommel.sharding import Plan, PlanFolder
from pommel.sharding.status import Status
from pommel.store import Store
from pommel.surprisal import ScoredSentence

SEALED = "shard-*/sealed-*.sqlite"


def test_merged_shards_are_the_single_run(tmp_path: Path) -> None:
    plan = planned()
    run_shards(plan, tmp_path / "shards")
    whole = run_alone(plan, tmp_path / "whole.sqlite")
    assert_equal(merged(tmp_path / "shards", tmp_path / "merged.sqlite"), whole)
    assert [each.state for each in Status.read(plan, tmp_path / "shards").shards] == ["done"] * 3


def test_what_a_shard_leaves(tmp_path: Path) -> None:
    plan = planned(n_shards=1)
    assert run_shards(plan, tmp_path) == [
        "shard 1/1, 1 of 2: dummy://uniform?bits=2 on 3 suites",
        "shard 1/1, 2 of 2: builtin://en-ngram on 3 suites",
        "shard 1/1 is done: 6 runs",
    ]
    folder = tmp_path / "shard-1-of-1"
    (path,) = folder.glob("sealed-*.json")
    manifest = json.loads(path.read_text())
    assert manifest["plan"] == plan.fingerprint == Plan.read(tmp_path / "plan.json").fingerprint
    assert (manifest["runs"], manifest["failures"], manifest["shard"]) == (6, [], "1/1")
    assert [each["model"] for each in manifest["pieces"]] == [0, 1]
    assert (folder / manifest["file"]).is_file()
    (attempt,) = (each for each in folder.iterdir() if each.is_dir())
    # The segments are gone; what is left says who it was, and how it ended.
    assert sorted(each.name for each in attempt.iterdir()) == ["attempt.json", "ended.json"]
    assert json.loads((attempt / "ended.json").read_text()) == {"how": "sealed"}
    assert json.loads((attempt / "attempt.json").read_text())["host"] == manifest["host"]
    with Store.open(merged(tmp_path, tmp_path / "merged.sqlite")) as store:
        ((session,),) = store.database.rows("SELECT DISTINCT provenance FROM sessions")
    assert json.loads(session)["host"] == manifest["host"]
    assert json.loads(session)["shard"] == "1/1"
    # What is done is not done again.
    assert run_shards(plan, tmp_path) == [f"shard 1/1 is done: {folder / manifest['file']}"]


def test_the_next_model_is_fetched_while_one_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, fetched = planned(n_shards=1), threading.Event()
    done: list[bool] = []

    def fetch(named: NamedModel, options: LoadOptions) -> None:
        assert (named, options.pull_progress) == (plan.models[1], None)
        fetched.set()

    class Waiting(WordModel):
        """Answers when the next model has been fetched."""

        def score(
            self,
            sentences: Sequence[str],
            policy: Policy,
            spans: Sequence[Spans | None] | None = None,
        ) -> Iterator[tuple[int, ScoredSentence]]:
            done.append(fetched.wait(60))
            return super().score(sentences, policy, spans)

    monkeypatch.setattr(NamedModel, "fetch", fetch)
    replace_kind(monkeypatch, "dummy", lambda _reference, _options: Waiting())
    run_shards(plan, tmp_path)
    assert {*done} == {True}


def test_two_workers_on_one_shard_do_no_harm(tmp_path: Path) -> None:
    plan = planned(n_shards=1)
    run_shards(plan, tmp_path / "one")
    run_shards(plan, tmp_path / "two")
    # As if both had begun before the other was done.
    shutil.copytree(tmp_path / "two", tmp_path / "one", dirs_exist_ok=True)
    assert len([*(tmp_path / "one").glob(SEALED)]) == 2
    found = merged(tmp_path / "one", tmp_path / "merged.sqlite")
    assert_equal(found, run_alone(plan, tmp_path / "whole.sqlite"))


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_seal_that_is_not_whole_is_made_again(tmp_path: Path, damage: str) -> None:
    plan = planned(MODELS[:1], n_shards=1)
    folder = tmp_path / "shards"
    run_shards(plan, folder)
    (path,) = folder.glob(SEALED)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-4096])
    else:
        path.unlink()
    told = run_shards(plan, folder)
    note = f"note: {path}: is not what was written, and passed over"
    assert (note in told) is (damage == "cut")
    whole = run_alone(plan, tmp_path / "whole.sqlite")
    assert_equal(merged(folder, tmp_path / "merged.sqlite"), whole)


def test_another_plan_is_refused(tmp_path: Path) -> None:
    run_shards(planned(), tmp_path, 1)
    other = planned(n_shards=2)
    with pytest.raises(UsageError) as caught:
        run_shards(other, tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: has the shards of another plan ({planned().fingerprint[:12]}, and this one "
        f"is {other.fingerprint[:12]}); give another folder with -o"
    )
    # A manifest that was put there by hand.
    run_shards(planned(MODELS[:1]), tmp_path / "other")
    (manifest,) = (tmp_path / "other" / "shard-2-of-3").glob("*.json")
    (tmp_path / "shard-2-of-3").mkdir()
    shutil.copy(manifest, tmp_path / "shard-2-of-3")
    with pytest.raises(InputError, match="is of another plan; take it out of this folder"):
        merged(tmp_path, tmp_path / "merged.sqlite")


@pytest.mark.parametrize(
    ("changed", "said"),
    [(None, ": the suite has changed since it was planned"), ("{}", ":1:1: ")],
    ids=["changed", "no suite"],
)
def test_a_suite_that_has_changed_costs_only_itself(
    tmp_path: Path, changed: str | None, said: str
) -> None:
    shipped = planned(MODELS[1:], n_shards=1).suites[0].load()
    path = tmp_path / "own.json"
    path.write_text(shipped.to_text())
    plan = planned(MODELS[1:], [str(path), *SUITES[1:]], n_shards=1)
    path.write_text(changed or shipped.first_items(3).to_text())
    with pytest.raises(PommelError, match=said) as caught:
        run_shards(plan, tmp_path / "shards")
    assert caught.value.exit_status == 3
    (status,) = Status.read(plan, tmp_path / "shards").shards
    assert status.state == "failed"
    assert status.reasons[0].startswith(
        f"builtin://en-ngram on {plan.suites[0].name}: {path}{said}"
    )
    with Store.open(merged(tmp_path / "shards", tmp_path / "merged.sqlite")) as store:
        assert [each.result.suite_name for each in store.runs.records()] == [*SUITES[1:]]
    # Run again when it has been put back, it is whole.
    path.write_text(shipped.to_text())
    run_shards(plan, tmp_path / "shards")
    assert Status.read(plan, tmp_path / "shards").missing == ()
    found = merged(tmp_path / "shards", tmp_path / "again.sqlite")
    assert_equal(found, run_alone(plan, tmp_path / "whole.sqlite"))


def test_a_model_that_fails_costs_only_itself(tmp_path: Path) -> None:
    models = (f"ngram://{tmp_path}/none.arpa", MODELS[1])
    plan = planned(models, n_shards=1)
    with pytest.raises(ModelError, match=r"none\.arpa") as caught:
        run_shards(plan, tmp_path / "shards")
    assert caught.value.exit_status == 4
    (status,) = Status.read(plan, tmp_path / "shards").shards
    assert status.state == "failed"
    assert len(status.reasons) == 1
    found = merged(tmp_path / "shards", tmp_path / "merged.sqlite")
    assert_equal(found, run_alone(planned(MODELS[1:], n_shards=1), tmp_path / "whole.sqlite"))


@POSIX_ONLY
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "shards").write_text("no folder")
    with pytest.raises(PommelError, match="shards"):
        run_shards(planned(), tmp_path / "shards")


def test_a_scratch_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Store.open.__func__  # type: ignore[attr-defined]

    def small(kind: type[Store], /, path: Path, **chosen: bool) -> Store:
        store: Store = opened(kind, path, **chosen)
        if path.parent.name.startswith("pommel-shard-"):
            store.database.rows("PRAGMA max_page_count = 25")
        return store

    monkeypatch.setattr(Store, "open", classmethod(small))
    with pytest.raises(PommelError) as caught:
        run_shards(planned(n_shards=1), tmp_path / "shards")
    assert "the disk is full" in str(caught.value)
    assert "TMPDIR" in str(caught.value)
    monkeypatch.undo()
    (ended,) = tmp_path.glob("shards/*/*/ended.json")
    assert "the disk is full" in json.loads(ended.read_text())["reason"]
    run_shards(planned(n_shards=1), tmp_path / "shards")
    found = merged(tmp_path / "shards", tmp_path / "merged.sqlite")
    assert_equal(found, run_alone(planned(n_shards=1), tmp_path / "whole.sqlite"))


def test_a_clock_that_is_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(n_shards=2)
    run_shards(plan, tmp_path / "shards", 1)
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time((1999, 1, 1, 0, 0, 0, 4, 1, 0)))
    run_shards(plan, tmp_path / "shards")
    found = merged(tmp_path / "shards", tmp_path / "merged.sqlite")
    assert_equal(found, run_alone(plan, tmp_path / "whole.sqlite"))


class _Network(SlowModel):
    """A model that says how much it would have to compute: five for each region."""

    def work(
        self, _texts: Sequence[str], _policy: Policy, spans: Sequence[Spans | None]
    ) -> tuple[int, ...]:
        return (5 * sum(7 if own is None else len(own) for own in spans),)


def test_which_regions_auto_means_is_the_same_in_all_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each suite alone is short enough for all regions, both together are not."""
    monkeypatch.setenv("SLOW_LOG", str(tmp_path / "log"))
    replace_kind(monkeypatch, "slow", lambda *asked: _Network(info=open_model(*asked).info))
    plan = planned(["slow://one"], ["number_prep", "number_orc"], n_shards=2)
    assert [len(shard.pieces[0].suites) for shard in plan.shards] == [1, 1]
    plan = replace(plan, choices=Choices(regions="auto"))
    run_shards(plan, tmp_path / "shards")
    paths = [merged(tmp_path / "shards", tmp_path / "merged.sqlite")]
    paths.append(run_alone(plan, tmp_path / "whole.sqlite"))
    found = []
    for path in paths:
        with Store.open(path) as store:
            found.append([each.result.provenance["regions"] for each in store.runs.records()])
    assert found == [["needed", "needed"]] * 2


@pytest.mark.parametrize(
    ("name", "value", "shard"),
    [
        ("SLURM_ARRAY_TASK_ID", "3", "3"),
        ("JOB_COMPLETION_INDEX", "0", "1"),
        ("SKYPILOT_NODE_RANK", "63", "64"),
    ],
)
def test_schedulers_say_which_shard_it_is(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, shard: str
) -> None:
    assert PlanFolder.shard_of_environment() is None
    monkeypatch.setenv(name, value)
    assert PlanFolder.shard_of_environment() == shard
    for other in ("", "\N{SUPERSCRIPT TWO}", "-1", "1/2"):
        monkeypatch.setenv(name, other)
        assert PlanFolder.shard_of_environment() is None
