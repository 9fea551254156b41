"""Runs the program: ``python -m tokenarium``, or the command ``tokenarium``."""

import sys


def main() -> None:
    """Opens the window where nothing is asked for, else runs the command line.

    The window does without the library that reads arguments, which would take a tenth of its start.
    """
    if len(sys.argv) == 1:
        import numpy  # noqa: F401  # before Qt: its import hook reads the source of each module that comes after it

        from tokenarium.app.start import run

        sys.exit(run([]))
    from tokenarium.commands.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
