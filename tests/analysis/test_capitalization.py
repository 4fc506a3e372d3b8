"""The gain table, cell by cell."""

import pytest
from tests.scoring.family_results import member

from pommel.analysis.capitalization import CapitalizationGain, CapitalizationGains
from pommel.cli.output import show_table
from pommel.models.family import Membership
from pommel.scoring import Score, SuiteResult

NAN = float("nan")


def gain(
    suite: str, of: Membership | str, as_is: float, capitalized: float, *, circuit: str = ""
) -> CapitalizationGain:
    membership = None if isinstance(of, str) else of
    one, other = (
        SuiteResult(
            suite_name=suite,
            circuit=circuit,
            model_name=f"{membership.family}/{membership.label}" if membership else str(of),
            score_rule="all",
            item_numbers=(),
            predictions=(),
            membership=membership,
            reported=Score(label="", n_holding=0, n_items=0, reported_share=share),
        )
        for share in (as_is, capitalized)
    )
    return CapitalizationGain(
        model_reference=f"toy://{of}", as_is=one, capitalized=other, n_sentences=2, n_changed=2
    )


def printed(gains: list[CapitalizationGain], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the cells of every row."""
    show_table(CapitalizationGains(rows=tuple(gains)).tables()[0])
    lines = capsys.readouterr().out.splitlines()
    return [
        " | ".join(cell.strip() for cell in line[1:-1].replace("┃", "│").split("│")).strip()
        for line in lines[1:]
        if line[0] in "┃│"
    ]


def test_suites_by_circuit_and_their_mean(capsys: pytest.CaptureFixture[str]) -> None:
    gains = [
        gain("three", "m", 1.0, 0.5),
        gain("two", "m", 0.5, 0.5, circuit="c"),
        gain("one", "m", 0.25, 1.0, circuit="c"),
        gain("one", "n", 0.0, 0.5, circuit="c"),
        gain("two", "n", NAN, NAN, circuit="c"),
    ]
    assert printed(gains, capsys) == [
        "|  | m |  |  | n |  |",
        "circuit | suite | as it is | capitalised | gain | as it is | capitalised | gain",
        "c | one | 0.25 | 1.00 | +0.75 | 0.00 | 0.50 | +0.50",
        "| two | 0.50 | 0.50 | +0.00 | - | - | -",
        # The second model has failed here.
        "(none) | three | 1.00 | 0.50 | -0.50 |  |  |",
        "all suites | mean | 0.58 | 0.67 | +0.08 | 0.00 | 0.50 | +0.50",
    ]


def test_seeds_are_a_mean_with_its_standard_deviation(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [member(f"seed-{seed}", family="en") for seed in (1, 2, 3)]
    gains = [
        gain("a", seeds[0], 0.0, 0.5),
        gain("b", seeds[0], 0.5, 1.0),
        gain("a", seeds[1], 0.5, 0.5),
        gain("b", seeds[1], 0.5, 0.5),
        # It has failed on the other: its mean would be one over fewer suites.
        gain("a", seeds[2], 1.0, 0.5),
    ]
    assert printed(gains, capsys) == [
        "|  | en (mean ± sd, n = 3) |  |",
        "circuit | suite | as it is | capitalised | gain",
        "(none) | a | 0.50 ± 0.50 | 0.50 ± 0.00 | +0.00 ± 0.50",
        "| b | 0.50 ± 0.00 (n = 2) | 0.75 ± 0.35 (n = 2) | +0.25 ± 0.35 (n = 2)",
        "all suites | mean | 0.38 ± 0.18 (n = 2) | 0.62 ± 0.18 (n = 2) | +0.25 ± 0.35 (n = 2)",
    ]


def test_what_is_no_family_of_seeds_has_columns_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = [member(f"step-{step}", family="m", axis="step") for step in (1, 2)]
    others = [member(label, family="m", axis="member") for label in "ab"]
    lone = member("seed-1", family="en")
    # A model that is called like the family is none of its members.
    models: list[Membership | str] = [*steps, *others, lone, "en"]
    gains = [gain("s", each, 0.5, 1.0) for each in models]
    heading, _, row = printed(gains, capsys)
    names = ["m/step-1", "m/step-2", "m/a", "m/b", "en/seed-1", "en"]
    assert [name for name in heading.split(" | ") if name.strip(" |")] == names
    assert row == "(none) | s" + " | 0.50 | 1.00 | +0.50" * 6
