"""Do the sides of contrasts differ systematically in something that they should not differ in?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pommel.errors import counted
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.frequencies import Frequencies, words
from pommel.suite.lint.subject import Contrast, Remark, Side, Subject, contrasts, in_items
from pommel.surprisal import ScoredSentence

# Below this p a difference counts as systematic: eight items that all agree.
_SIGNIFICANT = 0.01

# The difference of two sides in one item (of what should be more surprising minus the other),
# None where there is nothing to measure.
Difference = Callable[[int, Contrast], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imbalance:
    """Differences that mostly have one sign: their mean over items, and the sign test's p."""

    mean: float
    n_above: int
    n_below: int
    n_items: int
    p: float

    @property
    def agreement(self) -> str:
        """How many items agree with the mean, in words."""
        n_same, n_other = self.n_above, self.n_below
        if self.mean < 0:
            n_same, n_other = n_other, n_same
        reverse = f", the reverse in {n_other}" if n_other else ""
        return f"so in {n_same} of {self.n_items} items{reverse} (sign test: p = {self.p:.1g})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbalanced:
    """The contrasts of one prediction, taken together, and how they are out of balance."""

    prediction: int
    contrasts: tuple[Contrast, ...]
    imbalance: Imbalance

    def remark(self, rule: str, message: str, hint: str) -> Remark:
        """Return the remark at the prediction."""
        path = ("predictions", self.prediction, "formula")
        return Remark(rule=rule, path=path, message=message, hint=hint)


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
            imbalance = _imbalance(_sums(subject, group, difference), at_least)
            if imbalance:
                yield Unbalanced(prediction=index, contrasts=group, imbalance=imbalance)


def _sums(subject: Subject, group: Sequence[Contrast], difference: Difference) -> list[float]:
    rows = [[difference(item, each) for each in group] for item in range(len(subject.items))]
    known = [[each for each in row if each is not None] for row in rows]
    return [sum(row) for row in known if len(row) == len(group)]


def _imbalance(differences: Sequence[float], at_least: float) -> Imbalance | None:
    from scipy.stats import binomtest

    n_above = sum(each > 0 for each in differences)
    n_below = sum(each < 0 for each in differences)
    if not n_above + n_below:
        return None
    mean = sum(differences) / len(differences)
    p = float(binomtest(n_above, n_above + n_below).pvalue)
    if abs(mean) < at_least or p >= _SIGNIFICANT:
        return None
    return Imbalance(mean=mean, n_above=n_above, n_below=n_below, n_items=len(differences), p=p)


# Half a token an item.
_LEAST_TOKENS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenized:
    """A model's name and its tokens of every sentence of a suite, by the sentence's text."""

    model_name: str
    sentences: Mapping[str, ScoredSentence]


def token_count(subject: Subject, tokenized: Tokenized) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in their number of tokens.

    Marks of a sentence's beginning and end are not counted. See `balance.unbalanced`.
    """

    def difference(item: int, contrast: Contrast) -> float:
        more, less = (
            _n_tokens(subject, item, side, tokenized) for side in (contrast.more, contrast.less)
        )
        return more - less

    for found in unbalanced(subject, difference, at_least=_LEAST_TOKENS):
        mean = found.imbalance.mean
        contrast = found.contrasts[0]
        side = "what should be more surprising" if mean > 0 else "what should be less surprising"
        if not contrast.directed:
            side = repr((contrast.more if mean > 0 else contrast.less).condition)
        yield found.remark(
            "token-count",
            f"{side} has more tokens for {tokenized.model_name}: {abs(mean):.1f} more on average, "
            f"{found.imbalance.agreement}",
            "a sum grows with the number of its tokens; match the words, or add the reverse "
            "comparison",
        )


def _n_tokens(subject: Subject, item: int, side: Side, tokenized: Tokenized) -> int:
    laid = subject.items[item][side.condition]
    scored = tokenized.sentences[laid.sentence.text]
    numbers = list(laid.spans)
    tokens = [token for token in scored.tokens if token.role == "text"]
    return sum(
        side.regions is None or numbers[region] in side.regions
        for region in laid.sentence.regions_of(tokens)
        if region is not None
    )


def swallowed_region(subject: Subject, tokenized: Tokenized) -> Iterator[Remark]:
    """Yield the regions that a prediction names and in which none of the model's tokens begins.

    They have content, all of which stands in tokens that begin in an earlier region.
    """
    named = (each for formula in subject.formulas for each in formula.references)
    for reference in dict.fromkeys(named):
        items = [
            i for i in range(len(subject.items)) if _is_swallowed(subject, i, reference, tokenized)
        ]
        if not items:
            continue
        predictions = subject.predictions_naming(reference)
        numbers = subject.numbers(items)
        what = f"region {reference.region} of {reference.condition!r}"
        yield Remark(
            rule="swallowed-region",
            path=subject.items[items[0]][reference.condition].path,
            message=f"{what}, which prediction {predictions[0]} names, has no token of its own for "
            f"{tokenized.model_name} {in_items(numbers, len(subject.items))}: one that begins "
            f"before it covers it",
            hint="let regions begin where tokens do, or say what such items count "
            "(`pommel run --swallowed`)",
            item_numbers=numbers,
            predictions=predictions,
        )


def _is_swallowed(
    subject: Subject, item: int, reference: RegionValue, tokenized: Tokenized
) -> bool:
    laid = subject.items[item][reference.condition]
    if reference.region is None or not laid.text(reference.region):
        return False
    begun = laid.sentence.regions_of(tokenized.sentences[laid.sentence.text].tokens)
    return reference.region not in {[*laid.spans][each] for each in begun if each is not None}


# On the Zipf scale: three times as frequent.
_LEAST_ZIPF = 0.5


def word_frequency(subject: Subject, frequencies: Frequencies) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in the frequency of their words.

    A side's frequency is the mean of its words' on the Zipf scale. See `balance.unbalanced`.
    """

    def difference(item: int, contrast: Contrast) -> float | None:
        less, more = (_words(subject, item, side) for side in (contrast.less, contrast.more))
        if not less or not more:
            return None
        return fmean(map(frequencies.zipf, less)) - fmean(map(frequencies.zipf, more))

    for found in unbalanced(subject, difference, at_least=_LEAST_ZIPF):
        yield found.remark(
            "word-frequency",
            f"{_message(found)}; {_unknown(subject, found.contrasts, frequencies)}",
            "match the words, or add the reverse comparison",
        )


def _words(subject: Subject, item: int, side: Side) -> list[str]:
    return list(words(subject.text(item, side)))


def _message(found: Unbalanced) -> str:
    mean = found.imbalance.mean
    if not found.contrasts[0].directed:
        contrast = found.contrasts[0]
        first = contrast.less if mean > 0 else contrast.more
        what = f"the words of {first.condition!r} are more frequent than those it is compared with"
    elif mean > 0:
        what = "what should be less surprising has the more frequent words, which alone favours it"
    else:
        what = "what should be less surprising has the rarer words, which works against it"
    return f"{what}: log10 frequency {abs(mean):.1f} apart on average, {found.imbalance.agreement}"


def _unknown(subject: Subject, contrasts: Sequence[Contrast], frequencies: Frequencies) -> str:
    used = {
        word
        for item in range(len(subject.items))
        for contrast in contrasts
        for side in (contrast.less, contrast.more)
        for word in _words(subject, item, side)
    }
    n_unknown = sum(word not in frequencies.counts for word in used)
    return f"{frequencies.file} lacks {n_unknown} of {counted(len(used), 'word')}"
