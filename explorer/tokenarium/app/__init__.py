"""The window of the app, its parts, and how it starts."""
