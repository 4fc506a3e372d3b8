"""Which factors the names of conditions tell."""

import pytest

from pommel.analysis.regions import _factors


@pytest.mark.parametrize(
    ("names", "levels"),
    [
        (["match", "mismatch"], ["match", "mismatch"]),
        (
            ["what_gap", "what_nogap", "that_gap", "that_nogap"],
            ["what gap", "what nogap", "that gap", "that nogap"],
        ),
        # What is the same in all of them is no factor.
        (["sg_match_1", "pl_match_1"], ["sg", "pl"]),
        (["a-x.1", "a-y.2"], ["x 1", "y 2"]),
        # Names of several lengths, or of more parts than there are columns, are levels themselves.
        (["match", "mis_match"], ["match", "mis_match"]),
        (["a_b_c_d", "e_f_g_h"], ["a_b_c_d", "e_f_g_h"]),
        (["only"], ["only"]),
    ],
)
def test_factors_are_the_parts_of_names(names: list[str], levels: list[str]) -> None:
    found = _factors(names)
    assert [" ".join(found[name]).rstrip() for name in names] == levels
    assert {len(each) for each in found.values()} == {3}
