"""Tables as LaTeX: what is printed, and that it compiles as far as a reader can tell."""

from hypothesis import example, given, strategies as st
from rich.text import Text
from tests.report.latex_reader import plain, read_table

from pommel.analysis import plain_table
from pommel.errors import printable
from pommel.report.latex import latex_table, latex_text

NAMES = st.text(max_size=30) | st.text("\\_%&#${}~^<>|`'-,?![]*a1 \n", max_size=12)


def shown(name: str) -> str:
    """Return what has to be printed of a name."""
    return printable(" ".join(name.split()))


@given(NAMES)
@example("--")
@example("?`")
@example("\\textbf{x} {")
def test_any_name_is_printed_as_it_is(name: str) -> None:
    assert plain(latex_text(name)) == shown(name)


@given(NAMES, NAMES, NAMES, NAMES)
@example("t", "[x]", "*x", "n")
@example("t", "a & b", "[a]", "100%")
def test_any_name_leaves_the_table_whole(title: str, header: str, cell: str, note: str) -> None:
    # Of a cell, a line break would begin a line, and of a caption a note.
    cell, note = (" ".join(text.split()) for text in (cell, note))
    table = plain_table(title, names=(header,), numbers=("score",), caption=note)
    for _ in range(2):
        table.add_row(cell, "+0.50", end_section=True)
    found = read_table(latex_table(table, label="scores"))
    assert found.rows == [[shown(header), "score"], *[[shown(cell), "+0.50"]] * 2]
    assert found.caption == shown(f"{title}. {note}" if title and note else title or note)
    assert (found.columns, found.label, found.n_rules) == ("lr", "scores", 2)


def test_numbers_and_cells_of_several_lines() -> None:
    table = plain_table("Title", names=("suite", "prediction"), numbers=("score",))
    table.columns[1].justify = "full"
    table.add_row("a-1", "x", Text("-0.25 [-0.50, -.01]", style="bold"))
    table.add_row("b", "y", "0: 0.50\n1: 0.25 ± 0.10")
    table.add_row("", "z", "< .001")
    assert latex_table(table, label="x").splitlines() == [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        r"\caption{Title}",
        r"\label{tab:x}",
        r"\begin{tabular}{lp{.35\linewidth}r}",
        r"\toprule",
        r"suite & prediction & score \\",
        r"\midrule",
        r"a-1 & x & \textbf{$-$0.25 [$-$0.50, $-$.01]} \\",
        r"b & y & \shortstack[r]{0: 0.50\\1: 0.25 $\pm$ 0.10} \\",
        r" & z & \textless{} .001 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    assert read_table(latex_table(table, label="x")).rows[2] == [
        "b",
        "y",
        "0: 0.50\n1: 0.25 ± 0.10",
    ]
