"""The same ids as tiktoken, on a tekken.json read as mistral-common does (``tokens/tokenizers/tekken.py``)."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import tiktoken

import tokenarium_core as tc
from tokenarium_core.pretokenizers import scanner_o200k

SPECIAL = 1000


def test_texts(texts: dict[str, str], data: Path, tmp_path: Path) -> None:
    content = (data / "tokenizers" / "tiktoken-cache").glob("*")
    ranks: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)}
    for path in sorted(content):
        lines = path.read_bytes().splitlines()
        if len(lines) > 150_000:  # o200k_base: pieces in many scripts
            for line in lines:
                piece = base64.b64decode(line.split()[0])
                ranks.setdefault(piece, len(ranks))
            break
    assert len(ranks) > 150_000
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for piece, rank in ranks.items()
    ]
    path = tmp_path / "tekken.json"
    config = {
        "pattern": scanner_o200k.TEKKEN,
        "num_vocab_tokens": len(vocab),
        "default_vocab_size": 131072,
        "default_num_special_tokens": SPECIAL,
        "version": "v3",
    }
    path.write_text(json.dumps({"config": config, "vocab": vocab}), "utf-8")
    kept = {piece: rank for piece, rank in ranks.items() if rank < 131072 - SPECIAL}
    encoding = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=kept, special_tokens={}
    )
    tokenizer = tc.open(path)
    for language, text in texts.items():
        expected = [token + SPECIAL for token in encoding.encode(text)]
        assert tokenizer.encode_ids(text) == expected, language
        assert tokenizer.decode(expected) == text
