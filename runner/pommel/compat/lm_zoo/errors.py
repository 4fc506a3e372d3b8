"""What can go wrong, under the names that `lm_zoo.errors` had.

Each is one of pommel's errors as well, with its exit status.
"""

from dataclasses import dataclass

from pommel import errors


@dataclass(eq=False, repr=False)
class UnsupportedFeatureError(errors.UnsupportedFeatureError, NotImplementedError):
    """A model does not have a command; `model` is its reference, `feature` the command."""

    model: object
    feature: str
    message: str | None = None

    def __str__(self) -> str:
        return self.message or f"{self.model}: this model has no {self.feature}"


class UnsupportedModelError(errors.ModelNotAvailableError, RuntimeError):
    """A model of a kind that is not scored, or can't be had for another reason."""


@dataclass(eq=False, repr=False)
class BackendConnectionError(errors.ModelNotAvailableError, RuntimeError):
    """A container engine does not answer, or has no such image and can't get it.

    `backend` is the engine's scheme, `exception` the error that pommel gives for it.
    """

    backend: str
    exception: Exception
    model: object = None

    def __str__(self) -> str:
        return str(self.exception)


@dataclass(eq=False, repr=False)
class IncompatibleBackendError(errors.UsageError, RuntimeError):
    """A model is to be run by something that can't run it; `message` says what to do instead."""

    model: object
    backend: str
    message: str | None = None

    def __str__(self) -> str:
        hint = f"; {self.message}" if self.message else ""
        return f"{self.model} cannot be run by {self.backend}{hint}"


class UnknownModelError(errors.ModelNotAvailableError, KeyError, ValueError):
    """A name that is not in the registry, and no reference of any other kind."""

    # A KeyError would print its message in quotes.
    __str__ = Exception.__str__
