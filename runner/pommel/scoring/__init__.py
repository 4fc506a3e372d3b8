"""From sentences to tokens, regions, predictions, and results."""
