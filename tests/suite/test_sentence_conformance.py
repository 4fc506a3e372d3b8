"""Sentences and the starts of regions, beside those of the retired package."""

import json
from pathlib import Path

from pommel.suite.suite import Condition, Region

# What we do otherwise: regions -> (sentence, starts). Its starts were one too far behind an empty
# first region, and it kept spaces at a region's end, so that sentences had double ones or a
# line break.
DIFFERENCES: dict[tuple[str, ...], tuple[str, list[int]]] = {
    ("", "This", "is"): ("This is", [0, 0, 4]),
    ("", "", "This", "is"): ("This is", [0, 0, 0, 4]),
    ("A", " B", "C "): ("A B C", [0, 1, 3]),
    ("A ", "B"): ("A B", [0, 1]),
    ("a\n", "b"): ("a b", [0, 1]),
}


def test_every_sentence_is_theirs_or_a_listed_difference(shared_data: Path) -> None:
    text = (shared_data / "conformance" / "sentence_cases.json").read_text("utf-8")
    seen = set()
    for case in json.loads(text)["cases"]:
        contents = tuple(case["regions"])
        regions = tuple(Region(number=n, content=each) for n, each in enumerate(contents, 1))
        sentence = Condition(name="c", regions=regions).sentence()
        ours = (sentence.text, [start for start, _ in sentence.spans])
        theirs = (case["sentence"], case["region_edges"])
        if contents in DIFFERENCES:
            seen.add(contents)
            assert theirs != ours
            assert ours == DIFFERENCES[contents]
        else:
            assert ours == theirs, contents
    assert seen == DIFFERENCES.keys()
