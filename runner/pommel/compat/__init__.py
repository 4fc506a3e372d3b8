"""The retired tools: `syntaxgym` and the client side of `lm-zoo`."""
