"""Designs from text: what their lines say, and lines that say nothing."""

from pathlib import Path

import pytest
from tests.sources.grammar.permutation.german import DESIGN, NOUNS, faults_of, written

from pommel.errors import GrammarError, InputError, SuiteError
from pommel.sources.grammar.permutation.reading import parse_design, read_design

FRAME = "frame: wir wissen , dass | {1} | {2} | {3} | {verb} | ."
TEMPLATE = "template: nom Lehrer | acc Baum | dat Schüler | verb zeigt"
SAY_FRAME = "write frame: we know that | {1} | {2} | {3} | {verb} | ."
SAY_TEMPLATE = "write template: nom NOUN | acc NOUN | dat NOUN | verb gives"
KEYWORDS = "meta KEY:, language:, lexicon:, cases:, frame:, violations:, template:"


def test_what_lines_say() -> None:
    text = (
        "#comment\n  # another\n\n lexicon : my nouns  2.csv  # and a third\ncases:nom\tacc #\n"
        "frame: C# {1}: | a  {v}\nviolations: double acc\ntemplate: nom A  B | v x #y\n"
        "template: acc B"
    )
    design, faults = parse_design(text, file="x.design")
    assert faults == []
    assert design.meta == {}
    assert design.lexicon is not None
    assert design.lexicon.text == "my nouns  2.csv"
    assert design.case_names == ("nom", "acc")
    assert [each.text for each in design.violations] == ["double", "acc"]
    assert design.frame is not None
    assert [
        [(part.text, part.is_slot, part.is_apart) for part in region]
        for region in design.frame.regions
    ] == [
        [("C#", False, False), ("1", True, True), (":", False, False)],
        [("a", False, False), ("v", True, True)],
    ]
    assert [
        [(entry.name.text, entry.content.text) for entry in each.entries]
        for each in design.templates
    ] == [[("nom", "A B"), ("v", "x #y")], [("acc", "B")]]
    place = design.templates[0].entries[1].content.place
    assert (place.file, place.line, place.column) == ("x.design", 8, 24)


def test_a_design_and_the_files_it_is_read_from(tmp_path: Path) -> None:
    path = written(tmp_path)
    design, files = read_design(path)
    assert {name: each.text for name, each in files.items()} == {
        "arguments.design": DESIGN,
        "nouns.csv": NOUNS,
    }
    assert (design.meta, design.cases) == ({"language": "de"}, ("nom", "acc", "dat"))
    assert design.doubled == design.cases
    assert [each.nouns for each in design.templates][2:] == [
        ("Händler", "Mantel", "Kunde"),
        ("Koch", "Fisch", "Gast"),
    ]
    assert design.templates[2].forms[2] == ("der Kunde", "den Kunden", "dem Kunden")
    path.write_bytes(b"\xef\xbb\xbf" + DESIGN.replace("\n", "\r\n").encode())
    assert read_design(path)[0] == design


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("language: de", "langage de", "2:1: this line is no statement; write language: de"),
        ("language: de", "  x: y", f"2:3: this line is no statement; lines begin with {KEYWORDS}"),
        ("language: de", ":", f"2:1: this line is no statement; lines begin with {KEYWORDS}"),
        ("language: de", "language:", "2:10: nothing follows 'language:'; write language: de"),
        (
            "lexicon: nouns.csv",
            "lexicon: # nouns.csv",
            "3:9: nothing follows 'lexicon:'; write lexicon: nouns.csv",
        ),
        (
            "cases: nom acc dat",
            "cases: nom | acc | dat",
            "4:12: '|' has no place here; write cases: nom acc dat",
        ),
        (
            "cases: nom acc dat",
            "cases nom acc dat",
            "4:1: this line is no statement; write cases: nom acc dat",
        ),
        (
            "violations: double",
            "violations: double\n\ncases: nom acc dat",
            "8:1: cases stands here for the second time, after line 4; remove one of the two",
        ),
        (FRAME, "frame:", f"5:7: nothing follows 'frame:'; {SAY_FRAME}"),
        (FRAME, "frame: | {1}", f"5:8: nothing follows 'frame:'; {SAY_FRAME}"),
        (FRAME, "frame: {1} || {2}", f"5:13: nothing follows '|'; {SAY_FRAME}"),
        (FRAME, "frame: {1} | ", f"5:13: nothing follows '|'; {SAY_FRAME}"),
        (FRAME, "frame: {1 | {2}", f"5:8: this brace has no partner; {SAY_FRAME}"),
        (FRAME, "frame: {1} | 2}", f"5:15: this brace has no partner; {SAY_FRAME}"),
        (TEMPLATE, "template: nom", f"8:14: nothing follows 'nom'; {SAY_TEMPLATE}"),
        (TEMPLATE, "template: nom | acc Baum", f"8:15: nothing follows 'nom'; {SAY_TEMPLATE}"),
        (TEMPLATE, "template: nom Baum |", f"8:21: nothing follows '|'; {SAY_TEMPLATE}"),
        (TEMPLATE, "template: nom {1}", f"8:15: '{{1}}' has no place here; {SAY_TEMPLATE}"),
    ],
)
def test_lines_that_are_no_statements(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert faults_of(tmp_path, DESIGN.replace(old, new)) == [f"arguments.design:{fault}"]


def test_what_every_design_has(tmp_path: Path) -> None:
    assert faults_of(tmp_path, "# nothing\n") == [
        "arguments.design: there is no line lexicon:; write lexicon: nouns.csv",
        "arguments.design: there is no line cases:; write cases: nom acc dat",
        f"arguments.design: there is no line frame:; {SAY_FRAME}",
        "arguments.design: there is no line violations:; write violations: double",
        f"arguments.design: there is no line template:; {SAY_TEMPLATE}",
    ]


def test_a_lexicon_that_is_not_there(tmp_path: Path) -> None:
    assert faults_of(tmp_path, nouns=None) == [
        (
            "arguments.design:3:10: there is no file 'nouns.csv'; a lexicon is found from this "
            "file's folder"
        )
    ]
    (tmp_path / "nouns.csv").write_bytes("word,nom\nSchüler".encode("latin-1"))
    assert faults_of(tmp_path, nouns=None) == [
        "nouns.csv:2:4: the byte 0xfc is not UTF-8; save the file with the encoding UTF-8"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "../nouns.csv",
        "/etc/passwd",
        "sub/../../nouns.csv",
        "..\\nouns.csv",
        "C:nouns.csv",
        "/nouns.csv",
    ],
)
def test_a_lexicon_is_beside_its_design_or_below(tmp_path: Path, name: str) -> None:
    # A design may be a stranger's, and messages quote what its lexicon has.
    hint = "put the lexicon there, and write its name only"
    assert faults_of(tmp_path, DESIGN.replace("nouns.csv", name)) == [
        f"arguments.design:3:10: {name!r} is not beside this file, nor in a folder there; {hint}"
    ]


def test_a_design_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.design"
    with pytest.raises(InputError, match=r"x\.design: No such file or directory$"):
        read_design(path)
    path.write_bytes(b"frame: \xe4")
    with pytest.raises(SuiteError, match=r"x\.design:1:8: the byte 0xe4 is not UTF-8"):
        read_design(path)


def test_all_faults_at_once(tmp_path: Path) -> None:
    design = (
        "lexicon: nouns.csv\ncases: nom acc dat\nfrme: {1} {2} {3} {verb}\nviolations: dubble\n"
        "template: nom Lehrr | acc Baum\n}\n"
    )
    assert faults_of(tmp_path, design, "word,nom,acc,dat\nLehrer,der Lehrer,,x\n") == [
        f"arguments.design:3:1: this line is no statement; {SAY_FRAME}",
        (
            "arguments.design:4:13: there are no violations 'dubble'; write violations: double, or "
            "the cases that are: violations: double nom"
        ),
        "arguments.design:5:15: nouns.csv has no Lehrr; did you mean Lehrer?",
        "arguments.design:5:27: nouns.csv has no Baum; add it",
        f"arguments.design:6:1: this line is no statement; lines begin with {KEYWORDS}",
        "nouns.csv:2:19: Lehrer has no acc; write its form, with its article",
    ]


def test_what_the_suite_is_to_say_of_itself(tmp_path: Path) -> None:
    meta = (
        'meta name : who  does what\nmeta language: de\nmeta metric: sum mean\nmeta joiner: ""\n'
        "  meta reference: A | {B}: C#  # a comment\n"
    )
    path = written(tmp_path, DESIGN.replace("language: de\n", meta))
    assert read_design(path)[0].meta == {
        "name": "who does what",
        "language": "de",
        "metric": ["sum", "mean"],
        "joiner": "",
        "reference": "A | {B}: C#",
    }


def test_what_a_suite_does_not_say_of_itself(tmp_path: Path) -> None:
    meta = (
        "language: de\nmeta language: fr\nmeta design: x\nmeta metric: total\nmeta version: # 1\n"
    )
    made = "leave it out; it is how the suite was made, which pommel writes itself"
    assert faults_of(tmp_path, DESIGN.replace("language: de\n", meta)) == [
        (
            "arguments.design:3:6: language stands here for the second time, after line 2; remove "
            "one of the two"
        ),
        f"arguments.design:4:6: meta has the key 'design'; {made}",
        (
            "arguments.design:5:14: there is no metric 'total'; there are sum, mean, median, min, "
            "max, range, and all"
        ),
        "arguments.design:6:14: nothing follows 'version:'; write meta license: CC-BY-4.0",
    ]


def test_lines_end_where_editors_end_them(tmp_path: Path) -> None:
    design = DESIGN.replace("| .", "| \u2028 !").replace("\ncases", "\rcases")
    path = written(tmp_path, f"{design}bad\n")
    with pytest.raises(GrammarError, match=r"arguments\.design:12:1: this line is no statement"):
        read_design(path)


def test_a_character_that_no_word_has(tmp_path: Path) -> None:
    path = written(tmp_path, DESIGN.replace("Baum", "Ba\0um"))
    with pytest.raises(InputError, match=r"design:8:30: this line has the character '\\x00'; take"):
        read_design(path)
    nouns = NOUNS.replace("den Baum", "den B\x1baum")
    assert faults_of(tmp_path, DESIGN, nouns)[0] == (
        "nouns.csv:4:20: this line has the character '\\x1b'; take it out; words have none"
    )
