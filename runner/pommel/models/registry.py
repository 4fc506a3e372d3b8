"""From a model reference to a model: one table of schemes, one line for each kind of model."""

from collections.abc import Callable
from pathlib import Path

from pommel.errors import ModelNotAvailableError, nearest
from pommel.files import shipped_folder
from pommel.models.family import one_model
from pommel.models.model import LoadOptions, Model

Opener = Callable[[str, LoadOptions], Model]

_SCHEME_OF_FILE = {
    ".json": "dummy",
    ".jsonl": "recorded",
    ".tsv": "recorded",
    ".txt": "recorded",
    ".arpa": "ngram",
    ".arpa.gz": "ngram",
}


def load_model(reference: str, options: LoadOptions | None = None) -> Model:
    """Return the model that `reference` names.

    A reference is `scheme://…` (`SCHEMES`), a folder (a Hugging Face model, or a word-level one if
    it holds a `vocabulary.txt`), a file that the table of files knows, or the short name of an
    image of the LM Zoo. Raises `ModelNotAvailableError`, with the nearest reference that there is,
    for any other, `UsageError` for one that names several (`families`), and whatever the backend
    raises for a model that it can't open.
    """
    reference, options = one_model(reference), options or LoadOptions()
    if "://" not in reference:
        reference = _with_scheme(reference)
    scheme, _, rest = reference.partition("://")
    if opener := SCHEMES.get(scheme.lower()):
        return opener(f"{scheme.lower()}://{rest}", options)
    raise ModelNotAvailableError(
        f"unknown model reference {reference!r}{_nearest(scheme, list(SCHEMES), '://…')}; "
        f"a reference begins with {', '.join(f'{name}://' for name in SCHEMES)}"
    )


def builtin_models() -> tuple[str, ...]:
    """Return the names of the models that ship with pommel, as in `builtin://NAME`, sorted."""
    return tuple(name for name in sorted(_BUILTIN) if (shipped_folder("builtin") / name).is_dir())


def _open_huggingface(reference: str, options: LoadOptions) -> Model:
    from pommel.models import huggingface  # noqa: PLC0415 - only the kind that is asked for

    return huggingface.open(reference, options)


def _open_recorded(reference: str, options: LoadOptions) -> Model:
    from pommel.models import recorded  # noqa: PLC0415 - only the kind that is asked for

    return recorded.open(reference, options)


def _open_dummy(reference: str, options: LoadOptions) -> Model:
    from pommel.models import dummy  # noqa: PLC0415 - only the kind that is asked for

    return dummy.open(reference, options)


def _open_container(reference: str, options: LoadOptions) -> Model:
    from pommel.models.container import model as container  # noqa: PLC0415 - only the kind that is asked for

    return container.open_model(reference, options)


def _open_ngram(reference: str, options: LoadOptions) -> Model:
    from pommel.models import ngram  # noqa: PLC0415 - only the kind that is asked for

    return ngram.open(reference, options)


def _open_lstm(reference: str, options: LoadOptions) -> Model:
    from pommel.models import lstm  # noqa: PLC0415 - only the kind that is asked for

    return lstm.open(reference, options)


def _open_endpoint(reference: str, options: LoadOptions) -> Model:
    from pommel.models import endpoint  # noqa: PLC0415 - only the kind that is asked for

    return endpoint.open(reference, options)


def _open_builtin(reference: str, options: LoadOptions) -> Model:
    name = reference.removeprefix("builtin://")
    if name not in builtin_models():
        there = builtin_models()
        raise ModelNotAvailableError(
            f"there is no built-in model {name!r}{_nearest(name, there)}; "
            f"there is: {', '.join(there) or 'none in this installation'}"
        )
    return _BUILTIN[name](reference, options)


def _open_en_gpt2(reference: str, options: LoadOptions) -> Model:
    from pommel.models import huggingface  # noqa: PLC0415 - only the kind that is asked for

    folder = shipped_folder("builtin") / "en-gpt2"
    return huggingface.open_folder(folder, reference=reference, name="en-gpt2", options=options)


def _open_en_ngram(reference: str, _options: LoadOptions) -> Model:
    from pommel.models import ngram  # noqa: PLC0415 - only the kind that is asked for

    path = shipped_folder("builtin") / "en-ngram" / "model.arpa.gz"
    return ngram.open_arpa(path, reference=reference, name="en-ngram")


SCHEMES: dict[str, Opener] = {
    "huggingface": _open_huggingface,
    "recorded": _open_recorded,
    "dummy": _open_dummy,
    "builtin": _open_builtin,
    "docker": _open_container,
    "podman": _open_container,
    "apptainer": _open_container,
    "singularity": _open_container,
    "library": _open_container,
    "shub": _open_container,
    "lstm": _open_lstm,
    "ngram": _open_ngram,
    "http": _open_endpoint,
    "https": _open_endpoint,
}

_BUILTIN: dict[str, Opener] = {
    "en-gpt2": _open_en_gpt2,
    "en-ngram": _open_en_ngram,
}


def _with_scheme(reference: str) -> str:
    """Return the full form of a bare path or short name.

    Raises `ModelNotAvailableError` for anything else.
    """
    from pommel.models.container.names import LmZooRegistry  # noqa: PLC0415 - seldom needed, LmZooRegistry

    path = Path(reference).expanduser()
    if reference and path.is_dir():
        # A word-level model has its vocabulary as a list of words; no tokenizer is called so.
        return f"{'lstm' if (path / 'vocabulary.txt').is_file() else 'huggingface'}://{reference}"
    if path.is_file():
        ending = next((each for each in _SCHEME_OF_FILE if path.name.endswith(each)), "")
        if scheme := _SCHEME_OF_FILE.get(ending):
            return f"{scheme}://{reference}"
        known = ", ".join(_SCHEME_OF_FILE)
        raise ModelNotAvailableError(f"{reference}: a model's file ends in one of {known}")
    images = LmZooRegistry.installed()
    if reference in images:
        return images.image_reference(reference)
    if reference in builtin_models():
        raise ModelNotAvailableError(f"unknown model {reference!r}; write builtin://{reference}")
    raise ModelNotAvailableError(
        f"unknown model {reference!r}{_nearest(reference, (*builtin_models(), *images))}"
        "; write huggingface://NAME, docker://IMAGE, the path of a model's folder or file, "
        f"or one of: {', '.join(f'builtin://{name}' for name in builtin_models())}"
    )


def _nearest(name: str, known: tuple[str, ...] | list[str], ending: str = "") -> str:
    meant = nearest(name, known)
    return f" (did you mean {meant}{ending}?)" if meant else ""
