"""Checks of protocol 2: a conversation with `score`, step by step, whatever it may stumble over."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from pommel.errors import (
    AlignmentError,
    ContainerError,
    InputError,
    PommelError,
    SurprisalError,
    counted,
    quoted,
)
from pommel.images.check import (
    KINDS,
    Bits,
    Failed,
    Skipped,
    Subject,
    bits_of,
    check,
    check_same,
    long_sentence,
    many,
)
from pommel.models import ImageCommands, Policy, Recording
from pommel.surprisal import ScoredSentence

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
    seconds = min(seconds, commands.sandbox.timeout_s)
    try:
        line = _Line(commands, timeout_s=seconds)
        with line.command as command:
            for name, act in _STEPS:
                talk.failed_step = name
                command.restart_clock()
                talk.exchanges[name] = act(line, talk)
    except PommelError as error:
        talk.error = error
    return talk


class _Line:
    """Our end of the line: requests under numbers of their own, answers in any order."""

    def __init__(self, commands: ImageCommands, *, timeout_s: float) -> None:
        self.command = commands.command("score", timeout_s=timeout_s)
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
                    f"an answer has the id {_shortened(number)}, which nothing waits for"
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
        if len(line) > (most := max(_LONGEST_HEADER, self.command.most_characters(self._longest))):
            raise WrongAnswerError(f"{so_far}, and then came a line of more than {most} characters")
        return line


def _shortened(value: object) -> str:
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


_HEADER_KINDS: dict[tuple[str, ...], tuple[type, ...]] = {
    ("name", "fingerprint"): (str,),
    ("bos", "eos", "dtype", "device"): (str, type(None)),
    ("max_tokens", "n_parameters"): (int, type(None)),
}


def _talk(subject: Subject) -> Conversation:
    if subject.spec.get("protocol", 1) == 1:
        raise Skipped("the image speaks version 1 of the protocol only")
    return subject.once("score", lambda: converse(subject))


@check(
    "score-header",
    shows="the first line of `score` comes before any request, and says who answers",
    mend='print {"format": "pommel-score", "version": 2, "model": {"name": ..., '
    '"fingerprint": ...}} and flush it, before reading anything',
)
def _says_who_it_is(subject: Subject) -> str:
    talk = _talk(subject)
    talk.step(HEADER)
    model = talk.header.get("model")
    if (talk.header.get("format"), talk.header.get("version")) != ("pommel-score", 2):
        raise Failed('its first line does not hold "format": "pommel-score" and "version": 2')
    if not isinstance(model, dict):
        raise Failed('its first line does not hold "model": {...}')
    for keys, kinds in _HEADER_KINDS.items():
        for key in keys:
            value = model.get(key)
            if not isinstance(value, kinds) or isinstance(value, bool) or value == "":
                raise Failed(f"the model's {key} is {value!r}")
    return str(model["name"])


@check(
    "score-answers",
    shows="an empty line has everything answered, each request under its id",
    mend="flush standard output after each empty line; an empty block has no answers",
)
def _answers(subject: Subject) -> str:
    return counted(len(_talk(subject).step(ANSWERS)), "answer")


@check(
    "score-tokens",
    shows="the tokens of answers fit their sentences",
    mend="count start and end in characters (not bytes), in order, and leave out no text",
)
def _fits_the_sentences(subject: Subject) -> str:
    talk = _talk(subject)
    n_refused = 0
    for exchange in talk.step(ANSWERS):
        if "error" in exchange.answer:
            _check_reason(exchange)
            n_refused += 1
        else:
            _scored(exchange)
    if n_refused == len(talk.step(ANSWERS)):
        raise Failed("all sentences are answered with errors")
    return f"{counted(n_refused, 'sentence')} refused" if n_refused else ""


@check(
    "score-policies",
    shows="bos and eos of a request are followed, or answered with an error",
    mend="leave out the eos token under eos=never; answer always with an error where the "
    "model has no such mark",
)
def _follows_policies(subject: Subject) -> str:
    for exchange in _talk(subject).step(POLICIES):
        if "error" in exchange.answer:
            _check_reason(exchange)
            continue
        roles = {token.role for token in _scored(exchange).tokens}
        choice = exchange.request["eos"]
        if choice == "never" and "eos" in roles:
            raise Failed("under eos=never, an answer has an eos token")
        if choice == "always" and "eos" not in roles:
            raise Failed("under eos=always, an answer has no eos token")
    return ""


@check(
    "score-errors",
    shows="a sentence that is too long is an error of its own, and the program goes on",
    mend='answer {"id": ..., "error": "why"} for this sentence, and score the others',
)
def _goes_on_after_errors(subject: Subject) -> str:
    said = _talk(subject).step(ERRORS)
    if not said:
        raise Skipped("the header gives no max_tokens, so that no sentence is too long")
    before, too_long, after = said
    if "error" not in too_long.answer:
        raise Failed("a sentence of more words than max_tokens is no error")
    _check_reason(too_long)
    if "error" in after.answer or "error" in before.answer:
        raise Failed("a sentence that is too long makes those beside it fail")
    return ""


@check(
    "score-end",
    shows="at the end of its input it answers what is left and ends with exit status 0",
    mend="answer what has no empty line behind it when the input ends, then end",
)
def _ends(subject: Subject) -> str:
    _talk(subject).step(END)
    return ""


@check(
    "score-agrees",
    shows="`score` gives the surprisals of `get_surprisals`",
    mend="let both commands use one model and one tokenizer",
)
def _agrees_with_surprisals(subject: Subject) -> str:
    known = dict(subject.tables.known())
    n_compared = 0
    for exchange in _talk(subject).step(ANSWERS):
        rows = known.get(exchange.sentence)
        if rows is None or "error" in exchange.answer:
            continue
        try:
            printed = subject.tokenizer.scored(exchange.sentence, rows)
            answered = _scored(exchange)
        except (AlignmentError, Failed):
            continue  # other checks say so
        # Version 1 prints no mark before the sentence, or one without a probability.
        one, other = (
            bits_of(token for token in each.tokens if token.role != "bos")
            for each in (answered, printed)
        )
        if len(one) == len(other):
            # A token may be written in two ways: an unknown word, what stands for it.
            other = tuple((text, bits) for (text, _), (_, bits) in zip(one, other, strict=True))
        check_same(exchange.sentence, one, other, "in get_surprisals")
        n_compared += 1
    return counted(n_compared, "sentence")


@check(
    "score-many-sentences",
    shows="thousands of sentences are answered in blocks, the same ones alike",
    mend="read and answer at once (a thread, or blocks); mask the padding of batches",
)
def _takes_many(subject: Subject) -> str:
    _talk(subject).step(END)
    started = time.monotonic()
    sentences = many(subject.n_sentences)
    first: dict[str, Bits] = {}
    with closing(subject.commands.score_session()) as session:
        for index, scored in session.score(sentences, Policy()):
            bits = bits_of(scored.tokens)
            known = first.setdefault(scored.text, bits)
            check_same(scored.text, known, bits, f"as sentence {index + 1}")
        session.finish()
    return f"{len(sentences)} sentences in {time.monotonic() - started:.1f} s"


def _scored(exchange: Exchange) -> ScoredSentence:
    where = f"{exchange.sentence!r}"
    try:
        tokens = Recording.read_tokens(exchange.answer.get("tokens"), where)
        scored = ScoredSentence(text=exchange.sentence, tokens=tokens)
        scored.check()
    except (AlignmentError, SurprisalError, InputError) as error:
        raise Failed(str(error)) from error
    return scored


def _check_reason(exchange: Exchange) -> None:
    reason = exchange.answer["error"]
    if not isinstance(reason, str) or not reason.strip():
        raise Failed(f"{exchange.sentence[:80]!r}: the error {reason!r} says nothing")


SCORE_CHECKS = (
    *(_says_who_it_is, _answers, _fits_the_sentences, _follows_policies, _goes_on_after_errors),
    *(_ends, _agrees_with_surprisals, _takes_many),
)
