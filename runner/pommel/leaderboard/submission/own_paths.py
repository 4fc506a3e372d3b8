"""Paths of a submitter's own machine, which nobody else is to read: told, and left out.

A path is one that says whose machine it is of, or what lies where there: not one within the folder
that was worked in, such as `ngram://step1.arpa`. They are left out where a submission is packed.
Where one is shown that was packed before, or by somebody else, they are left out again.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

# Where one begins: two parts or more from the root, a home, a drive or another machine; behind a
# scheme whatever is no name. It may have blanks in it, so its end is not told. Sounds (/p/, /b/)
# and rates (~5k/s) are none.
_PATH = re.compile(
    r"""(?i:file):/ | ://(?:/|~|\.|[A-Za-z]:[/\\]) | (?<![A-Za-z0-9])[A-Za-z]:[/\\](?!/) | \\\\\w
    | (?<![^\s"'`\u2018-\u201f«»(=,;:|\[{])
      (?: ~(?!\d[\d.,]{0,3}\w?/)[\w.-]*[/\\] | /[^/\s]+/+(?![^\w\s/*]+(?:[\s/]|$))[^/\s] )""",
    re.VERBOSE,
)
# The scheme of what has a name, and a place that is not said; no model is opened by it.
_LOCAL = "local"
_LEFT_OUT = "(a path, left out)"


def has_path(text: str) -> bool:
    """Say whether a text has a path of somebody's machine in it; one of a single part is none."""
    return bool(_PATH.search(unquote(text)))


def is_local(reference: str, revision: str | None) -> bool:
    """Say whether a model is called by a path that says more than its own name.

    So is a folder that could be taken for a name on the Hugging Face hub: that one has a commit,
    and at most one slash.
    """
    scheme, _, rest = reference.partition("://")
    is_folder = scheme == "huggingface" and (revision is None or rest.count("/") > 1)
    return is_folder or scheme == _LOCAL or has_path(reference)


def published_reference(reference: str, revision: str | None, name: str) -> str:
    """Return a model's reference as everybody may read it: by its name where it is a path."""
    return f"{_LOCAL}://{name}" if is_local(reference, revision) else reference


def published_name(name: str) -> str:
    """Return a model's name as everybody may read it: of a path its last part."""
    return re.split(r"[/\\]", unquote(name).rstrip("/\\"))[-1] if has_path(name) else name


def published_model(model: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a model's description without paths; `name` is what it is called."""
    public = published_reference(model["reference"], model.get("revision"), name)
    own_name = name if public != model["reference"] else model["name"]
    return {**without_paths(model), "reference": public, "name": published_name(own_name)}


def without_paths(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return JSON values in which another text stands for each that has a path in it."""

    def without(value: object) -> Any:
        if isinstance(value, Mapping):
            return {without(key): without(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [without(each) for each in value]
        return _LEFT_OUT if isinstance(value, str) and has_path(value) else value

    return {key: without(each) for key, each in values.items()}
