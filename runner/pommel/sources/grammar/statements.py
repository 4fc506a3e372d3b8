"""The statements of templates and designs: `keyword name: content`, indented lines going on with
them. What stands behind the colons is parsed by Lark.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from pommel.errors import Fault, quoted
from pommel.files import DecodedText
from pommel.sources.grammar.source import GrammarError, collected
from pommel.sources.grammar.text import SHOWN, Block, NearestNames, Unparsed, Written, parsed
from pommel.suite import Region
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import ParseTree, Token

# How statements are written, by their keywords: with a name of their own, or without.
Usage = Mapping[str, str]

# Statements of one kind share their names.
_KINDS = {"choose": "slot", "language": "meta"}
_SENTENCES = ("condition", "gloss")
_KEYWORD = re.compile(r"[^\W\d_]+|\S+")
_HEAD = re.compile(r"([^\W\d_]+)(?:[^\S\n]+([^:\n]*?))?[^\S\n]*:")
_NAME = re.compile(r"(?!_$)[^\s.,:=!(){}\[\]|\"#\\]+")
_CONDITION_NAME = re.compile(r"[^%{}|]+")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


@frozen
class Statement(Block):
    """A keyword, a name (empty where there is none), a content, and how it is to be written.

    `text` is all of the statement, with blanks in place of comments and of what stands before the
    content, so that whatever is found in it has the place that it has in the file, where it begins
    in the first column of a line.
    """

    keyword: str
    name: Written
    usage: str

    @property
    def content(self) -> str:
        """The content in one line."""
        return " ".join(self.text.split())

    def written(self, part: "Token | ParseTree") -> Written:
        """Return what the content has where a token or a tree is, one space between words."""
        found = part if isinstance(part, str) else part.meta
        text = " ".join(self.text[found.start_pos : found.end_pos].split())
        return Written(place=self.place(part), text=text)

    def tree(self) -> "ParseTree":
        """Return Lark's tree of the content. Raises `GrammarError` if it cannot be read."""
        is_sentence = self.keyword in _SENTENCES
        file = "sentence" if is_sentence else "declaration"
        start = "sentence" if is_sentence else self.keyword
        if is_sentence and (wrong := _LOOKALIKE.search(self.text)):
            meant = _LOOKALIKES[wrong[0]]
            what = f"{wrong[0]} (U+{ord(wrong[0]):04X}) is no {meant}"
            raise GrammarError.at(self.at(wrong.start()), what, f"write {meant} in ASCII")
        found = parsed(self.text, f"{file}.lark", start=start)
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


# What looks like the marks of a template, and is none.
_LOOKALIKES = {
    **dict.fromkeys(Region.OTHER_BARS, "|"),
    "\N{FULLWIDTH LEFT CURLY BRACKET}": "{",
    "\N{FULLWIDTH RIGHT CURLY BRACKET}": "}",
}
_LOOKALIKE = re.compile(f"[{''.join(_LOOKALIKES)}]")


def _sentence_fault(found: Unparsed) -> tuple[str, str]:
    if found.character == "\\":
        return "this backslash stands before no { } | # or \\", "write \\\\ for a backslash"
    opened = max(found.text.rfind("{", 0, found.offset), 0)
    begun = found.text[opened : found.offset]
    if "}" not in begun and (begun + found.character).startswith('{"'):
        what = f"{quoted((begun + found.word)[:SHOWN])} does not say what stands before a region"
        return what, 'write {""} or {" "}, or {"" if SLOT.feature}'
    if found.character == "}":
        return "this brace has no partner", "write {SLOT.feature}, or \\} for the character itself"
    # At the end there is no character, which is in any text.
    if found.character in "|{" or found.character.isspace():
        shown = quoted(begun.strip()[:SHOWN])
        return f"{shown} is not closed", "write {SLOT.feature}, without blanks between the braces"
    return f"{quoted(found.character)} has no place between braces", "write {SLOT.feature}"


def statements(
    text: str, file: str, usage: Usage, *, once: Collection[str]
) -> tuple[list[Statement], list[Fault]]:
    """Return the statements of a text, and what is wrong with their beginnings.

    Names are unique among those that are returned, and so are the keywords that stand there `once`.
    """
    found: list[Statement] = []
    faults: list[Fault] = []
    seen: dict[tuple[str, str], Statement] = {}
    before = ""
    for block in _blocks(text, file):
        with collected(faults):
            each = _with_head(block, usage)
            _check_new(each, seen, once)
            if each.keyword == "description" and before != "prediction":
                hint = "write it below the prediction that it describes"
                raise GrammarError.at(each.at(0), "this describes no prediction", hint)
            found.append(each)
        keyword = block.text.partition(":")[0].split()[:1]
        before = keyword[0] if keyword and keyword[0] in usage else before
    return found, faults


def _blocks(text: str, file: str) -> Iterator[Block]:
    """Yield the lines of each statement, without comments."""
    blocks: list[tuple[int, str]] = []
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        bare = _COMMENT.sub(lambda found: " " * len(found[0]), line)
        if blocks and (not bare.strip() or bare[0].isspace()):
            first, before = blocks[-1]
            blocks[-1] = (first, f"{before}\n{bare}")
        elif bare.strip():
            blocks.append((number, bare))
    return (Block(file=file, line=line, text=block.rstrip()) for line, block in blocks)


def _with_head(block: Block, usage: Usage) -> Statement:
    """Return the statement that a block of lines is. Raises `GrammarError`."""
    text = block.text
    if text[0].isspace():
        what = "an indented line goes on with the one above, and there is none"
        raise GrammarError.at(block.content_place, what, "begin it in the first column")
    keyword = _KEYWORD.findall(text)[0]
    if keyword not in usage:
        hint = NearestNames().hint(keyword, usage, f"a line begins with {', '.join(usage)}")
        raise GrammarError.at(block.at(0), f"there is no statement {quoted(keyword)}", hint)
    to_write = f"write {usage[keyword]}"
    head = _HEAD.match(text)
    if head is None:
        raise GrammarError.at(block.at(0), "this line has no colon", to_write)
    name = head[2] or ""
    place = block.at(head.start(2) if name else head.end(1))
    is_named = " " in usage[keyword].partition(":")[0]
    allowed, hint = _NAME, "one word of letters"
    if keyword in _SENTENCES:
        allowed, hint = _CONDITION_NAME, "without % { } |"
    if is_named and not name:
        raise GrammarError.at(place, f"{keyword} has no name", to_write)
    if name and not is_named:
        what = f"{keyword} has no name of its own, and here is {quoted(name)}"
        raise GrammarError.at(place, what, to_write)
    if name and not allowed.fullmatch(name):
        raise GrammarError.at(place, f"{quoted(name)} cannot be a name", f"{hint}; {to_write}")
    blank = " " * head.end() + text[head.end() :]
    return Statement(
        file=block.file,
        line=block.line,
        text=blank,
        keyword=keyword,
        name=Written(place=place, text=name),
        usage=to_write,
    )


def _check_new(
    each: Statement, seen: dict[tuple[str, str], Statement], once: Collection[str]
) -> None:
    """Raise `GrammarError` for a statement that says what another one does, or nothing.

    `seen` are those that there have been, by their kinds and names.
    """
    keyword = each.keyword
    name = keyword if keyword in once else each.content if keyword == "lexicon" else each.name.text
    kind = _KINDS.get(keyword, keyword)
    before = seen.setdefault((kind, name), each)
    if name and before is not each:
        hint = "leave one of them out" if keyword in once else "give each a name of its own"
        what = f"line {before.line} has it; {hint}"
        raise GrammarError.at(each.name.place, f"{name} is there already", what)
    if not each.content and kind != "slot":
        raise GrammarError.at(each.content_place, "nothing follows the colon", each.usage)
