"""A template's file as statements: `keyword name: content`, indented lines going on with it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pommel.errors import Fault, Place, nearest, quoted
from pommel.files.text import lines
from pommel.sources.grammar.lexicon_template.tree import Places
from pommel.sources.grammar.meta import USAGE as META_USAGE

# How each statement is written.
USAGE = {
    "meta": META_USAGE,
    "lexicon": "lexicon: nouns.csv",
    "slot": "slot S: category = n, class = human",
    "choose": "choose NUM: sg pl",
    "distinct": "distinct: S.word O.word",
    "regions": "regions: subject | verb | end",
    "condition": "condition match: {S.word} | {V.form[NUM]} | .",
    "gloss": "gloss match: {S.gloss} {V.gloss}",
    "prediction": "prediction: (2;%match%) < (2;%mismatch%)",
    "description": "description: The verb that agrees is less surprising.",
}
_NAMED = frozenset({"meta", "slot", "choose", "condition", "gloss"})
_HEAD = re.compile(r"([^\W\d_]+)(?:[^\S\n]+([^:\n]*?))?[^\S\n]*:")
_KEYWORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\s.,:=!(){}\[\]|\"#\\]+")
_CONDITION_NAME = re.compile(r"[^%{}|]+")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A keyword, a name (empty where there is none), and a content.

    `text` is all of the statement, with blanks in place of comments and of what stands before the
    content, so that whatever is found in it has the place that it has in the file.
    """

    keyword: str
    name: str
    name_offset: int
    places: Places

    @property
    def text(self) -> str:
        """The content, where it stands."""
        return self.places.text

    @property
    def place(self) -> Place:
        """Where the statement begins."""
        return self.places.at(0)

    @property
    def name_place(self) -> Place:
        """Where its name stands."""
        return self.places.at(self.name_offset)

    @property
    def content_place(self) -> Place:
        """Where its content begins, or would."""
        text = self.text
        return self.places.at(len(text) - len(text.lstrip()) if text.strip() else len(text))

    @property
    def content(self) -> str:
        """The content in one line."""
        return " ".join(self.text.split())


def statements(text: str, *, file: str) -> tuple[list[Statement], list[Fault]]:
    """Return the statements of a file, and what is wrong with those that are none."""
    found: list[Statement] = []
    faults: list[Fault] = []
    for line, written in _blocks(text):
        places = Places(file=file, line=line, text=written)
        each = _statement(places)
        if isinstance(each, Fault):
            faults.append(each)
        else:
            found.append(each)
    return found, faults


def _blocks(text: str) -> list[tuple[int, str]]:
    """Return where statements begin, and their lines without comments."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines(text), start=1):
        bare = _COMMENT.sub(lambda found: " " * len(found[0]), line)
        if blocks and (not bare.strip() or bare[0].isspace()):
            blocks[-1][1].append(bare)
        elif bare.strip():
            blocks.append((number, [bare]))
    return [(number, "\n".join(block).rstrip()) for number, block in blocks]


def _statement(places: Places) -> Statement | Fault:
    text = places.text
    if text[0].isspace():
        hint = "begin it in the first column"
        return places.at(len(text) - len(text.lstrip())).fault(
            "an indented line goes on with the one above, and there is none", hint
        )
    head = _HEAD.match(text)
    keyword = (head or _KEYWORD.match(text) or [text.split()[0]])[0 if head is None else 1]
    if keyword not in USAGE:
        meant = nearest(keyword, USAGE)
        hint = f"did you mean {meant}?" if meant else f"a line begins with {', '.join(USAGE)}"
        return places.at(0).fault(f"there is no statement {quoted(keyword)}", hint)
    if head is None:
        return places.at(0).fault("this line has no colon", f"write {USAGE[keyword]}")
    name = head[2] or ""
    offset = head.start(2) if name else head.end(1)
    fault = _name_fault(keyword, name, places.at(offset).fault)
    if fault:
        return fault
    blank = " " * head.end() + text[head.end() :]
    places = Places(file=places.file, line=places.line, text=blank)
    return Statement(keyword=keyword, name=name, name_offset=offset, places=places)


def _name_fault(keyword: str, name: str, fault: Callable[[str, str], Fault]) -> Fault | None:
    usage = f"write {USAGE[keyword]}"
    if not name and keyword in _NAMED:
        return fault(f"{keyword} has no name", usage)
    if name and keyword not in _NAMED:
        return fault(f"{keyword} has no name of its own, and here is {quoted(name)}", usage)
    if keyword in ("condition", "gloss"):
        if not _CONDITION_NAME.fullmatch(name):
            return fault(f"{quoted(name)} cannot be a name", f"without % {{ }} |; {usage}")
    elif keyword in _NAMED and (not _NAME.fullmatch(name) or name == "_"):
        return fault(f"{quoted(name)} cannot be a name", f"one word of letters; {usage}")
    return None
