"""Prediction formulas: text -> frozen tree -> truth and margin; static checks; text again."""

from pommel.suite.formula.judge import Verdict, judge
from pommel.suite.formula.parser import Dialect, parse
from pommel.suite.formula.references import Remark, check_references, lint
from pommel.suite.formula.tree import Formula, RegionValue

__all__ = [
    "Dialect",
    "Formula",
    "RegionValue",
    "Remark",
    "Verdict",
    "check_references",
    "judge",
    "lint",
    "parse",
]
