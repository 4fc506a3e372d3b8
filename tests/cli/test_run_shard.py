"""`pommel run --plan --shard`, and `pommel runs merge` of a folder of shards."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.sharding.shards import planned


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
    assert outcome.stderr.startswith(f"note: {left}: not done; what there is of it is taken\n")
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
        ([], "a shard of a plan takes --plan FILE, --shard K/N and -o DIR"),
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
    message = f"{tmp_path}: no shards of a plan are here (plan.json); name stores' files"
    assert pommel("runs", "merge", tmp_path).failure(2) == message
