"""Shares with and without the number of items."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.store.imports.shares import Counts, decimals_of


@given(st.integers(1, 400), st.data())
def test_a_rounded_share_tells_its_count(n_items: int, data: st.DataObject) -> None:
    n_holding = data.draw(st.integers(0, n_items))
    n_decimals = data.draw(st.integers(3, 8))
    score = Counts(n_items, {}, n_decimals).score("m", round(n_holding / n_items, n_decimals))
    assert (score.n_holding, score.n_items) == (n_holding, n_items)
    assert score.reported_share == score.share


def test_shares_that_tell_no_count() -> None:
    assert Counts(None, {}, 3).score("m", 0.5).n_items == 0
    assert Counts(1000, {"human": 50}, 3).score("human", 0.98).n_holding == 49
    with pytest.raises(ValueError, match=r"^no number of 50 items is a share of 0.975$"):
        Counts(50, {}, 3).score("m", 0.975)
    with pytest.raises(
        ValueError, match=r"^a share with 2 decimals does not tell 870 of 1,000 items from 871$"
    ):
        Counts(1000, {}, 2).score("m", 0.87)


def test_decimals() -> None:
    assert [decimals_of(text) for text in ("1", ".54", "0.750", "5e-1", "1.5e1")] == [0, 2, 3, 1, 0]
