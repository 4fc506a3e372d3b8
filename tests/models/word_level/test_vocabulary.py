"""A vocabulary file is a list of distinct words."""

from pathlib import Path

import pytest

from pommel.errors import InputError, ModelNotAvailableError
from pommel.models.word_level import read_vocabulary


def _written(folder: Path, text: str) -> Path:
    path = folder / "vocabulary.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text", ["<unk>\nthe\nThe\n", "<unk>\r\nthe\r\nThe", "\ufeff<unk>\n the\nThe "]
)
def test_words_come_in_the_order_of_the_file(tmp_path: Path, text: str) -> None:
    assert read_vocabulary(_written(tmp_path, text), asked_by="x") == ("<unk>", "the", "The")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb c\n", ":2: 'b c' is not one word; a vocabulary has a word a line"),
        ("a\n\nb\n", ":2: the line is blank; a vocabulary has a word a line"),
        ("", ": there is no word in it; a vocabulary has a word a line"),
        (
            "a\nb\na\n",
            ": 1 duplicate ('a' in line 3 is there in line 1); a word may be listed once",
        ),
        pytest.param(
            "a\na\na\na\na\n",
            ": 4 duplicates ('a' in line 2 is there in line 1, 'a' in line 3 is there in line 1, "
            "'a' in line 4 is there in line 1, ...); a word may be listed once",
            id="many",
        ),
    ],
)
def test_what_is_no_list_of_words_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = _written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_vocabulary(path, asked_by="x")
    assert str(caught.value) == f"{path}{message}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    with pytest.raises(ModelNotAvailableError) as caught:
        read_vocabulary(path, asked_by="lstm://folder")
    assert str(caught.value) == f"lstm://folder: {path}: No such file or directory"
