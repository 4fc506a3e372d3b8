"""The places of a reference, and what they can stand for on disk."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.models.family import choices, split_places


def places(reference: str) -> list[tuple[str, str, str]]:
    return [(each.separator, each.text, each.kind) for each in split_places(reference).places]


def test_paths_names_and_revisions() -> None:
    assert places("lstm://en/seed-*") == [("", "en", "folder"), ("/", "seed-*", "folder")]
    assert places("ngram://en/x.arpa") == [("", "en", "folder"), ("/", "x.arpa", "file")]
    assert places("en/x") == [("", "en", "folder"), ("/", "x", "folder or file")]
    assert places("huggingface://a/m@{x/1,y}") == [
        ("", "a", "folder"),
        ("/", "m", "folder"),
        ("@", "{x/1,y}", "folder"),
    ]
    assert places("docker://o/image:{v1,v2}") == [
        ("", "o", ""),
        ("/", "image", ""),
        (":", "{v1,v2}", ""),
    ]
    assert places("https://h/v1#{a,b}") == [("", "h/v1", ""), ("#", "{a,b}", "")]


def test_a_slash_at_the_end_is_none_of_the_name() -> None:
    assert places("lstm://en/seed-1/") == places("lstm://en/seed-1")


def test_settings_stand_behind_all_places() -> None:
    found = split_places("recorded://a/b.tsv?spec=x/y.json&sentences=z")
    assert [each.text for each in found.places] == ["a", "b.tsv"]
    assert found.settings == "?spec=x/y.json&sentences=z"
    assert found.path(("a", "c.tsv")) == Path("a/c.tsv")
    assert found.beginning(("c",)) == "c"
    assert found.spelled(("c", "d.tsv")) == "recorded://c/d.tsv?spec=x/y.json&sentences=z"
    # Elsewhere a question mark is a character like any other.
    assert split_places("lstm://a?b").settings == ""


@given(
    st.sampled_from(["", "lstm://", "ngram://", "huggingface://", "docker://", "https://"]),
    st.text("ab/@:#?&.*[-", max_size=12).filter(lambda text: not re.search(r"/(\?|$)", text)),
)
def test_a_reference_is_spelled_as_it_was_written(scheme: str, body: str) -> None:
    found = split_places(f"{scheme}{body}")
    assert found.spelled([each.text for each in found.places]) == f"{scheme}{body}"


def test_braces_around_schemes() -> None:
    with pytest.raises(UsageError, match=r"^\{a,b\}://x: the scheme stands before the braces, as"):
        split_places("{a,b}://x")


def test_braces_name_what_need_not_be_there_and_wildcards_find_what_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("en/seed-1", "en/seed-2", "de/seed-1"):
        Path(folder).mkdir(parents=True)
    assert choices(split_places("lstm://{en,fr}/seed-1")) == [("en", "seed-1"), ("fr", "seed-1")]
    assert choices(split_places("lstm://*/seed-2")) == [("en", "seed-2")]
    assert choices(split_places("lstm://*/seed-{1,2}")) == [
        ("de", "seed-1"),
        ("en", "seed-1"),
        ("en", "seed-2"),
    ]
    with pytest.raises(ModelNotAvailableError, match=r"^lstm://\*/seed-3: no folder matches \*/s"):
        choices(split_places("lstm://*/seed-3"))
