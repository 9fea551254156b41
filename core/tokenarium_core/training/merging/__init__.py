"""Finding merges: the counted words, their pairs, the next merge."""
