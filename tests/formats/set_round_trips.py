"""What formats of minimal sets have to stand: a suite's JSON in between."""

from collections.abc import Sequence

from pommel.json_document import json_chunks
from pommel.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet, suite_head, suite_items
from pommel.suite_file import parse_suite


def through_suite(pairs: Sequence[MinimalSet]) -> list[MinimalSet]:
    """Return pairs as they come out of the text of the suite that they are written to."""
    head = suite_head({"name": "x"}, 1)
    suite = parse_suite("".join(json_chunks(head, "items", suite_items(pairs)))).suite
    return [MinimalSet.of_item(item, GRAMMATICAL, [UNGRAMMATICAL]) for item in suite.items]
