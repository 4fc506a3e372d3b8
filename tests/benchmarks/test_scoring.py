"""What the scoring benchmark compares is the same work; and it runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.scoring.matrix_products import Shape, shapes_of
from benchmarks.scoring.report import Row
from benchmarks.scoring.variant import Goal, largest_difference
from benchmarks.scoring.workload import Target, pair_work, read_suites, suite_work

from pommel.models.neural.passes import packed_pass, packed_rows, prefix_tree, sequence_pass


@pytest.mark.parametrize(
    ("good", "bad", "start"),
    [
        ("Who should Derek hug after it?", "Who should Derek hug it after?", 20),
        ("The cats sleep.", "The cat sleeps.", 3),
        ("He sleeps.", "They sleep.", 0),
        ("She is here now.", "She is here.", 6),
        ("They sleep", "They sleep now", 4),
    ],
)
def test_a_pair_is_looked_at_from_the_first_word_that_differs(
    tmp_path: Path, good: str, bad: str, start: int
) -> None:
    file = tmp_path / "pairs.jsonl"
    line = json.dumps({"sentence_good": good, "sentence_bad": bad})
    file.write_text(f"{line}\n{line}\n")
    work = pair_work(file, 1)
    assert work.sentences == (good, bad)
    assert work.spans == (((start, len(good) + 1),), ((start, len(bad) + 1),))


def test_targets_are_the_regions_that_predictions_name(shared_data: Path) -> None:
    (suite,) = read_suites(shared_data / "hu2020" / "suites", ["number_prep"])
    work = suite_work([suite])
    assert len(work.sentences) == suite.n_sentences == len(work.targets) == 76
    assert work.sentences[0] == "The author next to the senators is good"
    assert work.spans[0] == ((31, 34),)
    assert work.targets[0] == Target(
        sentence=0, before="The author next to the senators", text="is", after="good"
    )


def test_differences_are_of_tokens_that_both_have_scored_or_of_totals() -> None:
    ours = {0: [None, 1.0, 2.0], 1: [None, None, 5.0]}
    assert largest_difference(ours, {0: [None, 1.0, 2.25], 1: [9.0, 9.0, 5.5]}) == 0.5
    assert largest_difference(ours, {0: 3.0, 1: 4.0}) == 1.0
    with pytest.raises(ValueError, match="sentence 0 has 3 tokens here, 2 there"):
        largest_difference(ours, {0: [1.0, 2.0]})
    with pytest.raises(ValueError, match="no token has been scored by both"):
        largest_difference(ours, {1: [3.0, 4.0, None]})


def test_shapes_count_each_distinct_prefix_once_however_it_is_packed() -> None:
    sequences = [np.array(ids) for ids in ([7, 8, 9], [7, 8, 4, 5], [7, 3], [7, 8, 9, 1])]
    tree = prefix_tree(sequences)
    for row_length in (3, 4, 8):
        rows = packed_rows(tree, row_length)
        passes = [packed_pass(tree, np.array([2, 5]), [row]) for row in rows]
        shapes = shapes_of(passes)
        assert sum(shape.n_nodes for shape in shapes) == len(tree) == 7
        assert sum(shape.n_rows for shape in shapes) == 2
    nothing = [np.array([0])] * 2
    assert shapes_of([sequence_pass(sequences[:2], nothing, nothing)]) == [
        Shape(n_positions=8, n_nodes=5, n_rows=2)
    ]


def test_goals_are_met_either_way_round() -> None:
    def row(ratio: float, goal: Goal) -> Row:
        return Row(
            name="",
            wall_s=[1.0],
            cpu_s=[1.0],
            sentences_per_s=1.0,
            wall_ratios=[ratio, ratio, 100.0],
            cpu_ratios=[1.0],
            goal=goal,
            largest_difference_bits=None,
        )

    assert row(6.0, Goal(factor=6)).is_met
    assert not row(5.9, Goal(factor=6)).is_met
    assert row(0.8, Goal(factor=1.25, at_most=True)).is_met
    assert not row(0.7, Goal(factor=1.25, at_most=True)).is_met


@pytest.mark.full
def test_it_runs_without_the_peers_that_need_the_extra(
    shared_data: Path, repository: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    file = tmp_path / "figures.json"
    options = ["--tiny", "--quick", "--repeats=1", "--threads=1", f"--json={file}"]
    options += ["--suites", "mvrr", "number_orc", "--peers", "one-by-one", "padded"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scoring", f"--data={shared_data}", *options],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": "runner"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text())
    names = [[row["name"] for row in part["variants"]] for part in figures["parts"]]
    assert names == [
        [
            "pommel, named regions",
            "bare matrix products",
            "pommel, every region",
            "padded batches of 16 by suite",
            "one by one (a tenth of the sentences)",
        ],
        ["pommel, from the difference on", "pommel, whole sentences"],
        ["pommel, named regions", "pommel, every region"],
    ]
    compared = [
        row["largest_difference_bits"] for part in figures["parts"] for row in part["variants"]
    ]
    assert all(bits < 1e-4 for bits in compared if bits is not None)


def test_it_says_where_the_data_should_be(repository: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scoring", f"--data={tmp_path}"],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": "runner"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"{tmp_path}/hu2020/suites: the published data is not there; "
        f"say where with --data or POMMEL_BENCH_DATA\n"
    )
