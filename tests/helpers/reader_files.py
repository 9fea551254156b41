"""Small files with one stage each that programs read differently, and the texts that show it.

They are the same in each run, so that what programs made of them can be recorded: `foreign_programs`.
"""

from __future__ import annotations

import base64
import copy
import json
import zlib
from pathlib import Path
from typing import Any, Final

import gguf
import gguf_files

import tokenarium_core as tc
from tokenarium_core.formats.gguf.gguf_cuts import CUTS
from tokenarium_core.unicode import byte_alphabet

Fields = dict[str, Any]

CHARSMAP: Final = (
    "c-ke?Wss0%5CGth8|siQk3PCfx*J3q6$F&-"
    "?yjRd1nE@3IzlCtP{IJ|?jE|kc@Ey0XWpIN{joDU8$=I+AUp^{;{{P~Xk=JO5D_B?Ld3BoViHPhJ|GTJt#L^}d=in6"
    "BqSyoN%@fEq#%q`q$CZgNk>}JzaJsUNCq;KiL7KHJK4xd4sw%=yyPK2`6$3g6rvzSC`>VmQi9@?q9kP~O*zU^f$~(M"
    "B2}nNRX(N~pHPG9)S@PJsLiL;<#RrxKJ{q87c`<FU-"
    "2bPXiPJj(t_r+q9tu;O*`7sf%bHwBVFiBH@eb;?)0K3edtX;`Z9q23}PTd7)(Ue;u+2`MlyoYjAATf7|%E+GJ(lVVk"
    "%RZ#@BqqbY?Px+00@tbC}OO7P5fFEaE%9WhqPeo@M;V5B$teEGLqctl$?`@f*LghSjWNEgM+RAN<ZHHnN4y{KcPaV="
    "Ft@&OiLkfBefXcCwrQ*~=dGvyX!u;4p_c$`OupjFX(;G^aSr8P0Q#i(KF`m$<^6@Mys`|5a{qom<?Ds&Sip+~ooHdB"
    "j7W@R(;j<ps}q#Y^7s`rYldZWp`-8Nq`S"
)
"""The compiled rules for U+FB01, which becomes fi, and a tab, which becomes a space."""

TEXTS: Final = (
    "", " ", "a", "ab ab", "  a  b", "a\tb", "a\n\nb", " \n  ", "a\n  ", "a\u00a0b", "\u0085a", "a\u0085", "\ufeffa", "a\u3000b",
    "é", "e\u0301a", "a é", "café", "aßa", "\u0394\u039f\u03a3 \u03a3", "\u03a3\u03a3'", "\U00020000", "a\U00020000b", "中a", "a中文b",
    "12345", "a1b", "①②", " \u0085a", "a \ufeff b", "x²", "½ ½", "١٢", "a_b", "a-b", "a--b", "''a", "(a)", "a.b!", "a\u061db", "don't", "DON'T", "\u200d", "a\u200cb",
    "\x00a", "ﬁ", "～", "a▁b", "▁▁a", "<w>", "x<w>y", " <w> ", "a <l> b", "a <r> b", "<qz>", "<qzw>", "A<N>b", "<n>", "[UNK]", "Abc",
    "aba", "Hello, world!", "日本語の。", "a$b",
)  # fmt: skip
"""The texts of which programs get ids."""

_PARTS: Final = (
    " \u0085", " \ufeff", " \n  ", "a\n  ", *TEXTS, "abc", "a b", "b ", " b", "\tb", "\nb", "\n\n", "  ", "--", "''", "12", "45", "123", "语", "文b", "中文", "é ", "qz",
)  # fmt: skip
WORD_PIECES: Final = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *(f"▁{letter}" for letter in "abcdehlnortx12.,é"),
    *("abcdehlnortx12é\u0301"),
    *("▁A", "\U00020000"),
    *(f"▁[unused{number}]" for number in range(100)),  # old releases put the id 101 before a text
)
"""The pieces of WordPiece in GGUF files."""
_ADDED: Final = ("<w>", "<l>", "<r>", "<qz>", "<qzw>", "<N>", "<n>")
_BYTES: Final = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}
_GPT4: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]"
    r"|\s+(?!\S)|\s+"
)
_QWEN: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def _file(model: Fields, **stages: Any) -> Fields:
    made: Fields = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }
    return {**made, **stages}


def _merged(pieces: list[str], vocab: dict[str, int]) -> list[list[str]]:
    """Returns merges that make one entry of each of these texts, from the left, with what they add to the entries."""
    merges: dict[tuple[str, str], None] = {}
    for piece in pieces:
        for size in range(1, len(piece)):
            merges[piece[:size], piece[size]] = None
            vocab.setdefault(piece[: size + 1], len(vocab))
    return [list(pair) for pair in merges]


def of_bytes(**stages: Any) -> Fields:
    """Returns a file of byte-level BPE in which each text is one token unless something splits it."""
    alphabet = [byte_alphabet.to_text(bytes([byte])) for byte in range(256)]
    vocab = {piece: id for id, piece in enumerate(alphabet)}
    texts = [text for text in _PARTS if not any(token in text for token in _ADDED)]
    merges = _merged([byte_alphabet.to_text(text.encode()) for text in texts], vocab)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": merges,
    }
    decoder = {**_BYTES, "use_regex": True}
    return _file(model, decoder=decoder, **{"pre_tokenizer": dict(_BYTES), **stages})


def of_characters(fallback: bool = True, **stages: Any) -> Fields:
    """Returns a file of BPE over characters, with an unknown token and perhaps an entry for each byte."""
    vocab = {"<unk>": 0}
    if fallback:
        vocab |= {f"<0x{byte:02X}>": byte + 1 for byte in range(256)}
    texts = [text.replace(" ", "▁") for text in _PARTS if text.isascii() and "<" not in text]
    for text in [*texts, "▁▁a", "a▁b"]:
        for character in text:
            vocab.setdefault(character, len(vocab))
    merges = _merged(texts, vocab)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": fallback,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": merges,
    }
    return _file(model, added_tokens=[_token(0, "<unk>", special=True)], **stages)


def _token(id: int, content: str, **flags: bool) -> Fields:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": id, "content": content, **{name: flags.get(name, False) for name in names}}


def _with_added(*tokens: tuple[str, list[str]], **stages: Any) -> Fields:
    made = of_bytes(**stages)
    for content, flags in tokens:
        id = len(made["model"]["vocab"]) + len(made["added_tokens"])
        made["added_tokens"].append(_token(id, content, **dict.fromkeys(flags, True)))
    return made


def _split(pattern: Fields, behavior: str, invert: bool = False) -> Fields:
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def _before(*steps: Fields) -> Fields:
    return of_bytes(pre_tokenizer={"type": "Sequence", "pretokenizers": [*steps, dict(_BYTES)]})


def _framed(kind: str) -> Fields:
    made = _with_added(("<s>", ["special"]), ("</s>", ["special"]))
    first, last = (token["id"] for token in made["added_tokens"])
    if kind == "TemplateProcessing":
        special = {
            name: {"id": name, "ids": [id], "tokens": [name]}
            for name, id in (("<s>", first), ("</s>", last))
        }
        single: list[Fields] = [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}},
        ]
        pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
        made["post_processor"] = {
            "type": kind,
            "single": single,
            "pair": pair,
            "special_tokens": special,
        }
    else:
        made["post_processor"] = {"type": kind, "sep": ["</s>", last], "cls": ["<s>", first]}
        if kind == "RobertaProcessing":
            made["post_processor"] |= {"trim_offsets": True, "add_prefix_space": False}
    return made


def _prefixed() -> Fields:
    made = of_characters(False)
    pieces = [
        "<unk>",
        *"abcé12",
        *(f"##{character}" for character in "abcé12"),
        "ab",
        "##ab",
        "aba",
    ]
    made["model"] |= {
        "continuing_subword_prefix": "##",
        "vocab": {piece: id for id, piece in enumerate(pieces)},
        "merges": [["a", "##b"], ["##a", "##b"], ["ab", "##a"]],
    }
    return made


def _unigram(fallback: int) -> Fields:
    pieces = ["<unk>", "▁", "a", "b", "ab", "▁a", "c", "1", "2", "é", "中"]
    pieces += [f"<0x{byte:02X}>" for byte in range(256 - fallback, 256)]
    vocab = [
        [piece, 0.0 if piece == "<unk>" else -1.5 - index / 4] for index, piece in enumerate(pieces)
    ]
    return _file(
        {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": fallback > 0},
        added_tokens=[_token(0, "<unk>", special=True)],
        pre_tokenizer={
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": True,
        },
    )


def _wordpiece() -> Fields:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    pieces += [*"abcdehlnortwx12.,!'()-_", "\u03c3", "\u03c2", "\u03b4", "\u03bf", "中", "文"]
    pieces += [f"##{piece}" for piece in pieces[4:]]
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: id for id, piece in enumerate(pieces)},
    }
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
    return _file(
        model,
        added_tokens=[_token(id, pieces[id], special=True) for id in range(4)],
        normalizer=normalizer,
        pre_tokenizer={"type": "BertPreTokenizer"},
    )


def reader_files() -> dict[str, Fields]:
    """Returns the fields of each `tokenizer.json` by what is peculiar to it."""
    files: dict[str, Fields] = {"no stage": of_bytes()}
    gpt2 = {**_BYTES, "use_regex": True}
    files["ByteLevel"] = of_bytes(pre_tokenizer=gpt2)
    files["ByteLevel, space"] = of_bytes(pre_tokenizer={**gpt2, "add_prefix_space": True})
    for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"):
        files[name] = _before({"type": name})
    files["Digits"] = _before({"type": "Digits", "individual_digits": True})
    for behavior in ("Isolated", "Removed", "MergedWithNext", "Contiguous"):
        files[f"Punctuation, {behavior}"] = _before({"type": "Punctuation", "behavior": behavior})
    for behavior in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        files[f"Split string, {behavior}"] = _before(_split({"String": "a"}, behavior))
        files[f"Split spaces, {behavior}"] = _before(_split({"Regex": r"\s"}, behavior))
        files[f"Split spaces, {behavior}, invert"] = _before(
            _split({"Regex": r"\s"}, behavior, True)
        )
    for pattern in (
        r"\w+", r"\W", r"\b", r"\h+", "[[:alpha:]]+", r"[^\s\w]", r"\d{1,2}+", "(?i)a", r"\s++$|\s*[\r\n]", r"\p{Han}+", _GPT4, _QWEN,
    ):  # fmt: skip
        files[f"Split {pattern}"] = _before(_split({"Regex": pattern}, "Isolated"))
    qwen = _split({"Regex": _QWEN}, "Isolated")
    files["Digits, Split"] = _before({"type": "Digits", "individual_digits": True}, qwen)
    files["Split, ByteLevel"] = of_bytes(
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [qwen, {**gpt2, "add_prefix_space": True}],
        }
    )
    for normalizer in (
        *(
            {"type": name}
            for name in ("NFC", "NFKC", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
        ),
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Prepend", "prepend": "a"},
    ):
        files[normalizer["type"] + " normalizer"] = of_bytes(normalizer=normalizer)
    charsmap = base64.b64encode(zlib.decompress(base64.b85decode(CHARSMAP))).decode()
    files["Precompiled normalizer"] = of_bytes(
        normalizer={"type": "Precompiled", "precompiled_charsmap": charsmap}
    )
    for content in ("$&$1", "$$"):
        replaced = {"type": "Replace", "pattern": {"String": "a"}, "content": content}
        files[f"Replace {content}"] = of_bytes(normalizer=replaced)
    for flag in ("single_word", "lstrip", "rstrip", "normalized"):
        files[f"added, {flag}"] = _with_added(
            ("<w>", [flag]), ("<l>", [flag, "special"]), ("<r>", [flag])
        )
    files["added, alike"] = _with_added(("<qz", []), ("<qzw>", []), ("<qz>", []))
    files["added, lowercase"] = _with_added(
        ("<N>", []), ("<n>", ["normalized"]), normalizer={"type": "Lowercase"}
    )
    for kind in ("TemplateProcessing", "RobertaProcessing", "BertProcessing"):
        files[kind] = _framed(kind)
    for scheme in ("always", "never", "first"):
        for split in (True, False):
            files[f"Metaspace, {scheme}, {split}"] = of_characters(
                pre_tokenizer={
                    "type": "Metaspace",
                    "replacement": "▁",
                    "prepend_scheme": scheme,
                    "split": split,
                }
            )
    marks = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    files["as Llama"] = of_characters(
        normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, marks]}
    )
    files["as Llama, NFC"] = of_characters(
        normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}, marks]}
    )
    files["FixedLength"] = _before({"type": "FixedLength", "length": 2})
    named = _framed("TemplateProcessing")
    special = named["post_processor"]["special_tokens"]["<s>"]
    special["ids"] = special["ids"] * 2
    special["tokens"] = special["tokens"] * 2
    files["TemplateProcessing, two ids"] = named
    files["prefix"] = _prefixed()
    files["unknown characters"] = of_characters(False)
    files["unknown characters in words"] = of_characters(
        False, pre_tokenizer={"type": "WhitespaceSplit"}
    )
    fused = copy.deepcopy(files["unknown characters in words"])
    fused["model"]["fuse_unk"] = True
    files["unknown characters, fused"] = fused
    left = copy.deepcopy(files["unknown characters"])
    left["model"]["unk_token"] = None
    files["no unknown token"] = left
    gaps = of_bytes()
    gaps["model"]["vocab"]["\u0100\u0100\u0100"] = len(gaps["model"]["vocab"]) + 7
    files["ids with a gap"] = gaps
    files["Unigram"] = _unigram(0)
    files["Unigram with bytes"] = _unigram(256)
    files["Unigram with some bytes"] = _unigram(128)
    files["WordPiece"] = _wordpiece()
    level = {"<unk>": 0, "a": 1, "ab": 2}
    files["WordLevel"] = _file(
        {"type": "WordLevel", "vocab": level, "unk_token": "<unk>"},
        pre_tokenizer={"type": "WhitespaceSplit"},
    )
    return files


def gguf_wordpiece(path: Path, lowercase: bool, cls: bool) -> Path:
    """Writes a GGUF file of WordPiece; ``cls``: it has the field of the id before a text."""

    def fill(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("bert")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(list(WORD_PIECES))
        types = [gguf_files.SPECIAL] * 4 + [gguf_files.NORMAL] * (len(WORD_PIECES) - 4)
        writer.add_token_types(types)
        writer.add_unk_token_id(1)
        writer.add_bos_token_id(2)
        writer.add_sep_token_id(3)
        if cls:
            writer.add_uint32("tokenizer.ggml.cls_token_id", 3)
        writer.add_bool("tokenizer.ggml.normalizer.lowercase", lowercase)

    return gguf_files.write(path, fill)


def gguf_files_of(folder: Path) -> dict[str, tuple[Path, str]]:
    """Writes the GGUF files; returns the path of each by what is peculiar to it, and the entries as a text."""
    plain = folder / "tokenizer.json"
    content = json.dumps(of_bytes())
    plain.write_text(content, "utf-8")
    tokenizer = tc.open(plain)
    files: dict[str, tuple[Path, str]] = {}
    for pre in gguf_names():
        files[pre] = (gguf_files.of_merges(folder / f"{pre}.gguf", tokenizer, pre), content)
    for lowercase in (True, False):
        for cls in (True, False):
            name = f"WordPiece, lowercase {lowercase}, cls {cls}"
            path = gguf_wordpiece(folder / f"{name}.gguf", lowercase, cls)
            files[name] = (path, "\n".join(WORD_PIECES))
    return files


def gguf_names() -> list[str]:
    """Returns the names of pre-tokenizers that files of byte-level BPE can have, and one that no program knows."""
    return [*sorted(name for name, cuts in CUTS.items() if not cuts.marks), "no-such-name"]
