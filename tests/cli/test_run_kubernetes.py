"""The Job that the page on clusters shows: what its pods run is a shard of a plan."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import Pommel

yaml: Any = pytest.importorskip("yaml")

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


def test_a_pod_of_the_job_runs_the_shard_of_its_number(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    job = yaml.safe_load(text)["spec"]
    (rule,) = job["podFailurePolicy"]["rules"]
    # Those of our errors; beyond 128 are signals, after which a pod is tried again.
    assert rule["onExitCodes"]["values"] == [1, 2, 3, 4, 5]
    pod = job["template"]["spec"]
    assert (job["completionMode"], pod["restartPolicy"]) == ("Indexed", "Never")
    (worker,) = pod["containers"]
    mounted = {each["name"] for each in worker["volumeMounts"]}
    assert mounted == {each["name"] for each in pod["volumes"]}
    program, *command = (each.replace("/results", str(tmp_path)) for each in worker["command"])
    assert program == "pommel"
    suites = ("number_prep", "number_simple")
    pommel("plan", "dummy://", *suites, "--shards", "2", "-o", tmp_path / "plan.json")
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "1")
    outcome = pommel(*command)
    assert outcome.status == 0
    assert outcome.stderr.endswith("shard 2/2 is done: 1 run\n")
