"""The picture of docs/architecture.md: rooms on their floors, and in each what it uses.

`python -m tests.docs.picture` draws it from the import graph and the layers of pyproject.toml; a
test compares it. What a room also reaches through another that it uses is not named.
"""

import ast
import tomllib
from collections.abc import Iterator, Sequence
from html import escape
from itertools import product
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).parents[2]
PICTURE = REPOSITORY / "docs" / "images" / "rooms.svg"
_PACKAGE = REPOSITORY / "runner" / "pommel"
_WIDTH, _HEIGHT = 280, 70
_GAP, _FLOOR = 24, 84
_MARGIN = 20
# The face of the package has no room: it forwards to the API.
_LEFT_OUT = "__main__"


def floors() -> list[list[str]]:
    """Return the rooms of each layer, from the top down."""
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    (layers,) = (
        each["layers"]
        for each in settings["tool"]["importlinter"]["contracts"]
        if each["type"] == "layers"
    )
    rooms = [[room.strip() for room in layer.split("|")] for layer in layers]
    return [floor for floor in rooms if floor != [_LEFT_OUT]]


def imports() -> set[tuple[str, str]]:
    """Return which room imports which, without those that another one stands between."""
    graph = grimp.build_graph("pommel", cache_dir=None)
    rooms = [room for floor in floors() for room in floor]
    direct = {
        (one, other)
        for one, other in product(rooms, rooms)
        if one != other
        and graph.direct_import_exists(
            importer=f"pommel.{one}", imported=f"pommel.{other}", as_packages=True
        )
    }
    reached: dict[str, set[str]] = {}
    for room in reversed(rooms):  # what a room imports stands below it
        below = {other for one, other in direct if one == room}
        reached[room] = below.union(*(reached[each] for each in below)) if below else set()
    return {
        (one, other)
        for one, other in direct
        if not any((one, between) in direct and other in reached[between] for between in rooms)
    }


def drawn() -> str:
    """Return the picture as SVG."""
    rows = floors()
    widest = max(map(len, rows))
    width = widest * (_WIDTH + _GAP) - _GAP + 2 * _MARGIN
    height = (len(rows) - 1) * _FLOOR + _HEIGHT + 2 * _MARGIN
    corners = dict(_corners(rows, width))
    used = imports()
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" '
                'font-family="sans-serif" text-anchor="middle" fill="#1b2438">'
            ),
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *(
                _box(room, corner, [other for other in corners if (room, other) in used])
                for room, corner in corners.items()
            ),
            "</svg>",
            "",
        ]
    )


def _corners(rows: list[list[str]], width: int) -> Iterator[tuple[str, tuple[int, int]]]:
    for number, row in enumerate(rows):
        left = (width - len(row) * (_WIDTH + _GAP) + _GAP) // 2
        for place, room in enumerate(row):
            yield room, (left + place * (_WIDTH + _GAP), _MARGIN + number * _FLOOR)


def _box(room: str, corner: tuple[int, int], used: Sequence[str]) -> str:
    x, y = corner
    middle = x + _WIDTH // 2
    lines = [
        (
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="#eef2f8" '
            'stroke="#33415c"/>'
        ),
        f'<text x="{middle}" y="{y + 22}" font-weight="bold" font-size="15">{room}</text>',
        f'<text x="{middle}" y="{y + 41}" font-size="11">{escape(_words(room))}</text>',
    ]
    if used:
        words = f"uses {', '.join(used)}"
        lines.append(
            f'<text x="{middle}" y="{y + 59}" font-size="11" font-style="italic" '
            f'fill="#5a6781">{words}</text>'
        )
    return "\n".join(lines)


def _words(room: str) -> str:
    """Return what a room says of itself, up to the first colon, comma or stop if it is long."""
    file = _PACKAGE / f"{room}.py"
    text = (file if file.exists() else _PACKAGE / room / "__init__.py").read_text("utf-8")
    words = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0].rstrip(".")
    for stop in (":", ";", ",", "."):
        if len(words) > _WIDTH // 6:
            words = words.partition(stop)[0]
    return words


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
