"""The contents of the frozen app, and their licences: used by the specification, inside PyInstaller."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT / "packaging" / "licences"

# Parts of Qt that the app does not use; PyInstaller includes every plugin of a module that it finds.
QT_LIBRARIES = re.compile(
    r"(lib)?Qt6?(Qml|Quick|Pdf|VirtualKeyboard|EglFS|Sql|Designer|WaylandCompositor|WlShell|ShaderTools|Lottie"
    r"|3D|Labs|UiTools|Help|Test|SerialPort)|opengl32sw",
    re.IGNORECASE,
)
QT_PLUGINS = re.compile(
    r"/plugins/(generic|egldeviceintegrations|networkinformation|qmltooling|sqldrivers|vectorimageformats"
    r"|platforminputcontexts/.*virtualkeyboard|platforms/.*(eglfs|linuxfb|vkkhr|vnc|minimal|direct2d)"
    r"|imageformats/.*(pdf|tga|tiff|wbmp)|wayland-graphics-integration"
    r"|wayland-shell-integration/.*(wl-shell|fullscreen|ivi|qt-shell))"
)
# Libraries that belong to the system: the drivers of its graphics are linked with them, and newer ones than ours may
# be needed; fonts are configured for its own.
SYSTEM_LIBRARIES = re.compile(
    r"^lib(stdc\+\+|gcc_s|fontconfig|freetype|expat|dbus|glib|gthread|gio|gobject|gmodule|X11|X11-xcb"
    r"|xcb|drm|gbm|EGL|GL|GLX|GLdispatch|OpenGL|wayland-client|wayland-egl|wayland-cursor|gtk-3|gdk-3|gdk_pixbuf"
    r"|cairo|cairo-gobject|pango|pangocairo|pangoft2|atk|atk-bridge|atspi|harfbuzz|epoxy|fribidi|thai|datrie"
    r"|graphite2|pixman|Xcursor|Xfixes|Xext|Xrender|Xrandr|Xi|Xcomposite|Xdamage|Xinerama|Xau|Xdmcp|bsd|md|cups"
    r"|avahi-.*|gnutls|nettle|hogweed|gmp|p11-kit|tasn1|idn2|unistring|krb5|k5crypto|gssapi_krb5|krb5support|com_err"
    r"|keyutils|systemd|mount|blkid|selinux|pcre2-8|cap|gcrypt|gpg-error|lz4|resolv|z|jpeg|png16)(-?[\d.]*)\.so"
)
# Modules that libraries name and the app never reaches. The library of readline is under the GPL, which asks more of
# the app than its other licences do.
UNUSED = [
    "IPython", "PIL._avif", "PIL._imagingcms", "PIL._imagingft", "PIL._imagingtk", "PIL._webp", "curses", "ensurepip", "idlelib", "lib2to3", "matplotlib", "mypy", "mypyc", "numpy.f2py",
    "numpy.testing", "pip", "pydoc_data", "pyqtgraph.examples", "pyqtgraph.opengl", "pytest", "readline", "scipy", "setuptools",
    "test", "tkinter", "torch", "transformers", "turtledemo", "unittest.mock",
    *(f"PySide6.{name}" for name in ("QtQml", "QtQuick", "QtSql", "QtTest", "QtXml")),
]  # fmt: skip
# Modules that are not libraries: tests and programs.
NO_SOURCES = {
    "__pycache__", "dist-packages", "ensurepip", "idlelib", "lib-dynload", "lib2to3", "site-packages", "test", "tests",
    "tkinter", "turtledemo", "venv",
}  # fmt: skip


def imports_of(package: Path) -> list[str]:
    """Returns the modules that the sources of a compiled package import: PyInstaller sees only its machine code."""
    found: set[str] = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return sorted(name for name in found if _is_module(name))


def _is_module(name: str) -> bool:
    from importlib.util import find_spec

    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names and "." in name:
        return False  # a function, or a module that the analysis finds in its package
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def library_sources() -> list[tuple[str, str]]:
    """Returns the sources of Python's library with their places in the app: a corpus to train on, always there."""
    top = Path(sysconfig.get_path("stdlib"))
    home = (
        "Lib"
        if sys.platform == "win32"
        else f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    )
    made = []
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(
            name for name in folders if name not in NO_SOURCES and not name.startswith("config-")
        )
        place = Path(home, Path(folder).relative_to(top)).as_posix()
        made += [(str(Path(folder, name)), place) for name in sorted(names) if name.endswith(".py")]
    return made


def is_wanted(name: str, *, everything: bool = False) -> bool:
    """Returns whether a library or a file is of use at its place in the app.

    >>> is_wanted("PySide6/Qt/lib/libQt6Quick.so.6"), is_wanted("PySide6/Qt/lib/libQt6Gui.so.6")
    (False, True)
    >>> is_wanted("PySide6/Qt/plugins/platforms/libqvnc.so"), is_wanted("libstdc++.so.6")
    (False, False)
    """
    place = name.replace("\\", "/")
    last = place.rpartition("/")[2]
    if "/translations/" in place and place.startswith("PySide6/"):
        return False
    if QT_LIBRARIES.match(last) or QT_PLUGINS.search(place):
        return False
    return (
        everything
        or "/" in place
        or not sys.platform.startswith("linux")
        or not SYSTEM_LIBRARIES.match(last)
    )


def strip(folder: Path) -> None:
    """Removes the symbols for debuggers from Python's own libraries and from the core's: half of their size.

    The libraries of packages stay as they are: those that were changed after they were linked could break.
    """
    if not sys.platform.startswith("linux") or not shutil.which("strip"):
        return
    inner = folder / "_internal"
    for pattern in ("libpython*.so*", "python3.*/lib-dynload/*.so", "tokenarium_core/**/*.so"):
        found = [path for path in inner.glob(pattern) if not path.is_symlink()]
        if found:
            subprocess.run(["strip", "--strip-unneeded", *found], check=True)


def distributions_of(sources: Iterable[str]) -> list[metadata.Distribution]:
    """Returns the installed packages of these files."""
    real = {os.path.realpath(source) for source in sources}
    found = []
    for one in metadata.distributions():
        files = one.files or ()
        if any(os.path.realpath(str(one.locate_file(file))) in real for file in files):
            found.append(one)
    return sorted(found, key=lambda one: one.metadata["Name"].lower())


def metadata_of(found: Iterable[metadata.Distribution]) -> list[tuple[str, str, str]]:
    """Returns the files of metadata of packages, as PyInstaller lists what it collects."""
    made = []
    for one in found:
        folder = Path(str(getattr(one, "_path")))  # noqa: B009 - the only way to know it
        names = ("METADATA", "RECORD", "entry_points.txt", "top_level.txt")
        made += [
            (f"{folder.name}/{name}", str(folder / name), "DATA")
            for name in names
            if (folder / name).is_file()
        ]
    return made


def write_licences(
    folder: Path, found: Iterable[metadata.Distribution], libraries: Iterable[str]
) -> None:
    """Writes the licences of all packages in the app: a folder for each, and a list.

    ``libraries``: paths of shared libraries of the system that are copied into the app.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines = []
    python = _python_licence()
    lines.append(f"Python {sys.version.split()[0]}: PSF-2.0")
    _copy(folder / "Python", [python] if python else [])
    for one in found:
        name, licence = one.metadata["Name"], _licence(one)
        texts = [Path(str(one.locate_file(f))) for f in one.files or () if _is_licence(str(f))]
        if not texts:
            texts = [path for path in sorted(TEXTS.glob("*.txt")) if path.stem in licence]
        lines.append(f"{name} {one.version}: {licence}")
        _copy(folder / name, texts)
    for package, text in _system_licences(libraries):
        lines.append(f"{package}, from the system that this was made on: see its copyright file")
        _copy(folder / package, [text])
    about = (TEXTS / "about.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(
        about + "\n" + "\n".join(f"- {line}" for line in lines) + "\n", encoding="utf-8"
    )


def _python_licence() -> Path | None:
    for folder in (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix)):
        for name in ("LICENSE.txt", "LICENSE"):
            if (folder / name).is_file():
                return folder / name
    system = Path(f"/usr/share/doc/python3.{sys.version_info.minor}/copyright")
    return system if system.is_file() else None


def _licence(one: metadata.Distribution) -> str:
    """Returns what a package says about its licence, in a line."""
    about = one.metadata
    said = str(about.json.get("license_expression", ""))
    if not said:
        classified = [c for c in about.get_all("Classifier") or () if c.startswith("License ::")]
        said = ", ".join(c.rpartition(" :: ")[2] for c in classified) or str(
            about.json.get("license", "")
        )
    if one.metadata["Name"] == "tokenizers":
        said = "Apache-2.0"  # it names its licence by a classifier without the version
    lines = said.strip().splitlines()
    return lines[0] if lines else "see its page on PyPI"


def _is_licence(path: str) -> bool:
    """Returns whether a file of a package is the text of a licence.

    >>> _is_licence("x-1.dist-info/licenses/LICENSE.md"), _is_licence("x/license_plates.py")
    (True, False)
    """
    name = path.rpartition("/")[2].lower()
    known = name.startswith(("licen", "copying", "notice", "authors", "ofl"))
    return (known or "/licenses/" in path) and not name.endswith((".py", ".pyc", ".so"))


def _copy(folder: Path, texts: Iterable[Path]) -> None:
    for text in texts:
        folder.mkdir(exist_ok=True)
        name, count = text.name, 2
        while (folder / name).exists():
            name, count = f"{text.stem}-{count}{text.suffix}", count + 1
        shutil.copyfile(text, folder / name)


def _system_licences(libraries: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yields the Debian packages of libraries, each with its copyright file, once."""
    if not shutil.which("dpkg-query"):
        return
    seen: set[str] = set()
    for library in sorted(set(libraries)):
        places = {
            library,
            os.path.realpath(library),
            os.path.realpath(library).removeprefix("/usr"),
        }
        for place in sorted(places):
            answer = subprocess.run(
                ["dpkg-query", "--search", place], capture_output=True, text=True, check=False
            )
            package = answer.stdout.partition(":")[0]
            text = Path("/usr/share/doc", package, "copyright")
            if answer.returncode == 0 and text.is_file():
                if package not in seen:
                    seen.add(package)
                    yield package, text
                break
