"""The benchmark of scoring on a GPU runs on whatever device there is."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.gpu.calls import calls_table, kernel_calls
from benchmarks.gpu.shapes import N_PAIRS_EACH, blimp_shaped_work


def test_pairs_in_blimps_shape_differ_in_the_word_that_is_looked_at(shared_data: Path) -> None:
    work = blimp_shaped_work([shared_data / "blimp" / "adjunct_island.jsonl"], 1)
    assert len(work.sentences) == 2 * N_PAIRS_EACH
    for good, bad, spans in zip(
        work.sentences[::2], work.sentences[1::2], work.spans[::2], strict=True
    ):
        ((start, end),) = spans
        assert end == len(good)
        assert good[:start] == bad[:start]
        assert len(good.split()) == len(bad.split())


def test_calls_of_torch_are_counted_without_views() -> None:
    import torch

    numbers = torch.zeros(2, 3)
    assert kernel_calls(lambda: [numbers.T.exp(), numbers.T.log()]) == 2
    assert kernel_calls(lambda: [numbers.T]) == 0


def test_a_pass_as_large_as_on_a_gpu_takes_hundreds_of_sentences(shared_data: Path) -> None:
    work = blimp_shaped_work([shared_data / "blimp" / "adjunct_island.jsonl"], 3)
    few = replace(work, sentences=work.sentences[:100], spans=work.spans[:100])
    one, more = calls_table("tiny", {"few": few, "all": work}).to_dict("records")
    assert (one["sentences"], one["passes"], more["sentences"]) == (100, 1, 6_000)
    assert 2 <= more["passes"] <= 4
    # Of two layers some tens a pass.
    assert 20 < one["calls"] < 100
    assert one["calls"] < more["calls"] < 150 * more["passes"]


@pytest.mark.full
def test_it_runs_on_a_processor(shared_data: Path, repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    options = ["--small", f"--json={file}", "--dtypes", "bfloat16"]
    options += ["--formats", "float32", "bfloat16"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu", f"--data={shared_data}", "--device=cpu", *options],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": "runner"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tables = json.loads(file.read_text())
    assert [title.partition(": ")[2] for title in tables] == [
        "1 suites, engine",
        "1,000 pairs, engine",
        "pommel run, whole process",
        "conformance with float32 on cpu",
    ]
    exact, *_, coarse = tables["tiny: conformance with float32 on cpu"]
    assert (exact["format"], exact["flipped"]) == ("float32", 0)
    assert exact["largest difference"] < 1e-4 < coarse["largest difference"]
    # Of float32 nothing is left open.
    assert coarse["flipped after"] == 0
    assert math.isnan(exact["flipped after"])
    ways = [each["way"] for each in tables["tiny, bfloat16: 1 suites, engine"]]
    assert ways[:3] == [
        "pommel, named regions",
        "pommel, every region",
        "pommel, named regions, verdicts float32",
    ]
