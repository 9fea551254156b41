"""Parity-aware BPE: each merge is for the language whose text takes the most tokens."""
