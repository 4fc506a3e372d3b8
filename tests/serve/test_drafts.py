"""What can be changed in a suite's JSON: nothing else changes, and what two people do meets."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.builders import suite_value
from tests.store.run_samples import agreement

from pommel.errors import SuiteError
from pommel.files import JsonDocument, to_json
from pommel.serve import drafts
from pommel.serve.drafts import CHANGES, Change, Document, DraftError, merged
from pommel.sources import find_suites
from pommel.suite import Design, LoadedSuite

# As people write: other scripts, marks on letters, quotes, blanks, what steers a terminal.
TEXTS = (
    "",
    "bark",
    "The dogs",
    "הכלבים",
    "走った",
    "Z\u0300oe",
    'say "no"',
    " x  y ",
    "a|b",
    "\x1b[1m",
)
NAMES = ("match", "mismatch", "ヒト", "c d")


def told(value: object) -> str:
    """Return a value's JSON, in which the order of keys and how numbers are written count."""
    return to_json(value)


def text_of_block(rows: Iterable[Sequence[str]]) -> str:
    """Return what a spreadsheet would copy; `drafts.block_of` reads it again."""

    def cell(text: str) -> str:
        if re.search(r'[\t\r\n]|^"', text):
            return '"' + text.replace('"', '""') + '"'
        return text

    return "".join("\t".join(map(cell, row)) + "\n" for row in rows)


def document(text: str = "") -> Document:
    """Return a suite as JSON has it, with two items of two conditions; one text is everywhere."""
    value = Design.new(["match", "mismatch"], ["subject", "verb"], ["(2;%match%) < (2;%mismatch%)"])
    sentences = {name: {1: text or "The dogs", 2: text or name} for name in value.regions_of}
    return value.draft({"name": "agreement", "language": "en"}, n_items=2, sentences=sentences)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Suites of any size and design, finished or not, with keys that nobody knows."""
    text = st.sampled_from(TEXTS)
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    numbers = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True).map(sorted))
    extra = draw(st.sampled_from(['"note": 1.50', '"gloss": ["a", 1e3]', '"x": {"y": [null]}']))
    items = []
    for number in draw(st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True)):
        conditions = []
        for name in names:
            regions = ", ".join(
                f'{{"region_number": {n}, "content": {json.dumps(draw(text))}, {extra}}}'
                for n in numbers
            )
            conditions.append(
                f'{{"condition_name": {json.dumps(name)}, "regions": [{regions}], {extra}}}'
            )
        items.append(
            f'{{{extra}, "item_number": {number}, "conditions": [{", ".join(conditions)}]}}'
        )
    formula = f"({numbers[0]};%{names[0]}%) < ({numbers[-1]};%{names[-1]}%)"
    formulas = draw(st.lists(st.sampled_from([formula, f"{formula} & ", ""]), max_size=2))
    predictions = ", ".join(
        f'{{"type": "formula", "formula": {json.dumps(each)}, {extra}}}' for each in formulas
    )
    names_of = ", ".join(f'"{n}": {json.dumps(draw(text))}' for n in numbers)
    meta = f'{{"name": "s", "metric": "sum", "language": "en", {extra}}}'
    value = (
        f'{{{extra}, "meta": {meta}, "region_meta": {{{names_of}}}, '
        f'"predictions": [{predictions}], "items": [{", ".join(items)}]}}'
    )
    return drafts.opened(value, "a suite")


def places(value: Document) -> list[str]:
    """Return all cells of a document."""
    found = ["m-name", "m-language", *(f"r-{n}" for n in drafts.columns(value))]
    for k in range(len(value["predictions"])):
        found += [f"f-{k}", f"d-{k}"]
    for i, item in enumerate(value["items"]):
        for c in range(len(item["conditions"])):
            found += [f"x-{i}-{c}", *(f"c-{i}-{c}-{n}" for n in drafts.columns(value))]
    return found


@st.composite
def changes(draw: st.DrawFn, value: Document) -> Change:
    """Anything that can be done to a document."""
    what = draw(st.sampled_from([*CHANGES]))
    text = draw(st.sampled_from(TEXTS))
    item = f"n-{draw(st.integers(0, len(value['items']) - 1))}"
    condition = draw(st.sampled_from(drafts.condition_names(value)))
    region = str(draw(st.sampled_from(drafts.columns(value))))
    by = draw(st.sampled_from(["-1", "1"]))
    if what == "texts":
        own = draw(st.lists(st.sampled_from(places(value)), min_size=1, max_size=3, unique=True))
        return Change(what=what, places=tuple(own), texts=(text,) * len(own))
    if what == "paste":
        rows = draw(st.lists(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2), max_size=9))
        cell = draw(st.sampled_from([each for each in places(value) if each.startswith("c-")]))
        return Change(what=what, places=(cell,), texts=(text_of_block(rows),))
    noun = what.partition(" ")[2]
    place = {"item": item, "condition": condition, "region": region, "prediction": "0"}[noun]
    texts = {
        "add": (text, condition),
        "move": (by,),
        "rename": (text,),
    }.get(what.partition(" ")[0], ())
    where = () if what in ("add condition", "add prediction") else (place,)
    return Change(what=what, places=where, texts=texts)


def done(value: Document, change: Change) -> Document | None:
    """Return a document with a change, None for what cannot be done."""
    try:
        return change.on(value)
    except DraftError:
        return None


@given(documents())
def test_all_cells_written_again_lose_nothing(value: Document) -> None:
    texts = {place: drafts.text_at(value, place) for place in places(value)}
    assert None not in texts.values()
    again = drafts.with_texts(value, {place: text or "" for place, text in texts.items()})
    assert told(again) == told(value)
    assert told(drafts.opened(told(value), "again")) == told(value)


@given(st.data())
def test_a_text_is_where_it_was_written_and_all_else_as_it_was(data: st.DataObject) -> None:
    value = data.draw(documents())
    place, text = data.draw(st.sampled_from(places(value))), data.draw(st.sampled_from(TEXTS))
    before = drafts.text_at(value, place) or ""
    changed = drafts.with_texts(value, {place: text})
    assert drafts.text_at(changed, place) == text
    others = [each for each in places(value) if each != place]
    assert [*drafts.changed_places(value, changed, others)] == []
    back = drafts.with_texts(changed, {place: before})
    # A key that says nothing may have come last.
    assert back == value


@settings(max_examples=150)
@given(st.data())
def test_whatever_is_done_can_be_opened_again_and_changes_no_other_document(
    data: st.DataObject,
) -> None:
    value = data.draw(documents())
    before = told(value)
    changed = done(value, data.draw(changes(value)))
    assert told(value) == before
    if changed is not None and drafts.text_at(changed, "m-name"):
        assert told(drafts.opened(told(changed), "changed")) == told(changed)


@given(st.data())
def test_what_is_turned_round_twice_is_as_it_was(data: st.DataObject) -> None:
    value = data.draw(documents())
    number = data.draw(st.sampled_from(drafts.columns(value)))
    at = drafts.columns(value).index(number)
    if at + 1 < len(drafts.columns(value)):
        moved = Change(what="move region", places=(str(number),), texts=("1",)).on(value)
        other = str(drafts.columns(value)[at + 1])
        back = Change(what="move region", places=(other,), texts=("-1",)).on(moved)
        assert told(back) == told(value)
    name = drafts.condition_names(value)[0]
    named = Change(what="rename condition", places=(name,), texts=("quite another",)).on(value)
    again = Change(what="rename condition", places=("quite another",), texts=(name,)).on(named)
    assert told(again) == told(value)
    copied = Change(what="copy item", places=("n-0",)).on(value)
    assert told(Change(what="remove item", places=("n-1",)).on(copied)) == told(value)


rows_of_cells = st.lists(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")), min_size=1
    ),
    min_size=1,
).filter(lambda rows: rows[-1] != [""])


@given(rows_of_cells)
def test_a_block_is_read_as_it_was_copied(rows: list[list[str]]) -> None:
    assert drafts.block_of(text_of_block(rows)) == rows


@given(st.data())
def test_what_is_pasted_is_read_back(data: st.DataObject) -> None:
    value = data.draw(documents())
    n = len(drafts.columns(value))
    cell = st.sampled_from([each for each in TEXTS if each])
    rows = data.draw(st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=12))
    place = f"c-0-0-{drafts.columns(value)[0]}"
    text = text_of_block(rows)
    pasted = Change(what="paste", places=(place,), texts=(text,)).on(value)
    names = len(value["items"][0]["conditions"])
    found = [
        [region["content"] for region in condition["regions"]]
        for item in pasted["items"]
        for condition in item["conditions"]
    ]
    assert found[: len(rows)] == rows
    assert len(pasted["items"]) == max(len(value["items"]), -(-len(rows) // names))
    numbers = [item["item_number"] for item in pasted["items"]]
    assert len({*numbers}) == len(numbers)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a\tb\nc\td\n", [["a", "b"], ["c", "d"]]),
        ("a\tb\r\nc\td\r\n", [["a", "b"], ["c", "d"]]),
        ("a\tb\nc", [["a", "b"], ["c"]]),
        # A cell with a line break, as Excel, LibreOffice and Google copy it.
        ('"The\ndogs"\tbark\n', [["The dogs", "bark"]]),
        ('"say ""no"""\tx\n', [['say "no"', "x"]]),
        # A sentence in quotation marks, as Google copies it.
        ('"No", he said.\tx\n', [['"No", he said.', "x"]]),
        ('"No."\tx\n', [['"No."', "x"]]),
        ('say "no"\tx', [['say "no"', "x"]]),
        ("\t\nx\t", [["", ""], ["x", ""]]),
        ("", []),
    ],
)
def test_blocks_as_spreadsheets_copy_them(text: str, rows: list[list[str]]) -> None:
    assert drafts.block_of(text) == rows


def test_rows_that_say_item_and_condition_go_where_they_say() -> None:
    text = (
        "item\tcondition\tsubject\tverb\n"
        "2\tmismatch\tThe cat\tpurr\n"
        "\tmatch\tThe cat\tpurrs\n"
        "7\tmatch\tAn owl\tsits\n"
    )
    pasted = Change(what="paste", places=("c-0-0-1",), texts=(text,)).on(document())
    assert drafts.text_at(pasted, "c-0-0-1") == "The dogs"
    assert [drafts.text_at(pasted, f"c-1-{c}-2") for c in (0, 1)] == ["purrs", "purr"]
    assert [item["item_number"] for item in pasted["items"]] == [1, 2, 7]
    assert drafts.text_at(pasted, "c-2-0-2") == "sits"
    assert drafts.text_at(pasted, "c-2-1-2") == ""


@pytest.mark.parametrize(
    ("place", "text", "cells"),
    [
        # Some regions, which some sentences lack.
        ("c-0-0-1", "some\n\nother\n\n", ["some", "", "other", ""]),
        ("c-0-1-2", "\nno\n\n\n\n", ["match", "", "no", ""]),
        # Whole sentences, with a blank row between items.
        ("c-0-0-1", "a\tb\nc\td\n\t\ne\tf\n\n", ["a", "c", "e", "The dogs"]),
    ],
)
def test_blank_cells_of_a_block(place: str, text: str, cells: list[str]) -> None:
    value = document()
    number = place[-1]
    pasted = Change(what="paste", places=(place,), texts=(text,)).on(value)
    rows = [f"c-{i}-{c}-{number}" for i in (0, 1) for c in (0, 1)]
    assert [drafts.text_at(pasted, each) for each in rows] == cells
    assert len(pasted["items"]) == len(value["items"])


def test_a_block_that_is_too_wide_is_not_pasted_in_part() -> None:
    with pytest.raises(
        DraftError, match=r"^the block has 3 columns, and from here there are 2 reg"
    ):
        Change(what="paste", places=("c-0-0-1",), texts=("a\tb\tc\n",)).on(document())


def test_a_new_region_moves_the_others_also_in_formulas() -> None:
    value = Change(what="add region", places=("1",), texts=("adverb",)).on(document())
    assert value["region_meta"] == {"1": "subject", "2": "adverb", "3": "verb"}
    assert value["predictions"][0]["formula"] == "(3;%match%) < (3;%mismatch%)"
    assert [drafts.text_at(value, f"c-0-0-{n}") for n in (1, 2, 3)] == ["The dogs", "", "match"]
    assert LoadedSuite.findings(value) == []


def test_a_region_that_is_gone_leaves_no_formula_about_another() -> None:
    wide = Change(what="add region", places=("2",), texts=("end",)).on(document("x"))
    value = Change(what="remove region", places=("2",)).on(wide)
    assert drafts.columns(value) == [1, 3]
    (first, *_) = LoadedSuite.findings(value)
    assert first.message == "condition 'match' has no region 2"


def test_a_copy_of_a_condition_joins_its_regions_in_the_same_way() -> None:
    value = suite_value([{"a": ("l'", "arbre"), "b": ("l'", "arbres")}], ["(2;%a%) < (2;%b%)"])
    value["items"][0]["conditions"][0]["regions"][1] |= {"joiner": "", "metric_value": {"sum": 1}}
    made = Change(what="add condition", texts=("c", "a")).on(value)
    made = Change(what="texts", places=("c-0-2-2",), texts=("herbe",)).on(made)
    copied = made["items"][0]["conditions"][2]
    assert copied["regions"][1] == {"region_number": 2, "content": "herbe", "joiner": ""}
    assert drafts.sentence_of(copied, " ") == "l'herbe"


def test_a_condition_is_renamed_in_formulas_even_in_one_that_is_wrong() -> None:
    value = drafts.with_texts(document(), {"f-0": "(2; %match% ) << (*;%mismatch%)"})
    renamed = Change(what="rename condition", places=("match",), texts=("good",)).on(value)
    assert renamed["predictions"][0]["formula"] == "(2; %good% ) << (*;%mismatch%)"
    assert drafts.condition_names(renamed) == ["good", "mismatch"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Change(what="nothing"), "nothing is called 'nothing'"),
        (Change(what="remove item", places=("n-9",)), "there is no such item (any more)"),
        (
            Change(what="texts", places=("c-0-0-9",), texts=("x",)),
            "there is no cell c-0-0-9 (any mo",
        ),
        (Change(what="texts", places=("c-0-0-1",), texts=()), "there are as many texts as places"),
        (
            Change(what="texts", places=("n-0",), texts=("x",)),
            "the number of an item is a whole nu",
        ),
        (Change(what="texts", places=("m-metric",), texts=("x",)), "there is no metric 'x'"),
        (
            Change(what="texts", places=("m-file",), texts=("x",)),
            "there is no cell m-file (any mor",
        ),
        (
            Change(what="texts", places=("f-0",), texts=("\ud800",)),
            "this holds half of a character",
        ),
        (Change(what="add condition", texts=("match",)), "there is a condition 'match' already"),
        (Change(what="add condition", texts=("a%b",)), "the condition's name 'a%b' has a '%'"),
        (Change(what="add region", places=("1",), texts=(" ",)), "the name of a region is empty"),
        (
            Change(what="remove condition", places=("matc",)),
            "there is no condition 'matc'; did you",
        ),
        (Change(what="remove region", places=("9",)), "there is no region 9"),
        (Change(what="move item", places=("n-0",), texts=("up",)), "'up' is no whole number"),
        (Change(what="add item"), "add item: say where, and what"),
    ],
)
def test_what_cannot_be_done(change: Change, message: str) -> None:
    value = document()
    before = told(value)
    with pytest.raises(DraftError) as caught:
        merged(value, value, change)
    assert str(caught.value).startswith(message)
    assert told(value) == before


def test_the_last_of_each_is_not_removed() -> None:
    value = document()
    one = Change(what="remove item", places=("n-0",)).on(value)
    one = Change(what="remove condition", places=("match",)).on(one)
    one = Change(what="remove region", places=("1",)).on(one)
    for what, place in (("item", "n-0"), ("condition", "mismatch"), ("region", "2")):
        with pytest.raises(DraftError, match="at least one"):
            Change(what=f"remove {what}", places=(place,)).on(one)


# Two people.


@settings(max_examples=100)
@given(st.data())
def test_texts_in_different_cells_meet(data: st.DataObject) -> None:
    base = data.draw(documents())
    one, other = data.draw(
        st.lists(st.sampled_from(places(base)), min_size=2, max_size=2, unique=True)
    )
    ours = Change(what="texts", places=(one,), texts=("ours",))
    theirs = Change(what="texts", places=(other,), texts=("theirs",))
    found = merged(base, theirs.on(base), ours)
    assert found.clashes == ()
    assert found.document == ours.on(theirs.on(base))
    assert merged(base, ours.on(base), theirs).document == found.document


@given(st.data())
def test_the_same_cell_is_told_and_stays_theirs(data: st.DataObject) -> None:
    base = data.draw(documents())
    place = data.draw(st.sampled_from(places(base)))
    theirs = drafts.with_texts(base, {place: "theirs"})
    found = merged(base, theirs, Change(what="texts", places=(place,), texts=("ours",)))
    (clash,) = found.clashes
    assert (clash.place, clash.theirs, clash.yours) == (place, "theirs", "ours")
    assert told(found.document) == told(theirs)
    # What both have written is no clash.
    assert (
        merged(base, theirs, Change(what="texts", places=(place,), texts=("theirs",))).clashes == ()
    )


@settings(max_examples=150)
@given(st.data())
def test_whatever_two_people_do_nothing_of_the_first_is_lost(data: st.DataObject) -> None:
    """What theirs has and base has not is there after ours, or ours was refused."""
    base = data.draw(documents())
    place = data.draw(st.sampled_from([each for each in places(base) if each[0] in "cx"]))
    theirs = drafts.with_texts(base, {place: "written by them"})
    ours = data.draw(changes(base))
    if done(base, ours) is None or done(theirs, ours) is None:
        return
    found = merged(base, theirs, ours)
    assert "written by them" in told(found.document)
    assert merged(base, base, ours).clashes == ()


def test_an_item_that_somebody_has_changed_is_not_removed() -> None:
    base = document()
    theirs = drafts.with_texts(base, {"c-1-0-2": "theirs"})
    found = merged(base, theirs, Change(what="remove item", places=("n-1",)))
    assert found.document is theirs
    assert found.clashes[0].yours == "remove item"
    # Another one is, wherever it is now.
    moved = Change(what="add item", places=("n-0",)).on(base)
    gone = merged(base, moved, Change(what="remove item", places=("n-1",))).document
    assert [item["item_number"] for item in gone["items"]] == [1, 3]


def test_a_text_follows_its_item_and_its_condition() -> None:
    base = document()
    theirs = Change(what="add item", places=("n-0",)).on(base)
    theirs = Change(what="move condition", places=("match",), texts=("1",)).on(theirs)
    found = merged(base, theirs, Change(what="texts", places=("c-1-0-2",), texts=("ours",)))
    assert found.clashes == ()
    assert drafts.text_at(found.document, "c-2-1-2") == "ours"


def test_where_regions_have_become_others_nobody_guesses() -> None:
    base = document("x")
    theirs = Change(what="add region", places=("0",), texts=("first",)).on(base)
    found = merged(base, theirs, Change(what="texts", places=("c-0-0-1",), texts=("ours",)))
    assert found.document == theirs
    assert found.clashes[0].yours == "ours"


def test_two_blocks_below_the_last_item_are_both_kept() -> None:
    base = document()
    rows = [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"], ["i", "j"], ["k", "l"]]
    block = text_of_block(rows)
    theirs = Change(what="paste", places=("c-1-0-1",), texts=(block.upper(),)).on(base)
    ours = Change(what="paste", places=("c-1-0-1",), texts=(block,))
    found = merged(base, theirs, ours)
    assert len(found.clashes) == 4
    contents = [drafts.text_at(found.document, f"c-{i}-0-1") for i in range(6)]
    assert contents == ["The dogs", "A", "E", "I", "e", "i"]
    numbers = [item["item_number"] for item in found.document["items"]]
    assert numbers == [1, 2, 3, 4, 5, 6]


def test_a_block_for_regions_that_are_others_now_is_not_pasted() -> None:
    base = document()
    theirs = Change(what="add region", places=("0",), texts=("first",)).on(base)
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    ours = Change(what="paste", places=("c-1-0-1",), texts=(text_of_block(rows),))
    found = merged(base, theirs, ours)
    assert found.document is theirs
    assert found.clashes[0].yours == "paste"


# Files.


def test_every_shipped_suite_is_opened_as_it_is() -> None:
    for path in find_suites("suites:en/agreement")[:3]:
        value = drafts.opened(path.read_text("utf-8"), path.name)
        assert told(value) == told(JsonDocument.read(path).value)


def test_what_cannot_be_a_grid_is_told_with_its_lines() -> None:
    value: dict[str, Any] = json.loads(told(agreement().to_dict()))
    twice = json.loads(json.dumps(value))
    twice["items"][0]["conditions"][0]["regions"][1]["region_number"] = 1
    cases: list[tuple[object, str]] = [
        (twice, "has the region number 1 twice"),
        ([], "it has to be an object"),
        ({**value, "items": 3}, "it has to be a list"),
        ({key: each for key, each in value.items() if key != "meta"}, "'meta' is missing"),
        ({**value, "predictions": [{"type": "formula"}]}, "'formula' is missing"),
        ({**value, "predictions": [{"type": "other", "formula": "x"}]}, 'write "formula"'),
    ]
    for each, message in cases:
        with pytest.raises(SuiteError, match=message) as caught:
            drafts.opened(json.dumps(each, indent=1), "a.json")
        assert caught.value.faults[0].file == "a.json"


@pytest.mark.parametrize("formula", ["", "(2;%good%) <", "(9;%nobody%) < 1"])
def test_what_is_wrong_with_formulas_keeps_no_suite_from_being_opened(formula: str) -> None:
    value: Document = agreement().to_dict()
    value = {**value, "predictions": [{"type": "formula", "formula": formula}]}
    assert told(drafts.opened(told(value), "a.json")) == told(value)
