"""`pommel.testing.check_model`: what it finds; and a new kind of model, as CONTRIBUTING says."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.earlier.running import pommel
from tests.word_model import only_in

from pommel.errors import ModelError, UsageError
from pommel.models.kinds import KINDS
from pommel.models.model import Model, ModelInfo, Policy, Spans
from pommel.models.registry import load_model
from pommel.surprisal import ScoredSentence
from pommel.testing import SENTENCES, ContractError, check_model

Answers = Iterator[tuple[int, ScoredSentence]]
# What is asked of a sound model, and how its answers are spoiled.
Fault = Callable[[Model, Sequence[str], Policy, Sequence[Spans | None] | None], Answers]


@dataclass(frozen=True, slots=True)
class Faulty:
    """A model of made-up numbers with a fault."""

    fault: Fault
    info: ModelInfo = field(default_factory=lambda: load_model("dummy://").info)

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Answers:
        return self.fault(load_model("dummy://"), sentences, policy, spans)


def changed(scored: ScoredSentence, place: int, **values: object) -> ScoredSentence:
    """Return the sentence with another token at a place."""
    tokens = [*scored.tokens]
    tokens[place] = replace(tokens[place], **values)  # type: ignore[arg-type]
    return replace(scored, tokens=tuple(tokens))


def sound(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score(sentences, policy)


def twice(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    yield from model.score(sentences[:2], policy)
    yield from model.score(sentences[:2], policy)


def one_less(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score(sentences[:-1], policy)


def other_text(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score([text.lower() for text in sentences], policy)


def shifted(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    for index, scored in model.score(sentences, policy):
        yield index, changed(scored, 1, start=scored.tokens[1].start - 2)


def silent(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    for index, scored in model.score(sentences, policy):
        yield index, only_in(scored, [(4, 5)])


def by_company(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    for index, scored in model.score(sentences, policy):
        yield index, changed(scored, 0, surprisal_bits=float(len(sentences)))


def by_order(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    for index, scored in model.score(sentences, policy):
        bits = float(index) if len(sentences) > 1 else 0.0
        yield index, changed(scored, 0, surprisal_bits=bits * (len(sentences) == len(SENTENCES)))


def by_part(
    model: Model, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None
) -> Answers:
    for index, scored in model.score(sentences, policy):
        asked = None if spans is None else spans[index]
        yield index, changed(scored, -1, surprisal_bits=0.0) if asked else only_in(scored, asked)


def too_little(
    model: Model, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None
) -> Answers:
    for index, scored in model.score(sentences, policy):
        yield index, only_in(scored, None if spans is None else ())


def no_end(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score(sentences, replace(policy, eos="never"))


def always_an_end(model: Model, sentences: Sequence[str], policy: Policy, _: object) -> Answers:
    return model.score(sentences, replace(policy, eos="always"))


def no_zero(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score(sentences, replace(policy, first_token="unscored"))


def any_method(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    return model.score(sentences, replace(policy, method="auto"))


def own_error(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
    if policy.method != "auto":
        raise UsageError("no")
    return model.score(sentences, policy)


def looks_ahead(model: Model, sentences: Sequence[str], policy: Policy, _: object) -> Answers:
    for index, scored in model.score(sentences, replace(policy, method="auto")):
        yield index, changed(scored, 0, surprisal_bits=float(len(scored.text)))


CAUSAL = replace(load_model("dummy://").info, methods=("causal",))


def only_causal(model: Model, sentences: Sequence[str], policy: Policy, spans: object) -> Answers:
    if policy.method == "causal":
        policy = replace(policy, method="auto")
    return sound(model, sentences, policy, spans)


def cuts_long_ones(model: Model, sentences: Sequence[str], policy: Policy, _: object) -> Answers:
    return only_causal(model, sentences, policy, None)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (twice, "score() yields the index 0 twice"),
        (one_less, f"score() leaves out sentence {len(SENTENCES) - 1}, {SENTENCES[-1]!r}"),
        (other_text, "score() answers 'the dog barks.' where 'The dog barks.' was asked for"),
        (shifted, "the tokens are not the sentence's: token 'dog' has the offsets 2-7, which do "),
        (silent, "a token of 'The dog barks.' has no surprisal, and was asked for"),
        (
            by_company,
            "'The dog barks.' has other surprisals alone: 'The' 1 bits instead of 'The' 9 bits",
        ),
        (by_order, "'The dog that the cats chase barks loudly.' has other surprisals alone: "),
        (by_part, "'The dog barks.' has other surprisals when a part of it is asked for: '.' 0 "),
        (too_little, "a token of 'The dog barks.' has no surprisal, and was asked for at [(13, "),
        (no_end, "eos=always: no token ends 'The dog barks.' with the role eos"),
        (always_an_end, "eos=never: a mark ends 'The dog barks.' all the same"),
        (no_zero, "'The dog barks.' has other surprisals under bos=never, first_token=zero: 'The'"),
        (any_method, "the method 'causal' is not among info.methods, and taken"),
        (own_error, "the method 'causal' raises UsageError, no UnsupportedFeatureError: no"),
    ],
)
def test_a_fault_is_told_with_an_example(fault: Fault, message: str) -> None:
    with pytest.raises(ContractError) as raised:
        check_model(Faulty(fault))
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("changes", "fault", "message"),
    [
        ({"details": {"weights": {1, 2}}}, sound, "info.to_dict() is no JSON: "),
        ({"fingerprint": ""}, sound, "info has no fingerprint: "),
        ({"methods": ("guess",)}, sound, "info.methods has 'guess', which is no method"),
        ({"methods": ("causal",)}, sound, "the method 'causal' is among info.methods, and refused"),
        ({"methods": ("causal",)}, looks_ahead, "the method 'pll' is not among info.methods, and "),
        ({"max_tokens": 4}, sound, "5 times 'The' is no ModelError, and info.max_tokens is 4"),
    ],
)
def test_what_a_model_says_of_itself_has_to_be_so(
    changes: dict[str, object], fault: Fault, message: str
) -> None:
    info = replace(load_model("dummy://").info, **changes)  # type: ignore[arg-type]
    with pytest.raises(ContractError, match=f"^{re.escape(message)}"):
        check_model(Faulty(fault, info))


def test_a_model_that_reads_from_left_to_right_sees_nothing_else() -> None:
    def ahead(model: Model, sentences: Sequence[str], policy: Policy, _spans: object) -> Answers:
        for index, scored in only_causal(model, sentences, policy, None):
            yield index, changed(scored, 0, surprisal_bits=float(len(scored.text)))

    with pytest.raises(ContractError) as raised:
        check_model(Faulty(ahead, CAUSAL))
    assert str(raised.value) == (
        "'The' 14 bits in 'The dog barks.' and 'The' 41 bits in "
        "'The dog that the cats chase barks loudly.', after the same tokens"
    )
    check_model(Faulty(only_causal, CAUSAL))


# --- CONTRIBUTING.md, "Add a kind of model", step by step

REPOSITORY = Path(__file__).parents[1]
TEMPLATE = REPOSITORY / "tests" / "models" / "template.py"


def steps() -> list[str]:
    """Return the files that CONTRIBUTING names for a new kind of model."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    section = text.split("## Add a kind of model")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def test_a_new_kind_is_a_file_and_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps() == [
        "runner/pommel/models/KIND.py",
        "runner/pommel/models/kinds.py",
        "tests/models/test_KIND.py",
        "docs/models.md",
    ]
    # The file, copied from the template, and the line.
    (tmp_path / "copied_kind.py").write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "copied_kind", raising=False)
    monkeypatch.setitem(KINDS, "unigram", "copied_kind")
    counts = tmp_path / "counts.txt"
    counts.write_text("the 70\ndog 8\nbarks 1\n", "utf-8")
    # Its test.
    model = load_model(f"unigram://{counts}")
    check_model(model)
    with pytest.raises(ModelError, match="no marks"):
        list(model.score(["the dog"], Policy(bos="always")))
    # Nothing else is to be done for the commands and for families.
    listed = pommel("models", "list").stdout
    assert "  unigram://FILE                 words by their frequency\n" in listed
    other = tmp_path / "other.txt"
    other.write_text("the 1\n", "utf-8")
    family = f"unigram://{tmp_path}/*.txt"
    done = pommel(
        "run", family, "number_prep", "--no-store", "--table", "suites", "--format", "tsv"
    )
    assert done.status == 0, done.stderr
    _, *rows = (line.split("\t") for line in done.stdout.splitlines())
    assert {Path(row[0]).name for row in rows} == {"counts", "other"}
