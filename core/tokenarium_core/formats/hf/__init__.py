"""Hugging Face's ``tokenizer.json``, field by field."""
