"""The image that is checked: what it has answered, asked once and shared by all checks.

Starting a container is what costs, so that one start answers for all sentences. Only where that
fails are the kinds of sentences asked one by one, to see which it is.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from pommel.errors import PommelError
from pommel.images.trial_sentences import KINDS
from pommel.models.container.commands import ImageCommands
from pommel.models.container.image_spec import features
from pommel.models.spec import TokenizerSpec
from pommel.models.surprisal_table import PrintedToken

_T = TypeVar("_T")

# A command that takes so long to fail is not asked again for each kind of sentence.
_TOO_LONG_S = 60
_PLAIN = "plain"


class Skipped(Exception):  # noqa: N818 - it is what a check says, and no error of ours
    """A check has nothing to look at; the message says why."""


class Answers(Generic[_T]):
    """What one command answers to the trial sentences."""

    def __init__(self, name: str, ask: Callable[[Sequence[str]], Sequence[_T]]) -> None:
        """Ask nothing yet."""
        self._name = name
        self._ask = ask
        self._found: dict[str, Sequence[_T] | PommelError] = {}
        self.seconds = 0.0

    def all(self) -> list[tuple[str, _T]]:
        """Return each sentence with its answer, from one start; raises what the command raises."""
        sentences = [sentence for kind in KINDS.values() for sentence in kind]
        return list(zip(sentences, self._once("", sentences), strict=True))

    def of_kind(self, kind: str) -> list[tuple[str, _T]]:
        """Return the sentences of a kind with their answers.

        Where not all kinds have an answer, raises what the command raises for this kind alone;
        `Skipped` if not even plain sentences have one.
        """
        try:
            return [pair for pair in self.all() if pair[0] in KINDS[kind]]
        except PommelError:
            if self.seconds > _TOO_LONG_S:
                raise Skipped(f"{self._name} has failed, and took long for it") from None
        try:
            self._once(_PLAIN, KINDS[_PLAIN])
        except PommelError:
            raise Skipped(f"{self._name} has failed") from None
        return list(zip(KINDS[kind], self._once(kind, KINDS[kind]), strict=True))

    def known(self) -> list[tuple[str, _T]]:
        """Return the sentences of all kinds that have an answer; raises `Skipped` if none has."""
        pairs = []
        for kind in KINDS:
            try:
                pairs += self.of_kind(kind)
            except (PommelError, Skipped):
                continue
        if not pairs:
            raise Skipped(f"{self._name} has failed")
        return pairs

    def _once(self, key: str, sentences: Sequence[str]) -> Sequence[_T]:
        if key not in self._found:
            started = time.monotonic()
            try:
                self._found[key] = self._ask(sentences)
            except PommelError as error:
                self._found[key] = error
            self.seconds = max(self.seconds, time.monotonic() - started)
        found = self._found[key]
        if isinstance(found, PommelError):
            raise found
        return found


class Subject:
    """An image's commands, and what they have answered so far."""

    def __init__(self, commands: ImageCommands, *, n_sentences: int) -> None:
        """Ask nothing yet; `n_sentences` is what "many" means."""
        self.commands = commands
        self.n_sentences = n_sentences
        self.tokens = Answers("tokenize", commands.tokenize)
        self.masks = Answers("unkify", commands.unkify)
        self.tables: Answers[tuple[PrintedToken, ...]] = Answers(
            "get_surprisals", commands.get_surprisals
        )
        self._kept: dict[str, Any] = {}

    def once(self, name: str, ask: Callable[[], _T]) -> _T:
        """Return what `ask` returns, asked the first time only; `Skipped` if that has failed."""
        if name not in self._kept:
            # Set first, so that an error leaves it behind.
            self._kept[name] = None
            self._kept[name] = ask()
        found: _T | None = self._kept[name]
        if found is None:
            raise Skipped(f"{name} has failed")
        return found

    @cached_property
    def _spec(self) -> Mapping[str, Any] | None:
        try:
            return self.commands.spec()
        except PommelError:
            return None

    @property
    def spec(self) -> Mapping[str, Any]:
        """What the image says of itself; raises `Skipped` if it does not."""
        if self._spec is None:
            raise Skipped("spec has failed")
        return self._spec

    @property
    def tokenizer(self) -> TokenizerSpec:
        """How its tokens are read."""
        return TokenizerSpec.from_dict(self.spec)

    def supports(self, feature: str) -> bool | None:
        """Return what the spec says of a command, None where it says nothing."""
        return features(self._spec or {}).get(feature)

    def need(self, feature: str) -> None:
        """Raise `Skipped` for what the image does not have, or does not say that it has."""
        says = self.supports(feature)
        if says is None and feature not in ("tokenize", "unkify", "get_surprisals"):
            raise Skipped(f"the spec does not say that the image has {feature}")
        if says is False:
            raise Skipped(f"the spec says that the image has no {feature}")

    def plain(self) -> list[tuple[str, tuple[PrintedToken, ...]]]:
        """Return the plain sentences with their surprisals; raises `Skipped` without them."""
        return self.tables.of_kind(_PLAIN)
