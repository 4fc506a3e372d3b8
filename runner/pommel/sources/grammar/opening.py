"""Grammars of every kind, by how their files end."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pommel.errors import UsageError, listed
from pommel.sources.grammar.attribute_varying.source import AttributeVaryingSource
from pommel.sources.grammar.context_free.source import ContextFreeSource
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.permutation.source import PermutationSource
from pommel.sources.grammar.source import ItemSource, SetSource

_OPENERS: Mapping[str, Callable[[Path], SetSource | ItemSource]] = {
    ".avg": AttributeVaryingSource,
    ".cfg": ContextFreeSource,
    ".template": LexiconTemplateSource,
    ".design": PermutationSource,
}
GRAMMAR_ENDINGS = tuple(_OPENERS)


def open_grammar(path: Path, *, depth: int | None = None) -> SetSource | ItemSource:
    """Read the grammar in a file; `depth` is how deep the trees of a context-free one may be.

    Raises `UsageError` for an ending that is none of a grammar's and for a depth where there is
    none, and `GrammarError` with every fault of the grammar.
    """
    opener = _OPENERS.get(path.suffix)
    if opener is None:
        endings = listed(list(_OPENERS), most=len(_OPENERS))
        raise UsageError(f"{path}: a grammar's file ends in one of {endings}")
    if depth is None:
        return opener(path)
    if opener is not ContextFreeSource:
        raise UsageError("--depth is for context-free grammars (.cfg)")
    return ContextFreeSource(path, depth=depth)
