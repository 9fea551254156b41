"""What is open: the text, the library, the encodings and trainings, and the settings."""
