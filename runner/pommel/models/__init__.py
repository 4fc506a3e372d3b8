"""Strings to tokens with bits: one file or folder a kind of model."""
