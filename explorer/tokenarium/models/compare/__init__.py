"""Comparing tokenizers: what is counted, the figures made of it, languages, overlap."""
