"""A suite as plain text."""

from pathlib import Path

from pommel.sources.formats.long_csv import sentence_lines, sentences_of
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Item, Region


def test_the_published_text_of_a_suite(shared_data: Path) -> None:
    suite = LoadedSuite.read(shared_data / "sg_eval" / "fgd_hierarchy.json").suite
    expected = (shared_data / "sg_eval" / "fgd_hierarchy.txt").read_text("utf-8")
    assert sentences_of(suite) == expected


def test_regions_are_joined_as_the_suite_says() -> None:
    regions = tuple(
        Region(number=n, content=text) for n, text in enumerate(["犬", "", "吠える"], 1)
    )
    item = Item(number=1, conditions=(Condition(name="a", regions=regions),))
    assert list(sentence_lines([item], joiner="")) == ["犬吠える\n"]
    assert list(sentence_lines([item])) == ["犬 吠える\n"]
