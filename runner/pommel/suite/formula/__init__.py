"""Prediction formulas: text -> frozen tree -> truth and margin; static checks; text again."""

from pommel.suite.formula.parser import Dialect, Formula, Remark
from pommel.suite.formula.tree import RegionValue

__all__ = [
    "Dialect",
    "Formula",
    "RegionValue",
    "Remark",
]
