"""Which format a file has, and which is written under an ending."""

from pathlib import Path

import pytest

from pommel.errors import InputError
from pommel.sources.formats.set_formats import (
    FORMATS,
    format_named,
    head_of,
    recognised,
    written_at,
)


def test_formats_have_names_of_their_own() -> None:
    names = [each.name for each in FORMATS]
    assert len(set(names)) == len(names)
    assert {format_named(name) for name in names} == set(FORMATS)
    assert format_named("suite") is None


def test_every_ending_has_a_format_that_is_written() -> None:
    for each in FORMATS:
        for ending in each.endings:
            assert ending.startswith(".")
            assert written_at(ending) is not None, ending
    assert written_at(".docx") is None


def test_a_file_is_told_by_its_ending_and_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfTrue\tje dors\n")
    found = recognised(path)
    assert found is not None
    assert found.name == "clams"
    path.write_text("je dors\n")
    assert recognised(path) is None
    assert recognised(path.with_suffix(".docx")) is None


def test_heads_of_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xff\x00abc")
    assert head_of(path) == "\N{REPLACEMENT CHARACTER}\x00abc"
    with pytest.raises(InputError, match="No such file"):
        head_of(tmp_path / "none.txt")
