"""Which format a file has, and what is made of it."""

import pickle
from pathlib import Path

import openpyxl
import pytest
from tests.builders import make_suite

from pommel.sources.conversion import Conversion, recognised
from pommel.sources.output import Content, WrittenForm
from pommel.suite.read import LoadedSuite


def test_a_file_is_told_by_its_ending_and_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfTrue\tje dors\n")
    found = recognised(path)
    assert found is not None
    assert found.name == "clams"
    path.write_text("je dors\n")
    assert recognised(path) is None
    assert recognised(path.with_suffix(".docx")) is None


TAB = (
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\t"
)
TAB += "len_context\tlen_prefix\tsent\n"
ROW = "p\t1\t{0}\tsing\t{1}\t{2}\toriginal\tthe wren\t0\tFalse\t9\t2\t2\tthe wren {1} <eos>\n"
SCORED = '"text_masked": "the wren [MASK] ."'
# Files of two minimal sets, as somebody has published such: in the second both are spelt alike.
TIES = {
    "x.txt": "True\ta wren sings\nFalse\ta wren sing\nTrue\tsheep sleep\nFalse\tsheep sleep\n",
    "x.tsv": "grammatical\tungrammatical\na wren sings\ta wren sing\nsheep sleep\tsheep sleep\n",
    "blimp.jsonl": '{"sentence_good": "a wren sings", "sentence_bad": "a wren sing", "UID": "a"}\n'
    '{"sentence_good": "sheep sleep", "sentence_bad": "sheep sleep", "UID": "a"}\n',
    "gevalm.jsonl": "".join(
        f'{{"text": "the wren sings .", {SCORED}, "candidates": ["sings", "{bad}"], '
        '"indexMASK": -2, "case": "a"}\n'
        for bad in ("sing", "sings")
    ),
    "multi.tsv": "sen\twrong_sen\tverb\na wren sings\ta wren sing\tsings\n"
    "sheep sleep\tsheep sleep\tsleep\n",
    "x.json": '[[["a wren", "a wren"], ["sings .", "sing ."]], '
    '[["sheep", "sheep"], ["sleep .", "sleep ."]]]',
    "x.gold": "2\tsings\tsing\t0\n1\tsleep\tsleep\t0\n",
    "x.tab": TAB
    + "".join(ROW.format(*each) for each in [(0, "sings", "correct"), (0, "sings", "wrong")]),
}


@pytest.mark.parametrize("name", TIES)
def test_sets_that_are_spelt_alike_are_kept_as_ties(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TIES[name], "utf-8")
    (tmp_path / "x.text").write_text("a wren sings <eos>\nsheep sleep <eos>\n")
    (content,), _ = Conversion().contents(path)
    suite = LoadedSuite.parse("".join(content.suite_pieces())).suite
    number, n_sets = len(suite.items), content.tally.n_written
    assert (number, content.tally.tied) == (n_sets, [n_sets])
    assert content.tally.tie_note() == (
        f"1 minimal set of {n_sets} with an ungrammatical sentence that is spelt like the "
        f"grammatical one: {number} (kept as ties, which count as wrong)"
    )
    good, bad = (each.sentence().text for each in suite.items[-1].conditions)
    assert good == bad
    # And back, byte for byte, if it is written at all.
    (tmp_path / "again").mkdir()
    form, again = recognised(path), tmp_path / "again" / name
    assert form is not None
    if form.pieces:
        Content.of_suite(suite).write(WrittenForm.named(form.name), again)
        assert again.read_text("utf-8") == TIES[name]


def test_templates_keep_ties(tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    npi = ("no wren sings", "a wren sings", "no wren sings")
    path.write_bytes(pickle.dumps({"a": [npi]}))
    (content,), _ = Conversion().contents(path)
    assert [each.ungrammatical for each in content.sets()] == [npi[1:]]
    assert content.tally.tied == [1]


def test_a_suite_in_a_workbook_is_told_wherever_its_regions_are(tmp_path: Path) -> None:
    suite, path = make_suite(), tmp_path / "s.xlsx"
    Content.of_suite(suite).write(WrittenForm.named("xlsx"), path)
    book = openpyxl.load_workbook(path)
    book.move_sheet("meta", offset=-1)
    book.save(path)
    # Columns of pairs are those that it is written to.
    for conversion in (Conversion(), Conversion(good="right", bad="wrong")):
        (content,), warnings = conversion.contents(path)
        assert LoadedSuite.parse("".join(content.suite_pieces())).suite == suite
        assert not warnings
    assert content.columns is not None
    assert content.columns.columns == ("right", "wrong")
