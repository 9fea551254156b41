"""What pyproject.toml cannot say by itself: the version, the core of the same version, and the page on a package index.

The version is in core/tokenarium_core/version.py alone, which an sdist of the app has too.
"""

from __future__ import annotations

import ast
import os
import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
PICTURES = (".png", ".svg", ".gif", ".jpg", ".webp")


def version() -> str:
    """Returns the version, without importing anything."""
    source = (HERE / "core" / "tokenarium_core" / "version.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            return str(ast.literal_eval(node.value))
    raise SystemExit("core/tokenarium_core/version.py has no version.")


def absolute(text: str, repository: str, tag: str) -> str:
    """Returns Markdown whose links to files go to the repository at a tag; unchanged without a repository."""
    if not repository:
        return text
    base = repository.rstrip("/")

    def target(found: re.Match[str]) -> str:
        kind = "raw" if found[2].endswith(PICTURES) else "blob"
        return f"{found[1]}{base}/{kind}/{tag}/{found[2]}"

    return re.sub(r"(\]\(|\bsrc(?:set)?=\")(?![a-z]+:|#|/)([^)\"\s]+)", target, text)


def main() -> None:
    """Builds what setuptools asks for."""
    os.chdir(HERE)
    number = version()
    urls = SETTINGS["project"].get("urls", {})
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    setup(
        version=number,
        install_requires=[
            f"tokenarium-core=={number}",
            *SETTINGS["tool"]["tokenarium"]["dependencies"],
        ],
        long_description=absolute(readme, urls.get("Repository", ""), f"v{number}"),
        long_description_content_type="text/markdown",
    )


if __name__ == "__main__":
    main()
