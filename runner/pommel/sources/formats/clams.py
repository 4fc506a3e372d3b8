"""The evaluation sets of CLAMS (Mueller et al. 2020): `True` or `False`, a tab, a sentence.

A set is one line `True` and the lines `False` after it.
"""

from collections.abc import Iterable, Iterator

from pommel.errors import Fault, Place, SuiteError
from pommel.sources.formats.set_format import SetFormat, placed_lines
from pommel.sources.minimal_sets import MinimalSet

_MARKS = ("True", "False")


def clams_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield the text of each set: its lines, with line feeds."""
    for each in sets:
        wrong = "".join(f"False\t{sentence}\n" for sentence in each.ungrammatical)
        yield f"True\t{each.grammatical}\n{wrong}"


def parse_clams(text: str, file: str) -> list[MinimalSet]:
    """Return the sets of a file's text.

    Sentences keep their words and lose doubled spaces. Raises `SuiteError` with every line that is
    none of these, a `False` without a `True` before it, and a text without a set.
    """
    found: list[list[str]] = []
    faults: list[Fault] = []
    for place, line in placed_lines(text, file):
        mark, _, sentence = line.partition("\t")
        if mark not in _MARKS or not sentence.strip():
            hint = "write True or False, a tab, and a sentence"
            faults.append(place.fault("this is no sentence with its mark", hint))
        elif mark == "True":
            found.append([sentence])
        elif found:
            found[-1].append(sentence)
        else:
            what = "this ungrammatical sentence belongs to no grammatical one"
            faults.append(place.fault(what, "write its line True before it"))
    if not found and not faults:
        hint = "write True, a tab, and a sentence"
        faults = [Place(file=file).fault("there is no sentence", hint)]
    if faults:
        raise SuiteError(faults)
    return [MinimalSet.of(*sentences) for sentences in found]


def _is_like(text: str) -> bool:
    first = text.partition("\n")[0]
    return first.partition("\t")[0] in _MARKS and first.count("\t") == 1


CLAMS = SetFormat(
    name="clams",
    endings=(".txt",),
    parse=parse_clams,
    pieces=clams_lines,
    has_lone=True,
    is_like=_is_like,
)
