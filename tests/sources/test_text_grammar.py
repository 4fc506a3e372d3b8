"""Text to train on, drawn of templates."""

import json
from collections import Counter
from pathlib import Path

import pytest

from pommel.errors import InputError, UsageError
from pommel.sources.grammar.source import GrammarError
from pommel.sources.text_grammar import TextGrammar

NOUNS = "form_sg,form_pl\nking,kings\nqueen,queens\nmonk,monks\n"
AGREEMENT = """\
meta language: en
lexicon: nouns.csv
choose NUM: sg pl
slot N:
condition plain: the {N.form[NUM]} left .
condition question: did the {N.form[NUM]} leave ?
"""
SIZE = """\
meta language: en
choose SIZE: large small
condition size: it is {SIZE} .
"""
SHIPPED = ("de", "en", "es", "eu", "fr", "he", "hi", "ru", "sw")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two templates, which have eight sentences, and a lexicon."""
    (tmp_path / "nouns.csv").write_text(NOUNS)
    (tmp_path / "agreement.template").write_text(AGREEMENT)
    (tmp_path / "size.template").write_text(SIZE)
    return tmp_path


def test_sentences_are_those_of_all_conditions_and_templates(folder: Path) -> None:
    grammar = TextGrammar.named(str(folder))
    found = Counter(grammar.sentences(3_000, 1))
    nouns = ("king", "kings", "queen", "queens", "monk", "monks")
    assert found.keys() == {
        *(f"The {each} left ." for each in nouns),
        *(f"Did the {each} leave ?" for each in nouns),
        "It is large .",
        "It is small .",
    }
    # A template is as likely as it has constructions: two of three items have two sentences.
    share = sum(found[f"It is {each} ."] for each in ("large", "small")) / 3_000
    assert share == pytest.approx(1 / 5, abs=0.05)
    assert {each.name for each in grammar.files} == {
        "agreement.template",
        "nouns.csv",
        "size.template",
    }


def test_a_template_alone(folder: Path) -> None:
    grammar = TextGrammar.named(str(folder / "size.template"))
    assert {*grammar.sentences(30, 1)} == {"It is large .", "It is small ."}


def test_what_is_drawn_depends_on_number_and_seed(folder: Path) -> None:
    grammar, again = TextGrammar.named(str(folder)), TextGrammar.named(str(folder))
    drawn = list(grammar.sentences(100, 3))
    assert list(again.sentences(1_000, 3))[:100] == drawn
    assert list(grammar.sentences(100, 4)) != drawn
    assert list(grammar.held_out(100, 3)) != drawn
    shuffled = grammar.shuffled(100, 3)
    assert shuffled == again.shuffled(100, 3) != drawn
    assert sorted(shuffled) == sorted(drawn)


def test_the_text_is_the_same_on_any_machine() -> None:
    assert TextGrammar.named("texts:de").shuffled(3, 1) == [
        "Die Professoren , die die Tochter besucht , sind krank .",
        "Bestimmt sitzen die Professoren neben der Tochter und trinken einen Tee .",
        "Die Professoren sind nicht krank .",
    ]


def test_every_language_of_the_suites_has_a_grammar(repository: Path) -> None:
    assert TextGrammar.shipped_names() == tuple(f"texts:{each}" for each in SHIPPED)
    folders = {each.name for each in (repository / "suites").iterdir() if each.is_dir()}
    assert folders == {*SHIPPED, "studies", "texts"}


def test_no_english_sentence_is_one_of_a_suite(repository: Path) -> None:
    drawn = {each.casefold() for each in TextGrammar.named("texts:en").sentences(20_000, 1)}
    paths = sorted((repository / "suites" / "en").rglob("*.json"))
    of_suites = {
        " ".join(" ".join(region["content"] for region in condition["regions"]).split())
        for path in paths
        for item in json.loads(path.read_bytes())["items"]
        for condition in item["conditions"]
    }
    assert len(of_suites) > 3_000
    # Most suites have no full stop.
    ended = {f"{each.casefold().removesuffix(' .')} ." for each in of_suites}
    assert not drawn & ended


def test_english_sentences_are_written_as_those_of_the_suites() -> None:
    for sentence in TextGrammar.named("texts:en").sentences(1_000, 2):
        assert sentence == " ".join(sentence.split())
        assert sentence.endswith(" .")
        assert sentence[0].isupper()
        assert not set(sentence) & set("_{}[]")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("texts:", InputError, "texts:: no such text; there are texts:de, texts:en, "),
        ("texts:xx", InputError, "texts:xx: no such text; there are texts:de, texts:en, "),
        ("texts:../en", InputError, "texts:../en: no such text; there are "),
        ("nowhere.template", InputError, "nowhere.template: No such file or directory"),
        (
            "some.avg",
            UsageError,
            "some.avg: a text is drawn of templates (.template), or of a folder of them",
        ),
    ],
)
def test_what_is_no_grammar_of_text(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        TextGrammar.named(name)
    assert str(raised.value).startswith(message)


def test_a_folder_without_templates(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        TextGrammar.named(str(tmp_path))
    assert str(raised.value) == f"{tmp_path}: the folder holds no templates (no .template files)"


def test_a_template_of_a_suite_is_refused(folder: Path) -> None:
    path = folder / "agreement.template"
    path.write_text(AGREEMENT + "prediction: (1;%plain%) < (1;%question%)\n")
    with pytest.raises(UsageError) as raised:
        TextGrammar.named(str(folder))
    assert str(raised.value) == (
        f"{path} has predictions: it is a suite's, and some of its sentences are wrong; "
        "a text is drawn of templates without any"
    )


def test_what_is_wrong_with_any_template_is_told(folder: Path) -> None:
    (folder / "agreement.template").write_text(AGREEMENT.replace("{N.form[NUM]} left", "{N.fom}"))
    (folder / "size.template").write_text(SIZE.replace("{SIZE}", "{SIZ}"))
    with pytest.raises(GrammarError) as raised:
        TextGrammar.named(str(folder))
    assert {Path(each.file).name for each in raised.value.faults} == {
        "agreement.template",
        "size.template",
    }
