"""From a model's tokens and surprisals to a suite with the surprisal of every region."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pommel.compat.syntaxgym.suite import Region, Suite, conditions, metric_names, place
from pommel.errors import AlignmentError, InputError
from pommel.models import TokenizerSpec
from pommel.suite import METRICS, Condition, Region as PlainRegion, Sentence
from pommel.surprisal import Token

if TYPE_CHECKING:
    import pandas as pd


class TokenMismatch(AlignmentError, ValueError):  # noqa: N818 - its name since 2020
    """Tokens that do not spell the sentence of a suite."""


class SurprisalTableError(InputError, ValueError):
    """A table of surprisals that is not that of the tokens."""


class ItemSentenceMapping(NamedTuple):
    """The tokens of a sentence by region number, and each region's words that the model lacks.

    `id` is (item number, condition). The numbers of all regions are there, empty ones too.
    """

    id: tuple[int | None, str | None]
    region_to_tokens: dict[int, list[str]]
    oovs: dict[int, list[str]]


class RegionTokens(NamedTuple):
    """What fell to one region: its tokens, and its unknown words."""

    tokens: list[Token]
    oovs: list[str]


def aggregate_surprisals(
    model: Mapping[str, Any],
    surprisals: "pd.DataFrame",
    tokens: Sequence[Sequence[str]],
    suite: Suite,
) -> Suite:
    """Return a copy of `suite` in which every region has `metric_value` and `oovs`.

    `model` is the `spec` that an LM Zoo image prints. `surprisals` has the columns sentence_id
    (from 1), token and surprisal in bits, `tokens` the tokens of each sentence; both in the order
    of `suite.iter_sentences()`. An empty region has the sum 0, and NaN for any other metric.
    Tokens of the spec's special_types are counted nowhere. Raises `ValueError`s that name the
    sentence: `SurprisalTableError` where the two disagree, `TokenMismatch` where the tokens are
    not the sentence's.
    """
    dealt = []
    n_sentences = sum(1 for _ in conditions(suite))
    if len(tokens) != n_sentences:
        raise SurprisalTableError(
            f"there are tokens for {len(tokens)} sentences, and the suite has {n_sentences}"
        )
    # The ids may be the table's index.
    table = surprisals.reset_index().astype({"sentence_id": int, "surprisal": float})
    rows = {
        number: list(zip(own["token"], own["surprisal"].tolist(), strict=True))
        for number, own in table.groupby("sentence_id")
    }
    spec = TokenizerSpec.from_dict(model)
    for number, ((item, condition), own) in enumerate(
        zip(conditions(suite), tokens, strict=True), start=1
    ):
        where = place(item, condition)
        bits = _checked_surprisals(rows.get(number, []), own, f"sentence {number} ({where})")
        contents = [PlainRegion.text_of(each["content"]) for each in condition["regions"]]
        placed = _placed(own, contents, spec, where)
        # What follows an end-of-sentence mark has no place, and is ignored.
        pairs = zip(placed, bits, strict=False)
        scored = [replace(token, surprisal_bits=surprisal) for token, surprisal in pairs]
        dealt.append(deal_out(_layout(contents), scored))
    return evaluated(suite, dealt, model_name=model["name"])


def compute_mapping_heuristic(
    tokens: Sequence[str],
    regions: Sequence[Region],
    spec: Mapping[str, Any],
    item_number: int | None = None,
    condition_name: str | None = None,
) -> ItemSentenceMapping:
    """Say which region each of a sentence's tokens belongs to.

    `regions` have numbers of their own. Raises `TokenMismatch` if the tokens do not spell them.
    """
    contents = [region.content for region in regions]
    numbers = [region.region_number or 0 for region in regions]
    where = "the sentence"
    if item_number is not None:
        where = f"item {item_number}, condition {condition_name!r}"
    placed = _placed(tokens, contents, TokenizerSpec.from_dict(spec), where)
    dealt = dict(zip(numbers, deal_out(_layout(contents), placed), strict=True))
    return ItemSentenceMapping(
        (item_number, condition_name),
        {number: [token.text for token in own.tokens] for number, own in dealt.items()},
        {number: own.oovs for number, own in dealt.items()},
    )


def deal_out(
    sentence: Sentence,
    tokens: Sequence[Token],
    assigner: Callable[
        [Sentence, Sequence[Token]], Sequence[int | None]
    ] = Sentence.regions_of_as_syntaxgym,
) -> list[RegionTokens]:
    """Give each token to its region, as the retired aligner did or as `assigner` says."""
    dealt = [RegionTokens([], []) for _ in sentence.spans]
    for token, region in zip(tokens, assigner(sentence, tokens), strict=True):
        if region is None:
            continue
        dealt[region].tokens.append(token)
        if token.oov:
            dealt[region].oovs.extend(sentence.text[token.start : token.end].split())
    return dealt


def evaluated(suite: Suite, dealt: Iterable[Sequence[RegionTokens]], *, model_name: str) -> Suite:
    """Return a copy of the suite with the metrics of every region, and the model in its meta."""
    metrics = metric_names(suite.meta)
    result = deepcopy(suite)
    for (_, condition), regions in zip(conditions(result), dealt, strict=True):
        for region, own in zip(condition["regions"], regions, strict=True):
            every = (token.surprisal_bits for token in own.tokens)
            bits = [each for each in every if each is not None]
            region["metric_value"] = {metric: METRICS[metric].of(bits) for metric in metrics}
            region["oovs"] = own.oovs
    result.meta["model"] = model_name
    return result


def _layout(contents: Sequence[str]) -> Sentence:
    regions = (PlainRegion(number=n, content=content) for n, content in enumerate(contents))
    return Condition(name="", regions=tuple(regions)).sentence()


def _placed(
    tokens: Sequence[str], contents: Sequence[str], spec: TokenizerSpec, where: str
) -> tuple[Token, ...]:
    try:
        return spec.places(tokens, _layout(contents).text)
    except AlignmentError as error:
        raise TokenMismatch(f"{where}: {error}") from error


def _checked_surprisals(
    rows: Sequence[tuple[object, float]], tokens: Sequence[str], where: str
) -> list[float]:
    listed = [token for token, _ in rows]
    if listed != list(tokens):
        message = "Mismatched tokens between tokens and surprisals data frame"
        hint = f"{len(tokens)} tokens, {len(listed)} rows"
        pairs = zip(tokens, listed, strict=False)
        if differing := next((pair for pair in pairs if pair[0] != pair[1]), None):
            token, other = differing
            hint = f"{token!r} in the tokens is {other!r} in the data frame"
            if not isinstance(other, str):
                hint += "; read the table with keep_default_na=False, quoting=csv.QUOTE_NONE"
        raise SurprisalTableError(f"{message}: {where}: {hint}")
    return [bits for _, bits in rows]
