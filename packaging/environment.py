"""The virtual environment: made once, filled by pip, and left alone while its stamp is valid."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import locking
import system_packages
import terminal
from project import CORE_PROJECT, CORE_SETTINGS_FILE, ROOT, SETTINGS_FILE, core_settings, settings
from terminal import CommandError

STAMP = "tokenarium.json"
# What a command needs in addition to the app and the compiler of the core.
GROUPS = {"run": "", "test": "test", "bench": "bench"}
ADVICE = (
    "Is the network there, and does pip reach its package index? Then run the same command again: "
    "what is installed already is kept. To begin again, remove {folder}."
)


@dataclass(frozen=True)
class Environment:
    """A virtual environment with at least the packages of one group."""

    folder: Path

    @classmethod
    def prepare(cls, group: str) -> Environment:
        """Returns the environment, made and filled first if necessary.

        It is in ``.venv``, or where ``TOKENARIUM_VENV`` says.
        """
        environment = cls.default()
        if not environment.works():
            environment._make()
        if environment._stamps().get(group) != fingerprint(group):
            environment._fill(group)
        return environment

    @classmethod
    def default(cls) -> Environment:
        """Returns the environment of this tree, made or not."""
        return cls(Path(os.environ.get("TOKENARIUM_VENV") or ROOT / ".venv").absolute())

    @property
    def python(self) -> Path:
        """The interpreter in the environment."""
        return self.program("python")

    def program(self, name: str) -> Path:
        """Returns the path of a program in the environment, on any system."""
        if sys.platform == "win32":
            return self.folder / "Scripts" / f"{name}.exe"
        return self.folder / "bin" / name

    def packages(self) -> Path:
        """Returns the folder that pip installs into."""
        if sys.platform == "win32":
            return self.folder / "Lib" / "site-packages"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.folder / "lib" / version / "site-packages"

    def installed(self, *names: str) -> list[str]:
        """Returns ``name-version`` of the installed packages."""
        found = (p.name for n in names for p in self.packages().glob(f"{n}-*.dist-info"))
        return sorted(name.removesuffix(".dist-info") for name in found)

    def works(self) -> bool:
        """Returns whether the interpreter starts, is of this version, and has pip."""
        code = "import sys, importlib.util as u; print(sys.version, u.find_spec('pip') is not None)"
        try:
            answer = subprocess.run(
                [self.python, "-c", code], capture_output=True, text=True, check=False
            )
        except OSError:
            return False
        return answer.returncode == 0 and answer.stdout.strip() == f"{sys.version} True"

    def _make(self) -> None:
        """Makes the environment, replacing an older one."""
        folder = self.folder
        if folder.exists():
            ours = folder == ROOT / ".venv" or (folder / STAMP).exists()
            if not ours and any(folder.iterdir()):
                raise CommandError(
                    f"{folder} holds no environment that works with Python "
                    f"{sys.version.split()[0]}, and this command did not make it, so it is left "
                    "alone.\nLet TOKENARIUM_VENV name another folder, or none."
                )
            terminal.say(
                f"{terminal.short(folder)} is broken or of another Python; it is made again."
            )
            shutil.rmtree(folder)
        if packages := venv_packages():
            system_packages.install(packages, "Python's own means to make a virtual environment")
        base = getattr(sys, "_base_executable", None) or sys.executable
        terminal.run_quietly(
            [base, "-m", "venv", folder],
            f"Making {terminal.short(folder)} with Python {sys.version.split()[0]}",
            variables=child_variables(),
        )
        (folder / STAMP).write_text("{}", encoding="utf-8")

    def _fill(self, group: str) -> None:
        """Installs the group, if possible with the versions of the lock, and then writes its stamp."""
        extra = GROUPS["run" if group == "bench" else group]
        self._install_locked(["build", "run", *([extra] if extra else [])])
        requires = {
            requirement
            for project in (core_settings(), settings())
            for requirement in project["build-system"]["requires"]
        }
        self._pip("Installing the compiler of the core", *sorted(requires))
        self._pip(
            "Installing Tokenarium, and what it still lacks",
            # Not isolated: the build requirements are there already, and need no second download.
            "--no-build-isolation",
            "--editable",
            str(CORE_PROJECT),
            "--editable",
            f".[{extra}]" if extra else ".",
        )
        if group == "bench":
            self._install_peers(settings()["project"]["optional-dependencies"]["bench"])
        stamps = {name: stamp for name, stamp in self._stamps().items() if name in GROUPS}
        stamps[group] = fingerprint(group)
        (self.folder / STAMP).write_text(json.dumps(stamps, indent=1), encoding="utf-8")

    def _install_locked(self, groups: list[str]) -> None:
        """Installs the locked versions; if that fails, says so, and pip chooses the versions.

        It uses uv, which takes seconds where pip takes minutes, and pip to get uv. Both reject a file with a different
        hash.
        """
        if not locking.is_fresh():
            terminal.say(
                f"{terminal.short(locking.LOCK)} is not of these requirements, so pip chooses the versions. "
                f"To write it again: {locking.COMMAND}"
            )
            return
        required = locking.requirements()
        names = [locking.name_of(line) for group in groups for line in required[group]]
        lists = self.folder / "locked"
        lists.mkdir(exist_ok=True)
        (lists / "uv.txt").write_text(locking.part(["uv"]), encoding="utf-8")
        (lists / "packages.txt").write_text(locking.part(names), encoding="utf-8")
        try:
            self._pip("Installing uv", "--require-hashes", "--requirement", str(lists / "uv.txt"))
            terminal.run_quietly(
                [
                    *(self.program("uv"), "pip", "install", "--python", self.python),
                    *("--require-hashes", "--requirement", lists / "packages.txt"),
                ],
                "Installing Qt and the other packages (some 400 MB the first time)",
                variables=child_variables(),
            )
        except CommandError as error:
            terminal.say(f"The locked versions cannot be installed here, so pip chooses. {error}")

    def _install_peers(self, peers: list[str]) -> None:
        """Installs the libraries to compare with; one without a wheel for this system is left out."""
        wheels_only = "--only-binary=:all:"
        try:
            self._pip("Installing the peers", wheels_only, *peers)
        except CommandError:
            for peer in peers:
                try:
                    self._pip(f"Installing {peer}", wheels_only, peer)
                except CommandError:
                    terminal.say(f"  {peer} has no wheel for this system: left out.")

    def _pip(self, what: str, *arguments: str) -> None:
        # The editable install leaves the core alone; core_build compiles it, and only when it changed.
        variables = child_variables() | {"TOKENARIUM_PURE": "1"}
        options = ["--disable-pip-version-check", "--no-input", "--progress-bar=off"]
        terminal.run_quietly(
            [self.python, "-m", "pip", "install", *options, *arguments],
            what,
            variables=variables,
            advice=ADVICE.format(folder=terminal.short(self.folder)),
        )

    def _stamps(self) -> dict[str, str]:
        """Returns the fingerprint with which each group was installed."""
        try:
            stamps = json.loads((self.folder / STAMP).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamps if isinstance(stamps, dict) else {}


def venv_packages() -> list[str]:
    """Returns the Debian package that Python needs to make an environment; none if it is installed."""
    importlib.invalidate_caches()
    if importlib.util.find_spec("ensurepip") is not None:
        return []
    return [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]


def fingerprint(group: str) -> str:
    """Returns a hash of everything that decides the contents of an environment, and of the project's location."""
    digest = hashlib.sha256()
    for part in (group, sys.version, str(ROOT)):
        digest.update(part.encode() + b"\0")
    digest.update(SETTINGS_FILE.read_bytes())
    digest.update(CORE_SETTINGS_FILE.read_bytes())
    digest.update(locking.text().encode())
    return digest.hexdigest()


def child_variables() -> dict[str, str]:
    """Returns the environment variables for tools: ours, without those that would mix two Pythons."""
    unwanted = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    given = {name: value for name, value in os.environ.items() if name not in unwanted}
    # A network may have certificates of its own, which pip finds in the system, and uv only with this.
    return {"UV_SYSTEM_CERTS": "1", **given}
