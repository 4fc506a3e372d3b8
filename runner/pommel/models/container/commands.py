"""The LM Zoo protocol, version 1: an image's commands, one container start each."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pommel.errors import UsageError
from pommel.models.container import answers, checkpoint, predictions
from pommel.models.container.answers import ImageCommand, check_sentences, sentence_chunks
from pommel.models.container.engines.engine import Engine, Image, Job, open_engine
from pommel.models.container.engines.process import Command
from pommel.models.container.engines.sandbox import Sandbox
from pommel.models.container.image_spec import read_spec
from pommel.models.container.names import image_reference
from pommel.models.model import LoadOptions
from pommel.models.printed import PrintedToken

DEVICE_VARIABLE = "POMMEL_DEVICE"
DTYPE_VARIABLE = "POMMEL_DTYPE"

# The driver's control device: it is there where a container could be given a GPU.
_NVIDIA = Path("/dev/nvidiactl")


def requested_gpus(device: str) -> str | None:
    """Return which GPUs a container is given: "all", the number of one, or None.

    "auto" means all where this machine has an NVIDIA driver. Raises `UsageError` for a device
    that no container has.
    """
    if device == "auto":
        return "all" if _NVIDIA.exists() else None
    if device == "cpu":
        return None
    match = re.fullmatch(r"cuda(?::(\d+))?", device)
    if not match:
        raise UsageError(
            f"--device {device}: a container has no such device; it is cpu, cuda, cuda:N or auto"
        )
    return match[1] or "all"


def variables(options: LoadOptions) -> dict[str, str]:
    """Return how an image that follows such things is to compute.

    Of the GPU that a container is given, it sees the first, whatever its number is outside.
    """
    limits = {
        "POMMEL_BATCH_TOKENS": options.batch_tokens,
        "POMMEL_MAX_MEMORY": options.max_memory_bytes,
    }
    return {
        DEVICE_VARIABLE: "cuda" if requested_gpus(options.device) else "cpu",
        DTYPE_VARIABLE: options.dtype,
        **{name: str(limit) for name, limit in limits.items() if limit is not None},
    }


_Answer = TypeVar("_Answer")

# The file that a command reads: its standard input.
INPUT = "/dev/stdin"
_WITHOUT_MODEL = ("spec", "tokenize", "unkify")

# Where a container's user is not the one who runs pommel.
_OTHER_USER = ("docker://", "podman://")

# What images have said of themselves, by image and checkpoint.
_SPECS: dict[tuple[str, Path | None, checkpoint.Stamp], dict[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCommands:
    """The commands of one image, under one sandbox.

    Each starts a container, gives it all sentences and reads an answer for each. Raises
    `ContainerError` for a command that fails or prints what it must not,
    `UnsupportedFeatureError` for one that the image does not have, and `ModelError`, before
    anything is started, for sentences with line breaks and blank ones.
    """

    engine: Engine
    image: Image
    sandbox: Sandbox = field(default_factory=Sandbox)
    checkpoint: Path | None = None
    gpus: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The image as messages name it."""
        return self.image.reference

    def job(self, *command: str) -> Job:
        """Return what the engine is asked for to run a command."""
        environment, gpus = dict(self.environment), self.gpus
        if command[0] in _WITHOUT_MODEL:
            # A GPU costs them time, and some images print warnings when they see one.
            environment[DEVICE_VARIABLE], gpus = "cpu", None
        return Job(
            image=self.image,
            command=command,
            sandbox=self.sandbox,
            environment=environment,
            checkpoint=self.checkpoint,
            gpus=gpus,
        )

    def spec(self) -> Mapping[str, Any]:
        """Return the image's spec, valid by `schemas/model_spec.json`.

        An image is asked once in a process, for each checkpoint.
        """
        key = (self.image.id, self.checkpoint, checkpoint.stamp(self.checkpoint))
        if key not in _SPECS:
            _SPECS[key] = read_spec(self.engine, self.job("spec"))
        return _SPECS[key]

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return list(self._answers("tokenize", sentences, answers.read_tokens))

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """Return, for each sentence, whether each token stands for an unknown word."""
        return list(self._answers("unkify", sentences, answers.read_masks))

    def get_surprisals(self, sentences: Sequence[str]) -> tuple[tuple[PrintedToken, ...], ...]:
        """Return the tokens of each sentence with their surprisals, in bits."""
        return tuple(self.each_surprisals(sentences))

    def each_surprisals(
        self, sentences: Sequence[str]
    ) -> Generator[tuple[PrintedToken, ...], None, None]:
        """Yield what `get_surprisals` returns, each sentence as soon as it is there."""
        return self._answers("get_surprisals", sentences, answers.read_table)

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write the HDF5 file of `get_predictions.hdf5`, which appears when it is complete."""
        check_sentences(sentences, self.reference)
        job = replace(self.job(*predictions.COMMAND), label=predictions.NAME)
        with Command(self.engine, job) as command:
            command.feed(sentence_chunks(sentences))
            predictions.write_output(command, path)

    def raw(self, command: str, sentences: Sequence[str] | None = None) -> Iterator[str]:
        """Yield the lines that a command prints, whatever they are; blank sentences are sent, too.

        Without sentences the command gets no argument and no input. Raises `ContainerError`
        unless its exit status is 0, and for far more output than there could be to say.
        """
        if sentences is None:
            return answers.read_raw(Command(self.engine, self.job(command)), None)
        check_sentences(sentences, self.reference, blank=True)
        return answers.read_raw(Command(self.engine, self.job(command, INPUT)), sentences)

    def _answers(
        self,
        name: str,
        sentences: Sequence[str],
        read: Callable[[ImageCommand, Sequence[str]], Generator[_Answer, None, None]],
    ) -> Generator[_Answer, None, None]:
        check_sentences(sentences, self.reference)
        if not sentences:
            return
        with ImageCommand(self.engine, self.job(name, INPUT)) as command:
            command.feed(sentence_chunks(sentences))
            with closing(read(command, sentences)) as found:
                yield from found


def open_commands(reference: str, options: LoadOptions) -> ImageCommands:
    """Return the commands of the image that a reference or a short name of the LM Zoo names.

    Raises `ModelNotAvailableError` if the image, its engine or the checkpoint is not there.
    """
    if "://" not in reference:
        reference = image_reference(reference)
    gpus = requested_gpus(options.device)
    weights = options.checkpoint and checkpoint.check_checkpoint(options.checkpoint)
    engine = open_engine(reference)
    if weights and reference.startswith(_OTHER_USER):
        checkpoint.check_readable(weights, options.sandbox.user)
    image = engine.find_image(
        reference,
        pull="never" if options.offline else options.pull,
        progress=options.pull_progress,
    )
    return ImageCommands(
        engine=engine,
        image=image,
        sandbox=options.sandbox,
        checkpoint=weights,
        gpus=gpus,
        environment=variables(options),
    )
