"""Which columns a table has, by what they are; and those that mean nothing here."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pommel.errors import Fault, counted, listed, nearest
from pommel.store.imports.result_tables import ResultTable

# So much of a name has to be right for it to be a misspelt one: `margin_bit`, `Circuit`.
_MISSPELT = 0.85
# More columns than these are not named.
_MOST_NAMED = 20


def found_columns(
    table: ResultTable,
    names: Mapping[str, Sequence[str]],
    required: Sequence[str],
    faults: list[Fault],
    *,
    can_be_said: bool = False,
) -> dict[str, int]:
    """Return where columns stand: by what they are, of the names that each may have.

    One that is required and not there is a fault, and so is a name that none of them has and that
    is like one which is not there. `can_be_said`: the option --column says what columns are called.
    """
    found = {
        column: table.header.index(name)
        for column, known in names.items()
        if (name := next((each for each in known if each in table.header), None)) is not None
    }
    if not table.header:
        return found
    others = [name for index, name in enumerate(table.header) if index not in found.values()]
    for column in required:
        if column not in found:
            meant = _like(names[column], others)
            if meant:
                others.remove(meant)
            message = f"there is no column {' or '.join(map(repr, names[column]))}"
            hint = _hint(column, meant, can_be_said=can_be_said)
            faults.append(table.table.fault((1, 1), message, hint))
    optional = {column: names[column] for column in names if column not in {*found, *required}}
    faults += _misspelt(table, others, optional, can_be_said=can_be_said)
    return found


def left_out(unused: Iterable[str]) -> list[str]:
    """Return a line that names columns which mean nothing here, none if there are none."""
    names = list(dict.fromkeys(unused))
    if not names:
        return []
    columns = f"the column{'s' if len(names) > 1 else ''} {listed(names, most=_MOST_NAMED)}"
    count = f" ({counted(len(names), 'column')})" if len(names) > _MOST_NAMED else ""
    return [f"left out {columns}{count}, which mean{'' if len(names) > 1 else 's'} nothing here"]


def unused_columns(table: ResultTable, used: Collection[int]) -> list[str]:
    """Return the names of the columns that are not used, which stand at other places."""
    return [name for index, name in enumerate(table.header) if name and index not in used]


def _hint(column: str, meant: str, *, can_be_said: bool) -> str:
    if not can_be_said:
        return f"rename {meant!r}" if meant else "add it"
    first = f"rename {meant!r}" if meant else "add it"
    said = shlex.quote(f"{column}={meant}") if meant else f"{column}=NAME"
    return f"{first}, or say which one it is: --column {said}"


def _misspelt(
    table: ResultTable,
    others: Sequence[str],
    optional: Mapping[str, Sequence[str]],
    *,
    can_be_said: bool,
) -> Iterator[Fault]:
    head = table.table.rows[0]
    for column, known in optional.items():
        if meant := _like(known, others, likeness=_MISSPELT):
            said = f", say --column {shlex.quote(f'{column}={meant}')}" if can_be_said else ""
            hint = f"did you mean {column!r}? Rename it{said}, or remove it"
            yield table.fault(head, table.header.index(meant), f"{meant!r} means nothing", hint)


def _like(known: Sequence[str], others: Sequence[str], *, likeness: float = 0.6) -> str:
    """Return which of the other names was probably meant for a known one, "" if none."""
    plain = {name.casefold().replace(" ", "_").replace("-", "_"): name for name in others}
    found = (nearest(name, plain, likeness=likeness) for name in known)
    return next((plain[each] for each in found if each), "")
