"""A text: characters, bytes, graphemes, tokens, and differing cuts."""
