"""The library, and the dialogs around a tokenizer."""
