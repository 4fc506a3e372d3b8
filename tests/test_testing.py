"""`pommel.testing.check_model`: what it finds; and a new kind of model, as CONTRIBUTING says."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.earlier.running import pommel
from tests.word_model import only_in

from pommel.errors import ModelError, UsageError
from pommel.models.kinds import KINDS
from pommel.models.model import Method, Model, ModelInfo, Policy, Spans
from pommel.models.registry import load_model
from pommel.surprisal import ScoredSentence
from pommel.testing import SENTENCES, ContractError, check_model

Answers = Iterator[tuple[int, ScoredSentence]]
Asked = Sequence[Spans | None] | None
# What is asked of a sound model, and how its answers are spoiled.
Fault = Callable[[Model, Sequence[str], Policy, Asked], Answers]


@dataclass(frozen=True, slots=True)
class Faulty:
    """A model of made-up numbers with a fault."""

    fault: Fault
    info: ModelInfo = field(default_factory=lambda: load_model("dummy://").info)

    def score(self, sentences: Sequence[str], policy: Policy, spans: Asked = None) -> Answers:
        return self.fault(load_model("dummy://"), sentences, policy, spans)


def with_bits(scored: ScoredSentence, place: int, bits: float) -> ScoredSentence:
    """Return the sentence with another surprisal at a place."""
    tokens = [*scored.tokens]
    tokens[place] = replace(tokens[place], surprisal_bits=bits)
    return replace(scored, tokens=tuple(tokens))


def under(**choices: Any) -> Fault:
    """Whatever the policy says, some of it is always the same."""
    return lambda model, sentences, policy, _: model.score(sentences, replace(policy, **choices))


def each(change: Callable[[ScoredSentence, int, int, Spans | None], ScoredSentence]) -> Fault:
    """Change answers by their index, the number of sentences, and what is asked of them."""

    def fault(model: Model, sentences: Sequence[str], policy: Policy, spans: Asked) -> Answers:
        for index, scored in model.score(sentences, policy):
            asked = None if spans is None else spans[index]
            yield index, change(scored, index, len(sentences), asked)

    return fault


def asking(other: Callable[[Sequence[str]], Sequence[str]]) -> Fault:
    """The model is asked for other sentences."""
    return lambda model, sentences, policy, _: model.score(other(sentences), policy)


def twice(model: Model, sentences: Sequence[str], policy: Policy, _: Asked) -> Answers:
    yield from model.score(sentences[:2], policy)
    yield from model.score(sentences[:2], policy)


def shift(scored: ScoredSentence, *_: object) -> ScoredSentence:
    first, second, *others = scored.tokens
    return replace(scored, tokens=(first, replace(second, start=second.start - 2), *others))


def own_error(model: Model, sentences: Sequence[str], policy: Policy, _: Asked) -> Answers:
    if policy.method != "auto":
        raise UsageError("no")
    return model.score(sentences, policy)


def only_causal(model: Model, sentences: Sequence[str], policy: Policy, _: Asked) -> Answers:
    method: Method = "auto" if policy.method == "causal" else policy.method
    return model.score(sentences, replace(policy, method=method))


def looks_ahead(model: Model, sentences: Sequence[str], policy: Policy, _: Asked) -> Answers:
    for index, scored in only_causal(model, sentences, policy, None):
        yield index, with_bits(scored, 0, len(scored.text))


SOUND = under()
SILENT = each(lambda scored, *_: only_in(scored, [(4, 5)]))
BY_COMPANY = each(lambda scored, _, n, __: with_bits(scored, 0, n))
BY_PART = each(
    lambda scored, _, __, asked: with_bits(scored, -1, 0) if asked else only_in(scored, asked)
)
TOO_LITTLE = each(lambda scored, _, __, asked: only_in(scored, None if asked is None else ()))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (twice, "score() yields the index 0 twice"),
        (
            asking(lambda texts: texts[:-1]),
            f"score() leaves out sentence {len(SENTENCES) - 1}, {SENTENCES[-1]!r}",
        ),
        (
            asking(lambda texts: [text.lower() for text in texts]),
            "score() answers 'the dog barks.' where 'The dog barks.' was asked for",
        ),
        (
            each(shift),
            "the tokens are not the sentence's: token 'dog' has the offsets 2-7, which do ",
        ),
        (SILENT, "a token of 'The dog barks.' has no surprisal, and was asked for"),
        (
            BY_COMPANY,
            "'The dog barks.' has other surprisals alone: 'The' 1 bits instead of 'The' 9 bits",
        ),
        (BY_PART, "'The dog barks.' has other surprisals when a part of it is asked for: '.' 0 "),
        (TOO_LITTLE, "a token of 'The dog barks.' has no surprisal, and was asked for at [(13, "),
        (under(eos="never"), "eos=always: no token ends 'The dog barks.' with the role eos"),
        (under(eos="always"), "eos=never: a mark ends 'The dog barks.' all the same"),
        (
            under(first_token="unscored"),
            "'The dog barks.' has other surprisals under bos=never, first_token=zero",
        ),
        (under(method="auto"), "the method 'causal' is not among info.methods, and taken"),
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
        ({"details": {"weights": {1, 2}}}, SOUND, "info.to_dict() is no JSON: "),
        ({"fingerprint": ""}, SOUND, "info has no fingerprint: "),
        ({"methods": ("guess",)}, SOUND, "info.methods has 'guess', which is no method"),
        ({"methods": ("causal",)}, SOUND, "the method 'causal' is among info.methods, and refused"),
        ({"max_tokens": 4}, SOUND, "5 times 'The' is no ModelError, and info.max_tokens is 4"),
    ],
)
def test_what_a_model_says_of_itself_has_to_be_so(
    changes: dict[str, object], fault: Fault, message: str
) -> None:
    info = replace(load_model("dummy://").info, **changes)  # type: ignore[arg-type]
    with pytest.raises(ContractError, match=f"^{re.escape(message)}"):
        check_model(Faulty(fault, info))


def test_a_model_that_reads_from_left_to_right_sees_nothing_else() -> None:
    causal = replace(load_model("dummy://").info, methods=("causal",))
    with pytest.raises(ContractError) as raised:
        check_model(Faulty(looks_ahead, causal))
    assert str(raised.value) == (
        "'The' 14 bits in 'The dog barks.' and 'The' 41 bits in "
        "'The dog that the cats chase barks loudly.', after the same tokens"
    )
    check_model(Faulty(only_causal, causal))


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
