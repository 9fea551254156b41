"""How other programs read a file: each program by name and version, its rules, and what they change in the ids."""
