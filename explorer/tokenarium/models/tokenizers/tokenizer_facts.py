"""What there is to tell about a tokenizer: where it lies, its stages, its pieces, and what its file stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import tokenarium_core as tc
from tokenarium_core.pretokenizers.whole_text import WholeText
from tokenarium_core.vocabulary import KINDS

Section = tuple[str, list[tuple[str, str]]]
"""A heading, and under it names with their values."""

MODELS = {
    "BytePairEncoder": "byte-level BPE",
    "CharacterBpe": "BPE of characters",
    "Unigram": "Unigram",
    "WordPiece": "WordPiece",
    "WordLevel": "WordLevel",
}
"""The models by their class, in the field's words."""

SHOWN = 12
"""Added tokens, and lines of a stored value, that are listed; the others are counted."""


FILES = "Files"
"""The heading with the SHA-256 of each file."""


def facts(
    tokenizer: tc.Tokenizer,
    name: str,
    source: str,
    digests: Sequence[tuple[str, str]] = (),
) -> list[Section]:
    """Returns all of it, heading by heading.

    ``source`` is what the library opened it by; ``digests`` are the names of its files and what is known of their
    SHA-256, see `Source.digests`.
    """
    sections = [
        ("Tokenizer", _identity(tokenizer, name, source)),
        *(
            [(FILES, [(f"SHA-256 of {file}", digest) for file, digest in digests])]
            if digests
            else []
        ),
        ("Stages", _stages(tokenizer)),
        ("Vocabulary", _vocabulary(tokenizer)),
    ]
    stored: dict[str, list[tuple[str, str]]] = {}
    for detail in tokenizer.details:
        stored.setdefault(detail.group, []).append((detail.name, detail.value))
    return sections + [
        (f"Stored: {group}" if group else "Stored", rows) for group, rows in stored.items()
    ]


def as_text(sections: list[Section]) -> str:
    """Returns it as lines to copy: a heading, then a name and a value parted by a tab."""
    blocks = ["\n".join([head, *("\t".join(row) for row in rows)]) for head, rows in sections]
    return "\n\n".join(blocks) + "\n"


def _identity(tokenizer: tc.Tokenizer, name: str, source: str) -> list[tuple[str, str]]:
    rows = [("Name", name)]
    if tokenizer.name != name:
        rows.append(("Name in the file", tokenizer.name))
    if tokenizer.source.format:
        rows.append(("Format", tokenizer.source.format))
    return [*rows, ("Source", tokenizer.source.path or source)]


def _stages(tokenizer: tc.Tokenizer) -> list[tuple[str, str]]:
    model = type(tokenizer.model).__name__
    added = tokenizer.added_tokens.tokens
    special = sum(token.special for token in added)
    normalizer, splitter, template = tokenizer.normalizer, tokenizer.splitter, tokenizer.template
    rows = [
        (
            "Added tokens",
            f"{len(added):,}, {_share(special, len(added))} special" if added else "none",
        ),
        ("Normalizer", normalizer.name if normalizer is not None else "none"),
    ]
    if splitter is not None:
        rows.append(("Splitter", splitter.name))
    rows.append(("Pre-tokenizer", tokenizer.pre_tokenizer.name))
    if not isinstance(tokenizer.pre_tokenizer, WholeText) and tokenizer.pre_tokenizer.pattern:
        rows.append(("Pattern", tokenizer.pre_tokenizer.pattern))
    rows.append(("Model", MODELS.get(model, model)))
    rows.append(("Template", template.name if template is not None else "none"))
    rows.append(("Decoder", tokenizer.decoder.name))
    return rows


def _vocabulary(tokenizer: tc.Tokenizer) -> list[tuple[str, str]]:
    vocabulary = tokenizer.vocabulary
    counts = Counter(memoryview(vocabulary.kinds).tolist())
    rows = [("Entries", f"{len(vocabulary):,}")]
    rows += [(KINDS[kind].capitalize(), f"{count:,}") for kind, count in sorted(counts.items())]
    tokens = tokenizer.added_tokens.tokens
    rows += [(f"Added token {token.id}", token.content) for token in tokens[:SHOWN]]
    if len(tokens) > SHOWN:
        rows.append(("More added tokens", f"{len(tokens) - SHOWN:,}"))
    return rows


def _share(some: int, count: int) -> str:
    return "all" if some == count else f"{some:,} of them" if some else "none"
