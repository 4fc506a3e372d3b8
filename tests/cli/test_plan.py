"""`pommel plan`: what it prints and writes, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

from pommel.sharding import Plan

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(name="run")
def run_pommel(pommel: Pommel) -> Run:
    """What gives status, stdout and stderr of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        done = pommel(*arguments)
        return done.status, done.stdout, done.stderr

    return run


@pytest.fixture(name="folder")
def folder_with_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two n-gram models that nobody loads, in the folder one is in."""
    for name in ("seed-1.arpa", "seed-2.arpa", "ä b.arpa"):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_shards_are_shown(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    status, shown, said = run(
        "plan", "ngram://seed-{1,2}.arpa", "number_prep", "number_orc", "--shards", "2"
    )
    assert status == 0
    assert shown.splitlines()[0].rstrip() == "2 models x 2 suites, 2 shards"
    assert "│     1 │      1 │    2 │ 0:00:02 │  1 GiB │" in shown
    assert "0:00:04 of work, 2 loadings; the longest shard: 0:00:02" in shown
    assert said.startswith("note: times are guesses: 2 s and 500 MB a second for loading")
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_what_rests_on_a_model_of_unknown_size_is_marked(run: Run) -> None:
    arguments = ["plan", "dummy://x", "ngram://seed-1.arpa", "number_prep", "--shards", "2"]
    status, shown, _ = run(*arguments)
    assert status == 0
    marked, known = "│      1 │    1 │ ~0:00:07 │ ~1 GiB │", "│      1 │    1 │  0:00:02 │  1 GiB │"
    assert marked in shown
    assert known in shown
    assert "~0:00:09 of work, 2 loadings; the longest shard: ~0:00:07" in shown
    assert "~: a guess; size unknown of 1 model: 100 million weights" in shown
    _, shown, _ = run(*arguments, "--format", "json")
    assert sorted(each["n_unsized"] for each in json.loads(shown)["shards"]) == [0, 1]


def test_a_plan_has_families_choices_and_names_from_the_root(run: Run, folder: Path) -> None:
    arguments = ["number_prep", "ngram://seed-*.arpa", "ngram://ä b.arpa", "--score", "first"]
    arguments += ["--limit", "3", "--shards", "2", "--no-offline"][:-1]
    status, _, said = run("plan", *arguments, "-o", "my plan.json")
    assert status == 0
    assert said.endswith("Plan: my plan.json\n")
    plan = Plan.read(folder / "my plan.json")
    assert [each.reference for each in plan.models] == [
        f"ngram://{folder}/seed-1.arpa",
        f"ngram://{folder}/seed-2.arpa",
        f"ngram://{folder}/ä b.arpa",
    ]
    assert [each.membership and each.membership.label for each in plan.models] == [
        "seed-1",
        "seed-2",
        None,
    ]
    assert plan.suites[0].limit == 3
    assert plan.choices.score_rule == "first"
    first = (folder / "my plan.json").read_bytes()
    run("plan", *arguments, "-o", "my plan.json")
    assert (folder / "my plan.json").read_bytes() == first


@pytest.mark.usefixtures("folder")
def test_shards_of_some_minutes_are_as_many_as_that_takes(run: Run) -> None:
    sources = ("plan", "ngram://seed-{1,2}.arpa", "number_prep", "number_orc")
    status, shown, _ = run(*sources, "--minutes", "0.037", "--format", "json")
    assert status == 0
    assert [each["n_runs"] for each in json.loads(shown)["shards"]] == [[2], [2]]
    assert run(*sources, "--minutes", "1")[1].startswith("2 models x 2 suites, 1 shard")


@pytest.mark.usefixtures("folder")
def test_more_shards_than_there_is_work_for_are_not_made(run: Run) -> None:
    _, shown, said = run("plan", "ngram://seed-1.arpa", "number_prep", "--shards", "64")
    assert shown.startswith("1 model x 1 suite, 1 shard")
    assert "note: more than 1 shard would not be done any sooner\n" in said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ["ngram://seed-1.arpa", "-"],
            2,
            "-: workers cannot read standard input; name the suite's file",
        ),
        (["number_prep"], 2, "no model to run: number_prep would be suites"),
        (["ngram://seed-1.arpa", "number_prp"], 3, "did you mean suites:number_prep?"),
        (
            ["ngram://seed-1.arpa", "number_prep", "--shards", "2", "--minutes", "3"],
            2,
            "say how many shards there are to be, or of how many minutes",
        ),
        (["status", "."], 2, ". has no plan.json: `pommel run --plan PLAN -o .` makes it"),
        (["status", "nowhere"], 2, "nowhere has no plan.json"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    run: Run, arguments: list[str], status: int, said: str
) -> None:
    found, shown, error = run("plan", *arguments)
    assert (found, shown) == (status, "")
    assert said in error


def test_a_faulty_suite_keeps_a_plan_from_being_made(run: Run, folder: Path) -> None:
    (folder / "bad.json").write_text("{}")
    status, _, said = run("plan", "ngram://seed-1.arpa", "number_prep", "bad.json", "-o", "p.json")
    assert status == 3
    assert "bad.json:1:1:" in said
    assert not (folder / "p.json").exists()


def test_status_shows_what_is_not_done(run: Run, folder: Path) -> None:
    sources = ("ngram://seed-{1,2}.arpa", "number_prep", "number_orc")
    run("plan", *sources, "--shards", "2", "-o", "plan.json")
    status, shown, _ = run("plan", "status", ".")
    assert status == 1
    assert shown.splitlines()[0].rstrip() == "2 shards: 2 missing; 0:00:04 of work left"
    assert run("plan", "status", ".", "--missing") == (1, "1-2\n", "")
    for number in (1, 2):
        (folder / f"shard-{number}-of-2").mkdir()
        (folder / f"shard-{number}-of-2" / "a.sqlite").touch()
    sealed = folder / "shard-1-of-2" / "sealed-a.json"
    reference = f"ngram://{folder}/seed-1.arpa"
    failures = [{"model": reference, "suite": "number_orc", "reason": "a \x1b[31mline\nor two"}]
    seal: dict[str, object] = {"file": "a.sqlite", "pieces": [], "failures": []}
    seal["plan"] = Plan.read(folder / "plan.json").fingerprint
    sealed.write_text(json.dumps({**seal, "failures": failures}))
    attempt = folder / "shard-2-of-2" / "now"
    attempt.mkdir(parents=True)
    (attempt / "attempt.json").write_text('{"host": "node-7"}')
    status, shown, _ = run("plan", "status", ".")
    assert status == 1
    assert shown.startswith("2 shards: 1 failed, 1 running; 0:00:02 of work left")
    assert f"{reference} on number_orc: a ?[31mline or two" in shown
    assert "│ 2     │ running │ node-7, 0:00:0" in shown
    status, shown, _ = run("plan", "status", ".", "--format", "json")
    assert (status, json.loads(shown)["missing"]) == (1, "2")
    (folder / "shard-2-of-2" / "sealed-b.json").write_text(json.dumps(seal))
    assert run("plan", "status", ".", "--missing") == (0, "", "")
    assert run("plan", "status", ".")[0] == 0
    sealed.write_text(json.dumps(seal))
    assert run("plan", "status", ".") == (0, "2 shards: 2 done\n", "")
