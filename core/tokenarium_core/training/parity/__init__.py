"""Parity-aware BPE: each merge is for the language whose text needs the most tokens."""
