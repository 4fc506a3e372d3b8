"""Lexicon and template: items from rows of lexicons, after Kryvosheieva and Levy."""
