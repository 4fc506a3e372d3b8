"""What the two names of a comparison mean."""

import pytest
from tests.analysis.records import record, seed, seeds

from pommel.analysis.comparison import side
from pommel.analysis.models_compared import ModelsCompared
from pommel.errors import UsageError

FOUND = ModelsCompared.of(
    [
        record("gpt2", "s", "10", reference="huggingface://gpt2"),
        record("gpt2-xl", "s", "11", size_family="GPT-2"),
        *seeds("lstm", "s", "10", "11", "00"),
        *(record(f"p@{n}", "s", "10", member=seed(n, "p", "step")) for n in (1, 2)),
    ]
).models


@pytest.mark.parametrize(
    ("name", "label", "members"),
    [
        ("gpt2", "gpt2", ["gpt2"]),
        ("huggingface://gpt2", "gpt2", ["gpt2"]),
        ("GPT-2", "gpt2-xl", ["gpt2-xl"]),
        ("*-xl", "gpt2-xl", ["gpt2-xl"]),
        ("lstm", "lstm", ["lstm/seed-1", "lstm/seed-2", "lstm/seed-3"]),
        ("lstm/*", "lstm", ["lstm/seed-1", "lstm/seed-2", "lstm/seed-3"]),
        ("lstm/seed-[12]", "lstm/seed-[12]", ["lstm/seed-1", "lstm/seed-2"]),
        ("lstm/seed-2", "lstm/seed-2", ["lstm/seed-2"]),
        ("p@1", "p@1", ["p@1"]),
        (FOUND[0].records[0].run_id[:6], "gpt2", ["gpt2"]),
    ],
)
def test_a_name_means_a_model_or_the_seeds_of_one(
    name: str, label: str, members: list[str]
) -> None:
    found = side(FOUND, name)
    assert (found.label, [each.model_name for each in found.members]) == (label, members)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "gpt2*",
            (
                "'gpt2*' means 2 models: gpt2, gpt2-xl; name one, or the seeds of one family "
                "(--score and --source choose among runs of one model)"
            ),
        ),
        (
            "p",
            (
                "'p' means 2 models: p@1, p@2; name one, or the seeds of one family "
                "(--score and --source choose among runs of one model)"
            ),
        ),
        (
            "bert",
            (
                "no model 'bert' among the chosen runs; there are gpt2, gpt2-xl, lstm/seed-1, "
                "lstm/seed-2, lstm/seed-3, p@1, p@2"
            ),
        ),
    ],
)
def test_a_name_that_means_nothing_or_several_models(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        side(FOUND, name)
    assert str(caught.value) == message


def test_a_model_under_two_rules_is_named_with_the_rule() -> None:
    two = ModelsCompared.of(
        [record(holds=["1", "1"]), record(holds=["1", "0"], rule="first")]
    ).models
    assert side(two, "m (score=first)").score_rule == "first"
    with pytest.raises(
        UsageError, match=r"'m' means 2 models: m \(score=all\), m \(score=first\);"
    ):
        side(two, "m")


def test_a_family_is_its_mean_on_the_suites_and_items_that_all_members_have() -> None:
    records = [*seeds("lstm", "s", "110", "100"), *seeds("lstm", "t", "1")]
    shorter = record("lstm/seed-3", "s", "11", member=seed(3), items=[3, 1])
    found = side(ModelsCompared.of([*records, shorter]).models, "lstm")
    assert list(found.suites) == [("", "s")]
    (column,) = found.columns(("", "s"))
    assert column.item_numbers.tolist() == [1, 3]
    assert column.holds.tolist() == pytest.approx([1.0, 1 / 3])


def test_versions_of_a_suite_are_told_by_their_hashes() -> None:
    one = record("lstm/seed-1", "s", "10", member=seed(1), sha256="a")
    other = record("lstm/seed-2", "s", "10", member=seed(2))
    found = side(ModelsCompared.of([one, other]).models, "lstm")
    assert found.hashes(("", "s")) == {"a"}
