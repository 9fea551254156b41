"""What decides whether a tokenizer is released: its evaluation report with thresholds, as JSON and as a page."""
