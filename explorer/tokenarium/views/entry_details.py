"""Gathers what the pane of an entry shows."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.entry_details import ancestry, built_of, same_bytes, variants
from tokenarium.models.vocabulary.vocabulary_columns import FLAGS, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_table import value_text
from tokenarium.style.theme import Theme
from tokenarium.widgets.vocabulary.entry_pane import Elsewhere, EntryDetails, Link
from tokenarium_core.explaining.piece_facts import SPLITS
from tokenarium_core.vocabulary import KINDS

SHOWN = 24
"""Entries of one kind that are shown; the table has the rest."""


def details_of(
    columns: VocabularyColumns, token: int, others: Sequence[LibraryItem], theme: Theme
) -> EntryDetails:
    """Returns all about an entry."""
    piece = columns.piece(token)
    made = ancestry(columns, token)
    symbols = {node.id for way in made.ways for node in way.nodes if 0 <= node.id < columns.count}
    lefts, rights = built_of(columns, token)
    links: list[tuple[str, Sequence[Link], int]] = []
    total = len(lefts) + len(rights)
    for title, found in (
        ("Made with it as the left side", lefts),
        ("Made with it as the right side", rights),
    ):
        shown = [_link(columns, other) for other in found[:SHOWN].tolist()]
        links.append((f"{title}: {len(found):,}", shown, total if len(found) > SHOWN else 0))
    near = [
        Link(
            f"{isolated(readable(one.text.encode(), 40))}  {one.token}",
            f"{one.how[:1].upper()}{one.how[1:]}: id {one.token}",
            one.token,
        )
        for one in variants(columns.tokenizer, piece)
    ]
    links.append(("In other cases, with and without the space", near, 0))
    tokenizers = [(entry, entry.tokenizer) for entry in others if entry.tokenizer is not None]
    found_ids = same_bytes(piece, [(entry.key, tokenizer) for entry, tokenizer in tokenizers])
    elsewhere = [
        Elsewhere(key, entry.name, theme.tokenizer(entry.colour), other)
        for (entry, _), (key, other) in zip(tokenizers, found_ids, strict=True)
    ]
    return EntryDetails(
        token,
        piece,
        columns.vocabulary.surface(token),
        _about(columns, token),
        made,
        {one: readable(columns.piece(one)) for one in symbols},
        {one: value_text(columns, one) for one in symbols} if columns.has_scores else {},
        links,
        elsewhere,
        f"part:{token}",
    )


def _about(columns: VocabularyColumns, token: int) -> str:
    size, characters = int(columns.lengths[token]), int(columns.characters[token])
    value = value_text(columns, token)
    parts = [KINDS[columns.kinds[token]]]
    if columns.has_scores:
        parts.append(f"score {value}")
    elif value != "–":
        parts.append(f"rank {value}")
    parts.append(f"{size:,} byte{'s' * (size != 1)}")
    parts.append(f"{characters:,} character{'s' * (characters != 1)}")
    parts.append(columns.scripts_of(token))
    surface = columns.vocabulary.surface(token)
    if (
        surface.encode("utf-8", "replace") != columns.piece(token)
        and columns.flags[token] & SPLITS == 0
    ):
        parts.append(f"“{isolated(surface)}” in the file")
    parts += [FLAGS[name][1] for name in columns.flags_of(token)]
    for added in columns.tokenizer.added_tokens.with_id(token):
        parts.append(f"added token ({', '.join(added.flags) or 'no flag set'})")
    return " · ".join(parts)


def _link(columns: VocabularyColumns, token: int) -> Link:
    shown = isolated(columns.affixed(token, readable(columns.piece(token), 40)))
    return Link(shown, f"{shown}: id {token}", token)
