"""Checks of protocol 2: the command `score`."""

import math
import time

from pommel.errors import AlignmentError, InputError, SurprisalError, counted
from pommel.images.check import SAME_BITS, Check, Failed
from pommel.images.conversation import (
    ANSWERS,
    END,
    ERRORS,
    HEADER,
    POLICIES,
    Conversation,
    Exchange,
    converse,
)
from pommel.images.subject import Skipped, Subject
from pommel.images.trial_sentences import many
from pommel.models.container.score_session import ScoreSession
from pommel.models.policy import Policy
from pommel.models.printed import scored_sentence
from pommel.models.token_lists import tokens_from_json
from pommel.surprisal import ScoredSentence, Token

_HEADER_KINDS: dict[tuple[str, ...], tuple[type, ...]] = {
    ("name", "fingerprint"): (str,),
    ("bos", "eos", "dtype", "device"): (str, type(None)),
    ("max_tokens", "n_parameters"): (int, type(None)),
}


def _talk(subject: Subject) -> Conversation:
    if subject.spec.get("protocol", 1) == 1:
        raise Skipped("the image speaks version 1 of the protocol only")
    return subject.once("score", lambda: converse(subject))


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


def _ends(subject: Subject) -> str:
    _talk(subject).step(END)
    return ""


def _agrees_with_surprisals(subject: Subject) -> str:
    known = dict(subject.tables.known())
    n_compared = 0
    for exchange in _talk(subject).step(ANSWERS):
        rows = known.get(exchange.sentence)
        if rows is None or "error" in exchange.answer:
            continue
        try:
            printed = scored_sentence(exchange.sentence, rows, subject.tokenizer)
            answered = _scored(exchange)
        except (AlignmentError, Failed):
            continue  # other checks say so
        _check_same(answered, printed)
        n_compared += 1
    return counted(n_compared, "sentence")


def _check_same(answered: ScoredSentence, printed: ScoredSentence) -> None:
    one, other = (
        # Version 1 prints no mark before the sentence, or one without a probability.
        [token for token in each.tokens if token.role != "bos"]
        for each in (answered, printed)
    )
    if len(one) != len(other):
        raise Failed(
            f"{answered.text!r}: the tokens differ\n"
            f"    score:          {_shown(one)}\n    get_surprisals: {_shown(other)}"
        )
    for token, row in zip(one, other, strict=True):
        # Version 1 prints 0 where there is no probability.
        bits, printed_bits = token.surprisal_bits or 0.0, row.surprisal_bits or 0.0
        if bits != printed_bits and not math.isclose(bits, printed_bits, abs_tol=SAME_BITS):
            raise Failed(
                f"{answered.text!r}: {token.text!r} has {bits:g} bits in score, and "
                f"{printed_bits:g} in get_surprisals"
            )


def _shown(tokens: list[Token]) -> str:
    return " ".join(token.text for token in tokens)


def _takes_many(subject: Subject) -> str:
    _talk(subject).step(END)
    started = time.monotonic()
    sentences = many(subject.n_sentences)
    first: dict[str, ScoredSentence] = {}
    session = ScoreSession(subject.commands)
    try:
        for index, scored in session.score(sentences, Policy()):
            known = first.setdefault(sentences[index], scored)
            if known != scored:
                _check_same_everywhere(index + 1, known, scored)
    finally:
        session.close()
    return f"{len(sentences)} sentences in {time.monotonic() - started:.1f} s"


def _check_same_everywhere(number: int, known: ScoredSentence, scored: ScoredSentence) -> None:
    same = len(known.tokens) == len(scored.tokens) and all(
        (one.text, one.start, one.end) == (other.text, other.start, other.end)
        and math.isclose(one.surprisal_bits or 0, other.surprisal_bits or 0, abs_tol=SAME_BITS)
        for one, other in zip(known.tokens, scored.tokens, strict=True)
    )
    if not same:
        raise Failed(f"{scored.text!r} is answered otherwise as sentence {number} than before")


def _scored(exchange: Exchange) -> ScoredSentence:
    where = f"{exchange.sentence!r}"
    try:
        tokens = tokens_from_json(exchange.answer.get("tokens"), where)
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
        name="score-header",
        shows="the first line of `score` comes before any request, and says who answers",
        mend='print {"format": "pommel-score", "version": 2, "model": {"name": ..., '
        '"fingerprint": ...}} and flush it, before reading anything',
        run=_says_who_it_is,
    ),
    Check(
        name="score-answers",
        shows="an empty line has everything answered, each request under its id",
        mend="flush standard output after each empty line; an empty block has no answers",
        run=_answers,
    ),
    Check(
        name="score-tokens",
        shows="the tokens of answers fit their sentences",
        mend="count start and end in characters (not bytes), in order, and leave out no text",
        run=_fits_the_sentences,
    ),
    Check(
        name="score-policies",
        shows="bos and eos of a request are followed, or answered with an error",
        mend="leave out the eos token under eos=never; answer always with an error where the "
        "model has no such mark",
        run=_follows_policies,
    ),
    Check(
        name="score-errors",
        shows="a sentence that is too long is an error of its own, and the program goes on",
        mend='answer {"id": ..., "error": "why"} for this sentence, and score the others',
        run=_goes_on_after_errors,
    ),
    Check(
        name="score-end",
        shows="at the end of its input it answers what is left and ends with exit status 0",
        mend="answer what has no empty line behind it when the input ends, then end",
        run=_ends,
    ),
    Check(
        name="score-agrees",
        shows="`score` gives the surprisals of `get_surprisals`",
        mend="let both commands use one model and one tokenizer",
        run=_agrees_with_surprisals,
    ),
    Check(
        name="score-many-sentences",
        shows="thousands of sentences are answered in blocks, the same ones alike",
        mend="read and answer at once (a thread, or blocks); mask the padding of batches",
        run=_takes_many,
    ),
)
