"""Players: the stages that a run is shown on, and their controls."""
