"""Pages of the documentation that are made of what the program declares: the glossary and the command line.

A hook of MkDocs: it writes each of them where its page has the mark ``{{ made }}``.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from project import ROOT


def glossary() -> str:
    """Returns a table for each group of terms, with a place to link to for each term."""
    terms = tomllib.loads((ROOT / "resources" / "glossary.toml").read_text("utf-8"))["term"]
    lines: list[str] = []
    for group in dict.fromkeys(term["group"] for term in terms):
        lines += [f"## {group}", "", "| term | what it is |", "|---|---|"]
        for term in terms:
            if term["group"] == group:
                also = f"<br>*{', '.join(term['also'])}*" if "also" in term else ""
                source = f"<br><small>{term['source']}</small>" if "source" in term else ""
                lines.append(f"| **{term['name']}**{also} | {_cell(term['text'])}{_cell(source)} |")
        lines.append("")
    return "\n".join(lines)


def command_line() -> str:
    """Returns the description of every command with its arguments and options, as typer writes it."""
    command = [
        str(Path(sys.executable).with_name("typer")),
        "tokenarium.commands.cli",
        "utils",
        "docs",
    ]
    written = subprocess.run(
        [*command, "--name", "tokenarium"], capture_output=True, text=True, check=True
    ).stdout
    return written.partition("\n")[2]  # the page has a title of its own


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {"glossary.md": glossary, "command-line.md": command_line}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Returns the page with what is made in place of its mark."""
    make = PAGES.get(page.file.src_uri)
    return markdown if make is None else markdown.replace("{{ made }}", make())
