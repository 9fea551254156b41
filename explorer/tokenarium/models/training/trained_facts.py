"""Tells in a few lines what a kept tokenizer was trained on, and how."""

from __future__ import annotations

from tokenarium.models.training.corpus import SourceShare, share_lines
from tokenarium.models.training.store import RECOVERED, Trained
from tokenarium.models.training.training_draft import shown

NOTES = 3
"""Sentences on files that were skipped that are told; the others are counted."""


def facts(trained: Trained) -> str:
    """Returns the corpus, the settings, and by what it is known again."""
    if trained.algorithm == RECOVERED:
        format = trained.settings.get("format", "not known")
        return (
            "Found again by its file: the index had no entry for it, so what it was trained on is not known."
            f"\nFormat: {format}\nidentity {trained.identity[:12]}"
        )
    corpus = trained.corpus
    sources = ", ".join(corpus.get("sources", []))
    documents, characters = corpus.get("documents", 0), corpus.get("characters", 0)
    lines = [f"Corpus: {sources} ({documents:,} documents, {characters:,} characters)"]
    mixed = (
        corpus.get("size") or any(corpus.get("weights", [])) or corpus.get("temperature", 1) != 1
    )
    if corpus.get("shares") and mixed:
        lines.append("; ".join(share_lines([SourceShare(**one) for one in corpus["shares"]])))
    if corpus.get("held_out"):
        lines.append(corpus["held_out"])
    notes = corpus.get("notes", [])
    if notes:
        more = f" … and {len(notes) - NOTES:,} more" if len(notes) > NOTES else ""
        lines.append(f"{'; '.join(notes[:NOTES])}{more}")
    settings = ", ".join(
        f"{name.replace('_', ' ')} {shown(value) or 'none'}"
        for name, value in trained.settings.items()
    )
    lines.append(f"Settings: {settings}")
    lines.append(f"Tokenarium {trained.version} · identity {trained.identity[:12]}")
    return "\n".join(lines)
