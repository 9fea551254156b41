"""Tokenizers: the library, search, facts, references, exports."""
