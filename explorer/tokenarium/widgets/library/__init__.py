"""The library, and the sheets around a tokenizer."""
