"""The texts that are measured on: real, reproducible, without repetitions, and never part of the project.

On Debian and Ubuntu they are made of documentation packages, fetched by name through apt and unpacked under
``build/``, nothing is installed. Code is this Python's own library and the packages beside it. Elsewhere a
folder of texts can be named; without one, the sample texts of the app have to do.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "benchmarks" / "texts"
SAMPLES = ROOT / "resources" / "samples"

NAMES = ("english", "code", "german", "japanese", "multilingual")
LARGEST = 24_000_000  # bytes of one text
SMALLEST_TO_TRAIN_ON = 20_000_000
MARK = 25  # a line of this many characters is remembered, so that no text is used twice

HANDBOOK = "debian-handbook"
GUIDE = "installation-guide-amd64"
# Both are there in two dozen languages, a folder each; these are the folders of three of them.
LANGUAGES = {
    "english": ("html/en-US", f"{GUIDE}/en"),
    "german": ("html/de-DE", f"{GUIDE}/de"),
    "japanese": ("html/ja-JP", f"{GUIDE}/ja"),
}
# More English: package, and the files in it that hold the text once.
ENGLISH = {
    "perl-doc": "*.pod",
    "vim-doc": "*.html",
    "git-doc": "*.txt",
    "debian-reference-en": "*.html",
}


@dataclass(frozen=True)
class Text:
    """A text to measure on, and where it is from."""

    name: str
    content: str
    source: str
    real: bool = True
    """False where it is made of the app's short samples: then its figures say little."""

    @property
    def size(self) -> int:
        """Its bytes as UTF-8."""
        return len(self.content.encode())

    def parts(self, warm: int, measured: int) -> tuple[str, str]:
        """Returns a text to warm up on, a third of all at most, and another of the same kind to measure on."""
        content = self.content
        size = self.size
        first = _line_end(content, len(content) * min(warm, size // 3) // size)
        last = _line_end(content, first + len(content) * min(measured, size) // size)
        return content[:first], content[first:last]

    def train_and_test(self, test: int = 1_000_000) -> tuple[str, str]:
        """Returns a text without about its last ``test`` bytes (a tenth at most), and these."""
        size = self.size
        cut = _line_end(self.content, len(self.content) * (size - min(test, size // 10)) // size)
        return self.content[:cut], self.content[cut:]


class Texts:
    """The texts by name, each read or made when it is first asked for."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._read: dict[str, Text] = {}

    def __getitem__(self, name: str) -> Text:
        if name not in self._read:
            self._read[name] = self._text(name)
        return self._read[name]

    def by_language(self, most: int = SMALLEST_TO_TRAIN_ON) -> dict[str, str]:
        """Returns texts by language, as many bytes of each, ``most`` in all; none where there are none.

        They are the folder ``languages`` of the folder that is named, or Debian's documentation.
        """
        if self._folder is not None:
            found = {one.stem: _read(one) for one in (self._folder / "languages").glob("*.txt")}
        elif shutil.which("apt-get"):
            found = _by_language()
        else:
            found = {}
        share = most // max(len(found), 1)
        return {
            name: text.encode()[:share].decode("utf-8", "ignore")
            for name, text in sorted(found.items())
        }

    def described(self) -> dict[str, dict[str, object]]:
        """Returns size, origin and SHA-256 of each text that was used."""
        return {
            name: {
                "bytes": text.size,
                "source": text.source,
                "sha256": hashlib.sha256(text.content.encode()).hexdigest(),
            }
            for name, text in self._read.items()
        }

    def _text(self, name: str) -> Text:
        if self._folder is not None:
            path = self._folder / f"{name}.txt"
            if not path.is_file():
                names = ", ".join(f"{each}.txt" for each in NAMES)
                raise SystemExit(f"{path} is not there. --texts names a folder with {names}.")
            return Text(name, _read(path), f"the folder {self._folder}")
        path = FOLDER / f"{name}.txt"
        if name != "code" and not path.exists() and not shutil.which("apt-get"):
            return _sample(name, "there is no apt here; --texts DIR names a folder of real texts")
        try:
            if not path.exists():
                print(f"Making the text {path.relative_to(ROOT)} …", flush=True)
                _write(path, _code() if name == "code" else _prose(name))
        except subprocess.CalledProcessError as error:
            return _sample(name, f"{' '.join(error.cmd)} failed: {error.stderr.strip()[-200:]}")
        source = (
            "this Python's library and packages" if name == "code" else "Debian's documentation"
        )
        return Text(name, _read(path), source)


def _prose(name: str) -> Iterator[str]:
    """Yields the documents of a text, in an order that mixes their sources and is always the same."""
    folders = [_package(HANDBOOK), _package(GUIDE)]
    if name == "multilingual":
        paths = [path for folder in folders for path in folder.rglob("*.html")]
    else:
        parts = LANGUAGES[name]
        paths = [
            path
            for folder in folders
            for path in folder.rglob("*.html")
            if any(f"/{part}/" in path.as_posix() for part in parts)
        ]
    if name == "english":
        for package, files in ENGLISH.items():
            paths += _package(package).rglob(files)
    documents = (_document(path) for path in paths if path.is_file())
    return _without_repetitions(sorted(documents, key=_shuffled))


def _by_language() -> dict[str, str]:
    """Returns the text of the folder of each language, by its tag of two letters."""
    paths: dict[str, list[Path]] = {}
    for package, before in ((HANDBOOK, "html"), (GUIDE, GUIDE)):
        for path in _package(package).rglob("*.html"):
            parts = path.parts
            if before in parts[:-2]:
                # The last one: the name of a package is also the name of its folder.
                folder = parts[len(parts) - 1 - parts[::-1].index(before) + 1]
                paths.setdefault(folder.replace("_", "-").split("-")[0], []).append(path)
    return {
        name: "".join(_without_repetitions(sorted(map(_document, of_it), key=_shuffled)))
        for name, of_it in paths.items()
        if len(name) == 2
    }


def _code() -> Iterator[str]:
    """Yields Python files; one with more than half of its lines seen before is left out."""
    folders = {Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")}
    paths = {path for folder in folders for path in folder.rglob("*.py") if path.is_file()}
    documents = [path.read_bytes().decode("utf-8", "replace") for path in sorted(paths)]
    seen: set[int] = set()
    for document in sorted(documents, key=_shuffled):
        lines = {hash(line) for line in document.splitlines() if len(line) >= MARK}
        # A file of more than a megabyte is a table, not a program.
        if len(lines) > 2 * len(lines & seen) and len(document) < 1_000_000:
            seen |= lines
            yield document.replace("\0", "") + "\n"


def _without_repetitions(documents: Iterable[str]) -> Iterator[str]:
    """Yields the documents without the lines that an earlier one had."""
    seen: set[str] = set()
    for document in documents:
        kept = []
        for line in document.splitlines():
            mark = line.strip()
            if len(mark) >= MARK:
                if mark in seen:
                    continue
                seen.add(mark)
            if mark or (kept and kept[-1]):
                kept.append(line.rstrip())
        yield "\n".join(kept) + "\n\n"


def _shuffled(document: str) -> bytes:
    return hashlib.sha256(document.encode("utf-8", "surrogatepass")).digest()


def _package(name: str) -> Path:
    """Returns the folder of a Debian package's files, fetched and unpacked first where it is not there."""
    folder = FOLDER / "packages" / name
    if not folder.exists():
        archives = FOLDER / "packages" / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        _run(["apt-get", "download", name], archives)
        archive = max(archives.glob(f"{name}_*.deb"), key=lambda path: path.stat().st_mtime)
        part = folder.with_suffix(".part")
        _run(["dpkg-deb", "-x", str(archive), str(part)], archives)
        part.rename(folder)
    return folder


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)


def _document(path: Path) -> str:
    content = path.read_bytes().decode("utf-8", "replace").replace("\0", "")
    if path.suffix != ".html":
        return content
    page = _Page()
    page.feed(content)
    page.close()
    return "".join(page.pieces)


class _Page(HTMLParser):
    """The words of a page: one line a paragraph, and what is in ``<pre>`` as it is."""

    SKIPPED = frozenset({"script", "style", "head", "nav"})
    INLINE = frozenset(
        {"a", "abbr", "b", "big", "cite", "code", "dfn", "em", "font", "i", "kbd", "q", "s", "samp"}
        | {"small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr"}
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._skipped = 0
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in self.SKIPPED
        self._verbatim += tag == "pre"
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in self.SKIPPED
        self._verbatim -= tag == "pre"
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._skipped > 0:
            return
        if self._verbatim > 0:
            self.pieces.append(data)
            return
        words = " ".join(data.split())
        if words or data:
            head = " " if data[:1].isspace() and self._within_line() else ""
            tail = " " if words and data[-1:].isspace() else ""
            self.pieces.append(head + words + tail)

    def _break(self, tag: str) -> None:
        if tag not in self.INLINE:
            self.pieces.append("\n")

    def _within_line(self) -> bool:
        last = next((piece for piece in reversed(self.pieces) if piece), "\n")
        return not last[-1].isspace()


def _write(path: Path, documents: Iterable[str]) -> None:
    """Writes documents up to the largest size; a run that is interrupted leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    size = 0
    with part.open("wb") as file:
        for document in documents:
            size += file.write(document.encode("utf-8", "replace"))
            if size >= LARGEST:
                break
    part.replace(path)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _sample(name: str, why: str) -> Text:
    """Returns the text of the app's samples, after a warning that it is short."""
    files = {"english": "prose-en.txt", "german": "prose-de.txt", "japanese": "prose-ja.txt"}
    paths = [SAMPLES / files[name]] if name in files else sorted(SAMPLES.glob("prose-*.txt"))
    content = "\n".join(_read(path) for path in paths)
    print(f"No real text for {name!r}: {why}.\nThe app's samples are used; they are far too short.")
    return Text(name, content, f"the app's samples ({why})", real=False)


def _line_end(content: str, position: int) -> int:
    """Returns the place after the next line end, so that no cut is within a line."""
    found = content.find("\n", position)
    return found + 1 if found >= 0 else len(content)
