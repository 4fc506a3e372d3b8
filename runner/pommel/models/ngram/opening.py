"""From `ngram://FILE?reader=...` to a model."""

from pathlib import Path
from typing import get_args

from pommel.errors import InputError, ModelNotAvailableError, UsageError, check_choice
from pommel.models.model import LoadOptions, Model
from pommel.models.ngram.arpa import read_arpa
from pommel.models.ngram.kenlm_reader import (
    KenlmRefusalError,
    is_kenlm_binary,
    is_kenlm_installed,
    read_with_kenlm,
)
from pommel.models.ngram.model import NgramTables, ReaderName, ngram_model
from pommel.models.reference_files import split_reference

_INSTALL = "pip install 'pommel[kenlm]'"
_READERS = ("auto", *get_args(ReaderName))


def open(reference: str, _options: LoadOptions) -> Model:  # noqa: A001 - every backend has it
    """Return the model that a reference `ngram://FILE` names, `?reader=python|kenlm|auto`.

    "auto" reads with kenlm where that is installed, which takes less time, and otherwise, or if
    kenlm does not take the file, by ourselves; both give the same numbers (1e-4 bits).
    Raises `UsageError` for a reference that makes no sense, `ModelNotAvailableError` for a file
    that cannot be read or needs a kenlm that is not installed, and `InputError`, with the line if
    it is text, for what is wrong in it.
    """
    parts = split_reference(reference, ("reader",))
    if not parts.path:
        raise UsageError(f"{reference}: it names no file; write ngram://FILE")
    wanted = parts.settings.get("reader", "auto")
    check_choice("reader", wanted, _READERS)
    path = Path(parts.path).expanduser()
    tables, reader = _read(path, wanted, reference)
    return ngram_model(tables, path, reader, reference=reference, name=_name(path))


def _read(path: Path, wanted: str, reference: str) -> tuple[NgramTables, ReaderName]:
    if wanted == "python":
        return read_arpa(path), "python"
    is_binary = is_kenlm_binary(path)
    if not is_kenlm_installed():
        if is_binary:
            what = f"{path}: this is a binary KenLM model, which needs kenlm: {_INSTALL}"
            raise ModelNotAvailableError(f"{what}, or give the ARPA file that it was built from")
        if wanted == "kenlm":
            what = f"{reference} needs kenlm: {_INSTALL}"
            raise ModelNotAvailableError(f"{what}, or read it without: ngram://FILE?reader=python")
        return read_arpa(path), "python"
    try:
        return read_with_kenlm(path), "kenlm"
    except KenlmRefusalError as refusal:
        if is_binary:
            raise InputError(f"{path}: kenlm cannot read this binary: {refusal}") from refusal
        # It says in which line a fault is; and it takes what kenlm does not, such as unigrams.
        tables = read_arpa(path)
        if wanted == "kenlm":
            what = f"{path}: kenlm does not take this model: {refusal}"
            raise InputError(f"{what}; write ngram://FILE?reader=python") from refusal
        return tables, "python"


def _name(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).stem
