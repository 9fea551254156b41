"""Tokenarium: a desktop explorer for tokenizers."""
