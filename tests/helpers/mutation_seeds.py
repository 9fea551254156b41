"""Small valid tokenizers, one of each kind of file, into which `mutations` puts faults."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from gguf_faults import GgufFields, list_field, number_field, text_field
from mutations import Files, packed_message
from other_files import FILES
from sentencepiece_models import BYTES, SMALL, message, trained
from small_vocabularies import LOWER, rank_file
from tekken_files import tekken

import tokenarium_core as tc
from tokenarium_core.formats.registry import files_of
from tokenarium_core.unicode import byte_alphabet


@functools.cache
def seeds() -> dict[str, Files]:
    """Returns a valid tokenizer of each kind by name; small, so that thousands are tried in minutes."""
    pieces = [b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low"]
    beside: dict[str, Any] = {
        "name": "small",
        "pat_str": r"\p{L}+| ?[^\p{L}]+",
        "special_tokens": {"<|endoftext|>": 300, "<|x|>": 301},
    }
    ranks = rank_file(pieces)
    beside["ranks_sha256"] = hashlib.sha256(ranks).hexdigest()
    made: dict[str, Files] = {
        "tiktoken": {"small.tiktoken": ranks, "small.pattern.json": json.dumps(beside).encode()},
        "gpt2": files_of(
            tc.train("bpe", ["low lower lowest " * 9], vocab_size=262, pattern="gpt2"), "gpt2", "x"
        ),
        "boundless": files_of(
            tc.train("boundless-bpe", ["in the low, in the lower ab"] * 3, vocab_size=285),
            "boundless",
            "small",
        ),
        "tekken": {"tekken.json": json.dumps(tekken()).encode()},
        "ours": {"ours.json": files_of(LOWER, "tokenarium", "ours")["ours.json"]},
        "vocab.txt": {
            "vocab.txt": "\n".join(
                ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "low", "##er", "a", "##b", "é", "!"]
            ).encode()
        },
    }
    made |= {name: {file: content()} for name, (file, content) in FILES.items()}
    with_bytes = message([*SMALL, *BYTES], kind=2)
    with_bytes.trainer_spec.byte_fallback = True
    sample = packed_message([(1, 2, b"ab"), (2, 2, b"ab")])
    self_test = packed_message([(4, 2, packed_message([(1, 2, sample)]))])
    made["model bytes"] = {"bytes.model": with_bytes.SerializeToString() + self_test}
    made["fairseq"] = {
        "dict.txt": "▁low 9\n▁ 8\nlow 7\nl 6\no 5\n▁ 4 #fairseq:overwrite\n".encode(),
        "bpe.model": trained("bpe", 300),
    }
    for kind in ("unigram", "bpe", "word", "char"):
        made[f"model {kind}"] = {
            f"{kind}.model": trained(kind, 300, ("<mask>",), character_coverage=0.98)
        }
    made |= {
        f"json {name}": {"tokenizer.json": json.dumps(tree).encode()} for name, tree in _trees()
    }
    return made | _gguf_files()


def _gguf_files() -> dict[str, Files]:
    """Returns small GGUF files: byte-level BPE, SentencePiece's BPE and Unigram, and WordPiece."""
    ggml = "tokenizer.ggml."
    alphabet = [byte_alphabet.to_text(bytes([byte])) for byte in range(256)]
    merges = ["l o", "o w", "lo w", "Ġ l", "Ġl ow", "e r", "low er"]
    entries = [*alphabet, *(merge.replace(" ", "") for merge in merges), "<|endoftext|>"]
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += ["▁", *"abelnorw", "lo", "low", "▁low", "er", "é"]
    types = [2, 3, 3, *[6] * 256, *[1] * (len(pieces) - 259)]
    scores = [0.0] * 259 + [-1.0 - number / 4 for number in range(len(pieces) - 259)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁low", "er", "▁a", "b", "▁é", "▁!"]
    of_pieces = [
        list_field(f"{ggml}tokens", 8, pieces),
        list_field(f"{ggml}scores", 6, scores),
        list_field(f"{ggml}token_type", 5, types),
        *(number_field(f"{ggml}{name}_token_id", id) for id, name in enumerate(("unknown", "bos", "eos"))),
    ]  # fmt: skip
    files = {
        "bytes": [
            text_field(f"{ggml}model", "gpt2"),
            text_field(f"{ggml}pre", "gpt-2"),
            list_field(f"{ggml}tokens", 8, entries),
            list_field(f"{ggml}token_type", 5, [*[1] * (len(entries) - 1), 3]),
            list_field(f"{ggml}merges", 8, merges),
            number_field(f"{ggml}bos_token_id", len(entries) - 1),
        ],
        "llama": [text_field(f"{ggml}model", "llama"), *of_pieces],
        "unigram": [text_field(f"{ggml}model", "t5"), *of_pieces],
        "wordpiece": [
            text_field(f"{ggml}model", "bert"),
            list_field(f"{ggml}tokens", 8, words),
            list_field(f"{ggml}token_type", 5, [3, 3, 3, 3, *[1] * 6]),
            *(number_field(f"{ggml}{name}_token_id", id) for name, id in (("unknown", 1), ("bos", 2), ("seperator", 3))),
        ],
    }  # fmt: skip
    name = text_field("general.name", "small")
    return {
        f"gguf {kind}": {"small.gguf": GgufFields(3, 0, (name, *fields), b"").joined()}
        for kind, fields in files.items()
    }


def _trees() -> list[tuple[str, dict[str, Any]]]:
    """Returns small `tokenizer.json` of every model and with the usual stages, by name."""
    alphabet = [chr(code) for code in [*range(33, 127), *range(161, 173), *range(174, 256)]]
    alphabet += [chr(256 + code) for code in range(68)]
    byte_pieces = [*alphabet, "lo", "ow", "low", "Ġl", "Ġlow", "er", "lower"]
    words = [
        "<unk>", "<s>", "</s>", "▁", "a", "b", "l", "o", "w", "e", "r", "n", "ab", "lo", "low",
        "er",
    ]  # fmt: skip
    words += ["▁low", "▁a", "é", *[f"<0x{byte:02X}>" for byte in range(256)]]
    unknown = {"unk_token": "<unk>"}
    special = {"special": True, "normalized": False}

    def tree(model: dict[str, Any], **stages: Any) -> dict[str, Any]:
        parts = [
            "truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder",
        ]  # fmt: skip
        return {
            "version": "1.0",
            "added_tokens": [],
            **dict.fromkeys(parts),
            **stages,
            "model": model,
        }

    def added(content: str, number: int, **flags: bool) -> dict[str, Any]:
        plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True}
        return {"id": number, "content": content, **plain, "special": False, **flags}

    byte_bpe: dict[str, Any] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {piece: number for number, piece in enumerate(byte_pieces)},
        "merges": [
            ["l", "o"],
            ["o", "w"],
            ["lo", "w"],
            ["Ġ", "l"],
            ["Ġl", "ow"],
            ["e", "r"],
            ["low", "er"],
        ],
    }
    ids = {piece: number for number, piece in enumerate(words)}
    plain_bpe: dict[str, Any] = {
        **byte_bpe,
        **unknown,
        "fuse_unk": True,
        "byte_fallback": True,
        "vocab": ids,
    }
    plain_bpe["merges"] = ["l o", "lo w", "▁ low", "a b", "▁ a", "e r"]
    pieces = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "low", "##er", "##w", "lo", "a", "##b", "!",
    ]  # fmt: skip
    template = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    }
    mark = {"String": " "}
    bytes_of = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    back = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True}
    return [
        (
            "bytes",
            tree(
                byte_bpe,
                added_tokens=[
                    added("<|endoftext|>", 263, **special),
                    added("<mask>", 264, lstrip=True),
                ],
                normalizer={"type": "NFC"},
                pre_tokenizer=bytes_of,
                decoder=bytes_of,
                post_processor=bytes_of,
            ),
        ),
        (
            "llama",
            tree(
                plain_bpe,
                added_tokens=[added("<unk>", 0, **special), added("<s>", 1, **special)],
                normalizer={
                    "type": "Sequence",
                    "normalizers": [
                        {"type": "Prepend", "prepend": "▁"},
                        {"type": "Replace", "pattern": mark, "content": "▁"},
                    ],
                },
                post_processor=template,
                decoder={"type": "Sequence", "decoders": back},
            ),
        ),
        (
            "unigram",
            tree(
                {
                    "type": "Unigram",
                    "unk_id": 0,
                    "byte_fallback": True,
                    "vocab": [[piece, -0.5 * number] for number, piece in enumerate(words)],
                },
                added_tokens=[added("<s>", 1, **special), added("</s>", 2, **special)],
                normalizer={"type": "NFKC"},
                pre_tokenizer=space,
                decoder=space,
                post_processor=template,
            ),
        ),
        (
            "wordpiece",
            tree(
                {
                    "type": "WordPiece",
                    "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100,
                    "vocab": {piece: number for number, piece in enumerate(pieces)},
                },
                added_tokens=[added(pieces[number], number, **special) for number in range(5)],
                normalizer={**bert, "strip_accents": None, "lowercase": True},
                pre_tokenizer={"type": "BertPreTokenizer"},
                post_processor={"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
                decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
            ),
        ),
        (
            "words",
            tree(
                {
                    "type": "WordLevel",
                    "vocab": {"[UNK]": 0, "low": 1, "ab": 2},
                    "unk_token": "[UNK]",
                },
                pre_tokenizer={"type": "Whitespace"},
            ),
        ),
    ]
