"""The check sum over what regions add up to."""

import hashlib
import struct

from hypothesis import given
from hypothesis import strategies as st
from tests.builders import by_word
from tests.leaderboard.submission.samples import AGREEMENT

from pommel.leaderboard.submission.recomputing import region_sums_sha256
from pommel.scoring.regions import RegionTable, region_table


def table_of(bits: dict[str, float | None]) -> RegionTable:
    rows = AGREEMENT.sentences()
    scored = [[by_word(each.text, bits) for each in row] for row in rows]
    return region_table(AGREEMENT, scored, ("sum",))


def test_it_is_that_of_sums_and_counts_as_documented() -> None:
    """The words of a region are added up from left to right, in bits."""
    sums, counts = [], []
    for row in AGREEMENT.sentences():
        for sentence in row:
            for start, end in sentence.spans:
                words = sentence.text[start:end].split()
                sums.append(float(sum(map(len, words))))
                counts.append(len(words))
    raw = struct.pack(f"<{len(sums)}d{len(counts)}q", *sums, *counts)
    assert region_sums_sha256(table_of({})) == hashlib.sha256(raw).hexdigest()


def test_zero_has_no_sign() -> None:
    assert region_sums_sha256(table_of({"bark": 0.0})) == region_sums_sha256(
        table_of({"bark": -0.0})
    )


@given(bits=st.floats(0, 50), other=st.floats(0, 50))
def test_it_tells_any_two_surprisals_apart(bits: float, other: float) -> None:
    one, two = (region_sums_sha256(table_of({"bark": each})) for each in (bits, other))
    assert (one == two) == (bits == other)
