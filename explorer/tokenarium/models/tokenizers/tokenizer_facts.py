"""Facts about a tokenizer: where it is, its stages, its pieces, and what its file stores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import tokenarium_core as tc
from tokenarium.models.text.added_in_text import shown
from tokenarium.models.text.pipeline import cuts_by
from tokenarium.models.tokenizers.picky_events import removal_facts
from tokenarium.models.vocabulary.padded_sizes import padded_sizes
from tokenarium_core.explaining.prefix_walk import prefix_tries
from tokenarium_core.models import PickyBpe
from tokenarium_core.pretokenizers import WholeText
from tokenarium_core.vocabulary import KINDS

Section = tuple[str, list[tuple[str, str | int]]]
"""Headings, each with names and values; counts are numbers."""

MODELS = {
    "BytePairEncoder": "byte-level BPE",
    "PickyBpe": "PickyBPE on bytes",
    "BoundlessBpe": "BoundlessBPE on bytes",
    "CharacterBpe": "BPE of characters",
    "Unigram": "Unigram",
    "WordPiece": "WordPiece",
    "WordLevel": "WordLevel",
    "LongestMatch": "longest match",
    "LowestCost": "Unigram in whole numbers",
}
"""The names of models by their class."""

STORED = "Stored"
"""The beginning of the headings of what a file stores."""

SHOWN = 12
"""Added tokens, and lines of a stored value, that are listed; the others are counted."""


LONGEST_VALUE = 2000
"""Characters of a stored value that are shown."""

FILES = "Files"
"""The heading with the SHA-256 of each file."""

LONGEST_MATCH = "Longest match"
"""The heading of the tries that find added and user-defined tokens."""


REMOVALS = "Merges and removals"
"""The heading of what a training of PickyBPE did."""

REGISTRY = "Registry"
"""The heading with the names that a tokenizer is registered under."""


def facts(
    tokenizer: tc.Tokenizer,
    name: str,
    source: str,
    digests: Sequence[tuple[str, str]] = (),
    multiples: tuple[int, ...] = (64, 128),
    width: int = 0,
    registered: Sequence[tuple[str, str]] = (),
) -> list[Section]:
    """Returns all facts by heading.

    ``source`` is what opens it in the library; ``digests`` are the names of its files with notes on their
    SHA-256, see `Source.digests`. The size is padded to ``multiples``; ``width`` is that of an embedding, 0: unknown.
    ``registered`` are names and values of its entries in the registry.
    """
    sections: list[Section] = [("Tokenizer", _identity(tokenizer, name, source))]
    if digests:
        sections.append((FILES, [(f"SHA-256 of {file}", digest) for file, digest in digests]))
    if registered:
        sections.append((REGISTRY, list(registered)))
    sections.append(("Stages", _stages(tokenizer)))
    sections.append(("Vocabulary", _vocabulary(tokenizer, multiples, width)))
    if isinstance(tokenizer.model, PickyBpe):
        sections.append((REMOVALS, removal_facts(tokenizer.model)))
    tries = _tries(tokenizer)
    if tries:
        sections.append((LONGEST_MATCH, tries))
    stored: dict[str, list[tuple[str, str | int]]] = {}
    for detail in tokenizer.details:
        value = detail.value  # a chat template may have a megabyte
        value = f"{value[:LONGEST_VALUE]}…" if len(value) > LONGEST_VALUE + 1 else value
        stored.setdefault(detail.group, []).append((detail.name, value))
    return sections + [
        (f"{STORED}: {group}" if group else STORED, rows) for group, rows in stored.items()
    ]


def written(sections: list[Section]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Returns facts with counts as texts: 8,000."""
    return [
        (head, [(name, f"{value:,}" if isinstance(value, int) else value) for name, value in rows])
        for head, rows in sections
    ]


def added_tokens(tokenizer: tc.Tokenizer) -> list[dict[str, int | str | bool]]:
    """Returns all added tokens with their options, as JSON has them."""
    return [
        {
            "id": token.id,
            "content": token.content,
            "special": token.special,
            "lstrip": token.lstrip,
            "rstrip": token.rstrip,
            "single_word": token.single_word,
            "normalized": token.normalized,
        }
        for token in tokenizer.added_tokens.tokens
    ]


def as_text(sections: list[Section]) -> str:
    """Returns facts as lines to copy: headings, and names and values separated by a tab."""
    blocks = ["\n".join([head, *map("\t".join, rows)]) for head, rows in written(sections)]
    return "\n\n".join(blocks) + "\n"


def as_values(sections: list[Section]) -> dict[str, dict[str, str | int | float]]:
    """Returns facts for JSON, by heading and name; stored numbers become numbers."""
    return {
        head: {
            name: _number(value) if head.startswith(STORED) and isinstance(value, str) else value
            for name, value in rows
        }
        for head, rows in sections
    }


def _number(value: str) -> str | int | float:
    """Returns a stored value as a number if JSON would read it as one, else as a text."""
    if not re.fullmatch(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?(e[+-]?\d{1,2})?", value):
        return value
    return int(value) if value.lstrip("-").isdecimal() else float(value)


def _identity(tokenizer: tc.Tokenizer, name: str, source: str) -> list[tuple[str, str | int]]:
    rows: list[tuple[str, str | int]] = [("Name", name)]
    if tokenizer.name not in (name, *name.split(" · ")):
        rows.append(("Name in the file", tokenizer.name))
    if tokenizer.source.format:
        rows.append(("Format", tokenizer.source.format))
    return [*rows, ("Source", tokenizer.source.path or source)]


def _stages(tokenizer: tc.Tokenizer) -> list[tuple[str, str | int]]:
    model = type(tokenizer.model).__name__
    added = tokenizer.added_tokens.tokens
    special = sum(token.special for token in added)
    normalizer, template = tokenizer.normalizer, tokenizer.template
    rows: list[tuple[str, str | int]] = [
        ("Added tokens", len(added)),
        ("Special added tokens", special),
        ("Normalizer", normalizer.name if normalizer is not None else "none"),
    ]
    rows.append(("Pre-tokenizer", cuts_by(tokenizer)))
    if not isinstance(tokenizer.pre_tokenizer, WholeText) and tokenizer.pre_tokenizer.pattern:
        rows.append(("Pattern", tokenizer.pre_tokenizer.pattern))
    rows.append(("Model", MODELS.get(model, model)))
    rows.append(("Template", template.name if template is not None else "none"))
    rows += ends_rows(tokenizer)
    rows.append(("Decoder", tokenizer.decoder.name))
    return rows


def _tries(tokenizer: tc.Tokenizer) -> list[tuple[str, str | int]]:
    """Returns how many tokens are found by the longest match at each stage, and how many states its trie has."""
    rows: list[tuple[str, str | int]] = []
    for trie in prefix_tries(tokenizer):
        stage = trie.stage[:1].upper() + trie.stage[1:]
        rows += [
            (stage, len(trie.pieces)),
            (f"{stage}: states", trie.states),
        ]
        if trie.character_states:
            rows.append((f"{stage}: states over characters", trie.character_states))
    return rows


def ends_rows(tokenizer: tc.Tokenizer) -> list[tuple[str, str | int]]:
    """Returns the ids at the ends of a text, and who puts them there."""
    ends = tokenizer.ends
    rows: list[tuple[str, str | int]] = []
    for name, ids, adds in (("BOS", ends.bos, ends.adds_bos), ("EOS", ends.eos, ends.adds_eos)):
        pieces = " ".join(
            f"{shown(tokenizer.vocabulary.surface(token))} ({token})" for token in ids
        )
        by = f"added by its post-processor, {ends.rule}" if adds else "added only when asked for"
        rows.append((name, f"{pieces}, {by}" if ids else "none"))
    return rows


def ends_note(tokenizer: tc.Tokenizer, add_bos: bool, add_eos: bool) -> str:
    """Returns in few words which ids are put around a text, and which the tokenizer adds by itself."""
    ends = tokenizer.ends
    parts = []
    for added, name, ids, adds in (
        (add_bos, "BOS", ends.bos, ends.adds_bos),
        (add_eos, "EOS", ends.eos, ends.adds_eos),
    ):
        if added:
            pieces = " ".join(
                f"{shown(tokenizer.vocabulary.surface(token))} {token}" for token in ids
            )
            parts.append(f"{pieces}{' (by itself)' * adds}" if ids else f"no {name}")
    return " … ".join(parts)


def _vocabulary(
    tokenizer: tc.Tokenizer, multiples: tuple[int, ...], width: int
) -> list[tuple[str, str | int]]:
    vocabulary = tokenizer.vocabulary
    counts = Counter(memoryview(vocabulary.kinds).tolist())
    rows: list[tuple[str, str | int]] = [("Entries", len(vocabulary))]
    rows += [(KINDS[kind].capitalize(), count) for kind, count in sorted(counts.items())]
    rows += [
        (f"Padded to a multiple of {size.multiple}", size.sentence(width))
        for size in padded_sizes(tokenizer, multiples)
    ]
    tokens = tokenizer.added_tokens.tokens
    rows += [
        (f"Added token {token.id}", " · ".join([shown(token.content), *token.flags]))
        for token in tokens[:SHOWN]
    ]
    if len(tokens) > SHOWN:
        rows.append(("More added tokens", len(tokens) - SHOWN))
    return rows
