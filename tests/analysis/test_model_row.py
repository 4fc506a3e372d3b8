"""Rows about models and families."""

from pommel.analysis.models_compared import ModelRow, without_lone_families


def row(name: str, **facts: object) -> ModelRow:
    return ModelRow(
        model_name=name,
        variant="",
        score_rule="all",
        source="pommel",
        **facts,  # type: ignore[arg-type]
    )


def test_labels_have_what_tells_models_apart() -> None:
    plain = ModelRow(model_name="m", variant="", score_rule="all", source="pommel")
    never = ModelRow(model_name="m", variant="eos=never", score_rule="all", source="pommel")
    assert (plain.label, never.label) == ("m", "m (eos=never)")


def test_families_of_no_or_one_member_are_left_out() -> None:
    models = [row("m"), row("n")]
    families = [row(f"of {n}", is_family=True, n_members=n) for n in (0, 1, 2)]
    assert without_lone_families([*models, *families]) == [*models, families[2]]
