"""The form of a training, the queue, and what was kept."""
