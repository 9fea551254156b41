"""Changes of a tokenizer: each returns a new one, and leaves the old one as it is."""
