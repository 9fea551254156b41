"""The sheet of a chat."""
