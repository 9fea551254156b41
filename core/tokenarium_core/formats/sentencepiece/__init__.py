"""SentencePiece's ``.model``."""
