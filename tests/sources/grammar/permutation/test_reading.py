"""Designs as they are read, and what is wrong with them and their lexicons."""

from pathlib import Path

import pytest
from tests.sources.grammar.permutation.german import DESIGN, NOUNS, faults_of, written

from pommel.errors import InputError, SuiteError
from pommel.sources.grammar.permutation.reading import parse_design, read_design
from pommel.sources.grammar.source import GrammarError

FRAME = "frame: wir wissen , dass | {1} | {2} | {3} | {verb} | ."
TEMPLATE = "template: nom Lehrer | acc Baum | dat Schüler | verb zeigt"
SAY_FRAME = "write frame: we know that | {1} | {2} | {3} | {verb} | ."
SAY_TEMPLATE = "write template: nom NOUN | acc NOUN | dat NOUN | verb gives"
KEYWORDS = "meta, language, lexicon, cases, frame, violations, template"


def test_what_lines_say() -> None:
    text = (
        "#comment\n  # another\n\nlexicon : my nouns 2.csv  # and a third\ncases:nom\tacc #\n"
        "frame: C# {1}: | a\n   {v}\nviolations: double acc\ntemplate: nom A  B | v x #y\n"
        "template: acc B"
    )
    design = parse_design(text, file="x.design")
    assert design.meta == {}
    assert design.lexicon.text == "my nouns 2.csv"
    assert design.case_names == ("nom", "acc")
    assert [each.text for each in design.violations] == ["double", "acc"]
    assert design.frame.regions == ("C# {1}:", "a {v}")
    assert list(map(str, design.frame.slots)) == ["{1}", "{v}"]
    place = design.frame.slots[1].place
    assert (place.line, place.column) == (7, 4)
    assert [
        [(name.text, content.text) for name, content in each.entries] for each in design.templates
    ] == [[("nom", "A B"), ("v", "x")], [("acc", "B")]]
    place = design.templates[0].entries[1][1].place
    assert (place.file, place.line, place.column) == ("x.design", 9, 24)


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
        (
            "language: de",
            "langage: de",
            "2:1: there is no statement 'langage'; did you mean language?",
        ),
        (
            "# who",
            "  x: y #",
            (
                "1:3: an indented line goes on with the one above, and there is none; begin it in "
                "the first column"
            ),
        ),
        (
            "language: de",
            ":",
            f"2:1: there is no statement ':'; a line begins with {KEYWORDS}",
        ),
        (
            "language: de",
            "language x: de",
            "2:10: language has no name of its own, and here is 'x'; write language: de",
        ),
        ("language: de", "language:", "2:10: nothing follows the colon; write language: de"),
        (
            "lexicon: nouns.csv",
            "lexicon: # nouns.csv",
            "3:9: nothing follows the colon; write lexicon: nouns.csv",
        ),
        (
            "cases: nom acc dat",
            "cases: nom | acc | dat",
            "4:12: '|' has no place here; write cases: nom acc dat",
        ),
        (
            "cases: nom acc dat",
            "cases nom acc dat",
            "4:1: this line has no colon; write cases: nom acc dat",
        ),
        (
            "violations: double",
            "violations: double\n\ncases: nom acc dat",
            "8:6: cases is there already; line 4 has it; leave one of them out",
        ),
        (FRAME, "frame:", f"5:7: nothing follows the colon; {SAY_FRAME}"),
        (FRAME, "frame: | {1}", f"5:8: '|' has no place here; {SAY_FRAME}"),
        (FRAME, "frame: {1} || {2}", f"5:13: '|' has no place here; {SAY_FRAME}"),
        (FRAME, "frame: {1} | ", f"5:13: this ends too early; {SAY_FRAME}"),
        (FRAME, "frame: {1 | {2}", f"5:8: '{{1' has no place here; {SAY_FRAME}"),
        (FRAME, "frame: {1} | 2}", f"5:15: '}}' has no place here; {SAY_FRAME}"),
        (FRAME, "frame: {1} {} {2}", f"5:12: '{{}}' has no place here; {SAY_FRAME}"),
        (TEMPLATE, "template: nom", f"8:14: this ends too early; {SAY_TEMPLATE}"),
        (TEMPLATE, "template: nom | acc Baum", f"8:15: '|' has no place here; {SAY_TEMPLATE}"),
        (TEMPLATE, "template: nom Baum |", f"8:21: this ends too early; {SAY_TEMPLATE}"),
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
            "arguments.design:3:10: nouns.csv: No such file or directory; a lexicon is found from "
            "this file's folder"
        )
    ]
    (tmp_path / "nouns.csv").write_bytes("word,nom\nSchüler".encode("latin-1"))
    assert faults_of(tmp_path, nouns=None) == [
        "nouns.csv:2:4: the byte 0xfc is not UTF-8; save the file with the encoding UTF-8"
    ]


def test_a_design_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.design"
    with pytest.raises(InputError, match=r"x\.design: No such file or directory$"):
        read_design(path)
    path.write_bytes(b"frame: \xe4")
    with pytest.raises(SuiteError, match=r"x\.design:1:8: the byte 0xe4 is not UTF-8"):
        read_design(path)


def test_all_faults_of_each_step_at_once(tmp_path: Path) -> None:
    design = (
        "lexicon: nouns.csv\ncases: nom acc dat\nfrme: {1} {2} {3} {verb}\nviolations: dubble\n"
        "template: nom Lehrr | acc Baum\n}\n"
    )
    nouns = "word,nom,acc,dat\nLehrer,der Lehrer,,x\n"
    assert faults_of(tmp_path, design, nouns) == [
        "arguments.design:3:1: there is no statement 'frme'; did you mean frame?",
        f"arguments.design:6:1: there is no statement '}}'; a line begins with {KEYWORDS}",
    ]
    design = design.replace("frme", "frame").replace("}\n}", "}").replace("dat\n", "nom\n")[:-2]
    assert faults_of(tmp_path, design, nouns) == [
        "arguments.design:2:16: nom stands here for the second time; remove one of the two",
        "nouns.csv:2:19: Lehrer has no acc; write its form, with its article",
    ]
    design = design.replace("nom\n", "dat\n")
    assert faults_of(tmp_path, design, nouns.replace(",,", ",den Lehrer,")) == [
        (
            "arguments.design:4:13: there are no violations 'dubble'; write violations: double, or "
            "the cases that are: violations: double nom"
        ),
        "arguments.design:5:1: this template has no dat; write | dat NOUN",
        "arguments.design:5:1: this template has no verb; write | verb TEXT",
        "arguments.design:5:15: nouns.csv has no Lehrr; did you mean Lehrer?",
        "arguments.design:5:27: nouns.csv has no Baum; add it",
    ]


def test_what_the_suite_is_to_say_of_itself(tmp_path: Path) -> None:
    meta = (
        'meta name : who  does what\nmeta language: de\nmeta metric: sum mean\nmeta joiner: ""\n'
        "meta reference: A | {B}:\n  C#  # a comment\n"
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
            "arguments.design:3:6: language is there already; line 2 has it; give each a name of "
            "its own"
        ),
        f"arguments.design:4:6: meta has the key 'design'; {made}",
        (
            "arguments.design:5:14: there is no metric 'total'; there are sum, mean, median, min, "
            "max, range, and all"
        ),
        "arguments.design:6:14: nothing follows the colon; write meta license: CC-BY-4.0",
    ]


def test_lines_end_where_editors_end_them(tmp_path: Path) -> None:
    design = DESIGN.replace("| .", "| \u2028 !").replace("\ncases", "\rcases")
    path = written(tmp_path, f"{design}bad\n")
    with pytest.raises(GrammarError, match=r"arguments\.design:12:1: there is no statement 'bad'"):
        read_design(path)


def test_a_character_that_no_word_has(tmp_path: Path) -> None:
    path = written(tmp_path, DESIGN.replace("Baum", "Ba\0um"))
    with pytest.raises(InputError, match=r"design:8:30: this line has the character '\\x00'; take"):
        read_design(path)
    nouns = NOUNS.replace("den Baum", "den B\x1baum")
    assert faults_of(tmp_path, DESIGN, nouns)[0] == (
        "nouns.csv:4:20: this line has the character '\\x1b'; take it out; words have none"
    )


ONE = NOUNS.splitlines()[1]


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("word,", "noun,", ["1:1: the column 'word' is missing; write word"]),
        (NOUNS, "", ["1:1: the file is empty; its first line is word"]),
        (
            NOUNS,
            "word,nom,acc,dat,acc\nLehrer,der Lehrer,den Lehrer,dem Lehrer,x\n",
            ["1:18: the column 'acc' stands here for the second time; remove one of the two"],
        ),
        (
            ONE,
            f"{ONE},\n{ONE}\nTag,der Tag",
            [
                (
                    "2:41: this row has 5 fields, and the header has 4; put text with a comma "
                    "between quotes"
                ),
                (
                    "4:5: this row has 2 fields, and the header has 4; an empty field has its "
                    "comma, too"
                ),
            ],
        ),
        (
            ONE,
            f"{ONE}\n,der Tag,den Tag,dem Tag\n{ONE}\nTag,der Tag,,",
            [
                "3:1: this row has no word; write one",
                (
                    "4:1: Lehrer stands here for the second time, after line 2; give one of the "
                    "two another name"
                ),
                "5:13: Tag has no acc; write its form, with its article",
                "5:14: Tag has no dat; write its form, with its article",
            ],
        ),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, faults: list[str]) -> None:
    found = faults_of(tmp_path, DESIGN, NOUNS.replace(old, new))
    assert found == [f"nouns.csv:{fault}" for fault in faults]


def test_no_noun_is_missed_where_rows_are_wrong(tmp_path: Path) -> None:
    # The row that is wrong may have been the noun's.
    nouns = NOUNS.replace(ONE, 'Lehrer,"der Lehrer"x,den Lehrer,dem Lehrer')
    (fault,) = faults_of(tmp_path, DESIGN, nouns)
    assert fault.startswith("nouns.csv:2:20: there is text behind the quote")


CASES = "cases: nom acc dat"
ALIKE = "so that sentences of this template would be spelt alike"


def test_the_design_is_right(tmp_path: Path) -> None:
    assert faults_of(tmp_path) == []


@pytest.mark.parametrize(
    ("cases", "faults"),
    [
        ("nom", ["4:8: there is one case; a design has 2 to 4"]),
        (
            "nom acc dat x y",
            [
                "4:20: nouns.csv has no column x; it has word, nom, acc, dat",
                "4:22: nouns.csv has no column y; it has word, nom, acc, dat",
                "4:22: there are 5 cases; a design has 2 to 4",
            ],
        ),
        ("nom dat nom acc", ["4:16: nom stands here for the second time; remove one of the two"]),
        (
            "nom acc d-t",
            [
                (
                    "4:16: 'd-t' is no name of a case; write letters only: conditions are named "
                    "after it"
                ),
                "4:16: nouns.csv has no column d-t; did you mean dat?",
            ],
        ),
        # All templates would lack it, and have one that there is not: that is one fault.
        ("nom acc dativ", ["4:16: nouns.csv has no column dativ; did you mean dat?"]),
    ],
)
def test_cases(tmp_path: Path, cases: str, faults: list[str]) -> None:
    found = faults_of(tmp_path, DESIGN.replace(CASES, f"cases: {cases}"))
    assert sorted(found) == [f"arguments.design:{each}" for each in faults]


@pytest.mark.parametrize(
    ("frame", "faults"),
    [
        (
            "wir wissen {verb}",
            [
                (
                    "5:1: the frame has no {1}, {2}, {3}; it needs {1}, {2}, {3}: as many as there "
                    "are cases"
                )
            ],
        ),
        (
            "{1} | {2} {verb}",
            ["5:1: the frame has no {3}; it needs {1}, {2}, {3}: as many as there are cases"],
        ),
        (
            "{1} {2} {3} {2} {verb} {verb}",
            [
                "5:20: {2} stands here for the second time; remove one of the two",
                "5:31: {verb} stands here for the second time; remove one of the two",
            ],
        ),
        (
            "{1} {2} {3} {4} {verb}",
            ["5:20: there is no argument {4}; there are {1}, {2}, {3}: as many as there are cases"],
        ),
        (
            "{1} {2} {3} {dat} {verb}",
            ["5:20: dat is a case, and each argument has each case; write {1}, {2}, {3}"],
        ),
    ],
)
def test_frames(tmp_path: Path, frame: str, faults: list[str]) -> None:
    found = faults_of(tmp_path, DESIGN.replace(FRAME, f"frame: {frame}"))
    assert found == [f"arguments.design:{each}" for each in faults]


@pytest.mark.parametrize(
    ("violations", "fault"),
    [
        (
            "triple",
            (
                "there are no violations 'triple'; write violations: double, or the cases that "
                "are: violations: double nom"
            ),
        ),
        ("double ac", "there is no case ac; did you mean acc?"),
        ("double xyz", "there is no case xyz; it is one of nom, acc, dat"),
        ("double nom acc nom", "nom stands here for the second time; remove one of the two"),
    ],
)
def test_violations(tmp_path: Path, violations: str, fault: str) -> None:
    design = DESIGN.replace("violations: double", f"violations: {violations}")
    column = 13 + violations.rfind(" ") + 1
    assert faults_of(tmp_path, design) == [f"arguments.design:6:{column}: {fault}"]


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        ("nom Lehrer | acc Baum | verb zeigt", ["8:1: this template has no dat; write | dat NOUN"]),
        (
            "nom Lehrer | acc Baum | dat Schüler | gen Sohn | verb zeigt",
            ["8:49: there is no case and no slot 'gen'; it is one of nom, acc, dat, verb"],
        ),
        (
            "nom Lehrer | akk Baum | dat Schüler | verb zeigt",
            [
                "8:1: this template has no acc; write | acc NOUN",
                "8:24: there is no case and no slot 'akk'; did you mean acc?",
            ],
        ),
        (
            "nom Lehrer | acc Baum | dat Schüler | vreb zeigt",
            [
                "8:1: this template has no verb; write | verb TEXT",
                "8:49: there is no case and no slot 'vreb'; did you mean verb?",
            ],
        ),
        (
            "nom Lehrer | acc Baum | dat Schüler | verb zeigt | nom Vater",
            ["8:62: nom stands here for the second time; remove one of the two"],
        ),
        (
            "nom Leher | acc Baum | dat Xyz | verb zeigt",
            [
                "8:15: nouns.csv has no Leher; did you mean Lehrer?",
                "8:38: nouns.csv has no Xyz; add it",
            ],
        ),
        (
            "nom Lehrer | acc Baum | dat Lehrer | verb zeigt",
            ["8:39: Lehrer stands here for the second time; take another noun"],
        ),
        (
            "verb schenkt | nom Vater | acc Ball | dat Sohn",
            ["9:1: this template says what that of line 8 does; remove one of the two"],
        ),
    ],
)
def test_templates(tmp_path: Path, template: str, faults: list[str]) -> None:
    found = faults_of(tmp_path, DESIGN.replace(TEMPLATE, f"template: {template}"))
    assert found == [f"arguments.design:{each}" for each in faults]


def test_slots_that_no_template_fills(tmp_path: Path) -> None:
    found = faults_of(tmp_path, DESIGN.replace("{verb}", "{vreb}"))
    assert found[:2] == [
        "arguments.design:8:1: this template has no vreb; write | vreb TEXT",
        "arguments.design:8:49: there is no case and no slot 'verb'; did you mean vreb?",
    ]
    assert len(found) == 8


def test_a_noun_with_one_form_for_two_cases(tmp_path: Path) -> None:
    nouns = f"{NOUNS}Lehrerin,die Lehrerin,die Lehrerin,der Lehrerin\n"
    # It may be in the lexicon, and in no template.
    assert faults_of(tmp_path, DESIGN, nouns) == []
    assert faults_of(tmp_path, DESIGN.replace("Lehrer", "Lehrerin"), nouns) == [
        (
            "arguments.design:8:15: Lehrerin is 'die Lehrerin' both in nom and in acc, "
            f"{ALIKE}; take a noun whose cases differ"
        )
    ]


def test_two_nouns_with_one_form(tmp_path: Path) -> None:
    nouns = f"{NOUNS}Bank,der Baum,den Bank,dem Lehrer\n"
    assert faults_of(tmp_path, DESIGN.replace("dat Schüler", "dat Bank"), nouns) == [
        (
            "arguments.design:8:39: Baum in nom and Bank in nom are both 'der Baum', "
            f"{ALIKE}; take another noun"
        ),
        (
            "arguments.design:8:39: Lehrer in dat and Bank in dat are both 'dem Lehrer', "
            f"{ALIKE}; take another noun"
        ),
    ]


def test_forms_that_begin_with_another_one(tmp_path: Path) -> None:
    design = DESIGN.replace("Lehrer", "A").replace("Baum", "B")
    assert faults_of(tmp_path, design, f"{NOUNS}A,a,x,y\nB,a a,a a a,z\n") == [
        (
            "arguments.design:8:1: plausible_nom1-acc2-dat3 and plausible_acc2-nom1-dat3 are both "
            "'wir wissen , dass a a a a dem Schüler zeigt .'; take nouns none of whose forms "
            "begins with another one"
        )
    ]
    # Most such forms do no harm.
    assert faults_of(tmp_path, design, f"{NOUNS}A,a,x,y\nB,ab,w,v\n") == []
