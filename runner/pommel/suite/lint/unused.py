"""Rules: conditions that no prediction names, and regions that no sentence fills."""

from collections.abc import Iterator

from pommel.suite.lint.remark import Remark
from pommel.suite.lint.subject import Subject


def unused_condition(subject: Subject) -> Iterator[Remark]:
    """Yield the conditions that no prediction names; nothing where there are no predictions."""
    named = {each.condition for formula in subject.formulas for each in formula.references}
    for position, name in enumerate(subject.suite.condition_names):
        if subject.formulas and name not in named:
            yield Remark(
                rule="unused-condition",
                path=("items", 0, "conditions", position),
                message=f"no prediction names the condition {name!r}",
                hint="it is scored only where all regions are asked for",
            )


def unused_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that are empty, or missing, in every sentence."""
    filled = {
        region
        for item in subject.items
        for laid in item.values()
        for region in laid.spans
        if laid.text(region)
    }
    for number in subject.suite.region_numbers:
        if number not in filled:
            yield Remark(
                rule="unused-region",
                path=("region_meta", str(number)),
                message=f"region {number} is empty in every sentence",
                hint="remove it",
            )
