"""Doubts about a suite that is valid: what a reviewer of its design would ask."""

from pommel.suite.lint.frequencies import Frequencies
from pommel.suite.lint.rules import RULES, check_suite
from pommel.suite.lint.subject import Remark, Tokenized

__all__ = ["RULES", "Frequencies", "Remark", "Tokenized", "check_suite"]
