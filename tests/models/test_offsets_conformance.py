"""The alignment cases that the retired aligner was run on, each with a verdict on its answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import AlignmentError
from pommel.models.alignment import TokenizerSpec
from pommel.scoring.retired_alignment import assign_as_syntaxgym
from pommel.suite.suite import Condition, Region, Sentence
from pommel.surprisal import Token

Case = Mapping[str, Any]
Regions = dict[str, list[str]]

# Where the retired tool was wrong: what is right.
MENDED: dict[str, tuple[list[list[str]], dict[str, list[str]]]] = {
    "cased spec but lowercased tokens (lm-zoo#55)": ([["the", "painting"], ["fell", "</s>"]], {}),
    "uncased + unk before capitalised region": (
        [["the"], ["<unk>"], ["john"], ["ran"]],
        {"2": ["WEIRD"]},
    ),
    "sentinel final: </w> rstrip bug": ([["new</w>"], ["york</w>"]], {}),
    "ptb quotes not supported": ([["He", "said"], ["``", "hi", "''"], ["now"]], {}),
    "character type with space tokens": ([["h", "i"], [" ", "y", "o"]], {}),
    "offsets: leading empty region, gpt2": ([[], ["This"], ["Ġis"], ["Ġa"]], {}),
}
# Where ours differs by design (the retired tool's own answer is `assign_as_syntaxgym`').
BY_DESIGN: dict[str, tuple[list[list[str]], dict[str, list[str]]]] = {
    "eos goes to trailing empty region": ([["This"], ["is", "</s>"], []], {}),
    "unks spanning two regions": (
        [["This"], ["<unk>"], ["<unk>"], ["is"]],
        {"2": ["FOO"], "3": ["BAR"]},
    ),
    "final unk + eos, more regions of content follow": (
        [["This"], ["<unk>"], ["<unk>", "<eos>"]],
        {"2": ["FOO"], "3": ["BAR"]},
    ),
}


def _layout(case: Case) -> Sentence:
    regions = (
        Region(number=each["region_number"], content=each["content"]) for each in case["regions"]
    )
    return Condition(name="", regions=tuple(regions)).sentence()


def test_what_was_right_stays(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, None, "keep"):
        if case["kind"] != "region_validation":
            ours = _by_region(case, _regions(case, _placed(case)))
            wrong += [] if ours == _expected(case) else [(case["id"], ours, _expected(case))]
    assert wrong == []


def test_what_differs_by_design(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, "trap"):
        ours = _by_region(case, _regions(case, _placed(case)))
        right = _of(case, BY_DESIGN[case["id"]]) if case["id"] in BY_DESIGN else _expected(case)
        wrong += [] if ours == right else [(case["id"], ours, right)]
    assert wrong == []


def test_the_retired_aligner_s_regions_can_be_had(shared_data: Path) -> None:
    wrong = []
    for case in _cases(shared_data, None, "keep", "trap"):
        if case["kind"] == "heuristic":
            theirs = _by_region(case, assign_as_syntaxgym(_layout(case), _placed(case)))
            wrong += [] if theirs == _expected(case) else [(case["id"], theirs, _expected(case))]
    assert wrong == []


def test_what_was_wrong_is_mended(shared_data: Path) -> None:
    wrong = []
    cases = [case for case in _cases(shared_data, "bug") if case["id"] != "content left over"]
    for case in cases:
        ours = _by_region(case, _regions(case, _placed(case)))
        right = _of(case, MENDED[case["id"]])
        wrong += [] if ours == right else [(case["id"], ours, right)]
    assert wrong == []
    assert {case["id"] for case in cases} == set(MENDED)


def test_what_cannot_be_mended_is_told(shared_data: Path) -> None:
    (case,) = (case for case in _cases(shared_data, "bug") if case["id"] == "content left over")
    with pytest.raises(AlignmentError, match="the tokens end before character 4 of the sentence"):
        _placed(case)


def _cases(shared_data: Path, *verdicts: str | None) -> Iterator[Case]:
    document = json.loads((shared_data / "conformance" / "alignment_cases.json").read_text("utf-8"))
    yield from (case for case in document["cases"] if case.get("verdict") in verdicts)


def _placed(case: Case) -> tuple[Token, ...]:
    return _spec(case).places(case["tokens"], case["sentence"])


def _spec(case: Case) -> TokenizerSpec:
    if case["kind"] == "heuristic":
        return TokenizerSpec.from_dict(case["spec"])
    # The cases with offsets come without a spec: their tokens are those of three tokenizers.
    is_sentencepiece = any("▁" in token for token in case["tokens"])
    return TokenizerSpec(
        prefix_types=frozenset({"<s>"}),
        suffix_types=frozenset({"</s>"}),
        sentinel="" if is_sentencepiece else "Ġ",
        sentinel_position="initial",
        metaspace="▁" if is_sentencepiece else "",
    )


def _regions(case: Case, placed: Sequence[Token]) -> list[int | None]:
    """Look the regions up as pommel does: by the first visible character, then by the offset."""
    sentence = case["sentence"]
    ends = []
    at = 0
    for region in case["regions"]:
        content = region["content"]
        at = sentence.index(content, at) + len(content) if content else at
        ends.append(at)
    last = max(index for index, end in enumerate(ends) if end > (ends[index - 1] if index else 0))
    found: list[int | None] = []
    for place in placed:
        inside = range(place.start, place.end)
        first = next((i for i in inside if not sentence[i].isspace()), place.start)
        found.append(next((index for index, end in enumerate(ends) if first < end), last))
    return found


def _by_region(case: Case, regions: Sequence[int | None]) -> tuple[Regions, Regions]:
    numbers = [str(region["region_number"]) for region in case["regions"]]
    tokens: Regions = {number: [] for number in numbers}
    oovs: Regions = {number: [] for number in numbers}
    for token, place, region in zip(case["tokens"], _placed(case), regions, strict=False):
        if region is not None:
            tokens[numbers[region]].append(token)
            if place.oov:
                oovs[numbers[region]].append(case["sentence"][place.start : place.end])
    return tokens, oovs


def _expected(case: Case) -> tuple[Regions, Regions]:
    return case["expected"]["region_to_tokens"], case["expected"]["oovs"]


def _of(case: Case, right: tuple[list[list[str]], dict[str, list[str]]]) -> tuple[Regions, Regions]:
    numbers = [str(region["region_number"]) for region in case["regions"]]
    return dict(zip(numbers, right[0], strict=True)), {n: right[1].get(n, []) for n in numbers}
