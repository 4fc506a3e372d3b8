"""Gates: what scores must reach for a command to end well, as people and CI systems are told."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import click

from pommel.analysis import grouped
from pommel.cli.option_groups import File, Options, option
from pommel.cli.output import say_wrong
from pommel.cli.selecting import named_heads
from pommel.errors import PommelError, UsageError, counted, listed, nearest, printable
from pommel.files import write_text
from pommel.models import Membership
from pommel.scoring import Choices, Run, RunRecord, SuiteResult
from pommel.statistics import mean_score
from pommel.store import Store
from pommel.suite import Suite
from pommel.values import frozen

# A mean of the same shares may end in other digits.
_ROUNDING = 1e-9

Outcome = Literal["held", "failure", "skipped", "error"]


class GateError(PommelError):
    """A gate has failed: a score is too low, or worse than one that was kept."""

    exit_status = 5


@frozen
class Check:
    """What was found of a model: of a suite, a circuit or the SG score, or in a comparison.

    `outcome` is called as JUnit's elements are; "error" is a model that has failed.
    """

    model: str
    about: str
    said: str
    outcome: Outcome = "held"

    @property
    def title(self) -> str:
        """What was looked at, in one line; suites with surprisals need not say whose these are."""
        return printable(", ".join(filter(None, (self.model, self.about))))

    @classmethod
    def of_score(cls, model: str, about: str, score: float, least: float | None) -> "Check":
        """Check a score; without a least one it holds, and is skipped where it has no items."""
        has_none = math.isnan(score)
        said = "no items" if has_none else f"{score:.6g}"
        if least is None:
            outcome: Outcome = "skipped" if has_none else "held"
        elif score >= least - _ROUNDING:
            outcome, said = "held", f"{said}, at least {least:g}"
        else:
            outcome, said = "failure", f"{said} is below {least:g}"
        return cls(model=model, about=about, said=said, outcome=outcome)


@frozen
class Threshold:
    """The least that scores may be: of suites or circuits whose names fit, or SG scores.

    With `is_last` it is about the last step of each family alone. `text` is how it was written.
    """

    text: str
    level: str
    pattern: str
    is_last: bool
    least: float

    @classmethod
    def of(cls, text: str) -> "Threshold":
        """Read `[last:]suite[:NAME]|circuit[:NAME]|sg=X`, or X alone; raises `ValueError`."""
        what, _, number = text.rpartition("=")
        is_last = f"{what}:".startswith("last:")
        level, colon, pattern = (what[len("last:") :] if is_last else what).partition(":")
        levels = ("suite", "circuit") if colon else ("", "suite", "circuit", "sg")
        least = float(number)
        if level not in levels or bool(colon) != bool(pattern) or not 0 <= least <= 1:
            raise ValueError(text)
        level = level or "suite"
        return cls(text=text, level=level, pattern=pattern, is_last=is_last, least=least)

    def fits(self, suite: str, circuit: str) -> bool:
        """Say whether a suite, one of a circuit or of none, has a part in it."""
        name = circuit if self.level == "circuit" else suite
        return bool(name) and RunRecord.fits(self.pattern or "*", [name])

    def check_names(self, suites: Sequence[tuple[str, str]], *, has_steps: bool) -> None:
        """Raise `UsageError` where none of these suites, with their circuits, has a part in it."""
        if self.is_last and not has_steps:
            raise UsageError(f"--fail-under {self.text}: no model is a step of a family")
        if not any(self.fits(*each) for each in suites):
            kind = "circuit" if self.level == "circuit" else "suite"
            names = {each[kind == "circuit"] for each in suites} - {""}
            meant = nearest(self.pattern, names)
            there = f"there are {listed(sorted(names), most=8)}" if names else "there is none"
            hint = f"did you mean {meant!r}?" if meant else there
            what = f"{kind} {self.pattern!r}" if self.pattern else kind
            raise UsageError(f"--fail-under {self.text}: no {what} with predictions; {hint}")

    def checks(self, results: Sequence[SuiteResult]) -> Iterator[Check]:
        """Yield what is found of each model."""
        found = [each for each in results if self.fits(each.suite_name, each.circuit)]
        if self.is_last:
            last = Membership.last_steps(each.membership for each in found)
            found = [each for each in found if each.membership in last]
        parts = grouped(found, lambda each: (each.model_name, _ABOUT[self.level](each)))
        for (model, about), own in parts.items():
            yield Check.of_score(model, about, mean_score(each.score for each in own), self.least)


_ABOUT: Mapping[str, Callable[[SuiteResult], str]] = {
    "suite": lambda each: each.suite_name,
    "circuit": lambda each: f"circuit {each.circuit}",
    "sg": lambda _: "SG score",
}


class _Written(click.types.StringParamType):
    """A threshold, as `Threshold.of` reads it."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        try:
            return Threshold.of(str(value))
        except ValueError:
            hint = "write a share from 0 to 1, or what it is of before it: suite:NAME=0.8, sg=0.8"
            self.fail(f"{value!r}: {hint}", param, ctx)


class GateOptions(Options, title="Gates"):
    """What scores must reach, and how a CI system is told."""

    fail_under: tuple[Annotated[Threshold, _Written()], ...] = option(
        metavar="[WHAT=]X",
        multiple=True,
        help="Exit with status 5 if a score is below X: that of each suite, or of WHAT: "
        "suite[:NAME], circuit[:NAME], or sg, the mean over suites. NAME may be a pattern. "
        "last:WHAT is about the last step of a family alone. Repeatable.",
    )
    junit: File | None = option(
        metavar="FILE", help="Write scores and what has failed as JUnit XML, too."
    )
    annotations: Literal["github"] | None = option(
        help="Say what has failed on standard error as GitHub Actions reads it, too."
    )

    def check_names(self, suites: Iterable[Suite | SuiteResult], *, has_steps: bool) -> None:
        """Raise `UsageError` for a gate that nothing would go through."""
        named = [
            (each.name if isinstance(each, Suite) else each.suite_name, each.circuit)
            for each in suites
            if each.predictions
        ]
        for each in self.fail_under:
            each.check_names(named, has_steps=has_steps)

    def check_gates(self, results: Sequence[SuiteResult]) -> None:
        """Tell CI systems what was found, and raise `GateError` for what has failed."""
        members = [each.membership for each in results if each.membership]
        self.check_names(results, has_steps=any(each.is_ordered for each in members))
        if failed := self.failed_gates(results):
            raise failed

    def failed_gates(
        self, results: Iterable[SuiteResult], more: Iterable[Check] = ()
    ) -> GateError | None:
        """Tell CI systems what was found, with `more`; return the error for what has failed."""
        scored = [each for each in results if each.predictions]
        of_gates = [check for each in self.fail_under for check in each.checks(scored)]
        shown = [
            Check.of_score(each.model_name, each.suite_name, each.score, None) for each in scored
        ]
        # Of several on the same score, one that has failed counts.
        of_gates = sorted([*of_gates, *more], key=lambda each: each.outcome == "failure")
        checks = {(each.model, each.about): each for each in [*shown, *of_gates]}
        wrong = [each for each in checks.values() if each.outcome in ("failure", "error")]
        if self.junit:
            write_text(self.junit, _junit([*checks.values()]))
        for each in wrong if self.annotations else ():
            say_wrong(_github(each))
        failed = [each for each in wrong if each.outcome == "failure"]
        lines = [f"- {each.title}: {each.said}" for each in failed]
        message = "\n".join((f"{counted(len(lines), 'gate')} failed:", *lines))
        return GateError(message) if failed else None


def _junit(checks: Sequence[Check]) -> str:
    """Return a test suite a model and a test case a check, as Jenkins' schema has them."""
    from xml.etree import ElementTree as ET

    root = ET.Element("testsuites", {"name": "pommel", **_counts(checks)})
    root.attrib.pop("skipped")
    for model, own in grouped(checks, lambda each: printable(each.model)).items():
        suite = ET.SubElement(root, "testsuite", {"name": model, **_counts(own)})
        for each in own:
            said = printable(each.said, has_lines=True)
            place = {"classname": model, "name": printable(each.about)}
            case = ET.SubElement(suite, "testcase", place)
            if each.outcome == "held":
                ET.SubElement(case, "system-out").text = said
            else:
                ET.SubElement(case, each.outcome, {"message": said})
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    n = Counter(each.outcome for each in checks)
    counts = {"failures": n["failure"], "errors": n["error"], "skipped": n["skipped"]}
    return {"tests": str(len(checks)), **{name: str(each) for name, each in counts.items()}}


def _github(check: Check) -> str:
    """Return a workflow command; what a name holds cannot end it, nor begin another."""
    title = _escaped(check.title, "%\r\n:,")
    said = _escaped(check.said, "%\r\n")
    return f"::error title={title}::{said}"


def _escaped(text: str, special: str) -> str:
    return "".join(f"%{ord(each):02X}" if each in special else each for each in text)


class ComparedOptions(GateOptions, title="Gates"):
    """The same, and what kept scores must not be better than."""

    not_worse_than: str | None = option(
        metavar="RUN",
        help="Exit with status 5 if a model's SG score is below that of RUN, by a paired test on "
        "the same items (one-sided, 5%): a model in the store, or the id of a run.",
    )
    margin: float = option(
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
        metavar="M",
        help="By how much it may be below.",
    )

    def kept_records(
        self, store: Store | None, suites: Sequence[Suite], choices: Choices
    ) -> list[RunRecord]:
        """Return the kept runs on these suites, as they are run now, to compare models with.

        None without the option. Raises `UsageError` where a suite has none, and where they are of
        several models.
        """
        if (name := self.not_worse_than) is None:
            return []
        if store is None:
            raise UsageError("--not-worse-than needs the store; leave out --no-store")
        # Imported where it is asked for: most runs are compared with nothing.
        from pommel.analysis import Comparison

        as_run = map(choices.as_run, suites)
        wanted = {each.sha256: each.name for each in as_run if each.predictions}
        heads = [
            each
            for each in named_heads(name, store.runs.heads())[1]
            if each.suite.sha256 in wanted and each.result.score_rule == choices.result_rule
        ]
        there = {each.suite.sha256 for each in heads}
        if lacking := [each for sha256, each in wanted.items() if sha256 not in there]:
            raise UsageError(
                f"--not-worse-than {name}: no run on {listed(lacking)} as it is now, with --score "
                f"{choices.score_rule}; run it there first"
            )
        found = store.runs.newest(heads).records
        kept = store.runs.records_of([each.run_id for each in found])
        # A name of several models is better known before one has run.
        Comparison.kept_side(kept, name)
        return kept

    def compared(self, runs: Iterable[Run], kept: Sequence[RunRecord]) -> Iterator[Check]:
        """Yield what comes of the comparison of each model with kept runs, if there are any."""
        if not kept:
            return
        from pommel.analysis import Comparison

        side = Comparison.kept_side(kept, str(self.not_worse_than))
        records = [RunRecord.of(run) for run in runs if run.result.predictions]
        for model, own in grouped(records, lambda each: each.result.model_name).items():
            try:
                is_below, said = Comparison.with_kept(own, side).shortfall(self.margin)
            except UsageError as error:
                # They have no item in common, such as where one of the two skips all.
                is_below, said = True, str(error)
            outcome: Outcome = "failure" if is_below else "held"
            about = f"not worse than {side.label}"
            yield Check(model=model, about=about, said=said, outcome=outcome)
