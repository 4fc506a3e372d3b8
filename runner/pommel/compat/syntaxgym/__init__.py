"""What the Python package `syntaxgym` 0.8a1 offered, under the same names.

    from pommel.compat.syntaxgym import compute_surprisals, evaluate

The numbers and tables are those that it gave; where it failed, or gave a wrong answer without a
word, the functions say what they do instead. New code is better off with `import pommel`.
"""

from pommel.compat.syntaxgym.agg_surprisals import (
    ItemSentenceMapping,
    TokenMismatch,
    aggregate_surprisals,
    compute_mapping_heuristic,
)
from pommel.compat.syntaxgym.evaluation import (
    compute_surprisals,
    evaluate,
    results_to_tsv,
    surprisals_to_tsv,
)
from pommel.compat.syntaxgym.prediction import MissingValueError, Prediction
from pommel.compat.syntaxgym.suite import Region, Suite, get_sentences, load_suite

__all__ = [
    "ItemSentenceMapping",
    "MissingValueError",
    "Prediction",
    "Region",
    "Suite",
    "TokenMismatch",
    "aggregate_surprisals",
    "compute_mapping_heuristic",
    "compute_surprisals",
    "evaluate",
    "get_sentences",
    "load_suite",
    "results_to_tsv",
    "surprisals_to_tsv",
]
