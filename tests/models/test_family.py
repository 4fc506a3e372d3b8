"""What models and families are called."""

from hypothesis import given
from hypothesis import strategies as st

from pommel.models.family import Membership, Named


def seed(pattern: str, number: int, family: str = "en") -> Named:
    label = f"seed-{number}"
    membership = Membership(
        family=family, axis="seed", label=label, value=number, pattern=f"{pattern}/seed-*"
    )
    return Named(name=f"{family}/{label}", membership=membership)


def test_models_of_one_name_are_called_by_their_references() -> None:
    found = Named.unique_names(
        {"a://x": Named(name="x"), "b://x": Named(name="x"), "c://": Named(name="y")}
    )
    assert {reference: each.name for reference, each in found.items()} == {
        "a://x": "a://x",
        "b://x": "b://x",
        "c://": "y",
    }


def test_families_of_one_name_are_called_by_their_patterns() -> None:
    models = {
        "lstm://a/en/seed-1": seed("lstm://a/en", 1),
        "lstm://a/en/seed-2": seed("lstm://a/en", 2),
        # Nobody else is called so, but by its name it would belong to the other family, too.
        "lstm://b/en/seed-3": seed("lstm://b/en", 3),
        "lstm://c/de/seed-1": seed("lstm://c/de", 1, family="de"),
    }
    found = Named.unique_names(models)
    assert [(each.name, each.membership and each.membership.family) for each in found.values()] == [
        ("lstm://a/en/seed-1", "lstm://a/en/seed-*"),
        ("lstm://a/en/seed-2", "lstm://a/en/seed-*"),
        ("lstm://b/en/seed-3", "lstm://b/en/seed-*"),
        ("de/seed-1", "de"),
    ]


def test_a_member_and_a_model_of_one_name() -> None:
    models = {"lstm://en/seed-1": seed("lstm://en", 1), "x://": Named(name="en/seed-1")}
    member, alone = Named.unique_names(models).values()
    assert (member.name, alone.name) == ("lstm://en/seed-1", "x://")
    assert member.membership == models["lstm://en/seed-1"].membership


@given(st.dictionaries(st.text("abc:/", min_size=1), st.sampled_from(["x", "y", "z"])))
def test_no_two_models_share_a_name(names: dict[str, str]) -> None:
    models = {f"s://{reference}": Named(name=name) for reference, name in names.items()}
    found = Named.unique_names(models)
    assert list(found) == list(models)
    assert len({each.name for each in found.values()}) == len(models)
