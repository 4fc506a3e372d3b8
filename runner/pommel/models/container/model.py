"""A model in a container, whatever version of the protocol its image speaks.

Version 1 is asked with three commands whose answers have to agree (`PrintedAnswers`), version 2 in
a session with one (`SessionAnswers`). Which model it is, is said for people, and down to a
hash of all that decides its numbers.
"""

import hashlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from pommel.errors import (
    AlignmentError,
    ContainerError,
    ModelError,
    ModelNotAvailableError,
    SurprisalError,
    quoted,
)
from pommel.models.alignment import TokenizerSpec
from pommel.models.container import checkpoint
from pommel.models.container.answers import check_encodable
from pommel.models.container.commands import DTYPE_VARIABLE, ImageCommands, ScoreSession
from pommel.models.container.engines.process import place, shortened
from pommel.models.kinds import Kind
from pommel.models.model import RECOVERED, LoadOptions, ModelInfo, Policy, Spans, check_only_method
from pommel.models.printed import under_policy, with_first_token
from pommel.surprisal import ScoredSentence
from pommel.values import frozen


class SessionAnswers:
    """Asks a container with the command `score` for all sentences of a call.

    A call is over when the program has seen the end of its input and has ended well; the next one
    has a container of its own. `header` is what the image says of its model; the container that has
    said so first waits for the first call.
    """

    def __init__(self, commands: ImageCommands) -> None:
        """Start a container; raises `ContainerError`."""
        self._commands = commands
        self._running: list[ScoreSession] = []
        self.header: Mapping[str, Any] = {}
        self._waiting: ScoreSession | None = self._start()

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence) in the order of the answers; see `Model.score`."""
        if not sentences:
            return
        check_encodable(sentences, self._commands.reference)
        if policy.first_token == "zero" and policy.bos == "tokenizer":
            # The retired tools asked for nothing: they read what `get_surprisals` printed.
            policy = replace(policy, bos="auto")
        session, self._waiting = self._waiting or self._start(), None
        try:
            with _failures_told(sentences) as answered:
                for index, scored in session.score(sentences, policy):
                    answered.add(sentences[index])
                    yield index, with_first_token(scored, policy)
                answered.update(session.refused)
                session.finish()
        finally:
            self._end(session)

    def close(self) -> None:
        """Remove what is there; a later question starts anew."""
        self._waiting = None
        while self._running:
            self._end(self._running[-1])

    def _start(self) -> ScoreSession:
        session = ScoreSession(self._commands)
        self._running.append(session)
        self.header = self.header or session.header
        if session.header != self.header:
            self._end(session)
            raise ContainerError(
                f"{self._commands.reference}: score: started again, it says that it is another "
                f"model: {_first_difference(self.header, session.header)}"
            )
        return session

    def _end(self, session: ScoreSession) -> None:
        if session in self._running:
            self._running.remove(session)
        session.close()


@contextmanager
def _failures_told(sentences: Sequence[str]) -> Iterator[set[str]]:
    """Have an image's failure say which sentences it has answered in the same call.

    These are added to the set that is given. Who prints all that was asked for and does not end
    well is not believed; of what was cut off on the way, what was there holds.
    """
    answered: set[str] = set()
    try:
        yield answered
    except ContainerError as error:
        if not error.is_cut_off or answered.issuperset(sentences):
            error.spoiled = frozenset(answered)
        raise


def _first_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for key in sorted({*before, *now}):
        said, other = (
            quoted(str(each[key])) if key in each else "not there" for each in (now, before)
        )
        if said != other:
            return f"its {quoted(key)} is {said}, and was {other}"
    return "its header"


@frozen
class PrintedAnswers:
    """Asks an image for tokens, unknown words and surprisals, a container start each.

    What one command prints has to agree with what the others do. A first token with a surprisal
    of exactly 0 has no probability: that is how version 1 of the protocol says so. A sentence that
    is not spelt by what was printed for it is to blame, once all else was well.
    """

    commands: ImageCommands

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence) in order; see `Model.score`."""
        if not sentences:
            return
        reference = self.commands.reference
        blamed: dict[str, str] = {}
        tokenizer = TokenizerSpec.from_dict(self.commands.spec())
        tokens = self.commands.tokenize(sentences)
        masks: list[list[bool]] | None = None
        if tokenizer.unk_types and self.commands.supports("unkify") is not False:
            masks = self.commands.unkify(sentences)
        with (
            _failures_told(sentences) as answered,
            closing(self.commands.each_surprisals(sentences)) as printed,
        ):
            for index, rows in enumerate(printed):
                mask = masks[index] if masks is not None else None
                sentence = sentences[index]
                answered.add(sentence)
                where, unknown = place(index + 1, sentence), tokenizer.unk_types
                try:
                    agreed = self.commands.agreed(where, tokens[index], mask, rows, unknown)
                    scored = tokenizer.scored(sentence, agreed)
                    scored.check()
                except (AlignmentError, SurprisalError) as error:
                    message = shortened(f"{reference}: get_surprisals: {where}: {error}")
                    blamed.setdefault(sentence, message)
                    continue
                except ContainerError as error:
                    blamed.setdefault(sentence, str(error))
                    continue
                if policy.first_token != "zero":
                    scored = _without_first_zero(scored)
                scored = under_policy(scored, policy, reference)
                yield index, scored
        if blamed:
            raise ModelError.of_sentences(blamed)

    def close(self) -> None:
        """Do nothing: no container outlives a command."""


def _without_first_zero(scored: ScoredSentence) -> ScoredSentence:
    tokens = list(scored.tokens)
    # Words that the model leaves out may come before it.
    first = next((n for n, token in enumerate(tokens) if token.surprisal_bits is not None), None)
    if first is not None and tokens[first].surprisal_bits == 0:
        tokens[first] = replace(tokens[first], surprisal_bits=None)
    return replace(scored, tokens=tuple(tokens))


_SAID_BY_HEADER = ("n_parameters", "max_tokens", "bos", "eos", "dtype", "device")


def describe(
    reference: str,
    commands: ImageCommands,
    *,
    weights: str | None = None,
    header: Mapping[str, Any] | None = None,
) -> ModelInfo:
    """Return what is known of an image's model before it is asked.

    `weights` is the hash of the checkpoint, `header` what `score` says of the model; without one it
    is a model that speaks version 1 of the protocol. Raises `ContainerError`.
    """
    spec, image = commands.spec(), commands.image
    said: Mapping[str, Any]
    if header is None:
        tokenizer = TokenizerSpec.from_dict(spec)
        said = {
            "bos": min(tokenizer.prefix_types, default=None),
            "eos": min(tokenizer.suffix_types, default=None),
        }
        # Whether an image follows the number format nobody knows: its numbers may depend on it.
        decides = ["protocol 1", commands.environment.get(DTYPE_VARIABLE, "")]
        details = {"protocol": 1, "offsets": RECOVERED}
    else:
        said = {key: header.get(key) for key in _SAID_BY_HEADER}
        decides = ["protocol 2", header["fingerprint"]]
        own = {"name": header["name"], "fingerprint": header["fingerprint"]}
        details = {"protocol": 2, "model": own}
    names = (spec.get("name"), spec.get("shortname"), (header or {}).get("name"))
    decides = [image.id, weights or "", *decides, ""]
    mounted = commands.checkpoint
    return ModelInfo(
        reference=reference,
        # Without a name of its own, it is called what its image is called.
        name=next(filter(None, names), commands.reference.partition("://")[2]),
        kind="container",
        fingerprint=hashlib.sha256("\n".join(decides).encode()).hexdigest(),
        revision=min(image.digests, default=image.id),
        details={
            **details,
            "image": image.to_dict(),
            "engine": dict(image.engine),
            "sandbox": commands.sandbox.to_dict(),
            "checkpoint": {"name": mounted.name, "sha256": weights} if mounted else None,
            "gpus": commands.gpus,
            "environment": dict(commands.environment),
        },
        costly_calls=True,
        **said,
    )


@frozen(eq=False)
class ContainerModel:
    """A model whose answers come out of a container.

    What runs is removed by `close`, or when nobody has the model any more; a model that was
    closed starts anew when it is asked again.
    """

    described: ModelInfo
    commands: ImageCommands
    answers: PrintedAnswers | SessionAnswers

    @property
    def info(self) -> ModelInfo:
        """Which model this is, and what of its image's output was read that should not be there."""
        details = dict(self.described.details)
        for remark in self.commands.remarks:
            details["habits"] = remark
        return replace(self.described, details=details)

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - no protocol has them
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence), each as soon as it is there; see `Model.score`."""
        check_only_method(self.info, policy)
        # Not returned: the iterator has to keep the model, and with it the container, alive.
        yield from self.answers.score(sentences, policy)

    def close(self) -> None:
        """Remove the containers that there are, and let go of the engine and of the image."""
        self.answers.close()
        self.commands.close()


def open_model(reference: str, options: LoadOptions) -> ContainerModel:
    """Return the model in the image that `reference` names.

    Raises `ModelNotAvailableError` if the image, its engine or the checkpoint is not there, or the
    image takes no checkpoint, and `ContainerError` for an image that fails to say what it is.
    """
    commands = ImageCommands.open(reference, options)
    try:
        return _opened(reference, commands)
    except BaseException:
        commands.close()
        raise


def _opened(reference: str, commands: ImageCommands) -> ContainerModel:
    if commands.checkpoint and commands.supports("mount_checkpoint") is False:
        # This model's failure, and no other's: others of the run may take the weights.
        raise ModelNotAvailableError(
            f"{commands.reference}: --checkpoint cannot be used: the image says that it takes no "
            "weights but its own (mount_checkpoint in its spec)"
        )
    weights = checkpoint.contents_hash(commands.checkpoint) if commands.checkpoint else None
    answers: PrintedAnswers | SessionAnswers
    if commands.spec().get("protocol", 1) == 1:
        answers, header = PrintedAnswers(commands=commands), None
    else:
        answers = session = SessionAnswers(commands)
        header = session.header
    info = describe(reference, commands, weights=weights, header=header)
    model = ContainerModel(described=info, commands=commands, answers=answers)
    weakref.finalize(model, answers.close)
    return model


KIND = Kind(
    open=open_model,
    forms={
        "docker://IMAGE": "a model in a container, by Docker; podman://IMAGE by Podman",
        "apptainer://FILE.sif": "the same by Apptainer; also singularity://, library://, shub://",
        "GRNN, JRNN, RNNG, ...": "the images that the LM Zoo published (pommel list)",
    },
    separators="/:@",
)
