"""Stability as a table for people."""

import io

from rich.console import Console
from tests.analysis.records import record, seeds

from pommel.analysis.stability import Stability
from pommel.scoring.run_record import RunRecord


def lines_of(records: list[RunRecord]) -> list[str]:
    stream = io.StringIO()
    table = Stability.of(records, n_resamples=199).tables()[0]
    Console(file=stream, width=300, highlight=False).print(table)
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_pairs_and_means() -> None:
    lines = lines_of(
        [
            record("m", "s", "11"),
            record("m", "s_mod", "11", modifier_of="s"),
            record("m", "s_long", "00", modifier_of="s"),
        ]
    )
    assert "│ m │ s │ s_long │ 1.00 │ 0.00 │ -1.00 [-1.00, -1.00] │" in lines
    assert "│ │ s │ s_mod │ 1.00 │ 1.00 │ +0.00 [+0.00, +0.00] │" in lines
    assert "│ │ mean of 1 │ of 2 │ 1.00 │ 0.50 │ -0.50 [-0.50, -0.50] │" in lines
    assert lines[-1] == (
        "Means count a suite once, those with material that belong to it by their mean."
    )


def test_families_have_means_and_languages_a_name_where_there_are_several() -> None:
    records = [
        run
        for language in ("de", "fr")
        for run in (
            *seeds("lstm", "s", "11", "11", language=language),
            *seeds("lstm", "s_mod", "11", "10", language=language, modifier_of="s"),
        )
    ]
    lines = lines_of(records)
    assert ("│ lstm (mean ± sd, n = 2) │ s (de) │ s_mod │ 1.00 │ 0.75 │ -0.25 ± 0.35 │") in lines
    assert "sd: of a sample (n - 1), over members." in lines
