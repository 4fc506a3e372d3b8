"""Small transformers, causal and masked, trained on a text."""
