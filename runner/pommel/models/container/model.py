"""A model in a container, whatever version of the protocol its image speaks."""

import hashlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pommel.errors import ModelNotAvailableError
from pommel.models.alignment import TokenizerSpec
from pommel.models.container import checkpoint
from pommel.models.container.commands import DTYPE_VARIABLE, ImageCommands, open_commands
from pommel.models.container.image_spec import features
from pommel.models.container.printed_answers import PrintedAnswers
from pommel.models.container.warm_answers import WarmAnswers
from pommel.models.model import RECOVERED, LoadOptions, ModelInfo, Policy, Spans, check_only_method
from pommel.surprisal import ScoredSentence

_SAID_BY_HEADER = ("n_parameters", "max_tokens", "bos", "eos", "dtype", "device")


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is known of a model before it is asked; `weights` is the hash of the checkpoint."""

    reference: str
    commands: ImageCommands
    spec: Mapping[str, Any]
    weights: str | None

    def of_printed(self) -> ModelInfo:
        """Return the description of a model that speaks version 1 of the protocol."""
        tokenizer = TokenizerSpec.from_dict(self.spec)
        # Whether an image follows the number format nobody knows: its numbers may depend on it.
        dtype = self.commands.environment.get(DTYPE_VARIABLE, "")
        return self._info(
            said={
                "name": self._name(),
                "bos": min(tokenizer.prefix_types, default=None),
                "eos": min(tokenizer.suffix_types, default=None),
            },
            decides=("protocol 1", dtype),
            details={"protocol": 1, "offsets": RECOVERED},
            costly_calls=True,
        )

    def of_warm(self, header: Mapping[str, Any]) -> ModelInfo:
        """Return the description of a model that speaks version 2, and has said who it is."""
        own = {"name": header["name"], "fingerprint": header["fingerprint"]}
        return self._info(
            said={key: header.get(key) for key in _SAID_BY_HEADER}
            | {"name": self._name(header["name"])},
            decides=("protocol 2", header["fingerprint"]),
            details={"protocol": 2, "model": own},
            costly_calls=False,
        )

    def _info(
        self,
        *,
        said: dict[str, Any],
        decides: tuple[str, ...],
        details: dict[str, Any],
        costly_calls: bool,
    ) -> ModelInfo:
        image = self.commands.image
        return ModelInfo(
            reference=self.reference,
            kind="container",
            fingerprint=_fingerprint(image.id, self.weights or "", *decides),
            revision=min(image.digests, default=image.id),
            details=details | self._details(),
            costly_calls=costly_calls,
            **said,
        )

    def _details(self) -> dict[str, Any]:
        commands, image = self.commands, self.commands.image
        weights = None
        if commands.checkpoint is not None:
            weights = {"name": commands.checkpoint.name, "sha256": self.weights}
        return {
            "image": {
                "reference": image.reference,
                "id": image.id,
                "digests": list(image.digests),
            },
            "engine": dict(image.engine),
            "sandbox": commands.sandbox.to_dict(),
            "checkpoint": weights,
            "gpus": commands.gpus,
            "environment": dict(commands.environment),
        }

    def _name(self, otherwise: str = "") -> str:
        name = self.spec.get("name") or self.spec.get("shortname") or otherwise
        # Without a name of its own, it is called what its image is called.
        return name or self.commands.reference.partition("://")[2]


def describe(reference: str, commands: ImageCommands) -> Description:
    """Ask an image for its spec and read the checkpoint.

    Raises `ModelNotAvailableError` for a checkpoint that cannot be read, and `ContainerError`.
    """
    spec = commands.spec()
    weights = checkpoint.contents_hash(commands.checkpoint) if commands.checkpoint else None
    return Description(reference=reference, commands=commands, spec=spec, weights=weights)


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\n".join([*parts, ""]).encode()).hexdigest()


class Answers(Protocol):
    """How an image is asked for surprisals; `close` lets go of containers, and may be repeated."""

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """See `Model.score`."""
        ...

    def close(self) -> None:
        """Remove every container."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class ContainerModel:
    """A model whose answers come out of a container.

    What runs is removed by `close`, or when nobody has the model any more; a model that was
    closed starts anew when it is asked again.
    """

    info: ModelInfo
    commands: ImageCommands
    answers: Answers

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
        """Remove the container, if one is kept warm, and let go of the engine."""
        self.answers.close()
        self.commands.engine.close()


def open_model(reference: str, options: LoadOptions) -> ContainerModel:
    """Return the model in the image that `reference` names.

    Raises `ModelNotAvailableError` if the image, its engine or the checkpoint is not there, or the
    image takes no checkpoint, and `ContainerError` for an image that fails to say what it is.
    """
    commands = open_commands(reference, options)
    if commands.checkpoint and not features(commands.spec()).get("mount_checkpoint", True):
        # This model's failure, and no other's: others of the run may take the weights.
        raise ModelNotAvailableError(
            f"{commands.reference}: --checkpoint cannot be used: the image says that it takes no "
            "weights but its own (mount_checkpoint in its spec)"
        )
    described = describe(reference, commands)
    answers: Answers
    if described.spec.get("protocol", 1) == 1:
        answers = PrintedAnswers(commands=commands)
        info = described.of_printed()
    else:
        answers = warm = WarmAnswers(commands)
        info = described.of_warm(warm.header)
    model = ContainerModel(info=info, commands=commands, answers=answers)
    weakref.finalize(model, answers.close)
    return model
