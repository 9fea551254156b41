"""Diagnostics of a tokenizer: the examinations and their evidence."""
