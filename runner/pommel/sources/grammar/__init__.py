"""Suites from grammars: one package or module for each kind of generator."""
