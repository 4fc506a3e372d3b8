"""Minimal sets on their way through a suite's file, and sets to send there."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pommel.files.json import to_json
from pommel.sources.minimal_sets import (
    CRITICAL_NAMES,
    GRAMMATICAL,
    REGION_NAMES,
    Compared,
    MinimalSet,
    suite_head,
    suite_items,
    ungrammatical_names,
)
from pommel.suite.read import LoadedSuite

_PIECES = st.text(
    st.sampled_from("\"'\\<*ab") | st.characters(exclude_categories=["Cs", "Cc", "Z"]),
    min_size=1,
    max_size=4,
)
# Words as texts of the web have them: quotes, backslashes, other scripts, joined words, and the
# blanks of Unicode, which separate no words.
WORDS = _PIECES | st.builds(
    "{}{}{}".format, _PIECES, st.sampled_from("\u00a0\u202f\u3000\u2028\x85"), _PIECES
)


def through_a_suite(
    sets: Sequence[MinimalSet], compared: Compared = "sentence", *, has_critical: bool = False
) -> list[MinimalSet]:
    """Return the sets of the file of a suite of these sets."""
    n_ungrammatical = len(sets[0].others)
    names = CRITICAL_NAMES if has_critical else REGION_NAMES
    head = suite_head({"name": "sets"}, n_ungrammatical, compared, region_names=names)
    items = list(suite_items(sets, has_critical=has_critical))
    suite = LoadedSuite.parse(to_json({**head, "items": items})).suite
    wrong = ungrammatical_names(n_ungrammatical)
    return [MinimalSet.of_item(item, GRAMMATICAL, wrong) for item in suite.items]
