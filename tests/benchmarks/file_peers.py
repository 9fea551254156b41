"""The peers that open model files: SentencePiece BPE, Unigram and WordPiece, with the references of each.

Each is given the same text whole, as one document, with its line ends. For Gemma 3 and Mistral a line end is a
piece like others; the rules of the Unigram model (nmt_nfkc, sentencepiece's default) make it a blank, for all alike.

sentencepiece adds up the scores of a Unigram path in 32 bits, from the beginning of the document on: the further in,
the coarser the sums, and rounding decides between ways that are nearly as good. Peers that add in another way, or
word by word, get other ids there, and are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from model_files import model_file, tokenizer_json
from peers import OURS, Loaded, Peer, load_snaptokens

MODEL = "the .model"
JSON = "a tokenizer.json"


def _tokenarium(path: Path) -> Loaded:
    import tokenarium_core as tc

    tokenizer = tc.open(path)
    return Loaded(tokenizer.encode_ids, tokenizer.encode_buffer)


def _sentencepiece(path: Path) -> Loaded:
    import sentencepiece

    return Loaded(sentencepiece.SentencePieceProcessor(model_file=str(path)).encode)


def _tokenizers(path: Path) -> Loaded:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True  # as plain text

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    return Loaded(to_list)


def _fastokens(path: Path) -> Loaded:
    import fastokens

    tokenizer = fastokens.Tokenizer.from_file(str(path))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, split_special_tokens=True).ids

    def to_buffer(text: str) -> Any:
        ids, _ = tokenizer.encode_batch_flat([text], split_special_tokens=True)
        return np.frombuffer(ids, np.uint32)

    return Loaded(to_list, to_buffer)


def _gigatoken(path: Path) -> Loaded:
    import gigatoken

    if path.suffix == ".model":
        tokenizer = gigatoken.Tokenizer.from_sentencepiece(path)
    else:
        tokenizer = gigatoken.Tokenizer(str(path))

    def to_list(text: str) -> list[int]:
        # Quicker than its own way to lists, encode_batch_list, which prepares a batch for each call.
        return tokenizer.encode(text).tolist()

    return Loaded(to_list, tokenizer.encode)


def _kitoken(path: Path) -> Loaded:
    import kitoken

    if path.suffix == ".model":
        tokenizer = kitoken.Kitoken.from_sentencepiece_file(str(path))
    else:
        tokenizer = kitoken.Kitoken.from_tokenizers_file(str(path))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, False)

    return Loaded(to_list)


def _splintr(path: Path) -> Loaded:
    import splintr

    tokenizer = splintr.from_json(str(path))

    def to_buffer(text: str) -> Any:
        return np.frombuffer(tokenizer.encode_flat(text), np.uint32)

    # Its buffers have what the template puts before a text, where there is a template.
    return Loaded(tokenizer.encode_raw, to_buffer if not tokenizer.encode_flat("") else None)


def _nanotoken(path: Path) -> Loaded:
    import nanotoken

    tokenizer = nanotoken.Tokenizer(str(path))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).tolist()

    def to_buffer(text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False)

    return Loaded(to_list, to_buffer)


def _peer(
    name: str, read: Callable[[Path], Loaded], source: str, share: float = 1.0, module: str = ""
) -> Peer:
    file = model_file if source == MODEL else tokenizer_json
    return Peer(name, (module or name,), lambda subject: read(file(subject)), source, share)


def _ours(source: str) -> Peer:
    return _peer(OURS, _tokenarium, source, module="tokenarium_core")


SLOW, SLOWEST = 1 / 4, 1 / 16  # of a text, to those that take seconds for all of it

CHARACTER_BPE = (
    _ours(MODEL),
    _peer("sentencepiece", _sentencepiece, MODEL, SLOW),
    _peer("gigatoken", _gigatoken, MODEL),
    _peer("kitoken", _kitoken, MODEL, SLOW),
    _peer("fastokens", _fastokens, JSON),
    _peer("snaptokens", load_snaptokens, JSON),
    _peer("splintr", _splintr, JSON),
    _peer("tokenizers", _tokenizers, JSON, SLOWEST),
)
CHARACTER_BPE_JSON = (
    _ours(JSON),
    _peer("tokenizers", _tokenizers, JSON, SLOWEST),
    _peer("gigatoken", _gigatoken, JSON),
    _peer("kitoken", _kitoken, JSON, SLOW),
    _peer("fastokens", _fastokens, JSON),
    _peer("snaptokens", load_snaptokens, JSON),
    _peer("splintr", _splintr, JSON),
)
UNIGRAM = (
    _ours(MODEL),
    _peer("sentencepiece", _sentencepiece, MODEL),
    _peer("splintr", _splintr, JSON),
    _peer("kitoken", _kitoken, MODEL, SLOW),
    _peer("tokenizers", _tokenizers, JSON, SLOWEST),
)
WORDPIECE = (
    _ours(JSON),
    _peer("tokenizers", _tokenizers, JSON, SLOWEST),
    _peer("splintr", _splintr, JSON),
    _peer("nanotoken", _nanotoken, JSON),
    _peer("kitoken", _kitoken, JSON, SLOWEST),
    _peer("fastokens", _fastokens, JSON),
)
