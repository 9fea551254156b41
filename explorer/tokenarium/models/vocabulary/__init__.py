"""The entries of a vocabulary: as a table, filtered by a query, exported."""
