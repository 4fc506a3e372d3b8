"""`pommel suites preview`: sentences with their regions, predictions in words."""

import contextlib
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import Options, option, takes_options
from pommel.cli.output import in_files, note, say_wrong, show_warnings, suites_argument
from pommel.errors import InputError, PommelError, SuiteError, UsageError, counted
from pommel.files import sha256_of
from pommel.report import PreviewLine
from pommel.sources import find_suites, load_drafts
from pommel.suite import Item, Suite

if TYPE_CHECKING:
    from pommel.cli.console import SafeConsole

# Enough to see what a suite is about.
_FIRST = 3
# Less is no room for a sentence beside its label.
_NARROWEST = 30

_ITEMS = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")
_BREAKS = re.compile(r"[\r\n]+")


class _SuitesPreviewOptions(Options):
    """Which items are shown, and how."""

    numbers: tuple[int, ...] = option("--item", help="An item to show; repeatable.")
    ranges: tuple[str, ...] = option("--items", metavar="N..M", help="The items from N to M.")
    is_all: bool = option("--all", help=f"All items.  [default: the first {_FIRST}]")
    plain: bool = option(help="Sentences as they are scored, regions not marked.")
    is_watched: bool = option("--watch", help="Show again whenever a file changes.")


@click.command("preview", cls=Command, no_args_is_help=True)
@suites_argument
@takes_options
def command(suites: tuple[str, ...], chosen: _SuitesPreviewOptions) -> None:
    """Show the sentences of SUITEs with their regions, and what the predictions say, in words.

    SUITEs are files, folders, shipped suites, - for standard input. A region in double brackets is
    one that a prediction looks at in this condition. A suite need not be finished: the sentences
    that are still to be written are marked.

    \b
      pommel suites preview my_suite.json --items 1..5
      pommel suites preview my_suite.json --watch
    """
    show = partial(_show, wanted=_wanted(chosen), plain=chosen.plain)
    if not chosen.is_watched:
        show(suites)
        return
    if "-" in suites:
        raise UsageError("standard input cannot be watched; name a file or a folder")
    _watch(suites, show)


# Numbers of items, first and last.
_Range = tuple[int, int]


def _wanted(chosen: _SuitesPreviewOptions) -> tuple[_Range, ...] | None:
    """Return the items that are asked for: None for all, nothing for the first ones."""
    numbers, ranges = chosen.numbers, chosen.ranges
    if not chosen.is_all:
        return (*((number, number) for number in numbers), *map(_range, ranges))
    if numbers or ranges:
        raise UsageError("--all shows every item; leave --item and --items out")
    return None


def _range(written: str) -> _Range:
    match = _ITEMS.fullmatch(written.strip())
    if not match:
        raise UsageError(f"--items {written}: write two numbers, as in 1..5")
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise UsageError(f"--items {written}: the first number is the larger one")
    return first, last


def _show(sources: Sequence[str], wanted: Collection[_Range] | None, *, plain: bool) -> None:
    """Print the previews; `wanted` is None for all items, empty for the first ones."""
    drafts = load_drafts(sources)
    faults = [fault for each in drafts for fault in each.faults]
    chosen = [(each.suite, _chosen(each.suite, wanted)) for each in drafts if each.suite]
    if not chosen:
        raise SuiteError(faults)
    if not any(items for _, items in chosen):
        shown = ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in wanted or ())
        which = f"{chosen[0][0].name} has no" if len(chosen) == 1 else "no suite has an"
        raise UsageError(f"{which} item {shown}")
    for fault in faults:
        if fault.severity == "error":
            say_wrong(str(fault))
    show_warnings([each for each in faults if each.severity == "warning"])
    _show_items(chosen, wanted, plain=plain)
    n_errors = [len(each.errors) for each in drafts]
    if any(n_errors):
        raise InputError(in_files("error", n_errors))


def _show_items(
    chosen: Iterable[tuple[Suite, Sequence[Item]]],
    wanted: Collection[_Range] | None,
    *,
    plain: bool,
) -> None:
    between: list[PreviewLine] = []
    for suite, items in chosen:
        if not items:
            note(f"note: {suite.name} has none of these items")
            continue
        _print([*between, *PreviewLine.of(suite, items, plain=plain)], plain=plain)
        between = [PreviewLine()]
        if wanted == () and len(items) < len(suite.items):
            of = f"{len(items)} of {counted(len(suite.items), 'item')}"
            note(f"note: {of} of {suite.name} are shown; --all shows the others, too")


def _chosen(suite: Suite, wanted: Collection[_Range] | None) -> tuple[Item, ...]:
    if wanted is None:
        return suite.items
    if not wanted:
        # Of a draft, those up to the one that is being written.
        unfinished = (place for place, item in enumerate(suite.items) if item.unwritten)
        end = max(next(unfinished, 0) + 1, _FIRST)
        return suite.items[end - _FIRST : end]
    return tuple(
        item for item in suite.items if any(first <= item.number <= last for first, last in wanted)
    )


def _print(lines: Iterable[PreviewLine], *, plain: bool) -> None:
    if not sys.stdout.isatty():
        # A sentence is one line of a file, however long it is; and all of it.
        for line in lines:
            click.echo(_one_line(line.text))
        return
    from pommel.cli.console import SafeConsole

    console = SafeConsole()
    for line in lines:
        _print_folded(console, line, plain=plain)


def _print_folded(console: "SafeConsole", line: PreviewLine, *, plain: bool) -> None:
    """Print a line; what does not fit goes on below its text, not below its label."""
    from rich.text import Text

    def styled(pieces: Iterable[tuple[str, str]]) -> Text:
        return Text.assemble(*((_one_line(text), "" if plain else style) for text, style in pieces))

    blanks = " " * line.indent
    label = Text.assemble(blanks, styled(line.label))
    text = styled(line.pieces)
    if not line.pieces or (line.label and console.width - label.cell_len < _NARROWEST):
        label.rstrip()
        console.print(label, soft_wrap=True)
        label = Text(f"{blanks}  ")
    if not line.pieces:
        return
    width = max(console.width - label.cell_len, 1)
    for part in text.wrap(console, width) or [text]:
        part.rstrip()
        console.print(Text.assemble(label, part), soft_wrap=True)
        label = Text(" " * label.cell_len)


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text)


# Files are looked at, not subscribed to: it takes no dependency, and works on network disks and in
# containers, where notifications of changes often do not arrive.
INTERVAL_S = 0.5
# A change is shown when the file has been still for so long; some editors write in pieces.
_STILL_S = 0.1
# An editor may remove a file for a moment before it puts the new one in its place.
_GONE_S = 1.0


def _watch(sources: Sequence[str], show: Callable[[Sequence[str]], None]) -> None:
    """Call `show` now and whenever a suite file of `sources` changes, comes, or goes.

    It gets those of the sources that are there. What a user can mend is told on stderr, and
    watching goes on. Returns when the user interrupts it. Raises `InputError` if a source names
    nothing to begin with.
    """
    for source in sources:
        find_suites(source)
    # What was a file or a folder stays one, gone or not: it never means a shipped suite.
    places = frozenset(each for each in sources if Path(each).exists())

    def there() -> list[str]:
        return [each for each in sources if each not in places or Path(each).exists()]

    try:
        seen = _contents(there())
        while True:
            _show_again(sources, there(), show)
            seen = _next_change(lambda: _contents(there()), seen)
    except KeyboardInterrupt:
        return


def _show_again(
    sources: Sequence[str], there: Sequence[str], show: Callable[[Sequence[str]], None]
) -> None:
    from pommel.cli.console import SafeConsole

    # Only a terminal is cleared: a pipe gets one preview after the other.
    SafeConsole().clear()
    for gone in sorted({*sources} - {*there}):
        say_wrong(f"pommel: {gone}: it is gone; if it comes back, it is shown again")
    try:
        if there:
            show(there)
    except PommelError as error:
        say_wrong(f"pommel: {error}")
    except click.ClickException as error:
        say_wrong(f"pommel: {error.format_message()}")
    note("watching for changes; Ctrl-C ends")


def _next_change(look: Callable[[], dict[Path, str]], seen: dict[Path, str]) -> dict[Path, str]:
    """Wait until something else lies there, and lies still; return what."""
    while True:
        time.sleep(INTERVAL_S)
        found = look()
        waited_s = 0.0
        while found != seen:
            time.sleep(_STILL_S)
            waited_s += _STILL_S
            before, found = found, look()
            is_gone = bool(seen.keys() - found.keys())
            if found == before and (not is_gone or waited_s >= _GONE_S):
                return found


def _contents(sources: Sequence[str]) -> dict[Path, str]:
    """Return the digest of each suite file that can be read: times alone may be too coarse."""
    seen = {}
    for source in sources:
        with contextlib.suppress(InputError):
            for path in find_suites(source):
                with contextlib.suppress(InputError):
                    seen[path] = sha256_of(path)
    return seen
