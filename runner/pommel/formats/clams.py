"""The evaluation sets of CLAMS (Mueller et al. 2020): `True` or `False`, a tab, a sentence.

A set is one line `True` and the lines `False` after it.
"""

from collections.abc import Iterable, Iterator

from pommel.errors import Fault, SuiteError
from pommel.formats.set_format import SetFormat
from pommel.minimal_sets import MinimalSet
from pommel.text_file import read_text

_N_COLUMNS = 2


def clams_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield the text of each set: its lines, with line feeds."""
    for each in sets:
        wrong = "".join(f"False\t{sentence}\n" for sentence in each.ungrammatical)
        yield f"True\t{each.grammatical}\n{wrong}"


def parse_clams(text: str, *, file: str) -> list[MinimalSet]:
    """Return the sets of a file's text.

    Sentences keep their words and lose doubled spaces. Raises `SuiteError` with every line that is
    none of these, a `False` without a `True` before it, and a text without a set.
    """
    found: list[list[str]] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.splitlines(), start=1):
        mark, tab, sentence = line.partition("\t")
        if mark not in ("True", "False") or not tab or not sentence.strip():
            hint = "write True or False, a tab, and a sentence"
            faults.append(_fault(file, number, "this is no sentence with its mark", hint))
        elif mark == "True":
            found.append([sentence])
        elif found:
            found[-1].append(sentence)
        else:
            what = "this ungrammatical sentence belongs to no grammatical one"
            faults.append(_fault(file, number, what, "write its line True before it"))
    if not found and not faults:
        faults.append(_fault(file, 0, "there is no sentence", "write True, a tab, and a sentence"))
    if faults:
        raise SuiteError(faults)
    return [MinimalSet.of(*sentences) for sentences in found]


def _fault(file: str, line: int, message: str, hint: str) -> Fault:
    return Fault(file=file, line=line, column=1, path="", message=message, hint=hint)


def _is_like(text: str) -> bool:
    first = text.partition("\n")[0].split("\t")
    return first[0] in ("True", "False") and len(first) == _N_COLUMNS


CLAMS = SetFormat(
    name="clams",
    title="CLAMS's True/False lines",
    endings=(".txt",),
    read=lambda path: parse_clams(read_text(path).text, file=str(path)),
    pieces=clams_lines,
    is_like=_is_like,
)
