"""Folders of BERT Japanese, ProphetNet and RoCBERT, whose rules for words are code in Python: compared with transformers."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import pytest
from model_folders import TEXTS, Child, Files, folder_of, same

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, NotAvailable, TokenariumError
from tokenarium_core.formats.opening import is_tokenizer
from tokenarium_core.formats.registry import EXPORT_FORMATS, obstacle_to
from tokenarium_core.trace import Trace

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

JAPANESE = "BertJapaneseTokenizer"
WORDS = (
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[X_SEP]\nhello\nHello\nworld\n!\n,\n.\nun\n##aff\n##able\nete\nÉTÉ\nété\n中\n文\n"
    "it\n'\ns\na\n##a\nb\n##b\ntwo\nspaces\nnew\none\nnaive\nnaïve\nmask\n日本\n##語\n日\n本\n語\n私\nは\n東京\n##都\nに\n住ん\n"
    "で\n \n\u3000\nA \n行っ\nた\n。\n、\nカ\nガ\n##ガ\nοδος\nοδοσ\n1\n##2\n(\n)\nx\n"
)
LINES = [
    *["私は東京都に住んでいる。", "日本語と日本語、カ゛ｶﾞガ", "東京 に\u3000行った\n私", "ΟΔΟΣ ΟΔΟΣ. οδος"],
    *["e\u0301te\u0301 E\u0301T\u200bE\u0301", "[CLS]私[SEP] は[MASK]", "[X_SEP] a", "a\u2028b\x85c", "中文ab中"],
    *["x²①㍿", "\ufa10か\u3099", "12 1 2x", "a" * 101, "n't 's x 'm . ?", "!!(x)", "´a ¨ ½"],
]  # fmt: skip
PARTS = [
    *LINES,
    *["日", "本", "語", "a", " ", "  ", "\n", "E\u0301", "é", "hello", "##a", "[MASK]", "[UNK]", "ガ", "\u3099", "!"],
    *["\u3000", "\x00", "\ufffd", "İ", "ß", "ﬁ", "Ａ", "<new>"],
]  # fmt: skip


def texts_of(seed: int) -> list[str]:
    """Returns texts in many scripts, with special tokens."""
    chance = random.Random(seed)
    made = ["".join(chance.choice(PARTS) for _ in range(chance.randrange(1, 7))) for _ in range(80)]
    return [*TEXTS, *LINES, *made]


def files_of(kind: str, settings: Files) -> Files:
    """Returns the files of a folder."""
    files: Files = {"vocab.txt": WORDS.encode()}
    if kind == "ProphetNetTokenizer":
        files = {"prophetnet.tokenizer": WORDS.encode()}
    elif kind == "RoCBertTokenizer":  # the shapes and sounds of words, which change no id
        files.update({"word_shape.json": {"[UNK]": 0}, "word_pronunciation.json": {"[UNK]": 0}})
    return {**files, "tokenizer_config.json": {"tokenizer_class": kind, **settings}}


BASIC: list[Files] = [
    {},
    {"do_lower_case": False},
    {"strip_accents": False},
    {"do_lower_case": False, "strip_accents": True},
    {"tokenize_chinese_chars": False},
    {"do_basic_tokenize": False},
    {"additional_special_tokens": ["<new>"], "clean_up_tokenization_spaces": True},
]


@pytest.mark.parametrize("number", range(len(BASIC)))
@pytest.mark.parametrize("kind", ["ProphetNetTokenizer", "RoCBertTokenizer"])
def test_basic(child: Child, tmp_path: Path, kind: str, number: int) -> None:
    same(child, folder_of(files_of(kind, BASIC[number]), tmp_path), texts_of(number))


SETTINGS: list[Files] = [
    {},
    {"do_lower_case": True, "clean_up_tokenization_spaces": True},
    {"subword_tokenizer_type": "character"},
    {"do_word_tokenize": False, "additional_special_tokens": ["<new>"]},
    {"do_word_tokenize": False, "subword_tokenizer_type": "character"},
]


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_japanese(child: Child, tmp_path: Path, number: int) -> None:
    same(child, folder_of(files_of(JAPANESE, SETTINGS[number]), tmp_path), texts_of(number))


IPADIC = {"mecab_dic": "ipadic"}
MECAB: list[Files] = [
    {"mecab_kwargs": IPADIC, "do_lower_case": False, "never_split": None},
    {"mecab_kwargs": IPADIC, "subword_tokenizer_type": "character"},
    {"mecab_kwargs": {**IPADIC, "normalize_text": False}, "additional_special_tokens": ["<new>"]},
]


@pytest.mark.parametrize("number", range(len(MECAB)))
def test_mecab(child: Child, tmp_path: Path, number: int) -> None:
    pytest.importorskip("fugashi")
    pytest.importorskip("ipadic")
    config = {"word_tokenizer_type": "mecab", **MECAB[number]}
    texts = texts_of(number)
    ours = same(child, folder_of(files_of(JAPANESE, config), tmp_path), texts)
    for text in texts:
        ids = ours.encode_ids(text, special="all")
        traced = ours.encode(text, special="all", trace=Trace())
        assert list(traced.ids) == ids
        starts = list(traced.spans)[::2]
        assert starts == sorted(starts)
    assert all(obstacle_to(ours, name) for name in EXPORT_FORMATS)  # none of them can name MeCab


def test_no_mecab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fugashi", None)
    folder = folder_of(files_of(JAPANESE, {"word_tokenizer_type": "mecab"}), tmp_path)
    with pytest.raises(NotAvailable, match="install the packages fugashi and unidic_lite"):
        tc.open(folder)


REFUSED: list[tuple[Files, str]] = [
    ({"word_tokenizer_type": "sudachi"}, "sudachipy"),
    ({"word_tokenizer_type": "jumanpp"}, "rhoknp"),
    ({"word_tokenizer_type": "other"}, "word_tokenizer_type is 'other'"),
    ({"subword_tokenizer_type": "sentencepiece"}, "subword_tokenizer_type"),
    ({"subword_tokenizer_type": "other"}, "subword_tokenizer_type is 'other'"),
    ({"never_split": ["a"]}, "never_split"),
    ({"do_subword_tokenize": False}, "do_subword_tokenize"),
    ({"word_tokenizer_type": "mecab", "do_lower_case": True}, "do_lower_case"),
    (
        {"word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_option": "-r /etc/x"}},
        "mecab_option",
    ),
    ({"word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_dic": "/etc"}}, "mecab_kwargs"),
    ({"word_tokenizer_type": "mecab", "mecab_kwargs": 5}, "mecab_kwargs is 5"),
    ({"unk_token": "[NONE]"}, r"no entry '\[NONE\]'"),
]


@pytest.mark.parametrize(("settings", "said"), REFUSED)
def test_refused(tmp_path: Path, settings: Files, said: str) -> None:
    folder = folder_of(files_of(JAPANESE, settings), tmp_path)
    with pytest.raises(FormatError, match=said):
        tc.open(folder)


def test_a_tokenizer_json_beside_it_is_not_read(child: Child, tmp_path: Path) -> None:
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    files = {**files_of(JAPANESE, {}), "tokenizer.json": {"added_tokens": [], "model": model}}
    same(child, folder_of(files, tmp_path), LINES)


def test_prophetnet_without_its_file(tmp_path: Path) -> None:
    files = files_of("ProphetNetTokenizer", {})
    del files["prophetnet.tokenizer"]
    with pytest.raises(TokenariumError, match="ProphetNetTokenizer"):
        tc.open(folder_of(files, tmp_path))


def test_prophetnet_is_listed(tmp_path: Path) -> None:
    assert is_tokenizer(folder_of(files_of("ProphetNetTokenizer", {}), tmp_path))
