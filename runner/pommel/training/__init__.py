"""Word-level LSTMs and n-gram models, trained on a text."""
