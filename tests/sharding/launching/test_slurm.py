"""The array of Slurm jobs: its script, and a real Slurm whose nodes die."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.containers_support.processes import wait_until
from tests.sharding.launching.work import kept, planned, pommel
from tests.sharding.shards import SUITES, assert_equal
from tests.sharding.slow_model import started
from tests.slurm_support import Slurm, running_slurm


def test_the_script_is_plain_text(tmp_path: Path) -> None:
    plan, shards = planned(tmp_path, 2), tmp_path / "shards"
    options = ("--gres", "gpu:1", "--time", "4:00:00", "--requeue", "--sbatch=--account=x")
    image = ("--container", "pommel.sif", "--device", "cuda", "--workers", "8")
    written = pommel("launch", "slurm", plan, "-o", shards, *options, *image, "--dry-run")
    name = next(line for line in written.splitlines() if "--job-name=pommel-" in line)
    assert (
        written
        == f"""\
#!/bin/bash
# A shard of the plan an array task; edit what you like. What is missing is submitted by:
#   sbatch --array="$(pommel plan status {shards} --missing)" THIS_FILE
{name}
#SBATCH --array=1-2%8
#SBATCH --output={shards}/logs/shard-%a.log
#SBATCH --open-mode=append
#SBATCH --gres=gpu:1
#SBATCH --time=4:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --account=x
# `exec`: Slurm's signal is for this process, which ends after its batch.
exec apptainer exec --nv --bind {shards} pommel.sif pommel run --plan={shards}/plan.json \
--shard=$SLURM_ARRAY_TASK_ID/2 --output={shards} --device=cuda
"""
    )


def test_without_slurm_it_says_where_to_run_this(tmp_path: Path) -> None:
    launch = ("launch", "slurm", planned(tmp_path, 2), "-o", tmp_path / "shards")
    said = pommel(*launch, status=2, environment=os.environ | {"PATH": str(tmp_path)})
    assert said == (
        "pommel: squeue is not here: run this where jobs are submitted, or write the script with "
        "--dry-run\n"
    )
    said = pommel(*launch, "--script", tmp_path / "array.sh", status=3)
    assert said == f"pommel: {tmp_path}/array.sh: No such file or directory\n"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    folder = tmp_path / "slurm"
    folder.mkdir()
    with running_slurm(folder) as running:
        monkeypatch.setenv("SLURM_CONF", running.environment["SLURM_CONF"])
        # Nodes write there what they score.
        monkeypatch.setenv("SLOW_LOG", str(tmp_path / "scored"))
        yield running


def _slow(folder: Path, n_models: int, *options: str) -> list[str]:
    """Write a plan for models that take their time; return the command that launches it."""
    plan, shards, script = (str(folder / each) for each in ("plan.json", "shards", "array.sh"))
    what = ("plan", *_models(n_models), *SUITES[:2], "--shards", str(n_models), "-o", plan)
    _, said = started(*what).communicate(timeout=60)
    assert f"Plan: {plan}\n" in said
    launch = ["launch", "slurm", plan, "-o", shards]
    written = pommel(*launch, *options, "--dry-run")
    Path(script).write_text(written.replace("-m pommel", "-m tests.sharding.slow_model"))
    return [*launch, "--script", script]


def _models(number: int) -> list[str]:
    return [f"slow://{letter}" for letter in "abcd"[:number]]


def _check_equal_to_one_run(folder: Path, n_models: int, *, n_twice: int) -> None:
    """Check the merged shards, and that no more than so many sentences were scored twice."""
    scored = (folder / "scored").read_text().splitlines()
    assert len(scored) - len({*scored}) <= n_twice, Counter(scored).most_common(n_twice + 5)
    pommel("runs", "merge", folder / "shards", "--store", folder / "merged.sqlite")
    what = (*_models(n_models), *SUITES[:2])
    alone = started("run", *what, "--store", folder / "one.sqlite", SLOW_SECONDS="0")
    _, said = alone.communicate(timeout=60)
    assert alone.returncode == 0, said
    assert_equal(folder / "merged.sqlite", folder / "one.sqlite")


def _has_segments(folder: Path, n_shards: int) -> bool:
    return len({path.parts[-3] for path in folder.glob("shards/*/*/*.sqlite")}) >= n_shards


@pytest.mark.full
def test_a_killed_node_and_preempted_jobs_cost_what_was_under_way(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW_SECONDS", "0.02")
    command = _slow(tmp_path, 4, "--requeue")
    with started(*command) as launcher:
        assert wait_until(lambda: _has_segments(tmp_path, 2), timeout_s=60)
        assert sorted(slurm.tasks())[-2:] == ["RUNNING n1", "RUNNING n2"]
        preempting = ("--nodelist=n2", "--output=/dev/null", "--wrap=sleep 1")
        slurm.said("sbatch", "--partition=high", *preempting)
        slurm.kill_node("n1")
        slurm.start_node("n1")

        def is_over() -> bool:
            slurm.start_requeued()
            return launcher.poll() is not None

        assert wait_until(is_over, timeout_s=100)
        shown, said = launcher.communicate()
        assert (launcher.returncode, shown) == (0, "4 shards: 4 done\n"), said
    # Slurm itself has put both back: there was one array.
    jobs = slurm.said("scontrol", "show", "job", "--oneliner")
    assert (jobs.count("Restarts=1 "), len({*_arrays(jobs)})) == (2, 1)
    # What was killed had written down all but the last tenth of a second.
    _check_equal_to_one_run(tmp_path, 4, n_twice=25)


def _arrays(jobs: str) -> Iterator[str]:
    """Yield what `scontrol` says of which array each task is of."""
    for word in jobs.split():
        if word.startswith("ArrayJobId="):
            yield word


@pytest.mark.full
def test_jobs_outlive_the_terminal_and_go_on_after_their_time(
    slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW_SECONDS", "0.2")
    # Half a minute sooner than it is told to, at most.
    command = _slow(tmp_path, 2, "--time=1", "--signal=USR1@25")
    with started(*command) as launcher:
        assert wait_until(lambda: _has_segments(tmp_path, 2), timeout_s=60)
        launcher.send_signal(signal.SIGHUP)
        assert launcher.wait(20) == -signal.SIGHUP
    assert sorted(slurm.tasks()) == ["RUNNING n1", "RUNNING n2"]
    with started(*command) as launcher:
        shown, said = launcher.communicate(timeout=150)
    assert (launcher.returncode, shown) == (0, "2 shards: 2 done\n"), said
    arrays = Counter(_arrays(slurm.said("scontrol", "show", "job", "--oneliner")))
    assert len(arrays) > 1
    assert max(arrays.values()) == 2
    _check_equal_to_one_run(tmp_path, 2, n_twice=0)


@pytest.mark.full
def test_the_demo_by_hand_and_with_ctrl_c(slurm: Slurm, tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s "100%a"'
    folder.mkdir()
    plan, shards, script = (folder / each for each in ("plan.json", "shards", "array 1.sh"))
    demo = ("builtin://en-gpt2", "builtin://en-ngram", "suites:en")
    # Each model is in a shard of its own, and so its numbers are equal to the last bit.
    pommel("plan", *demo, "--shards", "2", "-o", plan)
    launch = ("launch", "slurm", plan, "-o", shards)
    text = pommel(*launch, "--dry-run")
    script.write_text(text.replace("\nexec", "\necho as edited\nexec"))
    (by_hand,) = (
        line.removeprefix("#   ").replace("THIS_FILE", shlex.quote(str(script)))
        for line in text.splitlines()
        if line.startswith("#   ")
    )
    with subprocess.Popen([sys.executable, "-m", "pommel", *map(str, launch)]) as launcher:
        assert wait_until(lambda: len([*shards.glob("*/*/attempt.json")]) == 2, timeout_s=60)
        launcher.send_signal(signal.SIGINT)
        assert launcher.wait(60) == 130
    assert wait_until(lambda: not slurm.tasks(), timeout_s=60)
    assert not [*shards.glob("*/sealed-*.json")]
    environment = slurm.environment
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    subprocess.run(["bash", "-c", by_hand], env=environment, check=True)
    assert wait_until(lambda: not slurm.tasks(), timeout_s=60)
    shutil.rmtree(shards / "shard-2-of-2")
    subprocess.run(["bash", "-c", by_hand], env=environment, check=True)
    # It follows what was submitted by hand.
    assert pommel(*launch, "--script", script) == "2 shards: 2 done\n"
    assert len({*_arrays(slurm.said("scontrol", "show", "job", "--oneliner"))}) == 3
    logs = [(shards / "logs" / f"shard-{number}.log").read_text() for number in (1, 2)]
    assert [each.count("as edited\n") for each in logs] == [1, 2]
    pommel("runs", "merge", shards, "--store", tmp_path / "merged.sqlite")
    pommel("run", *demo, "--store", tmp_path / "one.sqlite")
    one, other = (
        [sorted(map(repr, rows)) for rows in kept(tmp_path / f"{name}.sqlite")]
        for name in ("merged", "one")
    )
    assert one == other


@pytest.mark.full
def test_what_slurm_refuses_or_holds_is_told(slurm: Slurm, tmp_path: Path) -> None:
    launch = ("launch", "slurm", planned(tmp_path, 2), "-o", tmp_path / "shards")
    assert pommel(*launch, "--partition", "nope", status=1) == (
        "pommel: sbatch: error: invalid partition specified: nope\n"
        "sbatch: error: Batch job submission failed: Invalid partition name specified\n"
    )
    held = pommel(*launch, "--sbatch=--hold", status=1)
    assert held.startswith("pommel: Slurm holds all jobs that are left (PENDING (JobHeldUser)): ")
    slurm.said(*held.split("`")[1].split())
    assert pommel(*launch) == "2 shards: 2 done\n"
    many = ("launch", "slurm", planned(tmp_path, 5), "-o", tmp_path / "many")
    assert pommel(*many, status=1) == (
        "pommel: sbatch: error: Batch job submission failed: Invalid job array specification\n"
        "Numbers of shards have to be below MaxArraySize (`scontrol show config`)\n"
    )
