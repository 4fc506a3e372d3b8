"""What is kept of a run, and told of others' results: the result, and what is known about it."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Literal, cast

from pommel.models import ModelInfo, Named, Policy
from pommel.scoring.choices import Choices, Punctuation, Swallowed
from pommel.scoring.results import SuiteResult
from pommel.scoring.run import NeededSentences, Run, SuiteSurprisals
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

RunStatus = Literal["complete", "interrupted"]

# What tells a suite from others: its language, since suites in several languages may share a name.
SuiteKey = tuple[str, str]

# A model's name, and in brackets what tells it from others of the name.
_TOLD_APART = re.compile(r"(.+) \((.+?)\)", re.DOTALL)


@frozen
class ModelFacts:
    """What is known of a model beside its name; "" or None where it is not known.

    `family` are models of one kind in several sizes ("BLOOM"), which `pommel.models.family` has no
    say in: its families are one model in several seeds or steps.
    """

    reference: str = ""
    kind: str = ""
    fingerprint: str = ""
    n_parameters: int | None = None
    size_family: str = ""

    @classmethod
    def of(cls, info: ModelInfo) -> "ModelFacts":
        """Return what a record keeps of a model."""
        return cls(
            reference=info.reference,
            kind=info.kind,
            fingerprint=info.fingerprint,
            n_parameters=info.n_parameters,
        )


@frozen
class SuiteFacts:
    """What is known of a suite beside its name and circuit; "" or None where it is not known.

    `modifier_of` names the suite that this one is with intervening material; `complexity` orders
    suites by how much of it there is. `group` is what suites of several languages have in common
    (a construction), or a term that paradigms belong to. `chance` is the share of items on which
    the counted predictions (under the score rule "each", each of them) hold by chance, for results
    whose formulas nobody tells; where there are formulas, these say it. `first_items_of` says that
    these are the first items only, and of how many (`Suite.first_items`).
    """

    language: str = ""
    modifier_of: str = ""
    group: str = ""
    complexity: float | None = None
    version: str = ""
    sha256: str = ""
    chance: float | None = None
    first_items_of: int | None = None

    @classmethod
    def of(cls, suite: Suite) -> "SuiteFacts":
        """Return what a record keeps of a suite."""
        complexity = suite.meta.get("complexity")
        if isinstance(complexity, bool) or not isinstance(complexity, int | float):
            complexity = None
        return cls(
            language=suite.language,
            modifier_of=suite.modifier_of,
            group=str(suite.meta.get("group") or ""),
            complexity=complexity,
            version=suite.version,
            sha256=suite.sha256,
            first_items_of=suite.first_items_of,
        )


@frozen
class RunRecord:
    """One model x one suite x one policy, and what came out.

    `run_id` is the same for the same model under the same name in the same family, suite, policy
    and settings (see `id_of`).
    `policy` is `Policy.to_dict()` with its fingerprint, or empty where it is not known; `settings`
    the choices that are in neither (`Choices.settings`).
    `source` is "pommel", or what others' results were imported as. `created` is a time in UTC
    (ISO 8601). Of a run that is interrupted, the result has no predictions.
    """

    # The source of what pommel has computed itself.
    OWN: ClassVar[str] = "pommel"

    run_id: str
    result: SuiteResult
    model: ModelFacts = ModelFacts()
    suite: SuiteFacts = SuiteFacts()
    policy: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    source: str = OWN
    status: RunStatus = "complete"
    created: str = ""

    @property
    def suite_key(self) -> SuiteKey:
        """What tells its suite from others."""
        return self.suite.language, self.result.suite_name

    @classmethod
    def of(cls, run: Run) -> "RunRecord":
        """Return the record of a run."""
        if isinstance(run, _LateRun):
            return run.find()
        surprisals, provenance = run.surprisals, run.result.provenance
        settings = {
            "compat": str(provenance.get("compat") or ""),
            "oov": str(provenance.get("oov") or "keep"),
        }
        # Those of an older result, without that choice, are as they were: so is its run's id.
        if "swallowed" in provenance:
            settings["swallowed"] = provenance["swallowed"]
        if "punctuation" in provenance:
            settings["punctuation"] = provenance["punctuation"]
        if "verdicts" in provenance:
            settings["verdicts"] = provenance["verdicts"]["dtype"]
        policy = replace(surprisals.policy, method=surprisals.method)
        kept = cls._of_result(run.result, surprisals.model, surprisals.suite, policy, settings)
        return replace(kept, created=str(provenance.get("date") or ""))

    @classmethod
    def begun(
        cls, model: ModelInfo, suite: Suite, choices: Choices, *, called: Named
    ) -> "RunRecord":
        """Return the record of a run that has begun; until it is complete, it has no predictions.

        Raises `UnsupportedFeatureError` for a method that the model does not take.
        """
        result = SuiteResult(
            suite_name=suite.name,
            circuit=suite.circuit,
            model_name=called.name,
            score_rule=choices.result_rule,
            item_numbers=(),
            predictions=(),
            membership=called.membership,
        )
        meant = replace(choices.policy, method=model.resolved_method(choices.policy))
        settled = {"verdicts": str(choices.verdicts)} if choices.settles(model) else {}
        kept = cls._of_result(result, model, suite, meant, choices.settings | settled)
        return replace(kept, status="interrupted")

    @classmethod
    def _of_result(
        cls,
        result: SuiteResult,
        model: ModelInfo,
        suite: Suite,
        policy: Policy,
        settings: Mapping[str, str],
    ) -> "RunRecord":
        """Return the record of a run; `policy` names the method that it means."""
        member, facts = result.membership, SuiteFacts.of(suite)
        decisive = {
            "model": model.fingerprint,
            # A model that ran alone, and in two families, is three runs, none of which takes
            # another's place. By which path it was reached makes no difference.
            "name": result.model_name.encode("utf-8", "backslashreplace").decode(),
            "family": [member.family, member.axis, member.label] if member else None,
            "suite": facts.sha256,
            "policy": policy.fingerprint,
            "score_rule": result.score_rule,
            **settings,
        }
        return cls(
            run_id=cls.id_of(decisive),
            result=result,
            model=ModelFacts.of(model),
            suite=facts,
            policy={**policy.to_dict(), "fingerprint": policy.fingerprint},
            settings=settings,
        )

    @staticmethod
    def id_of(decisive: Mapping[str, Any]) -> str:
        """Return the first 12 hex digits of the SHA-256 over canonical JSON."""
        canonical = json.dumps(decisive, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    @property
    def how_scored(self) -> Mapping[str, Any]:
        """The provenance of its surprisals: that of the result without what predictions ask for."""
        chosen = {"score_rule", "oov", "swallowed", "failed"}
        provenance = self.result.provenance
        return {key: value for key, value in provenance.items() if key not in chosen}

    @property
    def failed(self) -> dict[str, ScoredSentence]:
        """The sentences at which the model has failed."""
        failed = self.result.provenance.get("failed", {})
        return {
            text: ScoredSentence(text=text, tokens=(), failure=why) for text, why in failed.items()
        }

    def needed(self, suite: Suite) -> NeededSentences:
        """Return what a run like this looks at in any suite."""
        scored = self.result.provenance
        model = replace(ModelInfo.from_dict(scored["model"]), name=self.result.model_name)
        policy = Policy(**{k: v for k, v in scored["policy"].items() if k != "fingerprint"})
        choices = replace(self.choices, policy=policy, regions="needed")
        return NeededSentences.of(suite, model, choices)

    def surprisals(
        self, needed: NeededSentences, sentences: Mapping[str, ScoredSentence]
    ) -> SuiteSurprisals:
        """Return the surprisals of a suite, whose sentences the model has scored in this run."""
        scored = self.how_scored
        return SuiteSurprisals.from_sentences(
            needed, sentences, method=scored["method"], provenance=scored
        )

    def renamed(self, called: Named) -> "RunRecord":
        """Return a record whose model is called something else."""
        result, name, member = self.result, called.name, called.membership
        if (name, member) == (result.model_name, result.membership):
            return self
        return replace(self, result=replace(result, model_name=name, membership=member))

    @staticmethod
    def late(
        find: "Callable[[], RunRecord]", read: "Read", notes: Sequence[str] | None = None
    ) -> Run:
        """Return a run that holds nothing: its record is found, and then its surprisals are read.

        Both each time when they are looked at. `notes` are those of the run, if they are known,
        without the name of the model that they begin with.
        """
        return _LateRun(find, read, notes)

    @property
    def choices(self) -> Choices:
        """By what its predictions were counted; how it was scored is said by `policy`."""
        return Choices(
            compat="syntaxgym" if self.settings.get("compat") else None,
            score_rule=self.result.score_rule,
            oov="skip" if self.settings.get("oov") == "skip" else "keep",
            # What a store keeps has been checked before it was kept, and `Choices` checks again.
            swallowed=cast("Swallowed", self.choice("swallowed") or "begin"),
            punctuation=cast("Punctuation", self.choice("punctuation") or "apart"),
        )

    @property
    def is_own(self) -> bool:
        """Whether pommel has computed it itself; otherwise it was imported."""
        return self.source == RunRecord.OWN

    @property
    def model_names(self) -> list[str]:
        """What the model is known by: name, reference, family and its pattern, family of sizes."""
        result, member = self.result, self.result.membership
        of_family = (member.family, member.pattern) if member else ()
        names = (result.model_name, self.model.reference, *of_family, self.model.size_family)
        return [*filter(None, names)]

    @staticmethod
    def fits(pattern: str, names: Iterable[str]) -> bool:
        """Say whether a pattern is one of the names, or fits one; names may have brackets, too."""
        return any(name == pattern or fnmatchcase(name, pattern) for name in names)

    def is_called(self, pattern: str) -> bool:
        """Say whether a pattern fits a name of the model, also with what tables tell it apart by.

        That is what is known of it, in brackets behind the name: `lstm://model (dtype=bfloat16)`,
        `lstm://model (875b05d7)`.
        """
        if RunRecord.fits(pattern, self.model_names):
            return True
        told = _TOLD_APART.fullmatch(pattern)
        if told is None:
            return False
        return all(map(self._is_true, told[2].split(", "))) and self.is_called(told[1])

    def _is_true(self, mark: str) -> bool:
        """Say whether what tells models of one name apart is true of this one."""
        key, equals, value = mark.partition("=")
        facts = {"checkpoint": "", **self.facts, **self.loaded_as}
        if equals and key in facts:
            # Of fingerprints, tables have the beginning.
            shown = facts[key][: len(value)] if key == "fingerprint" else facts[key]
            return (shown or "none") == value
        member = self.result.membership
        families = {member.family, member.pattern} if member else {"alone"}
        known_by = self.model.fingerprint or self.model.reference
        return mark in {self.source, *families} or (bool(known_by) and known_by.startswith(mark))

    @property
    def facts(self) -> dict[str, str]:
        """What tells runs of one model name apart, and what it is called in tables."""
        policy = {key: str(value) for key, value in self.policy.items() if key != "fingerprint"}
        return {
            "score": self.result.score_rule,
            **dict(sorted(policy.items())),
            **dict(sorted(self.settings.items())),
            "dtype": self.loaded_as.get("dtype", ""),
            "source": self.source,
            "fingerprint": self.model.fingerprint,
        }

    @property
    def loaded_as(self) -> Mapping[str, str]:
        """As what its model was loaded under its reference, as far as it is known.

        That is its number format (`dtype`), and the weights in the place of an image's own
        (`checkpoint`).
        """
        model = self.result.provenance.get("model") or {}
        checkpoint = (model.get("details") or {}).get("checkpoint") or {}
        found = {"dtype": model.get("dtype"), "checkpoint": checkpoint.get("name")}
        return {name: str(value) for name, value in found.items() if value}

    @staticmethod
    def telling(facts: Sequence[Mapping[str, str]]) -> list[str]:
        """Return the names of those facts that tell things apart, of which each has its own.

        A fingerprint says nothing to people; it is among them only where others do not suffice.
        """

        def n_told(names: Sequence[str]) -> int:
            return len({tuple(each.get(name, "") for name in names) for each in facts})

        differing = [name for name in dict.fromkeys(chain(*facts)) if n_told([name]) > 1]
        plain = [name for name in differing if name != "fingerprint"]
        return plain if n_told(plain) == len(facts) else differing

    def choice(self, name: str) -> str | None:
        """Return what the policy, the settings or the number format are, None where unknown."""
        settings = {**_OLD_SETTINGS, **self.settings} if self.settings else {}
        value = self.policy.get(name, settings.get(name))
        if name == "dtype":
            value = self.loaded_as.get(name)
        return None if value is None else str(value)


Read = Callable[[RunRecord], SuiteSurprisals]


class _LateRun(Run):
    """A run that `RunRecord.late` has made."""

    find: Callable[[], RunRecord]
    read: Read
    known: Sequence[str] | None

    def __init__(
        self, find: Callable[[], RunRecord], read: Read, known: Sequence[str] | None
    ) -> None:
        self.__dict__.update(find=find, read=read, known=known)

    @property
    def result(self) -> SuiteResult:
        """What came out."""
        return self.find().result

    @property
    def surprisals(self) -> SuiteSurprisals:
        """What the model said."""
        return _surprisals_of(self)

    def renamed(self, called: Named) -> Run:
        """Return a run whose model is called something else."""
        return _LateRun(lambda: self.find().renamed(called), self.read, self.known)

    def notes(self) -> Iterator[str]:
        """Yield the notes that are known, and otherwise those that the tokens give."""
        if self.known is None:
            return super().notes()
        return (self.result.model_name + each for each in self.known)


@lru_cache(maxsize=2)
def _surprisals_of(run: _LateRun) -> SuiteSurprisals:
    # Whoever has looked at a run looks at it again at once, or beside another one.
    return run.read(run.find())


# Of runs from before there was a choice.
_OLD_SETTINGS = {"swallowed": "begin", "punctuation": "apart"}
