"""Tokenizers as things one has: the library, finding them, facts, references, exports."""
