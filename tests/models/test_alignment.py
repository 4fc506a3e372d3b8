"""Offsets of printed tokens: an example for every habit of tokenizers, messages, laws."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from pommel.errors import AlignmentError, InputError
from pommel.models.alignment import (
    Aligned,
    TokenizerSpec,
    align,
    as_characters,
    pattern_fault,
)
from pommel.suite.suite import Condition, Region, Sentence
from pommel.surprisal import Token

UNK = frozenset({"<unk>"})
EOS = frozenset({"</s>"})
BOTH = frozenset({"<e>"})
DROP = {"drop_token_pattern": "^[-.?!,]+$"}
GPT2 = {"type": "subword", "sentinel": "Ġ", "sentinel_position": "initial"}
BERT = {"type": "subword", "sentinel": "##", "sentinel_position": "medial"}
FINAL = {"type": "subword", "sentinel": "</w>", "sentinel_position": "final"}
PIECES = {"type": "subword", "metaspace": "▁"}


def spec(**fields: Any) -> TokenizerSpec:
    return TokenizerSpec(**fields)


def texts(tokens: str | list[str], sentence: str, **fields: Any) -> list[str]:
    """Return what each token covers; tokens may be given as words."""
    tokens = tokens.split(" ") if isinstance(tokens, str) else tokens
    placed = spec(**fields).places(tokens, sentence)
    return [sentence[place.start : place.end] for place in placed]


LITERAL = [
    pytest.param("The cat .", "The cat .", {}, id="words"),
    pytest.param("The cat , he", "The cat, he", {}, id="glued punctuation"),
    pytest.param("I ca n't go", "I can't go", {}, id="contraction"),
    pytest.param("gon na can not", "gonna cannot", {}, id="two tokens spell one word"),
    pytest.param(["New York", "is"], "New York is", {}, id="a token over a blank"),
    pytest.param(["h", "i", "y", "o"], "hi yo", {"type": "character"}, id="characters"),
    pytest.param("NA null 007 nan", "NA null 007 nan", {}, id="words that look like values"),
]


@pytest.mark.parametrize(("tokens", "sentence", "fields"), LITERAL)
def test_tokens_that_stand_in_the_sentence(
    tokens: str | list[str], sentence: str, fields: dict[str, Any]
) -> None:
    expected = tokens.split(" ") if isinstance(tokens, str) else tokens
    assert texts(tokens, sentence, **fields) == expected


FORMS = [
    pytest.param("This Ġis Ġa Ġsen tence Ġ.", "This is a sentence.", GPT2, "This is a sen tence ."),
    pytest.param("sen ##tence ## x", "sen##tence ## x", {}, "sen ##tence ## x"),
    pytest.param("una ##ffa ##ble", "unaffable", BERT, "una ffa ble"),
    pytest.param("a ####b", "a##b", BERT, "a ##b"),
    pytest.param("new</w> wow</w>", "new wow", FINAL, "new wow"),
    pytest.param("ĠĠa", "Ġa", GPT2, "Ġa"),
    pytest.param("▁This ▁is .", "This is.", PIECES, "This is ."),
    pytest.param("New▁York", "New York", PIECES, "New~York"),
    # Marks that the spec does not name, or names without their position.
    pytest.param("the Ġcat", "the cat", {}, "the cat"),
    pytest.param("▁the ▁cat", "the cat", {}, "the cat"),
    pytest.param("un ##able", "unable", {}, "un able"),
    pytest.param("un ##able", "unable", {"sentinel": "##"}, "un able"),
    pytest.param("un@@ able", "unable", {}, "un able"),
    pytest.param("low er</w>", "lower", {}, "low er"),
    # Moses
    pytest.param("test @-@ ing", "test-ing", {}, "test - ing"),
    pytest.param("test @-@ ing", "test\u2013ing", {}, "test \u2013 ing"),
    pytest.param("5 @,@ 000 @.@ 5", "5,000.5", {}, "5 , 000 . 5"),
    pytest.param("Tom &apos;s R &amp; D", "Tom's R&D", {}, "Tom 's R & D"),
    pytest.param("&quot; a &#91; b &#93; &quot;", '"a [b]"', {}, '" a [ b ] "'),
    # Penn Treebank
    pytest.param("-LRB- a -RRB- -LSB- b -RSB-", "(a) [b]", {}, "( a ) [ b ]"),
    pytest.param("-LCB- a -RCB- -lrb- b -rrb-", "{a} (b)", {}, "{ a } ( b )"),
    pytest.param("`` hi '' ` ho '", "\"hi\" 'ho'", {}, "\" hi \" ' ho '"),
    pytest.param("`` hi ''", "“hi”", {}, "“ hi ”"),
    pytest.param("`` hi ''", "''hi''", {}, "'' hi ''"),
    pytest.param("-LRB-", "-LRB-", {}, "-LRB-"),
    pytest.param("ca n't", "can\u2019t", {}, "ca n\u2019t"),
    pytest.param("he -- she", "he—she", {}, "he — she"),
    pytest.param("and \\/ or", "and/or", {}, "and / or"),
    # Case and Unicode
    pytest.param("the cat", "The CAT", {"cased": False}, "The CAT"),
    pytest.param("the cat", "The CAT", {}, "The CAT"),
    pytest.param("strasse", "Straße", {"cased": False}, "Straße"),
    # In lower case it is two characters.
    pytest.param("\u0130z a", "\u0130z a", {"cased": False}, "\u0130z a"),
    pytest.param("na ï ve", "nai\u0308ve", {}, "na i\u0308 ve"),
    pytest.param("na i\u0308 ve", "naïve", {}, "na ï ve"),
    pytest.param("naive cafe", "naïve café", {"cased": False}, "naïve café"),
    pytest.param("...", "…", {}, "…"),
    # Pieces of characters: the last piece has the character.
    pytest.param("Ã © Ġa", "é a", GPT2, "~ é a"),
    pytest.param("caf Ã©", "café", GPT2, "caf é"),
    pytest.param("caf Ã©", "cafe\u0301", GPT2, "caf e\u0301"),
    pytest.param("▁na <0xC3> <0xAF> ve", "naïve", PIECES, "na ~ ï ve"),
    pytest.param("ðŁ Ĳ ±", "🐱", GPT2, "~ ~ 🐱"),
    # Marks that tokenizers drop belong to the token before, or else after, them.
    pytest.param("a b", "a\u200b b", {}, "a\u200b b"),
    pytest.param("a b", "\ufeffa b\u200b", {}, "\ufeffa b\u200b"),
]


@pytest.mark.parametrize(("tokens", "sentence", "fields", "expected"), FORMS)
def test_tokens_in_other_forms(
    tokens: str, sentence: str, fields: dict[str, Any], expected: str
) -> None:
    # In what is expected "~" is a blank within a token, and nothing where it stands alone.
    covered = [each if each != "~" else "" for each in expected.split(" ")]
    assert texts(tokens, sentence, **fields) == [each.replace("~", " ") for each in covered]


UNKNOWN = [
    ("<unk> is", "This is", {}, "This is"),
    ("is <unk> .", "is WEIRD.", {}, "is WEIRD ."),
    ("<unk> , he", "Frobnicating, he", {}, "Frobnicating , he"),
    ("a <unk>", "a audition.", {}, "a audition."),
    ("<unk> that", "girlthat that", {}, "girlthat that"),
    ("<unk> <unk> .", "FOO BAR.", {}, "FOO BAR ."),
    ("<unk> a <unk>", "banana a cherry", {}, "banana a cherry"),
    ("<unk> <unk> <unk>", "a b. c", {}, "a b. c"),
    ("<unk> <unk> <unk>", "foo-bar baz", {}, "foo -bar baz"),
    ("<unk> <unk>", "a b c", {}, "a b~c"),
    ("<unk> 's", "Foo's", {}, "Foo 's"),
    ("<unk> john", "WEIRD John", {"cased": False}, "WEIRD John"),
    ("<unk> john", "WEIRD John", {}, "WEIRD John"),
    ("the <unk> man", "the Foo , man", DROP, "the Foo man"),
    ("a <unk> Ġcat", "a dog cat", GPT2, "a dog cat"),
    ("▁a ▁ <unk> ▁cat", "a foocat cat", PIECES, "a ~ foocat cat"),
    ("Ã© <unk> Ġn", "é xÃ© n", GPT2, "é xÃ© n"),
    ("<unk>", "<unk>", {}, "<unk>"),
]


@pytest.mark.parametrize(("tokens", "sentence", "fields", "expected"), UNKNOWN)
def test_an_unknown_token_stands_for_a_word(
    tokens: str, sentence: str, fields: dict[str, Any], expected: str
) -> None:
    placed = spec(unk_types=UNK, **fields).places(tokens.split(" "), sentence)
    covered = [sentence[place.start : place.end] for place in placed]
    assert covered == [each.replace("~", " ") for each in expected.split(" ")]
    assert [place.oov for place in placed] == [each in UNK for each in tokens.split(" ")]


DROPPED = [
    ("Mr. This is a test", "Mr. This is , a --- test .", "Mr. This is a test"),
    ("A man a plan", "A man, a plan", "A man a plan"),
    ("This is sic he", "This is -sic-, he", "This is sic he"),
    ("yes , no", "yes , no", "yes , no"),
    ("", "...", ""),
]


@pytest.mark.parametrize(("tokens", "sentence", "expected"), DROPPED)
def test_words_that_the_model_leaves_out(tokens: str, sentence: str, expected: str) -> None:
    assert texts(tokens.split(), sentence, **DROP) == expected.split()


PLACES = [
    pytest.param(
        ["<s>", "This", "</s>", "<pad>", "<pad>"],
        "This",
        {"prefix_types": frozenset({"<s>"}), "suffix_types": EOS},
        [(0, 0, "bos"), (0, 4, "text"), (4, 4, "eos")],
        id="tokens after an eos are left out",
    ),
    pytest.param(
        ["<e>", "a", "<e>"],
        "a",
        {"prefix_types": BOTH, "suffix_types": BOTH},
        [(0, 0, "bos"), (0, 1, "text"), (1, 1, "eos")],
        id="one type is bos and eos",
    ),
    pytest.param(
        ["<e>", "<e>"],
        "",
        {"prefix_types": BOTH, "suffix_types": BOTH},
        [(0, 0, "bos"), (0, 0, "eos")],
        id="nothing between bos and eos",
    ),
    pytest.param(
        ["a", "</s>", "b", "</s>"],
        "a b",
        {"suffix_types": EOS},
        [(0, 1, "text"), (1, 1, "special"), (2, 3, "text"), (3, 3, "eos")],
        id="an eos in the middle",
    ),
    pytest.param(
        ["[CLS]", "a", "[MASK]", "[SEP]"],
        "a [MASK]",
        {"special_types": frozenset({"[CLS]", "[MASK]", "[SEP]"})},
        [(0, 0, "special"), (0, 1, "text"), (2, 8, "text"), (8, 8, "special")],
        id="a special type that the sentence holds",
    ),
    pytest.param(
        ["h", "i", " ", "y"],
        "hi y",
        {"type": "character"},
        [(0, 1, "text"), (1, 2, "text"), (2, 3, "text"), (3, 4, "text")],
        id="a token for a blank",
    ),
    pytest.param(
        ["▁", "a", "▁", "b"],
        "a  b",
        PIECES,
        [(0, 0, "text"), (0, 1, "text"), (1, 2, "text"), (3, 4, "text")],
        id="a token for a blank that is not there",
    ),
    pytest.param(
        ["a", "ran", "</s>"],
        "a ran .",
        {"suffix_types": EOS, **DROP},
        [(0, 1, "text"), (2, 5, "text"), (7, 7, "eos")],
        id="an eos after a word that is left out",
    ),
    pytest.param([], " ", {}, [], id="nothing"),
]


@pytest.mark.parametrize(("tokens", "sentence", "fields", "expected"), PLACES)
def test_places_and_roles(
    tokens: list[str], sentence: str, fields: dict[str, Any], expected: list[tuple[int, int, str]]
) -> None:
    placed = spec(**fields).places(tokens, sentence)
    assert [(place.start, place.end, place.role) for place in placed] == expected


PARTED = [
    pytest.param(
        ["The", "dog", "ran"],
        "The cat ran",
        """\
the tokens are not this sentence's: token 2, 'dog', does not fit the sentence from character 4 on
    tokens:   The | dog ran
    sentence: The |cat ran
it has to spell what stands there, or be one of the spec's unk_types (<unk>)""",
        id="another word",
    ),
    pytest.param(
        ["a", "<s>", "b"],
        "a b",
        """\
the tokens are not this sentence's: token 2, '<s>', does not fit the sentence from character 2 on
    tokens:   a | <s> b
    sentence: a |b
if '<s>' is a mark and no text, the spec has to list it among its unk_types, prefix_types, \
suffix_types or special_types""",
        id="a mark that is not declared",
    ),
    pytest.param(
        ["a", "b"],
        "a",
        """\
the tokens are not this sentence's: token 2, 'b', comes after the end of the sentence
    tokens:   a | b
    sentence: a|
it has to spell what stands there, or be one of the spec's unk_types (<unk>)""",
        id="a token too many",
    ),
    pytest.param(
        ["one", "two", "three", "four", "five", "six"],
        "one two three four five six seven eight nine ten eleven twelve thirteen",
        """\
the tokens are not this sentence's: the tokens end before character 28 of the sentence
    tokens:   ... three four five six |
    sentence: one two three four five six |seven eight nine ten eleven tw...
a token is missing, or the spec's drop_token_pattern has to match what is left out""",
        id="a token too few",
    ),
]


@pytest.mark.parametrize(("tokens", "sentence", "message"), PARTED)
def test_tokens_of_another_sentence(tokens: list[str], sentence: str, message: str) -> None:
    with pytest.raises(AlignmentError) as raised:
        spec(unk_types=UNK).places(tokens, sentence)
    assert str(raised.value) == message


def test_a_pattern_that_could_take_for_ever() -> None:
    message = r"^the drop_token_pattern '\(a\+\)\+\$': a group is repeated in it"
    with pytest.raises(InputError, match=message):
        TokenizerSpec.from_dict({"tokenizer": {"drop_token_pattern": "(a+)+$"}})


ALLOWED = [
    "^[-.?!,]+$",
    r"^\W+$",
    r"[^\w\s]",
    r"^(?:--|\.\.\.|,)$",
    r"^(,|;)?$",
    r"^\(.*\)$|^<[^>]*>$|^--+$",
    "a{2,4}",
    "a{,3}b{2}",
    r"\x41\u00e9",
    "^{}$",
    "[]a]+",
    "a{b",
]


@pytest.mark.parametrize("pattern", ALLOWED)
def test_what_is_allowed(pattern: str) -> None:
    assert pattern_fault(pattern) is None


GROUP = "a group is repeated in it, which can take for ever; write [...]+ instead"
CHOICES = "it has so many choices that it can take for ever; use one * or + at most"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("[", "it is not a regular expression: unterminated character set at position 0"),
        ("[[a]", "it is not a regular expression: Possible nested set at position 1"),
        ("a{99999999999}", "it is not a regular expression: the repetition number is too large"),
        ("a" * 201, "it is longer than 200 characters"),
        ("(a+)+$", GROUP),
        ("(?:a|a)*$", GROUP),
        ("(a){2}", GROUP),
        ("(a|aa)+", GROUP),
        ("a*a*b", CHOICES),
        ("a?" * 12 + "a" * 12, CHOICES),
        ("(a|a)" * 12, CHOICES),
        ("a{0,99}a{0,99}", CHOICES),
        (r"(a)\1", "'\\\\1' is not allowed in it"),
        ("(?=a)", "'(?=' is not allowed in it"),
        ("(?i)a", "'(?i' is not allowed in it"),
        ("(?P<x>a)", "'(?P' is not allowed in it"),
        ("(?#x)", "'(?#' is not allowed in it"),
    ],
)
def test_what_is_not(pattern: str, fault: str) -> None:
    assert pattern_fault(pattern) == fault


@given(
    st.lists(
        st.sampled_from([*"aa.*+?|()^$", "(?:", "[ab]", "[^a]", r"\w", "{1,3}", "{2,}", "{,9}"]),
        max_size=30,
    ).map("".join),
    st.sampled_from(["a" * 60, "ab" * 30, "a" * 59 + "!", "ba" * 29 + "c"]),
)
def test_what_is_allowed_is_matched_in_no_time(pattern: str, word: str) -> None:
    if pattern_fault(pattern) is None:
        # A few milliseconds; what is catastrophic takes hours, and more than a test may.
        re.sub(pattern, "", word)


def test_an_unknown_token_stands_for_something() -> None:
    with pytest.raises(AlignmentError):
        spec(unk_types=UNK).places(["a", "<unk>"], "a")


# Laws

LETTERS = st.characters(codec="utf-8", categories=["L", "M", "N", "P", "S"])
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=8)
CUTS = st.lists(st.integers(1, 3), min_size=60, max_size=60)


def pieces(word: str, cuts: list[int]) -> list[str]:
    """Cut a word into pieces of one to three letters."""
    at, found = 0, []
    for length in cuts:
        found.append(word[at : at + length])
        at += length
    return [piece for piece in found if piece]


def as_gpt2(word: str, cuts: list[int], *, first: bool) -> list[str]:
    raw = ("" if first else " ").encode() + word.encode()
    return pieces("".join(GPT2_ALPHABET[byte] for byte in raw), cuts)


_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
GPT2_ALPHABET = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_OTHERS)
}

FAMILIES: dict[str, tuple[dict[str, Any], Callable[[str, list[int], bool], list[str]]]] = {
    "word": ({}, lambda word, _cuts, _first: [word]),
    "character": ({"type": "character"}, lambda word, _cuts, _first: list(word)),
    "medial": (BERT, lambda word, cuts, _first: _marked(pieces(word, cuts))),
    "final": (FINAL, lambda word, cuts, _first: _ended(pieces(word, cuts))),
    "metaspace": (PIECES, lambda word, cuts, _first: pieces("▁" + word, cuts)),
    "bytes": (GPT2, lambda word, cuts, first: as_gpt2(word, cuts, first=first)),
}


def _marked(parts: list[str]) -> list[str]:
    return [parts[0], *(f"##{part}" for part in parts[1:])]


def _ended(parts: list[str]) -> list[str]:
    return [*parts[:-1], f"{parts[-1]}</w>"]


@pytest.mark.parametrize("family", FAMILIES)
@given(words=WORDS, cuts=CUTS)
def test_what_a_tokenizer_cut_is_put_together(
    family: str, words: list[str], cuts: list[int]
) -> None:
    fields, cut = FAMILIES[family]
    # A text that looks like one of the tokenizer's own marks is the tokenizer's problem.
    assume(not any(mark in word for word in words for mark in ("▁", "Ġ", "##", "</w>")))
    sentence = " ".join(words)
    tokens = [cut(word, cuts[n:], n == 0) for n, word in enumerate(words)]
    placed = spec(**fields).places([t for word in tokens for t in word], sentence)
    check_covers(placed, sentence)
    at = end = 0
    for word, parts in zip(words, tokens, strict=True):
        start = sentence.index(word, end)
        end = start + len(word)
        own = [place for place in placed[at : at + len(parts)] if place.start < place.end]
        visible = [place for place in own if sentence[place.start : place.end].strip()]
        assert (visible[0].start, visible[-1].end) == (start, end)
        at += len(parts)


@given(words=WORDS, unknown=st.sets(st.integers(0, 7)), lower=st.booleans())
@example(words=["a", "a"], unknown={0}, lower=False)
def test_each_unknown_token_is_its_word(
    words: list[str], unknown: set[int], *, lower: bool
) -> None:
    sentence = " ".join(words)
    lowered = [word.lower() if lower else word for word in words]
    tokens = ["<unk>" if n in unknown else word for n, word in enumerate(lowered)]
    placed = spec(unk_types=UNK, cased=not lower).places(tokens, sentence)
    check_covers(placed, sentence)
    assert [place.oov for place in placed] == [n in unknown for n in range(len(words))]
    # Words may be told apart in more than one way, but never at the cost of another word.
    if len(unknown & set(range(len(words)))) == 1 and not lower:
        assert [sentence[place.start : place.end] for place in placed] == words


@given(words=WORDS, cuts=CUTS)
def test_the_quick_way_agrees_with_the_alignment(words: list[str], cuts: list[int]) -> None:
    sentence = " ".join(words)
    tokens = [piece for n, word in enumerate(words) for piece in pieces(word, cuts[n:])]
    aligned = align(tokens, as_characters(sentence), spec())
    assert isinstance(aligned, Aligned)
    covered = [aligned.reading.text(start, end) for start, end in aligned.spans]
    assert (covered, aligned.cost) == (texts(tokens, sentence), 0)


@pytest.mark.timeout(60)  # it takes 0.06 s; what grows with its square, minutes
def test_long_sentences_take_no_time() -> None:
    words = [f"w{number:05d}" for number in range(420)]
    tokens = [word if number % 4 else "<unk>" for number, word in enumerate(words)]
    sentence = " , ".join(words)
    placed = spec(unk_types=UNK, **DROP).places(tokens, sentence)
    assert [sentence[place.start : place.end] for place in placed] == words


@given(sentence=st.text(LETTERS | st.just(" "), max_size=20), tokens=WORDS)
def test_any_tokens_fit_or_are_refused(sentence: str, tokens: list[str]) -> None:
    try:
        placed = spec(unk_types=frozenset({tokens[0]})).places(tokens, sentence)
    except AlignmentError:
        return
    check_covers(placed, sentence)


@pytest.mark.parametrize(
    ("tokens", "sentence", "covered"),
    [
        ("A Â ł cat", "A\u00a0cat", ["A", "", "\u00a0", "cat"]),
        ("A Âł cat", "A\u00a0cat", ["A", "\u00a0", "cat"]),
        ("A ã Ģ Ģ cat Ġx", "A\u3000cat x", ["A", "", "", "\u3000", "cat", "x"]),
        ("A Ġ Âł cat", "A \u00a0cat", ["A", " ", "\u00a0", "cat"]),
    ],
)
def test_a_space_beyond_ascii_may_come_in_pieces(
    tokens: str, sentence: str, covered: list[str]
) -> None:
    assert texts(tokens, sentence, **GPT2) == covered


@given(words=WORDS)
def test_forms_of_unicode_make_no_difference(words: list[str]) -> None:
    composed = [unicodedata.normalize("NFC", word) for word in words]
    decomposed = [unicodedata.normalize("NFD", word) for word in words]
    # Several marks on a letter may change places; they are compared in their order.
    assume(all(unicodedata.normalize("NFC", word) == word for word in composed))
    assume(
        "".join(unicodedata.normalize("NFD", c) for c in "".join(composed)) == "".join(decomposed)
    )
    sentence = " ".join(decomposed)
    placed = spec().places(composed, sentence)
    assert [sentence[place.start : place.end] for place in placed] == decomposed


def check_covers(placed: tuple[Token, ...], sentence: str) -> None:
    """Offsets never run backwards, and no visible character is outside of them."""
    covered = 0
    for place in placed:
        assert covered <= place.start <= place.end <= len(sentence)
        assert not sentence[covered : place.start].strip()
        covered = place.end
    assert not sentence[covered:].strip()


Case = Mapping[str, Any]
Regions = dict[str, list[str]]

# Where the retired tool was wrong: what is right.
MENDED: dict[str, tuple[list[list[str]], dict[str, list[str]]]] = {
    "cased spec but lowercased tokens (lm-zoo#55)": ([["the", "painting"], ["fell", "</s>"]], {}),
    "uncased + unk before capitalised region": (
        [["the"], ["<unk>"], ["john"], ["ran"]],
        {"2": ["WEIRD"]},
    ),
    "sentinel final: </w> rstrip bug": ([["new</w>"], ["york</w>"]], {}),
    "ptb quotes not supported": ([["He", "said"], ["``", "hi", "''"], ["now"]], {}),
    "character type with space tokens": ([["h", "i"], [" ", "y", "o"]], {}),
    "offsets: leading empty region, gpt2": ([[], ["This"], ["Ġis"], ["Ġa"]], {}),
}
# Where ours differs by design (the retired tool's answer: `Sentence.regions_of_as_syntaxgym`).
BY_DESIGN: dict[str, tuple[list[list[str]], dict[str, list[str]]]] = {
    "eos goes to trailing empty region": ([["This"], ["is", "</s>"], []], {}),
    "unks spanning two regions": (
        [["This"], ["<unk>"], ["<unk>"], ["is"]],
        {"2": ["FOO"], "3": ["BAR"]},
    ),
    "final unk + eos, more regions of content follow": (
        [["This"], ["<unk>"], ["<unk>", "<eos>"]],
        {"2": ["FOO"], "3": ["BAR"]},
    ),
}


def _layout(case: Case) -> Sentence:
    regions = (
        Region(number=each["region_number"], content=each["content"]) for each in case["regions"]
    )
    return Condition(name="", regions=tuple(regions)).sentence()


def test_what_was_right_stays(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, None, "keep"):
        if case["kind"] != "region_validation":
            ours = _by_region(case, _regions(case, _placed(case)))
            wrong += [] if ours == _expected(case) else [(case["id"], ours, _expected(case))]
    assert wrong == []


def test_what_differs_by_design(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, "trap"):
        ours = _by_region(case, _regions(case, _placed(case)))
        right = _of(case, BY_DESIGN[case["id"]]) if case["id"] in BY_DESIGN else _expected(case)
        wrong += [] if ours == right else [(case["id"], ours, right)]
    assert wrong == []


def test_the_retired_aligner_s_regions_can_be_had(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, None, "keep", "trap"):
        if case["kind"] == "heuristic":
            theirs = _by_region(case, _layout(case).regions_of_as_syntaxgym(_placed(case)))
            wrong += [] if theirs == _expected(case) else [(case["id"], theirs, _expected(case))]
    assert wrong == []


def test_what_was_wrong_is_mended(shared_data: Path) -> None:
    wrong = []
    cases = [case for case in _cases(shared_data, "bug") if case["id"] != "content left over"]
    for case in cases:
        ours = _by_region(case, _regions(case, _placed(case)))
        right = _of(case, MENDED[case["id"]])
        wrong += [] if ours == right else [(case["id"], ours, right)]
    assert wrong == []
    assert {case["id"] for case in cases} == set(MENDED)


def test_what_cannot_be_mended_is_told(shared_data: Path) -> None:
    (case,) = (case for case in _cases(shared_data, "bug") if case["id"] == "content left over")
    with pytest.raises(AlignmentError, match="the tokens end before character 4 of the sentence"):
        _placed(case)


def _cases(shared_data: Path, *verdicts: str | None) -> Iterator[Case]:
    document = json.loads((shared_data / "conformance" / "alignment_cases.json").read_text("utf-8"))
    yield from (case for case in document["cases"] if case.get("verdict") in verdicts)


def _placed(case: Case) -> tuple[Token, ...]:
    return _spec(case).places(case["tokens"], case["sentence"])


def _spec(case: Case) -> TokenizerSpec:
    if case["kind"] == "heuristic":
        return TokenizerSpec.from_dict(case["spec"])
    # The cases with offsets come without a spec: their tokens are those of three tokenizers.
    is_sentencepiece = any("▁" in token for token in case["tokens"])
    return TokenizerSpec(
        prefix_types=frozenset({"<s>"}),
        suffix_types=frozenset({"</s>"}),
        sentinel="" if is_sentencepiece else "Ġ",
        sentinel_position="initial",
        metaspace="▁" if is_sentencepiece else "",
    )


def _regions(case: Case, placed: Sequence[Token]) -> list[int | None]:
    """Look the regions up as pommel does: by the first visible character, then by the offset."""
    sentence = case["sentence"]
    ends = []
    at = 0
    for region in case["regions"]:
        content = region["content"]
        at = sentence.index(content, at) + len(content) if content else at
        ends.append(at)
    last = max(index for index, end in enumerate(ends) if end > (ends[index - 1] if index else 0))
    found: list[int | None] = []
    for place in placed:
        inside = range(place.start, place.end)
        first = next((i for i in inside if not sentence[i].isspace()), place.start)
        found.append(next((index for index, end in enumerate(ends) if first < end), last))
    return found


def _by_region(case: Case, regions: Sequence[int | None]) -> tuple[Regions, Regions]:
    numbers = [str(region["region_number"]) for region in case["regions"]]
    tokens: Regions = {number: [] for number in numbers}
    oovs: Regions = {number: [] for number in numbers}
    for token, place, region in zip(case["tokens"], _placed(case), regions, strict=False):
        if region is not None:
            tokens[numbers[region]].append(token)
            if place.oov:
                oovs[numbers[region]].append(case["sentence"][place.start : place.end])
    return tokens, oovs


def _expected(case: Case) -> tuple[Regions, Regions]:
    return case["expected"]["region_to_tokens"], case["expected"]["oovs"]


def _of(case: Case, right: tuple[list[list[str]], dict[str, list[str]]]) -> tuple[Regions, Regions]:
    numbers = [str(region["region_number"]) for region in case["regions"]]
    return dict(zip(numbers, right[0], strict=True)), {n: right[1].get(n, []) for n in numbers}
