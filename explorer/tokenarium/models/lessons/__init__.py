"""Lessons: files that lead through the window, and the answers that are computed for them."""
