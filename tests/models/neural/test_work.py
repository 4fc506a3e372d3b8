"""How much work scoring takes, without a clock: what goes through a network for the suites."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.models.neural.counting import Counts, counted

from pommel.models.huggingface.model import HuggingFaceModel, open_folder
from pommel.models.model import LoadOptions
from pommel.scoring import Choices
from pommel.scoring.run import run_suites
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite

pytest.importorskip("torch")
pytest.importorskip("transformers")

N_SUBWORDS = 5_000


@pytest.fixture(scope="module")
def suites(shared_data: Path) -> list[Suite]:
    folder = shared_data / "hu2020" / "suites"
    return [LoadedSuite.read(path).suite for path in sorted(folder.glob("*.json"))]


@pytest.fixture(scope="module")
def sentences(suites: list[Suite]) -> list[str]:
    """The sentences of all suites, repetitions included."""
    return [
        condition.sentence(suite.joiner).text
        for suite in suites
        for item in suite.items
        for condition in item.conditions
    ]


@pytest.fixture(scope="module")
def folder(sentences: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 with a tokenizer like GPT-2's, which knows the suites' words and has no mark."""
    hf: Any = import_module("transformers")
    folder = tmp_path_factory.mktemp("work") / "tiny"
    tokenizer = hf.PreTrainedTokenizerFast(tokenizer_object=byte_level_bpe(sentences))
    tokenizer.save_pretrained(folder)
    config = hf.GPT2Config(vocab_size=N_SUBWORDS, n_layer=2, n_embd=16, n_head=2, n_positions=64)
    hf.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def byte_level_bpe(texts: list[str]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=N_SUBWORDS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


@pytest.fixture(scope="module")
def n_naive(folder: Path, sentences: list[str]) -> int:
    """How many tokens all sentences have: what is fed and projected if nothing is shared."""
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
    return sum(map(len, tokenizer(sentences)["input_ids"]))


def work_of(folder: Path, suites: list[Suite], *, regions: Any) -> Counts:
    model = open_folder(folder, reference="tiny", name="tiny", options=LoadOptions())
    assert isinstance(model, HuggingFaceModel)
    engine: Any = model.scorer
    counts = counted(engine.engine.network)
    assert len(list(run_suites(model, suites, Choices(regions=regions)))) == len(suites)
    return counts


def test_the_sentences_are_those_that_the_limits_were_set_for(
    sentences: list[str], n_naive: int
) -> None:
    assert (len(sentences), len(set(sentences))) == (3304, 3050)
    # 42,457 with another version of the trainer, which breaks ties in another order
    assert n_naive == pytest.approx(42_457, rel=0.002)


def test_named_regions_take_a_third_of_the_tokens_and_a_ninth_of_the_projections(
    folder: Path, suites: list[Suite], n_naive: int
) -> None:
    counts = work_of(folder, suites, regions="needed")
    assert counts.n_tokens_fed <= 0.31 * n_naive
    assert counts.n_rows_projected <= 0.115 * n_naive


def test_every_region_takes_each_distinct_prefix_once(
    folder: Path, suites: list[Suite], sentences: list[str], n_naive: int
) -> None:
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(folder)
    contexts = {
        tuple(ids[:length])
        for ids in tokenizer(sentences)["input_ids"]
        for length in range(1, len(ids))
    }
    counts = work_of(folder, suites, regions="all")
    # Padding of packed rows, and what begins them again.
    assert len(contexts) <= counts.n_tokens_fed <= 1.05 * len(contexts)
    assert counts.n_rows_projected == len(contexts) < n_naive / 2
