"""Braces as bash has them, and wildcards."""

import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pommel.errors import UsageError
from pommel.models.family import (
    expand_braces,
    fixed_start,
    has_wildcard,
    matching,
    nearest_names,
    split_outside_braces,
)

_TEXTS = st.text("ab.-_19/", max_size=3)
_ENDS = st.one_of(st.integers(-3, 12).map(str), st.sampled_from(["01", "007", "-05"]))


@st.composite
def _ranges(draw: st.DrawFn) -> str:
    step = draw(st.sampled_from(["", "..1", "..7", "..-3"]))
    return f"{{{draw(_ENDS)}..{draw(_ENDS)}{step}}}"


def _choices(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.lists(inner, min_size=2, max_size=3).map(lambda each: f"{{{','.join(each)}}}")
    return st.lists(st.one_of(_TEXTS, lists), max_size=3).map("".join)


_PATTERNS = st.recursive(st.one_of(_TEXTS, _ranges()), _choices, max_leaves=6)


# One process an example.
@settings(max_examples=60)
@given(_PATTERNS)
def test_braces_stand_for_what_bash_makes_of_them(pattern: str) -> None:
    # At most 18 numbers a range: two of them stay below what is refused.
    assume(pattern.count("..") <= 2)
    pattern = f"x{pattern}"
    bash = ["bash", "-c", f"printf '%s\\n' {pattern}"]
    done = subprocess.run(bash, capture_output=True, text=True, check=True)
    assert expand_braces(pattern, reference="r") == done.stdout.splitlines()


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("step{1000,2000}", ["step1000", "step2000"]),
        ("{1000..5000..2000}", ["1000", "3000", "5000"]),
        ("{08..11}", ["08", "09", "10", "11"]),
        ("{3..1}", ["3", "2", "1"]),
        ("pythia{,-deduped}", ["pythia", "pythia-deduped"]),
        ("{a,{1..2}}-{x,y}", ["a-x", "a-y", "1-x", "1-y", "2-x", "2-y"]),
        ("plain", ["plain"]),
    ],
)
def test_braces(pattern: str, texts: list[str]) -> None:
    assert expand_braces(pattern, reference="r") == texts


_UNMATCHED = "its braces do not match; write {a,b}, as in NAME@{step1000,step2000}"


def _no_choice(braces: str) -> str:
    return (
        f"{braces} is no choice; write two names or more, as in {{step1000,step2000}}, "
        "or a range, as in {1..5} or {1000..5000..1000}"
    )


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("x@{a,b", _UNMATCHED),
        ("x@a,b}", _UNMATCHED),
        ("x@{a,b}}", _UNMATCHED),
        ("x@{}", _no_choice("{}")),
        ("x@{main}", _no_choice("{main}")),
        ("x@{a..c}", _no_choice("{a..c}")),
        ("x@{1..9..0}", _no_choice("{1..9..0}")),
        ("x@{1...3}", _no_choice("{1...3}")),
        ("x@{1..1000000000}", "it names more than 10000 models"),
        ("x@{1..999}{1..999}", "it names more than 10000 models"),
    ],
)
def test_braces_that_make_no_sense(pattern: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        expand_braces(pattern, reference="huggingface://x")
    assert str(caught.value) == f"huggingface://x: {message}"


def test_separators_inside_braces_do_not_separate() -> None:
    assert split_outside_braces("a/{b/c,d}@e", "/@") == ["a", "/{b/c,d}", "@e"]
    assert split_outside_braces("", "/") == [""]


def test_what_stands_before_a_pattern() -> None:
    assert fixed_start("seed-[12]{a,b}", wildcards=True) == "seed-"
    assert fixed_start("seed-[12]{a,b}", wildcards=False) == "seed-[12]"
    assert fixed_start("seed", wildcards=True) == "seed"
    assert [has_wildcard(text) for text in ("a*", "a?", "a[b]", "{a,b}")] == [True] * 3 + [False]


def test_wildcards_match_names_as_they_are_and_hidden_ones_only_if_asked() -> None:
    names = [".seed-0", "Seed-1", "seed-1", "seed-10"]
    assert matching(names, "seed-*") == ["seed-1", "seed-10"]
    assert matching(names, "seed-[1]") == ["seed-1"]
    assert matching(names, "*") == ["Seed-1", "seed-1", "seed-10"]
    assert matching(names, ".*") == [".seed-0"]


def test_the_nearest_names_come_first() -> None:
    names = ["aaa", "best", "seed-1", "seed-2", ".cache"]
    assert nearest_names(names, "sed-*") == "there is: seed-1, seed-2, best, ..."
    assert nearest_names(["a"], "b*") == "there is: a"
    assert nearest_names([".cache"], "b*") == "it has none"
