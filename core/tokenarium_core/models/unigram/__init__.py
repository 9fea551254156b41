"""Unigram: the path through the pieces with the highest sum of scores, as fast and as exact as the reference."""
