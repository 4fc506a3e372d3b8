"""Lines that bert-syntax does not print, and sets that it has no line for."""

import pytest

from pommel.errors import InputError, SuiteError
from pommel.sources.formats.bert_syntax import bert_syntax_lines, parse_bert_syntax
from pommel.sources.minimal_sets import MinimalSet

COLUMNS = (
    "True or False, number of attractors, correct form, logit, wrong form, logit, sentence, with "
    "tabs between"
)
NO_LITERAL = "this is no sentence as Python writes it; write b'... ***mask*** ...'"
GOOD = "b'it ***mask***'"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [f"x.txt: there is no result; write {COLUMNS}"]),
        ("Better speed can be had with x.\n", [f"x.txt: there is no result; write {COLUMNS}"]),
        (
            f"Tru\t0\tis\t2.5\tare\t1.0\t{GOOD}\nTrue case\nthe ***mask***\nTrue\n",
            [
                "x.txt:1:1: this is no result; a result begins with True or False",
                (
                    "x.txt:2:1: this result has 2 columns; write True or False, case, subcase, "
                    "correct form, wrong form, sentence, with spaces between"
                ),
                "x.txt:3:1: this is no result; a result begins with True or False",
                (
                    "x.txt:4:1: this result has 1 column; write True or False, case, subcase, "
                    "correct form, wrong form, sentence, with spaces between"
                ),
            ],
        ),
        (
            f"True\tit ***mask***\nTrue so\t0\tis\t2.5\tare\t1.0\t{GOOD}\n",
            [
                f"x.txt:1:1: this result has 2 columns; write {COLUMNS}",
                "x.txt:2:1: 'True so' is no result; write True or False",
            ],
        ),
        (
            "True\tno\tis it\tnan\tare\t1_0\tb'it is'\n",
            [
                (
                    "x.txt:1:6: 'no' is no number of attractors; write how many nouns of the "
                    "other number intervene"
                ),
                "x.txt:1:9: 'is it' is not one word; write the correct form and the wrong one",
                "x.txt:1:15: 'nan' is no logit; write a number such as -2.5",
                "x.txt:1:23: '1_0' is no logit; write a number such as -2.5",
                (
                    "x.txt:1:27: this sentence has 0 ***mask***; write it once, with spaces "
                    "around, in the place of the form"
                ),
            ],
        ),
        (
            f"\nFalse\t0\tis\t2.5\tare\t1.0\t{GOOD}\n",
            [
                (
                    "x.txt:2:1: this says False, and the logits are 2.5 and 1.0; True is where "
                    "that of the correct form is greater"
                ),
            ],
        ),
        *(
            (f"True\t0\tis\t2.5\tare\t1.0\t{literal}\n", [f"x.txt:1:23: {NO_LITERAL}"])
            for literal in (
                "it ***mask***",
                "b'it ***mask***",
                "b'it ***mask***'.upper()",
                r"b'it ***mask*** \xff'",
                "__import__('os').system('***mask***')",
                "'" + "(" * 10_000,
            )
        ),
        (
            "True c s is are ***mask*** or ***mask***\nFalse c s  are it ***mask***.\n",
            [
                (
                    "x.txt:1:17: this sentence has 2 ***mask***; write it once, with spaces "
                    "around, in the place of the form"
                ),
                "x.txt:2:11: '' is not one word; write the correct form and the wrong one",
                (
                    "x.txt:2:16: this sentence has 0 ***mask***; write it once, with spaces "
                    "around, in the place of the form"
                ),
            ],
        ),
    ],
)
def test_lines_that_are_wrong(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_bert_syntax(text, file="x.txt")
    assert str(caught.value).splitlines() == faults


FIELDS = {"correct": True, "n_attr": 0, "logits": [2.0, 1.0]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "minimal set 1 has no 'n_attr', which results of bert-syntax need: 'it is'"),
        (
            {"n_attr": 0, "logits": [2.0, 1.0]},
            "minimal set 1 has no 'correct', which results of bert-syntax need: 'it is'",
        ),
        (
            {"n_attr": 0, "correct": False},
            "minimal set 1 has no 'logits', which results of bert-syntax need: 'it is'",
        ),
        (FIELDS | {"logits": [1.0]}, "'logits' of minimal set 1 is no list of two numbers"),
        (FIELDS | {"logits": [None, 1]}, "'logits' of minimal set 1 is no list of two numbers"),
        (
            FIELDS | {"logits": [1.0, 10**400]},
            "'logits' of minimal set 1 is no list of two numbers",
        ),
        (
            FIELDS | {"correct": False},
            "'correct' of minimal set 1 is False, and the logits are 2.0 and 1.0",
        ),
        (FIELDS | {"correct": "yes"}, "'correct' of minimal set 1 is neither true nor false"),
        (
            FIELDS | {"n_attr": [1]},
            "'n_attr' of minimal set 1 is no number of attractors, such as 0 or 2",
        ),
        *(
            (
                FIELDS | {"lines_before": value},
                "'lines_before' of minimal set 1 is no list of lines that are no results",
            )
            for value in (3, ["a", 3], ["True x"], ["a\nb"])
        ),
        (
            FIELDS | {"case": "x y", "subcase": "z"},
            "'case' of minimal set 1 is no text without spaces",
        ),
        (
            {"case": "x", "correct": True},
            "minimal set 1 has no 'subcase', which results of bert-syntax need: 'it is'",
        ),
        (
            {"case": "x", "subcase": "y"},
            "minimal set 1 has no 'correct', which results of bert-syntax need: 'it is'",
        ),
    ],
)
def test_sets_without_a_result(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(bert_syntax_lines([MinimalSet("it", "is", ("are",), "", fields)]))
    assert str(caught.value) == message
