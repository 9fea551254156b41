"""The files that hold a tokenizer: how each is told, read and written."""
