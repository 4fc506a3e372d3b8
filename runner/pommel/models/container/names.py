"""The short names of the LM Zoo (`GRNN`, `gpt2`) and the images they stand for."""

import json
from collections.abc import Mapping
from typing import Any

from pommel.errors import ModelNotAvailableError, nearest
from pommel.files import shipped_folder


class LmZooRegistry(dict[str, Mapping[str, Any]]):
    """What is known of each published image, under its short name."""

    @classmethod
    def installed(cls) -> "LmZooRegistry":
        """Return the list that ships with pommel; nothing is ever fetched."""
        published = shipped_folder("registry") / "lm_zoo.json"
        return cls(json.loads(published.read_text("utf-8")))

    def image_reference(self, shortname: str) -> str:
        """Return the image that a short name stands for, as `docker://NAME:TAG`.

        Raises `ModelNotAvailableError`, with the nearest name that there is, for any other.
        """
        if shortname not in self:
            meant = nearest(shortname, self)
            hint = f" (did you mean {meant}?)" if meant else ""
            raise ModelNotAvailableError(
                f"there is no image {shortname!r} in the registry{hint}; "
                f"it is one of {', '.join(self)}, or write docker://NAME:TAG"
            )
        image = self[shortname]["image"]
        # Of Docker's own registry, all of them.
        return f"docker://{image['name']}:{image['tag']}"

    @staticmethod
    def hint(shortname: object, reference: str) -> str:
        """Return what was meant if the image that a short name stands for is not there, "" if it.

        The model of that name on the Hugging Face hub, that is, which more people mean.
        """
        if shortname != "gpt2" or not reference.startswith("docker://"):
            return ""
        return "gpt2 is an image of the LM Zoo (did you mean huggingface://gpt2?)"
