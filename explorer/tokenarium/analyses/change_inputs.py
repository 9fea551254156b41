"""The changes of a tokenizer's special tokens, for the page and the command."""

from __future__ import annotations

from typing import Final

from tokenarium.analyses.field import Texts

CHANGE_FIELDS: Final = (
    Texts(
        "add",
        "A new special token, with this id or the next free one. May be given several times.",
        metavar="TOKEN[=ID]",
    ),
    Texts("rename", "Another name for a special token; its id stays.", metavar="OLD=NEW"),
    Texts("remove", "A special token that is no longer recognized; its id stays empty."),
)
"""The kinds of changes, by the names that `Changes` gives them."""
