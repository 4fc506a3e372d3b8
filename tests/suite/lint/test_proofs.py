"""What is proved of predictions, and why."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint.proofs import Proofs, Reason, Values
from pommel.suite.lint.subject import Subject

ITEM: Sentences = {"a": ("x", "", "."), "b": ("x", "y", ".")}
FULL: Sentences = {"a": ("x", "y", "z"), "b": ("u", "v", ".")}


def proofs(*formulas: str, **meta: str) -> Proofs:
    return Proofs(Subject(suite=make_suite([ITEM, FULL], formulas, **meta)))


def test_the_reason_is_that_of_the_prediction() -> None:
    found = proofs("(2;%a%) < (2;%b%)", "(1;%a%) < (1;%b%)", metric="mean")

    def reasons(index: int) -> dict[Reason, list[int]]:
        def can_not(values: Values) -> bool:
            return not found.can(index, "true", values)

        return found.items_where([index], can_not)

    assert reasons(0) == {Reason(sharing="none", is_empty=True): [0]}
    assert reasons(1) == {Reason(sharing="left to right", is_empty=False): [0]}


def test_implications() -> None:
    found = proofs("(1;%a%) < (1;%b%)", "(1;%a%) < (1;%b%) + 1", "(1;%a%) < (1;%a%)", "1 < 2")
    assert found.predictions == (0, 1, 2)
    assert found.implies(0, 1)
    assert not found.implies(1, 0)
    # Everything follows from what never holds.
    assert not found.implies(2, 0)


def test_many_cases_are_no_matter() -> None:
    regions = range(1, 9)
    item: Sentences = {name: [f"{name}{i}" for i in regions] for name in "ab"}
    same = " & ".join(f"(({i};%a%) = ({i};%b%))" for i in regions)
    apart = " & ".join(f"(abs(({i};%a%) - ({i};%b%)) > 1)" for i in regions)
    found = Proofs(Subject(suite=make_suite([item], [same, f"{same} & (1;%a%) < 3", apart])))
    assert found.implies(1, 0)
    assert not found.implies(0, 1)
    assert not found.implies(0, 2)
