"""Training Unigram: the first pieces, rounds of EM, and pruning."""
