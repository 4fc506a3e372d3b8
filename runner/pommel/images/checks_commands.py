"""Checks of `tokenize`, `unkify` and `get_surprisals`, against the protocol and each other."""

from itertools import dropwhile

from pommel.errors import AlignmentError, counted
from pommel.images.check import Check, Failed
from pommel.images.subject import Skipped, Subject
from pommel.images.trial_sentences import UNKNOWN_WORD
from pommel.models.offsets import recover_offsets


def _tokenizes(subject: Subject) -> str:
    subject.need("tokenize")
    return counted(len(subject.tokens.all()), "sentence")


def _keeps_marks_at_the_ends(subject: Subject) -> str:
    tokenizer = subject.tokenizer
    known = {"prefix_types": tokenizer.prefix_types, "suffix_types": tokenizer.suffix_types}
    others = tokenizer.special_types
    if not any(known.values()):
        raise Skipped("the spec has no prefix_types and no suffix_types")
    for sentence, tokens in subject.tokens.known():
        # Where a sentence holds what looks like a mark, nobody can tell them apart.
        if any(mark in sentence for mark in tokenizer.marks | tokenizer.unk_types):
            continue
        rest = list(dropwhile((known["prefix_types"] | others).__contains__, tokens))
        rest = list(dropwhile((known["suffix_types"] | others).__contains__, rest[::-1]))
        for token in rest:
            if token in known["prefix_types"] | known["suffix_types"]:
                raise Failed(f"{sentence!r}: {token!r} stands where it does not belong")
    return ""


def _unkifies(subject: Subject) -> str:
    subject.need("unkify")
    tokens = dict(subject.tokens.known())
    for sentence, mask in subject.masks.all():
        if sentence in tokens and len(mask) != len(tokens[sentence]):
            raise Failed(
                f"{sentence!r}: `unkify` prints {len(mask)} flags for the "
                f"{len(tokens[sentence])} tokens of `tokenize`"
            )
    return ""


def _marks_unknown_words(subject: Subject) -> str:
    subject.need("unkify")
    tokenizer, masks = subject.tokenizer, dict(subject.masks.known())
    for sentence, tokens in subject.tokens.known():
        mask = masks.get(sentence, [])
        if len(mask) != len(tokens):
            continue
        for token, flag in zip(tokens, mask, strict=True):
            if token in tokenizer.unk_types and not flag and token not in sentence:
                raise Failed(f"{sentence!r}: `unkify` prints 0 for {token!r}")
            if flag and not tokenizer.unk_types:
                raise Failed(
                    f"{sentence!r}: `unkify` prints 1 for {token!r}, and the spec has no unk_types"
                )
        # Pieces may be known though the word is not.
        if tokenizer.unk_types and tokenizer.type == "word" and UNKNOWN_WORD in sentence:
            _check_marked(sentence, tokens, mask, subject)
    return "" if tokenizer.unk_types else "no word is unknown to it"


def _check_marked(sentence: str, tokens: list[str], mask: list[bool], subject: Subject) -> None:
    try:
        places = recover_offsets(tokens, sentence, subject.tokenizer)
    except AlignmentError:
        return  # other checks say so
    at = sentence.index(UNKNOWN_WORD)
    over = [
        flag for place, flag in zip(places, mask, strict=False) if place.start <= at < place.end
    ]
    if over and not all(over):
        raise Failed(f"{sentence!r}: `unkify` prints 0 for the word {UNKNOWN_WORD!r}")


def _gives_surprisals(subject: Subject) -> str:
    subject.need("get_surprisals")
    n_tokens = sum(len(rows) for _, rows in subject.tables.all())
    return f"{counted(n_tokens, 'token')} in {subject.tables.seconds:.1f} s"


def _agrees_with_tokenize(subject: Subject) -> str:
    # Sentences that have two forms: an unknown word, and what stands for it.
    tokens, unknown = dict(subject.tokens.known()), subject.tokenizer.unk_types
    masks = dict(subject.masks.known()) if subject.supports("unkify") else {}
    for sentence, rows in subject.tables.known():
        if sentence not in tokens:
            continue
        printed = [row.text for row in rows]
        mask = masks.get(sentence, [])
        same = len(printed) == len(tokens[sentence]) and all(
            one == other or {one, other} & unknown or (mask[number : number + 1] == [True])
            for number, (one, other) in enumerate(zip(tokens[sentence], printed, strict=True))
        )
        if not same:
            raise Failed(
                f"{sentence!r}: the tokens differ\n"
                f"    tokenize:       {' '.join(tokens[sentence])}\n"
                f"    get_surprisals: {' '.join(printed)}"
            )
    return ""


COMMAND_CHECKS = (
    Check(
        name="tokenize",
        shows="`tokenize` prints a line for each sentence",
        mend="print as many lines as come in, tokens with one space between them",
        run=_tokenizes,
    ),
    Check(
        name="marks",
        shows="marks of the beginning and end stand at the beginning and end only",
        mend="correct prefix_types and suffix_types of the spec, or where marks are put",
        run=_keeps_marks_at_the_ends,
    ),
    Check(
        name="unkify",
        shows="`unkify` has the shape of `tokenize`",
        mend="print a 0 or 1 for each token of `tokenize`, marks included",
        run=_unkifies,
    ),
    Check(
        name="unknown-words",
        shows="`unkify` marks unknown words and nothing else",
        mend="print 1 for the tokens that the model reads as one of the spec's unk_types",
        run=_marks_unknown_words,
    ),
    Check(
        name="get_surprisals",
        shows="`get_surprisals` prints its table: header, ids from 1, bits from 0 up",
        mend="print sentence_id, token_id, token, surprisal with tabs between them, for all tokens",
        run=_gives_surprisals,
    ),
    Check(
        name="same-tokens",
        shows="`get_surprisals` has the tokens of `tokenize`",
        mend="let both commands use one tokenizer",
        run=_agrees_with_tokenize,
    ),
)
