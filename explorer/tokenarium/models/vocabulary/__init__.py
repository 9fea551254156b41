"""The entries of a vocabulary: table, filter, export."""
