"""Training as SentencePiece does: its lines, words and options."""
