"""Regular expressions: for the `regex` module, and as Hugging Face's files have them."""
