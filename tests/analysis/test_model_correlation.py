"""Do two models find the same suites hard?"""

import pytest
from tests.analysis.records import record

from pommel.analysis.correlation import ModelCorrelations


def test_two_models_are_compared_on_the_suites_that_both_have() -> None:
    from scipy.stats import spearmanr  # noqa: PLC0415

    a = {"s": 0.1, "t": 0.5, "u": 0.4, "v": 0.9}
    b = {"s": 0.2, "t": 0.3, "u": 0.9, "w": 0.9}
    records = [record("a", suite, share=share) for suite, share in a.items()]
    records += [record("b", suite, share=share) for suite, share in b.items()]
    records += [record("c", suite, share=share) for suite, share in a.items()]
    found = ModelCorrelations.of(records).rows
    assert [(each.model_name, each.other_model, each.n_suites) for each in found] == [
        ("a", "b", 3),
        ("a", "c", 4),
        ("b", "c", 3),
    ]
    assert found[0].value == pytest.approx(spearmanr([1, 5, 4], [2, 3, 9]).statistic)
    assert found[1].value == 1.0


def test_the_table() -> None:
    found = ModelCorrelations.of([record(model, "s", share=0.5) for model in "ab"]).rows
    assert list(ModelCorrelations(rows=tuple(found)).frame().columns) == [
        "model_name",
        "other_model",
        "coefficient",
        "n_suites",
        "value",
        "p",
    ]
