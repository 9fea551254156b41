"""Repairs of findings and differences: small edits of a tokenizer's files, which leave every other byte as it is."""
