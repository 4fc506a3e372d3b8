"""How much items differ from each other: in what they compare, before that, and in their features.

A score is the share of items. What items have in common is counted as often as there are items.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pommel.errors import counted, listed, quoted
from pommel.suite.lint.balance import SIGNIFICANT
from pommel.suite.lint.subject import MOST, Contrast, Remark, Subject, n_shared, predictions_that

# So many words, and no more than half as many as items, are few where the language has more.
_ENOUGH_WORDS = 30
_LEAST_ITEMS_A_WORD = 2
# Under eight items nothing is many.
_FEWEST_ITEMS = 8
# So many may be all that a language has of a kind (*is*, *was*, *has*), and so many are where they
# are no forms of one word.
_CLOSED_CLASS = 4
_LARGE_CLOSED_CLASS = 9
# A verb of a suite may have other forms where its subject is plural, and where its object is.
_MOST_SETS = 4
_SHOWN_FORMS = 4


def few_words(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that compare few different words, or sets of forms, in many items.

    Closed classes, which are few by nature, are `closed_class`'s.
    """
    yield from _few(subject, is_closed=False)


def closed_class(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that compare words of a closed class, as far as it can be told."""
    yield from _few(subject, is_closed=True)


def _few(subject: Subject, *, is_closed: bool) -> Iterator[Remark]:
    found: dict[tuple[int, str], list[int]] = {}
    n_items = len(subject.items)
    for index, pairs in enumerate(subject.contrasts_of):
        forms = [_forms(subject, item, pairs) for item in range(n_items)]
        n_words = _n_lexemes(subject, forms)
        few = n_words < _ENOUGH_WORDS and n_items >= max(
            _FEWEST_ITEMS, _LEAST_ITEMS_A_WORD * n_words
        )
        if pairs and few and _is_closed(forms) == is_closed:
            [(most, n_most)] = Counter(forms).most_common(1)
            shown = listed([*map(quoted, sorted(most))], most=_SHOWN_FORMS)
            found.setdefault((n_words, f"{shown} in {n_most}"), []).append(index)
    for (n_words, example), predictions in found.items():
        who = predictions_that(predictions, "compare")
        yield Remark(
            path=("predictions", predictions[0], "formula"),
            message=f"{who} only {counted(n_words, 'word')}, all forms of each as one, "
            f"in {n_items} items: {example} of them",
            hint="that is few, unless it is a class that has no more (pronouns, auxiliaries)"
            if is_closed
            else "a score is one of these words; compare more, 30 where the language has them",
            predictions=tuple(predictions),
        )


def _forms(subject: Subject, item: int, pairs: Sequence[Contrast]) -> frozenset[str]:
    """Return what an item says where sides differ; of other sides, what they say."""
    joiner = " " if subject.has_spaces else ""
    differences = (subject.difference(item, each) for each in pairs)
    return frozenset(
        joiner.join(side).casefold() for _, less, more in differences for side in (less, more)
    )


def _n_lexemes(subject: Subject, forms: Sequence[frozenset[str]]) -> int:
    """Return how many different words the forms of items are.

    Where `source` says which word fills a slot, and the forms tell that word, it is known; of such
    slots the one with most words counts. Otherwise each set of forms is another word. That is so,
    too, where a word would have more than four sets: then it is a feature that the forms tell.
    """
    n_sets = len({*forms})
    slots: dict[str, dict[frozenset[str], set[str]]] = {}
    for slot, values in _source(subject).items():
        for form, value in zip(forms, values, strict=True):
            slots.setdefault(slot, {}).setdefault(form, set()).add(value)
    known = [
        len(set().union(*words.values()))
        for words in slots.values()
        if all(len(each) == 1 for each in words.values())
    ]
    n_known = max(known, default=0)
    return n_known if n_sets <= _MOST_SETS * n_known else n_sets


def _source(subject: Subject) -> Mapping[str, Sequence[str]]:
    """Return what `source` says of each item, by slot: of those that all items have."""
    rows = [item.as_written.get("source") for item in subject.suite.items]
    known = [row for row in rows if isinstance(row, Mapping)]
    if not known or len(known) < len(rows):
        return {}
    return {
        str(slot): [str(row[slot]) for row in known]
        for slot in known[0]
        if all(slot in row for row in known)
    }


def _is_closed(forms: Sequence[frozenset[str]]) -> bool:
    """Say whether forms seem to be of a closed class.

    Those are very few words, or few whose forms have little in common (*is* and *are*).
    """
    n_words = len({*forms})
    n_alike = sum(_have_a_stem(each) for each in forms)
    return n_words <= _CLOSED_CLASS or (
        n_words <= _LARGE_CLOSED_CLASS and n_alike <= len(forms) / 2
    )


def _have_a_stem(forms: frozenset[str]) -> bool:
    """Say whether several forms begin, or end, with at least half of the longest one."""
    if len(forms) == 1:
        return False
    n_most = max(n_shared(forms), n_shared(each[::-1] for each in forms))
    return 2 * n_most >= max(map(len, forms))


def shared_context(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions before whose compared words many items say the same.

    Left out is what begins a sentence, or the same words in another order, and pairs of which what
    follows tells the right one.
    """
    found: dict[int, list[int]] = {}
    if len(subject.items) < _FEWEST_ITEMS:
        return
    for index, pairs in enumerate(subject.contrasts_of):
        contexts = {_contexts(subject, item, pairs) for item in range(len(subject.items))}
        if len(contexts) < MOST * len(subject.items) and all(contexts):
            found.setdefault(len(contexts), []).append(index)
    for n_contexts, predictions in found.items():
        yield Remark(
            path=("predictions", predictions[0], "formula"),
            message=f"before what {predictions_that(predictions, 'compare')}, "
            f"{counted(len(subject.items), 'item')} have only {n_contexts} different beginnings",
            hint="a left-to-right model comes to it in no more states, and items with the same one "
            "are not independent; let words before it differ",
            predictions=tuple(predictions),
        )


def _contexts(
    subject: Subject, item: int, pairs: Sequence[Contrast]
) -> tuple[tuple[str, ...], ...]:
    found = []
    for pair in pairs:
        before, less, more = subject.difference(item, pair)
        is_moved = len(less) > 1 and Counter(less) == Counter(more)
        if any(before) and not is_moved and not subject.is_told_later(item, pair):
            found.append(before)
    return tuple(found)


# What is a number, or a gender, in `source`.
_FEATURES = (
    frozenset({"sg", "pl", "du", "singular", "plural", "dual"}),
    frozenset({"m", "f", "n", "masc", "fem", "neut", "masculine", "feminine", "neuter"}),
)


def uneven_feature(subject: Subject) -> Iterator[Remark]:
    """Yield the numbers and genders of items' `source` that one value has too many items of.

    And two of them, such as those of subject and attractor, that match in too many items or in too
    few. That is so where as many would come out by chance in less than one of a hundred suites.
    """
    source = _source(subject)
    for kind in _FEATURES:
        slots = {
            slot: values
            for slot, values in source.items()
            if len({*values}) > 1 and kind.issuperset(each.casefold() for each in values)
        }
        even = []
        for slot, values in slots.items():
            counts = Counter(values).most_common()
            if _is_even(counts[0][1], len(values), len(counts)):
                even.append(slot)
            else:
                shares = ", ".join(f"{value} in {n}" for value, n in counts)
                yield _uneven(f"{slot} is {shares} of {len(values)} items", f"balance: {slot}")
        for one, other in itertools.combinations(even, 2):
            pairs = [*zip(slots[one], slots[other], strict=True)]
            n_same = sum(first == second for first, second in pairs)
            if not _is_even(n_same, len(pairs), len({*itertools.chain(*pairs)})):
                same = f"{one} and {other} are the same in {n_same} of {len(pairs)} items"
                yield _uneven(same, f"balance: {one} {other}")


def _is_even(n: int, n_items: int, n_values: int) -> bool:
    from scipy.stats import binomtest

    return float(binomtest(n, n_items, 1 / n_values).pvalue) >= SIGNIFICANT


def _uneven(message: str, balance: str) -> Remark:
    return Remark(
        path=("items",),
        message=message,
        hint="a score is more of one kind than of the other; have as many of each "
        f"(`{balance}` in a template)",
    )
