"""Runs the command line of the core: ``python -m tokenarium_core``, or the command ``tokenarium-core``."""

from tokenarium_core.command_line import main

if __name__ == "__main__":
    main()
