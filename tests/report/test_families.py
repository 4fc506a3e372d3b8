"""Tables of scores with families in them, word for word."""

import pytest
from tests.scoring.family_results import member, scored

from pommel.cli.output import show_table
from pommel.report.tables import result_tables
from pommel.scoring.results import SuiteResult

CAPTION_OF_SEVERAL = (
    "Share of items on which a suite's predictions hold [95% Wilson interval].",
    "Means, SG score: over suites, every suite counts alike. sd: of a sample (n - 1).",
)
UNEVEN = (
    "k of n: over k of the n suites. Models do not have the same ones, and such numbers cannot be "
    "compared."
)
SEEDS = [member(f"seed-{seed}") for seed in (1, 2, 3)]
STEPS = [member(f"step-{step}", family="gpt", axis="step") for step in (500, 1000)]


def printed(results: list[SuiteResult], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return titles and captions as they are, and the cells of every row."""
    for table in result_tables(results):
        show_table(table)
    lines = capsys.readouterr().out.splitlines()
    cells = [
        " | ".join(cell.strip() for cell in line[1:-1].replace("┃", "│").split("│")).strip()
        if line[0] in "┃│"
        else line.rstrip()
        for line in lines
        if line[0] not in "┏┡├└"
    ]
    return [line for line in cells if line]


def test_the_mean_of_a_family_stands_behind_its_members(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = [
        *(scored("a", seed, marks) for seed, marks in zip(SEEDS, ("1110", "1100"), strict=False)),
        scored("a", "gpt2", "1111"),
        *(scored("b", seed, "1111") for seed in SEEDS[:2]),
        scored("b", "gpt2", "1111"),
    ]
    assert printed(results, capsys) == [
        "SG scores (all predictions of a suite hold)",
        (
            "circuit | suite | items | chance | lstm/seed-1 | lstm/seed-2 | lstm (mean ± sd, "
            "n = 2) | gpt2"
        ),
        (
            "(none) | a | 4 | 0.50 | 0.75 [0.30, 0.95] | 0.50 [0.15, 0.85] | 0.62 ± 0.18 | "
            "1.00 [0.51, 1.00]"
        ),
        "| b | 4 | 0.50 | 1.00 [0.51, 1.00] | 1.00 [0.51, 1.00] | 1.00 ± 0.00 | 1.00 [0.51, 1.00]",
        "all suites | SG score |  | 0.50 | 0.88 | 0.75 | 0.81 ± 0.09 | 1.00",
        *CAPTION_OF_SEVERAL,
    ]


def test_models_without_a_common_axis_are_shown_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = [member(label, family="en", axis="member") for label in "abcdefg"]
    results = [scored("a", each, "10") for each in models]
    assert printed(results, capsys)[1:] == [
        "circuit | suite | items | chance | " + " | ".join(f"en/{label}" for label in "abcdefg"),
        "(none) | a | 2 | 0.50" + " | 0.50 [0.09, 0.91]" * 7,
        CAPTION_OF_SEVERAL[0],
    ]


def test_of_many_members_only_the_mean_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    many = [member(f"seed-{seed}") for seed in range(7)]
    results = [
        scored(suite, seed, "10", circuit=f"c{suite}") for seed in many for suite in ("a", "b")
    ]
    assert printed([*results, scored("a", "gpt2", "11", circuit="ca")], capsys)[1:] == [
        "circuit | suite | items | chance | lstm (mean ± sd, n = 7) | gpt2",
        "ca | a | 2 | 0.50 | 0.50 ± 0.00 | 1.00 [0.34, 1.00]",
        "cb | b | 2 | 0.50 | 0.50 ± 0.00 |",
        "ca | mean |  | 0.50 | 0.50 ± 0.00 | 1.00",
        "cb | mean |  | 0.50 | 0.50 ± 0.00 | -",
        "all suites | SG score |  | 0.50 | 0.50 ± 0.00 (2 of 2) | 1.00 (1 of 2)",
        *CAPTION_OF_SEVERAL,
        "lstm has 7 members; --format csv has each.",
        UNEVEN,
        "All have a: --suite a.",
    ]


def test_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    alone = [scored("a", SEEDS[0], "10"), scored("b", SEEDS[0])]
    assert printed(alone, capsys)[1:5] == [
        "circuit | suite | items | chance | lstm/seed-1 | lstm (mean ± sd, n = 1)",
        "(none) | a | 2 | 0.50 | 0.50 [0.09, 0.91] | 0.50 ± -",
        "| b | 2 |  | no predictions | -",
        "all suites | SG score |  | 0.50 | 0.50 | 0.50 ± -",
    ]
    some = [scored("a", seed, "10") for seed in SEEDS]
    some += [scored("b", SEEDS[0], "11"), scored("b", SEEDS[1], "10"), scored("b", SEEDS[2], "--")]
    some += [scored("c", "gpt2", "11")]
    assert [line.split("|")[7].strip() for line in printed(some, capsys)[2:6]] == [
        "0.50 ± 0.00",
        "0.75 ± 0.35 (n = 2)",
        "",
        "0.62 ± 0.18 (n = 2) (2 of 3)",
    ]


def test_each_prediction_on_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    results = [scored("a", seed, "10", "11", rule="each") for seed in SEEDS[:2]]
    assert printed(results, capsys)[2:4] == [
        "(none) | a | 2 | 0: 0.50 | 0: 0.50 [0.09, 0.91] | 0: 0.50 [0.09, 0.91] | 0: 0.50 ± 0.00",
        "|  |  | 1: 0.50 | 1: 1.00 [0.34, 1.00] | 1: 1.00 [0.34, 1.00] | 1: 1.00 ± 0.00",
    ]


def test_a_path_through_training_has_a_table_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    late, early = STEPS[1], STEPS[0]
    best = member("step-best", family="gpt", axis="step")
    results = [
        *(scored(suite, best, "11", circuit="c") for suite in ("a", "b")),
        *(scored(suite, late, "11", circuit="c") for suite in ("a", "b")),
        *(scored(suite, early, "10", circuit="c") for suite in ("a", "b")),
    ]
    assert printed(results, capsys) == [
        "gpt by step: SG scores (all predictions of a suite hold)",
        "step | a | b | SG score",
        "step-500 | 0.50 | 0.50 | 0.50",
        "step-1000 | 1.00 | 1.00 | 1.00",
        "step-best | 1.00 | 1.00 | 1.00",
        "chance | 0.50 | 0.50 | 0.50",
        "Share of items that hold. Means, SG score: over suites, every suite counts alike.",
        "--format csv has every suite with its interval.",
    ]
    # Beside it, the others are as ever.
    both = printed([*results, *(scored("a", seed, "11") for seed in SEEDS)], capsys)
    assert both[1].endswith("| lstm/seed-3 | lstm (mean ± sd, n = 3)")
    assert both[4] == "gpt by step: SG scores (all predictions of a suite hold)"


def test_many_suites_are_shown_by_circuit(capsys: pytest.CaptureFixture[str]) -> None:
    circuits = ["one"] * 4 + ["two"] * 2 + [""]
    results = [
        scored(f"s{number}", step, "10" if circuit == "one" else "11", circuit=circuit)
        for step in STEPS
        for number, circuit in enumerate(circuits)
    ]
    assert printed(results[:-1], capsys)[1:] == [
        "step | one | two | (none) | SG score",
        "step-500 | 0.50 | 1.00 | 1.00 | 0.71 (7 of 7)",
        "step-1000 | 0.50 | 1.00 | - | 0.67 (6 of 7)",
        "chance | 0.50 | 0.50 | 0.50 | 0.50",
        "Share of items that hold. Means, SG score: over suites, every suite counts alike.",
        UNEVEN,
        "All have 6 of them (s0, s1, s2, ...); --suite chooses suites.",
        "--format csv has every suite with its interval.",
    ]


def test_cells_of_steps(capsys: pytest.CaptureFixture[str]) -> None:
    results = [
        scored("a", STEPS[0], "10", "11", rule="each"),
        scored("b", STEPS[0], "--", "11", rule="each"),
        scored("c", STEPS[0], rule="each"),
        scored("a", STEPS[1], "11", "11", rule="each"),
    ]
    assert printed(results, capsys)[:5] == [
        "gpt by step: Scores (each prediction on its own)",
        "step | a | b | c | SG score",
        "step-500 | 0: 0.50 | 0: - | no predictions | 0.88 (2 of 2)",
        "| 1: 1.00 | 1: 1.00 |  |",
        "step-1000 | 0: 1.00 |  |  | 1.00 (1 of 2)",
    ]
