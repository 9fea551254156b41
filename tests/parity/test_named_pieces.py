"""Folders of Marian and M2M100, whose ids are given by name: compared with the classes in Python of transformers."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from typing import Any

import pytest
from model_folders import (
    BPE,
    OPTIONS,
    PLAIN_BPE,
    TEXTS,
    UNIGRAM,
    USER,
    Child,
    Files,
    applied,
    check_class,
    folder_of,
    model,
)

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, NotAvailable, UnsupportedError
from tokenarium_core.explaining.sampling import sample
from tokenarium_core.formats.opening import is_tokenizer
from tokenarium_core.formats.registry import save
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces

SPECIAL = {
    "MarianTokenizer": ["</s>", "<unk>"],
    "M2M100Tokenizer": ["<s>", "<pad>", "</s>", "<unk>"],
    "Speech2TextTokenizer": ["<s>", "<pad>", "</s>", "<unk>"],
}
OTHERS = ["漢字", "▁漢字", "\U0001f600", ">>fra<<", ">>por_Latn<<", "ж", "ﷺ", "Ж▁Ж"]
"""Entries that are no pieces of the model, some of which a run of unknown characters spells."""
CODES = [">>fra<<", ">>xyz<<", ">>fra<< ", ">><<", ">> a <<", ">>fra", " >>fra<<", ">>fra<<>>fra<<"]
PARTS = [
    *CODES,
    *["</s>", "<unk>", "<pad>", "<s>", "<new>", "__en__", "__fr__", " ", "  ", "\t", "\n", "\u3000", "\u00a0"],
    *["漢字", "漢", "字漢字", "\U0001f600", "ж", "ﷺ", "Ж Ж", "Ж", "▁", "Hello", " world", "the ", "isn't", "é", "e\u0301"],
    *["नमस्ते", "สวัสดี", "مرحبا", "12345", "<<", ">>", "\x00", "ﬁ", "\ud7a3", "\U00020000", "a\u200bb\xadc", "\u2003\ufffc x\u202f"],
]  # fmt: skip


def random_texts(seed: int) -> list[str]:
    """Returns texts in many scripts, with language codes and special tokens."""
    chance = random.Random(seed)
    texts = list(TEXTS)
    for _ in range(60):
        parts = [chance.choice(PARTS) for _ in range(chance.randrange(1, 9))]
        if chance.random() < 0.3:
            parts.append(
                chr(
                    chance.choice([0x100, 0x370, 0x600, 0xE00, 0x3040, 0xAC00])
                    + chance.randrange(64)
                )
            )
        texts.append("".join(parts))
    return texts


def vocabulary(kind: str, name: str, seed: int = 1) -> dict[str, int]:
    """Returns a vocab.json for a model: most of its pieces in another order, and others."""
    chance = random.Random(seed)
    pieces = [piece for piece, _, type in raw_pieces(model(name), name)[0] if type != 3]
    pieces = [piece for piece in pieces if piece not in SPECIAL[kind] and chance.random() < 0.9]
    pieces += OTHERS
    chance.shuffle(pieces)
    entries = [*SPECIAL[kind], *pieces]
    if kind == "MarianTokenizer":
        entries.append("<pad>")
    return {entry: id for id, entry in enumerate(entries)}


def files_of(kind: str, name: str, settings: Files) -> Files:
    """Returns the files of a folder."""
    content = model(name)
    models = {"source.spm": content, "target.spm": content}
    if kind in ("M2M100Tokenizer", "Speech2TextTokenizer"):
        models = {"sentencepiece.bpe.model": content}
    elif kind in OWN_MODELS:
        config = {"tokenizer_config.json": {"tokenizer_class": kind, **settings}}
        return {OWN_MODELS[kind]: content, **config}
    return {
        **models,
        "vocab.json": vocabulary(kind, name),
        "tokenizer_config.json": {"tokenizer_class": kind, **settings},
    }


NEW = {"__type": "AddedToken", "content": "<new>", "lstrip": True, "rstrip": True, "special": True}
SETTINGS: dict[str, list[Files]] = {
    "MarianTokenizer": [
        {},
        {"source_lang": "en", "target_lang": "mg", "separate_vocabs": False, "sp_model_kwargs": {}},
        {"additional_special_tokens": ["<new>", "漢字"]},
        {"additional_special_tokens": [NEW], "add_eos_token": False, "add_bos_token": True},
        {"eos_token": "<new>", "pad_token": "</s>"},
    ],
    "M2M100Tokenizer": [
        {},
        {"src_lang": "fr", "tgt_lang": "de", "num_madeup_words": 8},
        {"language_codes": "wmt21", "src_lang": "zh"},
        {
            "language_codes": "wmt21",
            "additional_special_tokens": [
                f"__{code}__" for code in ("en", "ha", "is", "ja", "cs", "ru", "zh", "de")
            ]
            + ["<new>"],
        },
    ],
}
OWN_MODELS = {
    "SpeechT5Tokenizer": "spm_char.model",
    "BertGenerationTokenizer": "spiece.model",
    "GPTSw3Tokenizer": "spiece.model",
}
"""Classes with the ids of their model."""
SETTINGS["Speech2TextTokenizer"] = [{}, {"do_lower_case": True, "tgt_lang": "en"}]
for one in OWN_MODELS:
    SETTINGS[one] = [
        {},
        {"additional_special_tokens": ["<new>"], "pad_token": "<new>"},
        {"add_bos_token": True, "eos_token": NEW},
    ]
CASES = [
    pytest.param(kind, name, number, id=f"{kind}-{name}-{number}")
    for kind, several in SETTINGS.items()
    for name in (UNIGRAM, PLAIN_BPE, USER, BPE)
    for number in range(len(several))
]


if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)


@pytest.mark.parametrize(("kind", "name", "number"), CASES)
def test_same_ids(child: Child, tmp_path: Path, kind: str, name: str, number: int) -> None:
    assert name in OPTIONS
    settings = SETTINGS[kind][number]
    folder = folder_of(files_of(kind, name, settings), tmp_path)
    ours, theirs = check_class(child, folder, random_texts(number), kind, replaced=False)
    if kind == "MarianTokenizer" or number == 3:  # else the languages do not count there
        assert len(ours.vocabulary) == theirs["size"]


@pytest.mark.parametrize("kind", SPECIAL)
def test_language(tmp_path: Path, kind: str) -> None:
    settings = {"src_lang": "fr"} if kind == "M2M100Tokenizer" else {}
    tokenizer = tc.open(folder_of(files_of(kind, UNIGRAM, settings), tmp_path))
    assert is_tokenizer(tmp_path)
    shown = applied(tokenizer)
    assert shown.get("language of a text") == ("fr (src_lang)" if settings else None)
    assert "vocab.json" in shown["vocabulary"]


@pytest.mark.parametrize("name", [UNIGRAM, BPE])
def test_long_texts(tmp_path: Path, name: str) -> None:
    """A text that the model takes in parts has the ids of its sections, and the same ones with places."""
    tokenizer = tc.open(folder_of(files_of("MarianTokenizer", name, {}), tmp_path))
    part = ">>fra<<Hello 漢字 the world>>fra<< <<>> \U0001f600ж "
    text = part * 6000
    ids = tokenizer.encode_ids(text)
    assert list(tokenizer.encode(text).ids) == ids
    code = tokenizer.vocabulary.ids[">>fra<<"]
    assert ids[0] == code
    assert ids.count(code) == 1
    whole = "漢" * 300_000 + "字"
    assert list(tokenizer.encode(whole).ids) == tokenizer.encode_ids(whole)


HOSTILE: list[tuple[str, Files, str]] = [
    ("MarianTokenizer", {"vocab.json": {"</s>": 0, "<unk>": 2}}, "the id 2"),
    ("MarianTokenizer", {"vocab.json": {"</s>": 0, "<unk>": 0}}, "the id 0"),
    ("MarianTokenizer", {"vocab.json": {"</s>": 0, "<unk>": 10**12}}, "the id 1000000000000"),
    ("MarianTokenizer", {"vocab.json": {"</s>": 0}}, "no entry '<unk>'"),
    ("MarianTokenizer", {"vocab.json": [1]}, "not an object"),
    ("MarianTokenizer", {"vocab.json": b'{"</s>": 0, "<unk>"'}, "vocab.json"),
    ("MarianTokenizer", {"source.spm": b"\x0a\x03abc"}, "source.spm"),
    ("MarianTokenizer", {"tokenizer_config.json": {"separate_vocabs": True}}, "separate_vocabs"),
    ("MarianTokenizer", {"tokenizer_config.json": {"sp_model_kwargs": {"alpha": 1}}}, "sp_model_kwargs"),
    ("M2M100Tokenizer", {"tokenizer_config.json": {"src_lang": "klingon"}}, "src_lang"),
    ("M2M100Tokenizer", {"tokenizer_config.json": {"language_codes": "x"}}, "language_codes"),
    ("M2M100Tokenizer", {"tokenizer_config.json": {"pad_token": "<new>"}}, "the id of __af__"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "files", "said"), HOSTILE)
def test_refused(tmp_path: Path, kind: str, files: Files, said: str) -> None:
    settings = {"tokenizer_class": kind, **files.get("tokenizer_config.json", {})}
    folder_of({**files_of(kind, UNIGRAM, {}), **files, "tokenizer_config.json": settings}, tmp_path)
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path)


def test_what_is_not_done(tmp_path: Path) -> None:
    """What looks into a model says that this one is made of two parts."""
    tokenizer = tc.open(folder_of(files_of("MarianTokenizer", UNIGRAM, {}), tmp_path))
    with pytest.raises(UnsupportedError, match="ids by name"):
        tokenizer.nested_cuts("the world")
    with pytest.raises(UnsupportedError, match="ids by name"):
        sample(tokenizer, "the world", 3)


def test_no_vocabulary(tmp_path: Path) -> None:
    files = files_of("MarianTokenizer", UNIGRAM, {})
    del files["vocab.json"]
    with pytest.raises((FormatError, NotAvailable), match=r"vocab\.json"):
        tc.open(folder_of(files, tmp_path))


def test_saved_file_is_checked(tmp_path: Path) -> None:
    """A copy whose parts are changed is refused."""
    ours = tc.open(folder_of(files_of("MarianTokenizer", UNIGRAM, {}), tmp_path))
    path = save(ours, tmp_path / "saved.json", "tokenarium")[0]
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    stored["tokenizer"]["codes"] = "yes"
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(FormatError, match="changed or cut off"):
        tc.open(path)


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_tokenizer_json_beside_the_model_is_not_what_the_class_reads(
    child: Child, tmp_path: Path, kind: str
) -> None:
    words = {
        "added_tokens": [],
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
    }
    folder = folder_of({**files_of(kind, UNIGRAM, {}), "tokenizer.json": words}, tmp_path)
    theirs = child.ask(folder, TEXTS)
    assert theirs["class"] == kind
    ours = tc.open(folder)
    for text, (ids, _, _) in zip(TEXTS, theirs["texts"], strict=True):
        assert list(ours.encode(text, special="all", template=True).ids) == ids, text
    (folder / "vocab.json").unlink()  # then only the tokenizer.json is whole
    assert len(tc.open(folder).vocabulary) == 1
