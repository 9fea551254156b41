"""What Tokenarium answers about tokenizers, each answer declared once: see `tokenarium.analyses.analysis`."""
