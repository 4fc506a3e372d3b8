"""Making images, without a registry: systems to build on, and what tests build on these."""

import contextlib
import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.containers_support import rootfs, site_packages
from tests.containers_support.answering import connected
from tests.containers_support.archive import Tree
from tests.containers_support.processes import is_alive
from tests.containers_support.users import KEPT, locked

from pommel.images.build import all_images, remove_unnamed, watched

if TYPE_CHECKING:
    from docker import APIClient

# Every name of an image of the tests begins so.
PREFIX = "pommel-test/"
# On images that are removed at the end of a test session: whose session it is.
USER_LABEL = "org.pommel.test.user"
# Held while images are built or removed: builds share layers, and one that is about to use a layer
# fails if another test removes it.
BUILDS = "builds"


def plain_base(url: str) -> str:
    """Return an image with Python, a shell and the common programs; made if it is not there."""
    tag = f"{PREFIX}python:{rootfs.key()}"
    return _imported(url, tag, rootfs.system, rootfs.ENVIRONMENT)


def packages_base(url: str) -> str:
    """Return an image with all that `pommel[hf]` and h5py need; made if it is not there."""
    tag = f"{PREFIX}packages:{site_packages.key()}"
    return _imported(url, tag, site_packages.with_packages, site_packages.ENVIRONMENT)


def build(  # noqa: PLR0913 - an image has that many sides
    url: str,
    source: Path | Mapping[str, str | bytes | Path],
    *,
    base: str,
    user: str,
    name: str = "image",
    arguments: Mapping[str, str] | None = None,
) -> str:
    """Build an image and return its tag; the session of `user` removes it in the end.

    `source` is a folder with a `Dockerfile`, or files by their path. Files without a `Dockerfile`
    among them are put where their paths say, below the image's root, on top of `base`. `base` is
    the build argument `BASE`. Files that begin with `#!` become executable.
    """
    context = _context(source)
    arguments = {"BASE": base, **(arguments or {})}
    made_of = repr((sorted(arguments.items()), user, context)).encode()
    tag = f"{PREFIX}{name}:{hashlib.sha256(made_of).hexdigest()[:16]}"
    with connected(url) as client, locked(BUILDS):
        if not _is_there(client, tag):
            events = client.build(
                fileobj=io.BytesIO(context),
                custom_context=True,
                buildargs=arguments,
                labels={USER_LABEL: user},
                tag=tag,
                rm=True,
                decode=True,
            )
            known, stages = all_images(client), list[str]()
            _finish(watched(events, stages), tag)
            remove_unnamed(client, stages, known)
    return tag


def remove_images(url: str, user: str) -> None:
    """Remove the images that `user` has built, and those of sessions that have died."""
    with connected(url) as client, locked(BUILDS):
        untyped: Any = client
        for image in untyped.images(filters={"label": USER_LABEL}):
            owner = image["Labels"][USER_LABEL]
            if owner == user or not (owner == KEPT or is_alive(owner)):
                _remove_image(client, image)


def copy(image: str, url: str, to_url: str) -> str:
    """Bring an image from one engine to another; return its name there."""
    with connected(url) as client, connected(to_url) as other:
        untyped: Any = other
        if not _is_there(other, image):
            untyped.load_image(client.get_image(image))
    return image


def _imported(url: str, tag: str, tree: Any, settings: tuple[str, ...]) -> str:
    """Return `tag`, an image of one layer; made if it is not there."""
    # The others wait: it takes a minute, and is made once.
    with locked(tag.partition(":")[0].replace("/", "-")), connected(url) as client:
        if not _is_there(client, tag):
            made: Tree = tree()
            repository, _, version = tag.partition(":")
            client.import_image_from_data(
                # Anything that can be iterated over is streamed.
                made.pieces(),
                repository=repository,
                tag=version,
                changes=list(settings),
            )
            _remove_old(client, repository)
    return tag


def _remove_old(client: "APIClient", repository: str) -> None:
    """Remove all systems by that name but the newest two, which two checkouts may need."""
    found: Any = client.images(repository)
    for image in sorted(found, key=lambda image: int(image["Created"]))[:-2]:
        _remove_image(client, image)


def _context(source: Path | Mapping[str, str | bytes | Path]) -> bytes:
    if isinstance(source, Path):
        tree = Tree(files=rootfs.files_below(source, "", {"__pycache__"}))
    else:
        below = "" if "Dockerfile" in source else "files/"
        tree = Tree(
            files={
                f"{below}{path}": file for path, file in source.items() if isinstance(file, Path)
            },
            texts={
                f"{below}{path}": text
                for path, text in source.items()
                if not isinstance(text, Path)
            },
        )
        if below:
            tree.texts["Dockerfile"] = "ARG BASE\nFROM $BASE\nCOPY files/ /\n"
    stream = io.BytesIO()
    tree.write(stream)
    return stream.getvalue()


def _is_there(client: "APIClient", tag: str) -> bool:
    from docker.errors import ImageNotFound

    try:
        client.inspect_image(tag)  # type: ignore[no-untyped-call]
    except ImageNotFound:
        return False
    return True


def _finish(events: Any, tag: str) -> None:
    said = []
    for event in events:
        said.append(str(event.get("stream", "")))
        if message := event.get("error"):
            raise RuntimeError(f"{tag} cannot be built: {message}\n{''.join(said)}")


def _remove_image(client: "APIClient", image: dict[str, Any]) -> None:
    from docker.errors import APIError

    for name in image["RepoTags"] or [image["Id"]]:
        # Somebody else may be as quick, or still use it.
        with contextlib.suppress(APIError):
            client.remove_image(name, force=True)
