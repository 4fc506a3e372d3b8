"""Balanced samples: each combination equally often, whatever the lexicon is like."""

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import assume, given, settings, strategies as st
from tests.sources.grammar.lexicon_template import examples
from tests.sources.grammar.lexicon_template.examples import FOUR_ROWS, faults_of, write

from pommel.errors import Place
from pommel.sources.generation import Generation
from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.balance import Groups
from pommel.sources.grammar.lexicon_template.features import Feature, Reference, Relation
from pommel.sources.grammar.lexicon_template.reading import Balance
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.lexicon_template.space import Space
from pommel.sources.grammar.source import GrammarError

HERE = Place(file="x.template", line=7, column=10)


def feature(variable: int, column: str) -> Feature:
    return Feature(variable, column, reference=Reference(HERE, f"S{variable}", column))


@st.composite
def rows(draw: st.DrawFn) -> list[Cells]:
    cells = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))
    found = draw(st.lists(cells, min_size=1, max_size=6))
    return [{"w": str(n), "c": c, "d": d} for n, (c, d) in enumerate(found)]


@settings(max_examples=40)
@given(
    st.lists(rows(), min_size=2, max_size=3),
    st.lists(st.just("d"), max_size=1),
    st.lists(st.sampled_from(["w", "d"]), max_size=1),
    st.integers(0, 5),
)
def test_groups_have_each_combination_once(
    domains: list[list[Cells]], joined: list[str], within: list[str], seed: int
) -> None:
    relations = [Relation(Feature(1, each), "=", (Feature(0, each),)) for each in joined]
    space = Space(domains, relations)
    assume(space.n)
    balance = Balance(
        place=HERE,
        features=(feature(0, "c"), feature(1, "d")),
        within=tuple(feature(0, each) for each in within),
    )

    def of(filling: tuple[Cells, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(filling[0][each] for each in within), (filling[0]["c"], filling[1]["d"])

    there = Counter(map(of, space))
    combinations = {values for _, values in there}
    fewest = {
        own: min(there[own, values] for values in combinations) for own in {own for own, _ in there}
    }
    if len(combinations) < 2 or not any(fewest.values()):
        with pytest.raises(GrammarError) as caught:
            Groups(domains, relations, balance, space)
        assert str(caught.value).startswith("x.template:7:10: ")
        return
    groups = Groups(domains, relations, balance, space)
    drawn = list(groups.drawn(seed))
    assert drawn == list(groups.drawn(seed))
    assert groups.size == len(combinations)
    assert groups.n == sum(fewest.values()) == len(drawn)
    numbers = [number for group in drawn for number in group]
    assert len(set(numbers)) == len(numbers)
    for group in drawn:
        found = [of(space[number]) for number in group]
        assert sorted(values for _, values in found) == sorted(combinations)
        assert len({own for own, _ in found}) == 1
    of_own = Counter(of(space[group[0]])[0] for group in drawn)
    assert of_own == Counter({own: n for own, n in fewest.items() if n})


def test_a_sample_of_a_suite_is_balanced_in_each_word(tmp_path: Path) -> None:
    template = examples.ENGLISH.replace("regions:", "balance: NUM A.class within V.word\nregions:")
    path = write(tmp_path, template, nouns=examples.NOUNS, verbs=examples.VERBS)
    source = LexiconTemplateSource(path)
    assert source.groups is not None
    assert (source.groups.size, source.groups.n) == (4, 4)
    assert source.groups.about == "NUM, A.class have 4 combinations"
    content = Generation(source=source, name="x", n_sampled=16).content(as_sets=False)
    firsts = [item.conditions[0].sentence().text.split() for item in content.items()]
    verbs = ("smile", "smiles", "are", "is")
    # What shines is a car, beside which there are persons only.
    found = Counter((verb, near.startswith("car")) for *_, near, verb in [e[:6] for e in firsts])
    assert found == {(verb, is_car): 2 for verb in verbs for is_car in (True, False)}


def test_a_draw_from_very_many(tmp_path: Path) -> None:
    lexicon = "word,kind\n" + "".join(f"w{n},{'xy'[n % 2]}\n" for n in range(400))
    slots = "".join(f"slot S{n}:\n" for n in range(8))
    text = f"lexicon: l.csv\n{slots}balance: S0.kind S7.kind\ncondition a: " + "".join(
        f"{{S{n}.word}} " for n in range(8)
    )
    source = LexiconTemplateSource(write(tmp_path, text, l=lexicon))
    assert source.groups is not None
    assert source.groups.n == 400**8 // 4
    for group in islice(source.groups.drawn(1), 5):
        firsts = [item.conditions[0].sentence.split() for item in source.items(group)]
        kinds = {(int(words[0][1:]) % 2, int(words[7][1:]) % 2) for words in firsts}
        assert len(kinds) == 4


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("balance: S.kin T.word", ["l.csv has no column 'kin'; did you mean 'kind'?"]),
        ("balance: N within S", ["there is no slot or choice 'N'", "{S} names a slot, and no"]),
        ("balance: within S.kind", ["there is no slot or choice 'within'"]),
        ("balance: S.kind within", ["this ends too early; write balance:"]),
        ("balance: S.kind", ["'four' has no kind, which {S.kind} asks for"]),
        ("balance:", ["nothing follows the colon; write balance:"]),
    ],
)
def test_what_a_line_may_not_say(tmp_path: Path, line: str, faults: list[str]) -> None:
    text = f"lexicon: l.csv\nslot S:\nslot T:\n{line}\ncondition a: {{S.word}} {{T.word}}\n"
    found = faults_of(tmp_path, text, FOUR_ROWS)
    assert [known for known, said in zip(faults, found, strict=True) if known in said] == faults


def test_it_is_said_once(tmp_path: Path) -> None:
    text = "lexicon: l.csv\nslot S: kind != _\nbalance: S.kind\nbalance: S.kind\n"
    (fault,) = faults_of(tmp_path, f"{text}condition a: {{S.word}}\n", FOUR_ROWS)
    assert fault == (
        "x.template:4:8: balance is there already; line 3 has it; leave one of them out"
    )


def test_a_slot_may_begin_like_the_word(tmp_path: Path) -> None:
    text = (
        "lexicon: l.csv\nslot withinS: kind != _\nbalance: withinS.kind\n"
        "condition a: {withinS.word}\n"
    )
    source = LexiconTemplateSource(write(tmp_path, text, l=FOUR_ROWS))
    assert source.groups is not None
    assert (source.groups.size, source.groups.n) == (2, 1)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "balance: S.kind",
            (
                "4:10: S.kind = x in all items: there is nothing to balance; balance a feature "
                "that has several values"
            ),
        ),
        (
            "balance: S.form[F] within S.word",
            (
                "4:10: no item with S.word = one has S.form[F] = 2a; balanced samples have items "
                "only of what is there with all combinations"
            ),
        ),
    ],
)
def test_what_cannot_be_balanced(tmp_path: Path, line: str, fault: str) -> None:
    text = f"lexicon: l.csv\nslot S: kind = x\nchoose F: a\n{line}\ncondition a: {{S.word}} {{F}}\n"
    source = LexiconTemplateSource(write(tmp_path, text, l=FOUR_ROWS))
    # All items are there all the same.
    assert source.n_items == 2
    with pytest.raises(GrammarError) as caught:
        _ = source.groups
    assert str(caught.value) == f"{tmp_path}/x.template:{fault}"


def test_values_too_many_to_be_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "lexicon: l.csv\nslot S:\nslot T: word != S.word\nbalance: S.tags\n"
        "condition a: {S.word} {T.word}\n"
    )
    source = LexiconTemplateSource(
        write(tmp_path, text, l=FOUR_ROWS.replace("four,_,_", "four,_,x"))
    )
    monkeypatch.setattr("pommel.sources.grammar.lexicon_template.space.MOST_STATES", 0)
    with pytest.raises(GrammarError, match="tie so many values together"):
        _ = source.groups
