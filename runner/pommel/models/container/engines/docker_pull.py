"""Fetching an image, and saying how far that is."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pommel.errors import ModelNotAvailableError, printable
from pommel.models.container.engines.engine import PullProgress

if TYPE_CHECKING:
    from docker import APIClient


def pull_image(
    client: "APIClient", name: str, *, reference: str, progress: PullProgress | None
) -> None:
    """Pull `name` (`IMAGE[:TAG]` or `IMAGE@DIGEST`; without either, the tag `latest`).

    Raises `ModelNotAvailableError` if its registry does not have it or cannot be reached.
    """
    from docker.errors import APIError  # noqa: PLC0415 - an extra
    from docker.utils import parse_repository_tag  # noqa: PLC0415 - an extra

    repository, tag = parse_repository_tag(name)
    try:
        # Without a tag, the engine would fetch all there are.
        events = client.pull(repository, tag=tag or "latest", stream=True, decode=True)
        follow(events, progress)
    except (APIError, PullError, OSError) as error:
        reason = printable(getattr(error, "explanation", None) or str(error))
        raise ModelNotAvailableError(
            f"{reference}: its registry does not give the image: {reason}"
        ) from error


class PullError(Exception):
    """What the engine says when a pull that had begun fails."""


def follow(events: Iterable[dict[str, Any]], progress: PullProgress | None) -> None:
    """Add up the layers' progress as it is told; raises `PullError` for a failure that is told."""
    done: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for event in events:
        if message := event.get("error"):
            raise PullError(message)
        layer, detail = event.get("id", ""), event.get("progressDetail") or {}
        if event.get("status") == "Downloading" and "current" in detail:
            done[layer] = detail["current"]
            sizes[layer] = detail.get("total", 0)
        elif event.get("status") == "Download complete" and layer in sizes:
            done[layer] = sizes[layer]
        else:
            continue
        if progress:
            progress(sum(done.values()), sum(sizes.values()))
