"""A text with what stands over it: boxes of tokens, rows of bytes, marks, the inspector."""
