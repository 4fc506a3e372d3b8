"""How work is cut: laws that hold for any work."""

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from pommel.sharding.cutting import Part, Work

SECONDS = st.floats(0.001, 1000)


@st.composite
def works(draw: st.DrawFn) -> Work:
    """Return the work of up to 20 models on up to 8 suites."""
    n_models, n_suites = draw(st.integers(1, 20)), draw(st.integers(1, 8))
    own = st.lists(SECONDS, min_size=n_suites, max_size=n_suites)
    scoring = draw(st.lists(own, min_size=n_models, max_size=n_models))
    loading = draw(st.lists(SECONDS, min_size=n_models, max_size=n_models))
    return Work(loading=np.array(loading), scoring=np.array(scoring))


def pairs(shards: list[list[Part]]) -> Counter[tuple[int, int]]:
    """Return how often each model is on the suite at each place."""
    return Counter(
        (part.model, place)
        for parts in shards
        for part in parts
        for place in range(part.start, part.stop)
    )


@given(works(), st.integers(1, 30))
def test_each_model_is_on_each_suite_once(work: Work, n_shards: int) -> None:
    shards = work.cut(n_shards)
    n_models, n_suites = work.scoring.shape
    every = ((model, suite) for model in range(n_models) for suite in range(n_suites))
    assert pairs(shards) == Counter(every)
    assert 1 <= len(shards) <= n_shards
    assert all(shards)
    # In a shard, a model is loaded once.
    assert all(len({part.model for part in parts}) == len(parts) for parts in shards)


@given(works(), st.integers(1, 30))
def test_the_same_work_is_cut_the_same_way(work: Work, n_shards: int) -> None:
    assert work.cut(n_shards) == work.cut(n_shards)


@given(works(), st.integers(1, 30))
def test_the_longest_shard_is_bounded(work: Work, n_shards: int) -> None:
    even = (work.loading.sum() + work.scoring.sum()) / n_shards
    longest = work.makespan(work.cut(n_shards))
    assert longest >= even * (1 - 1e-9)
    # Each division costs another loading, and a suite is never cut.
    assert longest <= 1.06 * (even + 2 * work.loading.max() + work.scoring.max())


@given(works(), st.integers(1, 30))
def test_loadings_are_few(work: Work, n_shards: int) -> None:
    shards = work.cut(n_shards)
    n_models = len(work.loading)
    assert sum(map(len, shards)) <= n_models + 2 * len(shards)


def test_models_stay_whole_where_that_costs_nothing() -> None:
    work = Work(loading=np.full(100, 5.0), scoring=np.full((100, 10), 1.0))
    shards = work.cut(25)
    assert [len(parts) for parts in shards] == [4] * 25
    assert shards[0][0] == Part(0, 0, 10)


def test_a_model_that_is_too_long_is_divided() -> None:
    scoring = np.full((3, 10), 1.0)
    scoring[1] = 100.0
    shards = Work(loading=np.full(3, 1.0), scoring=scoring).cut(5)
    assert Counter(part.model for parts in shards for part in parts) == {0: 1, 1: 5, 2: 1}


@given(works(), st.floats(0.1, 5000))
def test_shards_take_as_long_as_they_may(work: Work, seconds: float) -> None:
    shards = work.cut_to(seconds)
    largest = float((work.loading + work.scoring.max(axis=1)).max())
    # Where one suite of a model takes longer alone, so does its shard.
    assert work.makespan(shards) <= max(seconds, largest) * 1.01 or len(shards) == work.scoring.size
    assert pairs(shards).total() == work.scoring.size
