"""Comparisons that others can repeat: their files, and what they find."""
