"""Which models are one kind in several sizes."""

from pathlib import Path

from tests.store.imports.files import read


def families(folder: Path, text: str) -> dict[str, str]:
    """Return the family of each model of a file."""
    records = read(folder, text).with_guessed_size_families()
    return {record.result.model_name: record.model.size_family for record in records}


def test_names_that_begin_alike(tmp_path: Path) -> None:
    text = "model,params,s\nhuman,,1\nbloom,9,1\nbloom-1b,1,1\nbloom-x,,1\nmbert,2,1\n"
    assert families(tmp_path, text) == {
        "human": "",
        "bloom": "bloom",
        "bloom-1b": "bloom",
        # Nobody knows its size.
        "bloom-x": "",
        "mbert": "",
    }


def test_what_a_file_says_stays(tmp_path: Path) -> None:
    text = "model,suite,item,result,size_family,params\nm-1,s,1,1,X,1\nm-2,s,1,1,,2\n"
    assert families(tmp_path, text) == {"m-1": "X", "m-2": "m"}
