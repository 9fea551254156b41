"""GGUF files for the tests, written by the ``gguf`` package from tokenizers in other formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf

import tokenarium_core as tc
from tokenarium_core.formats.byte_level import ordered_merges
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import CONTROL, UNUSED

NORMAL, UNKNOWN, SPECIAL, USER_DEFINED, NOT_USED, BYTE = range(1, 7)


def write(path: Path, fill: Callable[[Any], None], tensors: bool = False) -> Path:
    """Writes a file with what ``fill`` adds to the writer, and perhaps a tensor; returns its path."""
    writer = gguf.GGUFWriter(path, "llama")
    fill(writer)
    if tensors:
        import numpy as np

        writer.add_tensor("token_embd.weight", np.zeros((64, 64), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    if tensors:
        writer.write_tensors_to_file()
    writer.close()
    return path


def of_merges(
    path: Path,
    tokenizer: tc.Tokenizer,
    pre: str | None,
    more: Callable[[Any], None] = lambda writer: None,
    tensors: bool = False,
) -> Path:
    """Writes a byte-level BPE tokenizer as llama.cpp's converter does; ``pre`` names how a text is split."""
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    vocabulary = model.vocabulary
    added = {token.id: token for token in tokenizer.added_tokens.tokens}
    pieces: list[str] = []
    types: list[int] = []
    for token in range(len(vocabulary)):
        kind = int(vocabulary.kinds[token])
        if token in added:
            pieces.append(added[token].content)
            types.append(SPECIAL if added[token].special else USER_DEFINED)
        elif kind == UNUSED:
            pieces.append(f"[PAD{token}]")
            types.append(NOT_USED)
        else:
            assert kind != CONTROL
            pieces.append(byte_alphabet.to_text(vocabulary.piece(token)))
            types.append(NORMAL)
    merges = [f"{pieces[left]} {pieces[right]}" for left, right in ordered_merges(model)]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("gpt2")
        if pre is not None:
            writer.add_tokenizer_pre(pre)
        writer.add_token_list(pieces)
        writer.add_token_types(types)
        writer.add_token_merges(merges)
        more(writer)

    return write(path, fill, tensors)


def of_sentencepiece(
    path: Path, model: Path, more: Callable[[Any], None] = lambda writer: None
) -> Path:
    """Writes a SentencePiece model as llama.cpp's converter does."""
    pieces, trainer, rules = raw_pieces(model.read_bytes(), model.name)

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("llama" if trainer.model_type == 2 else "t5")
        writer.add_tokenizer_pre("default")
        texts = [
            text.replace("▁", " ") if kind == USER_DEFINED else text for text, _, kind in pieces
        ]
        writer.add_token_list(texts)
        writer.add_token_scores([score for _, score, _ in pieces])
        writer.add_token_types([kind for _, _, kind in pieces])
        writer.add_add_space_prefix(rules.add_dummy_prefix)
        writer.add_remove_extra_whitespaces(rules.remove_extra_whitespaces)
        if rules.precompiled_charsmap:
            writer.add_precompiled_charsmap(rules.precompiled_charsmap)
        for role, kind in (("unk", UNKNOWN),):
            ids = [id for id, piece in enumerate(pieces) if piece[2] == kind]
            getattr(writer, f"add_{role}_token_id")(ids[0])
        for text, add in (("<s>", writer.add_bos_token_id), ("</s>", writer.add_eos_token_id)):
            ids = [id for id, piece in enumerate(pieces) if piece[0] == text]
            if ids:
                add(ids[0])
        more(writer)

    return write(path, fill)


def of_wordpiece(
    path: Path, file: Path, lowercase: bool, more: Callable[[Any], None] = lambda writer: None
) -> Path:
    """Writes the pieces of a `tokenizer.json` with WordPiece as llama.cpp's converter does."""
    tree = json.loads(file.read_text("utf-8"))
    vocab = sorted(tree["model"]["vocab"].items(), key=lambda pair: int(pair[1]))
    special = {token["content"] for token in tree["added_tokens"]}
    pieces: list[str] = []
    for text, _ in vocab:
        if text in special:
            pieces.append(text)
        else:
            pieces.append(text[2:] if text.startswith("##") else f"▁{text}")
    ids = dict(vocab)

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("bert")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(pieces)
        writer.add_token_types([SPECIAL if text in special else NORMAL for text, _ in vocab])
        writer.add_unk_token_id(ids["[UNK]"])
        writer.add_bos_token_id(ids["[CLS]"])
        writer.add_sep_token_id(ids["[SEP]"])
        writer.add_bool("tokenizer.ggml.normalizer.lowercase", lowercase)
        more(writer)

    return write(path, fill)
