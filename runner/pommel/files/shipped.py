"""What ships with pommel: JSON Schemas, suites, built-in models, sources of container images.

The only place that knows where they lie: in `pommel/shipped/`. In a checkout, bare or installed as
editable, some are folders at its top instead, which the build maps to that place (setup.py).
"""

import json
from pathlib import Path
from typing import Any, Literal

Folder = Literal["builtin", "image_sources", "registry", "schemas", "suites"]

# Name in pommel/shipped/ -> name at the top of a checkout.
_AT_THE_TOP: dict[Folder, str] = {
    "image_sources": "containers",
    "schemas": "schemas",
    "suites": "suites",
}


def shipped_folder(name: Folder) -> Path:
    """Return where a kind of what ships lies."""
    # A package that is not on disk (a zip file) has no model folders that torch could open.
    package = Path(__file__).parents[1]
    folder = package / "shipped" / name
    if folder.is_dir() or name not in _AT_THE_TOP:
        return folder
    return package.parents[1] / _AT_THE_TOP[name]


def json_schema(name: str) -> Any:
    """Return the JSON Schema `name`, one of the files in schemas/."""
    return json.loads((shipped_folder("schemas") / f"{name}.json").read_text("utf-8"))
