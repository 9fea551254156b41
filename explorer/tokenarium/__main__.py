"""Runs the program: ``python -m tokenarium``, or the command ``tokenarium``."""

import gc
import os
import sys


def import_before_qt() -> None:
    """Imports what needs no Qt, whose import hook reads the source of each module that comes after it.

    No garbage is looked for until `GarbageAtRest` begins: what is imported stays.
    """
    gc.disable()
    import msgspec  # noqa: F401
    import numpy  # noqa: F401

    import tokenarium_core

    for name in tokenarium_core.__all__:  # it imports each when it is first used
        getattr(tokenarium_core, name)


def serve_as_worker() -> None:
    """Does what a frozen app starts itself for, and ends there; returns where it was started by a user."""
    import multiprocessing
    import runpy

    from tokenarium.work.child_process import asked_module, forget_own_libraries

    multiprocessing.freeze_support()
    forget_own_libraries()
    module = asked_module(sys.argv)
    if module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        sys.exit()


def main() -> None:
    """Opens the window where nothing is asked for, else runs the command line.

    The window does without the library that reads arguments, which would take a tenth of its start.
    """
    if getattr(sys, "frozen", False):
        serve_as_worker()
    if len(sys.argv) == 1 and "_TOKENARIUM_COMPLETE" not in os.environ:  # a shell completes a line
        import_before_qt()
        from tokenarium.app.start import run

        sys.exit(run([]))
    from tokenarium.commands.quick import quick

    code = quick(sys.argv[1:]) if len(sys.argv) > 1 else None
    if code is not None:
        sys.exit(code)
    from tokenarium.commands.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
