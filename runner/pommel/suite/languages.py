"""Languages: which tags they have, and which of them a suite's name begins with."""

import re

# The languages of the suites that are published with models' results (ISO 639-1).
_CODES = {
    "basque": "eu",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hebrew": "he",
    "hindi": "hi",
    "italian": "it",
    "japanese": "ja",
    "mandarin": "zh",
    "chinese": "zh",
    "russian": "ru",
    "spanish": "es",
    "swahili": "sw",
}
_FIRST = re.compile(r"([A-Za-z]+)[-_/ ].")

# A primary language and its subtags (RFC 5646), whether or not they are registered. It would allow
# primary ones of up to eight letters, of which there are none: these are names, like "English".
_TAG = re.compile(r"(?:[A-Za-z]{2,3}|[iIxX](?=-))(?:-[A-Za-z0-9]{1,8})*")


def language_of(suite: str) -> str:
    """Return the code of the language that a suite's name begins with ("basque-…"), else ""."""
    found = _FIRST.match(suite)
    return _CODES.get(found[1].lower(), "") if found else ""


def language_fault(tag: str) -> str:
    """Say why this is no language tag, "" if it is one."""
    if _TAG.fullmatch(tag):
        return ""
    code = _CODES.get(tag.strip().lower())
    hint = f"did you mean {code}?" if code else "write one such as en, eu, zh-Hant"
    return f"{tag!r} is no language tag; {hint}"
