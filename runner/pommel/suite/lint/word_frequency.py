"""Rule: compared regions whose words are not equally frequent."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from pommel.errors import counted
from pommel.suite.lint.balance import Unbalanced, unbalanced
from pommel.suite.lint.contrasts import Contrast, Side
from pommel.suite.lint.frequencies import Frequencies, words
from pommel.suite.lint.remark import Remark
from pommel.suite.lint.subject import Subject

# On the Zipf scale: three times as frequent.
_AT_LEAST = 0.5


def word_frequency(subject: Subject, frequencies: Frequencies) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in the frequency of their words.

    A side's frequency is the mean of its words' on the Zipf scale. See `balance.unbalanced`.
    """

    def difference(item: int, contrast: Contrast) -> float | None:
        less, more = (_words(subject, item, side) for side in (contrast.less, contrast.more))
        if not less or not more:
            return None
        return fmean(map(frequencies.zipf, less)) - fmean(map(frequencies.zipf, more))

    for found in unbalanced(subject, difference, at_least=_AT_LEAST):
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
