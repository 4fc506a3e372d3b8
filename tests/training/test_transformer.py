"""Small transformers, causal and masked: trained twice, kept, refused, scored."""

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from tests.cli.samples import suite_value
from tests.training.lstm.samples import Recorder, files, weights, write_text

from pommel import api
from pommel.errors import InputError, PommelError, UsageError
from pommel.models import Policy
from pommel.training.transformer.recipe import Objective, TransformerRecipe
from pommel.training.transformer.trainer import MARKS, Masked, encoded, train_tokenizer
from recipes.texts import TEXTS

OBJECTIVES: tuple[Objective, ...] = ("causal", "masked")
CAUSAL = TransformerRecipe(width=8, n_layers=1, n_heads=2, vocabulary_size=300, n_epochs=1)
MASKED = replace(CAUSAL, objective="masked", vocabulary_size=120)
SENTENCES = ("The dogs bark .", "Émile saw the dogs .", "The pilot is good .")


def recipe_of(objective: Objective) -> TransformerRecipe:
    return MASKED if objective == "masked" else CAUSAL


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_text(tmp_path / "text.txt", 60)


@pytest.fixture(scope="module", params=OBJECTIVES)
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text and a family of one seed."""
    folder = tmp_path_factory.mktemp(request.param)
    text = write_text(folder / "text.txt", 60)
    recipe_of(request.param).train(text, folder / "family", Recorder())
    return folder


def recorded(trained: Path) -> tuple[TransformerRecipe, Path, Path]:
    """Return the recipe, the text and the folder of a family that has been trained."""
    record = json.loads((trained / "family" / "seed-1" / "training.json").read_text("utf-8"))
    return TransformerRecipe(**record["recipe"]), trained / "text.txt", trained / "family"


def test_the_same_seed_has_the_same_weights_in_another_process(trained: Path) -> None:
    recipe, text, family = recorded(trained)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pommel.training import TransformerRecipe, Watcher\n"
        f"recipe = TransformerRecipe(**{asdict(recipe)!r})\n"
        "recipe.train(Path(sys.argv[1]), Path(sys.argv[2]), Watcher(), seeds=(1, 2))\n"
    )
    again = trained / "again"
    done = subprocess.run(
        [sys.executable, "-c", code, str(text), str(again)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert weights(again / "seed-1") == weights(family / "seed-1") != weights(again / "seed-2")
    tokenizers = {
        (folder / "tokenizer.json").read_text("utf-8")
        for folder in (family / "seed-1", again / "seed-1", again / "seed-2")
    }
    assert len(tokenizers) == 1
    # Nothing is left aside.
    assert sorted(path.name for path in again.iterdir()) == ["seed-1", "seed-2"]


def test_torchs_generator_is_left_as_it_was(text: Path, tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    replace(MASKED, dropout=0.1).train(text, tmp_path / "family", Recorder())
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_record_says_what_was_trained_and_what_came_out(trained: Path) -> None:
    recipe, _, family = recorded(trained)
    record = json.loads((family / "seed-1" / "training.json").read_text("utf-8"))
    assert record["recipe"] == asdict(recipe_of(recipe.objective))
    assert record["seed"] == 1
    assert len(record["sha256"]["text_sha256"]) == 64
    assert record["corpus"]["n_training_sentences"] == 57
    assert record["corpus"]["n_validation_sentences"] == 3
    figures = record["figures"]
    assert figures["n_steps"] == 4
    assert 5 < figures["validation_bits_per_token"] <= figures["start_bits_per_token"] < 10
    assert {"torch", "transformers", "tokenizers", "n_threads"} <= {*record["environment"]}


def test_what_is_finished_is_not_trained_again(trained: Path) -> None:
    recipe, text, family = recorded(trained)
    before = (family / "seed-1" / "model.safetensors").stat().st_mtime_ns
    watcher = Recorder()
    (member,) = recipe.train(text, family, watcher)
    assert watcher.notes == [f"{family / 'seed-1'} is trained already; --restart trains it anew"]
    assert watcher.n_steps == 0
    assert (family / "seed-1" / "model.safetensors").stat().st_mtime_ns == before
    assert member.row[0] == str(family / "seed-1")


def test_another_recipe_or_text_is_refused_with_what_differs(trained: Path) -> None:
    recipe, _, family = recorded(trained)
    other = write_text(trained / "other.txt", 61)
    with pytest.raises(UsageError) as caught:
        replace(recipe, n_heads=1, cased=False).train(other, family, Recorder())
    assert str(caught.value) == (
        f"{family / 'seed-1'} holds another training: --heads was 2 and is 1, --lower was not "
        "given, TEXT has another content; choose another folder, or give --restart to train anew "
        "in this one"
    )


def test_restart_trains_anew(text: Path, tmp_path: Path) -> None:
    family = tmp_path / "family"
    CAUSAL.train(text, family, Recorder())
    before = weights(family / "seed-1")
    replace(CAUSAL, width=4).train(text, family, Recorder(), restart=True)
    assert len(weights(family / "seed-1")) < len(before)
    assert [path.name for path in family.iterdir()] == ["seed-1"]


@pytest.mark.parametrize("restart", [False, True])
def test_files_of_others_are_left_alone(text: Path, tmp_path: Path, *, restart: bool) -> None:
    folder = tmp_path / "family" / "seed-1"
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"of no training of a transformer \(thesis\.txt\)"):
        CAUSAL.train(text, tmp_path / "family", Recorder(), restart=restart)
    assert files(folder) == ["thesis.txt"]


def test_an_interrupted_seed_is_not_there_and_begins_anew(text: Path, tmp_path: Path) -> None:
    def interrupt(_step: int) -> None:
        raise KeyboardInterrupt

    family = tmp_path / "family"
    with pytest.raises(KeyboardInterrupt):
        CAUSAL.train(text, family, Recorder(interrupt))
    assert list(family.iterdir()) == []
    # As a process leaves it that was killed.
    (family / ".seed-1.abc.part" / "new").mkdir(parents=True)
    CAUSAL.train(text, family, Recorder())
    assert [path.name for path in family.iterdir()] == ["seed-1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no sentence in it; write one a line"),
        ("The dogs bark .\n", "one sentence cannot be for training and for validation"),
    ],
)
def test_a_text_without_sentences_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        CAUSAL.train(path, tmp_path / "family", Recorder())
    assert not (tmp_path / "family").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 9}, "--width 9 cannot be divided among --heads 2; take a multiple of it"),
        ({"objective": "both"}, "objective cannot be 'both'; it is one of causal, masked"),
        ({"learning_rate": float("inf")}, "--learning-rate has to be a number above 0, not inf"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        replace(CAUSAL, **changes)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_vocabulary_has_room_for_the_characters(text: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--vocabulary-size 20 has no room for .*; write \d+ or"):
        replace(MASKED, vocabulary_size=20).train(text, tmp_path / "family", Recorder())


def test_what_diverges_is_an_error_and_leaves_nothing(text: Path, tmp_path: Path) -> None:
    wild = replace(CAUSAL, learning_rate=1e30, n_epochs=20)
    with pytest.raises(PommelError, match=r"diverged in step \d+ of epoch \d+: .* below 1e\+30"):
        wild.train(text, tmp_path / "family", Recorder())
    assert list((tmp_path / "family").iterdir()) == []


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("cased", [True, False])
def test_sentences_are_tokens_between_marks(objective: Objective, *, cased: bool) -> None:
    recipe = replace(recipe_of(objective), cased=cased, n_positions=8)
    tokenizer = train_tokenizer(SENTENCES * 9, recipe)
    sentences = encoded(tokenizer, [SENTENCES[1], "dogs " * 20], recipe)
    decoded = tokenizer.decode(sentences[0]).removesuffix(" .").removesuffix(".")
    assert decoded == ("Émile saw the dogs" if cased else "émile saw the dogs")
    # A causal network is not fed the last one.
    assert len(sentences[1]) == 8 + (objective == "causal")
    assert sentences[0][0] == sentences[1][0]
    assert sentences[0][-1] == sentences[1][-1]


def test_masks_are_drawn_anew_and_never_are_the_marks() -> None:
    tokenizer = train_tokenizer(SENTENCES * 9, MASKED)
    torch.manual_seed(1)
    network = Masked(MASKED, tokenizer.get_vocab_size())
    batch = encoded(tokenizer, [*SENTENCES] * 300, MASKED)
    fed = []
    network.model.bert.register_forward_pre_hook(
        lambda _module, _arguments, named: fed.append(named["input_ids"]), with_kwargs=True
    )
    draws = torch.Generator().manual_seed(1)
    counts = [network.nats(batch, draws)[1] for _ in range(2)]
    assert not torch.equal(*fed)
    n_tokens = sum(len(each) - 2 for each in batch)
    assert counts[0] / n_tokens == pytest.approx(0.15, abs=0.02)
    n_masks = int((fed[0] == MARKS.index("[MASK]")).sum())
    assert n_masks / counts[0] == pytest.approx(0.8, abs=0.05)
    first, mask = MARKS.index("[CLS]"), MARKS.index("[MASK]")
    assert {*fed[0][:, 0].tolist()} == {first}
    assert not {*range(mask)} & {*fed[0][:, 1].tolist()}


def test_every_method_scores_a_family_of_masked_models(text: Path, tmp_path: Path) -> None:
    MASKED.train(text, tmp_path / "family", Recorder(), seeds=(1, 2))
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps(suite_value()))
    for method in ("pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce"):
        policy = Policy(method=method)
        runs = list(api.run(f"huggingface://{tmp_path}/family/seed-*", str(suite), policy))
        assert [run.result.model_name.rpartition("/")[2] for run in runs] == ["seed-1", "seed-2"]


@pytest.mark.full
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_trained_network_knows_some_agreement(
    objective: Objective, tmp_path: Path, repository: Path
) -> None:
    """A minute or two of a free core: 0.78 (causal) and 0.71 (masked) of the pairs when written."""
    text = tmp_path / "text.txt"
    sentences = [*TEXTS["de"].sample(4_000, 1)][:3_000]
    text.write_text("".join(f"{each}\n" for each in sentences), "utf-8")
    n_epochs = TransformerRecipe.MASKED_EPOCHS if objective == "masked" else 10
    recipe = TransformerRecipe(objective=objective, n_epochs=n_epochs)
    recipe.train(text, tmp_path / "family", Recorder())
    suites = []
    for name in ("de_simple_agrmt", "de_prep_anim"):
        path = repository / "suites" / "de" / "agreement" / f"{name}.json"
        suite = json.loads(path.read_text("utf-8"))
        suites.append(suite | {"items": suite["items"][:60]})
    runs = api.run(
        f"huggingface://{tmp_path}/family/seed-1", suites, score="each", regions="needed"
    )
    shares = [each.share for run in runs for each in run.result.scores]
    assert len(shares) == 6
    # Half of them by chance.
    assert sum(shares) / len(shares) > 0.62
