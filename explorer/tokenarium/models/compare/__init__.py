"""Comparing tokenizers: counts, figures, languages, overlap."""
