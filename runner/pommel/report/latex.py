r"""Tables as LaTeX, with `booktabs` and no other package; UTF-8 stays UTF-8.

They need LaTeX of 2020 or later. The names of models and suites are text, whatever is in them.
"""

import re
from collections.abc import Sequence

from pommel.errors import printable
from pommel.report.paper_table import Cell, PaperColumn, PaperTable

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
_MARKS = {"†": r"$^\dagger$"}
_MINUS = re.compile(r"(?<![\w}])-(?=\.?\d)")
_PROSE = r"p{.35\linewidth}"


def latex_table(table: PaperTable, *, label: str) -> str:
    r"""Return a `table` environment with caption and `\label{tab:LABEL}`."""
    kinds = "".join(_PROSE if column.is_prose else column.align[0] for column in table.columns)
    sections = [
        "\n".join(_row(row, table.columns) for row in section) for section in table.sections
    ]
    title = f"{table.title}." if table.title and table.notes else table.title
    caption = latex_text(" ".join([title, *table.notes]))
    return "\n".join(
        (
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{caption}}}",
            f"\\label{{tab:{label}}}",
            f"\\begin{{tabular}}{{{kinds}}}",
            "\\toprule",
            " & ".join(_guarded(latex_text(column.header)) for column in table.columns) + r" \\",
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


def _row(cells: Sequence[Cell], columns: Sequence[PaperColumn]) -> str:
    shown = (_cell(cell, column) for cell, column in zip(cells, columns, strict=True))
    return " & ".join(shown) + r" \\"


def _cell(cell: Cell, column: PaperColumn) -> str:
    lines = [
        _guarded(_numbers(text) if column.align == "right" else text) + _MARKS.get(cell.mark, "")
        for text in (latex_text(line) for line in cell.lines)
        if text
    ]
    if cell.is_bold:
        lines = [f"\\textbf{{{line}}}" for line in lines]
    stacked = r"\\".join(lines)
    return f"\\shortstack[{column.align[0]}]{{{stacked}}}" if len(lines) > 1 else stacked


def _guarded(text: str) -> str:
    return f"{{}}{text}" if text.startswith(_ARGUMENTS) else text


def _numbers(text: str) -> str:
    """Return text with the signs of its numbers as those of a formula."""
    return _MINUS.sub("$-$", text).replace("±", r"$\pm$")
