"""Training: the algorithms, the trainers, and the reading of a corpus."""
