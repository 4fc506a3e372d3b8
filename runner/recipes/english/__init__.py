"""The training English: its words, its phrases, and a grammar as a sampler."""
