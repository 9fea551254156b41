"""Finding merges: the counted words of a corpus, its pairs, and which of them is next."""
