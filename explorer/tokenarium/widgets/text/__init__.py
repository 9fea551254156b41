"""Widgets of a text: boxes of tokens, rows of bytes, marks, the inspector."""
