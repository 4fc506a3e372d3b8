"""What the stages of a build leave behind: images without a name, whatever was copied into them."""

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docker import APIClient

_MADE = re.compile(r" ---> ([0-9a-f]{12,64})\s*")
_STAGE = re.compile(r"Step \d+/\d+ : FROM\b", re.IGNORECASE)


def all_images(client: "APIClient") -> frozenset[str]:
    """Return the full ids of all images of an engine, those without a name too."""
    untyped: Any = client
    return frozenset(_bare(each) for each in untyped.images(quiet=True, all=True))


class Stages:
    """The last image of each stage but the final one, as the engine's output names them.

    `known` has the images from before the build (see `all_images`), which are never removed: what a
    step prints looks like what the engine prints, so that an image could name any other.
    """

    def __init__(self, known: Collection[str] = ()) -> None:
        """Start with none."""
        self._known = known
        self.images: list[str] = []
        self._last = ""
        self._n_steps = 0

    def watch(self, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the events of a build, and note which images it makes."""
        for event in events:
            text = str(event.get("stream", ""))
            if _STAGE.match(text):
                # A stage that only names its base has made nothing.
                if self._n_steps > 1:
                    self.images.append(self._last)
                self._n_steps = 0
            if text.startswith("Step "):
                self._n_steps += 1
            if made := _MADE.fullmatch(text):
                self._last = made[1]
            yield event

    def remove(self, client: "APIClient") -> None:
        """Remove what is new, what nobody has given a name, and nothing else is made from."""
        from docker.errors import DockerException  # noqa: PLC0415 - an extra

        untyped: Any = client
        for image in self.images:
            with contextlib.suppress(DockerException, OSError):
                found = untyped.inspect_image(image)
                if _bare(found["Id"]) not in self._known and not found["RepoTags"]:
                    # By its whole id: a beginning may name another by then.
                    client.remove_image(found["Id"])


def _bare(image: str) -> str:
    # Podman leaves out the name of the hash in some of its answers.
    return image.removeprefix("sha256:")
