"""The data that ships with Tokenarium: sample texts, and what else the app reads but does not run."""
