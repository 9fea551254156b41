"""What charts show, as plain data."""
