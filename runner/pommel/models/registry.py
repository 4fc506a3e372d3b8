"""From a model reference to a model; those that ship with pommel."""

import re
from collections.abc import Collection

from pommel.errors import ModelNotAvailableError, listed, nearest
from pommel.files import expanded, shipped_folder
from pommel.models.container.names import LmZooRegistry
from pommel.models.family import one_model
from pommel.models.kinds import KINDS, Kind, every_kind, find_kind, scheme_at
from pommel.models.model import LoadOptions, Model
from pommel.models.remembered import RememberedModel


def load_model(
    reference: str, options: LoadOptions | None = None, *, remembered: bool = False
) -> Model:
    """Return the model that `reference` names.

    One that is `remembered` (`RememberedModel`) may be opened only when it has to answer, and can
    do no more than `Model` says; it is for those who have answers kept.

    A reference is `scheme://…` (`KINDS`), a folder (a Hugging Face model, or a word-level one if
    it holds a `vocabulary.txt`), a file whose ending a kind knows, or the short name of an
    image of the LM Zoo. Raises `ModelNotAvailableError`, with the nearest reference that there is,
    for any other, `UsageError` for one that names several (`families`), and whatever the backend
    raises for a model that it can't open.
    """
    reference, options = one_model(reference), options or LoadOptions()
    full = reference if "://" in reference else _with_scheme(reference)
    scheme, _, rest = full.partition("://")
    if kind := find_kind(scheme.lower()):
        found = f"{scheme.lower()}://{rest}"
        try:
            if remembered:
                return RememberedModel.open(kind, found, options)
            return kind.open(found, options)
        except ModelNotAvailableError as error:
            if not (hint := LmZooRegistry.hint(reference, full)):
                raise
            raise ModelNotAvailableError(f"{hint}: {error}") from None
    raise ModelNotAvailableError(
        f"unknown model reference {reference!r}{_nearest(scheme, KINDS, '://…')}; "
        f"a reference begins with {', '.join(f'{name}://' for name in KINDS)}"
    )


def builtin_models() -> tuple[str, ...]:
    """Return the names of the models that ship with pommel, as in `builtin://NAME`, sorted."""
    files = (path for file in _FILES for path in shipped_folder("builtin").glob(f"*/{file}"))
    return tuple(sorted(path.parent.name for path in files))


def _open_builtin(reference: str, options: LoadOptions) -> Model:
    name = reference.removeprefix("builtin://")
    there = builtin_models()
    if name not in there:
        raise ModelNotAvailableError(
            f"there is no built-in model {name!r}{_nearest(name, there)}; "
            f"there is: {listed(there) or 'none in this installation'}"
        )
    path = shipped_folder("builtin") / name
    if (path / _ARPA).is_file():
        from pommel.models.ngram.model import open_arpa

        return open_arpa(path / _ARPA, reference=reference, name=name)
    from pommel.models.huggingface.model import open_shipped

    return open_shipped(path, reference=reference, name=name, options=options)


# An n-gram model is a file, a Hugging Face model its folder.
_ARPA = "model.arpa.gz"
_FILES = (_ARPA, "config.json")

KIND = Kind(
    open=_open_builtin,
    place=lambda reference, _: shipped_folder("builtin") / reference.removeprefix("builtin://"),
    forms={"builtin://NAME": "a model that ships with pommel"},
)


def known_references() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return references to the built-in models, and how others are written and what they name."""
    forms = {form: meaning for _, kind in every_kind() for form, meaning in kind.forms.items()}
    return tuple(f"builtin://{name}" for name in builtin_models()), forms


def _with_scheme(reference: str) -> str:
    """Return the full form of a bare path or short name.

    Raises `ModelNotAvailableError` for anything else.
    """
    path = expanded(reference)
    if reference and path.is_dir():
        return f"{scheme_at(path) or 'huggingface'}://{reference}"
    if path.is_file():
        for scheme, kind in every_kind():
            if path.name.endswith(kind.endings):
                return f"{scheme}://{reference}"
        known = ", ".join(ending for _, kind in every_kind() for ending in kind.endings)
        raise ModelNotAvailableError(f"{reference}: a model's file ends in one of {known}")
    images = LmZooRegistry.installed()
    if reference in images:
        return images.image_reference(reference)
    if reference in builtin_models():
        raise ModelNotAvailableError(f"unknown model {reference!r}; write builtin://{reference}")
    full = {name: f"builtin://{name}" for name in builtin_models()}
    near = nearest(reference, (*full, *images))
    meant = [full.get(near, near)] if near else []
    if _NAME_ON_THE_HUB.fullmatch(reference):
        meant.append(f"huggingface://{reference}")
    hint = f" (did you mean {' or '.join(meant)}?)" if meant else ""
    raise ModelNotAvailableError(
        f"unknown model {reference!r}{hint}"
        "; write huggingface://NAME, docker://IMAGE, the path of a model's folder or file, "
        "or a built-in model (pommel models list)"
    )


_NAME_ON_THE_HUB = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?(@[\w./-]+)?")


def _nearest(name: str, known: Collection[str], ending: str = "") -> str:
    meant = nearest(name, known)
    return f" (did you mean {meant}{ending}?)" if meant else ""
