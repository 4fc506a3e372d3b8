"""Sentences to be judged blindly, and what comes of it."""

import csv
import json
from pathlib import Path

import pytest

from pommel.errors import InputError
from recipes.judgements import drawn_sentences, read_judged, write_rows, write_sheet


@pytest.fixture
def language(tmp_path: Path) -> Path:
    """A language with one suite of three items."""
    folder = tmp_path / "xx" / "agreement"
    folder.mkdir(parents=True)
    items = [
        {
            "item_number": number,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": 1, "content": f"Dog {number}"},
                        {"region_number": 2, "content": verb},
                        {"region_number": 3, "content": ""},
                    ],
                }
                for name, verb in (("match", "barks"), ("mismatch", "bark"))
            ],
        }
        for number in (1, 2, 3)
    ]
    suite = {
        "meta": {"name": "xx_dogs", "metric": "sum", "unacceptable": "mismatch other"},
        "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
        "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}],
        "items": items,
    }
    (folder / "xx_dogs.json").write_text(json.dumps(suite))
    return tmp_path / "xx"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_sheet_says_nothing_of_where_sentences_are_from(language: Path, tmp_path: Path) -> None:
    sheet, key = tmp_path / "sheet.csv", tmp_path / "key.csv"
    sentences = drawn_sentences(language, n_items=2, seed=1)
    assert len(sentences) == 4
    assert drawn_sentences(language, n_items=2, seed=1).equals(sentences)
    assert len(drawn_sentences(language, n_items=9, seed=1)) == 6
    write_sheet(sentences, sheet, key)
    assert [list(row.values()) for row in rows(sheet)] == [
        [str(number), each, "", ""] for number, each in enumerate(sentences["sentence"], 1)
    ]
    intended = dict(zip(sentences["condition_name"], sentences["intended"], strict=True))
    assert intended == {"match": "acceptable", "mismatch": "unacceptable"}


def test_judgements_stand_beside_what_was_intended(language: Path, tmp_path: Path) -> None:
    sheet, key, out = (tmp_path / name for name in ("sheet.csv", "key.csv", "judgements.csv"))
    sentences = drawn_sentences(language, n_items=1, seed=1)
    write_sheet(sentences, sheet, key)
    lines = ["number,sentence,judged,note"]
    lines += [
        f"{number},{each},acceptable,fine" for number, each in enumerate(sentences["sentence"], 1)
    ]
    sheet.write_text("\n".join(lines) + "\n")
    judged = read_judged(sheet, key)
    assert judged["condition_name"].tolist() == ["match", "mismatch"]
    assert judged["intended"].tolist() == ["acceptable", "unacceptable"]
    write_rows(judged, out)
    assert list(rows(out)[1].values())[2:] == [
        "mismatch", judged["sentence"].iloc[1], "unacceptable", "acceptable", "fine"
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["", "good"])
def test_every_sentence_has_to_be_judged(language: Path, tmp_path: Path, label: str) -> None:
    sheet, key = tmp_path / "sheet.csv", tmp_path / "key.csv"
    sentences = drawn_sentences(language, n_items=1, seed=1)
    write_sheet(sentences, sheet, key)
    sheet.write_text(f"number,sentence,judged,note\n1,a,{label},\n2,b,acceptable,\n")
    with pytest.raises(InputError) as caught:
        read_judged(sheet, key)
    assert str(caught.value) == (
        f"{sheet}: sentence 1 is judged as none of acceptable, unacceptable, doubtful"
    )
