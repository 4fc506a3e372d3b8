"""Where all regions are scored though predictions need only some: nodes and rows are counted."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.builders import make_suite
from tests.models.lstm.folders import save_random_lstm
from tests.models.lstm.opened import opened
from tests.word_model import WordModel

from pommel.models import NamedModel, Policy
from pommel.models.registry import load_model
from pommel.scoring import Choices
from pommel.scoring.run import NeededSentences
from pommel.sources.load import load_suites
from pommel.store import Store, run_and_keep
from pommel.suite.suite import Suite

pytest.importorskip("torch")
pytest.importorskip("safetensors")

WORDS = [f"w{number}" for number in range(60)]
AUTO = Choices(regions="auto")


def suite_of(n_items: int, n_words: int, *, named: Sequence[int]) -> Suite:
    """Return a suite of so many items, a region a word; predictions name some of the regions."""
    drawn = np.random.default_rng(n_items).integers(len(WORDS), size=(n_items, 2, n_words))
    items = [
        {name: tuple(WORDS[each] for each in own) for name, own in zip("ab", item, strict=True)}
        for item in drawn
    ]
    return make_suite(items, [f"({number};%a%) < ({number};%b%)" for number in named])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_random_lstm(tmp_path_factory.mktemp("costs") / "model", WORDS)


def chosen(folder: Path, *suites: Suite) -> set[str]:
    found = NeededSentences.of_each(opened(folder), suites, AUTO)
    return {each.choices.regions for each in found}


def test_work_is_that_of_the_tree_and_of_the_projection(folder: Path) -> None:
    model = opened(folder)
    # <eos> w0 w1 w2, <eos> w0 w1 w3: the end mark stands in front, too.
    texts = ["w0 w1 w2", "w0 w1 w3"]
    assert model.work(texts, Policy(), [None, None]) == (5, 5)
    # Of the last words alone: what stands before them, and one row, which both are looked up in.
    assert model.work(texts, Policy(), [((6, 8),), ((6, 8),)]) == (3, 1)
    assert model.work(texts, Policy(), [(), ()]) == (0, 0)


def test_of_short_suites_all_regions_are_scored(folder: Path) -> None:
    assert chosen(folder, suite_of(24, 6, named=[6])) == {"all"}


def test_each_shipped_english_suite_is_short() -> None:
    model = load_model("builtin://en-gpt2")
    for suite in load_suites(["suites:en"]).suites:
        (found,) = NeededSentences.of_each(model, [suite], AUTO)
        assert found.choices.regions == "all", suite.name


def test_of_long_ones_those_that_predictions_need(folder: Path) -> None:
    assert chosen(folder, suite_of(400, 12, named=[4])) == {"needed"}
    # What counts is all that is asked for together.
    assert chosen(folder, *(suite_of(24, 6, named=[6]), suite_of(400, 12, named=[4]))) == {"needed"}


@pytest.mark.parametrize(
    ("named", "regions"),
    [
        # All but the first word and the end: fewer than 20% more nodes and rows.
        ([*range(2, 13)], "all"),
        # Nearly as many nodes, but of the rows every fourth.
        ([4, 8, 12], "needed"),
    ],
)
def test_nodes_and_rows_both_count(folder: Path, named: list[int], regions: str) -> None:
    assert chosen(folder, suite_of(400, 12, named=named)) == {regions}


def test_what_is_no_network_is_asked_for_all() -> None:
    found = NeededSentences.of_each(WordModel(), [suite_of(400, 12, named=[4])], AUTO)
    assert {each.choices.regions for each in found} == {"all"}


def test_what_a_store_has_costs_nothing_and_a_run_goes_on_as_it_began(
    folder: Path, tmp_path: Path
) -> None:
    suite, model = suite_of(400, 12, named=[4]), opened(folder)

    def regions(choices: Choices) -> str:
        named = NamedModel(reference=model.info.reference)
        (run,) = run_and_keep(named, model, [suite], choices, store=store)
        return str(run.result.provenance["regions"])

    with Store.open(tmp_path / "store.sqlite") as store:
        assert regions(AUTO) == "needed"
        # It has what is needed by now, and decides as before.
        assert regions(AUTO) == "needed"
        assert regions(Choices(regions="all")) == "all"
        assert regions(AUTO) == "all"


def test_of_many_sentences_in_a_store_as_without_one(folder: Path, tmp_path: Path) -> None:
    # More than are counted: nothing that is to be computed is never much more.
    suite, model = suite_of(600, 12, named=[*range(2, 13)]), opened(folder)
    with Store.open(tmp_path / "store.sqlite") as store:
        for each in (WordModel(), model, model):
            named = NamedModel(reference=each.info.reference)
            (run,) = run_and_keep(named, each, [suite], AUTO, store=store)
            assert run.result.provenance["regions"] == "all"
