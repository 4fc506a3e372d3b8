"""Patterns of strangers: what may be matched here, and that what may is matched in no time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.models.container.image_spec import pattern_fault

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
        start = time.monotonic()
        re.sub(pattern, "", word)
        # A few milliseconds; what is catastrophic takes hours.
        assert time.monotonic() - start < 2
