"""Which suites and models a mean over several models is of."""

from hypothesis import given
from hypothesis import strategies as st

from pommel.analysis.models_compared import EvenScores, ModelScores, even_scores


def models(*suites: str) -> list[ModelScores]:
    return [
        ModelScores(
            name=f"m{n}",
            variant="",
            n_parameters=None,
            size_family="",
            n_members=1,
            scores={("", suite): 0.5 for suite in own},
        )
        for n, own in enumerate(suites, 1)
    ]


def chosen(*suites: str, of: str = "stuvw") -> tuple[str, str, str, str]:
    found = even_scores(models(*suites), [("", suite) for suite in of])
    return (
        "".join(each.name[1:] for each in found.models),
        "".join(suite for _, suite in found.suites),
        "".join(name[1:] for name in found.incomplete),
        "".join(suite for _, suite in found.uneven),
    )


def test_the_table_that_has_most_results_counts() -> None:
    assert chosen("st", "st", "st") == ("123", "st", "", "")
    assert chosen("stu", "st", "st") == ("123", "st", "", "u")
    assert chosen("stuvw", "stuvw", "s") == ("12", "stuvw", "3", "")
    assert chosen("st", "st", "u") == ("12", "st", "3", "u")
    # Neither has all of what the other has.
    assert chosen("stu", "tuv") == ("12", "tu", "", "sv")
    assert chosen("s", "", "s") == ("13", "s", "", "")
    assert chosen("", "") == ("", "", "", "")


def test_of_as_many_results_more_models_count() -> None:
    assert chosen("st", "s") == ("12", "s", "", "t")


@given(st.lists(st.text("stuvw", max_size=5), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_models_does_not_matter(suites: list[str], random: object) -> None:
    shuffled = [*suites]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = chosen(*suites), chosen(*shuffled)
    assert (first[1], first[3]) == (second[1], second[3])
    assert len(first[0]) == len(second[0])
    names, even = first[0], set(first[1])
    assert all(even <= set(suites[int(name) - 1]) for name in names)


def test_what_is_left_out_is_told() -> None:
    found = EvenScores(
        models=(), suites=(), incomplete=("m3", "m4"), uneven=(("de", "u"), ("de", "v"))
    )
    labels = {("de", "u"): "u", ("de", "v"): "v"}
    assert [*found.notes("F, agreement", labels)] == [
        "F, agreement: without u, v, which not all of the models have",
        "F, agreement: without m3, m4, since suites are missing there that others have",
    ]
