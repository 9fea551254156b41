"""The stage that cuts: scanners for the known patterns, any other pattern, and what Hugging Face's files name."""
