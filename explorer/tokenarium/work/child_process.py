"""Starts this program in another process, ends a child process with its parent, and limits its memory."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from tokenarium.models.installation import is_frozen

WATCH = "while kill -0 {parent} && kill -0 {child}; do sleep 1; done; kill -9 {child}"
"""What a shell runs next to a process where the system cannot end it with its parent."""

WORKER = "--worker"
"""By this first argument, a frozen app runs one of its modules, and not the command line."""

CONSOLE_TWIN = "tokenarium-console.exe"
"""On Windows, the same frozen app for consoles: the one for windows has no standard output."""


def program() -> list[str]:
    """Returns the command that starts this program: its command line, and without arguments the window."""
    if is_frozen():
        twin = Path(sys.executable).with_name(CONSOLE_TWIN)
        return [str(twin) if sys.platform == "win32" and twin.exists() else sys.executable]
    return [sys.executable, "-m", "tokenarium"]


def program_module(module: str) -> list[str]:
    """Returns the command that runs a module of this program, as ``python -m`` does; arguments may follow."""
    return [*program(), WORKER, module] if is_frozen() else [sys.executable, "-m", module]


def start_again(*arguments: str, environment: dict[str, str] | None = None) -> None:
    """Starts this program in a process that this one does not own, as before it ends itself.

    It has none of this one's inputs and outputs: who reads them, such as a pipe, would wait for that process too.
    ``environment``: its variables, if not those of this process. OSError if the system starts none.
    """
    command = [sys.executable] if is_frozen() else program()
    # A frozen app marks the processes that it starts as parts of itself: this one is not.
    variables = dict(os.environ) if environment is None else environment
    if is_frozen():
        variables["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    subprocess.Popen(
        [*command, *arguments],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def asked_module(arguments: list[str]) -> str:
    """Returns the module that `program_module` asks this frozen app to run; empty if it was started otherwise.

    What asks for it is removed from the arguments, so that the module finds its own there.
    """
    if arguments[1:2] != [WORKER] or len(arguments) < 3:
        return ""
    module = arguments[2]
    del arguments[1:3]
    return module


def forget_own_libraries() -> None:
    """Lets programs that a frozen app starts, such as the browser, find the libraries of the system.

    Its starter has put its own folder before them, for itself. It does so again in each process of the app, since it is
    asked to take none of them for a part of another.
    """
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        elif os.environ.get(name) == getattr(sys, "_MEIPASS", ""):
            del os.environ[name]


def end_with_parent(parent: int = 0) -> None:
    """Has the system end this process as soon as its parent has ended, even by SIGKILL.

    The process itself calls it first of all. ``parent`` is the parent's process id; by default that of
    multiprocessing, or else of the process that started this one.

    On Linux the kernel sends SIGKILL when the *thread* that started this process ends, so start it from a
    thread that lives as long as it should (in the window: the main thread). On other systems with a
    shell, a second process checks once a second. Both work while a library holds the interpreter.
    On Windows a thread waits for the parent, and ends the process when it gets its turn.
    """
    if not parent:
        known = multiprocessing.parent_process()
        parent = os.getppid() if known is None or known.pid is None else known.pid
    if sys.platform == "win32":
        threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()
        return
    if not sys.platform.startswith("linux") or not _ask_the_kernel():
        _watch_from_beside(parent)
    if os.getppid() != parent:  # it had ended before this call
        os.kill(os.getpid(), signal.SIGKILL)


def _ask_the_kernel() -> bool:
    """Asks Linux for SIGKILL at the parent's end; returns whether it agreed, as some sandboxes do not."""
    import ctypes

    set_death_signal = 1  # PR_SET_PDEATHSIG in <linux/prctl.h>
    try:
        return bool(ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _watch_from_beside(parent: int) -> None:
    """Starts a shell that ends this process after its parent, and ends after either."""
    subprocess.Popen(
        ["/bin/sh", "-c", WATCH.format(parent=parent, child=os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _wait_for(parent: int) -> None:
    """Ends this process when another has ended: all that Windows offers."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.OpenProcess.restype = ctypes.c_void_p
        kernel.WaitForSingleObject.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        synchronize, forever = 0x00100000, 0xFFFFFFFF
        handle = kernel.OpenProcess(synchronize, False, parent)
        if handle:
            kernel.WaitForSingleObject(handle, forever)
        os._exit(1)


def how_it_ended(code: int | None) -> str:
    """Returns the name of the signal that ended a process, else its exit code, in words."""
    if code is not None and code < 0:
        return signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
    return f"exit code {code}"


def limit_memory(megabytes: int) -> int:
    """Limits the memory of this process to so much more than now; returns the limit in bytes of addresses.

    Only on Linux: elsewhere the limit of this name counts something else. Core dumps are turned off everywhere.
    """
    size = address_space()
    most = size + (megabytes << 20)
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):  # where it is less already
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if sys.platform.startswith("linux") and size:
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return most


def address_space() -> int:
    """Returns how many bytes of addresses this process has; 0 if the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * mmap.PAGESIZE
    except OSError:
        return 0
