"""What is known of characters: categories, scripts, UTF-8, GPT-2's alphabet of bytes."""
