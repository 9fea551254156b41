"""Packages and installers of the frozen app: .deb, AppImage, Inno Setup's installer, and a disk image for macOS.

The desktop's files about the app (its entry, icons, file types) are made by ``packaging/desktop_files.py``, so that
each package has the same.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from email.utils import formatdate
from pathlib import Path

import qt_libraries
import terminal
from environment import child_variables
from frozen_app import APP, FROZEN, OUTPUT, PACKAGING, size_of, version
from project import ROOT, settings
from terminal import CommandError

NAME = "tokenarium"
HOME = Path("usr/lib") / NAME
"""Where the app is installed, below the root of the system."""

# Without these the app works, but for one thing each: dialogs of the desktop, printing, Wayland.
OPTIONAL = (
    "platformthemes/",
    "printsupport/",
    "wayland",
    "libqwayland",
    "ibusplatforminputcontext",
)
# Libraries whose packages have two names: newer systems add "t64", since their times have 64 bits there.
RENAMED = {
    "libasound2",
    "libatk-bridge2.0-0",
    "libatk1.0-0",
    "libatspi2.0-0",
    "libcups2",
    "libglib2.0-0",
    "libgtk-3-0",
    "libssl3",
}
DEBIAN_MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armhf"}

CONTROL = """\
Package: {name}
Version: {version}
Section: science
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: {recommends}
Description: {summary}
 Tokenarium shows how a text becomes the tokens of a language model, stage by
 stage, for several tokenizers side by side: OpenAI's encodings, and files of
 Hugging Face and SentencePiece. It compares, explains and trains them.
 .
 This package has its own Python and Qt in it.
"""

MAN_PAGE = """\
.TH TOKENARIUM 1
.SH NAME
tokenarium \\- explore how a text becomes tokens
.SH SYNOPSIS
.B tokenarium
.RI [ FILE ...]
.br
.B tokenarium
.I COMMAND
.RI [ ARGUMENT ...]
.SH DESCRIPTION
Without a command, the window opens, with a text file and tokenizer files where they are named.
.B tokenarium \\-\\-help
lists the commands, and
.B tokenarium
.I COMMAND
.B \\-\\-help
the options of one.
.SH FILES
Licences of all that the app has in it are in
.IR /usr/lib/tokenarium/licences .
"""


def debian_package() -> Path:
    """Makes and returns the .deb: the app in /usr/lib, a link in /usr/bin, and the desktop's files."""
    _need("dpkg-deb", "apt install dpkg")
    tree = FROZEN / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    _fill(tree)
    (tree / "DEBIAN").mkdir()
    (tree / "usr/bin" / NAME).symlink_to(Path("/") / HOME / NAME)
    documents = tree / "usr/share/doc" / NAME
    documents.mkdir(parents=True)
    shutil.copyfile(ROOT / "LICENSE", documents / "copyright")
    pages = tree / "usr/share/man/man1"
    pages.mkdir(parents=True)
    _write_packed(pages / f"{NAME}.1.gz", MAN_PAGE)
    _write_packed(documents / "changelog.gz", _changelog())
    depends, recommends = dependencies(tree / HOME)
    (tree / "DEBIAN" / "control").write_text(
        CONTROL.format(
            name=NAME,
            version=version(),
            architecture=_architecture(),
            maintainer=_maintainer(),
            kilobytes=size_of(tree) // 1024,
            depends=", ".join(depends),
            recommends=", ".join(recommends),
            summary=settings()["project"]["description"].partition(":")[0].rstrip("."),
        ),
        encoding="utf-8",
    )
    path = OUTPUT / f"{NAME}_{version()}_{_architecture()}.deb"
    path.unlink(missing_ok=True)
    _run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", tree, path],
        "Packing the .deb",
    )
    return path


def _fill(tree: Path) -> None:
    """Puts the app and the desktop's files into a tree, where Linux looks for them."""
    home = tree / HOME
    home.parent.mkdir(parents=True)
    shutil.copytree(APP, home, symlinks=True)
    (tree / "usr/bin").mkdir(parents=True)
    terminal.run_quietly(
        [
            FROZEN / "environment" / "bin" / "python",
            PACKAGING / "desktop_files.py",
            tree / "usr/share",
        ],
        "Making what the desktop needs to know",
        variables=child_variables() | {"QT_QPA_PLATFORM": "offscreen"},
    )
    for path in tree.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or path == home / NAME
            path.chmod(0o755 if runs else 0o644)


def dependencies(app: Path) -> tuple[list[str], list[str]]:
    """Returns the Debian packages that the app needs, with versions, and those that only parts of it need.

    They are those of the shared libraries that its own are linked with and that are not in it.
    """
    _need("readelf", "apt install binutils")
    libraries = [path for path in app.rglob("*") if _is_library(path)]
    optional = {
        path for path in libraries if any(part in str(path.relative_to(app)) for part in OPTIONAL)
    }
    inside = {path.name for path in app.rglob("*.so*")}
    depends = _packages_of([path for path in libraries if path not in optional], inside)
    recommends = _packages_of(sorted(optional), inside)
    extra = [entry for name, entry in recommends.items() if name not in depends]
    return list(depends.values()), [*extra, *sorted(set(qt_libraries.FONTS.values()))]


def _is_library(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _packages_of(libraries: list[Path], inside: set[str]) -> dict[str, str]:
    """Returns the packages of linked libraries, by name, each as in a control file."""
    if not libraries:
        return {}
    _, said = terminal.captured(["readelf", "--wide", "--dynamic", "--version-info", *libraries])
    wanted = {name: versions for name, versions in linked(said).items() if name not in inside}
    found: dict[str, str] = {}
    lowest: dict[str, list[str]] = {}
    lacking = []
    places = dict(
        re.findall(r"^\t(\S+) \(.*?=> (\S+)$", terminal.captured(["/sbin/ldconfig", "-p"])[1], re.M)
    )
    for name, versions in sorted(wanted.items()):
        package = _owner(places.get(name, ""))
        if not package:
            lacking.append(name)
            continue
        lowest.setdefault(package, []).extend(_versions(package, versions))
    if lacking:
        raise CommandError(
            "some libraries that the app needs are neither in it nor on this system, so their packages are not known:"
            f" {', '.join(lacking)}. Install them, and run the same command again."
        )
    for package, numbers in sorted(lowest.items()):
        name = package.partition(":")[0]
        latest = max(numbers, key=_numbers, default="")
        found[name] = alternatives(name, latest)
    return found


def alternatives(package: str, version: str) -> str:
    """Returns how a control file names a package of this version or later, by both names if it has two.

    >>> alternatives("libcups2", "1.7"), alternatives("libssl3t64", "")
    ('libcups2 (>= 1.7) | libcups2t64 (>= 1.7)', 'libssl3t64 | libssl3')
    """
    plain = package.removesuffix("t64")
    names = [package]
    if plain in RENAMED:
        names.append(plain if package != plain else f"{plain}t64")
    return " | ".join(f"{name} (>= {version})" if version else name for name in names)


def linked(said: str) -> dict[str, set[str]]:
    """Returns the libraries that others are linked with, each with the versions of its symbols, from readelf's output.

    >>> linked(
    ...     " 0x1 (NEEDED)  Shared library: [libc.so.6]\\n  0x0: Version: 1  File: libc.so.6  Cnt: 1\\n"
    ...     "  0x10:   Name: GLIBC_2.34  Flags: none  Version: 2"
    ... )
    {'libc.so.6': {'GLIBC_2.34'}}
    """
    found: dict[str, set[str]] = {}
    library = ""
    for line in said.splitlines():
        if "(NEEDED)" in line:
            found.setdefault(line.partition("[")[2].partition("]")[0], set())
        elif match := re.search(r"Version: \d+ +File: (\S+)", line):
            library = match[1]
        elif match := re.search(r"Name: (\S+) +Flags:", line):
            found.setdefault(library, set()).add(match[1])
    return found


def _owner(library: str) -> str:
    """Returns the package that a library of this system is from, or ""."""
    real = os.path.realpath(library) if library else ""
    for place in (library, real, real.removeprefix("/usr"), library.removeprefix("/usr")):
        if place:
            code, said = terminal.captured(["dpkg-query", "--search", place])
            if code == 0:
                return said.partition(": ")[0].partition(",")[0]
    return ""


def _versions(package: str, symbols: set[str]) -> list[str]:
    """Returns the versions of a package that have these versions of symbols, as it says itself."""
    for name in (package, package.partition(":")[0]):
        path = Path("/var/lib/dpkg/info", f"{name}.symbols")
        if path.is_file():
            lines = re.findall(r"^ (\S+)@\1 (\S+)", path.read_text(encoding="utf-8"), re.M)
            return [version for symbol, version in lines if symbol in symbols]
    return []


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version.partition("~")[0])]


def _architecture() -> str:
    return DEBIAN_MACHINES.get(platform.machine(), platform.machine())


def _maintainer() -> str:
    author = settings()["project"]["authors"][0]
    return f"{author['name']} <{author.get('email', 'nobody@localhost')}>"


def _changelog() -> str:
    when = int(os.environ.get("SOURCE_DATE_EPOCH", (ROOT / "CHANGELOG.md").stat().st_mtime))
    return (
        f"{NAME} ({version()}) unstable; urgency=low\n\n  * See the changelog of the program.\n\n"
        f" -- {_maintainer()}  {formatdate(when)}\n"
    )


def _write_packed(path: Path, text: str) -> None:
    import gzip

    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def appimage() -> Path:
    """Returns the AppImage: a small program that mounts or unpacks what follows it, and the app as a squashfs.

    RUNTIME names that program, which is built from AppImage/type2-runtime; raises CommandError if it is not given.
    """
    start = os.environ.get("RUNTIME", "")
    if not Path(start).is_file():
        raise CommandError(
            "RUNTIME names no file. An AppImage begins with a program: get runtime-"
            f"{platform.machine()} from https://github.com/AppImage/type2-runtime/releases, let RUNTIME name it, and run"
            " the same command again."
        )
    _need("mksquashfs", "apt install squashfs-tools")
    tree = FROZEN / "AppDir"
    shutil.rmtree(tree, ignore_errors=True)
    _fill(tree)
    _arrange(tree)
    path = OUTPUT / f"Tokenarium-{version()}-{platform.machine()}.AppImage"
    content = path.with_suffix(".squashfs")
    content.unlink(missing_ok=True)
    options = ["-root-owned", "-noappend", "-no-progress", "-quiet", "-comp", "zstd"]
    _run(["mksquashfs", tree, content, *options], "Packing the AppImage")
    with path.open("wb") as made, content.open("rb") as packed:
        made.write(_as_type_2(Path(start).read_bytes()))
        shutil.copyfileobj(packed, made)
    content.unlink()
    path.chmod(0o755)
    return path


def _arrange(tree: Path) -> None:
    """Adds what an AppImage has at the top: its entry, its icon, and AppRun, which starts it."""
    shutil.copyfile(tree / f"usr/share/applications/{NAME}.desktop", tree / f"{NAME}.desktop")
    icon = next((tree / "usr/share/icons").rglob(f"{NAME}.svg"))
    shutil.copyfile(icon, tree / icon.name)
    (tree / ".DirIcon").symlink_to(icon.name)
    (tree / "AppRun").symlink_to(HOME / NAME)
    (tree / "usr/bin" / NAME).symlink_to(Path("..") / HOME.relative_to("usr") / NAME)


def _as_type_2(start: bytes) -> bytes:
    """Returns the program at the beginning of an AppImage, with the three bytes that identify it."""
    return start[:8] + b"AI\x02" + start[11:]


def windows_installer() -> Path:
    """Returns the installer for Windows, made by Inno Setup 6; raises CommandError if that is not installed."""
    compiler = shutil.which("ISCC") or shutil.which("iscc")
    usual = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Inno Setup 6" / "ISCC.exe"  # fmt: skip
    if compiler is None and usual.exists():
        compiler = str(usual)
    if sys.platform != "win32" or compiler is None:
        raise CommandError(
            "The installer is made on Windows, by Inno Setup 6, which is not here. Get it there: choco install innosetup"
        )
    name = f"Tokenarium-{version()}-setup"
    options = [
        f"/DVersion={version()}",
        f"/DApp={APP}",
        f"/DIcon={FROZEN / 'icons' / 'tokenarium.ico'}",
        f"/O{OUTPUT}",
        f"/F{name}",
        "/Qp",
    ]
    _run([compiler, *options, PACKAGING / "windows" / "tokenarium.iss"], "Making the installer")
    return OUTPUT / f"{name}.exe"


def disk_image() -> Path:
    """Returns the disk image for macOS: the app, and a link to the folder that it is dragged to."""
    if sys.platform != "darwin":
        raise CommandError(
            "The disk image is made on macOS, by hdiutil, which other systems do not have."
        )
    tree = FROZEN / "dmg"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    shutil.copytree(APP.parent / "Tokenarium.app", tree / "Tokenarium.app", symlinks=True)
    (tree / "Applications").symlink_to("/Applications")
    path = OUTPUT / f"Tokenarium-{version()}-macos-{platform.machine()}.dmg"
    path.unlink(missing_ok=True)
    _run(
        [
            "hdiutil",
            "create",
            "-volname",
            "Tokenarium",
            "-srcfolder",
            tree,
            "-ov",
            "-format",
            "UDZO",
            path,
        ],
        "Making the disk image",
    )
    return path


def _need(program: str, how: str) -> None:
    if shutil.which(program) is None:
        raise CommandError(f"{program} is not installed. Get it by: {how}")


def _run(command: list[str | Path], what: str) -> None:
    terminal.run_quietly(command, what, variables=dict(os.environ))
