"""Tables as LaTeX: what is printed, and that it compiles as far as a reader can tell."""

from hypothesis import example, given
from hypothesis import strategies as st
from tests.report.latex_reader import plain, read_table

from pommel.errors import printable
from pommel.report.latex import latex_table, latex_text
from pommel.report.paper_table import Cell, PaperColumn, PaperTable, text_cell

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
    column = PaperColumn(header=header, align="left")
    table = PaperTable(
        title=title,
        columns=(column, PaperColumn(header="score")),
        sections=(((Cell(lines=(cell,)), text_cell("+0.50")),),) * 2,
        notes=(note,),
    )
    found = read_table(latex_table(table, label="scores"))
    assert found.rows == [[shown(header), "score"], *[[shown(cell), "+0.50"]] * 2]
    assert found.caption == shown(f"{title}. {note}" if title else note)
    assert (found.columns, found.label, found.n_rules) == ("lr", "scores", 2)


def test_numbers_marks_and_cells_of_several_lines() -> None:
    table = PaperTable(
        title="Title",
        columns=(
            PaperColumn(header="suite", align="left"),
            PaperColumn(header="prediction", align="left", is_prose=True),
            PaperColumn(header="score"),
        ),
        sections=(
            (
                (text_cell("a-1"), text_cell("x"), text_cell("-0.25 [-0.50, -.01]", is_bold=True)),
                (text_cell("b"), text_cell("y"), Cell(lines=("0: 0.50", "1: 0.25 ± 0.10"))),
                (text_cell(""), text_cell("z"), Cell(lines=("< .001",), mark="†")),
            ),
        ),
    )
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
        r" & z & \textless{} .001$^\dagger$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    assert read_table(latex_table(table, label="x")).rows[2] == [
        "b",
        "y",
        "0: 0.50\n1: 0.25 ± 0.10",
    ]
