"""Which format a file has."""

from pathlib import Path

from pommel.sources.conversion import recognised


def test_a_file_is_told_by_its_ending_and_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfTrue\tje dors\n")
    found = recognised(path)
    assert found is not None
    assert found.name == "clams"
    path.write_text("je dors\n")
    assert recognised(path) is None
    assert recognised(path.with_suffix(".docx")) is None
