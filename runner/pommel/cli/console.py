"""A Rich console behind the boundary to the terminal; imported where one is shown something."""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style

from pommel.cli.terminal import safe


class SafeConsole(Console):
    """A console that prints text as it is written, and no escape sequence but Rich's own."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        # What suites and models are called is text, not Rich's mark-up.
        super().__init__(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for each in super().render(renderable, options):
            text = each.text if each.control else safe(each.text)
            yield each if text is each.text else each._replace(text=text)

    def render_lines(
        self,
        renderable: RenderableType,
        options: ConsoleOptions | None = None,
        *,
        style: Style | None = None,
        pad: bool = True,
        new_lines: bool = False,
    ) -> list[list[Segment]]:
        """Return the lines that Rich makes; a cell that fits into one is put there at once.

        Rich takes each cell to pieces several times, and tables have many thousands.
        """
        if isinstance(renderable, Padding) and options and pad and not new_lines:
            line = _line_of_cell(renderable, options)
            if line is not None:
                return [[Segment(line, style)]]
        return super().render_lines(renderable, options, style=style, pad=pad, new_lines=new_lines)


def _line_of_cell(cell: Padding, options: ConsoleOptions) -> str | None:
    """Return the only line of a cell, as wide as it has to be; None where Rich has to see to it."""
    text, justify = cell.renderable, options.justify
    if not isinstance(text, str) or not text.isprintable() or justify not in ("left", "right"):
        return None
    text = text.rstrip() if justify == "right" else text
    width, n_cells = options.max_width - cell.left - cell.right, cell_len(text)
    if width < max(1, n_cells) or cell.top or cell.bottom or options.height is not None:
        return None
    before, after = (width - n_cells, 0) if justify == "right" else (0, width - n_cells)
    return " " * (cell.left + before) + text + " " * (after + cell.right)
