"""How much work a suite is for a word-level LSTM, without a clock."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from tests.models.lstm.folders import save_random_lstm
from tests.models.lstm.opened import opened
from tests.models.neural.counting import counted

from pommel.models.word_level import word_spans
from pommel.scoring import Choices
from pommel.scoring.run import run_suites
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite

pytest.importorskip("torch")
pytest.importorskip("safetensors")


@pytest.fixture(scope="module")
def suites(shared_data: Path) -> list[Suite]:
    folder = shared_data / "hu2020" / "suites"
    return [
        LoadedSuite.read(folder / f"{name}.json").suite for name in ("fgd_object", "number_prep")
    ]


def words_of(suites: list[Suite]) -> Iterator[list[str]]:
    """Yield the words of each sentence."""
    for suite in suites:
        for item in suite.items:
            for condition in item.conditions:
                text = condition.sentence(suite.joiner).text
                yield [text[start:end] for start, end in word_spans(text, lambda _word: False)]


@pytest.mark.parametrize(
    ("regions", "n_fed", "n_rows"), [("needed", 553, 182), ("all", 1427, 1427)]
)
def test_each_distinct_beginning_goes_through_once(
    suites: list[Suite], tmp_path: Path, regions: Literal["needed", "all"], n_fed: int, n_rows: int
) -> None:
    sentences = list(words_of(suites))
    vocabulary = sorted({word for words in sentences for word in words})
    model = opened(save_random_lstm(tmp_path / "model", vocabulary))
    counts = counted(model.engine.network)
    assert len(list(run_suites(model, suites, Choices(regions=regions)))) == 2
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (n_fed, n_rows)
    # One word at a time, there are a step and a projection for each word and each end.
    assert (len(sentences), sum(len(words) + 1 for words in sentences)) == (172, 2326)
    beginnings = {tuple(words[:n]) for words in sentences for n in range(len(words) + 1)}
    assert len(beginnings) == 1427
