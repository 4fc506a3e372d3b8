"""The words that formulas are said in: metrics, comparisons and signs."""

from pommel.suite.formula.tree import ComparisonOperator

# What a metric over a region's tokens is called.
MEASURES = {
    "sum": "surprisal",
    "mean": "mean surprisal per token",
    "median": "median token surprisal",
    "min": "lowest token surprisal",
    "max": "highest token surprisal",
    "range": "range of token surprisals",
}

# Operator -> (is it a denial, how much, what the other side follows).
Degree = tuple[bool, str, str]
SURPRISING: dict[ComparisonOperator, Degree] = {
    "<": (False, "less surprising", "than"),
    ">": (False, "more surprising", "than"),
    "=": (False, "about as surprising", "as"),
    "!=": (True, "about as surprising", "as"),
    "<=": (False, "at most as surprising", "as"),
    ">=": (False, "at least as surprising", "as"),
}
HIGH: dict[ComparisonOperator, Degree] = {
    "<": (False, "lower", "than"),
    ">": (False, "higher", "than"),
    "=": (False, "about as high", "as"),
    "!=": (True, "about as high", "as"),
    "<=": (False, "at most as high", "as"),
    ">=": (False, "at least as high", "as"),
}
SIZED: dict[ComparisonOperator, Degree] = {
    "<": (False, "smaller", "than"),
    ">": (False, "larger", "than"),
    "=": (False, "about equal", "to"),
    "!=": (True, "about equal", "to"),
    "<=": (False, "at most", ""),
    ">=": (False, "at least", ""),
}
SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
