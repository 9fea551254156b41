"""Painted widgets, which do not know the session."""
