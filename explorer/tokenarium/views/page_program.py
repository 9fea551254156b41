"""The programs of pages, with the text and the tokenizers of the session; see `tokenarium.models.programs`."""

from __future__ import annotations

from collections.abc import Iterable

from tokenarium.models.programs import CodeTokenizer, program
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem
from tokenarium.session.session import Session


def code_of(item: LibraryItem, name: str = "") -> CodeTokenizer:
    """Returns the expression that opens a tokenizer in a program, with this name or its own."""
    shipped = item.key.partition(":")[2] if item.group is LibraryGroup.SHIPPED else ""
    return CodeTokenizer(name or item.name, item.source, item.pattern, shipped)


def page_program(
    session: Session,
    title: str,
    imports: str,
    body: str,
    *,
    text: str | None = None,
    items: Iterable[LibraryItem] | None = None,
    front: LibraryItem | None = None,
    **values: object,
) -> str:
    """Returns a program with the open tokenizers ``items``, or only that in ``front``; values have capital names.

    A long ``text`` is read from the session's file, if that has the same text.
    """
    whole = text is not None and text == session.text
    return program(
        title,
        imports,
        body,
        text=text,
        file=session.file if whole else "",
        tokenizers=None if items is None else [code_of(e, session.short_name(e)) for e in items],
        front=None if front is None else code_of(front),
        values={name.upper(): value for name, value in values.items()},
    )
