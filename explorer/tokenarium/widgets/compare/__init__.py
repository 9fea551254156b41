"""Tables and lines that compare."""
