r"""Tables as LaTeX, with `booktabs` and no other package; UTF-8 stays UTF-8.

They need LaTeX of 2020 or later. The names of models and suites are text, whatever is in them.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pommel.errors import printable
from pommel.report.paper_table import Cell, notes_of, sections_of

if TYPE_CHECKING:
    from rich.table import Column, Table

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # These three are other characters in LaTeX's oldest fonts.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    **{each: f"\\{each}" for each in "_%&#${}"},
}
# Two of the last ones in a row would become a dash or a quotation mark.
_SPECIAL = re.compile("|".join((*map(re.escape, _ESCAPES), r"([-',])(?=\1)")))
# After the end of a row and after a rule these would begin an argument.
_ARGUMENTS = ("[", "*")
_MINUS = re.compile(r"(?<![\w}])-(?=\.?\d)")
_PROSE = r"p{.35\linewidth}"


def latex_table(table: "Table", *, label: str) -> str:
    r"""Return a `table` environment with `\label{tab:LABEL}`; its caption has title and notes.

    A column that is set in full lines is as prose, too wide for one line.
    """
    kinds = "".join(_PROSE if each.justify == "full" else each.justify[0] for each in table.columns)
    sections = [
        "\n".join(_row(map(_cell, row, table.columns)) for row in section)
        for section in sections_of(table)
    ]
    title, notes = str(table.title or ""), notes_of(table)
    caption = latex_text(" ".join([f"{title}." if title and notes else title, *notes]))
    return "\n".join(
        (
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{caption}}}",
            f"\\label{{tab:{label}}}",
            f"\\begin{{tabular}}{{{kinds}}}",
            "\\toprule",
            _row(_guarded(latex_text(str(column.header))) for column in table.columns),
            *(f"\\midrule\n{section}" for section in sections),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        )
    )


def latex_text(text: str) -> str:
    """Return a text that LaTeX sets as it is.

    Whatever is no printable character or blank becomes a question mark, and line breaks blanks.
    """
    return _SPECIAL.sub(
        lambda match: _ESCAPES.get(match[0], f"{match[0]}{{}}"), printable(" ".join(text.split()))
    )


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell, column: "Column") -> str:
    is_number = column.justify == "right"
    texts = [latex_text(line) for line in cell.lines if line.strip()]
    lines = [_guarded(_numbers(text) if is_number else text) for text in texts]
    if cell.is_bold:
        lines = [f"\\textbf{{{line}}}" for line in lines]
    stacked = r"\\".join(lines)
    return f"\\shortstack[{column.justify[0]}]{{{stacked}}}" if len(lines) > 1 else stacked


def _guarded(text: str) -> str:
    return f"{{}}{text}" if text.startswith(_ARGUMENTS) else text


def _numbers(text: str) -> str:
    """Return text with the signs of its numbers as those of a formula."""
    return _MINUS.sub("$-$", text).replace("±", r"$\pm$")
