"""Bad suite files, and every word that is said of them.

`BASE` is a sound file, written as a linguist would; each case replaces a piece of it.
"""

import json
from pathlib import Path

import pytest

from pommel.errors import SuiteError
from pommel.suite.read import LoadedSuite

BASE = """\
{
  "meta": {"name": "agreement", "metric": "sum"},
  "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
  "predictions": [
    {"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}
  ],
  "items": [
    {"item_number": 1, "conditions": [
      {"condition_name": "match", "regions": [
        {"region_number": 1, "content": "The dog"},
        {"region_number": 2, "content": "barks"},
        {"region_number": 3, "content": "."}]},
      {"condition_name": "mismatch", "regions": [
        {"region_number": 1, "content": "The dog"},
        {"region_number": 2, "content": "bark"},
        {"region_number": 3, "content": "."}]}]},
    {"item_number": 2, "conditions": [
      {"condition_name": "mismatch", "regions": [
        {"region_number": 1, "content": "The cats"},
        {"region_number": 2, "content": "purrs"},
        {"region_number": 3, "content": "."}]},
      {"condition_name": "match", "regions": [
        {"region_number": 1, "content": "The cats"},
        {"region_number": 2, "content": "purr"},
        {"region_number": 3, "content": "."}]}]}
  ]
}
"""


def told(text: str, *, strict: bool = False, evaluated: bool = False) -> list[str]:
    """Return what is said of a file, errors and warnings."""
    try:
        loaded = LoadedSuite.parse(text, file="s.json", strict=strict, evaluated=evaluated)
    except SuiteError as error:
        return str(error).split("\n")
    return [str(fault) for fault in loaded.warnings]


def test_the_file_that_all_others_are_made_from_is_sound() -> None:
    assert told(BASE) == []
    assert told(BASE, strict=True) == []


def replaced(*pairs: tuple[str, str]) -> str:
    text = BASE
    for old, new in pairs:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text


METRICS_HINT = 'write "sum", "mean", "median", "min", "max", "range", a list of these, or "all"'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # --- keys that are missing or misspelled, at each level
        (
            '"meta"',
            '"mta"',
            "s.json:1:1: 'meta' is missing; it is written 'mta' here",
        ),
        (
            '  "region_meta": {"1": "subject", "2": "verb", "3": "rest"},\n',
            "",
            (
                "s.json:1:1: 'region_meta' is missing; "
                'write "region_meta": {"1": "subject", "2": "verb"}'
            ),
        ),
        (
            '{"name": "agreement", "metric": "sum"}',
            "{}",
            (
                's.json:2:11: \'name\' is missing; write "name": "my_suite" (at meta)\n'
                's.json:2:11: \'metric\' is missing; write "metric": "sum" (at meta)'
            ),
        ),
        (
            '"metric"',
            '"metrics"',
            "s.json:2:11: 'metric' is missing; it is written 'metrics' here (at meta)",
        ),
        (
            '"type": "formula", ',
            "",
            's.json:5:5: \'type\' is missing; write "type": "formula" (at predictions[0])',
        ),
        (
            '"item_number": 1, ',
            "",
            "s.json:8:5: 'item_number' is missing; write \"item_number\": 1 (at items[0])",
        ),
        (
            '"conditions"',
            '"condition"',
            "s.json:8:5: 'conditions' is missing; it is written 'condition' here (at items[0])",
        ),
        (
            '"condition_name": "match"',
            '"name": "match"',
            (
                's.json:9:7: \'condition_name\' is missing; write "condition_name": "a" '
                "(at items[0].conditions[0])"
            ),
        ),
        (
            '"regions"',
            '"Regions"',
            (
                "s.json:9:7: 'regions' is missing; it is written 'Regions' here "
                "(at items[0].conditions[0])"
            ),
        ),
        (
            '"region_number": 2,',
            '"regoin_number": 2,',
            (
                "s.json:11:9: 'region_number' is missing; it is written 'regoin_number' here "
                "(at items[0].conditions[0].regions[1])"
            ),
        ),
        # region_name is a name of its own, and no misspelling
        (
            '"region_number": 2,',
            '"region_name": "verb",',
            (
                "s.json:11:9: 'region_number' is missing; write \"region_number\": 1 "
                "(at items[0].conditions[0].regions[1])"
            ),
        ),
        (
            ', "content": "barks"',
            "",
            (
                "s.json:11:9: 'content' is missing; "
                'write "content": "The dog", or "" for an empty region '
                "(at items[0].conditions[0].regions[1])"
            ),
        ),
        # --- wrong types
        (
            '"barks"',
            "null",
            (
                "s.json:11:41: this is null; it has to be text in quotes "
                "(at items[0].conditions[0].regions[1].content)"
            ),
        ),
        (
            '"barks"',
            '["barks", "loudly"]',
            (
                's.json:11:41: this is a list (["barks", "loudly"]); '
                "it has to be text in quotes (at items[0].conditions[0].regions[1].content)"
            ),
        ),
        (
            '"item_number": 2',
            '"item_number": "2"',
            (
                's.json:17:21: this is text ("2"); it has to be a whole number '
                "(at items[1].item_number)"
            ),
        ),
        (
            '"item_number": 2',
            '"item_number": 2.5',
            (
                "s.json:17:21: this is a number (2.5); it has to be a whole number "
                "(at items[1].item_number)"
            ),
        ),
        (
            '"item_number": 2',
            '"item_number": true',
            (
                "s.json:17:21: this is true or false (true); it has to be a whole number "
                "(at items[1].item_number)"
            ),
        ),
        (
            '"item_number": 2',
            '"item_number": NaN',
            (
                "s.json:17:21: this is a number (NaN); it has to be a whole number "
                "(at items[1].item_number)"
            ),
        ),
        (
            '"item_number": 2',
            f'"item_number": {"9" * 5000}',
            (
                "s.json:17:21: this is a number (Infinity); it has to be a whole number "
                "(at items[1].item_number)"
            ),
        ),
        (
            '{"name": "agreement", "metric": "sum"}',
            '["agreement"]',
            's.json:2:11: this is a list (["agreement"]); it has to be an object { } (at meta)',
        ),
        (
            '"name": "agreement"',
            '"name": ""',
            's.json:2:20: \'name\' is empty; write "name": "my_suite" (at meta.name)',
        ),
        (
            '{"1": "subject"',
            '{"first": "subject"',
            (
                's.json:3:28: "first" is not possible here; the keys of region_meta are region '
                "numbers (at region_meta.first)"
            ),
        ),
        (
            '"agreement"',
            '"agreement", "version": 1',
            "s.json:2:44: this is a number (1); it has to be text in quotes (at meta.version)",
        ),
        (
            '"condition_name": "match"',
            '"condition_name": "ma%tch"',
            (
                's.json:9:26: "ma%tch" is not possible here; a name has at least one '
                "character, no '%', and no space around it "
                "(at items[0].conditions[0].condition_name)"
            ),
        ),
        # --- metrics
        (
            '"sum"',
            '"summ"',
            f's.json:2:43: "summ" is not a region metric; {METRICS_HINT} (at meta.metric)',
        ),
        (
            '"sum"',
            '["sum", "average"]',
            (
                's.json:2:43: ["sum", "average"] is not a region metric; '
                f"{METRICS_HINT} (at meta.metric)"
            ),
        ),
        # --- predictions
        (
            '"type": "formula"',
            '"type": "relation"',
            's.json:5:14: this is "relation"; write "formula" (at predictions[0].type)',
        ),
        (
            '{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}',
            (
                '{"relation": "greaterthan", "region_number": 3, "l_operand": "mismatch", '
                '"r_operand": "match"}'
            ),
            (
                's.json:5:5: \'type\' is missing; write "type": "formula" (at predictions[0])\n'
                "s.json:5:5: 'formula' is missing; "
                'write "formula": "(2;%a%) < (2;%b%)" (at predictions[0])'
            ),
        ),
        (
            "(2;%mismatch%)",
            "(2;%mismtch%)",
            (
                "s.json:5:51: there is no condition 'mismtch'; did you mean 'mismatch'? "
                "(at predictions[0].formula)"
            ),
        ),
        (
            "(2;%match%) <",
            "(2;%match%) <<",
            "s.json:5:50: unexpected '<' (at predictions[0].formula)",
        ),
        (
            "(2;%match%) <",
            "(1;%match%) < 3 <",
            (
                "s.json:5:53: comparisons cannot be chained ('< (2;%mismatch%)'); "
                "write ((1;%match%) < 3 & 3 < (2;%mismatch%)) (at predictions[0].formula)"
            ),
        ),
        (
            '"(2;%match%) < (2;%mismatch%)"',
            r'"\u0028\u0032;%match%)\n\t< (2;%mismtch%)"',
            (
                "s.json:5:64: there is no condition 'mismtch'; did you mean 'mismatch'? "
                "(at predictions[0].formula)"
            ),
        ),
        (
            '"(2;%match%) < (2;%mismatch%)"',
            '"1 < 2 | 3 < 4 & 5 < 6"',
            (
                "s.json:5:37: warning: '&' and '|' share one level and associate to the left; "
                "put brackets around what belongs together (at predictions[0].formula)\n"
                "s.json:5:37: warning: the formula mentions no region, so it is the same for "
                "every item; name a region, e.g. (1;%condition%) (at predictions[0].formula)"
            ),
        ),
        # --- numbers and names
        (
            '"item_number": 2',
            '"item_number": 1',
            (
                "s.json:17:21: the suite has the item number 1 twice; "
                "give each a number of its own (at items[1].item_number)"
            ),
        ),
        (
            '"region_number": 2',
            '"region_number": 1',
            (
                "s.json:5:37: condition 'match' has no region 2 in item 1; "
                'add it there, with "content": "" if it is empty (at predictions[0].formula)\n'
                "s.json:11:27: condition 'match' has the region number 1 twice; "
                "give each a number of its own "
                "(at items[0].conditions[0].regions[1].region_number)"
            ),
        ),
        (
            '"condition_name": "mismatch"',
            '"condition_name": "match"',
            (
                "s.json:13:26: item 1 has the condition name 'match' twice; "
                "give each a name of its own (at items[0].conditions[1].condition_name)\n"
                "s.json:18:26: item 2 has a condition 'mismatch', which other items lack; "
                "did you mean 'match'? (at items[1].conditions[0].condition_name)"
            ),
        ),
        (
            '"3": "rest"',
            '"03": "rest", "3": "again"',
            (
                "s.json:3:67: region_meta has the region 3 twice; remove one of them "
                '(at region_meta["3"])'
            ),
        ),
        (
            ', "3": "rest"',
            "",
            (
                "s.json:12:27: warning: region_meta has no region 3; it has 1, 2 "
                "(at items[0].conditions[0].regions[2].region_number)"
            ),
        ),
        # --- contents
        (
            '"barks"',
            '" barks"',
            (
                "s.json:11:41: warning: stray space in the content ' barks'; "
                "remove the spaces around the text, and doubled ones "
                "(at items[0].conditions[0].regions[1].content)"
            ),
        ),
        (
            '"barks"',
            r'"\ud83d"',
            (
                "s.json:11:41: this holds half of a character (a lone surrogate); "
                "write the character itself (at items[0].conditions[0].regions[1].content)"
            ),
        ),
        (
            '"name": "agreement"',
            '"name": "a", "name": "b"',
            (
                "s.json:2:25: the key 'name' stands here for the second time; "
                "remove one of the two (at meta.name)"
            ),
        ),
        (
            '"item_number": 1',
            r'"item_number": "\ud83d"',
            (
                "s.json:8:21: this holds half of a character (a lone surrogate); "
                "write the character itself (at items[0].item_number)\n"
                's.json:8:21: this is text ("\\ud83d"); it has to be a whole number '
                "(at items[0].item_number)"
            ),
        ),
        # --- JSON
        (
            '"sum"}',
            '"sum"',
            (
                "s.json:27:2: this is not JSON: the file ends too early; "
                "the { in line 1 is never closed"
            ),
        ),
        (
            '"barks"},',
            '"barks"}',
            "s.json:12:9: this is not JSON: a comma is missing; write , before this",
        ),
    ],
)
def test_one_mistake(old: str, new: str, expected: str) -> None:
    assert "\n".join(told(replaced((old, new)))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "s.json:1:1: this is not JSON: the file is empty; a suite is a JSON object { }"),
        ("[]", "s.json:1:1: this is a list ([]); it has to be an object { }"),
        ("null", "s.json:1:1: this is null; it has to be an object { }"),
        ('"agreement"', 's.json:1:1: this is text ("agreement"); it has to be an object { }'),
    ],
)
def test_what_is_no_suite_at_all(text: str, expected: str) -> None:
    assert told(text) == [expected]


def test_an_empty_suite() -> None:
    meta = '"meta": {"name": "s", "metric": "sum"}'
    text = f'{{{meta}, "region_meta": {{}}, "predictions": [], "items": []}}'
    assert told(text) == [
        (
            "s.json:1:89: 'items' is empty; "
            'write "items": [{"item_number": 1, "conditions": [...]}] (at items)'
        ),
    ]


def test_a_sentence_without_a_word() -> None:
    text = replaced(('"The dog"', '""'), ('"barks"', '""'), ('"."', '""'))
    assert told(text) == [
        (
            "s.json:9:7: all regions of condition 'match' are empty; "
            "write the sentence's text into them (at items[0].conditions[0])"
        )
    ]


META = '"metric": "sum"'
REGION = '"content": "barks"'


@pytest.mark.parametrize(
    ("old", "more", "message", "hint", "place"),
    [
        (META, '"separator": ""', "'separator'", "'joiner'", "meta.separator"),
        (META, '"seperator": " "', "warning: 'seperator'", "'joiner'", "meta.seperator"),
        (META, '"licence": "CC0-1.0"', "warning: 'licence'", "'license'", "meta.licence"),
        (META, '"joiner": "", "separator": ""', "", "", ""),
        (META, '"citation": "ours"', "", "", ""),
        (
            *('"verb", "3": "rest"}', '"joiner": ""'),
            *("warning: 'joiner'", "'joiner' into meta, or into a region", "joiner"),
        ),
        (
            REGION,
            '"Joiner": ""',
            "'Joiner'",
            "'joiner'",
            "items[0].conditions[0].regions[1].Joiner",
        ),
        (REGION, '"lemma": "bark", "joiner": " "', "", "", ""),
        (
            '"item_number": 1',
            '"Context": "x"',
            "warning: 'Context'",
            "'context'",
            "items[0].Context",
        ),
        (
            *('"type": "formula"', '"descripton": "x"'),
            *("warning: 'descripton'", "'description'", "predictions[0].descripton"),
        ),
    ],
)
def test_a_key_that_is_not_read_and_nearly_one_that_is(
    old: str, more: str, message: str, hint: str, place: str
) -> None:
    found = [each.split(": ", 1)[1] for each in told(replaced((old, f"{old}, {more}")))]
    assert found == ([f"{message} is not read here; write {hint} (at {place})"] if hint else [])


@pytest.mark.parametrize(
    ("meta", "is_told"),
    [
        ('"language": "zh-Hant"', True),
        ('"language": "zh", "joiner": ""', False),
        ('"language": "zh", "joiner": " "', False),
        ('"language": "vi"', False),
    ],
)
def test_spaces_in_a_language_without(meta: str, *, is_told: bool) -> None:
    expected = (
        "s.json:2:62: warning: 'zh-Hant' is written without spaces, and regions are joined with "
        'them; write "joiner": "" into meta, or "joiner": " " if that is meant (at meta.language)'
    )
    assert told(replaced((META, f"{META}, {meta}"))) == ([expected] if is_told else [])


@pytest.mark.parametrize(
    ("language", "hint"),
    [("Japanese", "did you mean ja?"), ("日本語", "write one such as en, eu, zh-Hant"), ("", "")],
)
def test_a_language_that_is_no_tag_is_a_warning(language: str, hint: str) -> None:
    """Nobody knows then what stands between its regions, nor which way it is written."""
    message = f"s.json:2:62: warning: {language!r} is no language tag; {hint} (at meta.language)"
    found = told(replaced((META, f'{META}, "language": "{language}"')))
    assert found == ([message] if hint else [])


def test_regions_in_another_order_are_a_warning() -> None:
    swapped = replaced(('"region_number": 1', '"region_number": 9'), ('"1": ', '"9": "x", "1": '))
    assert told(swapped) == [
        (
            "s.json:9:7: warning: the regions of condition 'match' are not in the order of their "
            "numbers; the sentence follows the file (at items[0].conditions[0])"
        )
    ]


def test_stray_spaces_are_errors_only_if_asked_for() -> None:
    text = replaced(('"barks"', '"barks "'), ('"The dog"', '"The  dog"'))
    hint = "remove the spaces around the text, and doubled ones"
    where = "at items[0].conditions[0].regions"
    expected = [
        f"s.json:10:41: stray space in the content 'The  dog'; {hint} ({where}[0].content)",
        f"s.json:11:41: stray space in the content 'barks '; {hint} ({where}[1].content)",
    ]
    assert told(text, strict=True) == expected
    assert told(text) == [each.replace(": stray", ": warning: stray") for each in expected]


def test_a_condition_that_one_item_lacks() -> None:
    value = json.loads(BASE)
    value["items"] = [{**value["items"][0], "item_number": number} for number in range(1, 31)]
    value["items"][16] = {**value["items"][16], "conditions": value["items"][0]["conditions"][:1]}
    text = json.dumps(value, indent=1)
    line = text.split('"item_number": 17,')[0].count("\n")
    assert told(text) == [
        (
            f"s.json:{line}:3: item 17 has no condition 'mismatch', which other items have; "
            "add it to this item (at items[16])"
        )
    ]


def test_a_misspelled_condition_is_compared_with_the_one_that_is_missing() -> None:
    # In the second of two items: the first is taken to be right.
    first, second = BASE.split('    {"item_number": 2')
    text = first + '    {"item_number": 2' + second.replace('"mismatch"', '"mismach"')
    assert told(text) == [
        (
            "s.json:17:5: item 2 has no condition 'mismatch', which other items have; "
            "add it to this item (at items[1])"
        ),
        (
            "s.json:18:26: item 2 has a condition 'mismach', which other items lack; "
            "did you mean 'mismatch'? (at items[1].conditions[0].condition_name)"
        ),
    ]


def test_items_that_have_nothing_in_common() -> None:
    value = json.loads(BASE)
    conditions = value["items"][0]["conditions"]
    value["predictions"] = []
    value["items"] = [
        {"item_number": n, "conditions": [{**conditions[0], "condition_name": name}]}
        for n, name in enumerate("xyz", 1)
    ]
    messages = [each.split(": ", 1)[1].split(" (at")[0] for each in told(json.dumps(value))]
    assert messages == [
        f"item {n} has a condition {name!r}, which other items lack; "
        "all items have the same conditions"
        for n, name in enumerate("xyz", 1)
    ]


def test_several_mistakes_come_in_the_order_of_the_file() -> None:
    text = replaced(
        ("(2;%match%)", "(9;%match%)"),
        ("(2;%mismatch%)", "(2;%mism%)"),
        ('"barks"', '"barks "'),
        ('"item_number": 2', '"item_number": 1'),
        ('"name": "agreement"', '"name": "x", "name": "agreement"'),
        ('"purr"', r'"\udc00"'),
    )
    places = [each.split(": ")[0] for each in told(text)]
    assert places == [
        "s.json:2:25",
        "s.json:5:37",
        "s.json:5:51",
        "s.json:11:41",
        "s.json:17:21",
        "s.json:24:41",
    ]


def test_mistakes_of_shape_and_of_sense_are_told_together() -> None:
    text = replaced(
        ('"sum"', "3"),
        ("(2;%mismatch%)", "(2;%nobody%)"),
        ('"barks"', "7"),
        ('"item_number": 2', '"item_number": null'),
    )
    assert told(text) == [
        f"s.json:2:43: 3 is not a region metric; {METRICS_HINT} (at meta.metric)",
        (
            "s.json:5:51: there is no condition 'nobody'; there are: 'match', 'mismatch' "
            "(at predictions[0].formula)"
        ),
        (
            "s.json:11:41: this is a number (7); it has to be text in quotes "
            "(at items[0].conditions[0].regions[1].content)"
        ),
        "s.json:17:21: this is null; it has to be a whole number (at items[1].item_number)",
    ]


def test_long_values_are_cut_short() -> None:
    text = replaced(('"barks"', "[" + '"x",' * 100 + '"y"]'))
    message = told(text)[0]
    assert message.startswith('s.json:11:41: this is a list (["x", "x", ')
    assert "...); it has to be text in quotes" in message
    assert len(message) < 170


def test_a_formula_nested_too_deeply_is_not_quoted() -> None:
    text = replaced(("(2;%match%)", "(" * 3000 + "(2;%match%)" + ")" * 3000))
    assert told(text) == [
        "s.json:5:37: this formula is nested too deeply (at predictions[0].formula)"
    ]


def test_an_evaluated_suite_needs_a_value_in_every_region() -> None:
    text = BASE.replace('."}', '.", "metric_value": {"sum": 1.5}}')
    text = text.replace('g"}', 'g", "metric_value": {"sum": NaN}, "oovs": ["dog"]}')
    assert told(text) == []
    faults = told(text, evaluated=True)
    assert faults[0] == (
        's.json:11:9: \'metric_value\' is missing; write "metric_value": {"sum": 12.3} '
        "(at items[0].conditions[0].regions[1])"
    )
    assert [each.split(": ")[0] for each in faults] == [
        f"s.json:{line}:9" for line in (11, 15, 19, 20, 23, 24)
    ]
    text = text.replace('{"sum": NaN}', '{"sum": "12"}', 1)
    assert told(text) == [
        (
            's.json:10:76: this is text ("12"); it has to be a number or null '
            "(at items[0].conditions[0].regions[0].metric_value.sum)"
        )
    ]


# --- files


@pytest.mark.parametrize("strict", [False, True])
def test_a_byte_order_mark(tmp_path: Path, *, strict: bool) -> None:
    path = tmp_path / "s.json"
    path.write_text("\ufeff" + BASE, encoding="utf-8")
    message = "the file begins with a byte order mark; save it as UTF-8 without one"
    if strict:
        with pytest.raises(SuiteError) as caught:
            LoadedSuite.read(path, strict=True)
        assert str(caught.value) == f"{path}:1:1: {message}"
    else:
        warnings = LoadedSuite.read(path).warnings
        assert [str(each) for each in warnings] == [f"{path}:1:1: warning: {message}"]


def test_a_byte_order_mark_hides_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("\ufeff" + replaced(('"sum"', '"som"')), encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        LoadedSuite.read(path)
    assert [(each.line, each.column) for each in caught.value.faults] == [(1, 1), (2, 43)]


def test_latin_1(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(replaced(('"barks"', '"aboyé"')).encode("latin-1"))
    with pytest.raises(SuiteError) as caught:
        LoadedSuite.read(path)
    assert str(caught.value) == (
        f"{path}:11:46: the byte 0xe9 is not UTF-8; save the file with the encoding UTF-8"
    )


# --- size


def big(n_items: int, *, stray: str = "") -> str:
    value = json.loads(BASE.replace('"barks"', f'"{stray}barks"'))
    value["items"] = [{**value["items"][n % 2], "item_number": n} for n in range(n_items)]
    return json.dumps(value)


@pytest.mark.timeout(60)  # what grows with the square of the text takes many minutes
def test_ten_megabytes_on_one_line_are_no_trouble() -> None:
    text = big(28_000)
    assert len(text) > 10_000_000
    assert told(text) == []


@pytest.mark.timeout(60)
def test_nor_are_thousands_of_faults_in_them() -> None:
    text = big(13_000, stray=" ").replace('"region_number": 3', '"region_number": 4')
    warnings = told(text)
    # Region 4 is missing from region_meta, which is said once.
    assert len(warnings) == 6_500 + 1
    assert all(each.startswith("s.json:1:") for each in warnings)
    column = int(warnings[-1].split(":")[2])
    assert json.JSONDecoder().raw_decode(text, column - 1)[0] == " barks"


def test_nesting_that_no_suite_has() -> None:
    deep = "[" * 2000 + "]" * 2000
    assert told(replaced(('"barks"', deep))) == [
        (
            "s.json: the file is nested too deeply to be read; "
            "no more than 100 levels of brackets are read"
        )
    ]
    deep = "[" * 90 + "]" * 90
    assert told(replaced(('"barks"', f'"barks", "note": {deep}'))) == []


def test_a_condition_without_a_name_is_none_that_a_formula_may_mean() -> None:
    text = replaced(('"condition_name": "match"', '"name": "match"'), ("%mismatch%", "%mismtch%"))
    assert told(text)[0] == (
        "s.json:5:51: there is no condition 'mismtch'; did you mean 'mismatch'? "
        "(at predictions[0].formula)"
    )
