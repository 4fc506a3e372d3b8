"""Building an image: a context streamed to an engine, its output told as it comes."""

import contextlib
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pommel.errors import ContainerError, InputError, UsageError, counted, printable, readable_size
from pommel.images.sources import Files, Source, context_chunks, context_files, find_source, n_bytes
from pommel.values import frozen

if TYPE_CHECKING:
    from docker import APIClient


# One thing that the engine says.
Event = dict[str, object]

# What builds on nothing (`FROM scratch`) has a base without an id.
_MADE = re.compile(r" ---> ([0-9a-f]{12,64}|)\s*")
_STAGE = re.compile(r"Step \d+/\d+ : FROM\b", re.IGNORECASE)


def all_images(client: "APIClient") -> frozenset[str]:
    """Return the full ids of all images of an engine, those without a name too."""
    untyped: Any = client
    return frozenset(_bare(each) for each in untyped.images(quiet=True, all=True))


def watched(events: Iterable[Event], images: list[str]) -> Iterator[Event]:
    """Yield the events of a build; `images` gets the last of each stage but the final one."""
    of_stage: list[str] = []
    for event in events:
        text = str(event.get("stream", ""))
        if _STAGE.match(text):
            # The first is the base; a stage that only names it has made nothing.
            images += of_stage[1:][-1:]
            of_stage = []
        if made := _MADE.fullmatch(text):
            of_stage.append(made[1])
        yield event


def remove_unnamed(client: "APIClient", images: Iterable[str], known: Collection[str]) -> None:
    """Remove those that are new, that nobody has given a name, and nothing else is made from.

    `known` has the images from before the build (see `all_images`): what a step prints looks like
    what the engine prints, so that an image could name any other.
    """
    from docker.errors import DockerException

    untyped: Any = client
    for image in images:
        with contextlib.suppress(DockerException, OSError):
            found = untyped.inspect_image(image)
            if _bare(found["Id"]) not in known and not found["RepoTags"]:
                # By its whole id: a beginning may name another by then.
                client.remove_image(found["Id"])


def _bare(image: str) -> str:
    # Podman leaves out the name of the hash in some of its answers.
    return image.removeprefix("sha256:")


BuildEngine = Literal["docker", "podman"]
Say = Callable[[str], None]

_LAST_LINES = 8
_LAST_CHARACTERS = 4000
_LONGEST_INSTRUCTION = 80
# What the engine prints of its own doings.
_NOISE = (" --->", "Removing intermediate container")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@frozen
class BuildOptions:
    """What may be said about a build.

    `tag` None means `pommel/NAME`; `base` is the build argument `BASE`, the image to build on;
    `model` a file or folder with weights that become the folder `model/` of the context;
    `pull` asks the registry for a newer base image; `for_lm_zoo` makes root the image's user.
    """

    tag: str | None = None
    base: str | None = None
    model: Path | None = None
    arguments: Mapping[str, str] = field(default_factory=dict)
    pull: bool = False
    for_lm_zoo: bool = False

    def build(self, source: str, *, engine: BuildEngine = "docker", say: Say) -> "BuiltImage":
        """Build what `source` names (see `find_source`); `say` is given the output as it comes.

        Raises `UsageError` and `InputError` before anything is started, `ModelNotAvailableError` if
        no engine answers, and `ContainerError`, with the last lines, for a build that fails.
        """
        from pommel.models import DockerEngine

        started = time.monotonic()
        connection = DockerEngine.connect(engine, asked_by=f"image build {source}")
        with closing(connection):
            client: Any = connection.client
            found = find_source(source)
            tag = _tag(self.tag, found)
            files = context_files(found, self.model)
            arguments = _arguments(found, self, files, tag)
            if self.for_lm_zoo:
                # The last of these instructions holds, whatever Dockerfile it is.
                dockerfile = (found.folder / found.dockerfile).read_bytes()
                files[found.dockerfile] = dockerfile + b"\nUSER 0:0\n"
            size = readable_size(n_bytes(files))
            say(f"{tag}: {counted(len(files), 'file')}, {size}, from {found.folder}\n")
            with connection.failures_told(tag, "the engine refuses to build it"):
                known, stages = all_images(client), list[str]()
                try:
                    events = client.build(
                        # Anything that can be iterated over is streamed.
                        fileobj=context_chunks(files),
                        custom_context=True,
                        dockerfile=found.dockerfile,
                        tag=tag,
                        buildargs=arguments,
                        pull=self.pull,
                        rm=True,
                        forcerm=True,
                        decode=True,
                    )
                    _follow(watched(events, stages), tag, say)
                finally:
                    remove_unnamed(client, stages, known)
            image = client.inspect_image(tag)
        return BuiltImage(
            reference=f"{engine}://{tag}",
            id=f"sha256:{_bare(image['Id'])}",
            n_bytes=image["Size"],
            seconds=time.monotonic() - started,
        )

    @staticmethod
    def default_tag(name: str) -> str:
        """Return what an image is called unless the user says otherwise."""
        return f"pommel/{name}"


@frozen
class BuiltImage:
    """An image that has been built: how pommel calls it, its id, its size, how long it took."""

    reference: str
    id: str
    n_bytes: int
    seconds: float


def _tag(asked: str | None, source: Source) -> str:
    from docker.utils import match_tag

    tag = asked or BuildOptions.default_tag(source.name.lower())
    if not match_tag(tag):
        told = f"--tag {asked}: this is no name for an image" if asked else f"{tag} is no name"
        raise UsageError(f"{told}; write small letters and digits: --tag me/my-model:1.0")
    return tag


def _arguments(source: Source, options: BuildOptions, files: Files, tag: str) -> dict[str, str]:
    arguments = dict(options.arguments)
    if options.base is not None:
        if not source.has_argument("BASE"):
            raise InputError(
                f"{source.folder / source.dockerfile}: --base needs the lines ARG BASE=IMAGE and "
                "FROM ${BASE} at its beginning"
            )
        arguments["BASE"] = options.base
    if source.has_argument("NAME"):
        # Otherwise all models of this kind would have one name.
        arguments.setdefault("NAME", tag.rpartition("/")[2].partition(":")[0])
    if source.has_argument("DATETIME"):
        arguments.setdefault("DATETIME", _datetime(files))
    return arguments


def _datetime(files: Files) -> str:
    """Return when the sources were changed last: the same sources are the same image."""
    times = [path.stat().st_mtime for path in files.values() if isinstance(path, Path)]
    return datetime.fromtimestamp(max(times, default=0), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _follow(events: Iterable[Event], tag: str, say: Say) -> None:
    instruction = said = ""
    failure: ContainerError | None = None
    # An error comes last, and the connection is free again only when all has been read.
    for event in events:
        text = str(event.get("stream", ""))
        say(text)
        if text.startswith("Step "):
            instruction, said = text.partition(" : ")[2].strip(), ""
        elif not text.startswith(_NOISE):
            # Lines come in pieces of any length.
            said = f"{said}{_plain(text)}"[-_LAST_CHARACTERS:]
        if reason := event.get("error"):
            failure = _failure(tag, str(reason), instruction, said)
    if failure is not None:
        raise failure


def _failure(tag: str, reason: str, instruction: str, said: str) -> ContainerError:
    code = reason.rpartition("returned a non-zero code: ")[2].strip()
    what = f"exit status {code}" if code.isdigit() else _plain(reason).strip()
    if len(instruction) > _LONGEST_INSTRUCTION:
        instruction = f"{instruction[:_LONGEST_INSTRUCTION]}…"
    at = f" at `{instruction}`" if instruction else ""
    lines = [f"{tag}: the build failed{at}: {what}"]
    if last := [f"    {line}" for line in said.splitlines() if line.strip()][-_LAST_LINES:]:
        lines = [f"{lines[0]}; the last it printed:", *last]
    if instruction.upper().startswith("FROM ") or not instruction:
        lines.append("--base IMAGE builds on another image, such as one that is on this machine")
    return ContainerError("\n".join(lines))


def _plain(text: str) -> str:
    """Return a text without what would colour or steer a terminal."""
    # Bars of progress write over their own line.
    bare = _ESCAPES.sub("", text).replace("\r", "\n")
    return "\n".join(printable(line) for line in bare.split("\n"))
