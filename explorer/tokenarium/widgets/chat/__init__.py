"""The dialog of a chat."""
