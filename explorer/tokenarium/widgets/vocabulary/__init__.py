"""A vocabulary's table, the pane of an entry, the line that filters."""
