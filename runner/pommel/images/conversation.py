"""A conversation with an image's `score`, step by step, with everything it may stumble over.

One start for all steps: what an image has said until it failed is still there to be looked at.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pommel.errors import ContainerError, PommelError, quoted
from pommel.images.subject import Skipped, Subject
from pommel.images.trial_sentences import KINDS, long_sentence
from pommel.models.container.answers import most_characters
from pommel.models.container.engines.process import Command

# How long an image may think before its first line: what it took for a whole command, many times.
_SHORTEST_WAIT_S = 60
_TIMES_A_COMMAND = 10
_LONGEST_HEADER = 1 << 16
_LONGEST_SHOWN = 80
_LONGEST_SENTENCE = 1_000_000
HEADER, ANSWERS, POLICIES, ERRORS, END = "header", "answers", "policies", "errors", "end"
_AUTO = {"bos": "auto", "eos": "auto"}


class WrongAnswerError(PommelError):
    """The image says what the protocol does not have; the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its answer, both as JSON has them."""

    request: dict[str, Any]
    answer: dict[str, Any]

    @property
    def sentence(self) -> str:
        """The sentence that was asked for."""
        return str(self.request["sentence"])


@dataclass(slots=True, kw_only=True)
class Conversation:
    """What an image has said, step by step; `errors` holds the step that failed, and why."""

    header: dict[str, Any] = field(default_factory=dict)
    exchanges: dict[str, list[Exchange]] = field(default_factory=dict)
    failed_step: str = HEADER
    error: PommelError | None = None

    @property
    def model(self) -> Mapping[str, Any]:
        """What the header says of the model; nothing where it does not say it as it should."""
        model = self.header.get("model")
        return model if isinstance(model, dict) else {}

    def step(self, name: str) -> list[Exchange]:
        """Return what was said in a step; raises its error, or `Skipped` after an earlier one."""
        if self.error is not None and self.failed_step == name:
            raise self.error
        if name not in self.exchanges:
            raise Skipped(f"score has failed before, at {self.failed_step!r}")
        return self.exchanges[name]


def converse(subject: Subject) -> Conversation:
    """Talk to the image; whatever it does wrong is in the conversation."""
    talk = Conversation()
    seconds = max(_SHORTEST_WAIT_S, _TIMES_A_COMMAND * subject.tables.seconds)
    commands = subject.commands
    sandbox = replace(commands.sandbox, timeout_s=min(seconds, commands.sandbox.timeout_s))
    job = replace(commands.job("score"), sandbox=sandbox)
    try:
        with Command(commands.engine, job) as command:
            line = _Line(command)
            for name, act in _STEPS:
                talk.failed_step = name
                command.restart_clock()
                talk.exchanges[name] = act(line, talk)
    except PommelError as error:
        talk.error = error
    return talk


class _Line:
    """Our end of the line: requests under numbers of their own, answers in any order."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self._next_id = 100
        self._longest = ""

    def ask(
        self,
        sentences: Sequence[str],
        *,
        policy: Mapping[str, str] = _AUTO,
        flush: bool = True,
        last: bool = False,
    ) -> list[Exchange]:
        """Send a block and return its exchanges, in the order of the sentences."""
        requests: dict[Any, dict[str, Any]] = {}
        self._longest = max([self._longest, *sentences], key=len)
        for sentence in sentences:
            request = {"id": self._next_id, "sentence": sentence, **_AUTO, **policy}
            requests[self._next_id] = request
            self._next_id += 7
        self.send(requests.values(), flush=flush, last=last)
        answers: dict[Any, dict[str, Any]] = {}
        while len(answers) < len(requests):
            answer = self._answer(len(answers), len(requests))
            number = answer.get("id")
            if type(number) is not int or number not in requests or number in answers:
                raise WrongAnswerError(
                    f"an answer has the id {_shown(number)}, which nothing waits for"
                )
            answers[number] = answer
        return [Exchange(request=each, answer=answers[key]) for key, each in requests.items()]

    def send(self, requests: Iterable[dict[str, Any]], *, flush: bool, last: bool) -> None:
        """Send requests; an empty line behind them wants their answers now."""
        text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in requests)
        self.command.feed([text.encode(), b"\n" if flush else b""], last=last)

    def _answer(self, n_answers: int, n_requests: int) -> dict[str, Any]:
        line = self.next(f"{n_answers} of {n_requests} requests were answered")
        value = _object(line)
        if not {"tokens", "error"} & set(value):
            raise WrongAnswerError(f"an answer has neither tokens nor an error: {quoted(line)}")
        return value

    def next(self, so_far: str) -> str:
        """Return the next line; `so_far` is what is said if none comes."""
        started = time.monotonic()
        try:
            line = self.command.next_line()
        except ContainerError as error:
            waited = time.monotonic() - started
            raise WrongAnswerError(
                f"{so_far}, and then nothing came for {waited:.0f} s: {error}"
            ) from error
        if line is None:
            self.command.finish()
            raise WrongAnswerError(f"{so_far}, and then it ended with exit status 0")
        if len(line) > (most := max(_LONGEST_HEADER, most_characters(self._longest))):
            raise WrongAnswerError(f"{so_far}, and then came a line of more than {most} characters")
        return line


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WrongAnswerError(f"a line is no JSON: {quoted(line)}") from error
    if not isinstance(value, dict):
        raise WrongAnswerError(f"a line is no JSON object: {quoted(line)}")
    return value


def _hear_header(line: _Line, talk: Conversation) -> list[Exchange]:
    talk.header = _object(line.next("before any request, its header was waited for"))
    return []


def _ask_all(line: _Line, _talk: Conversation) -> list[Exchange]:
    # An empty block first: nothing is asked, and nothing may be answered.
    line.send([], flush=True, last=False)
    return line.ask([sentence for kind in KINDS.values() for sentence in kind])


def _ask_with_policies(line: _Line, talk: Conversation) -> list[Exchange]:
    sentences = KINDS["plain"][:2]
    said = line.ask(sentences, policy={"eos": "never"})
    said += line.ask(sentences, policy={"bos": "never"})
    model = talk.model
    for mark in ("bos", "eos"):
        said += line.ask(sentences[:1], policy={mark: "always"})
        if model.get(mark) is None and "error" not in said[-1].answer:
            raise WrongAnswerError(f"{mark}=always is no error, though the header has {mark} null")
    return said


def _ask_too_much(line: _Line, talk: Conversation) -> list[Exchange]:
    most = talk.model.get("max_tokens")
    if not isinstance(most, int) or not 0 < most < _LONGEST_SENTENCE:
        return []
    return line.ask([KINDS["plain"][0], long_sentence(most + 1), KINDS["plain"][0]])


def _end(line: _Line, _talk: Conversation) -> list[Exchange]:
    # No empty line behind it: the end of the input asks for answers, too.
    said = line.ask(KINDS["plain"][:1], flush=False, last=True)
    if (rest := line.command.next_line()) is not None:
        raise WrongAnswerError(f"it printed more than it was asked for: {quoted(rest)}")
    line.command.finish()
    return said


_STEPS: tuple[tuple[str, Callable[[_Line, Conversation], list[Exchange]]], ...] = (
    (HEADER, _hear_header),
    (ANSWERS, _ask_all),
    (POLICIES, _ask_with_policies),
    (ERRORS, _ask_too_much),
    (END, _end),
)
