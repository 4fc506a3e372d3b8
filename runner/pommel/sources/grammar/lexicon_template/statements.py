"""The statements of a template: `keyword name: content`, indented lines going on with them.

What stands behind the colons is parsed by Lark.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pommel.errors import Fault, Place, quoted
from pommel.files import DecodedText
from pommel.sources.grammar.source import GrammarError, collected
from pommel.sources.grammar.text import META_USAGE, SHOWN, NearestNames, Unparsed, Written, parsed
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import ParseTree

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
_NAMED = ("meta", "slot", "choose", "condition", "gloss")
_SENTENCES = ("condition", "gloss")
_KEYWORD = re.compile(r"[^\W\d_]+|\S+")
_HEAD = re.compile(r"([^\W\d_]+)(?:[^\S\n]+([^:\n]*?))?[^\S\n]*:")
_NAME = re.compile(r"(?!_$)[^\s.,:=!(){}\[\]|\"#\\]+")
_CONDITION_NAME = re.compile(r"[^%{}|]+")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


_UNNAMED = Written(place=Place(file="", line=0, column=0), text="")


@frozen
class Statement:
    """A keyword, a name (empty where there is none), and a content.

    `text` is all of the statement, with blanks in place of comments and of what stands before the
    content, so that whatever is found in it has the place that it has in the file, where it begins
    in the first column of a line.
    """

    file: str
    line: int
    text: str
    keyword: str = ""
    name: Written = _UNNAMED

    def at(self, offset: int) -> Place:
        """Return the place of the character with that number, from 0."""
        before = self.text[:offset]
        column = len(before) - before.rfind("\n")
        return Place(file=self.file, line=self.line + before.count("\n"), column=column)

    @property
    def content_place(self) -> Place:
        """Where its content begins, or would."""
        return self.at(len(self.text) - len(self.text.lstrip()))

    @property
    def content(self) -> str:
        """The content in one line."""
        return " ".join(self.text.split())

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"write {USAGE[self.keyword]}"

    def tree(self) -> "ParseTree":
        """Return Lark's tree of the content. Raises `GrammarError` if it cannot be read."""
        is_sentence = self.keyword in _SENTENCES
        file = "sentence" if is_sentence else "declaration"
        start = "sentence" if is_sentence else self.keyword
        found = parsed(self.text, f"lexicon_template/{file}.lark", start=start)
        if isinstance(found, Unparsed):
            said = _sentence_fault(found) if is_sentence else self._syntax_fault(found)
            raise GrammarError.at(self.at(found.offset), *said)
        tree: ParseTree = found
        return tree

    def _syntax_fault(self, found: Unparsed) -> tuple[str, str]:
        if found.is_at_end:
            return "this ends too early", self.usage
        if found.character == "(":
            return "a list has no place here", "write in (a b), or has (a b)"
        if found.character == '"':
            return "this quotation mark has no partner", "write it twice, around a value"
        word = found.word if found.character != "," else ","
        return f"{quoted(word)} has no place here", self.usage


def _sentence_fault(found: Unparsed) -> tuple[str, str]:
    if found.character == "\\":
        return "this backslash stands before no { } | # or \\", "write \\\\ for a backslash"
    if found.character == "}":
        return "this brace has no partner", "write {SLOT.feature}, or \\} for the character itself"
    # At the end there is no character, which is in any text.
    if found.character in "|{" or found.character.isspace():
        opened = found.text.rfind("{", 0, found.offset)
        shown = quoted(found.text[opened : found.offset].strip()[:SHOWN])
        return f"{shown} is not closed", "write {SLOT.feature}, without blanks between the braces"
    return f"{quoted(found.character)} has no place between braces", "write {SLOT.feature}"


def statements(text: str, file: str) -> tuple[list[Statement], list[Fault]]:
    """Return the statements of a text, and what is wrong with their beginnings.

    Names are unique among those that are returned.
    """
    found: list[Statement] = []
    faults: list[Fault] = []
    seen: dict[tuple[str, str], Statement] = {}
    before = ""
    for block in _blocks(text, file):
        with collected(faults):
            each = _with_head(block)
            _check_new(each, seen)
            if each.keyword == "description" and before != "prediction":
                hint = "write it below the prediction that it describes"
                raise GrammarError.at(each.at(0), "this describes no prediction", hint)
            found.append(each)
        keyword = block.text.partition(":")[0].split()[:1]
        before = keyword[0] if keyword and keyword[0] in USAGE else before
    return found, faults


def _blocks(text: str, file: str) -> Iterator[Statement]:
    """Yield the lines of each statement, without comments."""
    blocks: list[tuple[int, str]] = []
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        bare = _COMMENT.sub(lambda found: " " * len(found[0]), line)
        if blocks and (not bare.strip() or bare[0].isspace()):
            first, before = blocks[-1]
            blocks[-1] = (first, f"{before}\n{bare}")
        elif bare.strip():
            blocks.append((number, bare))
    return (Statement(file=file, line=line, text=block.rstrip()) for line, block in blocks)


def _with_head(block: Statement) -> Statement:
    """Return the statement that a block of lines is. Raises `GrammarError`."""
    text = block.text
    if text[0].isspace():
        what = "an indented line goes on with the one above, and there is none"
        raise GrammarError.at(block.content_place, what, "begin it in the first column")
    keyword = _KEYWORD.findall(text)[0]
    if keyword not in USAGE:
        hint = NearestNames().hint(keyword, USAGE, f"a line begins with {', '.join(USAGE)}")
        raise GrammarError.at(block.at(0), f"there is no statement {quoted(keyword)}", hint)
    usage = f"write {USAGE[keyword]}"
    head = _HEAD.match(text)
    if head is None:
        raise GrammarError.at(block.at(0), "this line has no colon", usage)
    name = head[2] or ""
    place = block.at(head.start(2) if name else head.end(1))
    allowed, hint = _NAME, "one word of letters"
    if keyword in _SENTENCES:
        allowed, hint = _CONDITION_NAME, "without % { } |"
    if not name and keyword in _NAMED:
        raise GrammarError.at(place, f"{keyword} has no name", usage)
    if name and keyword not in _NAMED:
        what = f"{keyword} has no name of its own, and here is {quoted(name)}"
        raise GrammarError.at(place, what, usage)
    if name and not allowed.fullmatch(name):
        raise GrammarError.at(place, f"{quoted(name)} cannot be a name", f"{hint}; {usage}")
    blank = " " * head.end() + text[head.end() :]
    return replace(block, text=blank, keyword=keyword, name=Written(place=place, text=name))


def _check_new(each: Statement, seen: dict[tuple[str, str], Statement]) -> None:
    """Raise `GrammarError` for a statement that says what another one does, or nothing.

    `seen` are those that there have been, by their kinds and names.
    """
    kind = "slot" if each.keyword == "choose" else each.keyword
    name = {"lexicon": each.content, "regions": each.content and "regions"}.get(
        kind, each.name.text
    )
    before = seen.setdefault((kind, name), each)
    if name and before is not each:
        what, hint = "regions are named twice", "name them once"
        if kind != "regions":
            what = f"{name} is there already"
            hint = f"line {before.line} has it; give each a name of its own"
        raise GrammarError.at(each.name.place, what, hint)
    if not each.content and kind != "slot":
        raise GrammarError.at(each.content_place, "nothing follows the colon", each.usage)
