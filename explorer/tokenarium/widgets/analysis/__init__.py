"""Widgets that show the parts of any analysis; see `tokenarium.analyses.parts`."""
