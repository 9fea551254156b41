"""Folders of classes for documents, speech, pictures and entities, compared with transformers."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from model_folders import (
    BERT_LIKE,
    BPE,
    COMMON,
    PLAIN_BPE,
    T5,
    TEXTS,
    TOKEN,
    UNIGRAM,
    USER,
    Child,
    Files,
    applied,
    folder_of,
    model,
    random_settings,
    same,
)

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.formats import NOT_APPLIED

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

PIECES: dict[str, tuple[str, list[str], list[Files]]] = {
    # class: file, models, settings
    "FNetTokenizer": ("spiece.model", [BERT_LIKE, UNIGRAM], [{"do_lower_case": False}]),
    "ParakeetTokenizer": ("tokenizer.model", [UNIGRAM, PLAIN_BPE], [{"add_bos_token": True}]),
    "Siglip2Tokenizer": ("tokenizer.model", [BPE, PLAIN_BPE], [{"add_eos_token": True}]),
    "LasrTokenizer": (
        "spiece.model",
        [T5],
        [{"extra_ids": 5}, {"additional_special_tokens": ["<extra_id_0>", "<new>"]}],
    ),
    "VideoPrismTokenizer": ("spiece.model", [T5], [{"extra_ids": 5}, {"add_eos_token": True}]),
    "UdopTokenizer": ("spiece.model", [T5, USER], [{"sep_token": "<new>"}, {"unk_token": "<new>"}]),
    "LayoutXLMTokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM],
        [{"add_prefix_space": False}, {"mask_token": TOKEN, "cls_token": "<new>"}],
    ),
    "XGLMTokenizer": (
        "tokenizer.model",
        [UNIGRAM, USER],
        [{"add_prefix_space": False}, {"bos_token": "<new>"}],
    ),
    "MLukeTokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM, USER],
        [{"entity_token_1": "<e1>"}, {"task": "entity_classification", "entity_mask_token": "<x>"}],
    ),
    "Tipsv2Tokenizer": ("tokenizer.model", [BPE, PLAIN_BPE], [{"do_lower_case": False}]),
}

NO_ADDED = ("FNetTokenizer", "ParakeetTokenizer")
"""Classes that do not read a Unigram model with added tokens."""


def is_refused(kind: str, name: str, settings: Files) -> bool:
    return kind in NO_ADDED and name != PLAIN_BPE and "added_tokens_decoder" in settings


@pytest.mark.parametrize(
    ("kind", "name", "settings"),
    [
        pytest.param(kind, name, settings, id=f"{kind}-{name}-{number}")
        for kind, (_, models, own) in PIECES.items()
        for name in models
        for number, settings in enumerate([*COMMON, *own])
    ],
)
def test_pieces(child: Child, tmp_path: Path, kind: str, name: str, settings: Files) -> None:
    config = {"tokenizer_class": kind, **settings}
    folder_of({PIECES[kind][0]: model(name), "tokenizer_config.json": config}, tmp_path)
    if is_refused(kind, name, settings):
        assert "error" in child.ask(tmp_path, TEXTS)
        with pytest.raises(FormatError, match=f"{kind} of transformers does not read"):
            tc.open(tmp_path)
    else:
        same(child, tmp_path)


PAIRS: dict[str, list[Files]] = {
    "CohereTokenizer": [{"add_prefix_space": True}, {"add_bos_token": True}],
    "NougatTokenizer": [{"bos_token": "<new>"}],
    "LukeTokenizer": [
        {"add_prefix_space": True, "mask_token": TOKEN},
        {"entity_token_1": "<e1>", "additional_special_tokens": ["<ent>", "<ent2>"]},
        {"entity_mask_token": "<new>"},
    ],
    "MarkupLMTokenizer": [{"add_prefix_space": True, "mask_token": TOKEN}],
}
MARKS = [
    *TEXTS,
    "(a)[b]{c} !!! ##, 1,234.5--x",
    "SPL1T-TH1S-Pl3A5E a\n\nb ﬁ ²",
    "<ent>x<ent2> [MASK2]",
]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(kind, settings, id=f"{kind}-{number}")
        for kind, own in PAIRS.items()
        for number, settings in enumerate([*COMMON, *own])
    ],
)
def test_pairs(child: Child, tmp_path: Path, pair: Files, kind: str, settings: Files) -> None:
    config = {"tokenizer_class": kind, **settings}
    if kind == "MarkupLMTokenizer":
        config["tags_dict"] = {"a": 0}
    same(child, folder_of({**pair, "tokenizer_config.json": config}, tmp_path), MARKS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [*PIECES, "CohereTokenizer", "NougatTokenizer", "LukeTokenizer"])
def test_random_settings(child: Child, tmp_path: Path, pair: Files, kind: str, seed: int) -> None:
    """The ids are those of transformers, or one of both refuses the folder."""
    chance = random.Random(f"{kind} {seed}")
    files = random_settings(chance)
    files["tokenizer_config.json"]["tokenizer_class"] = kind
    if kind in PIECES:
        name, models, _ = PIECES[kind]
        files[name] = model(chance.choice(models))
    else:
        files.update(pair)
    theirs = child.ask(folder_of(files, tmp_path), TEXTS)
    try:
        ours = tc.open(tmp_path)
    except TokenariumError:
        return
    for text, (ids, inner, _) in zip(TEXTS, theirs.get("texts", []), strict="error" not in theirs):
        assert list(ours.encode(text, special="all", template=True).ids) == ids, (text, files)
        assert list(ours.encode(text, special="all").ids) == inner, (text, files)


def test_a_folder_without_tags(child: Child, tmp_path: Path, pair: Files) -> None:
    config: Files = {"tokenizer_config.json": {"tokenizer_class": "MarkupLMTokenizer"}}
    folder_of({**pair, **config}, tmp_path)
    assert "tags_dict" in child.ask(tmp_path, TEXTS)["error"]
    with pytest.raises(FormatError, match="tags_dict is null"):
        tc.open(tmp_path)


def test_a_model_that_xglm_does_not_read(child: Child, tmp_path: Path) -> None:
    """It is the file that was published; transformers makes a tokenizer without entries of it."""
    config: Files = {"tokenizer_config.json": {"tokenizer_class": "XGLMTokenizer"}}
    folder_of({"sentencepiece.bpe.model": model(UNIGRAM), **config}, tmp_path)
    assert child.ask(tmp_path, TEXTS)["size"] == 11
    with pytest.raises(FormatError, match=r"XGLMTokenizer, .* reads tokenizer\.model"):
        tc.open(tmp_path)


@pytest.mark.parametrize(
    ("kind", "type", "text"),
    [("Siglip2Tokenizer", "siglip2", "HELLO"), ("NougatTokenizer", "", "!!(a)")],
)
def test_a_tokenizer_json_whose_stages_the_class_replaces(
    child: Child, tmp_path: Path, kind: str, type: str, text: str
) -> None:
    """The ids are those of the file, and a detail says that those of the class differ."""
    tokenizers = pytest.importorskip("tokenizers")
    stages = tokenizers.pre_tokenizers
    pieces = [
        "<unk>",
        "<s>",
        "</s>",
        "h",
        "e",
        "l",
        "o",
        "H",
        "E",
        "L",
        "O",
        "!",
        "(",
        "a",
        ")",
        "!(",
    ]
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [("!", "(")], unk_token="<unk>"))
    cut = stages.Split(tokenizers.Regex(r"[\(\)]"), "isolated")
    made.pre_tokenizer = stages.Sequence([cut, stages.ByteLevel(add_prefix_space=False)])
    files: Files = {"tokenizer_config.json": {"tokenizer_class": kind}}
    if type:
        files["config.json"] = {"model_type": type}
    folder_of(files, tmp_path)
    made.save(str(tmp_path / "tokenizer.json"))
    ours = tc.open(tmp_path)
    assert ours.encode_ids(text) == made.encode(text).ids
    theirs = child.ask(tmp_path, [text])
    assert theirs["class"] == kind
    assert theirs["texts"][0][1] != made.encode(text).ids
    assert applied(ours)[NOT_APPLIED].startswith(f"{kind} of transformers")
