"""What models over words share: how a sentence is cut, and which marks stand around it."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pommel.errors import InputError, ModelError, counted, listed
from pommel.files import DecodedText, word_core
from pommel.models.model import Policy
from pommel.surprisal import ScoredSentence, Token, Unscored
from pommel.values import frozen

# The Penn Treebank's clitics, cut off a word only if the model lists them as words.
CLITICS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")

# Says whether a model knows a word.
Known = Callable[[str], bool]

_VISIBLE = re.compile(r"\S+")
_CLITIC = re.compile(f"(?<=.)(?:{'|'.join(CLITICS)})$".replace("'", "['\u2019]"), re.IGNORECASE)
# How many marks may belong to a word or stand together as one token: "a.m.", "...", "'tis".
_MAX_MARKS = 3


def word_spans(text: str, known: Known) -> list[tuple[int, int]]:
    """Cut `text` into words; return their character offsets, `[start, end)`, in order.

    Cut at white space. Of each piece, what the model knows and is longest wins:

    1. A piece that is `known` is one word ("U.S.", "don't").
    2. Otherwise it is a core (from its first to its last character that is neither punctuation nor
       a symbol) between marks. The longest `known` stretch of the core and up to three marks on
       either side is one word ("Mr." in "(Mr.,").
    3. Otherwise the core is one word, `known` or not ("3.5", "mother-in-law"), but for a clitic
       at its end, if that is `known` ("dog" "'s", "do" "n't").
    4. The marks that are left are words: up to three together where that is `known` ("..."),
       otherwise one by one.
    """
    return [
        (start + match.start(), end + match.start())
        for match in _VISIBLE.finditer(text)
        for start, end in _cut(match.group(), known)
    ]


def words_of_text(text: str, marks: Collection[str] = ()) -> tuple[str, ...]:
    """Cut a text as it is cut for a model that knows clitics and these marks, and no other word."""
    spans = word_spans(text, lambda word: word in CLITICS or word in marks)
    return tuple(text[start:end] for start, end in spans)


def _cut(piece: str, known: Known) -> list[tuple[int, int]]:
    if known(piece):
        return [(0, len(piece))]
    start, end = word_core(piece)
    if start == end:
        return list(_cut_marks(piece, 0, len(piece), known))
    start, end = _widened(piece, start, end, known)
    word = piece[start:end]
    clitic = None if known(word) else _CLITIC.search(word)
    middle = start + clitic.start() if clitic and known(clitic.group()) else end
    return [
        *_cut_marks(piece, 0, start, known),
        (start, middle),
        *([(middle, end)] if middle < end else []),
        *_cut_marks(piece, end, len(piece), known),
    ]


def _widened(piece: str, start: int, end: int, known: Known) -> tuple[int, int]:
    """Return the longest known stretch around the core `[start, end)`, or the core itself."""
    stretches = [
        (left, right)
        for left in range(max(0, start - _MAX_MARKS), start + 1)
        for right in range(end, min(len(piece), end + _MAX_MARKS) + 1)
    ]
    stretches.sort(key=lambda stretch: stretch[0] - stretch[1])
    return next((each for each in stretches if known(piece[slice(*each)])), (start, end))


def _cut_marks(piece: str, start: int, end: int, known: Known) -> Iterator[tuple[int, int]]:
    while start < end:
        lengths = range(min(end - start, _MAX_MARKS), 1, -1)
        length = next((n for n in lengths if known(piece[start : start + n])), 1)
        yield start, start + length
        start += length


def read_word_list(path: Path, *, cased: bool = True) -> tuple[str, ...]:
    """Return the words of a vocabulary file, a word a line.

    Raises `InputError` if it cannot be read, for what is no list of distinct words, and, if not
    `cased`, for a word that is not in lower case, which no word of a lower-cased text would be.
    """
    words = parse_vocabulary(DecodedText.read(path).text, file=str(path))
    strange = None if cased else next((word for word in words if word != word.lower()), None)
    if strange is not None:
        message = f"{path}: {strange!r} is not in lower case, as every word is with --lower"
        raise InputError(f"{message}; give another vocabulary")
    return words


def parse_vocabulary(text: str, *, file: str) -> tuple[str, ...]:
    """Return the words of a file's text, in its order.

    Raises `InputError`, with the line, for what is no list of distinct words: two words on a line,
    none, the same word again, no word at all.
    """
    first_line: dict[str, int] = {}
    again: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not word or len(word.split()) > 1:
            what = f"{word!r} is not one word" if word else "the line is blank"
            raise InputError(f"{file}:{number}: {what}; a vocabulary has a word a line")
        if word in first_line:
            again.append(f"{word!r} in line {number} is there in line {first_line[word]}")
        first_line.setdefault(word, number)
    if again:
        message = f"{file}: {counted(len(again), 'duplicate')} ({listed(again)})"
        raise InputError(f"{message}; a word may be listed once")
    if not first_line:
        raise InputError(f"{file}: there is no word in it; a vocabulary has a word a line")
    return tuple(first_line)


@frozen
class WordSentence:
    """A sentence cut into words, before it is scored.

    `forms` are what the model knows the tokens by, the marks among them; `context` is what stands
    before the first of them (the beginning-of-sentence mark, or nothing). `tokens` have no
    surprisals yet. Without a context the first token has nothing that could predict it.
    """

    text: str
    context: tuple[str, ...]
    forms: tuple[str, ...]
    tokens: tuple[Token, ...]

    def scored(self, outcomes: Sequence[float | Unscored]) -> ScoredSentence:
        """Return the sentence with its surprisals in bits, or with the reasons why there are none.

        Raises what `ScoredSentence.check` raises.
        """
        pairs = zip(self.tokens, outcomes, strict=True)
        tokens = (
            replace(token, why_unscored=outcome)
            if isinstance(outcome, str)
            else replace(token, surprisal_bits=outcome)
            for token, outcome in pairs
        )
        sentence = ScoredSentence(text=self.text, tokens=tuple(tokens))
        sentence.check()
        return sentence


@frozen
class WordReader:
    """Cuts sentences for one model, which messages call `name`.

    `form` gives the form in which the model knows a word, or None for an unknown one, whose form
    is `unk`. `bos` and `eos` are the model's marks; None for one that it has not got. Marks that
    are written in a sentence are words.

    With `bos` ("auto" or "always") the first word stands after the mark. With "never" or
    "tokenizer" nothing stands before it: what a model says of a word before which there is nothing
    is no probability of that word at a sentence's beginning. `eos` is a token at the end unless
    the policy says "never".
    """

    name: str
    form: Callable[[str], str | None]
    unk: str
    bos: str | None
    eos: str | None

    def check(self, policy: Policy) -> None:
        """Raise `ModelError` if a policy asks for a mark that the model does not have."""
        for choice, wanted, mark, end in (
            ("bos", policy.bos, self.bos, "beginning"),
            ("eos", policy.eos, self.eos, "end"),
        ):
            if wanted == "always" and mark is None:
                message = f"{self.name} has no mark for the {end} of a sentence"
                raise ModelError(f"{message}; score it with {choice}=auto or {choice}=never")

    def read(self, text: str, policy: Policy) -> WordSentence:
        """Cut a sentence. A token's text is always what the sentence has."""
        forms: list[str] = []
        tokens: list[Token] = []
        for start, end in word_spans(text, lambda word: self.form(word) is not None):
            form = self.form(text[start:end])
            oov = form is None or form == self.unk
            forms.append(self.unk if form is None else form)
            token = Token(text=text[start:end], start=start, end=end, surprisal_bits=None, oov=oov)
            tokens.append(token)
        if self.eos is not None and policy.eos != "never":
            end = len(text)
            forms.append(self.eos)
            token = Token(text=self.eos, start=end, end=end, surprisal_bits=None, role="eos")
            tokens.append(token)
        context = () if self.bos is None or policy.bos not in ("auto", "always") else (self.bos,)
        return WordSentence(
            text=text,
            context=context,
            forms=tuple(forms),
            tokens=tuple(tokens),
        )
