"""The kinds of models: a line each in `KINDS`, and what a kind's module says of itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from importlib import import_module
from pathlib import Path

from pommel.models.model import LoadOptions, Model
from pommel.models.outline import Outline
from pommel.values import frozen

Opener = Callable[[str, LoadOptions], Model]

# The scheme of references, and the module whose `KIND` says the rest. It is imported when a
# reference has the scheme.
KINDS = {
    "builtin": "pommel.models.registry",
    "huggingface": "pommel.models.huggingface",
    "lstm": "pommel.models.lstm",
    "ngram": "pommel.models.ngram",
    "http": "pommel.models.endpoint",
    "https": "pommel.models.endpoint",
    "docker": "pommel.models.container.model",
    "podman": "pommel.models.container.model",
    "apptainer": "pommel.models.container.model",
    "singularity": "pommel.models.container.model",
    "library": "pommel.models.container.model",
    "shub": "pommel.models.container.model",
    "recorded": "pommel.models.recorded",
    "dummy": "pommel.models.dummy",
}
# The file that makes a folder such a model. No tokenizer has a list of words that is called so.
FOLDERS = {"lstm": "vocabulary.txt", "huggingface": "config.json"}
# What stands in a JSON file that is an LM Zoo dummy, and in no suite.
_OF_A_DUMMY = b'"get_surprisals"'


@frozen
class Kind:
    """A kind of model.

    `open` returns the model that a reference names, whose scheme is in lower case. `forms` are for
    people: how references are written, and what they name. `endings` are those of files that are
    such models without a scheme. `place` returns the folder or file that a reference's model is
    made of and of nothing else, None where there is none: what such a model is can be remembered.
    `outline` tells of a model what can be told without its weights; of others their files do.

    Families need to know what a reference is made of: `models_are` says what its path names on
    disk, where wildcards then match: "folder", "file", or nothing; `separators` what ends a place
    in which braces may stand, and `has_settings` that `?key=value` may stand behind.
    """

    open: Opener
    place: Callable[[str, LoadOptions], Path | None] | None = None
    outline: Callable[[str, LoadOptions], Outline] | None = None
    forms: Mapping[str, str] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    models_are: str = ""
    separators: str = "/"
    has_settings: bool = False

    @staticmethod
    def opened_by(module: str) -> Opener:
        """Return what opens models by the `open_model` of a module, which is imported for it.

        What models there are can be said without what they compute with.
        """

        def opened(reference: str, options: LoadOptions) -> Model:
            model: Model = import_module(module).open_model(reference, options)
            return model

        return opened


def find_kind(scheme: str) -> Kind | None:
    """Return the kind of references with a scheme, None if there is none."""
    module = KINDS.get(scheme)
    kind: Kind | None = import_module(module).KIND if module else None
    return kind


def scheme_at(path: Path) -> str:
    """Return the scheme of the model that a path is, "" where it may be something else, or nothing.

    A table of surprisals may be any text: it has to be named `recorded://`.
    """
    try:
        found = (scheme for scheme, mark in FOLDERS.items() if (path / mark).is_file())
        if not (scheme := next(found, "")) and path.is_file():
            if path.name.endswith((".arpa", ".arpa.gz")):
                return "ngram"
            if path.suffix == ".json" and _OF_A_DUMMY in path.read_bytes():
                return "dummy"
    except OSError:
        # Too long for a path, or closed to us.
        return ""
    return scheme


def every_kind() -> Iterator[tuple[str, Kind]]:
    """Yield all kinds, each with the first of its schemes."""
    first = {module: scheme for scheme, module in reversed(KINDS.items())}
    for module, scheme in reversed(first.items()):
        kind: Kind = import_module(module).KIND
        yield scheme, kind
