"""What is open: text, library, encodings, trainings, settings."""
