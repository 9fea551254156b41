"""What is odd about a tokenizer: each examination with its evidence."""
