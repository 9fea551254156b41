"""Pages that are made from the program: glossary, command line, formats, layers, live pages, and source files.

A hook of MkDocs.
"""

from __future__ import annotations

import ast
import html
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from project import BUILD, ROOT, settings
from site_links import broken_links
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.lessons.answers import functions
from tokenarium.models.lessons.lesson import read_head
from tokenarium.models.lessons.limits import limits
from tokenarium.resources.glossary import load_glossary
from tokenarium_core.comparing.readers.readers import READERS
from tokenarium_core.formats.foreign import FOREIGN_KINDS
from tokenarium_core.formats.places import PLACES
from tokenarium_core.formats.registry import FORMATS

SOURCE_LINK = re.compile(r"\]\(\.\./([\w/.-]+\.py)\)")
"""A link of a page to a source file, as it works in the tree: the path from the root of the project."""

COLUMN_STEP, BOX_STEP = 470, 52
"""Sizes in the picture of layers, in pixels."""


def glossary() -> str:
    """Returns a table for each group of terms."""
    terms = load_glossary().values()
    lines: list[str] = []
    for group in dict.fromkeys(term.group for term in terms):
        lines += [f"## {group}", "", "| term | what it is |", "|---|---|"]
        for term in terms:
            if term.group == group:
                also = f"<br>*{', '.join(term.also)}*" if term.also else ""
                source = f"<br><small>{term.source}</small>" if term.source else ""
                lines.append(f"| **{term.name}**{also} | {_cell(term.text)}{_cell(source)} |")
        lines.append("")
    return "\n".join(lines)


def measures() -> str:
    """Returns a table of all figures of a comparison."""
    lines = ["| measure | formula | source | what it does not show |", "|---|---|---|---|"]
    for metric in METRICS:
        unit = f", {metric.unit}" if metric.unit else ""
        name = f"**{metric.title}**{unit}<br>`{metric.id}`"
        cells = (metric.formula, metric.source, metric.caveat)
        lines.append(f"| {name} | {' | '.join(map(_plain, cells))} |")
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
    return written.partition("\n")[2]  # the page has its own title


def _plain(text: str) -> str:
    """Returns a text for a cell in which no character is markup."""
    return re.sub(r"([*_`|\\])", r"\\\1", html.escape(text, quote=False))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def layers() -> str:
    """Returns a picture of the layers that the import contracts name: a box imports only from the boxes under it."""
    contracts = settings()["tool"]["importlinter"]["contracts"]
    columns = []
    for number, contract in enumerate(one for one in contracts if one["type"] == "layers"):
        container = f"{contract['containers'][0]}." if "containers" in contract else ""
        names = [
            [container + name.strip() for name in layer.split("|")] for layer in contract["layers"]
        ]
        columns.append(_column([layer for layer in names if "__main__" not in layer[0]], number))
    height = max(count for _, count in columns) * BOX_STEP + 30
    return (
        f'<svg viewBox="0 0 {2 * COLUMN_STEP} {height}" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="Layers of the explorer and of the core">{"".join(svg for svg, _ in columns)}</svg>'
    )


def _column(layers: list[list[str]], column: int) -> tuple[str, int]:
    """Returns a title over a box for each layer, the one that all may import at the bottom; and how many boxes."""
    left = column * COLUMN_STEP
    package = layers[0][0].partition(".")[0]
    parts = [f'<text x="{left}" y="18" font-size="15" fill="currentColor">{package}</text>']
    for row, siblings in enumerate(layers):
        top = row * BOX_STEP + 48
        heads = ", ".join(one.partition(".")[2] for one in siblings)
        parts.append(
            f'<rect x="{left}" y="{top - 18}" width="{COLUMN_STEP - 24}" height="{BOX_STEP - 8}" rx="6" '
            f'fill="none" stroke="currentColor" stroke-opacity="0.4"/>'
            f'<text x="{left + 12}" y="{top}" font-size="13" font-weight="bold" fill="currentColor">{heads}</text>'
            f'<text x="{left + 12}" y="{top + 16}" font-size="11" fill="currentColor">'
            f"{html.escape(_first_line(siblings[0]))}</text>"
        )
    return "".join(parts), len(layers)


def _first_line(module: str) -> str:
    """Returns the first line of a module's docstring."""
    path = ROOT / {"tokenarium": "explorer", "tokenarium_core": "core"}[module.partition(".")[0]]
    path /= module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    line = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
    return line.replace("`", "")  # which Markdown would turn into tags inside the picture


def lesson_tables() -> str:
    """Returns tables of the functions that answers of lessons may use, and of the limits of a lesson."""
    lines = ["| function | what it gives |", "|---|---|"]
    lines += [f"| `{called}` | {_cell(said)} |" for called, said in functions()]
    lines += ["", *LESSON_LIMITS, "", "| what | at most |", "|---|---|"]
    lines += [f"| {what} | {most} |" for what, most in limits()]
    return "\n".join(lines)


LESSON_LIMITS = (
    "### Lessons of others",
    "",
    "A lesson may come from anywhere, so it is bounded before anything of it is done. What is beyond a limit is said with the"
    " lesson's file, the line and the limit; a lesson that cannot be read is left out of the list, and the others are there.",
    "",
    "Each function has a price, which is paid before it does its work. The expressions of a lesson that is not ours are"
    " computed in a process of their own, which is ended where they take more than 10 seconds or 2 GB all the same. A scene"
    " opens no file. Nothing is fetched: a picture is a file beside the lesson, also in folders there, and links of the file"
    " system that lead out of its folder are not followed. HTML in the prose is shown as it is written, and a link leads to"
    " the web, or is text.",
)


def formats() -> str:
    """Returns tables of the formats that are read, of folders and archives, and of kinds of files that are not read."""
    heads = [
        "format",
        "names",
        "recognized by",
        "algorithms",
        "compared with",
        "what can be written",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for format in FORMATS.values():
        names = list(dict.fromkeys([*format.patterns, *[f"*{end}" for end in format.suffixes]]))
        cells = [
            f"**{format.title}**",
            ", ".join(f"`{name}`" for name in names),
            format.signs,
            format.algorithms,
            format.compared,
            format.writes or "—",
        ]
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    lines += ["", "## Folders and archives", ""]
    lines += ["| what | recognized by | what is opened |", "|---|---|---|"]
    lines += [f"| {' | '.join(map(_cell, place))} |" for place in PLACES]
    lines += ["", "## Known and not read", "", "| a file that is | what to do |", "|---|---|"]
    lines += [f"| {_cell(kind.what)} | {_cell(kind.advice)} |" for kind in FOREIGN_KINDS]
    return "\n".join(lines)


def readers() -> str:
    """Returns a table of the programs, and one of the rules of each."""
    lines = ["| program | how it reads the file | compared on | rules |", "|---|---|---|---|"]
    for one in READERS:
        count = len(one.rules) or "none"
        lines.append(f"| {one.name} | {_cell(one.about)} | {one.compared} | {count} |")
    for one in READERS:
        if one.rules:
            lines += [
                "",
                f"### {one.name}",
                "",
                "| rule | what it does | source |",
                "|---|---|---|",
            ]
        for rule in one.rules:
            said = f"{_cell(rule.sentence)} | {_cell(rule.source)}".replace("<", "&lt;")
            lines.append(f"| `{rule.id}` | {said} |")
    return "\n".join(lines)


LIVE = BUILD / "live"
"""The folder of the live pages, which a program of its own writes: see `live_pages`."""


def lessons() -> list[Path]:
    """Returns the files of the lessons that ship."""
    return sorted((ROOT / "resources" / "lessons").glob("*.md"))


def live() -> str:
    """Returns a table of the lessons with links to their pages."""
    lines = ["| lesson | minutes | what it is about |", "|---|---|---|"]
    for path in lessons():
        head = read_head(path)
        link = f"[{_plain(head.title)}](live/{path.stem}.html)"
        lines.append(f"| {link} | {head.minutes} | {_plain(head.learns[0])} |")
    return "\n".join(lines)


MADE: dict[str, Callable[[], str]] = {
    "architecture.md": layers,
    "command-line.md": command_line,
    "formats.md": formats,
    "glossary.md": glossary,
    "lessons.md": lesson_tables,
    "live.md": live,
    "other-programs.md": readers,
    "measures.md": measures,
}
"""What is written at the mark ``{{ made }}`` of a page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the live pages, and a page for each source file that a page links to, so that its links work in a browser."""
    program = ROOT / "packaging" / "live_pages.py"
    subprocess.run([sys.executable, str(program), str(LIVE)], check=True)
    for path in sorted(LIVE.glob("*.html")):
        files.append(File.generated(config, f"live/{path.name}", abs_src_path=str(path)))
    linked = {
        path
        for page in files.documentation_pages()
        for path in SOURCE_LINK.findall(page.content_string)
    }
    for path in sorted(linked):
        if not (ROOT / path).is_file():
            raise PluginError(f"The documentation links to {path}, which is not there.")
        source = (ROOT / path).read_text("utf-8")
        page = f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n~~~~~ python\n{source}~~~~~\n"
        at = f"source/{path}.md"
        files.append(File.generated(config, at, content=page, inclusion=InclusionLevel.NOT_IN_NAV))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Returns the page with generated text instead of its mark, and links to pages of source files."""
    make = MADE.get(page.file.src_uri)
    if make is not None:
        markdown = markdown.replace("{{ made }}", make())
    return SOURCE_LINK.sub(r"](source/\1.md)", markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Stops if a built page would not work when it is opened from a disk."""
    broken = broken_links(Path(config.site_dir))
    if broken:
        raise PluginError("\n".join(broken))
