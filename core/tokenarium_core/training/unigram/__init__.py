"""Training Unigram: first pieces, expectation and maximisation, pruning."""
