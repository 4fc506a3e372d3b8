"""What models of every kind say can be packed: tokens without a surprisal are where they may be."""

from pathlib import Path

import pytest
from tests.leaderboard.submission.samples import ABOUT, SOURCE, records_of
from tests.models.conftest import FolderOf, tiny_folder
from tests.models.lstm.folders import save_random_lstm
from tests.store.run_samples import agreement, store_at

from pommel.leaderboard.submission import parse_submission, recomputed, write_submission
from pommel.models.model import LoadOptions, Method, Policy
from pommel.models.registry import load_model
from pommel.scoring import Choices
from pommel.scoring.run import run_suites
from pommel.store.surprisal_cache import CachedModel

__all__ = ["tiny_folder"]

pytest.importorskip("torch")
pytest.importorskip("transformers")

# First words of one token, of several, unknown, a mark, and a character of several tokens.
SUITE = agreement(
    items=[
        {"good": ("The dogs", "bark", "."), "bad": ("The dogs", "barks", ".")},
        {"good": ("Unbelievably", ", owls sat", "."), "bad": ("Unbelievably", ", owls sit", ".")},
        {"good": ("“ Zyx", "they saw", "here ."), "bad": ("“ Zyx", "they saws", "here .")},
        {"good": ("😀", "cats were", "here"), "bad": ("😀", "cats was", "here")},
        {"good": ("", "¿ Dogs", "bark ?"), "bad": ("", "¿ Dogs", "barks ?")},
    ],
    formulas=("(1;%good%) + (2;%good%) < (2;%bad%)", "(*;%good%) < (*;%bad%)"),
)
N_SENTENCES = 10
UNMARKED = [
    Policy(bos="never"),
    Policy(bos="never", boundary="corrected"),
    Policy(bos="never", eos="never"),
]


def pack(folder: Path, reference: str, policy: Policy) -> int:
    """Run a model and pack that; return how many tokens have no context."""
    with store_at(folder) as store:
        model = CachedModel(load_model(reference, options=LoadOptions()), store.cache)
        (run,) = run_suites(model, [SUITE], Choices(policy=policy, regions="all"))
        store.runs.save(run)
        write_submission(store, records_of(store), folder / SOURCE, about=ABOUT)
    submission = parse_submission((folder / SOURCE).read_bytes(), source=SOURCE)
    (again,) = recomputed(submission, [SUITE])
    assert again.surprisals.sentences == run.surprisals.sentences
    return run.surprisals.n_unscored


@pytest.mark.parametrize("kind", ["gpt2", "llama", "t5"])
def test_with_a_mark_in_front_every_token_has_a_surprisal(
    tmp_path: Path, tiny_folder: FolderOf, kind: str
) -> None:
    assert pack(tmp_path, f"huggingface://{tiny_folder(kind)}", Policy()) == 0


@pytest.mark.parametrize("policy", UNMARKED, ids=["raw", "corrected", "without eos"])
@pytest.mark.parametrize("kind", ["gpt2", "llama", "mamba"])
def test_without_one_the_first_has_none(
    tmp_path: Path, tiny_folder: FolderOf, kind: str, policy: Policy
) -> None:
    assert pack(tmp_path, f"huggingface://{tiny_folder(kind)}", policy) == N_SENTENCES


def test_so_it_is_with_words(tmp_path: Path) -> None:
    words = ("The", "dogs", "bark", "barks", ".", ",", "here")
    folder = save_random_lstm(tmp_path / "lstm", words)
    for reference in (f"lstm://{folder}", "builtin://en-ngram"):
        place = tmp_path / f"run {reference[:4]}"
        place.mkdir()
        assert pack(place, reference, Policy(bos="never")) == N_SENTENCES


@pytest.mark.parametrize("method", ["pll", "pll-word-l2r", "masked-l2r", "unmasked-ce"])
@pytest.mark.parametrize("kind", ["bert", "xlmr"])
def test_where_tokens_are_masked_all_have_one(
    tmp_path: Path, tiny_folder: FolderOf, kind: str, method: Method
) -> None:
    folder = tiny_folder(kind)
    assert pack(tmp_path, f"huggingface://{folder}", Policy(method=method)) == 0


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_words_of_several_tokens_cannot_be_compared(
    tmp_path: Path, tiny_folder: FolderOf, kind: str
) -> None:
    folder = tiny_folder(kind)
    assert pack(tmp_path, f"huggingface://{folder}", Policy(method="focus-mask")) > N_SENTENCES
