"""Do the sides of contrasts differ systematically in something that they should not differ in?"""

from collections.abc import Callable, Iterator, Sequence
from math import isnan

from pommel.errors import counted
from pommel.suite.lint.frequencies import words
from pommel.suite.lint.subject import Contrast, Laid, Remark, Side, Subject, Tokenized, contrasts
from pommel.surprisal import Token
from pommel.values import frozen

# Below this p a difference counts as systematic: eight items that all agree.
SIGNIFICANT = 0.01

# The difference of two sides in one item (of what should be more surprising minus the other),
# None where there is nothing to measure.
Difference = Callable[[int, Contrast], float | None]


@frozen
class Unbalanced:
    """The contrasts of one prediction, whose differences, added up, mostly have one sign.

    `mean` is that over items; `agreement` says in how many of them it is so, and the sign test's p.
    """

    prediction: int
    contrasts: tuple[Contrast, ...]
    mean: float
    agreement: str

    def remark(self, message: str, hint: str) -> Remark:
        """Return the remark at the prediction."""
        path = ("predictions", self.prediction, "formula")
        return Remark(path=path, message=message, hint=hint)


def unbalanced(
    subject: Subject, difference: Difference, *, at_least: float
) -> Iterator[Unbalanced]:
    """Yield the predictions whose contrasts differ systematically.

    The differences of all directed contrasts of a prediction are added up in each item, so that a
    crossed design, whose contrasts go both ways (*is* with *are*, and *are* with *is*), is in
    balance. A contrast without direction stands for itself. A difference is systematic if its mean
    over items is `at_least` that large, and the two-sided sign test has p < 0.01. What several
    predictions have in common is reported once.
    """
    seen: set[frozenset[Contrast]] = set()
    for index, formula in enumerate(subject.formulas):
        found = contrasts(formula)
        directed = tuple(each for each in found if each.directed)
        for group in (directed, *((each,) for each in found if not each.directed)):
            if not group or frozenset(group) in seen:
                continue
            seen.add(frozenset(group))
            sums = _sums(subject, group, difference)
            mean = sum(sums) / len(sums) if sums else 0.0
            agreement = _agreement(sums, mean)
            if agreement and abs(mean) >= at_least:
                yield Unbalanced(prediction=index, contrasts=group, mean=mean, agreement=agreement)


def _sums(subject: Subject, group: Sequence[Contrast], difference: Difference) -> list[float]:
    rows = [[difference(item, each) for each in group] for item in range(len(subject.items))]
    known = [[each for each in row if each is not None] for row in rows]
    return [sum(row) for row in known if len(row) == len(group)]


def _agreement(sums: Sequence[float], mean: float) -> str:
    """Say how many items agree with the mean; "" if they might do so by chance."""
    from scipy.stats import binomtest

    n_same = sum(each * mean > 0 for each in sums)
    n_other = sum(each * mean < 0 for each in sums)
    if not n_same + n_other:
        return ""
    p = float(binomtest(n_same, n_same + n_other).pvalue)
    reverse = f", the reverse in {n_other}" if n_other else ""
    so = f"so in {n_same} of {len(sums)} items{reverse} (sign test: p = {p:.1g})"
    return so if p < SIGNIFICANT else ""


# Half a token an item.
_LEAST_TOKENS = 0.5


def token_count(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in their number of tokens.

    Marks of a sentence's beginning and end are not counted. See `balance.unbalanced`.
    """
    if not (tokenized := subject.tokenized):
        return

    def n_tokens(item: int, side: Side) -> int:
        return sum(
            token.role == "text" and (side.regions is None or region in side.regions)
            for token, region in _tokens(subject.items[item][side.condition], tokenized)
        )

    def difference(item: int, contrast: Contrast) -> float:
        return n_tokens(item, contrast.more) - n_tokens(item, contrast.less)

    for found in unbalanced(subject, difference, at_least=_LEAST_TOKENS):
        contrast = found.contrasts[0]
        side = f"what should be {'more' if found.mean > 0 else 'less'} surprising"
        if not contrast.directed:
            side = repr((contrast.more if found.mean > 0 else contrast.less).condition)
        yield found.remark(
            f"{side} has more tokens for {tokenized.model_name}: {abs(found.mean):.1f} more on "
            f"average, {found.agreement}",
            "a sum grows with the number of its tokens; match the words, or add the reverse "
            "comparison",
        )


def _tokens(laid: Laid, tokenized: Tokenized) -> Iterator[tuple[Token, int]]:
    """Yield the tokens of a sentence that begin in a region, each with the region's number."""
    tokens = tokenized.sentences[laid.sentence.text].tokens
    numbers = list(laid.spans)
    for token, index in zip(tokens, laid.sentence.regions_of(tokens), strict=True):
        if index is not None:
            yield token, numbers[index]


def swallowed_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that a prediction names and in which none of the model's tokens begins.

    They have content, all of which stands in tokens that begin in an earlier region.
    """
    if not (tokenized := subject.tokenized):
        return

    def is_swallowed(laid: Laid, region: int) -> bool:
        begun = {number for _, number in _tokens(laid, tokenized)}
        return bool(laid.text(region)) and region not in begun

    for named in subject.references:
        items = [
            i
            for i, item in enumerate(subject.items)
            if named.region is not None and is_swallowed(item[named.condition], named.region)
        ]
        if items:
            predictions = subject.predictions_naming(named)
            yield Remark(
                path=subject.items[items[0]][named.condition].path,
                message=f"region {named.region} of {named.condition!r}, which prediction "
                f"{predictions[0]} names, has no token of its own for {tokenized.model_name} "
                f"{subject.where(items)}: one that begins before it covers it",
                hint="let regions begin where tokens do, or say what such items count "
                "(`pommel run --swallowed`)",
                item_numbers=subject.numbers(items),
                predictions=predictions,
            )


# On the Zipf scale: three times as frequent.
_LEAST_ZIPF = 0.5


def word_frequency(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in the frequency of their words.

    A side's frequency is the mean of its words' on the Zipf scale. See `balance.unbalanced`.
    """
    if not (frequencies := subject.frequencies):
        return

    def difference(item: int, contrast: Contrast) -> float | None:
        less, more = (subject.zipf(subject.text(item, side)) for side in contrast.pair)
        return None if isnan(less - more) else less - more

    for found in unbalanced(subject, difference, at_least=_LEAST_ZIPF):
        used = {
            word
            for item in range(len(subject.items))
            for contrast in found.contrasts
            for side in contrast.pair
            for word in words(subject.text(item, side))
        }
        n_unknown = sum(word not in frequencies.counts for word in used)
        yield found.remark(
            f"{_more_frequent(found)}: log10 frequency {abs(found.mean):.1f} apart on average, "
            f"{found.agreement}; {frequencies.file} lacks {n_unknown} of "
            f"{counted(len(used), 'word')}",
            "match the words, or add the reverse comparison",
        )


def _more_frequent(found: Unbalanced) -> str:
    contrast = found.contrasts[0]
    if not contrast.directed:
        name = (contrast.less if found.mean > 0 else contrast.more).condition
        return f"the words of {name!r} are more frequent than those it is compared with"
    if found.mean > 0:
        return "what should be less surprising has the more frequent words, which alone favours it"
    return "what should be less surprising has the rarer words, which works against it"
