"""Rules about characters: what readers do not see, and models do."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from operator import itemgetter

from pommel.errors import quoted
from pommel.files import JsonPath
from pommel.suite.lint.subject import Remark, Subject
from pommel.suite.suite import Suite

# A text, and by the items that have it the first place where each has.
_Places = Mapping[str, Mapping[int, JsonPath]]


def _texts(suite: Suite) -> _Places:
    """Return the texts of all regions and contexts, each once."""
    places: dict[str, dict[int, JsonPath]] = defaultdict(dict)
    for i, item in enumerate(suite.items):
        for c, condition in enumerate(item.conditions):
            path = ("items", i, "conditions", c)
            if condition.context:
                own = path if "context" in condition.as_written else path[:2]
                places[condition.context].setdefault(i, (*own, "context"))
            for r, region in enumerate(condition.regions):
                places[region.text].setdefault(i, (*path, "regions", r, "content"))
    return places


def _unusual_texts(suite: Suite) -> _Places:
    """Return those with other characters than ASCII's printable ones."""
    return {
        text: places
        for text, places in suite.once(_texts).items()
        if not (text.isascii() and text.isprintable())
    }


# Scripts need these, which have no width, to say where letters join; among others they say nothing.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_JOINS_NOTHING = re.compile(rf"(?<=[A-Za-z\u00c0-\u02af\u0370-\u058f\u1e00-\u1fff])[{_JOINERS}]")
_DIRECTION_MARKS = "\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}\N{ARABIC LETTER MARK}"
# By their categories these are letters, and a sign.
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
# That a line is not broken at one, and how wide it is, is no matter between two words. Mongolian
# has one before its endings.
_OTHER_SPACES = re.compile(r"(?<=[^\s\u1800-\u18af])[\u00a0\u2000-\u200a\u202f\u205f](?=\S)")


def control_character(subject: Subject) -> Iterator[Remark]:
    """Yield the characters that steer a terminal, turn the direction of a text, or are not seen.

    Not so joiners in scripts whose letters join, marks of direction in a suite that is written from
    right to left, and the signs that some scripts put before a number. And the spaces of another
    kind between words (no-break, thin), but not those beside marks and digits, where typography has
    them (*Qui ?* in French, *10 km*).
    """
    texts = subject.suite.once(_unusual_texts)
    needed = _DIRECTION_MARKS if any(map(_is_right_to_left, set().union(*texts))) else ""
    places: dict[str, dict[int, JsonPath]] = defaultdict(dict)
    for text, paths in texts.items():
        unseen = [each for each in text if _is_control(each) and each not in needed]
        found = [*unseen, *_JOINS_NOTHING.findall(text), *_spaces_of_another_kind(text)]
        for each in dict.fromkeys(found):
            for item, path in paths.items():
                places[each].setdefault(item, path)
    for character, paths in places.items():
        does, hint = "cannot be seen", "remove it; a model reads it, too"
        if unicodedata.category(character) == "Zs":
            does, hint = "looks like a space", "write a space; to a model it is another character"
        words = (f"the character {_named(character)} {does}, and stands in the text", "")
        yield _remark(subject, paths, words, hint)


def _spaces_of_another_kind(text: str) -> Iterator[str]:
    for found in _OTHER_SPACES.finditer(text):
        beside = text[found.start() - 1] + text[found.end()]
        if all(unicodedata.category(each)[0] in "LM" for each in beside):
            yield found[0]


def _is_control(character: str) -> bool:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return True
        case "Cf":
            is_letter = unicodedata.bidirectional(character) in ("L", "R", "AL", "AN")
            is_mark = character in _DIRECTION_MARKS
            return is_mark or not (is_letter or character in _JOINERS)
        case _:
            return character in _BLANKS


def _is_right_to_left(character: str) -> bool:
    is_visible = unicodedata.category(character) != "Cf"
    return is_visible and unicodedata.bidirectional(character) in ("R", "AL", "AN")


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{f' ({name})' if name else ''}"


def _remark(
    subject: Subject, paths: Mapping[int, JsonPath], words: tuple[str, str], hint: str
) -> Remark:
    """Return the remark; `words` are what is said before the items, and after them."""
    items = sorted(paths)
    before, after = words
    return Remark(
        path=paths[items[0]],
        message=f"{before} {subject.where(items)}{after}",
        hint=hint,
        item_numbers=subject.numbers(items),
    )


# What stands between blanks, and of that the letters, marks not among them.
_WORDS = re.compile(r"\S+")
_LETTERS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


def _words(texts: _Places, pattern: re.Pattern[str]) -> Mapping[str, dict[int, JsonPath]]:
    """Return the words of texts, each with its places."""
    places: dict[str, dict[int, JsonPath]] = defaultdict(dict)
    for text, paths in texts.items():
        for word in pattern.findall(text):
            for item, path in paths.items():
                places[word].setdefault(item, path)
    return places


def mixed_normalization(subject: Subject) -> Iterator[Remark]:
    """Yield the words that are not in Unicode's form NFC, where others are, or all are in NFD.

    *é* is then one character here, and two there; or two everywhere, as some programs on a Mac
    write it, and as no model knows it. A letter that NFC takes apart (the nukta's) may be one.
    """
    words = _words(subject.suite.once(_unusual_texts), _WORDS)
    composed = {word: unicodedata.normalize("NFC", word) for word in words}
    others = [word for word, one in composed.items() if word != one]
    known = {word for word, one in composed.items() if word == one} if others else set()
    is_there = any(composed[word] in known for word in others)
    is_mixed = is_there or any(unicodedata.normalize("NFD", word) != word for word in known)
    if not is_mixed:
        others = [word for word in others if unicodedata.normalize("NFD", word) == word]
    if others:
        paths = {item: path for word in reversed(others) for item, path in words[word].items()}
        codes = " ".join(f"U+{ord(each):04X}" for each in others[0] if not each.isascii())
        before = "words are not in Unicode's form NFC" + ", as others are," * is_mixed
        yield _remark(
            subject,
            paths,
            (before, f": {quoted(others[0])} has {codes}"),
            "write all of them in NFC: to a model they are other words"
            + ", and its texts have NFC" * (not is_mixed),
        )


# Letters of other scripts, small and capital, and those of Latin that they look like.
_LOOK_ALIKES = {
    "CYRILLIC": {
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb": "aeopcyxijsh",
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425": "ABEKMHOPCTYX",
        "\u0406\u0408\u0405": "IJS",
    },
    "GREEK": {
        "\u03bf\u0391\u0392\u0395\u0396\u0397\u0399": "oABEZHI",
        "\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7": "KMNOPTYX",
    },
}
_TO_LATIN = {
    ord(letter): like
    for several in _LOOK_ALIKES.values()
    for letters, alike in several.items()
    for letter, like in zip(letters, alike, strict=True)
}
_LOOKING_ALIKE = frozenset({*map(chr, _TO_LATIN), *_TO_LATIN.values()})
# Of the words of a suite that is in one script.
_LEAST_SHARE = 0.9


def mixed_scripts(subject: Subject) -> Iterator[Remark]:
    """Yield the words with letters that look like ones of the script that their others are in.

    These are Latin, Cyrillic and Greek. And the words all of whose letters do, where nearly all
    other words of the suite are in that script; but not those in capitals, which may be names and
    numerals.
    """
    if not subject.suite.once(_unusual_texts):
        return
    words = _words(subject.suite.once(_texts), _LETTERS)
    scripts = {word: {script for each in word if (script := _script(each))} for word in words}
    counts = Counter(script for several in scripts.values() for script in several)
    main, n_main = max(counts.items(), key=itemgetter(1), default=("", 0))
    is_clear = main in _SCRIPTS and n_main >= _LEAST_SHARE * len(words)
    found: dict[str, str] = {}
    for word, several in scripts.items():
        is_mixed = len(several & _SCRIPTS) > 1
        for script in sorted(several & _SCRIPTS - {main}):
            letters = [each for each in word if _script(each) == script]
            is_doubtful = is_mixed or (is_clear and not word.isupper())
            if is_doubtful and _LOOKING_ALIKE.issuperset(letters):
                found.setdefault(word, letters[0])
    if found:
        word, letter = next(iter(found.items()))
        paths = {item: path for each in reversed(found) for item, path in words[each].items()}
        before = "letters look like those of another script"
        yield _remark(
            subject,
            paths,
            (before, f": {quoted(word)} has {_named(letter)}"),
            "write each word in one script: to a model it is another word",
        )


_SCRIPTS = frozenset({"LATIN", *_LOOK_ALIKES})
# Written without spaces between words. Some of them have spaces between phrases.
_SPACELESS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})
# A text whose words are kept apart on purpose has spaces within its regions, too.
_LEAST_SPACED = 0.25


@lru_cache(maxsize=1 << 12)
def _script(letter: str) -> str:
    """Return a letter's script, the first word of its name; "" for one that no rule is about."""
    script = unicodedata.name(letter, "").split(" ")[0] if letter.isalpha() else ""
    return script if script in _SCRIPTS or script in _SPACELESS else ""


def missing_joiner(subject: Subject) -> Iterator[Remark]:
    """Yield the suite if its script has no spaces, and its regions are joined by one.

    Not so where a quarter of its regions have spaces within: their words are kept apart on purpose.
    """
    texts = [*filter(None, subject.suite.once(_texts))]
    letters = Counter("".join(texts))
    n_letters = sum(n for each, n in letters.items() if each.isalpha())
    n_spaceless = sum(n for each, n in letters.items() if _script(each) in _SPACELESS)
    n_spaced = sum(any(map(str.isspace, text)) for text in texts)
    if (
        subject.has_spaces
        and n_spaceless > n_letters / 2
        and n_spaced < _LEAST_SPACED * len(texts)
        and any(
            sum(start < end for start, end in laid.spans.values()) > 1
            for item in subject.items
            for laid in item.values()
        )
    ):
        yield Remark(
            path=("meta", "joiner"),
            message="regions are joined by a space, and the text is in a script that has none "
            "between words",
            hint='say `"joiner": ""` in meta',
        )


@lru_cache(maxsize=1 << 16)
def as_read(text: str) -> str:
    """Return a text as readers see it, whichever of several characters stand for what they see.

    What other rules compare; of the characters themselves the rules here speak.
    """
    if text.isascii() and text.isprintable():
        return text
    composed = unicodedata.normalize("NFC", text)
    seen = "".join(each for each in composed if not _is_control(each))
    return unicodedata.normalize("NFC", _JOINS_NOTHING.sub("", seen).translate(_TO_LATIN))
