"""The first stage: what is changed in a text before it is cut."""
