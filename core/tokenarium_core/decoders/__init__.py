"""The way back, from ids to text."""
