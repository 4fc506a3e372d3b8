"""Symbols that lead back to themselves, on graphs drawn by hand and at random."""

from hypothesis import given
from hypothesis import strategies as st

from pommel.errors import Place
from pommel.sources.grammar.context_free.grammar import Symbol, cycles, heights

PLACE = Place(file="x.cfg", line=1, column=1)


def symbol(name: str) -> Symbol:
    return Symbol(place=PLACE, text=name, is_terminal=False)


def graph_of(text: str) -> dict[Symbol, list[Symbol]]:
    """Return the graph of "A:BC B: C:A"."""
    pairs = (each.split(":") for each in text.split())
    return {symbol(left): [symbol(each) for each in right] for left, right in pairs}


def names_of(text: str) -> list[str]:
    return ["".join(each.text for each in cycle) for cycle in cycles(graph_of(text))]


def test_cycles_begin_where_the_way_from_the_top_meets_them() -> None:
    assert names_of("S:AB A:B B:CD C:B D:") == ["BC"]
    assert names_of("S:AB A:A B:CB C:") == ["A", "B"]
    assert names_of("S:AB A: B:A") == []
    # The longer one shares its symbols with the shorter one, which comes first.
    assert names_of("A:BC B:A C:B") == ["AB"]


def test_how_many_stand_above_one_another() -> None:
    found = heights(graph_of("S:AB A:BB B:C C: D:D E:D"))
    assert {each.text: height for each, height in found.items()} == {"C": 1, "B": 2, "A": 3, "S": 4}


@given(st.dictionaries(st.sampled_from("ABCDEF"), st.text("ABCDEF", max_size=4)))
def test_without_the_symbols_of_all_cycles_none_is_left(below: dict[str, str]) -> None:
    graph = graph_of(" ".join(f"{left}:{right}" for left, right in below.items()))
    found = list(cycles(graph))
    for cycle in found:
        for one, other in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert other in graph[one]
    on_cycles = [each for cycle in found for each in cycle]
    assert len(on_cycles) == len({*on_cycles})
    rest = {each: others for each, others in graph.items() if each not in on_cycles}
    assert not list(cycles(rest))
    complete = {each: [one for one in others if one in graph] for each, others in graph.items()}
    assert (len(heights(complete)) == len(graph)) == (not found)
