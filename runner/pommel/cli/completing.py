"""What a shell completes on Tab: commands and options by Click, and the names that there are."""

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

from pommel.errors import printable
from pommel.files import own_path

_RUNS_AT_MOST = 50


class _Bash(BashComplete):
    """Bash breaks words at colons, which references have: whole words are cut from the line."""

    name = "bash"
    source_template = BashComplete.source_template.replace(
        "${COMP_WORDS[*]}", "${COMP_LINE:0:COMP_POINT}"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_WORDS"]
        _, *words = split_arg_string(line)
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        # What stands before the last colon is no part of what Bash replaces.
        self._before = "".join(incomplete.rpartition(":")[:2])
        return words, incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value.removeprefix(self._before)}"


def add_bash() -> None:
    """Have Bash complete words with colons."""
    add_completion_class(_Bash)


def models(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return built-in models, schemes and names of the LM Zoo, and files."""
    return _items(incomplete, _model_names())


def suites(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return shipped collections and suites, and files."""
    return _items(incomplete, _suite_names())


def models_and_suites(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return what is one or the other, and files."""
    return _items(incomplete, [*_model_names(), *_suite_names()])


def grammars(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the shipped grammars of text, and files."""
    from pommel.sources import Generation

    return _items(incomplete, [*Generation.shipped_texts()])


def _model_names() -> list[str]:
    from pommel.models import LmZooRegistry, known_references

    builtin, forms = known_references()
    schemes = dict.fromkeys(f"{form.partition('://')[0]}://" for form in forms if "://" in form)
    return [
        *builtin,
        *(each for each in schemes if each != "builtin://"),
        *LmZooRegistry.installed(),
    ]


def _suite_names() -> list[str]:
    from pommel.sources import find_suites

    paths = find_suites("suites:")
    # suites/LANGUAGE/CIRCUIT/NAME.json
    places = dict.fromkeys((path.parts[-3], path.parts[-2]) for path in paths)
    languages = dict.fromkeys(language for language, _ in places)
    names = [*languages, *map("/".join, places)]
    return [*(f"suites:{name}" for name in names), *(path.stem for path in paths)]


def run_ids(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the ids of the newest runs in the store, each with what ran on what."""
    path = Path(context.params.get("store") or own_path("store"))
    if not path.exists():
        return []
    from pommel.store import Store

    with Store.open(path, read_only=True) as store:
        heads = [each for each in store.runs.heads() if each.run_id.startswith(incomplete)]
    # What models and suites are called may be a stranger's choice.
    return [
        CompletionItem(
            each.run_id,
            help=printable(f"{each.result.model_name} on {each.result.suite_name}"),
        )
        for each in heads[-_RUNS_AT_MOST:]
    ]


def _items(incomplete: str, names: list[str]) -> list[CompletionItem[str]]:
    """Return the names that begin so; and files that do, or whatever the shell says of them."""
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    if not found:
        return [CompletionItem(incomplete, type="file")]
    folder, name = os.path.split(incomplete)
    files = (each.name for each in Path(folder or ".").glob("*") if each.name.startswith(name))
    return [*found, *(CompletionItem(str(Path(folder, each))) for each in files if each[0] != ".")]
