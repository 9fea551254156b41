"""Runs the program: ``python -m tokenarium``, or the command ``tokenarium``."""

import os
import sys


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
    """Opens the window where nothing but files is given, else runs the command line.

    The window does without the library that reads arguments, which would take a tenth of its start.
    """
    if getattr(sys, "frozen", False):
        serve_as_worker()
    if "_TOKENARIUM_COMPLETE" in os.environ:  # a shell completes a line; it gives no arguments
        from tokenarium.commands.cli import main as run_command_line

        run_command_line()
        return
    from tokenarium.commands.quick import quick

    code = quick(sys.argv[1:])
    if code is not None:
        sys.exit(code)
    from tokenarium.work.handover import NEW_WINDOW, window_words

    words = window_words(sys.argv[1:])
    try:
        if words is not None:
            from tokenarium.app.opening import open_window

            sys.exit(open_window(words, new_window=NEW_WINDOW in sys.argv))
        from tokenarium.commands.cli import main as run_command_line

        run_command_line()
    except ImportError as error:
        from tokenarium.models.system_libraries import refusal

        sentence = refusal(error)
        if not sentence:
            raise
        sys.exit(sentence)


if __name__ == "__main__":
    main()
