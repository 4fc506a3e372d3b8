"""The 34 suites of Hu et al. (2020) as published, and a suite with a published result."""

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.builders import token

from pommel.errors import SuiteError
from pommel.scoring.choices import Choices, ScoreRule
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import region_table
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence, Token

# Cells with spaces where none should be.
STRAY_SPACES = {
    "fgd-embed3": 2,
    "fgd-embed4": 4,
    "npz_ambig": 256,
    "npz_ambig_mod": 352,
    "npz_obj": 347,
    "npz_obj_mod": 447,
    "subordination_pp-pp": 8,
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "hu2020" / "suites"


@pytest.fixture(scope="module")
def loaded(folder: Path) -> dict[str, LoadedSuite]:
    """All suites by the names of their files; a suite that is rejected fails every test."""
    return {path.stem: LoadedSuite.read(path) for path in sorted(folder.glob("*.json"))}


def test_none_is_rejected_and_none_lacks_anything(loaded: dict[str, LoadedSuite]) -> None:
    suites = [each.suite for each in loaded.values()]
    cells = [
        region
        for suite in suites
        for item in suite.items
        for condition in item.conditions
        for region in condition.regions
    ]
    assert len(suites) == 34
    assert sum(len(suite.items) for suite in suites) == 842
    assert sum(len(suite.items) * len(suite.condition_names) for suite in suites) == 3304
    assert sum(len(suite.predictions) for suite in suites) == 36
    assert len(cells) == 24040
    assert {suite.metrics for suite in suites} == {("sum",)}
    assert [name for name, each in loaded.items() if len(each.suite.predictions) == 2] == [
        "fgd_hierarchy",
        "nn-nv-rpl",
    ]


def test_stray_spaces_are_the_only_warnings(loaded: dict[str, LoadedSuite]) -> None:
    counts = {name: len(each.warnings) for name, each in loaded.items() if each.warnings}
    assert counts == STRAY_SPACES
    assert sum(counts.values()) == 1416
    warnings = [fault for each in loaded.values() for fault in each.warnings]
    assert {fault.severity for fault in warnings} == {"warning"}
    assert {fault.message.split(" '")[0] for fault in warnings} == {"stray space in the content"}


def test_every_warning_points_at_its_content(folder: Path, loaded: dict[str, LoadedSuite]) -> None:
    for name in STRAY_SPACES:
        lines = (folder / f"{name}.json").read_text().split("\n")
        for fault in loaded[name].warnings:
            content, _ = json.JSONDecoder().raw_decode(lines[fault.line - 1], fault.column - 1)
            assert fault.message == f"stray space in the content {content!r}"
            assert content != content.strip()
            assert fault.path.endswith(".content")


def test_a_warning_in_full(loaded: dict[str, LoadedSuite], folder: Path) -> None:
    assert str(loaded["fgd-embed3"].warnings[0]) == (
        f"{folder / 'fgd-embed3.json'}:1016:40: warning: stray space in the content "
        "'to the criminal kingpin '; remove the spaces around the text, and doubled ones "
        "(at items[7].conditions[0].regions[6].content)"
    )


def test_strictly_stray_spaces_are_errors(folder: Path) -> None:
    for name, count in STRAY_SPACES.items():
        with pytest.raises(SuiteError) as caught:
            LoadedSuite.read(folder / f"{name}.json", strict=True)
        assert Counter(fault.severity for fault in caught.value.faults) == {"error": count}
    assert LoadedSuite.read(folder / "cleft.json", strict=True).warnings == ()


def test_they_are_written_back_without_loss(folder: Path, loaded: dict[str, LoadedSuite]) -> None:
    for name, each in loaded.items():
        text = (folder / f"{name}.json").read_text("utf-8")
        written = each.suite.to_text()
        # As text, so that the order of keys and the way of writing numbers count.
        assert json.dumps(json.loads(written)) == json.dumps(json.loads(text)), name
        assert "".join(written.split()) == "".join(text.split()) or "\\u" in text, name


def test_conditions_go_by_name(loaded: dict[str, LoadedSuite]) -> None:
    suite = loaded["number_orc"].suite
    orders = Counter(tuple(condition.name for condition in item.conditions) for item in suite.items)
    assert sorted(orders.values()) == [1, 18]
    assert suite.condition_names == (
        "match_sing",
        "mismatch_sing",
        "match_plural",
        "mismatch_plural",
    )


def test_sentences_have_no_stray_spaces(loaded: dict[str, LoadedSuite]) -> None:
    for each in loaded.values():
        for item in each.suite.items:
            for condition in item.conditions:
                text = condition.sentence().text
                assert text == " ".join(text.split())


# --- sg-eval's example: a suite, a model's surprisals, and the score that its script prints


@pytest.fixture(scope="module")
def hierarchy(shared_data: Path) -> Suite:
    return LoadedSuite.read(shared_data / "sg_eval" / "fgd_hierarchy.json").suite


@pytest.fixture(scope="module")
def surprisals(shared_data: Path) -> list[list[tuple[str, float]]]:
    """Each sentence's words and bits, in the order of the file."""
    rows = (shared_data / "sg_eval" / "surprisals_fgd_hierarchy.txt").read_text().splitlines()[1:]
    sentences: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        sentence, _, word, bits = row.split("\t")
        sentences.setdefault(sentence, []).append((word, float(bits)))
    return list(sentences.values())


def spelled(text: str, words: list[tuple[str, float]]) -> ScoredSentence:
    """Find each word in the sentence; an end-of-sentence mark stands behind it."""
    tokens: list[Token] = []
    end = 0
    for word, bits in words:
        if word == "<eos>":
            tokens.append(token(word, len(text), bits, end=len(text), role="eos"))
            continue
        start = end if word == "<unk>" else text.index(word, end)
        start += text[start] == " "
        end = start + len(text[start:].split(" ", maxsplit=1)[0] if word == "<unk>" else word)
        tokens.append(token(word, start, bits, end=end, oov=word == "<unk>"))
    scored = ScoredSentence(text=text, tokens=tuple(tokens))
    scored.check()
    return scored


@pytest.mark.parametrize(
    ("rule", "scores", "mean"),
    [
        ("first", [(17, 24)], 17 / 24),
        ("all", [(0, 24)], 0.0),
        ("each", [(17, 24), (0, 24)], 17 / 48),
    ],
)
def test_the_published_result_of_sg_eval(
    hierarchy: Suite,
    surprisals: list[list[tuple[str, float]]],
    rule: ScoreRule,
    scores: list[tuple[int, int]],
    mean: float,
) -> None:
    words = iter(surprisals)
    items = []
    for item in hierarchy.items:
        # The file follows the suite: items, and in each its conditions, in order.
        by_name = {
            condition.name: spelled(condition.sentence().text, next(words))
            for condition in item.conditions
        }
        items.append([by_name[name] for name in hierarchy.condition_names])
    assert next(words, None) is None
    result = evaluate_predictions(
        hierarchy, region_table(hierarchy, items), Choices(score_rule=rule)
    )
    assert [each.n_holding for each in result.predictions] == [17, 0]
    assert [(score.n_holding, score.n_items) for score in result.scores] == scores
    assert result.score == pytest.approx(mean)
