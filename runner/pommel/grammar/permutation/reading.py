"""Permutation designs from their files.

A line is a statement, `cases: nom acc dat`; one that begins with `#`, and the rest of one behind
a `#` between spaces, is a comment. The nouns' forms are in a lexicon beside the design.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault, FaultyFileError, GrammarError, InputError
from pommel.grammar.permutation.checks import check, check_sentences
from pommel.grammar.permutation.lexicon import Lexicon, parse_lexicon
from pommel.grammar.permutation.resolution import resolved
from pommel.grammar.permutation.tree import (
    Design,
    DesignFile,
    Entry,
    Frame,
    Part,
    TemplateLine,
    Written,
)
from pommel.grammar.place import Place
from pommel.text_file import read_text
from pommel.wording import nearest

if TYPE_CHECKING:
    from lark import Lark

USAGE = {
    "language": "language: de",
    "lexicon": "lexicon: nouns.csv",
    "cases": "cases: nom acc dat",
    "frame": "frame: we know that | {1} | {2} | {3} | {verb} | .",
    "violations": "violations: double",
    "template": "template: nom NOUN | acc NOUN | dat NOUN | verb gives",
}

_COMMENT = re.compile(r"(?:^|\s)#(?=\s|$).*")
_TOKEN = re.compile(r"[^\s|]+|\|")
_SHOWN = 40


def read_design(path: Path) -> tuple[Design, tuple[Path, ...]]:
    """Read a design and its lexicon; return it, and the files that it was read from.

    Raises `InputError` if the design cannot be read, and `GrammarError` with every fault of both.
    """
    design_file, faults = parse_design(read_text(path).text, file=str(path))
    lexicon = None
    if design_file.lexicon:
        lexicon, lexicon_faults = _read_lexicon(design_file.lexicon, path)
        faults += lexicon_faults
    faults += check(design_file, lexicon)
    if faults or lexicon is None:
        raise GrammarError(_in_order(faults, str(path)))
    design = resolved(design_file, lexicon)
    faults = list(check_sentences(design))
    if faults:
        raise GrammarError(faults)
    return design, (path, Path(lexicon.file))


def parse_design(text: str, *, file: str) -> tuple[DesignFile, list[Fault]]:
    """Return what the text of a design says, and what is wrong with its lines."""
    statements = _Statements(file=file)
    for number, line in enumerate(text.splitlines(), start=1):
        statements.add(line, number)
    return statements.design_file()


@dataclass(slots=True, kw_only=True)
class _Statements:
    """What has been read so far: by keyword, the lines that there are, and what they say.

    `meant` are keywords that lines with faults were meant to begin with.
    """

    file: str
    lines: dict[str, list[int]] = field(default_factory=dict)
    said: dict[str, list[Any]] = field(default_factory=dict)
    meant: set[str | None] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)

    def add(self, line: str, number: int) -> None:
        """Take in one line."""
        from lark.exceptions import UnexpectedInput  # noqa: PLC0415 - keeps `import pommel` fast

        if line.lstrip().startswith("#"):
            return
        line = _COMMENT.sub("", line).rstrip()
        if not line:
            return
        begin = Place(file=self.file, line=number, column=1)
        keyword = line.partition(":")[0].strip()
        if keyword in USAGE:
            before = self.lines.setdefault(keyword, [])
            if before and keyword != "template":
                what = f"{keyword} stands here for the second time, after line {before[0]}"
                place = _at(begin, line.index(keyword))
                self.faults.append(place.fault(what, "remove one of the two"))
                return
            before.append(number)
        try:
            tree = _parser().parse(line)
        except UnexpectedInput as error:
            self.faults.append(_syntax_fault(line, begin, error))
            self.meant.add(_meant(line))
            return
        self.said.setdefault(str(tree.data), []).append(_statement(tree, line, begin))

    def design_file(self) -> tuple[DesignFile, list[Fault]]:
        """Return what has been read, and the faults, with those of what is not there."""
        whole = Place(file=self.file, line=0, column=0)
        there = {*self.lines, *self.meant, "language"}
        for keyword in (each for each in USAGE if each not in there):
            self.faults.append(
                whole.fault(f"there is no line {keyword}:", f"write {USAGE[keyword]}")
            )
        said = {name: values[0] for name, values in self.said.items()}
        design_file = DesignFile(
            file=self.file,
            language=said.get("language"),
            lexicon=said.get("lexicon"),
            cases=said.get("cases", ()),
            frame=said.get("frame"),
            violations=said.get("violations", ()),
            templates=tuple(self.said.get("template", ())),
        )
        return design_file, self.faults


def _statement(tree: Any, line: str, begin: Place) -> Any:
    keyword, *parts = tree.children
    place = _at(begin, int(keyword.start_pos))
    match str(tree.data):
        case "language":
            return _written(parts, begin)
        case "lexicon":
            # A file's name may have more than one space.
            text = line[parts[0].start_pos : parts[-1].end_pos]
            return Written(place=_at(begin, parts[0].start_pos), text=text)
        case "frame":
            regions = tuple(_region(each.children, begin) for each in parts)
            return Frame(place=place, regions=regions)
        case "template":
            entries = tuple(
                Entry(
                    name=_written(each.children[:1], begin),
                    content=_written(each.children[1:], begin),
                )
                for each in parts
            )
            return TemplateLine(place=place, entries=entries)
        case _:
            return tuple(_written([each], begin) for each in parts)


def _region(tokens: Sequence[Any], begin: Place) -> tuple[Part, ...]:
    ends = [None, *(token.end_pos for token in tokens)]
    return tuple(
        Part(
            place=_at(begin, int(token.start_pos)),
            text=token[1:-1] if token.type == "SLOT" else str(token),
            is_slot=token.type == "SLOT",
            is_apart=end is not None and token.start_pos > end,
        )
        for token, end in zip(tokens, ends, strict=False)
    )


def _written(tokens: Sequence[Any], begin: Place) -> Written:
    return Written(place=_at(begin, int(tokens[0].start_pos)), text=" ".join(tokens))


@functools.cache
def _parser() -> "Lark":
    from lark import Lark  # noqa: PLC0415 - keeps `import pommel` fast

    grammar = (files("pommel.grammar.permutation") / "statement.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def _at(begin: Place, offset: int) -> Place:
    return Place(file=begin.file, line=begin.line, column=offset + 1)


def _read_lexicon(named: Written, path: Path) -> tuple[Lexicon | None, list[Fault]]:
    """Read the lexicon that a design names; what is wrong with its name is wrong there."""
    # Windows knows all the ways to leave a folder.
    if PureWindowsPath(named.text).name != named.text or not named.text.isprintable():
        what = f"{named.text!r} is not beside this file"
        return None, [named.place.fault(what, "put the lexicon there, and write its name only")]
    beside = path.with_name(named.text)
    try:
        return parse_lexicon(read_text(beside).text, file=str(beside))
    except FaultyFileError as error:
        return None, list(error.faults)
    except InputError as error:
        return None, [named.place.fault(str(error), "write the name of a CSV file")]


def _syntax_fault(line: str, begin: Place, error: Any) -> Fault:
    """Say what is wrong with a line that is no statement."""
    keyword = line.partition(":")[0].strip()
    if ":" not in line or keyword not in USAGE:
        place = _at(begin, len(line) - len(line.lstrip()))
        meant = _meant(line)
        hint = f"write {USAGE[meant]}" if meant else f"lines begin with {_keywords()}"
        return place.fault("this line is no statement", hint)
    token = getattr(error, "token", None)
    at_end = error.pos_in_stream is None or getattr(token, "type", "") == "$END"
    position = len(line) if at_end else int(error.pos_in_stream)
    place, usage = _at(begin, position), f"write {USAGE[keyword]}"
    rest = line[position:].split(maxsplit=1)
    shown = rest[0][:_SHOWN] if rest else ""
    if at_end or (shown[:1] == "|" and keyword in ("frame", "template")):
        last = _TOKEN.findall(line[:position])[-1]
        return place.fault(f"nothing follows {last!r}", usage)
    if shown[:1] in ("{", "}") and keyword == "frame":
        return place.fault("this brace has no partner", usage)
    return place.fault(f"{shown!r} has no place here", usage)


def _meant(line: str) -> str | None:
    """Return the keyword that a line that has none was probably meant to begin with."""
    words = line.replace(":", " ").split()
    return nearest(words[0], USAGE) if words else None


def _keywords() -> str:
    return ", ".join(f"{each}:" for each in USAGE)


def _in_order(faults: Sequence[Fault], file: str) -> list[Fault]:
    """Sort faults: those of the design first, each file's by line and column."""
    return sorted(faults, key=lambda each: (each.file != file, each.line, each.column))
