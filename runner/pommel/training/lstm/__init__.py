"""Training word-level LSTM language models: `pommel train lstm`."""
