"""A vocabulary's table, the pane of an entry, the filter line."""
