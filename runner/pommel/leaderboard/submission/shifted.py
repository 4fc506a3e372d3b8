"""Are tokens called what stands beside them?"""

import unicodedata

from pommel.surprisal import ScoredSentence

# One token may be called like its neighbour by chance.
_LEAST = 2


def is_shifted(sentence: ScoredSentence) -> bool:
    """Say whether more tokens are called what the token next to them stands for than themselves.

    Models call tokens as they like (`Ġdog`, `##s`, `dog</w>`, numbers), so that a name that is not
    what stands there proves nothing; one that is what stands beside it, all along a sentence, does.
    Letters count, whatever their case, and no marks around them. Only names and places can be
    compared: surprisals that are shifted against both are not seen here.
    """
    # Whatever their role: it is the submitter who says what that is.
    tokens = [each for each in sentence.tokens if each.start < each.end]
    names = [_letters(each.text) for each in tokens]
    places = [_letters(sentence.text[each.start : each.end]) for each in tokens]
    own = _n_equal(names, places)
    if own >= len(names) - own:
        return False
    beside = max(_n_equal(names[1:], places), _n_equal(names, places[1:]))
    return beside >= _LEAST and beside > own


def _n_equal(names: list[str], places: list[str]) -> int:
    return sum(name == place != "" for name, place in zip(names, places, strict=False))


def _letters(text: str) -> str:
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    # GPT-2's mark of a space is a letter with a mark of its own for Unicode.
    word = text[start:end].removeprefix("Ġ").removesuffix("</w")
    return unicodedata.normalize("NFKC", word).casefold()
