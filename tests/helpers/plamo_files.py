"""GGUF files of PLaMo-2 with random entries, and texts for them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gguf_files

SPECIAL = ("<|plamo:unk|>", "<|plamo:bos|>", "<|plamo:eos|>", "<|plamo:pad|>")
SCORES = (-1.0, -2.0, -999.99, -1000.01, -1999.99, -2000.0, -2500.0, 3.0, 0.00005, -0.00015)
PARTS = (
    "a",
    "b",
    "c",
    "é",
    " ",
    "日",
    "本",
    "😀",
    "\n",
    "▁",
    "x",
    "क",
    "\0",
    "\ufeff",
    "<0x41>",
    SPECIAL[1],
)


def plamo_file(
    path: Path, chance: random.Random, score: float = 0.0, lacks: int = -1
) -> dict[str, float]:
    """Writes a file with random entries; returns those that are no bytes, with their scores."""
    rows = [(text, 0.0, gguf_files.SPECIAL) for text in SPECIAL]
    rows += [(f"<0x{byte:02X}>", 0.0, gguf_files.BYTE) for byte in range(256) if byte != lacks]
    for _ in range(250):
        text = "".join(chance.choices("abc 日本é😀\n▁", k=chance.randrange(1, 6)))
        value = chance.choice((*SCORES, *[-chance.random() * 20 for _ in range(8)]))
        kind = chance.choice((*[gguf_files.NORMAL] * 9, gguf_files.NOT_USED))
        rows.append((text, value, kind))
    rows = list({row[0]: row for row in rows}.values())
    if score:
        rows.append(("odd", score, gguf_files.NORMAL))

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("plamo2")
        writer.add_token_list([text for text, _, _ in rows])
        writer.add_token_scores([value for _, value, _ in rows])
        writer.add_token_types([kind for _, _, kind in rows])
        writer.add_bos_token_id(1)
        writer.add_add_bos_token(True)  # which llama.cpp does not do for this kind

    gguf_files.write(path, fill)
    return {text: value for text, value, kind in rows if kind != gguf_files.BYTE}


def plamo_texts(chance: random.Random) -> list[str]:
    """Returns texts of entries, bytes, a byte order mark and special tokens."""
    return ["", *["".join(chance.choices(PARTS, k=chance.randrange(1, 25))) for _ in range(80)]]
