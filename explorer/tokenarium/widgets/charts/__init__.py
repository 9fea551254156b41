"""Charts, drawn and read."""
