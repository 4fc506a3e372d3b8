"""Items, words and head of templates: agreement in four languages, and what a line may say."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template import examples
from tests.sources.grammar.lexicon_template.examples import FOUR_ROWS, LEXICON, english, write

from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.source import GeneratedItem, GrammarError, has_items


def source(folder: Path, template: str, **lexicons: str) -> LexiconTemplateSource:
    return LexiconTemplateSource(write(folder, template, **lexicons))


def sentences(items: LexiconTemplateSource) -> list[list[str]]:
    return [[condition.sentence for condition in item] for item in items.items()]


def firsts(items: LexiconTemplateSource) -> list[str]:
    return [each[0] for each in sentences(items)]


def test_conditions_regions_and_glosses(tmp_path: Path) -> None:
    found = english(tmp_path)
    assert has_items(found)
    # Numbers x ordered pairs of nouns x verbs of the subject: 2 x (2 x 2 x 2 + 1 x 2 x 2).
    assert found.n_items == 24
    first: GeneratedItem = next(found.items())
    assert [(each.name, each.contents, each.gloss) for each in first] == [
        ("match_near", ("The author", "near the pilot", "", "smiles", "."), "smile-sg ."),
        ("mismatch_near", ("The author", "near the pilot", "", "smile", "."), ""),
        ("match_far", ("The author", "near the pilots", "really", "smiles", "."), ""),
        ("mismatch_far", ("The author", "near the pilots", "really", "smile", "."), ""),
    ]
    assert first.conditions[0].sentence == "The author near the pilot smiles ."


def test_items_say_what_they_are_filled_with(tmp_path: Path) -> None:
    template = examples.ENGLISH.replace("regions:", "lexemes: V.word A.form[OTHER] NUM\nregions:")
    found = source(tmp_path, template, nouns=examples.NOUNS, verbs=examples.VERBS)
    assert [each.lexemes for each in found.items([0, 23])] == [
        {"V.word": "smile", "A.form[OTHER]": "pilots", "NUM": "sg"},
        {"V.word": "be old", "A.form[OTHER]": "pilot", "NUM": "pl"},
    ]
    assert next(english(tmp_path).items()).lexemes == {}


def test_up_to_which_region_samples_differ(tmp_path: Path) -> None:
    template = examples.ENGLISH.replace("regions:", "once: adverb\nregions:")
    found = source(tmp_path, template, nouns=examples.NOUNS, verbs=examples.VERBS)
    assert (found.once_to, english(tmp_path).once_to) == (3, None)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("lexemes: T.word", "3:10: there is no slot 'T'; there is S"),
        ("lexemes: S", "3:10: {S} names a slot, and no feature of it; write {S.FEATURE}"),
        ("lexemes: S.form_b", "'two' has no form_b, which {S.form_b} asks for"),
        ("lexemes:", "3:9: nothing follows the colon; write lexemes: V.word NUM"),
        ("lexemes: S.word\nlexemes: S.word", "4:8: lexemes is there already; line 3 has it"),
    ],
)
def test_what_items_cannot_say(tmp_path: Path, line: str, fault: str) -> None:
    text = f"lexicon: l.csv\nslot S: kind = x\n{line}\ncondition a: {{S.word}}\n"
    (said,) = examples.faults_of(tmp_path, text, LEXICON)
    assert fault in said


def test_the_last_slot_changes_fastest_and_numbers_follow(tmp_path: Path) -> None:
    found = english(tmp_path)
    assert [item.conditions[0].sentence for item in found.items([0, 1, 2, 12, 23])] == [
        "The author near the pilot smiles .",
        "The author near the pilot is old .",
        "The author near the car smiles .",
        "The authors near the pilots smile .",
        "The cars near the pilots are old .",
    ]
    assert list(found.items(range(24))) == list(found.items())
    assert list(found.items([])) == []


def test_head(tmp_path: Path) -> None:
    assert english(tmp_path).head == {
        "meta": {"metric": "sum", "name": "english near", "language": "en"},
        "region_meta": {"1": "subject", "2": "attractor", "3": "adverb", "4": "verb", "5": "end"},
        "predictions": [
            {
                "type": "formula",
                "formula": "(4;%match_near%) < (4;%mismatch_near%)",
                "description": ("Without an attractor, the verb that agrees is less surprising."),
            },
            {"type": "formula", "formula": "[(4;%match_far%) < (4;%mismatch_far%)]"},
        ],
    }


def test_regions_without_names_have_their_numbers(tmp_path: Path) -> None:
    text = "meta metric: mean max\ncondition a: x | y\ncondition b: x | z\n"
    found = source(tmp_path, text)
    assert found.head == {
        "meta": {"metric": ["mean", "max"]},
        "region_meta": {"1": "1", "2": "2"},
        "predictions": [],
    }
    assert (found.n_items, sentences(found)) == (1, [["x y", "x z"]])


def test_recipe(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    text = "lexicon: words/n.csv\nslot S:\ncondition a: {S.word}\n"
    found = source(tmp_path, text, **{"words/n": "word\ncat\n"})
    hashes = {
        "x.template": hashlib.sha256(text.encode()).hexdigest(),
        "words/n.csv": hashlib.sha256(b"word\ncat\n").hexdigest(),
    }
    assert found.recipe == {"kind": "lexicon and template", "files": hashes}


def test_the_recipe_is_of_what_was_read(tmp_path: Path) -> None:
    found = english(tmp_path)
    before = found.recipe
    (tmp_path / "nouns.csv").write_text("edited", "utf-8")
    assert found.recipe == before == english(tmp_path).recipe


def test_a_language_without_spaces(tmp_path: Path) -> None:
    text = 'meta joiner: ""\ncondition a: 我们 | x {N} | 。\nchoose N: "" y\n'
    found = source(tmp_path, text)
    assert firsts(found) == ["我们x。", "我们x y。"]
    assert found.head["meta"]["joiner"] == ""


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("meta language: zh-Hant\n", "我们来"),
        ('meta joiner: " "\nmeta language: zh\n', "我们 来"),
        ('meta language: zh\nmeta joiner: " "\n', "我们 来"),
    ],
)
def test_a_language_says_what_stands_between_regions(
    tmp_path: Path, lines: str, sentence: str
) -> None:
    assert firsts(source(tmp_path, f"{lines}condition a: 我们 | 来\n")) == [sentence]


@pytest.mark.parametrize(
    ("regions", "sentence", "up_to_two"),
    [
        ('l\' | {""}{N} | .', "l'arbre .", "l'arbre"),
        ('la | {" "} {N} | {""} .', "la arbre.", "la arbre"),
        ('dort | {"-"}il | {N}', "dort-il arbre", "dort-il"),
        ('\\{"\\} | {" | "}{N} | "."', '{"} | arbre "."', '{"} | arbre'),
        # Before the first that has something nothing stands.
        (' | {"-"}{N} | {""} .', "arbre.", "arbre"),
        ('a | {"-"} | {N}', "a arbre", "a"),
    ],
)
def test_what_stands_before_a_region_of_a_condition(
    tmp_path: Path, regions: str, sentence: str, up_to_two: str
) -> None:
    text = f"choose N: arbre\ncondition a: {regions}\ncondition b: le | {{N}} | .\n"
    ((one, other),) = source(tmp_path, text).items()
    assert (one.sentence, one.sentence_to(2), other.sentence) == (sentence, up_to_two, "le arbre .")


def test_what_stands_before_a_region_if_a_feature_applies(tmp_path: Path) -> None:
    lexicon = "word,le,elided,case_a\narbre,l',yes,_\nchat,le,,x\nours,l',∅,_\n"
    text = (
        "lexicon: l.csv\nslot N:\nchoose C: a\n"
        'condition a: {N.le} | {"" if N.elided} {N.word}\n'
        'condition b: le | {"-" if N.case[C]}{N.word}\n'
    )
    found = source(tmp_path, text, l=lexicon)
    assert sentences(found) == [
        ["l'arbre", "le arbre"],
        ["le chat", "le-chat"],
        ["l'ours", "le ours"],
    ]
    assert found.has_own_joiners
    assert not english(tmp_path).has_own_joiners


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        ("N.elid", "l.csv has no column 'elid'; did you mean 'elided'?"),
        ("M", "there is no slot or choice 'M'; there is N, C"),
        (
            "N.elided[C]",
            (
                "l.csv has no column 'elided_b', which N.elided[C] is where C = b; its columns are "
                "elided, elided_a"
            ),
        ),
    ],
)
def test_features_that_cannot_apply(tmp_path: Path, condition: str, fault: str) -> None:
    text = "lexicon: l.csv\nslot N:\nchoose C: a b\n"
    text += f'condition a: {{C}} | {{"" if {condition}}}{{N.word}}\n'
    found = examples.faults_of(tmp_path, text, "word,elided,elided_a\nx,y,z\n")
    assert found == [f"x.template:4:27: {fault}"]


def test_conditions_that_only_what_is_between_regions_tells_apart(tmp_path: Path) -> None:
    found = source(tmp_path, 'meta language: th\ncondition a: ก | ข\ncondition b: ก | {" "}ข\n')
    assert sentences(found) == [["กข", "ก ข"]]


def test_conditions_that_only_their_regions_tell_apart(tmp_path: Path) -> None:
    text = 'meta joiner: ""\ncondition a: ab | c\ncondition b: a | bc\n'
    with pytest.raises(GrammarError, match="condition b has the sentence of a in the only item"):
        source(tmp_path, text)


def test_words_in_the_order_of_the_template(tmp_path: Path) -> None:
    found = english(tmp_path)
    assert found.words == (
        *("The", "author", "authors", "pilot", "pilots", "car", "cars", "near", "the"),
        *("smiles", "smile", "shines", "shine", "is", "old", "are", ".", "really"),
    )
    assert set(found.words) == {
        word for each in sentences(found) for text in each for word in text.split()
    }


def test_words_made_of_several_slots(tmp_path: Path) -> None:
    found = source(tmp_path, examples.SWAHILI, swahili=examples.SWAHILI_LEXICON)
    own = {word for each in sentences(found) for text in each for word in text.split()}
    # Nouns of classes 1 to 3 are no subjects here, so that their concords do not count.
    assert set(found.words) == own
    assert {"kilianguka", "vilianguka", "alianguka", "cha", "vya"} <= own


def test_basque_auxiliaries_agree_with_two_arguments(tmp_path: Path) -> None:
    found = source(tmp_path, examples.BASQUE, basque=examples.BASQUE_LEXICON)
    assert found.n_items == 2 * 2 * 2
    assert sentences(found)[:3] == [
        ["gizonak liburuak irakurri ditu .", "gizonak liburuak irakurri dituzte ."],
        ["gizonak egunkariak irakurri ditu .", "gizonak egunkariak irakurri dituzte ."],
        ["gizonek liburua irakurri dute .", "gizonek liburua irakurri du ."],
    ]
    assert next(found.items()).conditions[0].gloss == "man-ERG.SG book-ABS.PL read 3SG>3PL"


def test_hindi_verbs_agree_with_the_object(tmp_path: Path) -> None:
    found = source(tmp_path, examples.HINDI, hindi=examples.HINDI_LEXICON)
    assert sentences(found) == [
        ["लड़के ने किताब पढ़ी ।", "लड़के ने किताब पढ़ा ।"],
        ["लड़के ने रोटी खाई ।", "लड़के ने रोटी खाया ।"],
    ]


def test_swahili_concords_agree_by_class(tmp_path: Path) -> None:
    found = source(tmp_path, examples.SWAHILI, swahili=examples.SWAHILI_LEXICON)
    assert sentences(found) == [
        ["kitabu cha mtoto kilianguka .", "kitabu cha mtoto alianguka ."],
        ["kitabu cha watoto kilianguka .", "kitabu cha watoto walianguka ."],
        ["vitabu vya mtoto vilianguka .", "vitabu vya mtoto alianguka ."],
        ["vitabu vya watoto vilianguka .", "vitabu vya watoto walianguka ."],
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Rows of several files come in the order of the template.
        (["slot S:", "condition a: {S.word}"], ["one", "two", "three", "four"]),
        # A constraint may look at any slot above.
        (
            ["slot S: kind = x", "slot T: kind = S.kind, word != S.word", "condition a: {T.word}"],
            ["two", "one"],
        ),
        (
            ["choose K: x y", "slot S: kind = K", "condition a: {S.word} {K}"],
            ["one x", "two x", "three y"],
        ),
        # The name of a choice between quotation marks is a value.
        (
            [
                "choose x: y x",
                "slot S: kind = x",
                'slot T: kind = "x"',
                "condition a: {S.word}{T.word}",
            ],
            ["threeone", "threetwo", "oneone", "onetwo", "twoone", "twotwo"],
        ),
        # A column chosen by a choice, and rows that have it.
        (
            ["choose F: a b", "slot S: form[F] != _", "condition a: {S.form[F]}"],
            ["1a", "2a", "4a", "1b", "3b", "4b"],
        ),
        (
            ["slot S:", "choose F: a b, S.form[F] != _", "condition a: {S.form[F]}"],
            ["1a", "1b", "2a", "3b", "4a", "4b"],
        ),
        (["slot S: form_a != _", "condition a: {S.form[a]}-"], ["1a-", "2a-", "4a-"]),
        # Sets against sets, and a value that is in a set.
        (
            ["slot S: word = two", "slot T: tags shares S.tags", "condition a: {S.word} {T.word}"],
            ["two one", "two two"],
        ),
        (
            ["choose C: red big", "slot S: tags lacks C", "condition a: {C} {S.word}"],
            ["red three", "red four", "big two", "big four"],
        ),
        (
            ["slot S: word = one", "choose C: red blue, C in S.tags", "condition a: {S.word} {C}"],
            ["one red"],
        ),
        (
            [
                "slot S: kind = x",
                "slot T: kind = x",
                "distinct: T.word S.word",
                "condition a: {S.word}",
            ],
            ["one", "two"],
        ),
        # Optional words, and text that is empty.
        (
            ['choose A: "" "very old"', "slot S: kind = y", "condition a: the {A} {S.word}"],
            ["the three", "the very old three"],
        ),
        # Backslashes, colons and comments.
        (
            ["slot S: kind = y  # one", "condition a: \\{{S.word}\\} \\| \\# # : |", "  x:#y\\\\"],
            ["{three} | # x:#y\\"],
        ),
        # Lines go on as long as they are indented, whatever is between.
        (
            ["slot S:", "# a comment", "", "   kind = x,", "\tword = one", "condition a: {S.word}"],
            ["one"],
        ),
    ],
)
def test_what_lines_mean(tmp_path: Path, lines: list[str], expected: list[str]) -> None:
    text = "\n".join(["lexicon: l.csv", *lines])
    assert firsts(source(tmp_path, text, l=FOUR_ROWS)) == expected


def test_forms_without_sound(tmp_path: Path) -> None:
    lexicon = "word,kind\nмост,n\n∅,copula\nесть,copula\n"  # noqa: RUF001 - Russian
    text = (
        "lexicon: l.csv\nslot S: kind = n\nslot C: kind = copula\n"
        "condition a: {S.word} {C.word} наш | {C.word}\n"
    )
    found = source(tmp_path, text, l=lexicon)
    assert [each.conditions[0].contents for each in found.items()] == [
        ("мост наш", ""),
        ("мост есть наш", "есть"),
    ]
    assert found.words == ("мост", "есть", "наш")


def test_a_column_chosen_by_features_of_another_slot(tmp_path: Path) -> None:
    lexicon = (
        "word,kind,person,number,be_1_sg,be_3_sg,be_1_pl,be_3_pl\n"
        "I,pronoun,1,sg,_,_,_,_\nthey,pronoun,3,pl,_,_,_,_\nbe,v,_,_,am,is,are,are\n"
    )
    text = (
        "lexicon: l.csv\nslot S: kind = pronoun\nchoose N: sg pl, N != S.number\nslot V: kind = v\n"
        "condition a: {S.word} {V.be[S.person][S.number]}\n"
        "condition b: {S.word} {V.be[S.person][N]}\n"
    )
    found = source(tmp_path, text, l=lexicon)
    assert sentences(found) == [["I am", "I are"], ["they are", "they is"]]
    assert found.words == ("I", "they", "am", "are", "is")


def test_a_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    lexicon = "\ufeffword,kind\r\n cat ,x\r\ndog  house,x\r\n"
    text = "\ufefflexicon: l.csv\r\nslot S: kind = x\r\ncondition a: {S.word}\r\n"
    assert firsts(source(tmp_path, text, l=lexicon)) == ["cat", "dog house"]


def test_features_are_needed_only_where_an_item_uses_them(tmp_path: Path) -> None:
    # Nouns without a plural are no fault as long as they are never plural.
    lexicon = "word,form_sg,form_pl,number\nwater,water,_,sg\ncats,_,cats,pl\n"
    text = "lexicon: l.csv\nchoose NUM: sg pl\nslot S: number = NUM\ncondition a: {S.form[NUM]}\n"
    assert firsts(source(tmp_path, text, l=lexicon)) == ["water", "cats"]


def test_the_same_under_any_hash_seed(tmp_path: Path, repository: Path) -> None:
    english(tmp_path)
    program = (
        "import sys, pathlib\n"
        "from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource\n"
        "s = LexiconTemplateSource(pathlib.Path(sys.argv[1]))\n"
        "print(s.n_items, s.head, s.words, s.recipe, list(s.items()), list(s.items([5, 3])))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "x.template")]
    outputs = [
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(repository / "runner")},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1] != b""
