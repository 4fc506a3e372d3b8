"""A Rich console behind the boundary to the terminal; imported where one is shown something."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

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
            yield each if each.control else each._replace(text=safe(each.text))
