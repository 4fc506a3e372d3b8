"""What a check of an image is: its subject, what that is asked, and what comes out."""

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import cycle, islice, product
from typing import Any, Generic, Literal, TypeVar

from pommel.errors import ContainerError, PommelError, printable
from pommel.models import ImageCommands, PrintedToken, TokenizerSpec
from pommel.surprisal import Token
from pommel.values import frozen

# A word that no vocabulary has.
UNKNOWN_WORD = "zxqvblorp"

# Kind -> what it shows, and sentences of it.
_TRIAL = json.loads(files("pommel.images").joinpath("trial_sentences.json").read_text("utf-8"))
KINDS: dict[str, tuple[str, ...]] = {
    kind: tuple(trial["sentences"]) for kind, trial in _TRIAL.items()
}
SHOWS: dict[str, str] = {kind: trial["shows"] for kind, trial in _TRIAL.items()}

_ADJECTIVES = ("old", "young", "tall", "good", "new")
_NOUNS = ("author", "pilot", "surgeon", "farmer", "manager")
_PLURALS = ("senators", "guards", "chefs", "dancers")


def many(n_sentences: int) -> list[str]:
    """Return this many sentences, a hundred different ones over and over."""
    forms = product(_ADJECTIVES, _PLURALS, _NOUNS)
    distinct = [
        f"The {adjective} {noun} near the {plural} is here ." for adjective, plural, noun in forms
    ]
    return [distinct[number % len(distinct)] for number in range(n_sentences)]


def long_sentence(n_words: int) -> str:
    """Return a sentence of this many words."""
    return " ".join(islice(cycle(("the", "author", "near")), n_words))


_T = TypeVar("_T")

# A command that takes so long to fail is not asked again for each kind of sentence.
_TOO_LONG_S = 60
_PLAIN = "plain"


class Skipped(Exception):  # noqa: N818 - it is what a check says, and no error of ours
    """A check has nothing to look at; the message says why."""


@dataclass(slots=True)
class Answers(Generic[_T]):
    """What one command answers to the trial sentences."""

    name: str
    ask: Callable[[Sequence[str]], Sequence[_T]]
    seconds: float = 0.0
    _found: dict[str, Sequence[_T] | PommelError] = field(default_factory=dict)

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
                raise Skipped(f"{self.name} has failed, and took long for it") from None
        try:
            self._once(_PLAIN, KINDS[_PLAIN])
        except PommelError:
            raise Skipped(f"{self.name} has failed") from None
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
            raise Skipped(f"{self.name} has failed")
        return pairs

    def _once(self, key: str, sentences: Sequence[str]) -> Sequence[_T]:
        if key not in self._found:
            started = time.monotonic()
            try:
                self._found[key] = self.ask(sentences)
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
        return None if self._spec is None else self.commands.supports(feature)

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


Status = Literal["ok", "failed", "warning", "skipped"]

# Surprisals that differ by less are the same: they are printed with six decimals.
SAME_BITS = 1e-3

_LONGEST = 2000


class Failed(Exception):  # noqa: N818 - it is what a check says, and no error of ours
    """The image does not do what a check wants; the message says what it does instead."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that an image has to do.

    `shows` says what, `mend` what an author does about it. `run` returns a remark, if it has one,
    or raises `Failed`, `Skipped`, or any error that is meant for the user. What fails
    while `only_warns` is a warning: the image can be used all the same.
    """

    name: str
    shows: str
    mend: str
    run: Callable[[Subject], str | None]
    only_warns: bool = False


def check_refusal(error: ContainerError) -> None:
    """Raise the error again unless the command itself has ended so: it may refuse what is odd."""
    if "it ended with exit status" not in str(error):
        raise error


# The tokens of a sentence with their bits; None without a probability.
Bits = tuple[tuple[str, float | None], ...]


def bits_of(tokens: Iterable[PrintedToken | Token]) -> Bits:
    """Return what of tokens is compared."""
    return tuple((token.text, token.surprisal_bits) for token in tokens)


def check_same(sentence: str, bits: Bits, others: Bits, where: str) -> None:
    """Raise `Failed` for two answers to a sentence that differ; `where` says whose `others` are.

    Where there is no probability version 1 of the protocol prints 0.
    """
    if [text for text, _ in bits] != [text for text, _ in others]:
        raise Failed(f"{sentence!r} has other tokens {where}")
    for (text, one), (_, other) in zip(bits, others, strict=True):
        if one != other and not math.isclose(one or 0, other or 0, abs_tol=SAME_BITS):
            is_and = f"has {one or 0:g} bits, and {other or 0:g} {where}"
            raise Failed(f"{sentence!r}: {text!r} {is_and}")


@frozen
class CheckResult:
    """What came out of a check: a message that says why, and what to do if it has failed."""

    name: str
    shows: str
    status: Status
    message: str
    mend: str
    seconds: float

    def to_dict(self) -> Mapping[str, Any]:
        """Return the result as plain JSON values."""
        return {**asdict(self), "seconds": round(self.seconds, 3)}


def run_check(check: Check, subject: Subject) -> CheckResult:
    """Run a check; whatever is wrong with the image is in the result."""
    started = time.monotonic()
    status: Status = "failed"
    mend = check.mend
    try:
        status, message, mend = "ok", check.run(subject) or "", ""
    except Skipped as skipped:
        status, message, mend = "skipped", str(skipped), ""
    except (Failed, PommelError) as error:
        message = str(error).removeprefix(f"{subject.commands.reference}: ")
        mend = _mend(check, message)
    # What a stranger prints finds the places where nobody thought of it (numbers of thousands of
    # digits, lists in lists in lists): that is a fault of the image, and ends this check only.
    except (RecursionError, MemoryError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"what it says cannot be made sense of ({reason})"
    if status == "failed" and check.only_warns:
        status = "warning"
    return CheckResult(
        name=check.name,
        shows=check.shows,
        status=status,
        message=_readable(message),
        mend=mend,
        seconds=time.monotonic() - started,
    )


def _mend(check: Check, message: str) -> str:
    """Return what to do; for a command that does not even run, that is not what the check is of."""
    if "is not there (exit status 127)" in message:
        return "put the command on the image's PATH, and the program that its first line names"
    if ": it ended with exit status" in message:
        return "standard error says why (weights that are not in the image: --checkpoint PATH)"
    return check.mend


def _readable(message: str) -> str:
    """Return a message that quotes a stranger's program, without what would steer a terminal."""
    shown = "\n".join(map(printable, message[: _LONGEST + 1].split("\n")))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
