"""Tables and lines of comparisons."""
