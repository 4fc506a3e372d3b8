"""The table of region metrics, and a new one by the steps of CONTRIBUTING.md."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.builders import by_word, make_suite

from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import region_table
from pommel.suite.metrics import METRICS, RegionMetric
from pommel.suite.read import LoadedSuite, _decoders


def test_others_are_told_which_metrics_there_are(repository: Path) -> None:
    schema = json.loads((repository / "schemas" / "suite.json").read_text("utf-8"))
    assert schema["$defs"]["metric"]["enum"] == [*METRICS]


def test_a_new_metric_is_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first token of a region.
    metric = RegionMetric(of_groups=lambda bits, starts: bits[starts], words="first surprisal")
    monkeypatch.setitem(METRICS, "first", metric)
    _decoders.cache_clear()
    item = {"a": ("The dog", ""), "b": ("A dog", "barks")}
    suite = make_suite([item], ["(1;%a%) < (1;%b%)", "(2;%a%) < (2;%b%)"], metric="first")
    again = LoadedSuite.from_dict(suite.to_dict()).suite
    assert again.metrics == ("first",)
    bits = {"The": 1.0, "A": 2.0, "dog": 9.0, "barks": 4.0}
    table = region_table(again, [[by_word(each.text, bits) for each in again.sentences()[0]]])
    np.testing.assert_equal(table.values["first"], [[[1, np.nan], [2, 4]]])
    first, second = evaluate_predictions(again, table).predictions
    assert (first.holds.tolist(), second.defined.tolist()) == ([True], [False])
    (words,) = suite.predictions[0].formula.in_words({}, metric="first")
    assert words == "the first surprisal of region 1 must be lower in *a* than in *b*"
    _decoders.cache_clear()


def test_two_files_have_the_names(repository: Path) -> None:
    files = [
        path.relative_to(repository).as_posix()
        for folder in ("runner", "schemas")
        for path in sorted((repository / folder).rglob("*.*"))
        if path.suffix in (".py", ".json", ".lark")
        and {'"median"', '"range"', '"max"'} <= {*re.findall(r'"[a-z]+"', path.read_text("utf-8"))}
    ]
    assert files == ["runner/pommel/suite/metrics.py", "schemas/suite.json"]
