"""The safe way to encode a chat: special tokens of the template as such, those in texts of the chat as plain text.

The text is split next to the template's special tokens, and a part in which a text of the chat would become a special
token is encoded without them. Between special tokens a tokenizer splits there anyway, so nothing else changes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import tokenarium_core as tc
from tokenarium.models.chat.chat_warnings import Forged
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap

CORE: Final = "tokenarium_core"
TOKENIZERS: Final = "tokenizers"
TRANSFORMERS: Final = "transformers"
TIKTOKEN: Final = "tiktoken"
"""The libraries for which there is a program."""

_OF_HUGGING_FACE: Final = ("huggingface", "model folder")
"""The formats of files that may be a tokenizer.json."""

_UNSAVED: Final = 'tc.open("tokenizer.json")  # save the tokenizer there first'


class SafePart(NamedTuple):
    """A part of a chat: its text and its place in characters, and whether special tokens are recognized in it.

    ``ids`` are those of the safe way, ``unsafe`` those of the whole text with all special tokens.
    """

    start: int
    text: str
    of_template: bool
    ids: list[int]
    unsafe: list[int]

    def different(self) -> tuple[list[int], list[int]]:
        """Returns the ids of both ways, unsafe ones first, without those that are equal at the beginning and the end."""
        most = min(len(self.ids), len(self.unsafe))
        before = next((n for n in range(most) if self.ids[n] != self.unsafe[n]), most)
        most -= before
        after = next((n for n in range(most) if self.ids[-n - 1] != self.unsafe[-n - 1]), most)
        return (
            self.unsafe[before : len(self.unsafe) - after],
            self.ids[before : len(self.ids) - after],
        )


def safe_parts(
    tokenizer: tc.Tokenizer, forged: Sequence[Forged], text_map: TextMap, tokens: TextParts
) -> list[SafePart]:
    """Returns the parts of a chat; one if no text of the chat becomes a special token.

    ``tokens`` are those of the text with all special tokens, and ``forged`` what `forged` finds among them.
    """
    assert tokens.ids is not None
    ids: list[int] = tokens.ids[:].tolist()
    special = set(tokenizer.special_tokens.values())
    doubtful = {one.place for one in forged if one.id in special}
    if not doubtful:
        return [SafePart(0, text_map.text, True, ids, ids)]
    edges = [0]  # places among the tokens
    plain: list[bool] = []  # for each part, whether special tokens are plain text in it
    kept = [token in special and place not in doubtful for place, token in enumerate(ids)]
    for is_kept, group in groupby(range(len(ids)), kept.__getitem__):
        places = list(group)
        without = not is_kept and not doubtful.isdisjoint(places)
        if plain and plain[-1] == without:
            edges[-1] = places[-1] + 1
        else:
            edges.append(places[-1] + 1)
            plain.append(without)
    parts = []
    for (first, last), without in zip(pairwise(edges), plain, strict=True):
        begin = tokens.span(first)[0] if first else 0
        end = tokens.span(last)[0] if last < len(ids) else text_map.byte_count
        start, stop = text_map.byte_to_char([begin, end]).tolist()
        text = text_map.text[start:stop]
        unsafe = ids[first:last]
        safe = list(tokenizer.encode(text, "none").ids) if without else unsafe
        parts.append(SafePart(start, text, not without, safe, unsafe))
    return parts


def libraries_for(tokenizer: tc.Tokenizer) -> list[str]:
    """Returns the libraries that open a tokenizer and have the safe way, its own first."""
    path = tokenizer.source.path
    if path and os.path.exists(path):
        if tokenizer.source.format not in _OF_HUGGING_FACE or _file_of(Path(path)) is None:
            return [CORE]
        return [TRANSFORMERS, TOKENIZERS, CORE] if os.path.isdir(path) else [TOKENIZERS, CORE]
    return [TIKTOKEN, CORE] if path and tokenizer.source.format == "tiktoken" else [CORE]


def _file_of(path: Path) -> Path | None:
    file = path / "tokenizer.json" if os.path.isdir(path) else path
    return file if file.suffix == ".json" and os.path.isfile(file) else None


def safe_program(tokenizer: tc.Tokenizer, library: str, parts: Sequence[SafePart]) -> str:
    """Returns a program that encodes the parts of a chat with a library, into ``ids``."""
    path = tokenizer.source.path
    lines = [
        "# Texts of the chat, True for those in which special tokens are recognized.",
        "PARTS = [",
    ]
    for part in parts:
        texts = [repr(line) for line in part.text.splitlines(keepends=True)] or ["''"]
        lines += ["    (", *(f"        {text}" for text in texts[:-1])]
        lines += [f"        {texts[-1]},", f"        {part.of_template},", "    ),"]
    lines += ["]", ""]
    if library == TOKENIZERS:
        head = ["from tokenizers import Tokenizer"]
        opening = f"Tokenizer.from_file({str(_file_of(Path(path)))!r})"
        body = [
            "    tokenizer.encode_special_tokens = not of_template  # True: as plain text",
            "    ids += tokenizer.encode(text, add_special_tokens=False).ids",
        ]
    elif library == TRANSFORMERS:
        head = ["from transformers import AutoTokenizer"]
        opening = f"AutoTokenizer.from_pretrained({path!r})"
        body = [
            "    ids += tokenizer(",
            "        text, add_special_tokens=False, split_special_tokens=not of_template",
            "    ).input_ids",
        ]
    elif library == TIKTOKEN:
        head = ["import tiktoken"]
        opening = f"tiktoken.get_encoding({path!r})"
        body = [
            '    allowed = "all" if of_template else set()',
            "    ids += tokenizer.encode(text, allowed_special=allowed, disallowed_special=())",
        ]
    else:
        head = ["import tokenarium_core as tc"]
        pattern = tokenizer.source.pattern
        given = f", pattern={pattern!r}" if pattern else ""
        opening = f"tc.open({path!r}{given})" if path else _UNSAVED
        body = ['    ids += tokenizer.encode_ids(text, special="all" if of_template else "none")']
    loop = [f"tokenizer = {opening}", "ids = []", "for text, of_template in PARTS:", *body]
    return "\n".join([*head, "", *lines, *loop, "print(ids)", ""])
