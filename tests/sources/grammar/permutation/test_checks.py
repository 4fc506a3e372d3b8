"""Designs whose lines are right, and that are wrong all the same."""

from pathlib import Path

import pytest
from tests.sources.grammar.permutation.german import DESIGN, NOUNS, faults_of

CASES = "cases: nom acc dat"
FRAME = "frame: wir wissen , dass | {1} | {2} | {3} | {verb} | ."
TEMPLATE = "template: nom Lehrer | acc Baum | dat Schüler | verb zeigt"
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
        (
            "nom dat nom acc",
            ["4:16: nom stands here for the second time; remove one of the two"],
        ),
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
                    "5:1: the frame has no slot for an argument; write {1}, {2}, {3} where the "
                    "arguments stand"
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
            "{1} {2} {3} {dat} {} {verb}",
            [
                "5:20: dat is a case, and each argument has each case; write {1}, {2}, {3}",
                "5:26: this slot has no name; write {1}, {2}, {3}, or {verb}",
            ],
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
            ["8:39: the noun Lehrer stands here for the second time; take another one"],
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
