"""A text with its tokens, bytes and marks, and the inspector."""
