"""A suite's data sheet, for a terminal and as Markdown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from tests.builders import AGREEMENT, Sentences, make_suite, suite_value

from pommel.report.suite_sheet import SuiteSheet
from pommel.suite.lint import Frequencies
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite

CATS: Sentences = {"match": ("The cats", "purr", "."), "mismatch": ("The cats", "purrs", ".")}
META = {
    "language": "en",
    "version": "1.0.0",
    "license": "CC-BY-4.0",
    "author": ["A. Author", "B. Author"],
    "reference": "Author & Author (2026), Verbs",
    "comment": "Verbs agree with\ntheir subjects.",
    "unacceptable": "mismatch",
    "generator": {
        "kind": "lexicon and template",
        "files": {"a.template": "0", "nouns.csv": "1"},
        "sample": {"n": 2, "seed": 1},
        "pommel": "0.1.0",
    },
}
CONTROLS = {
    "chance": 0.5,
    "context_free": 0.0,
    "nearest_region": None,
    "unigram": 0.25,
    "bigram": 1.0,
    "text": "a text",
    "notes": "whole sentences",
}
READER = MarkdownIt("commonmark").enable("table")


def sheet(suite: Suite, controls: Mapping[str, Any] | None = None, **others: Any) -> SuiteSheet:
    return SuiteSheet(suite=suite, item=suite.items[0], controls=controls or {}, **others)


def part(text: str, title: str) -> list[str]:
    """Return the lines of a section, without what they are indented by."""
    body, _, _ = text.partition(f"\n\n  {title}\n")[2].partition("\n\n")
    return [line.removeprefix("    ") for line in body.splitlines()]


def test_of_whole_sentences_what_differs_is_counted_and_lexicon_words_by_slot() -> None:
    suite = make_suite([AGREEMENT, CATS], ["(*;%match%) < (*;%mismatch%)"])
    sourced = [
        replace(
            each, as_written={**each.as_written, "source": {"N.form": f"n{number}", "V.word": "v"}}
        )
        for number, each in enumerate(suite.items)
    ]
    counts = part(sheet(replace(suite, items=tuple(sourced))).text, "counts")
    assert counts[-2:] == [
        "distinct words  7, 7 of them in critical regions, 4 where compared sides differ",
        "lexicon words   N.form 2, V.word 1",
    ]


def test_a_sheet_in_full() -> None:
    suite = make_suite([AGREEMENT, CATS], **META)
    assert (
        sheet(suite, CONTROLS, caveats=["nobody has read it"]).text
        == f"""\
small
  Verbs agree with their subjects.
  nobody has read it

  source
    language   en
    version    1.0.0
    licence    CC-BY-4.0
    author     A. Author, B. Author
    reference  Author & Author (2026), Verbs
    generated  lexicon and template; a.template, nouns.csv; 2 drawn with seed 1; pommel 0.1.0
    SHA-256    {suite.sha256}

  counts
    items           2
    conditions      2; unacceptable: mismatch
    sentences       4
    predictions     1
    region metric   sum
    distinct words  7, 4 of them in critical regions

  regions
    number  name  critical  distinct texts
    1       r1                           2
    2       r2    yes                    4
    3       r3                           1

  critical regions: means over items
    condition        regions  words  characters
    match, mismatch  2         1.00        4.50

  what is compared: mean differences, more surprising minus less
    less surprising  more surprising  regions  words  characters
    match            mismatch         2        +0.00       +0.00

  controls: items on which all predictions hold, of scorers that see no syntax
    chance               0.50
    context free         0.00
    nearest region       -
    unigram              0.25
    bigram               1.00
    text of the n-grams  a text
    notes                whole sentences

  predictions
    prediction 0: (2;%match%) < (2;%mismatch%)
      region 2 (r2) must be less surprising in *match* than in *mismatch*

  item 1 of 2
    match     1: The dog | 2: barks | 3: .
    mismatch  1: The dog | 2: bark | 3: .
"""
    )


def test_a_page_in_full() -> None:
    suite = make_suite([CATS, AGREEMENT], language="en", unacceptable="mismatch", name="a_b")
    assert (
        sheet(suite, {"chance": 0.5}).markdown
        == f"""\
# a\\_b

## Source

- language: en
- SHA-256: {suite.sha256}

## Counts

- items: 2
- conditions: 2; unacceptable: mismatch
- sentences: 4
- predictions: 1
- region metric: sum
- distinct words: 7, 4 of them in critical regions

## Regions

| number | name | critical | distinct texts |
| :----- | :--- | :------- | -------------: |
| 1      | r1   |          |              2 |
| 2      | r2   | yes      |              4 |
| 3      | r3   |          |              1 |

## Critical regions: means over items

| condition       | regions | words | characters |
| :-------------- | :------ | ----: | ---------: |
| match, mismatch | 2       |  1.00 |       4.50 |

## What is compared: mean differences, more surprising minus less

| less surprising | more surprising | regions | words | characters |
| :-------------- | :-------------- | :------ | ----: | ---------: |
| match           | mismatch        | 2       | +0.00 |      +0.00 |

## Controls: items on which all predictions hold, of scorers that see no syntax

- chance: 0.50
- context free: -
- nearest region: -
- unigram: -
- bigram: -

## Predictions

0. region 2 (r2) must be less surprising in *match* than in *mismatch*

   `(2;%match%) < (2;%mismatch%)`

## Item 1 of 2

- match: [The cats]₁ **[purr]₂** [.]₃
- mismatch: \\*[The cats]₁ **[purrs]₂** [.]₃
"""
    )


def test_what_is_not_known_is_not_there() -> None:
    text = sheet(make_suite(formulas=[])).text
    assert "controls" not in text
    assert "critical regions:" not in text
    assert part(text, "source") == [f"SHA-256  {make_suite(formulas=[]).sha256}"]
    assert part(text, "counts")[-2:] == [
        "predictions     0",
        "distinct words  4, 0 of them in critical regions",
    ]


def test_frequencies() -> None:
    frequencies = Frequencies(file="x/w.tsv", counts={"bark": 9}, taken_as="a list of 1 word")
    text = sheet(make_suite(), frequencies=frequencies).text
    assert part(text, "counts")[-1] == "frequencies     w.tsv, a list of 1 word, without 1 of the 2"
    assert part(text, "critical regions: means over items") == [
        "condition  regions  words  characters  Zipf",
        "match      2         1.00        5.00  8.00",
        "mismatch   2         1.00        4.00  9.00",
    ]
    row = part(text, "what is compared: mean differences, more surprising minus less")[1]
    assert row.split() == ["match", "mismatch", "2", "+0.00", "-1.00", "+1.00"]


def test_wide_characters_take_two_cells() -> None:
    items = [{"文法的": ("太郎が", "読んだ"), "b": ("太郎が", "読む人だ")}]
    text = sheet(make_suite(items, ["(2;%文法的%) < (2;%b%)"], joiner="")).text
    assert part(text, "critical regions: means over items") == [
        "condition  regions  characters",
        "文法的     2              3.00",
        "b          2              4.00",
    ]


def test_many_conditions_that_are_alike_are_one_row() -> None:
    names = [f"c{n}" for n in range(6)]
    items = [{**dict.fromkeys(names, ("The dog", "barks")), "d": ("The dog", "bark")}]
    formula = f"{' + '.join(f'(2;%{name}%)' for name in names)} < 6 * (2;%d%)"
    suite = make_suite(items, [formula], unacceptable=" ".join(names))
    text = sheet(suite).text
    assert [line.split("  ")[0] for line in part(text, "critical regions: means over items")] == [
        "condition",
        "c0, c1, c2, c3 and 2 more",
        "d",
    ]
    counts = part(text, "counts")
    assert "conditions      7; unacceptable: c0, c1, c2, c3 and 2 more" in counts
    assert "sentences       7, 5 of them repeated" in counts


def test_comparisons_without_a_direction_and_of_other_regions() -> None:
    suite = make_suite(formulas=["(2;%match%) = (2;%mismatch%)", "(1;%match%) < (3;%mismatch%)"])
    rows = part(sheet(suite).text, "what is compared: mean differences, more surprising minus less")
    assert [row.split("  ")[0] for row in rows[1:]] == ["match", "match"]
    assert "mismatch (or less)" in rows[1]
    assert " 1 and 3 " in rows[2]


def test_contexts_and_glosses_are_shown() -> None:
    value = suite_value()
    first, second = value["items"][0]["conditions"]
    first.update(context="It comes .", gloss="DEF dog bark-3SG")
    second["gloss"] = ["DEF", "dog", "bark"]
    own = sheet(LoadedSuite.from_dict(value).suite)
    assert "    match     It comes . | 1: The dog | 2: barks | 3: .\n" in own.text
    assert (
        "- match: It comes . [The dog]₁ **[barks]₂** [.]₃\n  - DEF dog bark-3SG\n" in own.markdown
    )
    assert own.markdown.endswith("\n  - DEF, dog, bark\n")


@pytest.mark.parametrize(
    ("generator", "shown"),
    [
        ("a script of ours", "a script of ours"),
        ({"kind": "permutation design", "sample": None}, "permutation design; all items"),
        ({"files": {"a.cfg": ""}, "sample": None, "pommel": "1"}, "a.cfg; all items; pommel 1"),
    ],
)
def test_recipes_in_words(generator: object, shown: str) -> None:
    text = sheet(make_suite(generator=generator)).text
    assert part(text, "source")[0] == f"generated  {shown}"


@given(st.text(max_size=20), st.text(min_size=1, max_size=12), st.text(max_size=12))
def test_what_a_suite_says_is_text_and_no_mark_up(said: str, content: str, region: str) -> None:
    items = [{"a": ("x", f"y{content}"), "b": ("x", "y")}]
    value = {**suite_value(items, ["(2;%a%) < (2;%b%)"], comment=f"c{said}", author=f"a{said}")}
    value["region_meta"]["2"] = f"r{region}"
    tokens = READER.parse(sheet(Suite.from_dict(value)).markdown)
    kinds = [token.tag for token in tokens if token.type.endswith("_open")]
    usual = READER.parse(
        sheet(make_suite(items[:1], ["(2;%a%) < (2;%b%)"], comment="c", author="a")).markdown
    )
    assert kinds == [token.tag for token in usual if token.type.endswith("_open")]
    inline = {each.type for token in tokens for each in token.children or ()}
    assert inline <= {
        "text",
        "text_special",
        "strong_open",
        "strong_close",
        "em_open",
        "em_close",
        "code_inline",
        "html_inline",
    }
