"""What models cost, told without their weights."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from pommel.errors import ModelNotAvailableError
from pommel.models import LoadOptions, NamedModel
from pommel.models.kinds import KINDS, find_kind
from pommel.models.outline import Outline
from pommel.scoring import Choices
from pommel.sharding import Plan
from pommel.sharding.costs import Costs
from pommel.sources import load_suites
from pommel.suite import LoadedSuite, Suite

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def suites_of(*sources: str) -> dict[Path, Suite]:
    """Return suites by their files."""
    loaded = load_suites(sources)
    return {path: suite for path, suite in zip(loaded.paths, loaded.suites, strict=True) if path}


def costs_of(references: Sequence[str], *, offline: bool = False) -> Costs:
    """Return what models cost on one suite."""
    models = [NamedModel(reference=each) for each in references]
    return Costs.of(models, suites_of("number_prep"), LoadOptions(offline=offline))


def test_shared_beginnings_count_once() -> None:
    told = Outline(reference="x")
    assert told.n_nodes(["a b c", "a b d", "a b c", "x"]) == pytest.approx(1.3 * 5)
    assert Outline(reference="x", is_masked=True).n_nodes(["a b c"]) == pytest.approx(3.9**2)
    assert told.n_nodes([]) == 0


def test_a_shipped_model_is_counted_by_its_tokenizer() -> None:
    gpt2 = NamedModel(reference="builtin://en-gpt2").outline(LoadOptions())
    assert gpt2.tokenizer
    assert gpt2.n_parameters
    ngram = NamedModel(reference="builtin://en-ngram").outline(LoadOptions())
    assert ngram.tokenizer is None
    costs = costs_of(["builtin://en-gpt2", "builtin://en-ngram"])
    assert costs.memory[0] == (1 << 30) + 4 * gpt2.n_parameters


def test_models_on_disk_are_named_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "an é.arpa"
    file.write_bytes(b"x" * 1000)
    costs = costs_of(["ngram://an é.arpa?cased=1", "dummy://there.is-none.json"])
    assert [each.reference for each in costs.models] == [
        f"ngram://{file}?cased=1",
        "dummy://there.is-none.json",
    ]
    assert "size unknown of 1 model: taken for 100 million weights" in costs.notes


@pytest.mark.parametrize("scheme", KINDS)
@pytest.mark.parametrize("settings", ["", "?seed=1"])
def test_what_names_no_file_is_not_the_folder_one_is_in(
    scheme: str, settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text('{"architectures": ["BertForMaskedLM"]}')
    (tmp_path / "large.bin").write_bytes(b"x" * 1000)
    kind = find_kind(scheme)
    assert kind
    reference = f"{scheme}://{settings if kind.has_settings else ''}"
    assert NamedModel(reference=reference).outline(LoadOptions()) == Outline(reference=reference)


@pytest.fixture(name="hub")
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the Hub's library with one commit of one model."""
    folder = tmp_path / "hub"
    own = folder / "models--a--b"
    snapshot = own / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text('{"architectures": ["BertForMaskedLM"]}')
    (own / "refs").mkdir()
    (own / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(folder))
    return folder


def test_a_commit_is_found_in_the_cache(hub: Path) -> None:
    del hub
    costs = costs_of(["huggingface://a/b", "huggingface://a/c@step1"], offline=True)
    assert [each.reference for each in costs.models] == [
        f"huggingface://a/b@{COMMIT}",
        "huggingface://a/c@step1",
    ]
    assert "no commit could be told of 1 model: what they name may change" in costs.notes
    told = NamedModel(reference="huggingface://a/b").outline(LoadOptions(offline=True))
    assert told.is_masked


def test_the_hub_says_which_commit_a_branch_is(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del hub
    other = COMMIT[::-1]

    class Info:
        sha = other

        class safetensors:  # noqa: N801 - as the Hub's library has it
            total = 70_000_000

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_args, **_options: Info)
    told = NamedModel(reference="huggingface://a/b@step1").outline(LoadOptions())
    assert told.reference == f"huggingface://a/b@{other}"
    assert (told.n_parameters, told.n_bytes, told.is_pinned) == (70_000_000, 280_000_000, True)


def test_a_hub_that_does_not_answer_is_asked_once(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del hub
    asked = []

    def model_info(_api: object, name: str, **_options: object) -> None:
        asked.append(name)
        raise ConnectionError("no network")

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", model_info)
    costs = costs_of([f"huggingface://x/{n}" for n in range(20)])
    assert asked == ["x/0"]
    assert "no commit could be told of 20 models: what they name may change" in costs.notes


def test_a_model_that_the_hub_has_not_is_told_now(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del hub
    from huggingface_hub.errors import RepositoryNotFoundError

    def model_info(*_args: object, **_options: object) -> None:
        error = RepositoryNotFoundError.__new__(RepositoryNotFoundError)
        error.response = SimpleNamespace(status_code=404)  # type: ignore[assignment]
        raise error

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", model_info)
    with pytest.raises(ModelNotAvailableError, match="the Hugging Face hub has no model 'x/y'"):
        costs_of(["huggingface://x/y"])


def test_suites_that_share_sentences_follow_each_other() -> None:
    first, second = suites_of("number_prep", "number_orc").items()
    again = LoadedSuite.from_dict(
        {**first[1].to_dict(), "meta": {**first[1].meta, "name": "again"}}
    ).suite
    suites = dict([first, second, (Path("again.json"), again)])
    costs = Costs.of([NamedModel(reference="dummy://x")], suites, LoadOptions())
    assert costs.order == (0, 2, 1)


def test_a_thousand_models_are_planned_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    n_nodes = Outline.n_nodes

    def counting(outline: Outline, sentences: Sequence[str]) -> float:
        counted.append(outline.reference)
        return n_nodes(outline, sentences)

    monkeypatch.setattr(Outline, "n_nodes", counting)
    suites = suites_of("suites:en")
    models = [NamedModel(reference=f"ngram:///m/{n} ä.arpa") for n in range(1000)]
    plan = Plan.of(Costs.of(models, suites, LoadOptions()), Choices(), n_shards=64)
    # Once for all models with this tokenizer, or with none.
    assert len(counted) == len(suites)
    sizes = [len(shard.pieces) for shard in plan.shards]
    assert (len(sizes), {*sizes}, sum(sizes)) == (64, {15, 16}, 1000)


@pytest.mark.parametrize(
    ("name", "n_parameters"),
    [
        ("bigscience/bloom-7b1", 7_100_000_000),
        ("facebook/xglm-1.7B", 1_700_000_000),
        ("EleutherAI/pythia-70m-deduped", 70_000_000),
        ("openai-community/gpt2-xl", None),
        ("google-bert/bert-base-multilingual-cased", None),
        ("org/model-8bit", None),
    ],
)
def test_where_no_hub_answers_a_size_is_that_of_the_name(
    name: str, n_parameters: int | None
) -> None:
    model = NamedModel(reference=f"huggingface://{name}")
    assert model.outline(LoadOptions(offline=True)).n_parameters == n_parameters
