"""Files of results, made for a test, and what reading them says."""

from pathlib import Path
from typing import Any

import pytest

from pommel.errors import FaultyFileError
from pommel.store.imports.results import Imported, ImportOptions, read_results


def read(
    folder: Path, *texts: str, form: str = "", name: str = "x.csv", **options: Any
) -> Imported:
    """Read texts as files x.csv, 1-x.csv and so on, with these options."""
    paths = []
    for index, text in enumerate(texts):
        paths.append(folder / (f"{index}-{name}" if index else name))
        paths[-1].write_text(text, encoding="utf-8")
    return read_results(paths, ImportOptions(**options), form=form)


def faults(folder: Path, *texts: str, form: str = "", **options: Any) -> str:
    """Return the faults of such files, with names instead of paths."""
    with pytest.raises(FaultyFileError) as caught:
        read(folder, *texts, form=form, **options)
    return str(caught.value).replace(f"{folder}/", "")
