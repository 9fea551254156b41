"""Checks for a release: the same version everywhere, a dated changelog, a current lock, and a clean tree.

``dev.py release`` only checks; with a version, it writes the version, and prints the next commands.
It never commits, tags or pushes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import locking
import terminal
from environment import Environment, child_variables
from project import CORE_PROJECT, ROOT
from terminal import CommandError

VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
ASSIGNED = re.compile(r'^(__version__: Final = )"([^"]*)"$', re.MULTILINE)
HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?P<rest>[^\n]*)\n", re.MULTILINE)
DATED = re.compile(r" - (\d{4}-\d{2}-\d{2})")
MENTIONED = re.compile(r"tokenarium(?:[_-]core)?(?:==|[-_ ]v?)(\d+\.\d+\.\d+)", re.IGNORECASE)
SUMS = "SHA256SUMS"
CONTENTS = "tokenarium.cdx.json"


@dataclass(frozen=True)
class Release:
    """The files of a tree that contain its version."""

    root: Path = ROOT

    @property
    def version_file(self) -> Path:
        """The source of the version."""
        return self.root / "core" / "tokenarium_core" / "version.py"

    @property
    def changelog(self) -> Path:
        """What changed from release to release, newest first."""
        return self.root / "CHANGELOG.md"

    @property
    def metainfo(self) -> Path:
        """What Linux's software centres show; its releases are listed newest first."""
        return self.root / "packaging" / "linux" / "tokenarium.metainfo.xml"

    def version(self) -> str:
        """Returns the version of the tree."""
        found = ASSIGNED.search(self.version_file.read_text(encoding="utf-8"))
        if found is None:
            raise CommandError(f"{terminal.short(self.version_file)} has no line with the version.")
        return found[2]

    def section(self, version: str) -> tuple[str, str]:
        """Returns the date of a version in the changelog, empty if it has none, and its text."""
        text = self.changelog.read_text(encoding="utf-8")
        headings = list(HEADING.finditer(text))
        ends = [*(found.start() for found in headings[1:]), len(text)]
        for heading, end in zip(headings, ends, strict=True):
            if heading["name"] == version:
                dated = DATED.fullmatch(heading["rest"])
                return (dated[1] if dated else ""), text[heading.end() : end].strip()
        return "", ""

    def faults(self, tag: str = "") -> Iterator[str]:
        """Yields a sentence for each obstacle to a release, with what to do.

        Without a tag the version must not have one; with one, as a release is built from it, that has to be its name.
        """
        version = self.version()
        if not VERSION.fullmatch(version):
            yield f"The version {version} is not three numbers, such as 0.2.0 or 0.2.0rc1."
        yield from self._faults_of_changelog(version)
        yield from self._faults_of_metainfo(version)
        yield from self._faults_of_pages(version)
        if not locking.is_fresh():
            yield f"The lock is not of the requirements that are there now. Type: {locking.COMMAND}"
        yield from self._faults_of_git(version, tag)

    def write(self, version: str, day: date) -> list[Path]:
        """Writes a version and its date where they belong; returns the files that changed.

        Raises CommandError before anything is written, for an invalid version or an empty changelog.
        """
        if not VERSION.fullmatch(version):
            raise CommandError(
                f"{version} is no version: three numbers, such as 0.2.0 or 0.2.0rc1."
            )
        changelog = self._changelog_with(version, day)
        changed = {
            self.version_file: ASSIGNED.sub(
                rf'\g<1>"{version}"', self.version_file.read_text(encoding="utf-8")
            ),
            self.changelog: changelog,
        }
        if self.metainfo.exists():
            changed[self.metainfo] = self._metainfo_with(version, day)
        written = []
        for path, text in changed.items():
            if path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8", newline="\n")
                written.append(path)
        return written

    def _faults_of_changelog(self, version: str) -> Iterator[str]:
        day, text = self.section(version)
        if not text:
            yield f"CHANGELOG.md has no text under “## [{version}] - DATE”."
        elif not day:
            yield f"CHANGELOG.md has no date for {version}: “## [{version}] - 2026-01-31”."
        if self.section("Unreleased")[1]:
            yield f"CHANGELOG.md has changes under Unreleased. Do they belong to {version}?"

    def _faults_of_metainfo(self, version: str) -> Iterator[str]:
        if not self.metainfo.exists():
            return
        newest = ElementTree.parse(self.metainfo).getroot().find("releases/release")
        found = None if newest is None else (newest.get("version"), newest.get("date"))
        if found != (version, self.section(version)[0]):
            yield f"{self.metainfo.name} does not begin its releases with {version} and its date."

    def _faults_of_pages(self, version: str) -> Iterator[str]:
        """Package pages, guides: a version that is written out in them is soon outdated."""
        for path in [*self.root.glob("*.md"), *(self.root / "docs").glob("*.md")]:
            if path == self.changelog:
                continue
            for found in MENTIONED.finditer(path.read_text(encoding="utf-8")):
                if found[1] != version:
                    yield f"{path.relative_to(self.root)} names {found[0]}, and this is {version}."

    def _faults_of_git(self, version: str, tag: str) -> Iterator[str]:
        if self._git("status", "--porcelain"):
            yield "There are changes that are not committed."
        tags = self._git("tag", "--list", f"v{version}")
        if tag:
            if tag != f"v{version}":
                yield f"The tag is {tag}, and the version {version}."
        elif tags:
            yield f"The tag v{version} is there already: this version was released."

    def _changelog_with(self, version: str, day: date) -> str:
        text = self.changelog.read_text(encoding="utf-8")
        dated = f"## [{version}] - {day.isoformat()}\n"
        if self.section(version)[1]:
            return re.sub(rf"^## \[{re.escape(version)}\][^\n]*\n", dated, text, flags=re.MULTILINE)
        if not self.section("Unreleased")[1]:
            raise CommandError("CHANGELOG.md has nothing under Unreleased: say there what changed.")
        return re.sub(
            r"^## \[Unreleased\][^\n]*\n", f"## [Unreleased]\n\n{dated}", text, flags=re.MULTILINE
        )

    def _metainfo_with(self, version: str, day: date) -> str:
        """Returns the metainfo with this release as the first; an entry of the same version is replaced."""
        text = self.metainfo.read_text(encoding="utf-8")
        line = f'<release version="{version}" date="{day.isoformat()}"'
        mine = rf'<release\s+version="{re.escape(version)}"\s+date="[^"]*"'
        if re.search(mine, text):
            return re.sub(mine, line, text)
        if "<releases>" not in text:
            text = text.replace("</component>", "  <releases>\n  </releases>\n</component>")
        return re.sub(r"^( *)<releases>\n", rf"\g<0>\1  {line} />\n", text, flags=re.MULTILINE)

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise CommandError(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
        return done.stdout.strip()


def build(environment: Environment, folder: Path) -> None:
    """Writes both sdists, the app's wheel and the core's pure wheel to a folder, and checks them.

    The core's compiled wheels are made on each system, by cibuildwheel. Raises CommandError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]:
        path.unlink()
    variables = {k: v for k, v in child_variables().items() if k != "TOKENARIUM_COMPILED"}
    for project in (CORE_PROJECT, ROOT):
        terminal.run_quietly(
            [environment.python, "-m", "build", "--outdir", folder, project],
            f"Building {project.name if project == CORE_PROJECT else 'the app'}",
            variables=variables | {"TOKENARIUM_PURE": "1"},
        )
    wheels = sorted(folder.glob("*.whl"))
    made = [*wheels, *sorted(folder.glob("*.tar.gz"))]
    twine, contents = environment.program("twine"), environment.program("check-wheel-contents")
    terminal.run_quietly([twine, "check", "--strict", *made], "Asking what an index would refuse")
    # W002, two equal files: scenes of the tour may be the same, and differ in what is opened with them.
    terminal.run_quietly([contents, "--ignore=W002", *wheels], "Looking for faults of the wheels")
    for path in made:
        terminal.say(f"  {path.name}, {path.stat().st_size / 1e6:.1f} MB")


def sums(environment: Environment, folder: Path) -> list[Path]:
    """Writes the list of what the app contains, and the SHA-256 of every file of a folder; returns both files.

    The list is in CycloneDX, with the locked versions. Raises CommandError.
    """
    required = locking.requirements()
    names = [
        locking.name_of(line)
        for group in ("run", "hub", "reference", "weights", "words", "code")
        for line in required[group]
    ]
    locked, contents = folder / "locked.txt", folder / CONTENTS
    locked.write_text(locking.part(names), encoding="utf-8")
    try:
        terminal.run_quietly(
            [
                *(environment.program("cyclonedx-py"), "requirements", "--output-reproducible"),
                *("--pyproject", ROOT / "pyproject.toml", "--output-file", contents, locked),
            ],
            "Listing what is in it",
            variables=child_variables(),
        )
    finally:
        locked.unlink()
    lines = []
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.name != SUMS):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / SUMS).write_text("".join(lines), encoding="ascii", newline="\n")
    return [contents, folder / SUMS]


def check(release: Release, tag: str = "") -> int:
    """Prints what keeps the tree from being released; returns 0 if nothing does."""
    faults = list(release.faults(tag))
    for fault in faults:
        terminal.say(f"  {fault}")
    version = release.version()
    if faults:
        terminal.say(f"{version} cannot be released yet.")
        return 1
    terminal.say(f"{version} can be released.")
    return 0


def prepare(release: Release, version: str) -> int:
    """Writes a version and prints the next commands; returns 0."""
    written = release.write(version, date.fromtimestamp(time.time()))
    files = " ".join(path.relative_to(release.root).as_posix() for path in written)
    terminal.say(
        f"Written: {files or 'nothing, it was there'}. Look at it, and type:\n"
        f"    git commit --all --message 'Release {version}'\n"
        "    python3 packaging/dev.py release --check\n"
        f"    git tag --annotate v{version} --message 'Tokenarium {version}'\n"
        f"    git push origin main v{version}\n"
        + (f"To take it back: git checkout -- {files}" if files else "")
    )
    return 0
