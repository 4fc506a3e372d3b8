"""Permutation designs: every case assignment in every order, and violations of case."""
