"""Runs to be played: steps, trees, lattices, sizes, and why a string is not one token."""
