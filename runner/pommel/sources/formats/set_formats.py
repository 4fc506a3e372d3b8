"""All formats of minimal sets: by name, and which of them a file has."""

from pathlib import Path

from pommel.errors import InputError
from pommel.sources.formats.bert_syntax import BERT_SYNTAX
from pommel.sources.formats.blimp import BLIMP
from pommel.sources.formats.clams import CLAMS
from pommel.sources.formats.context_pairs import CONTEXT_PAIRS
from pommel.sources.formats.gevalm import GEVALM
from pommel.sources.formats.gulordava import GULORDAVA
from pommel.sources.formats.linzen import LINZEN
from pommel.sources.formats.lm_syneval import LM_SYNEVAL
from pommel.sources.formats.multiblimp import MULTIBLIMP
from pommel.sources.formats.pair_rows import PAIR_TABLE
from pommel.sources.formats.set_format import SetFormat

# Of formats that share an ending the first that recognises a file has it; the first of all is what
# a file of that ending is written in.
FORMATS: tuple[SetFormat, ...] = (
    CLAMS,
    PAIR_TABLE,
    BLIMP,
    GEVALM,
    MULTIBLIMP,
    CONTEXT_PAIRS,
    LM_SYNEVAL,
    LINZEN,
    GULORDAVA,
    BERT_SYNTAX,
)

_N_SNIFFED = 4_096


def format_named(name: str) -> SetFormat | None:
    """Return the format of that name, if there is one."""
    return next((each for each in FORMATS if each.name == name), None)


def recognised(path: Path) -> SetFormat | None:
    """Return the format of a file, by its ending and how it begins; None for none of ours.

    Raises `InputError` for a file that cannot be read.
    """
    candidates = [each for each in FORMATS if path.suffix in each.endings]
    if not candidates:
        return None
    head = head_of(path)
    return next((each for each in candidates if each.is_like(head)), None)


def written_at(ending: str) -> SetFormat | None:
    """Return the format in which a file of that ending is written."""
    return next((each for each in FORMATS if ending in each.endings), None)


def head_of(path: Path) -> str:
    """Return how a file begins, as text, whatever it is; raises `InputError`."""
    try:
        with path.open("rb") as stream:
            return stream.read(_N_SNIFFED).decode("utf-8-sig", "replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
