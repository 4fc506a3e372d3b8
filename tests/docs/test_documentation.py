"""The pages hang together: blocks say what they are, links lead somewhere, names exist."""

import re
import sys
import tomllib
from collections import Counter
from importlib import import_module

import pytest
from markdown_it import MarkdownIt
from tests.docs.pages import REASONS, REPOSITORY, Page, page_of, pages, steps

PAGES = pages()
_DOCS = REPOSITORY / "docs"
_PACKAGE = REPOSITORY / "runner" / "pommel"
_FOLDERS = ("runner", "tests", "docs", "schemas", "suites", "containers", "benchmarks", ".ci")
# A path from the repository's root, or from the package's, as text has it.
_PATH = re.compile(rf"(?:(?:{'|'.join(map(re.escape, _FOLDERS))})/)[\w./*<>-]*|[\w./]+\.py")
_DOTTED = re.compile(r"\bpommel(?:\.[A-Za-z_]\w*)+")
# What stands for a name, such as FORMAT.
_STANDS_FOR = re.compile(r"\b[A-Z]{3,}\b(?!\.)|<\w+>|[A-Z]{3,}(?=\.py)")
# Endings of what is no name in Python.
_NO_NAMES = (".json", ".sqlite", ".zip", ".html")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_run_or_says_why_not(page: Page) -> None:
    for block in page.blocks:
        assert block.mark != "not run" or block.about in REASONS, block.place
        steps(block)  # raises for a block that is nothing of what can be run


def test_how_many_blocks_are_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [block for page in PAGES for block in page.blocks]
    reasons = Counter(block.about for block in blocks if block.mark == "not run")
    with capsys.disabled():
        sys.stdout.write(f"\n{len(blocks) - reasons.total()} blocks of the docs are run; not run:")
        sys.stdout.write("".join(f" {n} {reason};" for reason, n in reasons.most_common()))
    assert reasons.total() < len(blocks) / 3


def test_the_index_has_every_page_once() -> None:
    links = [link for link, _ in links_of(page_of(_DOCS / "index.md")) if "/" not in link]
    there = {path.name for path in _DOCS.glob("*.md")} - {"index.md"}
    assert sorted(links) == sorted(there)


@pytest.mark.parametrize(
    "page", [*PAGES, page_of(REPOSITORY / "CHANGELOG.md")], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Page) -> None:
    here = REPOSITORY / page.name
    for link, anchor in links_of(page):
        target = (here.parent / link).resolve() if link else here
        assert target.exists(), f"{page.name}: there is no {link}"
        if anchor:
            assert anchor in anchors_of(page_of(target)), f"{page.name}: no {link}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_and_paths_exist(page: Page) -> None:
    texts = [*page.inline, *(block.content for block in page.blocks if block.language == "python")]
    for text in texts:
        if _STANDS_FOR.search(text):
            continue
        for path in _PATH.findall(text):
            assert is_there(path), f"{page.name}: there is no {path}"
        for name in _DOTTED.findall(text):
            if not name.endswith(_NO_NAMES):
                check_name(name, page.name)


def is_there(path: str) -> bool:
    """Say whether a path is one from the repository's root, or from that of the package.

    A file's name alone may be anywhere in the package.
    """
    if "/" not in path and any(_PACKAGE.rglob(path)):
        return True
    return any(any(folder.glob(path.rstrip("/"))) for folder in (REPOSITORY, _PACKAGE))


def check_name(name: str, where: str) -> None:
    """Fail for a dotted name that is no module and nothing in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            assert hasattr(found, part), f"{where}: {name} does not exist"
            found = getattr(found, part)
        return


def links_of(page: Page) -> list[tuple[str, str]]:
    """Return the relative links of a page, each as a path and an anchor."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.text)
    found = [
        str(child.attrs.get("href") or child.attrs.get("src"))
        for token in tokens
        for child in token.children or ()
        if child.type in ("link_open", "image")
    ]
    relative = [link for link in found if "://" not in link and not link.startswith("mailto:")]
    return [(path, anchor) for path, _, anchor in (link.partition("#") for link in relative)]


def anchors_of(page: Page) -> set[str]:
    """Return what its headings are called in links, as GitHub does it."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in page.headings:
        text = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def test_citation_cff_is_of_this_version() -> None:
    """What only the owner knows it leaves out, and says so."""
    cited = (REPOSITORY / "CITATION.cff").read_text("utf-8")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    values = dict(re.findall(r"^([a-z-]+): *(.*)$", cited, flags=re.MULTILINE))
    assert {*values} == {
        *("cff-version", "title", "message", "type", "authors", "abstract", "keywords", "license"),
        *("version", "references"),
    }
    assert (values["cff-version"], values["type"]) == ("1.2.0", "software")
    assert (values["version"], values["license"]) == (project["version"], project["license"])
    keywords = cited.partition("keywords:\n")[2].partition("license:")[0]
    assert keywords == "".join(f"  - {each}\n" for each in project["keywords"])
    assert "the repository's address" in cited


def test_extras_that_are_named_are_there() -> None:
    """Of one that is not, pip only warns, and installs without it."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    files = (
        each
        for folder in ("docs", "runner/pommel", ".github")
        for ending in ("md", "py", "j2", "yml")
        for each in (REPOSITORY / folder).rglob(f"*.{ending}")
    )
    named = {
        extra
        for each in (REPOSITORY / "README.md", *files)
        for extras in re.findall(r"(?:pommel|'\.)\[([a-z,]+)\]", each.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert named <= {*project["optional-dependencies"]}
    assert len(named) > 5
