"""Plans: what they have of models and suites, and what is wrong with one that was changed."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pommel.errors import InputError, SuiteError, UsageError
from pommel.models import LoadOptions, NamedModel
from pommel.scoring import Choices
from pommel.sharding import Plan
from pommel.sharding.costs import Costs
from pommel.sources import load_suites

NAMES = ("ngram:///models/ä b.arpa", "dummy://x.json", "builtin://en-ngram")


def planned(
    sources: Sequence[str] = ("number_prep", "number_orc"), *, n_shards: int = 2, limit: int = 0
) -> Plan:
    """Return a plan of three models."""
    loaded = load_suites(sources)
    suites = [each.first_items(limit) if limit else each for each in loaded.suites]
    options = LoadOptions(dtype="float16", checkpoint=Path("/a b"), batch_tokens=7)
    costs = Costs.of(
        [NamedModel(reference=name) for name in NAMES],
        {path: suite for path, suite in zip(loaded.paths, suites, strict=True) if path},
        replace(options, device="cuda:1"),
    )
    return Plan.of(costs, Choices(score_rule="first"), n_shards=n_shards)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    plan = planned(limit=3)
    plan.write(tmp_path / "plan.json")
    again = Plan.read(tmp_path / "plan.json")
    assert again == plan
    assert again.fingerprint == plan.fingerprint == planned(limit=3).fingerprint
    # As plans were before there was this choice.
    assert "punctuation" not in plan.text
    assert again.choices.score_rule == "first"
    assert again.suites[0].source == "suites:number_prep"
    first, *_ = again.load_suites(again.shards[0].pieces[0])
    assert first.n_sentences == 12


def test_a_plan_says_nothing_of_a_machine() -> None:
    options = planned().options
    assert options == LoadOptions(dtype="float16", checkpoint=Path("/a b"))
    assert '"device"' not in planned().text


@pytest.mark.parametrize("n_shards", [1, 2, 3, 100])
def test_each_model_is_on_each_suite_in_one_shard(n_shards: int) -> None:
    plan = planned(n_shards=n_shards)
    pairs = Counter(
        (piece.model, suite)
        for shard in plan.shards
        for piece in shard.pieces
        for suite in piece.suites
    )
    assert pairs == Counter((model, suite) for model in range(3) for suite in range(2))
    assert min(n_shards, 3) <= len(plan.shards) <= min(n_shards, 6)


def test_a_shard_is_named_by_its_number() -> None:
    plan = planned(n_shards=3)
    assert plan.shard("3/3") is plan.shard("3") is plan.shards[2]
    with pytest.raises(UsageError, match=r"^shard 3/64: this plan has 3 shards$"):
        plan.shard("3/64")
    for text in ("0", "4", "", "x", "-1", "²"):
        with pytest.raises(UsageError, match=r"write a number from 1 to 3$"):
            plan.shard(text)


def test_a_suite_that_has_changed_is_refused(tmp_path: Path) -> None:
    (shipped,) = load_suites(["number_prep"]).paths
    assert shipped
    own = tmp_path / "mine ü.json"
    own.write_bytes(shipped.read_bytes())
    plan = planned([str(own)])
    piece = plan.shards[0].pieces[0]
    assert plan.suites[0].source == str(own)
    own.write_text(own.read_text("utf-8").replace("The", "A", 1), "utf-8")
    with pytest.raises(InputError) as caught:
        plan.load_suites(piece)
    assert plan.suites[0].sha256 in str(caught.value)
    assert str(caught.value).startswith(f"{own}: the suite has changed since it was planned")
    own.write_text("{}")
    with pytest.raises(SuiteError, match=r"mine ü\.json:1:1"):
        plan.load_suites(piece)
    own.unlink()
    own.mkdir()
    for name in ("a.json", "b.json"):
        (own / name).write_bytes(shipped.read_bytes())
    with pytest.raises(InputError) as caught:
        plan.load_suites(piece)
    assert str(caught.value) == f"{own}: has 2 suites, not one"


Changed = Callable[[dict[str, object]], object]


def _set(value: object, *path: str | int) -> Changed:
    def change(plan: object) -> None:
        for step in path[:-1]:
            plan = plan[step]  # type: ignore[index]
        plan[path[-1]] = value  # type: ignore[index]

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("x", "format"), ": this is no plan; `pommel plan` writes plans, of version 1"),
        (_set(2, "version"), ": this is of version 2; `pommel plan` writes plans, of version 1"),
        (
            _set("1", "shards", 0, "pieces", 0, "model"),
            ":16:36: Expected `int`, got `str` (at shards[0].pieces[0].model)",
        ),
        (_set(9, "shards", 0, "number"), ":16:12: this is shard 1, by its place"),
        (
            _set(9, "shards", 0, "pieces", 0, "suites", 0),
            ": there are suites 0 to 1 (at shards[0].pieces[0].suites[0])",
        ),
        (
            _set([0, 0], "shards", 0, "pieces", 0, "suites"),
            ": model 0 has suite 0 for the second time (at shards[0].pieces[0].suites[1])",
        ),
        (
            _set(0, "shards", 0, "pieces", 0, "work"),
            ": 0 is no amount of work; write a number above 0 (at shards[0].pieces[0].work)",
        ),
        (
            _set(-5.0, "shards", 0, "pieces", 0, "seconds"),
            ": -5 is no amount of work; write a number above 0 (at shards[0].pieces[0].seconds)",
        ),
        (_set([], "shards", 0, "pieces"), ": this shard has nothing to do (at shards[0])"),
        (_set(7, "models", 1, "nme"), ":6:74: a plan has no 'nme' here (at models[1].nme)"),
        (_set("cuda", "options", "device"), ": a plan has no 'device' here (at options.device)"),
        (
            _set("some", "choices", "score_rule"),
            ": Invalid enum value 'some' (at choices.score_rule)",
        ),
    ],
)
def test_what_is_wrong_with_a_plan_is_told_with_its_place(
    tmp_path: Path, change: Changed, said: str
) -> None:
    path = tmp_path / "plan.json"
    value = json.loads(planned().text)
    change(value)
    lines = [
        f'"{key}": '
        + (
            "[\n" + ",\n".join(map(json.dumps, each)) + "\n]"
            if isinstance(each, list)
            else json.dumps(each)
        )
        for key, each in value.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    with pytest.raises(InputError) as caught:
        Plan.read(path)
    assert said in str(caught.value)


def test_a_key_that_is_there_twice_is_told(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(planned().text.replace('"version": 1', '"version": 1,\n"version": 1'))
    with pytest.raises(SuiteError, match=":4:1: the key 'version' stands here for the second time"):
        Plan.read(path)
