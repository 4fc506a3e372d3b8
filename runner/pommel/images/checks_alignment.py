"""Checks that tokens spell their sentence, so that each surprisal finds its region."""

from functools import partial

from pommel.errors import (
    AlignmentError,
    ContainerError,
    SurprisalError,
    UnsupportedFeatureError,
    counted,
)
from pommel.images.check import Check, Failed
from pommel.images.subject import Subject
from pommel.images.trial_sentences import KINDS, long_sentence
from pommel.models.printed import scored_sentence
from pommel.models.surprisal_table import PrintedToken

_N_LONG = 400


def _spells(subject: Subject, *, kind: str) -> str:
    subject.need("get_surprisals")
    for sentence, rows in subject.tables.of_kind(kind):
        _check_spells(subject, sentence, rows)
    return ""


def _is_never_cut(subject: Subject) -> str:
    subject.need("get_surprisals")
    subject.plain()
    sentence = long_sentence(_N_LONG)
    try:
        (rows,) = subject.commands.get_surprisals([sentence])
    except UnsupportedFeatureError:
        raise
    except ContainerError as error:
        if "it ended with exit status" not in str(error):
            raise
        return f"a sentence of {_N_LONG} words is refused"
    # An unknown word's token may stand for all that is missing behind it.
    if len(rows) < _N_LONG:
        raise Failed(f"a sentence of {_N_LONG} words has {counted(len(rows), 'token')}")
    _check_spells(subject, sentence, rows)
    return f"{_N_LONG} words, {counted(len(rows), 'token')}"


def _check_spells(subject: Subject, sentence: str, rows: tuple[PrintedToken, ...]) -> None:
    try:
        scored_sentence(sentence, rows, subject.tokenizer).check()
    except (AlignmentError, SurprisalError) as error:
        raise Failed(f"{sentence[:80]!r}: {error}") from error


_SHOWS = {
    "plain": "plain sentences",
    "quotes": "quotes and apostrophes",
    "non-ascii": "letters and signs beyond ASCII",
    "unknown-words": "unknown words",
    "punctuation": "punctuation and signs",
    "blanks": "blanks where none should be",
    "table-words": "words such as NA, null, 007 and a lone quote",
    "mark-like-words": "words that look like marks, such as <unk> and </s>",
}
_MEND = (
    "print tokens that spell the sentence, or describe in the spec how they differ: unk_types, "
    "cased, sentinel_pattern, metaspace, drop_token_pattern, behaviors"
)

ALIGNMENT_CHECKS = (
    *(
        Check(
            name=f"tokens-spell-{kind}",
            shows=f"the tokens spell the sentence: {_SHOWS[kind]}",
            mend=_MEND,
            run=partial(_spells, kind=kind),
        )
        for kind in KINDS
    ),
    Check(
        name="long-sentence",
        shows="a sentence is scored whole or refused, and never cut",
        mend="end with exit status 1 and a message for a sentence that the model cannot take",
        run=_is_never_cut,
    ),
)
