"""What the documentation shows: the blocks of its pages, and the steps in them that can be run.

A block that is not run as it stands has a comment before it, which readers do not see:

    <!-- not run: REASON -->       one of `REASONS`
    <!-- file: NAME -->            it is the file of that name, which what follows reads
    <!-- printed by: COMMAND -->   it is among what this command prints
    <!-- first: COMMAND -->        it is run after this command
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

REPOSITORY = Path(__file__).parents[2]

# Why a block may be left alone; no others.
REASONS = frozenset(
    {
        "installs packages",
        "is no command",
        "needs Kubernetes",
        "needs R",
        "needs Ray",
        "needs Slurm",
        "needs a container engine",
        "needs a model from the Hub",
        "needs a server",
        "needs the network",
        "needs minicons",
        "needs lm-evaluation-harness",
        "runs until it is ended",
        "takes minutes",
    }
)
_WRITTEN = "docs/commands.md"
# What a command line may begin with.
_PROGRAMS = ("pommel", "make", "pip", "python", "cat", "head", ".venv/bin/pytest")
_MARK = re.compile(r"<!-- (not run|file|printed by|first): (.*?) -->")
_PROMPT = "$ "
_DOCTEST = ">>> "

Mark = Literal["not run", "file", "printed by", "first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of a page: where it begins, what it holds, under which heading it stands.

    `indent` is how far it is indented, which `content` is not; `""` between fences. `mark` and
    `about` are those of the comment before it; `""` where there is none.
    """

    page: str
    line: int
    heading: str
    language: str
    content: str
    indent: str = ""
    mark: Mark | Literal[""] = ""
    about: str = ""

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A command as a page shows it, and the lines that it shows of its output, if any.

    `is_part` says that the lines are only some of those that are printed.
    """

    command: str
    lines: tuple[str, ...] | None = None
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """Python code, run in the names of those before it on its page."""

    code: str


@dataclass(frozen=True, slots=True)
class Session:
    """Python with its prompt, and what it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A file that a page shows, and that what follows reads."""

    name: str
    content: str


Step = Shown | Snippet | Session | SampleFile


@dataclass(slots=True)
class Page:
    """A page of the documentation, by its path from the repository's root."""

    name: str
    text: str
    blocks: list[Block] = field(init=False)
    headings: list[str] = field(init=False)
    inline: list[str] = field(init=False)

    def __post_init__(self) -> None:
        tokens = MarkdownIt("commonmark").enable("table").parse(self.text)
        # docs/commands.md is written from what the commands say.
        shown = () if self.name == _WRITTEN else tokens
        self.blocks = list(_blocks(self.name, shown, self.text.splitlines()))
        self.headings = [tokens[n + 1].content for n, t in enumerate(tokens) if _opens_heading(t)]
        self.inline = [
            child.content
            for token in tokens
            for child in token.children or ()
            if child.type == "code_inline"
        ]


def pages() -> list[Page]:
    """Return all pages, the first one first."""
    first = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    return [page_of(path) for path in (*first, *sorted((REPOSITORY / "docs").glob("*.md")))]


def page_of(path: Path) -> Page:
    """Return the page of a file of the repository."""
    return Page(str(path.relative_to(REPOSITORY)), path.read_text("utf-8"))


def steps(block: Block) -> list[Step]:
    """Return what can be run of a block, in its order; nothing where it says that it is not run.

    Raises `ValueError` for a block that is nothing of this and does not say why.
    """
    match block.mark:
        case "not run":
            return []
        case "file":
            return [SampleFile(block.about, block.content)]
        case "printed by":
            return [Shown(block.about, tuple(block.content.splitlines()), is_part=True)]
        case "first":
            return [Shown(block.about), *steps(replace(block, mark=""))]
    if block.content.startswith(_DOCTEST):
        return [Session(block.content)]
    if block.language == "python":
        return [Snippet(block.content)]
    if block.content.startswith(_PROMPT):
        return list(_with_output(block.content))
    lines = [line for line in block.content.splitlines() if line]
    if all(line.split()[0] in _PROGRAMS for line in lines):
        return [Shown(without_comment(line)) for line in lines]
    message = f"{block.place}: is nothing that can be run; say before it what it is"
    raise ValueError(message)


def without_comment(line: str) -> str:
    """Return a command line without the comment behind it."""
    return re.sub(r"\s+# .*$", "", line)


def _with_output(content: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        written = re.match(r"(?:.*\\\n)*.*", part)
        assert written
        command = without_comment(re.sub(r"\\\n *", "", written[0]))
        lines = tuple(part[written.end() :].strip("\n").splitlines())
        if command.startswith("cat "):
            # What a page shows of a file is the file.
            yield SampleFile(command.removeprefix("cat "), "".join(f"{line}\n" for line in lines))
        else:
            yield Shown(command, lines or None)


def _blocks(page: str, tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Block]:
    heading, mark = "", None
    for number, token in enumerate(tokens):
        if _opens_heading(token):
            heading = tokens[number + 1].content
        elif token.type == "html_block":
            mark = _MARK.fullmatch(token.content.strip())
            continue
        elif token.type in ("fence", "code_block"):
            assert token.map
            first = lines[token.map[0]]
            yield Block(
                page=page,
                line=token.map[0] + 1,
                heading=heading,
                language=token.info.strip(),
                content=textwrap.dedent(token.content),
                indent=first[: len(first) - len(first.lstrip())],
                mark=mark[1] if mark else "",  # type: ignore[arg-type] # the pattern has the same
                about=mark[2] if mark else "",
            )
        mark = None


def _opens_heading(token: Token) -> bool:
    return token.type == "heading_open"
