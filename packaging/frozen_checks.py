"""Checks of the frozen app: its workers, all pictures of the tour, and the same on a Debian without Python."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import display
import frozen_app
import terminal
from environment import Environment, child_variables
from frozen_packages import debian_package
from project import ROOT
from terminal import CommandError

SELF_CHECK = ("--worker", "tokenarium.tour.self_check")
SYSTEMS = frozen_app.FROZEN / "systems"
DEBIANS = ("bookworm", "trixie")
"""The oldest Debian that the package is for, and the one in which libraries have new names."""

SAMPLE = ("about-tokenizer", "scripts", "vocabulary")
"""Scenes that are drawn on another system."""

HANDED = ("Handed over as a file.", "Handed over by a link.")
KEPT = Path("session", "last.tokenarium")
"""What the window shows, in the folder of the user's data."""

DIFFERENT = {
    name: why
    for why, names in {
        "the folder of the program": "about-tokenizer find find-nothing find-query find-small",
        "the size of Python's library, of which the app has a part": (
            "encode-corpus save-as save-as-proved train train-board-runs train-by-another train-going"
        ),
        "times": (
            "train-kept train-race train-race-encoding train-race-encoding-merges train-race-small train-time"
        ),
        "columns as wide as the rows that came first": (
            "superwords-training superwords-training-half training-end training-japanese training-latin"
            " training-sentencepiece training-superbpe"
        ),
        "a button that fades in": "find-repository",
        "labels in the order in which tokenizers opened": "sizes-none",
    }.items()
    for name in names.split()
}
"""The states of the window that may differ, and why."""

SECONDS = 3600
"""How long a program may take, so that one that hangs ends."""

GEMMA = "tokenizers/gemma3.model"
"""A large file in the folder that TOKENARIUM_TEST_DATA names."""

# What a system changes by itself when packages come and go.
CHANGES_ANYWAY = re.compile(
    r"^/(proc|sys|dev|tmp|run|root/\.cache|var/(cache|log|lib/(apt|dpkg|ucf))|etc/(ld\.so\.cache|resolv\.conf))(/|$)"
)


@dataclass
class Results:
    """The names of checks, and whether each passed."""

    passed: int = 0
    failed: int = 0

    def note(self, name: str, said: str, *, good: bool, seconds: float) -> None:
        """Prints a line about a check, and records it."""
        self.passed += good
        self.failed += not good
        style = terminal.GREEN if good else terminal.RED
        word = terminal.styled("passed" if good else "FAILED", style)
        terminal.say(f"{word} {name} ({terminal.duration(seconds)}){': ' if said else ''}{said}")


def run(*, quick: bool) -> int:
    """Returns 0 if the app passes; ``quick`` leaves out the tour and the other system."""
    results = Results()
    terminal.heading("The frozen app")
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
        variables = _variables(Path(folder))
        program = frozen_app.program(console=True)
        _check_version(results, [program], variables)
        _check_itself(results, [program], variables, _files())
        if not quick:
            _check_tour(results, [program], variables, Path(folder) / "tour")
        if sys.platform.startswith("linux"):
            _check_window(results, lambda shown: [program], variables, Path(folder), folder)
    if sys.platform.startswith("linux"):
        _check_appimage(results)
    if not quick and sys.platform.startswith("linux"):
        why = _no_system()
        if why:
            terminal.say(f"Not run: on a system without Python. {why}")
        else:
            package = debian_package()
            for name in DEBIANS:
                _check_on_debian(results, package, name)
    terminal.say(f"\n{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


def _variables(home: Path) -> dict[str, str]:
    """Returns the variables for programs: none of ours, and an empty home."""
    kept = {
        k: v for k, v in child_variables().items() if not k.startswith(("TOKENARIUM_", "PYTHON"))
    }
    return kept | {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "LC_ALL": "C.UTF-8",
        "QT_QPA_PLATFORM": "offscreen",
    }


def _files() -> list[str]:
    data = os.environ.get("TOKENARIUM_TEST_DATA")
    gemma = Path(data, GEMMA) if data else None
    if gemma is None or not gemma.is_file():
        terminal.say(
            "Not run: opening Gemma 3, since TOKENARIUM_TEST_DATA names no folder that has it."
        )
        return []
    return [str(gemma)]


def _answer(
    command: Sequence[str | Path],
    variables: dict[str, str],
    patience: float = SECONDS,
    cwd: Path | None = None,
) -> tuple[int, str, float]:
    """Returns the exit code of a program, all that it printed, and its seconds."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or ("/" if os.name == "posix" else None),
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, f"It did not end in {patience:.0f} s.", time.monotonic() - start
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def _check_version(results: Results, program: list[Path | str], variables: dict[str, str]) -> None:
    code, said, seconds = _answer([*program, "--version"], variables)
    good = code == 0 and said.strip() == f"Tokenarium {frozen_app.version()}, core compiled"
    results.note("--version", said.strip(), good=good, seconds=seconds)


def _check_itself(
    results: Results,
    program: list[Path | str],
    variables: dict[str, str],
    files: Sequence[str],
) -> None:
    """Makes the app check its libraries, and its work in other processes."""
    code, said, seconds = _answer([*program, *SELF_CHECK, *files], variables)
    results.note("workers", "\n" + terminal.tail(said), good=code == 0, seconds=seconds)


def _check_tour(
    results: Results, program: list[Path | str], variables: dict[str, str], folder: Path
) -> None:
    """Makes the app draw every state of the window, in both schemes, and compares them with Python's.

    That is the Python, with the packages, of which the app was made. Pictures show paths and the contents of a home,
    which determine column widths. So both draw a state in the same home, empty at first, one after the other: while the
    app draws one half of the states, Python draws the other.
    """
    names = states()
    halves = names[::2], names[1::2]
    homes = [folder.with_name(f"home{number}") for number in range(2)]
    python = Environment(frozen_app.FROZEN / "environment").python
    compared = folder.with_name("python")
    code, said, seconds = 0, "", 0.0
    for turn in range(2):
        for home in homes:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(mode=0o700)
        mine, other = [
            variables | {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
            for home in (homes[turn], homes[1 - turn])
        ]
        process = subprocess.Popen(
            [str(python), "-m", "tokenarium", "--tour", str(compared), *halves[1 - turn]],
            cwd=homes[1 - turn],
            env=other,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            answer = _answer([*program, "--tour", folder, *halves[turn]], mine, cwd=homes[turn])
            process.wait(SECONDS)
        finally:
            process.kill()
        code, said, seconds = code or answer[0], said + answer[1], seconds + answer[2]
    pictures = {path.stem for path in folder.glob("*.png")}
    wanted = {f"{name}-{scheme}" for name in names for scheme in ("light", "dark")}
    missing = sorted(wanted - pictures)
    differ = [
        picture
        for picture in different(folder, compared)
        if picture.rpartition("-")[0] not in DIFFERENT
    ]
    about = f"{len(pictures)} pictures" + (f", none of {', '.join(missing)}" if missing else "")
    about += f", not as Python draws them: {', '.join(differ)}" if differ else ""
    rest = [line for line in said.splitlines() if not line.startswith("wrote ")]
    good = code == 0 and not missing and not differ
    results.note("tour", "\n".join([about, *rest[:20]]), good=good, seconds=seconds)


def states() -> list[str]:
    """Returns the names of all states of the window that the tour draws, in order."""
    scenes = [path.name.partition(".")[0] for path in (ROOT / "resources" / "tour").iterdir()]
    source = (ROOT / "explorer" / "tokenarium" / "tour" / "faked.py").read_text(encoding="utf-8")
    faked = re.findall(r'^    "([a-z0-9-]+)":', source.partition("FAKED: Final")[2], re.MULTILINE)
    return sorted({*scenes, *faked})


def different(some: Path, others: Path) -> list[str]:
    """Returns the names of pictures that differ between two folders, or are in only one of them."""
    names = {path.name for folder in (some, others) for path in folder.glob("*.png")}
    return sorted(
        Path(name).stem
        for name in names
        if not all((folder / name).is_file() for folder in (some, others))
        or (some / name).read_bytes() != (others / name).read_bytes()
    )


def _check_appimage(results: Results) -> None:
    """Makes the AppImage of this version, if there is one, check itself; it unpacks itself, which needs no FUSE."""
    for path in frozen_app.OUTPUT.glob(f"*-{frozen_app.version()}-*.AppImage"):
        terminal.heading("The AppImage")
        with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
            variables = _variables(Path(folder)) | {"APPIMAGE_EXTRACT_AND_RUN": "1"}
            _check_version(results, [path], variables)
            _check_itself(results, [path], variables, _files())


def _check_window(
    results: Results,
    program_on: Callable[[dict[str, str]], list[Path | str]],
    variables: dict[str, str],
    home: Path,
    seen_home: str,
    picture: Path | None = None,
) -> None:
    """Opens the window on a display, looks for it with xdotool, and gives it a file and a link by later starts.

    ``program_on`` gives the command for the variables of a display; ``seen_home`` is the path of ``home`` for the
    program.
    """
    if not shutil.which("xdotool") or not (display.available() or shutil.which("Xvfb")):
        terminal.say("Not run: a window on a display, which needs xvfb and xdotool.")
        return
    with display.some_display() as shown:
        variables = {**variables, **shown, "TOKENARIUM_DATA": f"{seen_home}/data"}
        if "QT_QPA_PLATFORM" not in shown:
            variables.pop("QT_QPA_PLATFORM", None)
        program = program_on(variables)
        start = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in program],
            env=variables,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            title = _title(process, variables)
            results.note(
                "window",
                title or "no window was seen",
                good=bool(title),
                seconds=time.monotonic() - start,
            )
            if title:
                _check_later_starts(results, program, variables, home, seen_home)
                if picture and shutil.which("import"):
                    command = ["import", "-window", "root", str(picture)]
                    subprocess.run(command, env=variables, check=False)
        finally:
            process.terminate()
            process.wait(20)


def _title(process: subprocess.Popen[bytes], variables: dict[str, str]) -> str:
    """Returns the title of the window that a program opens, once it is there, or ""."""
    command = ["xdotool", "search", "--onlyvisible", "--name", "Tokenarium", "getwindowname"]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        answer = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if answer.returncode == 0 and answer.stdout.strip():
            return answer.stdout.strip().splitlines()[0]
        time.sleep(0.05)
    return ""


def _check_later_starts(
    results: Results,
    program: list[Path | str],
    variables: dict[str, str],
    home: Path,
    seen_home: str,
) -> None:
    """Starts the program again with a file and with a link: it ends, and the window shows them."""
    (home / "handed.txt").write_text(HANDED[0], encoding="utf-8")
    kept = home / "data" / KEPT
    _appears(kept, "tokenarium")  # the window listens by then
    for what, word, wanted in zip(
        ("a later start with a file", "a later start with a link"),
        (f"{seen_home}/handed.txt", link_to(HANDED[1])),
        HANDED,
        strict=True,
    ):
        code, said, seconds = _answer([*program, word], variables, 60)
        good = code == 0 and _appears(kept, wanted)
        results.note(
            what, said.strip() or ("" if good else "not shown"), good=good, seconds=seconds
        )


def _appears(path: Path, words: str) -> bool:
    """Returns whether a file has these words, within a minute."""
    for _ in range(600):
        if path.is_file() and words in path.read_text(encoding="utf-8"):
            return True
        time.sleep(0.1)
    return False


def link_to(text: str) -> str:
    """Returns a link that shows a text."""
    scene = json.dumps({"tokenarium": 1, "text": {"inline": text}}).encode()
    return "tokenarium:" + base64.urlsafe_b64encode(zlib.compress(scene)).decode().rstrip("=")


# Checks on a Debian without Python.


def _no_system() -> str:
    """Returns why there is no other system to try the package on, or ""."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "That needs root, to change the root folder."
    if not shutil.which("debootstrap") or not shutil.which("dpkg-deb"):
        return "That needs debootstrap and dpkg: apt install debootstrap"
    return ""


@contextmanager
def debian(name: str) -> Iterator[Path]:
    """Yields the root of a fresh minimal Debian, which is downloaded once; the root is removed afterwards."""
    SYSTEMS.mkdir(parents=True, exist_ok=True)
    archive = SYSTEMS / f"{name}.tar"
    if not archive.exists():
        fresh = SYSTEMS / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        terminal.run_quietly(
            ["debootstrap", "--variant=minbase", name, fresh], "Downloading a minimal Debian"
        )
        part = archive.with_suffix(".part")
        terminal.run_quietly(["tar", "-C", fresh, "-cf", part, "."], "Keeping it")
        part.rename(archive)
        shutil.rmtree(fresh)
    root = Path(tempfile.mkdtemp(prefix="root-", dir=SYSTEMS))
    mounted: list[Path] = []
    try:
        terminal.run_quietly(["tar", "-C", root, "-xf", archive], "Unpacking a minimal Debian")
        shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
        for folder in ("proc", "dev", "sys"):
            subprocess.run(["mount", "--rbind", f"/{folder}", root / folder], check=True)
            subprocess.run(["mount", "--make-rslave", root / folder], check=True)
            mounted.append(root / folder)
        yield root
    finally:
        for path in reversed(mounted):
            subprocess.run(["umount", "--recursive", "--lazy", path], check=False)
        if not any(os.path.ismount(path) for path in mounted):
            shutil.rmtree(root, ignore_errors=True)


def _inside(root: Path, *command: str, **variables: str) -> list[str]:
    """Returns the command that runs another inside a root, with its own home."""
    usual = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    pairs = [f"{name}={value}" for name, value in (usual | variables).items()]
    return ["chroot", str(root), "/usr/bin/env", "-i", *pairs, *command]


def _check_on_debian(results: Results, package: Path, name: str) -> None:
    """Installs the package on a minimal Debian, opens the app there, and removes it."""
    terminal.heading(f"On a minimal Debian ({name}), with no Python")
    with debian(name) as root:
        apt = ("apt-get", "-y", "-q", "-o", "Dpkg::Use-Pty=0", "-o", "APT::Install-Recommends=0")
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        code, said, _ = _answer(_inside(root, *apt, "update", **quiet), dict(os.environ))
        if code:
            raise CommandError(f"apt-get update failed there:\n{terminal.tail(said)}")
        before = _paths(root)
        shutil.copyfile(package, root / "app.deb")
        code, said, seconds = _answer(
            _inside(root, *apt, "install", "/app.deb", **quiet), dict(os.environ)
        )
        (root / "app.deb").unlink()
        count = len(re.findall(r"^Setting up ", said, re.MULTILINE))
        results.note(
            "apt install",
            f"{count} packages" if not code else said[-2000:],
            good=code == 0,
            seconds=seconds,
        )
        code, said, seconds = _answer(
            _inside(root, "sh", "-c", "command -v python3 python"), dict(os.environ)
        )
        results.note("no Python", said, good=bool(code), seconds=seconds)
        offscreen = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": "/root"}
        program: list[Path | str] = [*_inside(root, "tokenarium", **offscreen)]
        _check_version(results, program, dict(os.environ))
        files = []
        for file in _files():
            shutil.copyfile(file, root / "root" / Path(file).name)
            files.append(f"/root/{Path(file).name}")
        _check_itself(results, program, dict(os.environ), files)
        _check_pictures_there(results, program, root)
        _check_window_there(results, root, frozen_app.FROZEN / f"{name}.png")
        _check_removal(results, root, apt, before)


def _check_pictures_there(results: Results, program: list[Path | str], root: Path) -> None:
    """Makes the installed app draw some scenes of the tour."""
    code, _, seconds = _answer([*program, "--tour", "/root/tour", *SAMPLE], dict(os.environ))
    drawn = len(list((root / "root/tour").glob("*.png")))
    good = code == 0 and drawn == 2 * len(SAMPLE)
    results.note("pictures", f"{drawn} of {2 * len(SAMPLE)}", good=good, seconds=seconds)


def _check_window_there(results: Results, root: Path, picture: Path) -> None:
    """Opens the window of the installed app on a display of this system."""
    sockets = root / "tmp/.X11-unix"
    sockets.mkdir(parents=True, exist_ok=True)
    Path("/tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
    subprocess.run(["mount", "--bind", "/tmp/.X11-unix", sockets], check=True)
    try:
        own = {"XDG_RUNTIME_DIR": "/root", "TOKENARIUM_DATA": "/root/data"}

        def program_on(shown: dict[str, str]) -> list[Path | str]:
            return [*_inside(root, "tokenarium", **own, DISPLAY=shown.get("DISPLAY", ""))]

        _check_window(results, program_on, dict(os.environ), root / "root", "/root", picture)
    finally:
        subprocess.run(["umount", sockets], check=False)


def _check_removal(results: Results, root: Path, apt: Sequence[str], before: set[str]) -> None:
    """Removes the package and its dependencies, and compares the files with the earlier ones."""
    there = _answer(_inside(root, *apt, "purge", "tokenarium"), dict(os.environ))
    gone = _answer(_inside(root, *apt, "autoremove", "--purge"), dict(os.environ))
    left = sorted(path for path in _paths(root) - before if not path.startswith("/root/"))
    ours = [path for path in left if "tokenarium" in path.lower()]
    said = f"{len(left)} files of other packages are left" if left else "no file is left"
    if ours or left:
        said += ": " + ", ".join([*ours, *left][:10])
    good = there[0] == gone[0] == 0 and not ours
    results.note("apt purge", said, good=good, seconds=there[2])


def _paths(root: Path) -> set[str]:
    """Returns all paths of a system, without those that change with any package."""
    found: set[str] = set()
    for folder, folders, names in os.walk(root):
        inside = "/" + os.path.relpath(folder, root) if Path(folder) != root else ""
        folders[:] = [name for name in folders if not CHANGES_ANYWAY.match(f"{inside}/{name}")]
        found.update(f"{inside}/{name}" for name in (*folders, *names))
    return {path for path in found if not CHANGES_ANYWAY.match(path)}
