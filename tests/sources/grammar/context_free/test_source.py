"""Grammars from files: counts and sentences of German ones, recipes, and what goes wrong."""

import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.grammar.context_free.german import (
    ATTRACTORS,
    REFLEXIVES,
    SENTENTIAL_COMPLEMENT,
    SIMPLE,
)
from tests.sources.grammar.context_free.random_grammars import generated, grammars

from pommel.errors import InputError, UsageError
from pommel.sources.grammar.context_free.derivations import Derivations
from pommel.sources.grammar.context_free.grammar import parse_grammar
from pommel.sources.grammar.context_free.source import ContextFreeSource, Enumeration, minimal_set
from pommel.sources.grammar.source import GrammarError, has_sets
from pommel.sources.minimal_sets import MinimalSet


@pytest.fixture(scope="module")
def attractors(tmp_path_factory: pytest.TempPathFactory) -> ContextFreeSource:
    return source_of(ATTRACTORS, tmp_path_factory.mktemp("grammar"), depth=8)


def source_of(text: str, folder: Path, depth: int | None = None) -> ContextFreeSource:
    path = folder / "x.cfg"
    path.write_text(text, "utf-8")
    return ContextFreeSource(path, depth=depth)


def without_contrasts(text: str) -> str:
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("%contrast")
    )


def test_agreement_in_simple_sentences(tmp_path: Path) -> None:
    source = source_of(SIMPLE, tmp_path)
    sets = list(source.sets())
    # Three subjects times two verbs, in two numbers.
    assert source.n_sets == len(sets) == 12
    assert sets[:2] == [
        MinimalSet("die Gärtnerin", "schläft", ("schlafen",), "."),
        MinimalSet("die Gärtnerin", "hat gewonnen", ("haben gewonnen",), "."),
    ]
    assert sets[-1].ungrammatical == ("die Kinder hat gewonnen .",)
    assert source.ungrammatical_counts == {1}
    assert has_sets(source)


def test_agreement_in_sentential_complements(tmp_path: Path) -> None:
    source = source_of(SENTENTIAL_COMPLEMENT, tmp_path)
    sets = list(source.sets())
    # 2 numbers x 4 main clauses x 2 determiners x (with adjective or not) x 3 nouns x 2 verbs.
    assert source.n_sets == len(sets) == 2 * 4 * 2 * 2 * 3 * 2 == 192
    assert [each.grammatical for each in sets] == generated(
        without_contrasts(SENTENTIAL_COMPLEMENT)
    )
    assert sets[0] == MinimalSet("die Ärztin sagt , dass der Maler", "lacht", ("lachen",), ".")


def test_reflexives_by_a_table_of_pronouns(tmp_path: Path) -> None:
    source = source_of(REFLEXIVES, tmp_path)
    sets = list(source.sets())
    # (1 + 1 + 2) subjects x 2 verbs x (nothing or 2 prepositions)
    assert source.n_sets == len(sets) == 4 * 2 * 3 == 24
    assert sets[:2] == [
        MinimalSet("ich wasche", "mich", ("sich", "dich"), ""),
        MinimalSet("ich wasche", "mich", ("sich", "dich"), "am Mittag"),
    ]
    assert sets[6] == MinimalSet("du wäschst", "dich", ("euch",), "")
    # What is named twice is put there once.
    assert sets[-1].others == ("mich", "sich selbst")
    assert source.ungrammatical_counts == {1, 2}


def test_a_recursive_grammar_has_a_depth(tmp_path: Path, attractors: ContextFreeSource) -> None:
    assert [each.grammatical for each in attractors.sets()] == generated(
        without_contrasts(ATTRACTORS), depth=8
    )
    with pytest.raises(GrammarError) as caught:
        source_of(ATTRACTORS, tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'x.cfg'}:4:39: sentences have no end: PP -> PP; give a depth (--depth N), or "
        "take the recursion out"
    )


@given(st.data())
def test_any_sets_in_any_order(attractors: ContextFreeSource, data: st.DataObject) -> None:
    sets = list(attractors.sets())
    indices = data.draw(st.lists(st.integers(0, attractors.n_sets - 1)))
    assert list(attractors.sets(indices)) == [sets[index] for index in indices]


@pytest.mark.parametrize("index", [-1, 12])
def test_a_number_that_no_set_has(tmp_path: Path, index: int) -> None:
    with pytest.raises(IndexError):
        list(source_of(SIMPLE, tmp_path).sets([index]))


def test_a_form_spelt_as_the_grammatical_one_is_no_contrast(tmp_path: Path) -> None:
    text = "S -> 'sie' V\nV -> 'lachten' | 'ging'\nW -> 'lachten' | 'gingen'\n%contrast V W"
    source = source_of(text, tmp_path)
    assert [each.others for each in source.sets()] == [(), ("gingen",)]
    assert source.ungrammatical_counts == {0, 1}


def test_words_are_those_of_the_sentences_in_the_order_of_the_grammar(tmp_path: Path) -> None:
    source = source_of(f"{SIMPLE}Unused -> 'nie'", tmp_path)
    assert " ".join(source.words) == (
        ". die Gärtnerin der Nachbar das Kind Gärtnerinnen Nachbarn Kinder schläft schlafen hat "
        "gewonnen haben"
    )
    # Of this depth there is nothing else.
    shallow = source_of("S -> V | 'dass' A\nA -> V\nV -> 'x'\nW -> 'y'\n%contrast V W", tmp_path, 3)
    assert shallow.words == ("x", "y")


def test_the_recipe(tmp_path: Path) -> None:
    recipe = source_of(SIMPLE, tmp_path).recipe
    sha256 = hashlib.sha256((tmp_path / "x.cfg").read_bytes()).hexdigest()
    assert recipe == {"kind": "context-free grammar", "files": {"x.cfg": sha256}}
    deep = source_of(f"\N{ZERO WIDTH NO-BREAK SPACE}{ATTRACTORS}", tmp_path, 5).recipe
    sha256 = hashlib.sha256((tmp_path / "x.cfg").read_bytes()).hexdigest()
    assert deep == {"kind": "context-free grammar", "files": {"x.cfg": sha256}, "depth": 5}


@pytest.mark.parametrize(
    ("text", "depth", "fault"),
    [
        (
            ATTRACTORS,
            2,
            ":1:6: there is no sentence within a depth of 2; the least that has one is 3",
        ),
        (
            ATTRACTORS,
            -1,
            ":1:6: there is no sentence within a depth of -1; the least that has one is 3",
        ),
        (
            "S -> T V\nT -> T T | 'a' | 'b'\nV -> 'x'\nW -> 'y'\n%contrast V W",
            50,
            ":1:6: there are more than 10^100 sentences; give a lower depth",
        ),
        (
            f"S -> V {'A ' * 200}\nA -> 'a' | 'b' | 'c' | 'd'\nV -> 'x'\nW -> 'y'\n%contrast V W",
            None,
            ":1:6: there are more than 10^100 sentences; leave alternatives out",
        ),
        (
            f"S -> V {'A ' * 200}\nA -> {'B ' * 200}\nB -> 'b'\nV -> 'x'\nW -> 'y'\n%contrast V W",
            None,
            ":1:6: a sentence has a derivation of more than 10000 symbols; leave alternatives out",
        ),
    ],
)
def test_too_few_and_too_many(tmp_path: Path, text: str, depth: int | None, fault: str) -> None:
    with pytest.raises(GrammarError) as caught:
        source_of(text, tmp_path, depth)
    assert str(caught.value) == f"{tmp_path / 'x.cfg'}{fault}"


def test_a_depth_that_is_too_much(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a depth of 1001 is too much; 1000 is the most$"):
        source_of(ATTRACTORS, tmp_path, 1001)
    assert source_of(SIMPLE, tmp_path, 1000).n_sets == 12


def test_a_file_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.cfg"
    with pytest.raises(InputError, match=r"x\.cfg: No such file or directory$"):
        ContextFreeSource(path)
    path.write_bytes("S -> 'schläft'".encode("latin-1"))
    with pytest.raises(InputError, match=r"x\.cfg:1:11: the byte 0xe4 is not UTF-8"):
        ContextFreeSource(path)


def test_nothing_depends_on_the_order_of_hashes(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys\n"
        "from pommel.sources.grammar.source import GrammarError\n"
        "from pommel.sources.grammar.context_free.source import ContextFreeSource\n"
        "for path in map(pathlib.Path, sys.argv[1:]):\n"
        "    try:\n"
        "        own = ContextFreeSource(path, depth=9)\n"
        "        print(list(own.sets()), own.words, own.ungrammatical_counts, own.recipe)\n"
        "    except GrammarError as error:\n"
        "        print(error)\n"
    )
    broken = SENTENTIAL_COMPLEMENT.replace("Says_pl\n", "V_pl | Says_sg Says_pl V_sg\n")
    texts = [REFLEXIVES, ATTRACTORS, broken, f"{SIMPLE}%contrast 'sich' 'mich'"]
    paths = [tmp_path / f"{number}.cfg" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    printed = {
        subprocess.run(
            [sys.executable, "-c", program, *map(str, paths)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_characters_that_no_word_has(tmp_path: Path) -> None:
    path = tmp_path / "x.cfg"
    path.write_text("S -> 'a'\nB -> 'b\x00'\n", "utf-8")
    with pytest.raises(
        InputError, match=r"x\.cfg:2:8: this line has the character '\\x00'; take it"
    ):
        ContextFreeSource(path)


def test_the_recipe_is_of_what_was_read(tmp_path: Path) -> None:
    text = "S -> 'a'\r\n%contrast 'a' 'b'\r\n"
    path = tmp_path / "x.cfg"
    path.write_bytes(text.encode())
    own = ContextFreeSource(path)
    path.unlink()
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    assert own.recipe == {"kind": "context-free grammar", "files": {"x.cfg": sha256}}


def test_grammars_of_thousands_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "x.cfg"
    rules = "".join(f"A{n} -> A{n + 1}\n" for n in range(5000))
    path.write_text(f"{rules}A5000 -> 'x'\n%contrast 'x' 'y'\n", "utf-8")
    assert ContextFreeSource(path).n_sets == 1
    with pytest.raises(GrammarError, match=r"the least that has one is 5002$"):
        ContextFreeSource(path, depth=5)
    path.write_text("".join(f"A{n} -> 'a{n}' Q{n}\n" for n in range(3000)), "utf-8")
    with pytest.raises(GrammarError) as caught:
        ContextFreeSource(path)
    assert len(caught.value.faults) == 3000
    recursive = "".join(f"A{n} -> 'y' B{n}\nB{n} -> A{n} | 'y'\n" for n in range(2000))
    starts = " | ".join(f"A{n}" for n in range(2000))
    path.write_text(f"S -> 'x' | {starts}\n{recursive}%contrast 'x' 'y'\n", "utf-8")
    with pytest.raises(GrammarError) as caught:
        ContextFreeSource(path)
    ends = [each for each in caught.value.faults if "sentences have no end" in each.message]
    assert len(ends) == 2000


# None of these is the contrast.
OTHERS = ("'b'", "'der Mann'", '"c"', "''")


def around(left: str, right: str) -> str:
    """Return rules of which each sentence has one contrast, in the middle."""
    rename = {name: f"{name}2" for name in ("S", "NP", "N1", "V^x", "P/Q")}
    lines = []
    for line in right.splitlines():
        words = line.replace("'der Mann'", "'dem'").split(" ")
        lines.append(" ".join(rename.get(each, each) for each in words))
    return "\n".join(["Top -> S V S2 | V", "V -> 'x' | 'u v'", left, *lines])


@given(
    grammars(recursive=False, terminals=OTHERS),
    grammars(recursive=True, terminals=OTHERS),
    st.integers(2, 5),
    st.integers(1, 40),
)
def test_every_set_in_the_order_of_nltk(left: str, right: str, depth: int, most: int) -> None:
    rules = around(left, right)
    text = f"{rules}\nW -> 'y z' | ''\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), depth)
    if derivations.n_sets > 2000:
        return
    sets = list(Enumeration(derivations, most_strings=most))
    assert [each.grammatical for each in sets] == generated(rules, depth)
    ungrammatical = {"x": ("y z",), "u v": ("",)}
    assert all(each.others == ungrammatical[each.form] for each in sets)
    one_by_one = [
        minimal_set(derivations.string(derivations.start, n)) for n in range(derivations.n_sets)
    ]
    assert sets == one_by_one


def test_the_first_of_very_many() -> None:
    words = " | ".join(f"'w{n}'" for n in range(100))
    text = f"S -> {'N ' * 30} V {'N ' * 5}\nN -> {words}\nV -> 'x'\nW -> 'y'\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), None)
    assert derivations.n_sets == 10**70
    first = list(itertools.islice(Enumeration(derivations), 12_000))
    assert first[-1].after == "w0 w0 w1 w19 w99"
    for index in (0, 1, 5000, 11_999):
        assert first[index] == minimal_set(derivations.string(derivations.start, index))


def test_each_iteration_begins_anew() -> None:
    text = "S -> N V\nN -> 'a' | 'b'\nV -> 'x'\nW -> 'y'\n%contrast V W"
    enumeration = Enumeration(Derivations(parse_grammar(text, file="x.cfg"), None))
    assert list(enumeration) == list(enumeration)
    assert len(list(enumeration)) == 2


def test_a_deep_grammar() -> None:
    text = "S -> 'a' S | 'b' S | V\nV -> 'x'\nW -> 'y'\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), 300)
    first = next(iter(Enumeration(derivations)))
    assert first.before.split() == ["a"] * 297
