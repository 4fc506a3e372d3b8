"""From a reference to a backend, and what is said where there is none."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.files.shipped import shipped_folder
from pommel.models import registry
from pommel.models.kinds import KINDS, Kind, find_kind
from pommel.models.model import LoadOptions

IMAGES = ("docker", "podman", "apptainer", "singularity", "library", "shub")
SERVERS = ("http", "https")
BACKENDS = ("builtin", "huggingface", "lstm", "ngram", *SERVERS, *IMAGES, "recorded", "dummy")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, LoadOptions]]:
    """Replace every backend; the list gets (scheme, reference, options) of what they open."""
    calls: list[tuple[str, str, LoadOptions]] = []

    def replaced(scheme: str) -> Kind | None:
        def open_model(reference: str, options: LoadOptions) -> Any:
            calls.append((scheme, reference, options))

        kind = find_kind(scheme)
        return kind and replace(kind, open=open_model)

    monkeypatch.setattr(registry, "find_kind", replaced)
    return calls


def test_the_kinds() -> None:
    assert tuple(KINDS) == BACKENDS
    assert len({module: find_kind(scheme) for scheme, module in KINDS.items()}) == 8


@pytest.mark.parametrize("scheme", BACKENDS)
def test_each_scheme_has_its_backend(
    scheme: str, opened: list[tuple[str, str, LoadOptions]]
) -> None:
    options = LoadOptions(batch_tokens=7)
    registry.load_model(f"{scheme}://a/b@c", options)
    registry.load_model(f"{scheme}://x")
    assert opened == [
        (scheme, f"{scheme}://a/b@c", options),
        (scheme, f"{scheme}://x", LoadOptions()),
    ]


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("folder", "huggingface"),
        ("model.json", "dummy"),
        ("model.jsonl", "recorded"),
        ("model.tsv", "recorded"),
        ("model.txt", "recorded"),
        ("model.arpa", "ngram"),
        ("model.v2.arpa.gz", "ngram"),
    ],
)
def test_a_bare_path(
    name: str,
    scheme: str,
    opened: list[tuple[str, str, LoadOptions]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    if path.suffix:
        path.write_text("")
    else:
        path.mkdir()
    registry.load_model(f"./{name}")
    registry.load_model(str(path))
    assert [call[:2] for call in opened] == [
        (scheme, f"{scheme}://./{name}"),
        (scheme, f"{scheme}://{path}"),
    ]


def test_a_folder_with_a_list_of_words_is_a_word_level_model(
    opened: list[tuple[str, str, LoadOptions]], tmp_path: Path
) -> None:
    (tmp_path / "vocabulary.txt").write_text("<unk>\n<eos>\n")
    registry.load_model(str(tmp_path))
    assert opened == [("lstm", f"lstm://{tmp_path}", LoadOptions())]


def test_a_pattern_that_names_several_models_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names 2 models"):
        registry.load_model("huggingface://gpt2@{a,b}")
    (tmp_path / "seed-1").mkdir()
    with pytest.raises(ModelNotAvailableError, match=r"seed-1 has no config\.json"):
        registry.load_model(f"lstm://{tmp_path}/seed-*")


@pytest.mark.parametrize("name", ["gpt2", "GRNN", "ordered-neurons"])
def test_a_short_name_of_the_lm_zoo_is_an_image(
    name: str,
    opened: list[tuple[str, str, LoadOptions]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    registry.load_model(name)
    image = f"docker://cpllab/language-models:{name.lower()}"
    assert opened == [("docker", image, LoadOptions())]
    # What lies here goes first, and can be named so that it does not.
    (tmp_path / name).mkdir()
    registry.load_model(name)
    assert opened[1][1] == f"huggingface://{name}"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (
            "hugingface://gpt2",
            (
                "unknown model reference 'hugingface://gpt2' (did you mean huggingface://…?); "
                "a reference begins with builtin://, huggingface://, lstm://, ngram://, "
                "http://, https://, docker://, podman://, apptainer://, singularity://, "
                "library://, shub://, recorded://, dummy://"
            ),
        ),
        (
            "GRN",
            (
                "unknown model 'GRN' (did you mean GRNN or huggingface://GRN?); "
                "write huggingface://NAME, "
                "docker://IMAGE, the path of a model's folder or file, "
                "or a built-in model (pommel models list)"
            ),
        ),
        (
            "en-gtp2@main",
            (
                "unknown model 'en-gtp2@main' (did you mean builtin://en-gpt2 or "
                "huggingface://en-gtp2@main?); write huggingface://NAME, docker://IMAGE, the path "
                "of a model's folder or file, or a built-in model (pommel models list)"
            ),
        ),
        (
            "./none",
            (
                "unknown model './none'; write huggingface://NAME, docker://IMAGE, the path of a "
                "model's folder or file, or a built-in model (pommel models list)"
            ),
        ),
        ("en-gpt2", "unknown model 'en-gpt2'; write builtin://en-gpt2"),
        (
            "builtin://en-gpt",
            (
                "there is no built-in model 'en-gpt' (did you mean en-gpt2?); "
                "there is: en-gpt2, en-ngram, eu-gpt2, ..."
            ),
        ),
    ],
)
def test_what_is_not_there(
    reference: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(["en-gpt2", "en-ngram", "eu-gpt2", "eu-ngram"], tmp_path, monkeypatch)
    with pytest.raises(ModelNotAvailableError) as caught:
        registry.load_model(reference)
    assert str(caught.value) == message
    assert caught.value.exit_status == 4


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "model.csv"
    path.write_text("")
    expected = f"{path}: a model's file ends in one of .arpa, .arpa.gz, .jsonl, .tsv, .txt, .json"
    with pytest.raises(ModelNotAvailableError, match=f"^{re.escape(expected)}$"):
        registry.load_model(str(path))


def test_built_in_models_that_are_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(["something/else"], tmp_path, monkeypatch)
    assert registry.builtin_models() == ()
    with pytest.raises(ModelNotAvailableError, match=r"there is: none in this installation$"):
        registry.load_model("builtin://en-gpt2")


def test_built_in_models_are_opened_by_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(["en-gpt2", "en-ngram"], tmp_path, monkeypatch)
    calls: list[Any] = []
    monkeypatch.setattr(
        "pommel.models.huggingface.model.open_shipped",
        lambda *path, **rest: calls.append((path, rest)),
    )
    monkeypatch.setattr(
        "pommel.models.ngram.model.open_arpa", lambda *path, **rest: calls.append((path, rest))
    )
    options = LoadOptions(batch_tokens=3)
    registry.load_model("builtin://en-gpt2", options)
    registry.load_model("builtin://en-ngram", options)
    gpt2, ngram = "en-gpt2", "en-ngram"
    assert calls == [
        (
            (tmp_path / gpt2,),
            {"reference": f"builtin://{gpt2}", "name": gpt2, "options": options},
        ),
        (
            (tmp_path / ngram / "model.arpa.gz",),
            {"reference": f"builtin://{ngram}", "name": ngram},
        ),
    ]


def _ship(names: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the built-in models be these, in a folder of their own."""
    for name in names:
        (folder / name).mkdir(parents=True)
        file = "model.arpa.gz" if name.endswith("-ngram") else "config.json"
        (folder / name / file).touch()
    monkeypatch.setattr(
        "pommel.models.registry.shipped_folder",
        lambda kind: folder if kind == "builtin" else shipped_folder(kind),
    )
