"""docs/commands.md is what the commands say, and every command that a page names is one."""

import importlib.metadata
import re
import shlex

import click
import pytest
from tests.docs import columns
from tests.docs.commands import PAGE, find, page
from tests.docs.pages import REPOSITORY, Page, pages

PAGES = pages()
# A placeholder for options, in what a page says of a command.
_PLACEHOLDER = re.compile(r"\[.*?\]")


def test_the_page_is_what_the_commands_say() -> None:
    pinned = re.search(r"^click==(.*)$", (REPOSITORY / "constraints.txt").read_text(), re.MULTILINE)
    assert pinned
    if importlib.metadata.version("click") != pinned[1]:
        pytest.skip("another version of click sets its help otherwise")
    if PAGE.read_text("utf-8") != page():
        pytest.fail("docs/commands.md is not what the commands say; `make docs` writes it")


def test_tables_of_columns_are_what_the_columns_say() -> None:
    if columns.PAGE.read_text("utf-8") != columns.page():
        pytest.fail("docs/statistics.md is not what columns say; `make docs` writes it")


@pytest.mark.parametrize("shown", PAGES, ids=lambda each: each.name)
def test_commands_in_the_text_are_commands(shown: Page) -> None:
    for span in shown.inline:
        if span.startswith("pommel ") and "COMMAND" not in span:
            check(span)


def check(line: str) -> None:
    """Raise for a command line of a command or option that there is not."""
    try:
        words = shlex.split(_PLACEHOLDER.sub("", line))[1:]
        command, rest = find([word for word in words if word not in ("…", "...")])
        context = click.Context(command)
        command.make_parser(context).parse_args([*rest])
    except click.BadOptionUsage as error:
        # It is named alone: `pommel report --plot`.
        assert rest[-1] == error.option_name  # noqa: PT017 - not what the test is about
    except (ValueError, click.UsageError) as error:
        pytest.fail(f"`{line}`: {error}", pytrace=False)


def test_other_commands_are_noticed() -> None:
    for line in ("pommel rnu x", "pommel stats accuracy --bye circuit", "pommel runs lst"):
        with pytest.raises(pytest.fail.Exception):
            check(line)
