"""Model files of the subjects: real ones, small ones that are trained here once, each in the forms that peers read.

Gemma 3 and Mistral are the official files, in the folder of the tests' data. The Unigram and the WordPiece model
are trained on the ends of the texts, so that most of what is measured was never seen, and kept under ``build/``.
What a form does not have is derived: a ``tokenizer.json`` from a ``.model``, piece by piece.
"""

from __future__ import annotations

import base64
import io
import json
import os
from pathlib import Path
from typing import Any

from peer_files import FOLDER, write
from texts import ROOT, Texts

OFFICIAL = {"gemma3": "gemma3.model", "mistral": "mistral-v3.model"}
OFFICIAL_JSON = {"gemma3": "gemma3-tokenizer.json", "gemma3-json": "gemma3-tokenizer.json"}
UNIGRAM_TEXTS = ("english", "german", "japanese")
UNIGRAM_SIZE = 32_000
WORDPIECE_SIZE = 30_522  # as many as BERT's
TRAINED_ON = 4_000_000  # bytes of each text
NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4  # those kinds of pieces that count here


def data_folder() -> Path:
    """Returns the folder of real vocabularies, which need not be there."""
    return Path(os.environ.get("TOKENARIUM_TEST_DATA") or ROOT.parent / "shared" / "data")


def model_file(subject: str) -> Path:
    """Returns the path of the subject's SentencePiece model."""
    if subject in OFFICIAL:
        return _official(OFFICIAL[subject])
    return FOLDER / f"{subject}.model"


def tokenizer_json(subject: str) -> Path:
    """Returns the path of the subject's ``tokenizer.json``, written from its SentencePiece model where it has none."""
    if subject in OFFICIAL_JSON:
        return _official(OFFICIAL_JSON[subject])
    path = FOLDER / f"{subject}.json"
    if not path.exists():
        content = _json_of_model(model_file(subject).read_bytes())
        write(path, json.dumps(content, ensure_ascii=False).encode())
    return path


def vocab_txt(subject: str) -> Path:
    """Returns the path of the subject's ``vocab.txt``."""
    return FOLDER / f"{subject}.txt"


def train_unigram(texts: Texts) -> None:
    """Trains the Unigram model with sentencepiece, where it is not there yet."""
    path = model_file("unigram")
    if path.exists():
        return
    import sentencepiece

    print(f"Training {path.relative_to(ROOT)} …", flush=True)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(
            [line for name in UNIGRAM_TEXTS for line in _end_lines(texts, name)]
        ),
        model_writer=model,
        model_type="unigram",
        vocab_size=UNIGRAM_SIZE,
        hard_vocab_limit=False,  # short texts do not have so many pieces
        max_sentence_length=1 << 20,  # bytes; longer lines would be left out
        minloglevel=2,
    )
    write(path, model.getvalue())


def train_wordpiece(texts: Texts) -> None:
    """Trains a WordPiece model as BERT's uncased one is made, with tokenizers, where it is not there yet."""
    path = FOLDER / "wordpiece.json"
    if path.exists():
        return
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    print(f"Training {path.relative_to(ROOT)} …", flush=True)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=WORDPIECE_SIZE,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(_end_lines(texts, "english"), trainer)
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    write(vocab_txt("wordpiece"), "".join(f"{piece}\n" for piece, _ in pieces).encode())
    write(path, tokenizer.to_str().encode())


def _official(name: str) -> Path:
    path = data_folder() / "tokenizers" / name
    if not path.exists():
        raise FileNotFoundError(
            f"{name} is not there: TOKENARIUM_TEST_DATA names the folder that has it under tokenizers/"
        )
    return path


def _end_lines(texts: Texts, name: str) -> list[str]:
    text = texts[name]
    start = max(0, len(text.content) - len(text.content) * TRAINED_ON // text.size)
    return text.content[start:].splitlines()[1:]


def _json_of_model(content: bytes) -> dict[str, Any]:
    """Returns a SentencePiece model in the form of Hugging Face's tokenizers.

    As in their own conversion, BPE has a merge for each way to make a piece of two others, in the order of scores.
    Control pieces are plain text for all peers here, so no added token finds them. Unigram would find them as it
    finds every piece: there they begin with a NUL, which no text has. (Some peers know the unknown piece by its name.)
    """
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(content)
    pieces: list[tuple[str, float]] = [(piece.piece, piece.score) for piece in proto.pieces]
    kinds: list[int] = [piece.type for piece in proto.pieces]
    unknown = kinds.index(UNKNOWN)
    if proto.trainer_spec.model_type == proto.trainer_spec.BPE:
        normalizer, pre_tokenizer = _escaping(proto.normalizer_spec.add_dummy_prefix), None
        model = {
            "type": "BPE",
            "dropout": None,
            "unk_token": pieces[unknown][0],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": proto.trainer_spec.byte_fallback,
            "ignore_merges": False,
            "vocab": {piece: index for index, (piece, _) in enumerate(pieces)},
            "merges": _merges(pieces, kinds),
        }
    else:
        normalizer = _rules(proto.normalizer_spec.precompiled_charsmap)
        pre_tokenizer = {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": True,
        }
        model = {
            "type": "Unigram",
            "unk_id": unknown,
            "vocab": [
                (f"\0{piece}" if kind == CONTROL else piece, score)
                for (piece, score), kind in zip(pieces, kinds, strict=True)
            ],
            "byte_fallback": proto.trainer_spec.byte_fallback,
        }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": index,
                "content": pieces[index][0],
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": False,
            }
            for index, kind in enumerate(kinds)
            if kind == USER_DEFINED
        ],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }


def _merges(pieces: list[tuple[str, float]], kinds: list[int]) -> list[list[str]]:
    ids = {piece: index for index, (piece, _) in enumerate(pieces) if kinds[index] == NORMAL}
    merges = []
    for piece in sorted(ids, key=lambda piece: (-pieces[ids[piece]][1], ids[piece])):
        ways = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = [way for way in ways if way[0] in ids and way[1] in ids]
        merges += [list(way) for way in sorted(known, key=lambda way: (ids[way[0]], ids[way[1]]))]
    return merges


def _escaping(dummy_prefix: bool) -> dict[str, Any]:
    """Returns what writes ``▁`` for a blank, and one before the text."""
    steps: list[dict[str, Any]] = [{"type": "Prepend", "prepend": "▁"}] if dummy_prefix else []
    steps.append({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})
    return {"type": "Sequence", "normalizers": steps}


def _rules(charsmap: bytes) -> dict[str, Any]:
    """Returns what applies a model's rules, and then takes blanks away at both ends and where another is."""
    steps = [
        {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    ]
    return {"type": "Sequence", "normalizers": steps}
