"""The LM Zoo protocol: an image's commands, each in a container of its own; `score` goes on."""

import json
import math
import re
import tempfile
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import field, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pommel.errors import (
    AlignmentError,
    ContainerError,
    InputError,
    ModelError,
    SurprisalError,
    UsageError,
    quoted,
)
from pommel.files import json_schema, parse_json
from pommel.models.alignment import PrintedToken
from pommel.models.container import answers, checkpoint, predictions
from pommel.models.container.answers import (
    check_line,
    check_sentences,
    sentence_chunks,
)
from pommel.models.container.engines.engine import ENGINES, Engine, Image, Job, Sandbox, open_engine
from pommel.models.container.engines.process import Command, output_lines, shortened
from pommel.models.container.engines.reaper import REAPER
from pommel.models.container.image_spec import check_shown, read_spec
from pommel.models.container.names import LmZooRegistry
from pommel.models.model import LoadOptions, Policy
from pommel.models.recorded import Recording
from pommel.models.reference_files import check_shape
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

if TYPE_CHECKING:
    import h5py

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


@frozen(slots=False)
class ImageCommands:
    """The commands of one image, under one sandbox.

    Each starts a container, gives it all sentences and reads an answer for each. Raises
    `ContainerError` for a command that fails or prints what it must not,
    `UnsupportedFeatureError` for one that the image does not have, and `ModelError`, before
    anything is started, for sentences with line breaks and blank ones. `habits` are what the image
    prints against the protocol and is read all the same; they are added to.
    """

    engine: Engine
    image: Image
    sandbox: Sandbox = field(default_factory=Sandbox)
    checkpoint: Path | None = None
    gpus: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    remove_image: bool = False
    habits: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def open(cls, reference: str, options: LoadOptions) -> "ImageCommands":
        """Return the commands of the image that a reference or a short name of the LM Zoo names.

        Raises `ModelNotAvailableError` if the image, its engine or the checkpoint is not there.
        """
        if "://" not in reference:
            reference = LmZooRegistry.installed().image_reference(reference)
        gpus = requested_gpus(options.device)
        weights = options.checkpoint and checkpoint.check_checkpoint(options.checkpoint)
        engine = open_engine(reference)
        if weights and reference.startswith(_OTHER_USER):
            checkpoint.check_readable(weights, options.sandbox.user)
        image = engine.find_image(
            reference,
            sandbox=options.sandbox,
            pull="never" if options.offline else options.pull,
            progress=options.pull_progress,
        )
        return cls(
            engine=engine,
            image=image,
            sandbox=options.sandbox,
            checkpoint=weights,
            gpus=gpus,
            environment=variables(options),
            remove_image=options.remove_image,
        )

    @staticmethod
    def runs(scheme: str) -> bool:
        """Say whether images are named by references with this scheme."""
        return scheme in ENGINES

    def close(self) -> None:
        """Let go of the engine, and of an image that was fetched to be removed again."""
        if self.remove_image and self.image.is_new:
            self.engine.remove_image(self.image)
        self.engine.close()

    @staticmethod
    def remove_containers() -> None:
        """Kill and remove all containers of this process; whoever waits for one gets an error."""
        REAPER.stop()

    @property
    def reference(self) -> str:
        """The image as messages name it."""
        return self.image.reference

    @property
    def remarks(self) -> list[str]:
        """What is told of the image's habits; nothing where it has none."""
        if not self.habits:
            return []
        return [f"its image prints {' and '.join(sorted(self.habits))}, which is read all the same"]

    def job(self, *command: str, label: str = "") -> Job:
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
            label=label,
            until=self._until,
        )

    @cached_property
    def _until(self) -> float:
        """When the time of all commands together is used up; it begins with the first."""
        total_s = self.sandbox.total_s
        return math.inf if total_s is None else time.monotonic() + total_s

    def spec(self) -> Mapping[str, Any]:
        """Return the image's spec, valid by `schemas/model_spec.json`; it is asked for once."""
        return self._spec

    @cached_property
    def _spec(self) -> Mapping[str, Any]:
        return read_spec(self.engine, self.job("spec"), self.habits)

    def supports(self, feature: str) -> bool | None:
        """Return what the spec says of a command, None where it says nothing."""
        said = (self.spec().get("image") or {}).get("supported_features") or {}
        return said.get(feature)

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
        self, sentences: Sequence[str], *, last_line_ends: bool = True
    ) -> Generator[tuple[PrintedToken, ...], None, None]:
        """Yield what `get_surprisals` returns, each sentence as soon as it is there.

        The last line is sent without a line feed unless `last_line_ends`.
        """
        chunks = None if last_line_ends else ["\n".join(sentences).encode()]
        return self._answers("get_surprisals", sentences, answers.read_table, chunks)

    def agreed(
        self,
        where: str,
        tokens: Sequence[str],
        mask: Sequence[bool] | None,
        rows: Sequence[PrintedToken],
        unknown: Collection[str],
    ) -> Sequence[PrintedToken]:
        """Return the tokens of `get_surprisals` with what `unkify` says of them, if it is known.

        Raises `ContainerError` if the commands disagree; `where` is the sentence, and `unknown`
        what stands for unknown words.
        """
        known = [row.text for row in rows]
        if len(tokens) != len(rows):
            raise self._disagree(where, tokens, known)
        if mask is not None and len(mask) != len(rows):
            message = f"{where}: it printed {len(mask)} flags for the {len(tokens)} tokens"
            raise ContainerError(f"{self.reference}: unkify: {message} of tokenize")
        for number, (token, text) in enumerate(zip(tokens, known, strict=True)):
            # One command may print an unknown word, and the other what stands for it.
            is_unknown = mask[number] if mask is not None else token in unknown or text in unknown
            if token != text and not is_unknown:
                raise self._disagree(where, tokens, known)
        if mask is None:
            return rows
        return [replace(row, oov=oov) for row, oov in zip(rows, mask, strict=True)]

    def _disagree(self, where: str, tokens: Sequence[str], known: Sequence[str]) -> ContainerError:
        both = enumerate(zip_longest(tokens, known), start=1)
        number, pair = next((number, pair) for number, pair in both if pair[0] != pair[1])
        token, other = ("nothing" if each is None else quoted(each) for each in pair)
        return ContainerError(
            f"{self.reference}: tokenize and get_surprisals do not agree in {where}: "
            f"token {number} is {token} and {other}\n"
            f"    tokenize:       {shortened(' '.join(tokens))}\n"
            f"    get_surprisals: {shortened(' '.join(known))}"
        )

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write the HDF5 file of `get_predictions.hdf5`, which appears when it is complete."""
        check_sentences(sentences, self.reference)
        job = self.job(*predictions.COMMAND, label=predictions.NAME)
        with Command(self.engine, job) as command:
            command.feed(sentence_chunks(sentences))
            predictions.write_output(command, path)

    @contextmanager
    def predictions(self, sentences: Sequence[str]) -> Iterator[predictions.PredictionsFile]:
        """Give the file of `get_predictions.hdf5`, looked through; it is gone at the end.

        Raises `InputError` for a file that is not what it should be.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "predictions.hdf5"
            self.write_predictions(sentences, path)
            with predictions.PredictionsFile(path, n_sentences=len(sentences)) as file:
                yield file

    def open_predictions(self, path: Path, *, n_sentences: int) -> "h5py.File":
        """Open what `write_predictions` has written.

        Raises `ContainerError` for a file that no image should write.
        """
        try:
            return predictions.PredictionsFile(path, n_sentences=n_sentences).file
        except InputError as error:
            message = shortened(str(error))
            raise ContainerError(f"{self.reference}: {predictions.NAME}: {message}") from error

    def score_session(self, *, timeout_s: float | None = None, first_id: int = 0) -> "ScoreSession":
        """Start a container with the command `score`; raises `ContainerError`.

        `timeout_s` is instead of the sandbox's own time, requests are numbered from `first_id`.
        """
        return ScoreSession(self, timeout_s=timeout_s, first_id=first_id)

    def lines(self, *command: str, label: str = "") -> Iterator[str]:
        """Run a command without input and yield its lines; raises as `Command.finish` does."""
        return output_lines(self.engine, self.job(*command, label=label))

    def raw(self, command: str, sentences: Sequence[str]) -> Iterator[str]:
        """Yield the lines that a command prints, whatever they are; blank sentences are sent, too.

        Raises `ContainerError` unless its exit status is 0, and for far more output than there
        could be to say.
        """
        check_sentences(sentences, self.reference, blank=True)
        return answers.read_raw(Command(self.engine, self.job(command, INPUT)), sentences)

    def _answers(
        self,
        name: str,
        sentences: Sequence[str],
        read: Callable[[Command, Sequence[str]], Generator[_Answer, None, None]],
        chunks: Iterable[bytes] | None = None,
    ) -> Generator[_Answer, None, None]:
        check_sentences(sentences, self.reference)
        if not sentences:
            return
        with Command(self.engine, self.job(name, INPUT)) as command:
            command.feed(sentence_chunks(sentences) if chunks is None else chunks)
            with closing(read(command, sentences)) as found:
                yield from found
            self.habits.update(command.habits)


# How many sentences an image is asked for before it has to answer. While it is busy with one
# block, it already has the next.
BLOCK = 2048

# In characters.
_LONGEST_HEADER = 1 << 16


class ScoreSession:
    """One container with the command `score`, until it is closed.

    `header` is the `model` of the line that it begins with, `refused` what the model said of
    sentences that it can't score. After `finish` or any failure a session
    is of no more use, and has to be closed.
    """

    def __init__(
        self, commands: ImageCommands, *, timeout_s: float | None = None, first_id: int = 0
    ) -> None:
        """Start the container and wait for the header; raises `ContainerError`."""
        self._next_id = first_id
        self.refused: dict[str, str] = {}
        self._job = commands.job("score")
        if timeout_s is not None:
            sandbox = replace(commands.sandbox, timeout_s=timeout_s)
            self._job = replace(self._job, sandbox=sandbox)
        with ExitStack() as stack:
            self._command = stack.enter_context(Command(commands.engine, self._job))
            self.header = self._read_header()
            commands.habits.update(self._command.habits)
            stack.pop_all()

    def close(self) -> None:
        """Remove the container; may be called twice."""
        self._command.stop()

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence), in the order of the answers.

        Those that the model can't score are left out: `finish` tells of them. Raises
        `ContainerError` for answers that cannot be.
        """
        for index, answer in self.answers(sentences, policy):
            if "error" in answer:
                reason = shortened(str(answer["error"]))
                message = f"{self._job.where}: {self._command.at}: {reason}"
                self.refused.setdefault(sentences[index], message)
            else:
                yield index, self._scored(sentences[index], answer, policy)

    def answers(
        self, sentences: Sequence[str], policy: Policy, *, last: bool = False
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield (index, what the program answers), in the order of the answers.

        With `last` the input ends behind the sentences, without the line that asks for answers.
        """
        first = self._next_id
        waiting: set[int] = set()
        oldest = n_sent = 0
        longest = max(sentences, key=len, default="")
        self._command.restart_clock()
        while n_sent < len(sentences) or waiting:
            while n_sent < len(sentences) and len(waiting) <= BLOCK:
                block = range(n_sent, min(n_sent + BLOCK, len(sentences)))
                self.send([sentences[index] for index in block], policy, last=last)
                waiting.update(block)
                n_sent = block.stop
            while oldest not in waiting:
                oldest += 1
            # Answers come in any order: this one may be about another.
            self._command.at, self._command.suspect = "", sentences[oldest]
            answer, index = self._read_answer(first, waiting, longest)
            self._command.wait_for(index + 1, sentences[index])
            yield index, answer
            if (n_sent - len(waiting)) % BLOCK == 0:
                self._command.restart_clock()

    def finish(self) -> None:
        """Let the program see the end of its input; raises `ContainerError` unless it ends well.

        It has the time of one more block for that. Raises `ModelError` if it has ended well, and
        there are sentences that the model can't score.
        """
        self._command.at, self._command.suspect = "", None
        self._command.restart_clock()
        self._command.feed((), last=True)
        if (line := self._command.next_line()) is not None:
            raise self._command.fault(f"it printed more than it was asked for: {quoted(line)}")
        self._command.finish()
        if self.refused:
            raise ModelError.of_sentences(self.refused)

    def send(self, sentences: Sequence[str], policy: Policy, *, last: bool = False) -> None:
        """Send requests, and an empty line behind them, which asks for their answers."""
        lines = [
            json.dumps(
                {"id": number, "sentence": sentence, "bos": policy.bos, "eos": policy.eos},
                ensure_ascii=False,
            )
            for number, sentence in enumerate(sentences, start=self._next_id)
        ]
        self._next_id += len(lines)
        text = "".join(f"{line}\n" for line in (*lines, *([] if last else [""])))
        self._command.feed([text.encode()], last=last)

    def _read_header(self) -> Mapping[str, Any]:
        line = self._command.needed_line("it ended before it printed its first line")
        if len(line) > _LONGEST_HEADER:
            what = f"its first line has more than {_LONGEST_HEADER} characters"
            raise self._command.failure(what)
        try:
            header = _object(line)
            check_shape(header, json_schema("score_header"), where="its first line", noun="header")
            for key, value in header["model"].items():
                if isinstance(value, str):
                    check_shown(value, f"its {key}")
        except InputError as error:
            wanted = '{"format": "pommel-score", "version": 2, "model": ...}'
            what = f"its first line has to be {wanted}, and is {quoted(line)}: {error}"
            raise self._command.fault(what) from error
        return dict(header["model"])

    def _read_answer(
        self, first: int, waiting: set[int], longest: str
    ) -> tuple[Mapping[str, Any], int]:
        """Return the next answer, and the index of the sentence that is answered."""
        line = self._command.needed_line("it ended before it had answered")
        # Whose answer it is can be known only when it has been read.
        check_line(self._command, line, longest)
        try:
            answer = _object(line)
        except InputError as error:
            raise self._command.fault(f"its answer is {quoted(line)}: {error}") from error
        number = answer.get("id")
        if type(number) is not int or number - first not in waiting:
            what = f"its answer is {quoted(line)}, and nothing is asked under this id"
            raise self._command.fault(what)
        waiting.remove(number - first)
        return answer, number - first

    def _scored(self, sentence: str, answer: Mapping[str, Any], policy: Policy) -> ScoredSentence:
        try:
            tokens = Recording.read_tokens(answer.get("tokens"), "its answer")
            scored = ScoredSentence(text=sentence, tokens=tokens)
            scored.check()
        except (AlignmentError, InputError, SurprisalError) as error:
            raise self._command.fault(str(error)) from error
        has_eos = any(token.role == "eos" for token in tokens)
        if policy.eos != "auto" and has_eos != (policy.eos == "always"):
            what = f"its answer has {'an' if has_eos else 'no'} eos token under eos={policy.eos}"
            raise self._command.fault(what)
        return scored


def _refused(constant: str) -> NoReturn:
    raise InputError(f'{constant} is not JSON; write null, or "Infinity" for a probability of 0')


_DECODER = json.JSONDecoder(parse_constant=_refused)


def _object(line: str) -> Mapping[str, Any]:
    """Return the JSON object in a line; raises `InputError`."""
    value = parse_json(line, decoder=_DECODER)
    if not isinstance(value, dict):
        raise InputError("this is no JSON object")
    return value
