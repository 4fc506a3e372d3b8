"""Tables for people, word for word."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from pommel.cli.output import show_table
from pommel.models.family import Membership
from pommel.report.tables import prediction_table, score_table
from pommel.scoring.family_scores import FamilyScore
from pommel.scoring.results import PredictionResult, Score, SuiteResult


def result(  # noqa: PLR0913 - a builder
    name: str,
    *,
    holds: tuple[bool, ...],
    circuit: str = "",
    model: str = "m",
    description: str = "",
    skipped: tuple[bool, ...] = (),
) -> SuiteResult:
    n = len(holds)
    prediction = PredictionResult(
        prediction_id=0,
        formula="(1;%a%) < (1;%b%)",
        description=description,
        holds=np.array(holds),
        margin_bits=np.where(holds, 1.5, -0.5),
        tie=np.zeros(n, dtype=np.bool_),
        defined=np.ones(n, dtype=np.bool_),
        swallowed=np.zeros(n, dtype=np.bool_),
        unscored=np.zeros(n, dtype=np.bool_),
        oov=np.zeros(n, dtype=np.bool_),
        skipped=np.array(skipped or [False] * n),
    )
    return SuiteResult(
        suite_name=name,
        circuit=circuit,
        model_name=model,
        score_rule="all",
        item_numbers=tuple(range(1, n + 1)),
        predictions=(prediction,),
    )


def shown(results: list[SuiteResult], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the cells of every row, as they are printed."""
    assert not sys.stdout.isatty()
    show_table(score_table(results))
    lines = capsys.readouterr().out.splitlines()
    return [
        " | ".join(cell.strip() for cell in line[1:-1].split("│")) for line in lines if "│" in line
    ]


def test_scores_by_circuit_with_intervals_and_means(capsys: pytest.CaptureFixture[str]) -> None:
    results = [
        result("two", holds=(True, False), circuit="agreement"),
        result("one", holds=(True, True), circuit="agreement"),
        result("three", holds=(True, False, False, False), circuit="licensing"),
        result("one", holds=(False, False), circuit="agreement", model="n"),
    ]
    assert shown(results, capsys) == [
        "agreement | one | 2 | 0.50 | 1.00 [0.34, 1.00] | 0.00 [0.00, 0.66]",
        " | two | 2 | 0.50 | 0.50 [0.09, 0.91] | ",
        "licensing | three | 4 | 0.50 | 0.25 [0.05, 0.70] | ",
        "agreement | mean |  | 0.50 | 0.75 (2 of 2) | 0.00 (1 of 2)",
        "licensing | mean |  | 0.50 | 0.25 | -",
        "all suites | SG score |  | 0.50 | 0.58 (3 of 3) | 0.00 (1 of 3)",
    ]


def test_scores_of_fewer_items_say_of_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    results = [
        result("some", holds=(True, False, True), skipped=(False, False, True)),
        result("none", holds=(True, False), skipped=(True, True)),
    ]
    assert shown(results, capsys) == [
        "(none) | none | 2 | 0.50 | no items",
        " | some | 3 | 0.50 | 0.50 [0.09, 0.91] of 2",
        "all suites | SG score |  | 0.50 | 0.50",
    ]
    show_table(prediction_table(results))
    lines = [line for line in capsys.readouterr().out.splitlines() if "│" in line]
    cells = [[cell.strip() for cell in line[1:-1].split("│")] for line in lines]
    assert [row[3:6] for row in cells] == [["1/2", "0.50", "+0.50"], ["0/0", "-", "-"]]


def test_names_and_descriptions_are_text_and_no_mark_up(capsys: pytest.CaptureFixture[str]) -> None:
    odd = result("[red]s[/bold]", holds=(True,), description="the [matrix] verb :dog: [/x]")
    show_table(score_table([odd]))
    assert "[red]s[/bold]" in capsys.readouterr().out
    show_table(prediction_table([odd]))
    assert "0: the [matrix] verb :dog: [/x]" in capsys.readouterr().out


def published(name: str, model: str, score: Score) -> SuiteResult:
    """A result of which only the share is known."""
    return SuiteResult(
        suite_name=name,
        circuit="",
        model_name=model,
        score_rule="all",
        item_numbers=(),
        predictions=(),
        reported=score,
    )


def test_published_shares_have_the_counts_that_are_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counted = Score(label="", n_holding=996, n_items=1000, reported_share=0.996)
    few = Score(label="", n_holding=49, n_items=50, reported_share=0.98)
    alone = Score(label="", n_holding=0, n_items=0, reported_share=0.875)
    results = [
        published("known", "m", counted),
        published("known", "human", few),
        published("unknown", "m", alone),
    ]
    assert shown(results, capsys) == [
        "(none) | known | 1000 | unknown | 1.00 [0.99, 1.00] | 0.98 [0.90, 1.00] of 50",
        " | unknown | - | unknown | 0.88 | ",
        "all suites | SG score |  | unknown | 0.94 (2 of 2) | 0.98 (1 of 2)",
    ]
    table = SuiteResult.scores_frame(results)
    assert table["n_items"].tolist()[:2] == [1000, 50]
    missing = table[["n_items", "n_holding", "low", "high"]].isna().all(axis=1)
    assert missing.tolist() == [False, False, True]


def test_families_of_published_shares_have_no_number_of_items() -> None:
    results = [
        replace(
            published(
                "s", f"m{seed}", Score(label="", n_holding=0, n_items=0, reported_share=each)
            ),
            membership=Membership(family="m", axis="seed", label=str(seed), value=seed),
        )
        for seed, each in ((1, 0.5), (2, 0.75))
    ]
    table = FamilyScore.frame(results)
    assert table["mean"].tolist() == [0.625, 0.625]
    assert table["n_items"].isna().all()
