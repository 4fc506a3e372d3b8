"""Permutation designs from their files.

A line is a statement, `cases: nom acc dat`; one that begins with `#`, and the rest of one behind
a `#` between spaces, is a comment. The nouns' forms are in a lexicon beside the design.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pommel.errors import Fault, GrammarError, Place, nearest
from pommel.files.text import DecodedText, lines, read_words
from pommel.sources.grammar.lark_text import Unparsed, parsed
from pommel.sources.grammar.meta import meta_faults, meta_value
from pommel.sources.grammar.permutation.checks import check, check_sentences
from pommel.sources.grammar.permutation.lexicon import read_lexicon
from pommel.sources.grammar.permutation.resolution import resolved
from pommel.sources.grammar.permutation.tree import (
    Design,
    DesignFile,
    Entry,
    Frame,
    Part,
    TemplateLine,
    Written,
)

LANGUAGE = "language"
USAGE = {
    "meta": "meta license: CC-BY-4.0",
    LANGUAGE: "language: de",
    "lexicon": "lexicon: nouns.csv",
    "cases": "cases: nom acc dat",
    "frame": "frame: we know that | {1} | {2} | {3} | {verb} | .",
    "violations": "violations: double",
    "template": "template: nom NOUN | acc NOUN | dat NOUN | verb gives",
}
# What a design's suite says in its `meta` by itself.
_MADE = ("generator", "design")

_META = re.compile(r"\s*(?:meta\s+([^\s:]+)|(language))\s*:")
_COMMENT = re.compile(r"(?:^|\s)#(?=\s|$).*")
_TOKEN = re.compile(r"[^\s|]+|\|")


def read_design(path: Path) -> tuple[Design, dict[str, DecodedText]]:
    """Read a design and its lexicon; return it, and what was read, by the names of the files.

    Raises `InputError` if the design cannot be read, and `GrammarError` with every fault of both.
    """
    read = read_words(path)
    design_file, faults = parse_design(read.text, file=str(path))
    lexicon = None
    if named := design_file.lexicon:
        lexicon, lexicon_faults = read_lexicon(named.text, named.place, folder=path.parent)
        faults += lexicon_faults
    faults += check(design_file, lexicon)
    if faults or lexicon is None or named is None:
        raise GrammarError(_in_order(faults, str(path)))
    design = resolved(design_file, lexicon)
    faults = list(check_sentences(design))
    if faults:
        raise GrammarError(faults)
    return design, {path.name: read, named.text: lexicon.source.read}


def parse_design(text: str, *, file: str) -> tuple[DesignFile, list[Fault]]:
    """Return what the text of a design says, and what is wrong with its lines."""
    statements = _Statements(file=file)
    for number, line in enumerate(lines(text), start=1):
        statements.add(line, number)
    return statements.design_file()


@dataclass(slots=True, kw_only=True)
class _Statements:
    """What has been read so far: by keyword, the lines that there are, and what they say.

    `meant` are keywords that lines with faults were meant to begin with.
    """

    file: str
    lines: dict[str, list[int]] = field(default_factory=dict)
    meta: dict[str, str | list[str]] = field(default_factory=dict)
    said: dict[str, list[Any]] = field(default_factory=dict)
    meant: set[str | None] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)

    def add(self, line: str, number: int) -> None:
        """Take in one line."""
        if line.lstrip().startswith("#"):
            return
        line = _COMMENT.sub("", line).rstrip()
        if not line:
            return
        begin = Place(file=self.file, line=number, column=1)
        found = _META.match(line)
        keyword = line.partition(":")[0].strip()
        if found:
            keyword = f"meta {found[1]}" if found[1] else "meta language"
        if (found or keyword in USAGE) and self._is_repeated(keyword, line, begin):
            return
        if found:
            self._add_meta(found, begin)
            return
        tree = parsed(line, "permutation/statement.lark")
        if isinstance(tree, Unparsed):
            self.faults.append(_syntax_fault(tree, begin))
            self.meant.add(_meant(line))
            return
        self.said.setdefault(str(tree.data), []).append(_statement(tree, line, begin))

    def _is_repeated(self, keyword: str, line: str, begin: Place) -> bool:
        before = self.lines.setdefault(keyword, [])
        if before and keyword != "template":
            name = keyword.removeprefix("meta ")
            what = f"{name} stands here for the second time, after line {before[0]}"
            place = begin.further(line.index(name))
            self.faults.append(place.fault(what, "remove one of the two"))
            return True
        before.append(begin.line)
        return False

    def _add_meta(self, found: "re.Match[str]", begin: Place) -> None:
        key, written = found[1] or found[2], found.string[found.end() :]
        value_place = begin.further(found.end() + len(written) - len(written.lstrip()))
        if not written.strip():
            usage = USAGE["meta" if found[1] else LANGUAGE]
            last = found[0].split()[-1]
            self.faults.append(value_place.fault(f"nothing follows {last!r}", f"write {usage}"))
            return
        self.meta[key] = value = meta_value(key, written)
        key_place = begin.further(found.start(1 if found[1] else 2))
        self.faults += meta_faults(
            key, value, key_place=key_place, value_place=value_place, made=_MADE
        )

    def design_file(self) -> tuple[DesignFile, list[Fault]]:
        """Return what has been read, and the faults, with those of what is not there."""
        whole = Place(file=self.file, line=0, column=0)
        there = {*self.lines, *self.meant, "meta", LANGUAGE}
        for keyword in (each for each in USAGE if each not in there):
            self.faults.append(
                whole.fault(f"there is no line {keyword}:", f"write {USAGE[keyword]}")
            )
        said = {name: values[0] for name, values in self.said.items()}
        design_file = DesignFile(
            file=self.file,
            meta=self.meta,
            lexicon=said.get("lexicon"),
            cases=said.get("cases", ()),
            frame=said.get("frame"),
            violations=said.get("violations", ()),
            templates=tuple(self.said.get("template", ())),
        )
        return design_file, self.faults


def _statement(tree: Any, line: str, begin: Place) -> Any:
    keyword, *parts = tree.children
    place = begin.further(int(keyword.start_pos))
    match str(tree.data):
        case "lexicon":
            # A file's name may have more than one space.
            text = line[parts[0].start_pos : parts[-1].end_pos]
            return Written(place=begin.further(parts[0].start_pos), text=text)
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
            place=begin.further(int(token.start_pos)),
            text=token[1:-1] if token.type == "SLOT" else str(token),
            is_slot=token.type == "SLOT",
            is_apart=end is not None and token.start_pos > end,
        )
        for token, end in zip(tokens, ends, strict=False)
    )


def _written(tokens: Sequence[Any], begin: Place) -> Written:
    return Written(place=begin.further(int(tokens[0].start_pos)), text=" ".join(tokens))


def _syntax_fault(found: Unparsed, begin: Place) -> Fault:
    """Say what is wrong with a line that is no statement."""
    line = found.text
    keyword = line.partition(":")[0].strip()
    if ":" not in line or keyword not in USAGE:
        place = begin.further(len(line) - len(line.lstrip()))
        meant = _meant(line)
        hint = f"write {USAGE[meant]}" if meant else f"lines begin with {_keywords()}"
        return place.fault("this line is no statement", hint)
    place, usage = begin.further(found.offset), f"write {USAGE[keyword]}"
    if found.is_at_end or (found.word[:1] == "|" and keyword in ("frame", "template")):
        last = _TOKEN.findall(line[: found.offset])[-1]
        return place.fault(f"nothing follows {last!r}", usage)
    if found.word[:1] in ("{", "}") and keyword == "frame":
        return place.fault("this brace has no partner", usage)
    return place.fault(f"{found.word!r} has no place here", usage)


def _meant(line: str) -> str | None:
    """Return the keyword that a line that has none was probably meant to begin with."""
    words = line.replace(":", " ").split()
    return nearest(words[0], USAGE) if words else None


def _keywords() -> str:
    return ", ".join(f"{each} KEY:" if each == "meta" else f"{each}:" for each in USAGE)


def _in_order(faults: Sequence[Fault], file: str) -> list[Fault]:
    """Sort faults: those of the design first, each file's by line and column."""
    return sorted(faults, key=lambda each: (each.file != file, each.line, each.column))
