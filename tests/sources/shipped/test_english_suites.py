"""The shipped English suites: what the files hold."""

import csv
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pommel.sources.formats.lm_syneval import read_templates
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite
from recipes.english.grammar import sample_corpus
from recipes.english.lexicon import people
from recipes.suites import made_again

ENGLISH = Path(__file__).parents[3] / "suites" / "en"
SUITES = {path.stem: LoadedSuite.read(path).suite for path in sorted(ENGLISH.rglob("*.json"))}
ATOM = re.compile(r"\((\d+);%([^%]+)%\)")

# Words that say nothing of what a sentence is about.
FUNCTION_WORD = re.compile(
    "an?|the|no|any|this|that|these|those|what|who|whom|which"
    "|as|when|while|although|because|before|after|since|if|once|until|though|unless|whenever"
    "|i|you|s?he|it|we|they|me|him|hers?|us|them|my|your|his|our|their|.+sel(f|ves)"
    "|am|is|are|was|were|be|been|being|has|have|had|do|does|did|not|will|would|can|could|should"
    "|ever|and|or|but|to|of|in|on|at|by|for|from|with|about|into|near|next|behind|beside"
    "|front|across|close|opposite|alongside|side"
)

every_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)


@pytest.fixture(scope="module")
def vocabulary() -> set[str]:
    return {word for sentence in sample_corpus(60_000, 3) for word in sentence.split()}


def items(suite: Suite) -> list[dict[str, list[str]]]:
    """Return of each item what its regions contain, by condition."""
    return [
        {each.name: [region.content for region in each.regions] for each in item.conditions}
        for item in suite.items
    ]


def sentences(item: Mapping[str, list[str]]) -> list[str]:
    """Return the sentences of an item."""
    return [" ".join(filter(None, contents)) for contents in item.values()]


def texts(suite: Suite) -> Iterator[str]:
    """Yield the sentences of a suite."""
    return (text for item in items(suite) for text in sentences(item))


def test_every_circuit_has_suites() -> None:
    assert {suite.circuit for suite in SUITES.values()} == {
        *("agreement", "licensing", "garden-path-effects", "gross-syntactic-state"),
        *("center-embedding", "long-distance-dependencies"),
    }


def test_the_templates_make_the_files(tmp_path: Path) -> None:
    shutil.copytree(ENGLISH, tmp_path / "en")
    texts = [(path.read_text("utf-8"), text) for path, text in made_again(tmp_path)]
    assert len(texts) == len(SUITES)
    assert all(there == made for there, made in texts)


@every_suite
def test_a_suite_has_items_enough(suite: Suite) -> None:
    assert len(suite.items) >= 24


@every_suite
def test_no_sentence_comes_twice(suite: Suite) -> None:
    every = list(texts(suite))
    assert len(every) == len(set(every))


@every_suite
def test_every_word_is_in_the_training_english(suite: Suite, vocabulary: set[str]) -> None:
    words = {word for text in texts(suite) for word in text.split()}
    assert words - vocabulary == set()


@every_suite
def test_formulas_name_regions_that_are_filled(suite: Suite) -> None:
    for prediction in suite.predictions:
        assert prediction.description.endswith(".")
        atoms = ATOM.findall(str(prediction.formula))
        assert atoms
        for item in items(suite):
            # The pseudo-clefts' formula adds no region that is empty either.
            assert all(item[name][int(number) - 1] for number, name in atoms)


def test_an_embedded_gap_has_the_clauses_between_that_its_name_counts() -> None:
    embeddings = {
        n: [item["what_gap"][2] for item in items(SUITES[f"fgd-embed{n}"])] for n in (2, 3, 4)
    }
    for n, every in embeddings.items():
        # "the nurse said": three words a clause.
        assert {len(embedding.split()) for embedding in every} == {3 * n}
    for two, three, four in zip(*embeddings.values(), strict=True):
        assert three.startswith(f"{two} the ")
        assert four.startswith(f"{three} the ")
        verbs = four.split()[2::3]
        assert len(set(verbs)) == len(verbs)


def test_the_hierarchy_has_its_gap_inside_the_subject_or_after_the_main_verb() -> None:
    names = list(SUITES["fgd_hierarchy"].region_names.values())
    where = {"nogap": [], "subjgap": ["subject_gap"], "matrixgap": ["matrix_gap"]}
    for item in items(SUITES["fgd_hierarchy"]):
        for condition, contents in item.items():
            filler, gap = condition.split("_")
            assert contents[names.index("subj_wh")] == {"what": "who"}.get(filler, "that")
            empty = [name for name, text in zip(names, contents, strict=True) if not text]
            assert empty == where[gap]


def kind_of(relative: str) -> str:
    """Return "orc" for a relative with a subject of its own ("who the mayor hired"), else "src"."""
    pronoun, after, *_ = relative.split()
    assert pronoun in {"who", "that"}
    return "orc" if after == "the" else "src"


@pytest.mark.parametrize("kinds", ["src-orc", "src-src", "orc-orc"])
def test_the_relatives_are_of_the_kinds_that_the_name_says(kinds: str) -> None:
    for item in items(SUITES[f"subordination_{kinds}"]):
        _, of_subject, _, of_object, _ = item["sub_matrix"]
        assert f"{kind_of(of_subject)}-{kind_of(of_object)}" == kinds


@pytest.mark.parametrize(
    ("name", "unacceptable"),
    [
        ("fgd-embed4", "that_gap what_no-gap"),
        ("fgd_hierarchy", "what_nogap that_subjgap what_matrixgap that_matrixgap"),
        ("subordination_orc-orc", "sub_no-matrix no-sub_matrix"),
    ],
)
def test_a_suite_says_what_no_speaker_would_say(name: str, unacceptable: str) -> None:
    assert SUITES[name].meta["unacceptable"] == unacceptable


@pytest.mark.parametrize(
    ("name", "nouns"),
    [("agreement", ("subject", "distractor")), ("reflexives", ("man", "woman", "distractor"))],
)
def test_plurals_in_a_lexicon_are_those_of_its_singulars(name: str, nouns: tuple[str, ...]) -> None:
    plurals = {noun.singular: noun.plural for noun in people()}
    with (ENGLISH / "sources" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for noun in nouns:
                assert row[f"{noun}_plural"] == plurals[row[noun]]


def published_sentences(folder: Path) -> Iterator[str]:
    """Yield the English sentences of published suites, pairs and templates."""
    for path in sorted(folder.glob("hu2020/suites/*.json")):
        yield from (each.text for row in LoadedSuite.read(path).suite.sentences() for each in row)
    for path in sorted(folder.glob("lm_syneval/*.pickle")):
        for each in read_templates(path):
            yield from (f"{each.before} {form} {each.after}" for form in (each.form, *each.others))
    for path in sorted(folder.glob("blimp/[!m]*.jsonl")):
        pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        yield from (pair[f"sentence_{which}"] for pair in pairs for which in ("good", "bad"))


def words_of(sentence: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[\w'-]+", sentence.lower()))


def content_of(words: tuple[str, ...]) -> Counter[str]:
    return Counter(word for word in words if not FUNCTION_WORD.fullmatch(word))


def n_changed(words: tuple[str, ...], others: tuple[str, ...]) -> int:
    """Return how many words of one are not in the other: of the one that has more of them."""
    one, another = Counter(words), Counter(others)
    return max((one - another).total(), (another - one).total())


def test_no_sentence_is_a_published_one_or_nearly_one(shared_data: Path) -> None:
    # Nearly: they share half of their content words, two at the least, and three words at the most
    # are in one of them only, wherever they stand.
    published = {words_of(sentence) for sentence in published_sentences(shared_data)}
    ours = {words_of(text) for suite in SUITES.values() for text in texts(suite)}
    assert ours & published == set()
    by_word = defaultdict(set)
    for words in published:
        for word in content_of(words):
            by_word[word].add(words)
    near = []
    for words in ours:
        content = content_of(words)
        for other, n_shared in Counter(each for word in content for each in by_word[word]).items():
            if n_shared >= max(2, content.total() / 2) and n_changed(words, other) <= 3:
                near.append((" ".join(words), " ".join(other)))
    assert near == []
