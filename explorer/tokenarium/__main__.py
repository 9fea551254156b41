"""Runs the program: ``python -m tokenarium``, or the command ``tokenarium``."""

import gc
import sys


def import_before_qt() -> None:
    """Imports what needs no Qt, whose import hook reads the source of each module that comes after it.

    No garbage is looked for until `GarbageAtRest` begins: what is imported stays.
    """
    gc.disable()
    import msgspec  # noqa: F401
    import numpy  # noqa: F401

    import tokenarium_core  # noqa: F401


def main() -> None:
    """Opens the window where nothing is asked for, else runs the command line.

    The window does without the library that reads arguments, which would take a tenth of its start.
    """
    if len(sys.argv) == 1:
        import_before_qt()
        from tokenarium.app.start import run

        sys.exit(run([]))
    from tokenarium.commands.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
