"""Checks of protocol 2: a conversation with `score`, step by step, whatever it may stumble over."""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from pommel.errors import (
    AlignmentError,
    InputError,
    PommelError,
    SurprisalError,
    counted,
)
from pommel.images.check import (
    KINDS,
    Bits,
    Check,
    Failed,
    Skipped,
    Subject,
    bits_of,
    check_same,
    long_sentence,
    many,
)
from pommel.models import Policy, Recording
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

# How long an image may think before its first line: what it took for a whole command, many times.
_SHORTEST_WAIT_S = 60
_TIMES_A_COMMAND = 10
_LONGEST_SENTENCE = 1_000_000
# Requests are numbered from here, so that who counts answers instead of reading ids is found out.
_FIRST_ID = 100
HEADER, ANSWERS, POLICIES, ERRORS, END = "header", "answers", "policies", "errors", "end"


@frozen
class Exchange:
    """A sentence that was asked for under a policy, and its answer as JSON has it."""

    sentence: str
    policy: Policy
    answer: Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class Conversation:
    """What an image has said, step by step; `header` is what it says of its model.

    `error` is what ended it, in `failed_step`.
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    exchanges: dict[str, list[Exchange]] = field(default_factory=dict)
    failed_step: str = HEADER
    error: PommelError | None = None

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
    try:
        _talk_through(subject, talk)
    except PommelError as error:
        talk.error = error
    return talk


def _talk_through(subject: Subject, talk: Conversation) -> None:
    commands, plain = subject.commands, KINDS["plain"]
    seconds = max(_SHORTEST_WAIT_S, _TIMES_A_COMMAND * subject.tables.seconds)
    seconds = min(seconds, commands.sandbox.timeout_s)
    with closing(commands.score_session(timeout_s=seconds, first_id=_FIRST_ID)) as session:

        def ask(
            sentences: Sequence[str], policy: Policy | None = None, *, last: bool = False
        ) -> None:
            policy = policy or Policy()
            found = dict(session.answers(sentences, policy, last=last))
            talk.exchanges[talk.failed_step] = talk.exchanges.get(talk.failed_step, []) + [
                Exchange(sentence=sentence, policy=policy, answer=found[index])
                for index, sentence in enumerate(sentences)
            ]

        talk.header, talk.exchanges[HEADER] = session.header, []
        talk.failed_step = ANSWERS
        # An empty block first: nothing is asked, and nothing may be answered.
        session.send([], Policy())
        ask([sentence for kind in KINDS.values() for sentence in kind])
        talk.failed_step = POLICIES
        for policy in (Policy(eos="never"), Policy(bos="never")):
            ask(plain[:2], policy)
        for policy in (Policy(bos="always"), Policy(eos="always")):
            ask(plain[:1], policy)
        talk.failed_step = ERRORS
        most = talk.header.get("max_tokens") or 0
        if 0 < most < _LONGEST_SENTENCE:
            ask([plain[0], long_sentence(most + 1), plain[0]])
        else:
            ask([])
        talk.failed_step = END
        # No empty line behind it: the end of the input asks for answers, too.
        ask(plain[:1], last=True)
        session.finish()


def _talk(subject: Subject) -> Conversation:
    if subject.spec.get("protocol", 1) == 1:
        raise Skipped("the image speaks version 1 of the protocol only")
    return subject.once("score", lambda: converse(subject))


def _says_who_it_is(subject: Subject) -> str:
    talk = _talk(subject)
    talk.step(HEADER)
    return str(talk.header["name"])


def _answers(subject: Subject) -> str:
    return counted(len(_talk(subject).step(ANSWERS)), "answer")


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


def _follows_policies(subject: Subject) -> None:
    talk = _talk(subject)
    for exchange in talk.step(POLICIES):
        policy = exchange.policy
        if "error" in exchange.answer:
            _check_reason(exchange)
            continue
        for mark, choice in (("bos", policy.bos), ("eos", policy.eos)):
            if choice == "always" and talk.header.get(mark) is None:
                raise Failed(f"{mark}=always is no error, though the header has {mark} null")
        has_eos = any(token.role == "eos" for token in _scored(exchange).tokens)
        if policy.eos != "auto" and has_eos != (policy.eos == "always"):
            number = "an" if has_eos else "no"
            raise Failed(f"under eos={policy.eos}, an answer has {number} eos token")


def _goes_on_after_errors(subject: Subject) -> None:
    said = _talk(subject).step(ERRORS)
    if not said:
        raise Skipped("the header gives no max_tokens, so that no sentence is too long")
    before, too_long, after = said
    if "error" not in too_long.answer:
        raise Failed("a sentence of more words than max_tokens is no error")
    _check_reason(too_long)
    if "error" in after.answer or "error" in before.answer:
        raise Failed("a sentence that is too long makes those beside it fail")


def _ends(subject: Subject) -> None:
    _talk(subject).step(END)


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
    try:
        tokens = Recording.read_tokens(exchange.answer.get("tokens"), repr(exchange.sentence))
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
    Check(
        "score-header",
        "the first line of `score` comes before any request, and says who answers",
        'print {"format": "pommel-score", "version": 2, "model": {"name": ..., '
        '"fingerprint": ...}} and flush it, before reading anything',
        _says_who_it_is,
    ),
    Check(
        "score-answers",
        "an empty line has everything answered, each request under its id",
        "flush standard output after each empty line; an empty block has no answers",
        _answers,
    ),
    Check(
        "score-tokens",
        "the tokens of answers fit their sentences",
        "count start and end in characters (not bytes), in order, and leave out no text",
        _fits_the_sentences,
    ),
    Check(
        "score-policies",
        "bos and eos of a request are followed, or answered with an error",
        "leave out the eos token under eos=never; answer always with an error where the "
        "model has no such mark",
        _follows_policies,
    ),
    Check(
        "score-errors",
        "a sentence that is too long is an error of its own, and the program goes on",
        'answer {"id": ..., "error": "why"} for this sentence, and score the others',
        _goes_on_after_errors,
    ),
    Check(
        "score-end",
        "at the end of its input it answers what is left and ends with exit status 0",
        "answer what has no empty line behind it when the input ends, then end",
        _ends,
    ),
    Check(
        "score-agrees",
        "`score` gives the surprisals of `get_surprisals`",
        "let both commands use one model and one tokenizer",
        _agrees_with_surprisals,
    ),
    Check(
        "score-many-sentences",
        "thousands of sentences are answered in blocks, the same ones alike",
        "read and answer at once (a thread, or blocks); mask the padding of batches",
        _takes_many,
    ),
)
