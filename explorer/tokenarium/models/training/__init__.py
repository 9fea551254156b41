"""Trainings: the corpus, the form, the run, and what is kept."""
