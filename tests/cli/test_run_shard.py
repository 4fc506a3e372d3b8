"""`pommel run --plan --shard`, and `pommel runs merge` of a folder of shards."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.sharding.shards import MODELS, SUITES, assert_equal, planned

from pommel.sharding import Plan

full = pytest.mark.full


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    planned(n_shards=2).write(path)
    return path


def test_shards_are_run_and_merged(
    pommel: Pommel, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shards"
    first, second = (
        sum(len(piece.suites) for piece in shard.pieces) for shard in planned(n_shards=2).shards
    )
    outcome = pommel("run", "--plan", plan, "--shard", "1/2", "-o", folder)
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr.endswith(f"shard 1/2 is done: {first} runs\n")
    outcome = pommel("runs", "merge", folder)
    assert outcome.stdout.startswith(f"runs                {first} of {first} are new\n")
    left = folder / "shard-2-of-2"
    assert outcome.stderr.startswith(
        f"note: {left}: not done; the sentences that are there are taken\n"
    )
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "1")
    assert pommel("run", "--plan", plan, "-o", folder).status == 0
    outcome = pommel("runs", "merge", folder)
    assert outcome.stdout.startswith(f"runs                {second} of 6 are new\n")
    assert "note" not in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "1/3"], "shard 1/3: this plan has 2 shards"),
        (["--shard", "0"], "shard '0': write a number from 1 to 2"),
        (
            [],
            "a shard of a plan takes --plan FILE, --shard K/N and -o DIR (or --store FILE)",
        ),
        (
            ["--shard", "1", "--score", "first", "--dtype", "float16"],
            "a plan says that already, or a shard has no use for it: --dtype, --score",
        ),
        (
            ["--shard", "1", "number_prep"],
            "a plan has the models and the suites; name none beside it",
        ),
    ],
)
def test_what_makes_no_sense(
    pommel: Pommel, plan: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    outcome = pommel("run", "--plan", plan, "-o", tmp_path / "shards", *arguments)
    assert outcome.failure(2) == message
    assert not (tmp_path / "shards" / "shard-1-of-2").exists()


def test_a_folder_without_shards(pommel: Pommel, tmp_path: Path) -> None:
    """It is refused, and a store that was to be new is not there after it."""
    message = f"{tmp_path} has no plan.json: `pommel run --plan PLAN -o {tmp_path}` makes it"
    outcome = pommel("runs", "merge", tmp_path, "--store", tmp_path / "new")
    assert outcome.failure(2) == message
    assert [*tmp_path.glob("new*")] == []


def test_what_is_unsafe_is_allowed_where_it_is_done(
    pommel: Pommel, plan: Path, tmp_path: Path
) -> None:
    """A plan of a stranger cannot have a model's code run."""
    path = tmp_path / "unsafe.json"
    sources = ("dummy://uniform?bits=2", "number_prep")
    assert pommel("plan", *sources, "--trust-remote-code", "--allow-pickle", "-o", path).status == 0
    assert "trust_remote_code" not in path.read_text()
    shard = ("--shard", "1", "-o", tmp_path / "shards")
    assert pommel("run", "--plan", path, *shard, "--trust-remote-code").status == 0
    text = plan.read_text()
    path.write_text(text.replace('"offline":', '"trust_remote_code": true, "offline":'))
    outcome = pommel("run", "--plan", path, *shard)
    assert "a plan has no 'trust_remote_code' here" in outcome.failure(3)


@pytest.mark.parametrize(
    "options",
    [
        "--score first --oov skip --punctuation natural",
        pytest.param("--limit 3", marks=full),
        pytest.param("--compat syntaxgym", marks=full),
        pytest.param("--swallowed begin --regions needed", marks=full),
        pytest.param("--eos never --strict-model", marks=full),
        pytest.param("--boundary corrected", marks=full),
        # What is settled in float32 is nothing here, and is asked for.
        pytest.param("--dtype bfloat16 --verdicts float32", marks=full),
    ],
)
def test_options_of_a_plan_are_those_of_a_run(pommel: Pommel, tmp_path: Path, options: str) -> None:
    what = (*MODELS, *SUITES, *options.split())
    alone, together = tmp_path / "alone.sqlite", tmp_path / "together.sqlite"
    run = pommel("run", *what, "--store", alone)
    assert pommel("plan", *what, "--shards", "3", "-o", tmp_path / "plan.json").status == 0
    plan = Plan.read(tmp_path / "plan.json")
    for shard in plan.shards:
        arguments = ("--plan", tmp_path / "plan.json", "--shard", str(shard.number))
        assert pommel("run", *arguments, "-o", tmp_path / "shards").status == run.status
    assert pommel("runs", "merge", tmp_path / "shards", "--store", together).status == 0
    assert_equal(together, alone)
