"""The commands of the LM Zoo protocol, for any model: in a container or in this process."""

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pommel import errors
from pommel.compat.lm_zoo.errors import (
    BackendConnectionError,
    IncompatibleBackendError,
    UnsupportedFeatureError,
    UnsupportedModelError,
)
from pommel.compat.lm_zoo.in_process import ScoredCommands
from pommel.compat.lm_zoo.models import SINGULARITY, HuggingFaceModel, Model
from pommel.errors import UsageError
from pommel.models import (
    ImageCommands,
    LmZooRegistry,
    LoadOptions,
    Model as ScoringModel,
    PrintedToken,
    closing,
    load_model,
)

if TYPE_CHECKING:
    import h5py

_Answer = TypeVar("_Answer")

# A model of this module, a model that is loaded already, or a reference.
ModelLike = Model | ScoringModel | str

# What may be asked to run a model -> the schemes that it runs.
BACKENDS = {
    "docker": ("docker",),
    "podman": ("podman", "docker"),
    "singularity": SINGULARITY,
    "apptainer": SINGULARITY,
    "dummy": ("dummy",),
    "huggingface": ("huggingface",),
}


@contextmanager
def opened(
    model: ModelLike, backend: str | None = None, options: LoadOptions | None = None
) -> "Iterator[ContainerCommands | ScoredCommands]":
    """Give the commands of a model, and let go of what they hold at the end.

    Raises `ModelNotAvailableError` (for images `BackendConnectionError`) for a model that can't
    be had, `IncompatibleBackendError` for a `backend` that does not run it, and `UsageError` for a
    checkpoint of a model that is in no container.
    """
    options = options or LoadOptions()
    if not isinstance(model, Model | str):
        yield ScoredCommands(model)
        return
    reference = _with_backend(_reference(model), backend)
    # What the model itself has been told.
    if isinstance(model, HuggingFaceModel) and model.offline:
        options = replace(options, offline=True)
    if isinstance(model, Model) and model.checkpoint is not None:
        options = replace(options, checkpoint=model.checkpoint)
    scheme = reference.partition("://")[0]
    if ImageCommands.runs(scheme):
        try:
            image = ImageCommands.open(reference, options)
        except errors.ModelNotAvailableError as error:
            hint = LmZooRegistry.hint(model, reference)
            said = errors.ModelNotAvailableError(f"{hint}: {error}") if hint else error
            raise BackendConnectionError(scheme, said, reference) from error
        with contextlib.closing(image):
            yield ContainerCommands(image, reference)
        return
    if options.checkpoint is not None:
        message = "only a model in a container takes a checkpoint; name the folder as the model"
        raise errors.UsageError(f"{reference}: {message}")
    try:
        loaded = load_model(reference, options)
    except errors.ModelNotAvailableError as error:
        raise UnsupportedModelError(str(error)) from error
    with closing(loaded) as in_process:
        yield ScoredCommands(in_process)


@dataclass(slots=True)
class ContainerCommands:
    """The commands of an image.

    Images do not agree on what a blank line is. None is sent: a blank sentence has no tokens.
    """

    image: ImageCommands
    reference: str

    @property
    def remarks(self) -> list[str]:
        """What is told of how the image has answered."""
        return self.image.remarks

    def spec(self) -> dict[str, object]:
        """Return what the image prints."""
        with self._supported("spec"):
            return dict(self.image.spec())

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the tokens that the image prints of each sentence."""
        return self._answers("tokenize", self.image.tokenize, sentences, [])

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """Return for each of these tokens whether the image says that it does not know it."""
        return self._answers("unkify", self.image.unkify, sentences, [])

    def get_surprisals(self, sentences: Sequence[str]) -> list[tuple[PrintedToken, ...]]:
        """Return the same tokens with their surprisals."""
        return self._answers("get_surprisals", self.image.get_surprisals, sentences, ())

    def _answers(
        self,
        feature: str,
        ask: Callable[[Sequence[str]], Sequence[_Answer]],
        sentences: Sequence[str],
        of_blank: _Answer,
    ) -> list[_Answer]:
        with self._supported(feature):
            answers = iter(ask([each for each in sentences if each.strip()]))
        return [next(answers) if each.strip() else copy.copy(of_blank) for each in sentences]

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write the image's file; raises `InputError` for a blank sentence, which has no place."""
        for number, sentence in enumerate(sentences, start=1):
            if not sentence.strip():
                message = "is blank, and has no place in a file of predictions"
                raise errors.InputError(f"sentence {number} {message}")
        with self._supported("get_predictions"):
            self.image.write_predictions(sentences, path)

    def open_predictions(self, path: Path, *, n_sentences: int) -> "h5py.File":
        """Open the image's file; raises `ContainerError` for what no image should write."""
        return self.image.open_predictions(path, n_sentences=n_sentences)

    @contextmanager
    def _supported(self, feature: str) -> Iterator[None]:
        try:
            yield
        except errors.UnsupportedFeatureError as error:
            raise UnsupportedFeatureError(self.reference, feature, str(error)) from error


def _reference(model: Model | str) -> str:
    if isinstance(model, Model):
        return model.uri
    if "://" in model or model not in (images := LmZooRegistry.installed()):
        return model
    return images.image_reference(model)


def _with_backend(reference: str, backend: str | None) -> str:
    """Return the reference as `backend` runs it."""
    if backend is None:
        return reference
    UsageError.check_choice("backend", backend, BACKENDS)
    scheme, _, rest = reference.partition("://")
    if scheme not in BACKENDS[backend]:
        runners = [name for name, schemes in BACKENDS.items() if scheme in schemes]
        hint = f"it is run by {' or '.join(runners)}" if runners else "leave the backend out"
        raise IncompatibleBackendError(reference, backend, hint)
    # Podman gets Docker's images by the same names.
    return f"podman://{rest}" if (backend, scheme) == ("podman", "docker") else reference
