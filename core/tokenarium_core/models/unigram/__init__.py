"""Unigram: the path through the pieces with the highest score."""
