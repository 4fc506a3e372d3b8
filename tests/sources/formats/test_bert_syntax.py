"""What bert-syntax prints."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sources.set_round_trips import WORDS, through_a_suite

from pommel.sources.formats.bert_syntax import (
    BERT_SYNTAX,
    MASK,
    bert_syntax_lines,
    parse_bert_syntax,
    text_of_literal,
)
from pommel.sources.formats.clams import CLAMS
from pommel.sources.minimal_sets import MinimalSet

SPEED = "Better speed can be had with x.\n"
ATTRACTORS = (
    SPEED
    + "True\t1\tis\t2.5\tare\t-0.125\tb'the lid of the jars ***mask*** tight .'\n"
    + "skipping is/are\n"
    + "skipping sip sips bad wins\n"
    + 'False\t0\tsit\t1e-05\tsits\t3.0\tb"they do n\'t ***mask*** in a caf\\xc3\\xa9"\n'
    + "skipping hums hum bad wins\n"
)
MARVIN = (
    SPEED
    + "True simple_agrmt sing_MS_MV laughs laugh the cook ***mask*** .\n"
    + "skipping hums hum bad wins\n"
    + "False simple_agrmt sing_MS_MV hums hum the cook ***mask*** .\n"
    + "False simple_agrmt plur_MS_MV hum hums the cooks ***mask*** .\n"
)


def parse(text: str) -> list[MinimalSet]:
    return parse_bert_syntax(text, file="x.txt")


def written(sets: list[MinimalSet]) -> str:
    return "".join(bert_syntax_lines(sets))


def test_results_with_attractors() -> None:
    sets = parse(ATTRACTORS)
    assert sets == [
        MinimalSet(
            "the lid of the jars",
            "is",
            ("are",),
            "tight .",
            {
                "lines_before": ["Better speed can be had with x."],
                "correct": True,
                "n_attr": 1,
                "logits": [2.5, -0.125],
            },
        ),
        MinimalSet(
            "they do n't",
            "sit",
            ("sits",),
            "in a café",
            {
                "lines_before": ["skipping is/are", "skipping sip sips bad wins"],
                "correct": False,
                "n_attr": 0,
                "logits": [1e-05, 3.0],
                "lines_after": ["skipping hums hum bad wins"],
            },
        ),
    ]
    assert written(sets) == ATTRACTORS
    assert written(through_a_suite(sets, BERT_SYNTAX.compared)) == ATTRACTORS


def test_results_of_templates_and_those_that_are_none() -> None:
    sets = parse(MARVIN)
    assert [each.grammatical for each in sets] == [
        "the cook laughs .",
        "the cook hums .",
        "the cooks hum .",
    ]
    assert [each.fields for each in sets] == [
        {
            "lines_before": ["Better speed can be had with x."],
            "correct": True,
            "case": "simple_agrmt",
            "subcase": "sing_MS_MV",
        },
        {
            "lines_before": ["skipping hums hum bad wins"],
            "correct": None,
            "case": "simple_agrmt",
            "subcase": "sing_MS_MV",
        },
        {"correct": False, "case": "simple_agrmt", "subcase": "plur_MS_MV"},
    ]
    assert written(sets) == MARVIN
    assert written(through_a_suite(sets, BERT_SYNTAX.compared)) == MARVIN


def test_a_result_is_one_whatever_was_skipped_before_it() -> None:
    text = MARVIN.replace("False simple_agrmt sing", "True simple_agrmt sing")
    assert [(each.fields or {})["correct"] for each in parse(text)] == [True, True, False]
    assert written(parse(text)) == text
    text = MARVIN.replace("skipping hums hum bad", "skipping hums sum bad")
    assert [(each.fields or {})["correct"] for each in parse(text)] == [True, False, False]


def test_the_published_files_come_out_as_they_went_in(shared_data: Path) -> None:
    paths = sorted((shared_data / "bert_syntax").glob("*.txt"))
    assert len(paths) == 2
    for path in paths:
        text = path.read_bytes().decode()
        sets = BERT_SYNTAX.read(path)
        assert written(sets) == text
        again = through_a_suite(sets, BERT_SYNTAX.compared)
        assert again == sets
        assert written(again) == text
        assert not any("sentence" in (each.fields or {}) for each in sets)
        assert BERT_SYNTAX.is_like(text[:4096])
        assert not CLAMS.is_like(text[:4096])


@pytest.mark.parametrize(
    ("size", "by_n_attr"),
    [
        ("base", {0: (260, 311), 1: (51, 63), 2: (8, 9)}),
        ("large", {0: (250, 311), 1: (47, 63), 2: (8, 9)}),
    ],
)
def test_the_published_accuracies(
    shared_data: Path, size: str, by_n_attr: dict[int, tuple[int, int]]
) -> None:
    sets = BERT_SYNTAX.read(shared_data / "bert_syntax" / f"gulordava_results_{size}.txt")
    n_correct: Counter[int] = Counter()
    n_all: Counter[int] = Counter()
    for each in sets:
        fields = each.fields or {}
        n_all[fields["n_attr"]] += 1
        n_correct[fields["n_attr"]] += fields["correct"]
    assert {n: (n_correct[n], n_all[n]) for n in n_all} == by_n_attr
    assert (n_correct.total(), n_all.total()) == ({"base": 319, "large": 305}[size], 383)


def test_both_models_were_asked_the_same(shared_data: Path) -> None:
    base, large = (
        BERT_SYNTAX.read(shared_data / "bert_syntax" / f"gulordava_results_{size}.txt")
        for size in ("base", "large")
    )

    def asked(each: MinimalSet) -> tuple[object, ...]:
        return each.before, each.form, each.others, each.after, (each.fields or {})["n_attr"]

    # Both files have the items in orders of their own.
    assert Counter(map(asked, base)) == Counter(map(asked, large))


@pytest.mark.parametrize(
    "literal",
    [
        "b'the lid  ***mask*** tight'",
        "'the lid ***mask*** tight'",
        'b"the lid ***mask*** tight"',
        r"b'the lid ***mask*** ti\x67ht'",
        r"b'the lid ***mask***\ttight\n'",
    ],
)
def test_sentences_that_python_writes_otherwise_are_kept(literal: str) -> None:
    text = f"True\t0\tis\t2.5\tare\t1.0\t{literal}\n"
    (found,) = parse(text)
    assert found.grammatical == "the lid is tight"
    assert (found.fields or {})["sentence"] == literal
    assert written(through_a_suite([found])) == text
    changed = MinimalSet("a", found.form, found.others, "", found.fields)
    assert written([changed]) == "True\t0\tis\t2.5\tare\t1.0\tb'a ***mask***'\n"


def test_sentences_of_templates_with_more_spaces_are_kept() -> None:
    text = "True case sub is are the  lid\u00a0\u00a0. ***mask*** .\u3000\n"
    (found,) = parse(text)
    assert found.grammatical == "the lid\u00a0\u00a0. is .\u3000"
    assert written(through_a_suite([found])) == text


@pytest.mark.parametrize("logit", ["2", "2.50", "1e3", "123456789012345678901234567890", "1e999"])
def test_logits_that_python_writes_otherwise_are_kept(logit: str) -> None:
    text = f"True\t0\tis\t{logit}\tare\t-1.0\tb'it ***mask***'\n"
    (found,) = parse(text)
    assert (found.fields or {})["logits"] == [logit, -1.0]
    assert written(through_a_suite([found])) == text


@pytest.mark.parametrize("field", ["'\n", "x", "b'***mask*** a", "b'a b'", 3])
def test_fields_that_are_no_such_sentence_are_not_written(field: object) -> None:
    fields = {"correct": True, "n_attr": 0, "logits": [2.0, 1.0], "sentence": field}
    assert written([MinimalSet("it", "is", ("are",), "", fields)]) == (
        "True\t0\tis\t2.0\tare\t1.0\tb'it ***mask***'\n"
    )


LOGITS = st.floats(-50, 50)
LINES = st.lists(WORDS.filter(lambda word: MASK not in word).map("skipping {}".format), max_size=2)


def a_set(
    words: tuple[list[str], list[str]],
    forms: list[str],
    logits: tuple[float, float],
    fields: dict[str, object],
    lines: list[str],
) -> MinimalSet:
    more: dict[str, object] = {"lines_before": lines} if lines else {}
    if "n_attr" in fields:
        more |= {"logits": list(logits)}
    fields = {**more, **fields, "correct": logits[0] > logits[1]}
    before, after = map(" ".join, words)
    return MinimalSet(before, forms[0], (forms[1],), after, fields)


@settings(max_examples=50)
@given(
    sets=st.lists(
        st.builds(
            a_set,
            st.tuples(st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3)),
            st.lists(WORDS, min_size=2, max_size=2, unique=True),
            st.tuples(LOGITS, LOGITS),
            st.fixed_dictionaries({"n_attr": st.integers(0, 4)})
            | st.fixed_dictionaries({"case": WORDS, "subcase": WORDS}),
            LINES,
        ),
        min_size=1,
        max_size=4,
    ),
    lines_after=LINES,
)
def test_sets_that_are_written_are_read_again(
    sets: list[MinimalSet], lines_after: list[str]
) -> None:
    if lines_after:
        last = sets[-1]
        fields = {**(last.fields or {}), "lines_after": lines_after}
        sets[-1] = MinimalSet(last.before, last.form, last.others, last.after, fields)
    text = written(sets)
    assert parse(text) == sets
    assert written(through_a_suite(sets)) == text


@pytest.mark.parametrize(
    ("text", "is_like"),
    [
        (ATTRACTORS, True),
        (MARVIN, True),
        ("True\tthe dog barks\nFalse\tthe dog bark\n", False),
        ("True stories are told here\n", False),
        ("what ***mask*** here?\n", False),
        ("the dog barks\n", False),
    ],
)
def test_other_text_is_told_from_results(text: str, is_like: bool) -> None:  # noqa: FBT001
    assert BERT_SYNTAX.is_like(text) is is_like


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(ANY_TEXT)
def test_what_python_writes_is_read(text: str) -> None:
    assert text_of_literal(repr(text)) == text
    assert text_of_literal(repr(text.encode())) == text


@pytest.mark.parametrize(
    ("literal", "text"),
    [("B'a'", "a"), (r"b'caf\xc3\xa9'", "café"), ('b"it\'s"', "it's"), (r"'\u00e9'", "é")],
)
def test_other_spellings(literal: str, text: str) -> None:
    assert text_of_literal(literal) == text


@pytest.mark.parametrize(
    "literal",
    [
        "",
        "a",
        "b'",
        "b'a'b'c'",
        "'a' 'b'",
        "'a' + 'b'",
        "f'{1}'",
        "r'a'",
        "'''a'''",
        "b'é'",
        r"b'\d'",
        r"b'\xff'",
        r"b'\x'",
        r"'\ud800'",
        "__import__('os').getpid()",
        "(" * 100_000,
    ],
)
def test_nothing_else_is(literal: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        text_of_literal(literal)
