"""From ids back to text."""
