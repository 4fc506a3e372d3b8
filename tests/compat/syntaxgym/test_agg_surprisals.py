"""Tokens and surprisals to regions."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pommel.compat.syntaxgym import (
    ItemSentenceMapping,
    Region,
    Suite,
    TokenMismatch,
    aggregate_surprisals,
    compute_mapping_heuristic,
    surprisals_to_tsv,
)
from pommel.errors import InputError

SuiteDict = Callable[..., dict[str, Any]]

SPEC = {
    "name": "words",
    "vocabulary": {
        "unk_types": ["<unk>"],
        "prefix_types": ["<s>"],
        "suffix_types": ["</s>"],
        "special_types": ["[SEP]"],
    },
    "tokenizer": {"type": "word", "cased": True},
}


def test_mapping() -> None:
    regions = [Region(1, "This is"), Region(3, "WEIRD"), Region(4, ""), Region(5, "stuff.")]
    tokens = ["<s>", "This", "is", "<unk>", "stuff", ".", "</s>", "ignored"]
    assert compute_mapping_heuristic(tokens, regions, SPEC, 7, "a") == ItemSentenceMapping(
        id=(7, "a"),
        region_to_tokens={
            1: ["<s>", "This", "is"],
            3: ["<unk>"],
            4: [],
            5: ["stuff", ".", "</s>"],
        },
        oovs={1: [], 3: ["WEIRD"], 4: [], 5: []},
    )


def test_mapping_names_the_sentence() -> None:
    with pytest.raises(TokenMismatch, match=r"^item 7, condition 'a': the tokens are not"):
        compute_mapping_heuristic(["This", "was"], [Region(1, "This is")], SPEC, 7, "a")


def test_mapping_leaves_special_tokens_out() -> None:
    regions = [Region(1, "This is"), Region(2, "it")]
    mapping = compute_mapping_heuristic(["This", "is", "[SEP]", "it"], regions, SPEC)
    assert mapping.region_to_tokens == {1: ["This", "is"], 2: ["it"]}


def test_mapping_cases(shared_data: Path) -> None:
    text = (shared_data / "conformance" / "alignment_cases.json").read_text("utf-8")
    n_checked = 0
    for case in json.loads(text)["cases"]:
        # The better answers to those with the verdict "bug" are in the tests of the offsets.
        if case["kind"] != "heuristic" or case.get("verdict") == "bug":
            continue
        regions = [Region(**region) for region in case["regions"]]
        mapping = compute_mapping_heuristic(case["tokens"], regions, case["spec"])
        expected = case["expected"]
        tokens = {int(number): own for number, own in expected["region_to_tokens"].items()}
        assert mapping.region_to_tokens == tokens, case["id"]
        oovs = {int(number): own for number, own in expected["oovs"].items()}
        assert mapping.oovs == oovs, case["id"]
        n_checked += 1
    assert n_checked == 36


def _table(*rows: tuple[int, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["sentence_id", "token", "surprisal"])


def test_aggregate_several_sentences(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["x", "FOO"], "b": ["x", "y"]}, ["(2;%a%) > (2;%b%)"])
    surprisals = _table((1, "x", 1), (1, "<unk>", 2), (2, "x", 3), (2, "y", 4), (2, "[SEP]", 5))
    tokens = [["x", "<unk>"], ["x", "y", "[SEP]"]]
    suite = aggregate_surprisals(SPEC, surprisals, tokens, Suite.from_dict(written))
    assert surprisals_to_tsv(suite) == (
        "item_number\tcondition_name\tregion_number\tcontent\tmetric_value\toovs\n"
        "1\ta\t1\tx\t1.0\t\n"
        "1\ta\t2\tFOO\t2.0\tFOO\n"
        "1\tb\t1\tx\t3.0\t\n"
        "1\tb\t2\ty\t4.0\t\n"
    )
    assert suite.meta["model"] == "words"
    # The table may be indexed by its sentences, as the old function made it.
    indexed = surprisals.set_index("sentence_id")
    assert aggregate_surprisals(SPEC, indexed, tokens, Suite.from_dict(written)) == suite


def test_aggregate_suite_with_stray_spaces(suite_dict: SuiteDict) -> None:
    suite = Suite.from_dict(suite_dict({"a": [" x  y ", "z"]}))
    surprisals = _table((1, "x", 1), (1, "y", 2), (1, "z", 4))
    result = aggregate_surprisals(SPEC, surprisals, [["x", "y", "z"]], suite)
    assert result.as_dataframe()["metric_value"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("surprisals", "tokens", "message"),
    [
        (
            _table((1, "x", 1)),
            [],
            "there are tokens for 0 sentences, and the suite has 1",
        ),
        (
            _table((2, "x", 1)),
            [["x"]],
            (
                "Mismatched tokens between tokens and surprisals data frame: "
                "sentence 1 (item 1, condition 'a'): 1 tokens, 0 rows"
            ),
        ),
        (
            pd.DataFrame({"sentence_id": [1], "token": [math.nan], "surprisal": [1.0]}),
            [["null"]],
            (
                "Mismatched tokens between tokens and surprisals data frame: "
                "sentence 1 (item 1, condition 'a'): 'null' in the tokens is nan in the data "
                "frame; read the table with keep_default_na=False, quoting=csv.QUOTE_NONE"
            ),
        ),
    ],
)
def test_tables_of_other_tokens(
    suite_dict: SuiteDict, surprisals: pd.DataFrame, tokens: list[list[str]], message: str
) -> None:
    suite = Suite.from_dict(suite_dict({"a": ["x"]}))
    with pytest.raises(ValueError, match="sentence") as caught:
        aggregate_surprisals(SPEC, surprisals, tokens, suite)
    assert str(caught.value) == message
    assert isinstance(caught.value, InputError)
