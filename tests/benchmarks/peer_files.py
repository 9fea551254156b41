"""Vocabulary files for the peers, written out of tiktoken's own tables, so that all load the same encoding."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "build" / "benchmarks" / "vocabularies"


@cache
def definition(encoding: str) -> dict[str, Any]:
    """Returns the arguments of ``tiktoken.Encoding``; the files come from tiktoken's cache."""
    from tiktoken_ext import openai_public

    arguments: dict[str, Any] = openai_public.ENCODING_CONSTRUCTORS[encoding]()
    return arguments


def tiktoken_file(encoding: str) -> Path:
    """Returns the path of ``NAME.tiktoken``: a line for each piece, base64 and rank."""
    path = FOLDER / f"{encoding}.tiktoken"
    if not path.exists():
        ranks = definition(encoding)["mergeable_ranks"]
        pieces = sorted(ranks, key=ranks.__getitem__)
        lines = (b"%s %d\n" % (base64.b64encode(piece), ranks[piece]) for piece in pieces)
        write(path, b"".join(lines))
    return path


def tokenizer_json(encoding: str) -> Path:
    """Returns the path of ``NAME.json``, the encoding in the form of Hugging Face's tokenizers."""
    path = FOLDER / f"{encoding}.json"
    if not path.exists():
        write(path, json.dumps(_tokenizer_json(encoding)).encode())
    return path


def write(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all: a run that is interrupted leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)


def _tokenizer_json(encoding: str) -> dict[str, Any]:
    arguments = definition(encoding)
    ranks: dict[bytes, int] = arguments["mergeable_ranks"]
    surface = _byte_characters()
    vocabulary = {"".join(surface[byte] for byte in piece): rank for piece, rank in ranks.items()}
    merges = [
        ["".join(surface[byte] for byte in part) for part in parts]
        for parts in merges_of(ranks).values()
    ]
    # Oniguruma reads "{1,3}+" as a repetition and "$" as the end of a line. No possessive quantifier
    # of these patterns changes what is matched, only how fast, so they go.
    pattern = re.sub(r"([+*?}])\+", r"\1", arguments["pat_str"]).replace("$", r"\z")
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": None,
        "decoder": {**level, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,  # a pre-token that is a piece is that piece, as in tiktoken
            "vocab": vocabulary,
            "merges": merges,
        },
    }


def merges_of(ranks: dict[bytes, int]) -> dict[bytes, tuple[bytes, bytes]]:
    """Returns how each piece is merged, in the order of ranks: the last merge of its own encoding.

    ``{b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4}`` gives ``{b"ab": (b"a", b"b"), b"abc": (b"ab", b"c")}``.
    """
    found: dict[bytes, tuple[bytes, bytes]] = {}
    for piece, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [piece[index : index + 1] for index in range(len(piece))]
        while len(parts) > 2:
            pairs = [parts[index] + parts[index + 1] for index in range(len(parts) - 1)]
            best = min(range(len(pairs)), key=lambda index: ranks.get(pairs[index], rank))
            if ranks.get(pairs[best], rank) >= rank:
                break
            parts[best : best + 2] = [pairs[best]]
        if len(parts) == 2:
            found[piece] = (parts[0], parts[1])
    return found


def _byte_characters() -> list[str]:
    """Returns the character that stands for each byte in GPT-2's files: itself where it can be seen."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    unseen = iter(range(256))
    return [chr(byte) if byte in seen else chr(256 + next(unseen)) for byte in range(256)]
