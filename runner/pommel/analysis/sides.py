"""The two sides of a comparison: one model each, or a family whose seeds are averaged by item."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pommel.analysis.columns import Column, columns_of, mean_of_columns
from pommel.analysis.subjects import Subject, SuiteKey, families
from pommel.errors import UsageError, counted, listed

# A run's id may be given by its beginning.
LEAST_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One model, or the members of a family of seeds."""

    label: str
    members: tuple[Subject, ...]

    @property
    def suites(self) -> dict[SuiteKey, None]:
        """The suites that every member has been run on, in the order of the first member."""
        first, *others = (each.by_suite for each in self.members)
        return {key: None for key in first if all(key in other for other in others)}

    @property
    def score_rule(self) -> str:
        """The score rule, which all members share."""
        return self.members[0].score_rule

    @property
    def incomplete_suites(self) -> dict[SuiteKey, None]:
        """The suites that some members have been run on, and others not."""
        known = dict.fromkeys(key for each in self.members for key in each.by_suite)
        return {key: None for key in known if key not in self.suites}

    def columns(self, suite: SuiteKey) -> tuple[Column, ...]:
        """Return a suite's columns; of a family, means over its members, item by item.

        None where the results were published without their items.
        """
        by_label = self._members_columns(suite)
        return tuple(mean_of_columns(own) for own in by_label.values())

    def n_incomplete(self, suite: SuiteKey) -> dict[str, int]:
        """Return by column how many items some members have, and others lack or skip."""
        by_label = self._members_columns(suite)
        return {
            label: len({number for each in own for number in each.item_numbers.tolist()})
            - mean_of_columns(own).n_items
            for label, own in by_label.items()
        }

    def _members_columns(self, suite: SuiteKey) -> dict[str, list[Column]]:
        """Return the columns that all members have, by their label."""
        found = [columns_of(each.by_suite[suite].result) for each in self.members]
        by_label = [{each.label: each for each in own if each.is_listed} for own in found]
        labels = [label for label in by_label[0] if all(label in own for own in by_label)]
        return {label: [own[label] for own in by_label] for label in labels}

    def labels(self, suite: SuiteKey) -> dict[str, None]:
        """Return the labels of all columns that some member has, with items or without."""
        results = [each.by_suite[suite].result for each in self.members]
        return dict.fromkeys(each.label for result in results for each in columns_of(result))

    def hashes(self, suite: SuiteKey) -> set[str]:
        """Return the SHA-256 of a suite, of every version that members have been run on."""
        found = {each.by_suite[suite].suite.sha256 for each in self.members}
        return found - {""}


def side(found: Sequence[Subject], name: str) -> Side:
    """Return the model or family that a name or glob means, among the models as they were run.

    Tried are, one after another, whole names, globs, and the beginnings of run ids. A glob that
    matches all members of one family, or only models of one, means their mean. Raises `UsageError`
    where nothing or several models match.
    """
    if whole := _family(found, lambda label: label == name):
        return whole
    tests: tuple[Callable[[Subject], bool], ...] = (
        lambda each: name == each.label,
        lambda each: name in _names(each),
        lambda each: any(fnmatchcase(text, name) for text in _names(each)),
        lambda each: _has_run(each, name),
    )
    for test in tests:
        if matching := [each for each in found if test(each)]:
            return _only_side(matching, found, name)
    known = listed(sorted({each.label for each in found}), most=8)
    raise UsageError(f"no model {name!r} among the chosen runs; there are {known}")


def _only_side(matching: Sequence[Subject], found: Sequence[Subject], name: str) -> Side:
    if len(matching) == 1:
        return Side(label=matching[0].label, members=tuple(matching))
    of_them = families(matching)
    if len(of_them) == 1 and len(of_them[0].members) == len(matching):
        # A name that means some seeds of a family is the name of what is compared.
        is_whole = any(of_them[0].members == each.members for each in families(found))
        label = of_them[0].label if is_whole else name
        return Side(label=label, members=of_them[0].members)
    labels = listed([each.label for each in matching], most=8)
    raise UsageError(
        f"{name!r} means {counted(len(matching), 'model')}: {labels}; name one, or the seeds of "
        "one family (--score and --source choose among runs of one model)"
    )


def _family(found: Sequence[Subject], is_meant: Callable[[str], bool]) -> Side | None:
    meant = [each for each in families(found) if is_meant(each.label)]
    return Side(label=meant[0].label, members=meant[0].members) if len(meant) == 1 else None


def _names(subject: Subject) -> set[str]:
    names = {subject.model_name, subject.label}
    for record in subject.records:
        names |= {record.model.reference, record.model.size_family}
    if subject.membership:
        names.add(subject.membership.family)
    return names - {""}


def _has_run(subject: Subject, digits: str) -> bool:
    is_id = len(digits) >= LEAST_DIGITS
    return is_id and any(record.run_id.startswith(digits.lower()) for record in subject.records)
