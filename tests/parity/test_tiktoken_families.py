"""Files of ranks whose models are known, compared with what their own code builds with tiktoken.

The code of each model is written down here in its own words; its sources are named in `tiktoken_families`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from small_vocabularies import rank_file

import tokenarium_core as tc
from tokenarium_core.errors import FormatError
from tokenarium_core.formats import lacks_pattern
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer, tokenizers_in
from tokenarium_core.formats.registry import save
from tokenarium_core.formats.tiktoken_families import LLAMA4_RANKS, LLAMA_RANKS

PIECES = [
    *[b"th", b"the", b" the", b"er", b" a", b" an", b"in", b"ing", b" in", b"'s", b"  ", b"   "],
    *[
        b"\n\n",
        b"12",
        b"123",
        b"He",
        b"llo",
        b"Hello",
        b" wor",
        b" world",
        b"\xc3\xa9",
        b"\xcc\x81",
    ],
    *["漢".encode(), "字".encode(), "漢字".encode(), "か".encode(), "かな".encode(), "नम".encode()],
    *[
        "सа".encode(),
        "Ж".encode(),
        "\u3000".encode(),
        b"<|",
        b"|>",
        b"<|im",
        b"\xf0\x9f",
        b"\xe2\x80",
    ],
]
RANKS = rank_file(PIECES)
COUNT = 256 + len(PIECES)
RANKS4 = rank_file([*PIECES[:-2], PIECES[-1], PIECES[-2]])
EMPTY = RANKS + b"= %d\n" % COUNT
"""As Whisper's: the last entry has no bytes."""

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]
)
QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
KIMI = (
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


def ranks_of(content: bytes) -> dict[bytes, int]:
    """Returns the entries of a file as Whisper's and Qwen's code reads them."""
    rows = [line.split() for line in content.splitlines() if line]
    return {base64.b64decode(piece): int(rank) for piece, rank in rows}


def built(content: bytes, pattern: str, special: dict[str, int]) -> tiktoken.Encoding:
    """Returns the encoding of a file."""
    return tiktoken.Encoding(
        "theirs", pat_str=pattern, mergeable_ranks=ranks_of(content), special_tokens=special
    )


def whisper(languages: int) -> dict[str, int]:
    """Returns Whisper's special tokens after a file with ``EMPTY``."""
    codes = [
        "en",
        "zh",
        "de",
        "es",
        "ru",
        "ko",
        "fr",
        "ja",
        "pt",
        "tr",
        "pl",
        "ca",
        "nl",
        "ar",
        "sv",
        "it",
        "id",
        "hi",
        "fi",
        "vi",
        "he",
        "uk",
        "el",
        "ms",
        "cs",
        "ro",
        "da",
        "hu",
        "ta",
        "no",
        "th",
        "ur",
        "hr",
        "bg",
        "lt",
        "la",
        "mi",
        "ml",
        "cy",
        "sk",
        "te",
        "fa",
        "lv",
        "bn",
        "sr",
        "az",
        "sl",
        "kn",
        "et",
        "mk",
        "br",
        "eu",
        "is",
        "hy",
        "ne",
        "mn",
        "bs",
        "kk",
        "sq",
        "sw",
        "gl",
        "mr",
        "pa",
        "si",
        "km",
        "sn",
        "yo",
        "so",
        "af",
        "oc",
        "ka",
        "be",
        "tg",
        "sd",
        "gu",
        "am",
        "yi",
        "lo",
        "uz",
        "fo",
        "ht",
        "ps",
        "tk",
        "nn",
        "mt",
        "sa",
        "lb",
        "my",
        "bo",
        "tl",
        "mg",
        "as",
        "tt",
        "haw",
        "ln",
        "ha",
        "ba",
        "jw",
        "su",
        "yue",
    ]
    specials = [
        "<|endoftext|>",
        "<|startoftranscript|>",
        *[f"<|{code}|>" for code in codes[:languages]],
        "<|translate|>",
        "<|transcribe|>",
        "<|startoflm|>",
        "<|startofprev|>",
        "<|nospeech|>",
        "<|notimestamps|>",
        *[f"<|{i * 0.02:.2f}|>" for i in range(1501)],
    ]
    return {token: COUNT + 1 + at for at, token in enumerate(specials)}


QWEN_TOKENS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    *[f"<|extra_{i}|>" for i in range(205)],
]
PICTURES = [
    "<ref>",
    "</ref>",
    "<box>",
    "</box>",
    "<quad>",
    "</quad>",
    "<img>",
    "</img>",
    "<imgpad>",
]
GLM = [
    "<|endoftext|>",
    "[MASK]",
    "[gMASK]",
    "[sMASK]",
    "<sop>",
    "<eop>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|observation|>",
    "<|begin_of_image|>",
    "<|end_of_image|>",
    "<|begin_of_video|>",
    "<|end_of_video|>",
]
LLAMA = [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|step_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
]
LLAMA += [f"<|reserved_special_token_{2 + i}|>" for i in range(256 - 12)]
LLAMA4 = [
    "<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
    "<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>",
    *[f"<|text_post_train_reserved_special_token_{i}|>" for i in range(6)],
    "<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>",
    *[f"<|text_post_train_reserved_special_token_{i}|>" for i in range(8, 69)],
    "<|image_start|>", "<|image_end|>",
    "<|vision_reserved_special_token_0|>", "<|vision_reserved_special_token_1|>",
    "<|tile_x_separator|>", "<|tile_y_separator|>",
    *[f"<|vision_reserved_special_token_{i}|>" for i in range(2, 6)],
    "<|image|>", "<|vision_reserved_special_token_6|>", "<|patch|>",
    *[f"<|vision_reserved_special_token_{i}|>" for i in range(7, 1048)],
    *[f"<|reasoning_reserved_special_token_{i}|>" for i in range(8)],
    "<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>",
]  # fmt: skip
LLAMA4 += [f"<|reserved_special_token_{i}|>" for i in range(2048 - 5 - 1139)]
KIMI_NAMES = {COUNT: "[BOS]", COUNT + 1: "[EOS]", COUNT + 6: "<|im_end|>", COUNT + 255: "[PAD]"}
KIMI_MORE = {**KIMI_NAMES, COUNT + 257: "<|more|>"}


def numbered(tokens: list[str], first: int) -> dict[str, int]:
    """Returns the ids of tokens that follow each other."""
    return {token: first + at for at, token in enumerate(tokens)}


def decoder(names: dict[int, str]) -> dict[str, Any]:
    """Returns tokens as in tokenizer_config.json."""
    return {str(id): {"content": text, "special": True} for id, text in names.items()}


def kimi(names: dict[int, str], count: int) -> dict[str, int]:
    """Returns Kimi's special tokens."""
    return {names.get(i, f"<|reserved_token_{i}|>"): i for i in range(COUNT, COUNT + count)}


Case = tuple[dict[str, Any], str, bytes, str, dict[str, int]]
"""Settings by file, the name and the content of the file of ranks, the pattern and the special tokens."""

CASES: dict[str, Case] = {
    "whisper": ({}, "multilingual.tiktoken", EMPTY, GPT2, whisper(99)),
    "whisper v3": (
        {"config.json": {"model_type": "whisper", "vocab_size": 51866}},
        *("multilingual.tiktoken", EMPTY, GPT2, whisper(100)),
    ),
    "whisper, 3 languages": (
        {"config.json": {"model_type": "whisper", "vocab_size": 51769}},
        *("multilingual.tiktoken", EMPTY, GPT2, whisper(3)),
    ),
    "qwen": ({}, "qwen.tiktoken", RANKS, QWEN, numbered(QWEN_TOKENS, 151643)),
    "qwen by class": (
        {
            "tokenizer_config.json": {
                "tokenizer_class": "QWenTokenizer",
                "auto_map": {"AutoTokenizer": ["tokenization_qwen.QWenTokenizer", None]},
            }
        },
        *("renamed.tiktoken", RANKS, QWEN, numbered(QWEN_TOKENS, 151643)),
    ),
    "qwen-vl": (
        {"config.json": {"model_type": "qwen", "visual": {}}},
        *("qwen.tiktoken", RANKS, QWEN, numbered([*QWEN_TOKENS, *PICTURES], 151643)),
    ),
    "kimi": (
        {
            "tokenizer_config.json": {
                "tokenizer_class": "TikTokenTokenizer",
                "added_tokens_decoder": decoder(KIMI_NAMES),
                "auto_map": {"AutoTokenizer": ["tokenization_kimi.TikTokenTokenizer", None]},
            }
        },
        *("tiktoken.model", RANKS, KIMI, kimi(KIMI_NAMES, 256)),
    ),
    "kimi, 258": (
        {
            "tokenizer_config.json": {
                "tokenizer_class": "TikTokenTokenizer",
                "added_tokens_decoder": decoder(KIMI_MORE),
            }
        },
        *("tiktoken.model", RANKS, KIMI, kimi(KIMI_MORE, 258)),
    ),
    "glm": (
        {"tokenizer_config.json": {"tokenizer_class": "ChatGLM4Tokenizer"}},
        *("tokenizer.model", RANKS, LLAMA3, numbered(GLM, COUNT)),
    ),
    "glm with tokens": (
        {
            "tokenizer_config.json": {
                "tokenizer_class": "ChatGLM4Tokenizer",
                "added_tokens_decoder": decoder(
                    {COUNT + 40: "[gMASK]", COUNT + 41: "<sop>", COUNT + 50: "<|user|>"}
                ),
            }
        },
        *("tokenizer.model", RANKS, LLAMA3),
        {"[gMASK]": COUNT + 40, "<sop>": COUNT + 41, "<|user|>": COUNT + 50},
    ),
    "llama": ({}, "tokenizer.model", RANKS, LLAMA3, numbered(LLAMA, COUNT)),
    "llama, other ends of lines": (
        {},
        *("tokenizer.model", RANKS.replace(b"\n", b"\r\n"), LLAMA3, numbered(LLAMA, COUNT)),
    ),
    "llama 4": ({}, "tokenizer.model", RANKS4, O200K, numbered(LLAMA4, COUNT)),
    "llama with tokens": (
        {
            "tokenizer_config.json": {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "added_tokens_decoder": decoder(
                    {COUNT: "<|begin_of_text|>", COUNT + 9: "<|eot_id|>"}
                ),
            }
        },
        *("tokenizer.model", RANKS, LLAMA3),
        {"<|begin_of_text|>": COUNT, "<|eot_id|>": COUNT + 9},
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each case."""
    root = tmp_path_factory.mktemp("families")
    LLAMA_RANKS.add(hashlib.sha256(RANKS).hexdigest())  # no other case is known by it
    LLAMA4_RANKS.add(hashlib.sha256(RANKS4).hexdigest())

    def folder(name: str) -> Path:
        files, ranks, content, _, _ = CASES[name]
        made = root / name.replace(" ", "_").replace(",", "")
        if not made.exists():
            made.mkdir()
            (made / ranks).write_bytes(content)
            for file, fields in files.items():
                (made / file).write_text(json.dumps(fields), encoding="utf-8")
        return made

    return folder


TOKENS = sorted({token for case in CASES.values() for token in list(case[4])[:12]} | {"<|0.02|>"})
PARTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(TOKENS),
    st.sampled_from(
        [
            "Hello world",
            " the",
            "漢字",
            "かな",
            "नमस्ते",
            "e\u0301",
            "\u0338",
            "ﬁ",
            "\u2126",
            "'s",
            "it's",
        ]
    ),
    st.text("aAThe \t\r\n\u00a0\u3000.,!?<|>[]0123456789", max_size=12),
    st.text(st.characters(min_codepoint=0x300, max_codepoint=0x36F), max_size=3),
)


@pytest.mark.parametrize("name", CASES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(parts=st.lists(PARTS, max_size=8))
@example(
    parts=["a<|endoftext|>\u0338 <|im_end|>\u0338\u0301b", "e\u0301<|im_end|>"]
)  # > and these compose
def test_same_ids(folders: Callable[[str], Path], name: str, parts: list[str]) -> None:
    _, _, content, pattern, special = CASES[name]
    theirs = built(content, pattern, special)
    ours = opened(folders(name))
    text = written = "".join(parts)
    if name.startswith("qwen"):
        text = unicodedata.normalize("NFC", text)
    ids = theirs.encode(text, allowed_special="all", disallowed_special=())
    assert ours.encode_ids(written, special="all") == ids
    assert ours.encode_ids(written) == theirs.encode_ordinary(text)
    assert ours.decode(ids) == theirs.decode(ids)
    before = [special["[gMASK]"], special["<sop>"]] if name.startswith("glm") else []
    assert ours.encode_ids(written, special="all", template=True) == before + ids


_OPENED: dict[Path, tc.Tokenizer] = {}


def opened(folder: Path) -> tc.Tokenizer:
    """Returns the tokenizer of a folder, opened once."""
    if folder not in _OPENED:
        _OPENED[folder] = tc.open(folder)
    return _OPENED[folder]


@pytest.mark.parametrize("name", CASES)
def test_folder_and_file(folders: Callable[[str], Path], name: str, tmp_path: Path) -> None:
    """The file alone is opened as the folder is, listed, needs no pattern, and is saved and read again."""
    folder = folders(name)
    _, ranks, _, _, special = CASES[name]
    ours = opened(folder)
    assert ours.special_tokens == special
    assert any(row.name == "model" for row in ours.details)
    file = tc.open(folder / ranks)
    text = "Hello, the e\u0301 漢字 it's 12345 " + next(iter(special))
    text += list(special)[1] + "\u0338e\u0301 <|im_end|>"  # > and this compose
    ids = ours.encode_ids(text, special="all", template=True)
    assert file.encode_ids(text, special="all", template=True) == ids
    assert is_tokenizer(folder)
    assert [
        found.path.name for found in tokenizers_in(folder, [p.name for p in folder.iterdir()])
    ] == [ranks]
    assert not lacks_pattern(folder / ranks)
    assert foreign_kind(folder / ranks) is None
    for format in ("tokenarium", "huggingface"):
        if format == "huggingface" and (name.startswith("whisper") or "kimi" in name):
            continue  # an entry without bytes, and a pattern of which its engine has no equal
        again = tc.open(save(ours, tmp_path / f"{format}.json", format)[0])
        assert again.encode_ids(text, special="all", template=True) == ids
        assert again.special_tokens == special


def test_whispers_english_file(tmp_path: Path) -> None:
    """It is GPT-2's, and Whisper's only beside the other one."""
    content = rank_file([b"other"])
    (tmp_path / "gpt2.tiktoken").write_bytes(content)
    with pytest.raises(FormatError, match="not the pattern"):
        tc.open(tmp_path / "gpt2.tiktoken")
    assert lacks_pattern(tmp_path / "gpt2.tiktoken")
    (tmp_path / "multilingual.tiktoken").write_bytes(EMPTY)
    assert not lacks_pattern(tmp_path / "gpt2.tiktoken")
    tokens = tc.open(tmp_path / "gpt2.tiktoken").special_tokens
    assert tokens == {token: id - COUNT - 1 + 257 for token, id in whisper(99).items()}


CONFIG = "tokenizer_config.json"
HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("multilingual.tiktoken", {"config.json": {"model_type": "whisper", "vocab_size": 51767 + 100}}, "101 languages"),
    ("multilingual.tiktoken", {"config.json": {"model_type": "whisper", "vocab_size": 10**30}}, "languages"),
    ("qwen.tiktoken", {"config.json": {"audio": {}}}, "Qwen-Audio"),
    ("qwen.tiktoken", {"config.json": [1]}, "not an object"),
    ("tiktoken.model", {CONFIG: {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": decoder({2000000: "x"})}}, "2000000"),
    ("tiktoken.model", {CONFIG: {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": decoder({10**30: "x"})}}, "not the id"),
    ("tiktoken.model", {CONFIG: {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": {"²": {"content": "x"}}}}, "not the id"),
    ("tiktoken.model", {CONFIG: {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": [1]}}, "not an object"),
    ("tiktoken.model", {CONFIG: {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": decoder({900: "a", 901: "a"})}}, "twice"),
    ("tokenizer.model", {CONFIG: {"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": {"900": {"content": "a", "lstrip": True}}}}, "lstrip"),
    ("tokenizer.model", {CONFIG: {"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": decoder({900: "a"})}}, r"\[gMASK\]"),
    ("tokenizer.model", {CONFIG: {"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": decoder({0: "[gMASK]", 900: "<sop>"})}}, "another entry"),
    ("tokenizer.model", {CONFIG: {"tokenizer_class": "OtherTokenizer"}}, "not the pattern"),
]  # fmt: skip


@pytest.mark.parametrize(("ranks", "files", "said"), HOSTILE)
def test_wrong_settings(ranks: str, files: dict[str, Any], said: str, tmp_path: Path) -> None:
    content = rank_file([b"other"])
    (tmp_path / ranks).write_bytes(content)
    for name, fields in files.items():
        (tmp_path / name).write_text(json.dumps(fields), encoding="utf-8")
    for path in (tmp_path, tmp_path / ranks):
        with pytest.raises(FormatError, match=said):
            tc.open(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            RANKS + b"YQ== 3\n",
            f"Line {COUNT + 1} of qwen.tiktoken has the rank 3, which an earlier",
        ),
        (RANKS + b"eHg= %d\n" % (COUNT + 5), f"no entry of rank {COUNT}"),
        (RANKS[:-3], "of qwen.tiktoken"),
        (
            RANKS + b"eHg= 99999999999999999999\n",
            f"Line {COUNT + 1} of qwen.tiktoken has a rank above",
        ),
    ],
)
def test_wrong_ranks(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "qwen.tiktoken").write_bytes(content)
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path)
