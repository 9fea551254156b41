"""Packages and installers of the frozen app: .deb, AppImage, Inno Setup's installer, and a disk image for macOS.

What the desktop knows of the app (its entry, icons, types of files) is in ``packaging/linux``. A package copies what
is there, so that each has the same.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import qt_libraries
import terminal
from freeze import APP, FROZEN, OUTPUT, PACKAGING, size_of, version
from project import ROOT, settings
from terminal import CommandError

LINUX = PACKAGING / "linux"
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
    """Returns the .deb, made now: the app in /usr/lib, a link in /usr/bin, and what the desktop needs to know."""
    _need("dpkg-deb", "apt install dpkg")
    tree = FROZEN / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    _fill(tree)
    (tree / "usr/bin" / NAME).symlink_to(Path("/") / HOME / NAME)
    documents = tree / "usr/share/doc" / NAME
    documents.mkdir(parents=True)
    shutil.copyfile(ROOT / "LICENSE", documents / "copyright")
    pages = tree / "usr/share/man/man1"
    pages.mkdir(parents=True)
    _write_packed(pages / f"{NAME}.1.gz", MAN_PAGE)
    _write_packed(documents / "changelog.gz", _changelog())
    depends, recommends = dependencies(tree / HOME)
    (tree / "DEBIAN").mkdir()
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
    _run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, path], "Packing the .deb")
    return path


def _fill(tree: Path) -> None:
    """Puts the app and what ``packaging/linux`` has for the desktop into a tree, where Linux looks for them."""
    home = tree / HOME
    home.parent.mkdir(parents=True)
    shutil.copytree(APP, home, symlinks=True)
    (tree / "usr/bin").mkdir(parents=True)
    for source, place in desktop_files():
        target = tree / "usr/share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or path == home / NAME
            path.chmod(0o755 if runs else 0o644)


def desktop_files() -> Iterator[tuple[Path, Path]]:
    """Yields the files for the desktop, with their places below ``usr/share``."""
    for path in sorted(LINUX.rglob("*")):
        if path.suffix == ".desktop":
            yield path, Path("applications") / path.name
        elif path.name.endswith((".metainfo.xml", ".appdata.xml")):
            yield path, Path("metainfo") / path.name
        elif path.suffix == ".xml":
            yield path, Path("mime/packages") / path.name
    for path in sorted((LINUX / "icons").rglob("*.*")):
        if path.suffix in (".png", ".svg"):
            inside = path.relative_to(LINUX / "icons")
            yield (
                path,
                Path("icons")
                / (inside if inside.parts[0] == "hicolor" else Path("hicolor") / inside),
            )


def dependencies(app: Path) -> tuple[list[str], list[str]]:
    """Returns the Debian packages that the app needs, with versions, and those that only a part of it needs.

    ``dpkg-shlibdeps`` finds them for each library of the app; what is in the app itself is no dependency.
    """
    _need("dpkg-shlibdeps", "apt install dpkg-dev")
    libraries = [path for path in app.rglob("*") if _is_library(path)]
    optional = [
        path for path in libraries if any(part in str(path.relative_to(app)) for part in OPTIONAL)
    ]
    needed = [path for path in libraries if path not in set(optional)]
    folders = sorted({path.parent for path in libraries})
    depends = _packages_of(needed, folders)
    # The offscreen platform and a real window both need them, and the app loads them by name.
    names = {entry.split(" ")[0] for entry in depends}
    recommends = [one for one in _packages_of(optional, folders) if one.split(" ")[0] not in names]
    return depends, [*recommends, "fonts-noto-core", "fonts-noto-color-emoji"]


def _is_library(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _packages_of(libraries: list[Path], folders: list[Path]) -> list[str]:
    """Returns what dpkg-shlibdeps finds, sorted."""
    if not libraries:
        return []
    work = FROZEN / "shlibdeps"
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian" / "control").write_text(
        f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n"
    )
    options = ["-O", "--ignore-missing-info", *(f"-l{folder}" for folder in folders)]
    done = subprocess.run(
        ["dpkg-shlibdeps", *options, *(f"-e{path}" for path in libraries)],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        missing = sorted(set(re.findall(r"cannot find library (\S+)", done.stderr)))
        packages = [
            qt_libraries.PACKAGES[name] for name in missing if name in qt_libraries.PACKAGES
        ]
        advice = f" Install {', '.join(packages)}." if packages else ""
        raise CommandError(
            f"the packages of libraries were not found.{advice}\n{terminal.tail(done.stderr)}"
        )
    found = done.stdout.partition("shlibs:Depends=")[2]
    return sorted(entry.strip() for entry in found.split(",") if entry.strip())


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
    """Returns the AppImage, made by the script beside this, which finds appimagetool by itself or says how to get it."""
    tree = FROZEN / "AppDir"
    shutil.rmtree(tree, ignore_errors=True)
    _fill(tree)
    path = OUTPUT / f"Tokenarium-{version()}-{platform.machine()}.AppImage"
    path.unlink(missing_ok=True)
    _run(["sh", LINUX / "appimage.sh", tree, path], "Making the AppImage")
    return path


def windows_installer() -> Path:
    """Returns the installer for Windows, made by Inno Setup 6; CommandError where that is not installed."""
    compiler = shutil.which("ISCC") or shutil.which("iscc")
    usual = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Inno Setup 6" / "ISCC.exe"  # fmt: skip
    if compiler is None and usual.exists():
        compiler = str(usual)
    if sys.platform != "win32" or compiler is None:
        raise CommandError(
            "The installer is made on Windows, by Inno Setup 6, which is not here. Get it there: choco install innosetup"
        )
    name = f"Tokenarium-{version()}-setup"
    options = [f"/DVersion={version()}", f"/DApp={APP}", f"/O{OUTPUT}", f"/F{name}", "/Qp"]
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
