"""Models as `lm_zoo.models` named them, and the registry that has the published ones.

A model here is a name and nothing more: no image is looked for and no weights are read.
"""

import copy
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pommel.compat.lm_zoo.errors import UnknownModelError
from pommel.errors import nearest
from pommel.models import LmZooRegistry

DOCKER_REGISTRY = "docker.io"
# The schemes of Singularity's images.
SINGULARITY = ("singularity", "apptainer", "library", "shub")

_REFERENCE = re.compile(r"(\w+)://(.*)", re.DOTALL)


class Model:
    """Any model that pommel has a reference for: `uri` is that reference.

    `platforms` are the names by which `backend` may ask for it; `checkpoint` is the file or folder
    with the weights to use instead of those in an image, if there is one.
    """

    platforms: tuple[str, ...] = ()
    checkpoint: Path | None = None

    def __init__(self, uri: str) -> None:
        """Take a model's reference, scheme and all."""
        self.uri = uri

    def with_checkpoint(self, host_path: str | os.PathLike[str]) -> Self:
        """Return the same model with the weights at `host_path`, a file or folder."""
        clone = copy.copy(self)
        clone.checkpoint = Path(host_path)
        return clone

    def __str__(self) -> str:
        return self.uri

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uri!r})"


class DockerModel(Model):
    """An image by its Docker name, `name[:tag]`, maybe with a registry's host in front."""

    platforms = ("docker", "podman")

    def __init__(self, reference: str) -> None:
        """Take the image's name, without a scheme."""
        super().__init__(f"docker://{reference}")
        self.reference = reference
        self.registry = DOCKER_REGISTRY

    @property
    def image(self) -> str:
        """The name without its tag."""
        return self.reference.removesuffix(f":{self._tag}")

    @property
    def tag(self) -> str:
        """The tag; "latest" where none is given."""
        return self._tag or "latest"

    @property
    def image_uri(self) -> str:
        """The name with the registry's host in front."""
        return f"{self.registry}/{self.reference}"

    @property
    def _tag(self) -> str:
        # A colon before the last slash stands in front of a port.
        return self.reference.rpartition("/")[2].partition(":")[2]


class OfficialModel(DockerModel):
    """A model of the registry, made of its entry there."""

    def __init__(self, model_dict: Mapping[str, Any]) -> None:
        """Take an entry of the list that the LM Zoo published."""
        info: Mapping[str, Any] = model_dict["image"]
        super().__init__(f"{info['name']}:{info['tag']}")
        self.registry = info.get("registry") or DOCKER_REGISTRY
        if self.registry != DOCKER_REGISTRY:
            self.uri = f"docker://{self.image_uri}"
        self.name: str = model_dict["shortname"]
        self.ref_url: str | None = model_dict.get("ref_url")
        self.maintainer: str = info.get("maintainer", "Unknown")
        self.datetime: str | None = info.get("datetime")
        self.size: int | None = info.get("size")
        self.supported_features: Mapping[str, bool] = info.get("supported_features", {})

    @classmethod
    def from_dict(cls, model_dict: Mapping[str, Any]) -> Self:
        """Make a model of its entry."""
        return cls(model_dict)

    def __str__(self) -> str:
        return f"Official<{self.name} at {self.uri}>"


class SingularityModel(Model):
    """An image for Singularity (Apptainer): a file, or a name in one of its libraries."""

    platforms = ("singularity", "apptainer")

    def __init__(self, repository: str, reference: str) -> None:
        """Take "singularity", "apptainer", "library" or "shub", and what it has to find."""
        if repository not in SINGULARITY:
            known = ", ".join(SINGULARITY)
            raise UnknownModelError(f"{repository}://{reference}: it has to be one of {known}")
        super().__init__(f"{repository}://{reference}")
        self.repository = repository
        self.reference = reference


class DummyModel(Model):
    """Answers that stand in a JSON file."""

    platforms = ("dummy",)

    def __init__(self, reference: str | os.PathLike[str]) -> None:
        """Take the path of the file."""
        super().__init__(f"dummy://{os.fspath(reference)}")
        self.reference = reference


class HuggingFaceModel(Model):
    """A causal model in the Hugging Face format, by its name or its folder."""

    platforms = ("huggingface",)

    def __init__(self, model_ref: str, *, offline: bool = False) -> None:
        """Take the model's name; with `offline` nothing is downloaded when it is used."""
        super().__init__(f"huggingface://{model_ref}")
        self.model_ref = model_ref
        self.offline = offline


class Registry(Mapping[str, Model]):
    """The published models under their short names; any other reference is understood as well.

    It is read from what ships with pommel; nothing is downloaded.
    """

    def __init__(self) -> None:
        """Read the registry."""
        entries = LmZooRegistry.installed()
        self._models = {name: OfficialModel(entry) for name, entry in entries.items()}

    def __getitem__(self, model_ref: str) -> Model:
        """Return a model by its short name, by `scheme://...`, or by a path from `./` or `/`.

        Raises `UnknownModelError`, a KeyError.
        """
        if match := _REFERENCE.fullmatch(model_ref):
            return _model(match[1], match[2])
        if model_ref.startswith(("./", "/")):
            return DummyModel(model_ref)
        if model_ref in self._models:
            return self._models[model_ref]
        meant = nearest(model_ref, self)
        hint = f" (did you mean {meant}?)" if meant else ""
        raise UnknownModelError(
            f"unknown model {model_ref!r}{hint}; the registry has {', '.join(self)}"
        )

    def official(self) -> list[OfficialModel]:
        """Return the published models, in the registry's order."""
        return list(self._models.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


def _model(scheme: str, rest: str) -> Model:
    if scheme in SINGULARITY:
        return SingularityModel(scheme, rest)
    kinds = {"docker": DockerModel, "dummy": DummyModel, "huggingface": HuggingFaceModel}
    return kinds[scheme](rest) if scheme in kinds else Model(f"{scheme}://{rest}")
