"""Painted parts, which know no session."""
