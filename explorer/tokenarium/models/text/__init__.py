"""A text and its parts: characters, bytes, graphemes, tokens, and where cuts differ."""
