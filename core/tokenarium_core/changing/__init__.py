"""Changes to a tokenizer: each returns a new one, and leaves the old one unchanged."""
