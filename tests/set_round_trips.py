"""Minimal sets on their way through a suite's file, and sets to send there."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pommel.json_document import to_json
from pommel.minimal_sets import (
    GRAMMATICAL,
    Compared,
    MinimalSet,
    suite_head,
    suite_items,
    ungrammatical_names,
)
from pommel.suite_file import parse_suite

# Words as texts of the web have them: quotes, backslashes, other scripts, joined words.
WORDS = st.text(
    st.sampled_from("\"'\\<*ab") | st.characters(exclude_categories=["Cs", "Cc", "Z"]),
    min_size=1,
    max_size=4,
)


def through_a_suite(
    sets: Sequence[MinimalSet], compared: Compared = "sentence"
) -> list[MinimalSet]:
    """Return the sets of the file of a suite of these sets."""
    n_others = len(sets[0].others)
    head = suite_head({"name": "sets"}, n_others, compared)
    suite = parse_suite(to_json({**head, "items": list(suite_items(sets))})).suite
    wrong = ungrammatical_names(n_others)
    return [MinimalSet.of_item(item, GRAMMATICAL, wrong) for item in suite.items]
