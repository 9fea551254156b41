"""Players: the stages that show a run, and their controls."""
