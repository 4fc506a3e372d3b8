"""How long to wait before the next try."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from pommel.files.waiting import Waiting

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@given(st.integers(1, 1000), st.floats(0, 10), st.floats(0, 100))
def test_twice_as_long_each_time_up_to_the_longest(n: int, first: float, longest: float) -> None:
    waiting = Waiting(first_seconds=first, longest_seconds=longest)
    full = min(first * 2.0 ** min(n - 1, 32), longest)
    assert full / 2 <= waiting.seconds(n) <= full


def test_requests_do_not_come_back_together() -> None:
    assert len({Waiting().seconds(3) for _ in range(20)}) > 1


@pytest.mark.parametrize(("wished", "seconds"), [(0.0, 0.0), (7.0, 7.0), (3600.0, 60.0)])
def test_a_servers_wish_goes_first_within_limits(wished: float, seconds: float) -> None:
    assert Waiting().seconds(1, wished) == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("0", 0.0),
        (" 12 ", 12.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 13:00:30 +0100", 30.0),
        ("Sat, 21 Nov 2026 12:00:30 -0000", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert Waiting.wished_seconds(header, NOON) == seconds
