"""Runs step by step: trees, lattices, sizes, and why not one token."""
