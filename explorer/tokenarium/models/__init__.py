"""Data that the widgets show."""
