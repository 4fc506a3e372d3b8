"""Checks of protocol 1: the commands, against the protocol and each other; spec, files, sandbox."""

import math
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import (
    AlignmentError,
    ContainerError,
    InputError,
    SurprisalError,
    UnsupportedFeatureError,
    counted,
)
from pommel.images.check import (
    KINDS,
    SHOWS,
    UNKNOWN_WORD,
    Bits,
    Check,
    Failed,
    Skipped,
    Subject,
    bits_of,
    check_refusal,
    check_same,
    long_sentence,
    many,
)
from pommel.models import PrintedToken
from pommel.values import frozen

if TYPE_CHECKING:
    import numpy as np


def _tokenizes(subject: Subject) -> str:
    subject.need("tokenize")
    return counted(len(subject.tokens.all()), "sentence")


def _keeps_marks_at_the_ends(subject: Subject) -> None:
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


def _unkifies(subject: Subject) -> None:
    subject.need("unkify")
    tokens = dict(subject.tokens.known())
    for sentence, mask in subject.masks.all():
        if sentence in tokens and len(mask) != len(tokens[sentence]):
            raise Failed(
                f"{sentence!r}: `unkify` prints {len(mask)} flags for the "
                f"{len(tokens[sentence])} tokens of `tokenize`"
            )


def _marks_unknown_words(subject: Subject) -> str | None:
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
    return None if tokenizer.unk_types else "no word is unknown to it"


def _check_marked(sentence: str, tokens: list[str], mask: list[bool], subject: Subject) -> None:
    try:
        places = subject.tokenizer.places(tokens, sentence)
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
    for remark in subject.commands.remarks:
        raise Failed(remark)
    return f"{counted(n_tokens, 'token')} in {subject.tables.seconds:.1f} s"


def _agrees_with_tokenize(subject: Subject) -> None:
    tokens, unknown = dict(subject.tokens.known()), subject.tokenizer.unk_types
    masks = dict(subject.masks.known()) if subject.supports("unkify") else {}
    for sentence, rows in subject.tables.known():
        if sentence in tokens:
            mask = masks.get(sentence, [])
            # One of another length has been told by another check.
            known = mask if len(mask) == len(rows) else None
            subject.commands.agreed(repr(sentence), tokens[sentence], known, rows, unknown)


_NOT_SUPPORTED = 99
_NO_COMMAND = (126, 127)
_COMMANDS = {
    "tokenize": "tokenize",
    "unkify": "unkify",
    "get_surprisals": "get_surprisals",
    "get_predictions": "get_predictions.hdf5",
}
_CASES = {
    "missing": "a file that is not there",
    "nothing": "no file at all",
}
# Runs each COMMAND=CASE and prints it with its exit status; one start for all of them.
_SCRIPT = """
sentence=$1; shift
file=/tmp/pommel-check-$$; printf '%s\\n' "$sentence" > $file
for each in "$@"; do
    command=${each%=*}
    case $each in
        *=sentence) set -- $file;;
        *=missing) set -- /tmp/pommel-check/none;;
        *) set --;;
    esac
    [ $# = 1 ] && [ "$command" = get_predictions.hdf5 ] && set -- "$1" $file.out
    "$command" "$@" </dev/null >/dev/null 2>&1; echo "$each $?"
done
rm -f $file $file.out
"""

_STATUS = re.compile("[0-9]{1,3}")

# (feature, case) -> exit status.
Statuses = dict[tuple[str, str], int]


def _statuses(subject: Subject) -> Statuses:
    # An image that answers nothing ends with all sorts of statuses, which show nothing.
    _ = subject.spec, subject.plain()
    try:
        return subject.once("the script that looks at exit statuses", lambda: _ask(subject))
    except ContainerError as error:
        reason = str(error).removeprefix(f"{subject.commands.reference}: ")
        raise Skipped(
            f"the script that looks at them does not run in the image: {reason}"
        ) from error


def _ask(subject: Subject) -> Statuses:
    arguments: dict[str, tuple[str, str]] = {}
    for name, command in _COMMANDS.items():
        says = subject.supports(name)
        # What a command does with a sentence, others have seen, unless it is not there. Each of
        # these may load a model.
        cases = ["missing", "nothing"] if name != "unkify" else ["nothing"]
        if not (name != "get_predictions" if says is None else says):
            cases = ["sentence"]
        arguments |= {f"{command}={case}": (name, case) for case in cases}
    script = ("sh", "-c", _SCRIPT, "check", KINDS["plain"][0], *arguments)
    found = {}
    for line in subject.commands.lines(*script, label="sh (exit statuses)"):
        key, _, status = line.partition(" ")
        if key in arguments and _STATUS.fullmatch(status):
            found[arguments[key]] = int(status)
    if len(found) < len(arguments):
        raise Skipped("the shell in the image does not do what shells do")
    return found


def _says_99(subject: Subject) -> str:
    denied = []
    for (name, case), status in _statuses(subject).items():
        if case == "sentence" and subject.supports(name) is False:
            denied.append(name)
            if status != _NOT_SUPPORTED:
                raise Failed(
                    f"the spec says that there is no {name}, and {_COMMANDS[name]} ends with exit "
                    f"status {status}"
                )
    return f"for {', '.join(denied)}" if denied else "all commands are supported"


def _fails_without_input(subject: Subject) -> None:
    for (name, case), status in _statuses(subject).items():
        if case == "sentence":
            continue
        if status in _NO_COMMAND:
            raise Failed(f"{_COMMANDS[name]} is not there (exit status {status})")
        if status in (0, _NOT_SUPPORTED):
            raise Failed(f"{_COMMANDS[name]} ends with exit status {status} for {_CASES[case]}")


Rows = Sequence[PrintedToken]


def _keeps_empty_lines_in_tokenize(subject: Subject) -> str | None:
    subject.need("tokenize")
    plain = [sentence for sentence, _ in subject.plain()]
    known = [pair for pair in subject.tokens.known() if pair[0] in plain]
    (first, tokens), (second, other) = known[:2]
    lines = _lines_about_an_empty_one(subject, "tokenize", first, second)
    if lines is None:
        return _REFUSED
    if len(lines) != 3:  # noqa: PLR2004 - as many as went in
        raise Failed(f"it prints {len(lines)} lines for a sentence, an empty line and a sentence")
    if (lines[0].split(), lines[2].split()) != (tokens, other):
        raise Failed("the sentences about an empty line have other tokens than without it")
    return None


def _keeps_empty_lines_in_surprisals(subject: Subject) -> str | None:
    subject.need("get_surprisals")
    (first, rows), (second, other) = subject.plain()[:2]
    lines = _lines_about_an_empty_one(subject, "get_surprisals", first, second)
    if lines is None:
        return _REFUSED
    found: dict[str, list[str]] = {}
    for line in lines[1:]:
        number, _, token, *_ = (*(line.split("\t") if "\t" in line else line.split()), "", "", "")
        found.setdefault(number, []).append(token)
    for number, printed in (("1", rows), ("3", other)):
        if found.get(number) != [row.text for row in printed]:
            raise Failed(
                f"with an empty second line, sentence_id {number} is not sentence {number}"
            )
    return None


_REFUSED = "an empty line is refused"


def _lines_about_an_empty_one(
    subject: Subject, command: str, first: str, second: str
) -> list[str] | None:
    """Return what a command prints with an empty line between sentences; None if it refuses."""
    try:
        return list(subject.commands.raw(command, [first, "", second]))
    except ContainerError as error:
        check_refusal(error)
        return None


def _reads_the_last_line(subject: Subject) -> None:
    subject.need("get_surprisals")
    _without_line_feed(subject)


def _is_deterministic(subject: Subject) -> None:
    subject.need("get_surprisals")
    for (sentence, rows), other in zip(subject.plain(), _without_line_feed(subject), strict=True):
        check_same(sentence, bits_of(rows), bits_of(other), "in a second start")


def _without_line_feed(subject: Subject) -> list[Rows]:
    """Return the answers to the plain sentences from a second start, its input cut short."""
    sentences = [sentence for sentence, _ in subject.plain()]
    return subject.once(
        "get_surprisals without a last line feed",
        lambda: list(subject.commands.each_surprisals(sentences, last_line_ends=False)),
    )


def _is_independent(subject: Subject) -> None:
    subject.need("get_surprisals")
    sentence, rows = subject.plain()[1]
    (alone,) = subject.commands.get_surprisals([sentence])
    check_same(sentence, bits_of(rows), bits_of(alone), "alone")
    first: dict[str, Bits] = {}
    answers, _ = _many(subject)
    for number, (sentence, bits) in enumerate(
        zip(many(subject.n_sentences), answers, strict=True), start=1
    ):
        check_same(sentence, first.setdefault(sentence, bits), bits, f"as sentence {number}")


def _takes_many(subject: Subject) -> str:
    subject.need("get_surprisals")
    subject.plain()
    answers, seconds = _many(subject)
    return f"{len(answers)} sentences in {seconds:.1f} s"


def _many(subject: Subject) -> tuple[list[Bits], float]:
    """Return the answers to many sentences, equal ones as one object, and how long they took."""

    def ask() -> tuple[list[Bits], float]:
        started = time.monotonic()
        seen: dict[Bits, Bits] = {}
        answers = []
        for rows in subject.commands.each_surprisals(many(subject.n_sentences)):
            bits = bits_of(rows)
            answers.append(seen.setdefault(bits, bits))
        return answers, time.monotonic() - started

    return subject.once("get_surprisals of many sentences", ask)


# What the LM Zoo's own schema wants beyond what is needed to read the tokens.
_REQUIRED_BY_LM_ZOO: dict[str, tuple[str, ...]] = {
    "": ("name", "ref_url", "image", "vocabulary", "tokenizer"),
    "image": ("maintainer", "version", "datetime", "supported_features"),
    "image.supported_features": (
        *("tokenize", "unkify", "get_surprisals", "get_predictions", "mount_checkpoint"),
    ),
    "vocabulary": ("items", "unk_types", "prefix_types", "suffix_types", "special_types"),
    "tokenizer": ("type", "cased"),
}
_TYPES = ("unk_types", "prefix_types", "suffix_types", "special_types")
_TOKENS_SHOWN = 5


def _is_valid(subject: Subject) -> str:
    spec = subject.commands.spec()
    protocol = spec.get("protocol", 1)
    return f"{spec.get('name', 'no name')}, protocol {protocol}"


def _is_complete(subject: Subject) -> None:
    missing = []
    for place, keys in _REQUIRED_BY_LM_ZOO.items():
        value: Any = subject.spec
        for key in filter(None, place.split(".")):
            value = (value or {}).get(key)
        # Of something that is missing as a whole, the parts need not be named.
        if isinstance(value, Mapping):
            missing += [f"{place}.{key}".lstrip(".") for key in keys if key not in value]
    if missing:
        raise Failed(f"it does not have {', '.join(missing)}")


def _lists_its_tokens(subject: Subject) -> str:
    vocabulary = subject.spec.get("vocabulary") or {}
    if not vocabulary.get("items"):
        raise Skipped("the spec does not list the vocabulary's items")
    items = set(vocabulary["items"])
    if len(items) < len(vocabulary["items"]):
        n_twice = len(vocabulary["items"]) - len(items)
        raise Failed(f"{n_twice} of the items in vocabulary.items are there twice")
    for kind in _TYPES:
        if absent := sorted(set(vocabulary.get(kind, ())) - items - {""}):
            raise Failed(f"{_some(absent)} of vocabulary.{kind} is not in vocabulary.items")
    for sentence, tokens in subject.tokens.known():
        if absent := sorted(set(tokens) - items):
            raise Failed(f"{sentence!r}: {_some(absent)} is not in vocabulary.items")
    return f"{len(items)} items"


def _some(tokens: list[str]) -> str:
    more = f" and {len(tokens) - _TOKENS_SHOWN} more" if tokens[_TOKENS_SHOWN:] else ""
    return ", ".join(map(repr, tokens[:_TOKENS_SHOWN])) + more


# How far a distribution's sum may be from 1.
_TOLERANCE = 1e-3
_NUMBERS_SHOWN = 10


@frozen
class _Predicted:
    """A sentence with what it has in the file: ids (n), natural logarithms (n, vocabulary)."""

    text: str
    printed: Sequence[PrintedToken]
    ids: "np.ndarray[Any, Any]"
    rows: "np.ndarray[Any, Any]"


def _predictions(subject: Subject) -> tuple[list[str], list[_Predicted]]:
    """Return the vocabulary of the file of predictions, and what it has of plain sentences."""
    subject.need("get_predictions")
    if find_spec("h5py") is None:
        raise Skipped(f"h5py is not installed here: {InputError.install('docker')}")
    plain = subject.plain()

    def read() -> tuple[list[str], list[_Predicted]]:
        try:
            with subject.commands.predictions([text for text, _ in plain]) as file:
                numbers = file.sentence_names()
                if numbers != [str(number) for number in range(len(plain))]:
                    has = ", ".join(numbers[:_NUMBERS_SHOWN]) or "nothing"
                    what = f"for {len(plain)} sentences, /sentence has {has}"
                    raise Failed(f"{what}; they are numbered from 0")
                vocabulary = file.words("vocabulary")
                if file.file["vocabulary"].dtype.kind != "S":
                    what = "/vocabulary has strings of any length, which numpy.char.decode refuses"
                    raise Failed(f"{what}; write bytes of a fixed length (dtype='S20')")
                return vocabulary, [
                    _Predicted(
                        text=text,
                        printed=printed,
                        ids=file.numbers(f"sentence/{number}/tokens", "int64"),
                        rows=file.numbers(f"sentence/{number}/predictions", "float64"),
                    )
                    for number, (text, printed) in enumerate(plain)
                ]
        except InputError as error:
            raise Failed(str(error)) from error

    return subject.once("get_predictions.hdf5", read)


def _has_the_shape(subject: Subject) -> str:
    vocabulary, sentences = _predictions(subject)
    n_words = len(vocabulary)
    for each in sentences:
        n_tokens = len(each.printed)
        if each.rows.shape != (n_tokens, n_words) or each.ids.shape != (n_tokens,):
            raise Failed(
                f"{each.text!r}: predictions are {each.rows.shape} and tokens {each.ids.shape}; "
                f"with {n_tokens} tokens and {n_words} words they have to be "
                f"{(n_tokens, n_words)} and ({n_tokens},)"
            )
    return f"{n_words} words"


def _well_shaped(subject: Subject) -> tuple[list[str], list[_Predicted]]:
    vocabulary, sentences = _predictions(subject)
    try:
        _has_the_shape(subject)
    except Failed:
        raise Skipped("the predictions do not have the right shape") from None
    for each in sentences:
        if ((each.ids < 0) | (each.ids >= len(vocabulary))).any():
            raise Failed(f"{each.text!r}: a token has an id outside /vocabulary")
    return vocabulary, sentences


def _has_the_ids(subject: Subject) -> None:
    vocabulary, sentences = _well_shaped(subject)
    items = (subject.spec.get("vocabulary") or {}).get("items") or vocabulary
    if set(items) != set(vocabulary):
        raise Failed("/vocabulary and the spec's vocabulary.items are not the same")
    for each in sentences:
        for number, (token, place) in enumerate(zip(each.printed, each.ids, strict=True), start=1):
            word = vocabulary[place]
            if word != token.text and not {word, token.text} & subject.tokenizer.unk_types:
                raise Failed(
                    f"{each.text!r}: token {number} has the id {place}, which is {word!r} in "
                    f"/vocabulary, and it is {token.text!r}"
                )


def _sums_to_1(subject: Subject) -> None:
    import numpy as np

    for each in _well_shaped(subject)[1]:
        for number, row in enumerate(each.rows, start=1):
            where = f"{each.text!r}: token {number}"
            if np.isnan(row).any() or np.isposinf(row).any():
                raise Failed(f"{where}: not all predictions are numbers")
            if not np.isfinite(row).all():
                raise Failed(f"{where}: a word has the probability 0")
            if row.max() > _TOLERANCE:
                raise Failed(f"{where}: {row.max():g} is no logarithm of a probability")
            total = float(np.exp(row).sum())
            if not math.isclose(total, 1, abs_tol=_TOLERANCE):
                raise Failed(f"{where}: the probabilities sum to {total:g}")


def _agrees_with_surprisals(subject: Subject) -> None:
    for each in _well_shaped(subject)[1]:
        predicted = each.rows[range(len(each.ids)), each.ids] / -math.log(2)
        printed = bits_of(each.printed)
        bits = tuple(zip((text for text, _ in printed), map(float, predicted), strict=True))
        # A first token may be without a probability.
        start = 1 if printed[:1] and printed[0][1] == 0 else 0
        check_same(each.text, bits[start:], printed[start:], "in get_surprisals")


_N_LONG = 400


def _spells(subject: Subject, *, kind: str) -> None:
    subject.need("get_surprisals")
    for sentence, rows in subject.tables.of_kind(kind):
        _check_spells(subject, sentence, rows)


def _is_never_cut(subject: Subject) -> str:
    subject.need("get_surprisals")
    subject.plain()
    sentence = long_sentence(_N_LONG)
    try:
        (rows,) = subject.commands.get_surprisals([sentence])
    except ContainerError as error:
        check_refusal(error)
        return f"a sentence of {_N_LONG} words is refused"
    # An unknown word's token may stand for all that is missing behind it.
    if len(rows) < _N_LONG:
        raise Failed(f"a sentence of {_N_LONG} words has {counted(len(rows), 'token')}")
    _check_spells(subject, sentence, rows)
    return f"{_N_LONG} words, {counted(len(rows), 'token')}"


def _check_spells(subject: Subject, sentence: str, rows: tuple[PrintedToken, ...]) -> None:
    try:
        subject.tokenizer.scored(sentence, rows).check()
    except (AlignmentError, SurprisalError) as error:
        raise Failed(f"{sentence[:80]!r}: {error}") from error


def _needs_no_more_than_usual(subject: Subject) -> None:
    # What has never run has needed nothing.
    _ = subject.spec
    if changed := subject.commands.sandbox.freedoms():
        names = ", ".join(name.replace("_", "-") for name in changed)
        raise Failed(f"it was checked with other settings than pommel's own: {names}")


def _refuses_an_empty_checkpoint(subject: Subject) -> None:
    subject.need("mount_checkpoint")
    subject.need("get_surprisals")
    with tempfile.TemporaryDirectory() as folder:
        # Whoever the container runs as has to be able to look into it.
        Path(folder).chmod(0o755)
        commands = replace(subject.commands, checkpoint=Path(folder))
        try:
            commands.get_surprisals(KINDS["plain"][:1])
        except UnsupportedFeatureError:
            raise Failed("with a checkpoint, get_surprisals ends with exit status 99") from None
        except ContainerError as error:
            check_refusal(error)
            if "standard error" not in str(error):
                raise Failed("with an empty checkpoint, it fails without a message") from None
        else:
            raise Failed("with an empty checkpoint, it answers as if nothing were wrong")


# The last of all: what has never run has needed nothing.
IN_THE_SANDBOX = Check(
    "sandbox",
    "all of this without network, with a read-only file system, and not as root",
    "make it work without --sandbox: write to /tmp only, download nothing",
    _needs_no_more_than_usual,
    only_warns=True,
)
# What others build on comes before them: they are skipped where it has failed.
COMMAND_CHECKS = (
    Check(
        "spec",
        "`spec` prints one JSON object that schemas/model_spec.json allows",
        "print the JSON object and nothing else; warnings belong on standard error",
        _is_valid,
    ),
    Check(
        "spec-lm-zoo",
        "the spec has all that the LM Zoo asked for",
        "add these keys; `lm-zoo` and other clients of the LM Zoo read them",
        _is_complete,
        only_warns=True,
    ),
    Check(
        "tokenize",
        "`tokenize` prints a line for each sentence",
        "print as many lines as come in, tokens with one space between them",
        _tokenizes,
    ),
    Check(
        "marks",
        "marks of the beginning and end stand at the beginning and end only",
        "correct prefix_types and suffix_types of the spec, or where marks are put",
        _keeps_marks_at_the_ends,
    ),
    Check(
        "unkify",
        "`unkify` has the shape of `tokenize`",
        "print a 0 or 1 for each token of `tokenize`, marks included",
        _unkifies,
    ),
    Check(
        "unknown-words",
        "`unkify` marks unknown words and nothing else",
        "print 1 for the tokens that the model reads as one of the spec's unk_types",
        _marks_unknown_words,
    ),
    Check(
        "get_surprisals",
        "`get_surprisals` prints its table: header, ids from 1, bits from 0 up",
        "print sentence_id, token_id, token, surprisal with tabs between them, for all tokens",
        _gives_surprisals,
    ),
    Check(
        "same-tokens",
        "`get_surprisals` has the tokens of `tokenize`",
        "let both commands use one tokenizer",
        _agrees_with_tokenize,
    ),
    Check(
        "vocabulary",
        "what `tokenize` prints is in the spec's vocabulary.items",
        "print the vocabulary's item for each token (for an unknown word, one of unk_types)",
        _lists_its_tokens,
    ),
    *(
        Check(
            f"tokens-spell-{kind}",
            f"the tokens spell the sentence: {shown}",
            "print tokens that spell the sentence, or describe in the spec how they differ: "
            "unk_types, cased, sentinel_pattern, metaspace, drop_token_pattern",
            partial(_spells, kind=kind),
        )
        for kind, shown in SHOWS.items()
    ),
    Check(
        "long-sentence",
        "a sentence is scored whole or refused, and never cut",
        "end with exit status 1 and a message for a sentence that the model cannot take",
        _is_never_cut,
    ),
    Check(
        "empty-lines-tokenize",
        "an empty line stays a line for `tokenize`",
        "print an empty line (or marks only) for an empty line",
        _keeps_empty_lines_in_tokenize,
    ),
    Check(
        "empty-lines-surprisals",
        "an empty line does not shift the ids of `get_surprisals`",
        "count empty lines as sentences, and print no row for them",
        _keeps_empty_lines_in_surprisals,
    ),
    Check(
        "last-line",
        "a last line without a line feed is a sentence",
        "read to the end of the input (`while read` of a shell drops the last line)",
        _reads_the_last_line,
    ),
    Check(
        "deterministic",
        "two starts give the same surprisals",
        "switch dropout off (`model.eval()`), seed whatever is random",
        _is_deterministic,
    ),
    Check(
        "many-sentences",
        "thousands of sentences are answered in one go, in order",
        "read and answer sentence by sentence or in blocks; keep only what is needed",
        _takes_many,
    ),
    Check(
        "independent",
        "a sentence has the same surprisals alone and anywhere among others",
        "reset the model's state before each sentence, and mask the padding of batches",
        _is_independent,
    ),
    Check(
        "exit-status-99",
        "commands that the spec denies end with exit status 99",
        "correct the spec's image.supported_features, or let the command end with 99",
        _says_99,
    ),
    Check(
        "exit-status-1",
        "a command that fails ends with another exit status than 0 and 99",
        "end with exit status 1 (`set -e` in shell scripts; no `except: pass`)",
        _fails_without_input,
    ),
    Check(
        "predictions",
        "`get_predictions.hdf5` writes a row of the vocabulary's size for each token",
        "write /sentence/0/predictions (tokens x words), /sentence/0/tokens and /vocabulary",
        _has_the_shape,
    ),
    Check(
        "predictions-ids",
        "the ids of tokens are places in /vocabulary",
        "write /vocabulary in the order of the model's outputs, and the ids that it has there",
        _has_the_ids,
    ),
    Check(
        "predictions-sum",
        "the predictions are natural logarithms of probabilities that sum to 1",
        "write the output of log_softmax over the whole vocabulary",
        _sums_to_1,
    ),
    Check(
        "predictions-agree",
        "the predictions give the surprisals of `get_surprisals`",
        "row n is what the model expects as token n, after the tokens before it",
        _agrees_with_surprisals,
    ),
    Check(
        "checkpoint",
        "weights are read from LMZOO_CHECKPOINT_PATH: an empty folder there is an error",
        "read the weights there where it is set, and end with exit status 1 and a message "
        "if they are not there; or say mount_checkpoint false in the spec",
        _refuses_an_empty_checkpoint,
    ),
)
