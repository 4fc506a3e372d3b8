"""What is known of published suites that their results do not say: circuits, chance, languages.

It stands in published.toml.
"""

import functools
import re
from pathlib import Path
from typing import Any

from pommel.values import positional

_FIRST = re.compile(r"([A-Za-z]+)[-_/ ].")

# A primary language and its subtags (RFC 5646), whether or not they are registered. It would allow
# primary ones of up to eight letters, of which there are none: these are names, like "English".
_TAG = re.compile(r"(?:[A-Za-z]{2,3}|[iIxX](?=-))(?:-[A-Za-z0-9]{1,8})*")

# Of scripts that put no blanks between words (or between regions that are parts of words).
_WITHOUT_SPACES = frozenset(["ja", "zh", "th", "lo", "km", "my", "yue", "wuu", "bo"])
_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]
)
_RIGHT_TO_LEFT_SCRIPTS = frozenset(["arab", "hebr", "syrc", "thaa", "nkoo"])


@functools.cache
def _known(what: str) -> Any:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("published.toml").read_text("utf-8"))[what]


@positional
class PublishedSuite:
    """What a published suite's name says of it."""

    name: str

    def _fact(self, key: str) -> Any:
        return _known("suites").get(self.name, {}).get(key)

    @property
    def circuit(self) -> str:
        """The circuit of a suite of Hu et al. (2020), "" for any other."""
        return self._fact("circuit") or ""

    @property
    def without_modifier(self) -> str:
        """The suite that one of Hu et al. (2020) is with a modifier, "" for any other."""
        return self._fact("without_modifier") or ""

    @property
    def chance(self) -> float | None:
        """How often the first prediction of a suite of Hu et al. (2020) holds by chance.

        None for any other suite.
        """
        chance: float | None = self._fact("chance")
        return chance

    @property
    def language(self) -> str:
        """The code of the language that a suite's name begins with ("basque-…"), else ""."""
        found = _FIRST.match(self.name)
        return _known("languages").get(found[1].lower(), "") if found else ""

    @staticmethod
    def direction(language: str) -> str:
        """Return "rtl" for languages written from right to left, "auto" where the text decides."""
        subtags = _subtags(language)
        is_rtl = subtags[0] in _RIGHT_TO_LEFT or not _RIGHT_TO_LEFT_SCRIPTS.isdisjoint(subtags[1:])
        return "rtl" if is_rtl else "auto"

    @staticmethod
    def usual_joiner(language: str) -> str:
        """Return what stands between the regions of a language's sentences: a space, or nothing."""
        return "" if PublishedSuite.primary_language(language) in _WITHOUT_SPACES else " "

    @staticmethod
    def primary_language(language: str) -> str:
        """Return what a tag begins with, in small letters: zh of zh-Hant, "" of nothing."""
        return _subtags(language)[0]

    @staticmethod
    def language_fault(tag: str) -> str:
        """Say why this is no language tag, "" if it is one."""
        if _TAG.fullmatch(tag):
            return ""
        dashed = tag.strip().replace("_", "-")
        code = _known("languages").get(tag.strip().lower()) or (_TAG.fullmatch(dashed) and dashed)
        hint = f"did you mean {code}?" if code else "write one such as en, eu, zh-Hant"
        return f"{tag!r} is no language tag; {hint}"


def _subtags(language: str) -> list[str]:
    return language.lower().replace("_", "-").split("-")
