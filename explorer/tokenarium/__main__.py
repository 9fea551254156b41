"""Runs the app: ``python -m tokenarium``."""

from tokenarium.cli import main

if __name__ == "__main__":
    main()
