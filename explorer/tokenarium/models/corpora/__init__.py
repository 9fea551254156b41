"""Corpora as a whole: written out as ids."""
