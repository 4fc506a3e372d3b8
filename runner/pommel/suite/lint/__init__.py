"""Doubts about a suite that is valid: what a reviewer of its design would ask."""

from pommel.suite.lint.frequencies import Frequencies, read_frequencies
from pommel.suite.lint.remark import Remark
from pommel.suite.lint.rules import NEEDS, PEDANTIC, RULES, Evidence, check_suite
from pommel.suite.lint.token_counts import Tokenized

__all__ = [
    "NEEDS",
    "PEDANTIC",
    "RULES",
    "Evidence",
    "Frequencies",
    "Remark",
    "Tokenized",
    "check_suite",
    "read_frequencies",
]
