"""Help for each page of the window: what it shows, what one can do there, its keys and its terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class HelpPage:
    """The help for one page, as ``help.toml`` has it."""

    id: str
    title: str
    shows: str
    can: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    terms: tuple[str, ...] = ()
    """Names of the glossary."""


@cache
def load_help() -> dict[str, HelpPage]:
    """Returns all pages by their ids: ``"tokens"`` for a workspace, ``"merges/why"`` for a page of one."""
    import tomllib  # not above: this takes longer than the window has when it starts
    from importlib.resources import files

    pages = tomllib.loads((files(__package__) / "help.toml").read_text("utf-8"))["page"]
    return {
        page["id"]: HelpPage(
            page["id"],
            page["title"],
            page["shows"],
            tuple(page.get("can", ())),
            tuple((keys, what) for keys, what in page.get("keys", ())),
            tuple(page.get("terms", ())),
        )
        for page in pages
    }


def help_for(workspace: str, page: str = "") -> HelpPage:
    """Returns the help for a page of a workspace, else for the workspace, else for the first one."""
    pages = load_help()
    return pages.get(f"{workspace}/{page}") or pages.get(workspace) or pages["tokens"]
