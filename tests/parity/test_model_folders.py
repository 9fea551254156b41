"""Folders of models whose tokenizer is in slow form, compared with transformers."""

from __future__ import annotations

import importlib.util
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from model_folders import (
    BERT_LIKE,
    BPE,
    COMMON,
    IM,
    PLAIN_BPE,
    T5,
    TEXTS,
    TOKEN,
    UNIGRAM,
    USER,
    Child,
    Files,
    folder_of,
    model,
    random_settings,
    same,
    trained_pair,
)

import tokenarium_core as tc
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats import NOT_APPLIED
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in
from tokenarium_core.unicode import byte_alphabet

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)


MODELS: dict[str, tuple[str, list[str], list[Files]]] = {
    # class: file, models, settings
    "LlamaTokenizer": (
        "tokenizer.model",
        [BPE, PLAIN_BPE],
        [
            {"legacy": True},
            {"legacy": False, "add_bos_token": True},
            {"add_prefix_space": False, "add_eos_token": True},
            {"add_prefix_space": None, "add_bos_token": True, "add_eos_token": True},
            {"add_bos_token": True, "bos_token": None},
        ],
    ),
    "CodeLlamaTokenizer": (
        "tokenizer.model",
        [BPE],
        [{"add_prefix_space": False}, {"add_bos_token": False, "prefix_token": "<PRE>"}],
    ),
    "GemmaTokenizer": ("tokenizer.model", [BPE], [{"add_bos_token": True}]),
    "PreTrainedTokenizerFast": (
        "tokenizer.model",
        [BPE, PLAIN_BPE, UNIGRAM],
        [{"add_bos_token": True, "add_eos_token": False}],
    ),
    "SomeTokenizer": ("tokenizer.model", [BPE, UNIGRAM], [{"bos_token": "<|im_start|>"}]),
    "T5Tokenizer": (
        "spiece.model",
        [T5],
        [
            {"extra_ids": 10},
            {"extra_ids": 0, "add_bos_token": True},
            {"additional_special_tokens": ["<extra_id_0>", "<new>"], "legacy": False},
        ],
    ),
    "AlbertTokenizer": (
        "spiece.model",
        [BERT_LIKE],
        [
            {"do_lower_case": False},
            {"keep_accents": True, "add_prefix_space": False},
            {"add_bos_token": True, "mask_token": TOKEN},
        ],
    ),
    "XLMRobertaTokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM],
        [{"add_prefix_space": False}, {"mask_token": TOKEN, "add_eos_token": False}],
    ),
    "CamembertTokenizer": ("sentencepiece.bpe.model", [UNIGRAM], [{"mask_token": TOKEN}]),
    "MBartTokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM],
        [{"src_lang": "de_DE"}, {"additional_special_tokens": ["<new>"]}],
    ),
    "PegasusTokenizer": (
        "spiece.model",
        [T5],
        [{"offset": 20}, {"mask_token_sent": None}, {"mask_token": "<mask>"}],
    ),
    "DebertaV2Tokenizer": (
        "spm.model",
        [BERT_LIKE, UNIGRAM],
        [{"do_lower_case": True}, {"split_by_punct": True}, {"add_prefix_space": False}],
    ),
    "XLNetTokenizer": (
        "spiece.model",
        [UNIGRAM, USER],
        [{"do_lower_case": True}, {"keep_accents": True, "remove_space": False}],
    ),
    "NllbTokenizer": (
        "sentencepiece.bpe.model",
        [PLAIN_BPE, UNIGRAM],
        [
            {"additional_special_tokens": ["eng_Latn", "zul_Latn"], "src_lang": "zul_Latn"},
            {"additional_special_tokens": ["eng_Latn"], "legacy_behaviour": True},
            {"mask_token": TOKEN, "unk_token": "<new>"},
        ],
    ),
    "MBart50Tokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM],
        [
            {"src_lang": "gl_ES", "tgt_lang": "sl_SI"},
            {"additional_special_tokens": ["<new>"], "add_bos_token": True},
            {"mask_token": TOKEN},
        ],
    ),
    "SeamlessM4TTokenizer": (
        "sentencepiece.bpe.model",
        [PLAIN_BPE],
        [
            {"additional_special_tokens": ["__eng__", "__fra__"], "src_lang": "fra"},
            {"additional_special_tokens": ["__deu__"], "tgt_lang": "__deu__"},
        ],
    ),
    "RemBertTokenizer": (
        "sentencepiece.model",
        [BERT_LIKE, UNIGRAM],
        [{"do_lower_case": True, "keep_accents": False}, {"add_prefix_space": False}],
    ),
    "BigBirdTokenizer": (
        "spiece.model",
        [UNIGRAM, USER],
        [{"add_prefix_space": False, "mask_token": TOKEN}, {"add_bos_token": True}],
    ),
    "ReformerTokenizer": ("spiece.model", [PLAIN_BPE, UNIGRAM], [{"add_bos_token": True}]),
    "BarthezTokenizer": (
        "sentencepiece.bpe.model",
        [UNIGRAM],
        [{"add_prefix_space": False}, {"add_eos_token": True}],
    ),
}

CASES = [
    pytest.param(kind, index, settings, id=f"{kind}-{index}-{number}")
    for kind, (_, models, own) in MODELS.items()
    for index in range(len(models))
    for number, settings in enumerate([*COMMON, *own])
    # Refused by both.
    if (kind, index) not in {("PreTrainedTokenizerFast", 2), ("SomeTokenizer", 1)}
    or "added_tokens_decoder" not in settings
]


@pytest.mark.parametrize(("kind", "index", "settings"), CASES)
def test_sentencepiece_classes(
    child: Child, tmp_path: Path, kind: str, index: int, settings: Files
) -> None:
    name, models, _ = MODELS[kind]
    config = {"tokenizer_class": kind, **settings}
    same(child, folder_of({name: model(models[index]), "tokenizer_config.json": config}, tmp_path))


GENERIC = ("PreTrainedTokenizerFast", "SomeTokenizer")

LEGACY: list[Files] = [
    {"added_tokens.json": {"<|im_end|>": 300, "<|im_start|>": 301}},
    {
        "added_tokens.json": {"<new>": 400},
        "special_tokens_map.json": {"additional_special_tokens": ["<new>"], "pad_token": "<new>"},
    },
    {
        "special_tokens_map.json": {
            "mask_token": {
                "content": "<mask>",
                "lstrip": True,
                "rstrip": False,
                "normalized": True,
            },
            "eos_token": {"content": "</nope>", "normalized": False},
        }
    },
    {"special_tokens_map.json": {"extra_special_tokens": ["<|im_end|>", {"content": "<new>"}]}},
]


@pytest.mark.parametrize("files", LEGACY)
@pytest.mark.parametrize("kind", MODELS)
def test_legacy_files(child: Child, tmp_path: Path, kind: str, files: Files) -> None:
    name, models, _ = MODELS[kind]
    settings = {"tokenizer_config.json": {"tokenizer_class": kind}, **files}
    if kind in GENERIC and "added_tokens.json" in files:
        # There an added token takes the place of the piece with its id, of which merges are made.
        settings["added_tokens.json"] = {"<|im_end|>": 600}
    same(child, folder_of({name: model(models[0]), **settings}, tmp_path))


@pytest.mark.parametrize(
    ("config", "about"),
    [
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "phi3"}),
        ({"tokenizer_class": "LlamaTokenizerFast"}, {"model_type": "mistral"}),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "llama"}),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "nothing known"}),
        ({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "gemma"}),
        ({"tokenizer_class": "GPT2Tokenizer"}, {"model_type": "umt5"}),
        ({}, {"model_type": "gemma2"}),
        ({}, {"model_type": "llama"}),
        ({}, {"tokenizer_class": "LlamaTokenizer"}),
        ({}, {}),
    ],
)
def test_class_by_model(child: Child, tmp_path: Path, config: Files, about: Files) -> None:
    files = {"tokenizer.model": model(BPE), "tokenizer_config.json": config}
    if about:
        files["config.json"] = about
    same(child, folder_of(files, tmp_path))


WORDS = (
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nHello\nworld\n!\n,\n.\nun\n##aff\n##able\nete\nÉTÉ\n中\n文\nit\n'\ns\na\n##a\n"
    "b\n##b\ntwo\nspaces\nnew\none\nnaive\nmask\n"
)


@pytest.mark.parametrize(
    "settings",
    [
        *COMMON,
        {"do_lower_case": False},
        {"do_lower_case": False, "strip_accents": True},
        {"strip_accents": False, "tokenize_chinese_chars": False},
        {"mask_token": TOKEN, "add_bos_token": True},
        {"cls_token": "<s>", "sep_token": "<new>"},
    ],
)
@pytest.mark.parametrize(
    ("kind", "type"),
    [
        ("BertTokenizer", ""),
        ("DistilBertTokenizerFast", "distilbert"),
        ("MobileBertTokenizer", ""),
        ("ElectraTokenizerFast", "electra"),
        ("", "bert"),
    ],
)
def test_bert(child: Child, tmp_path: Path, kind: str, type: str, settings: Files) -> None:
    config = {"tokenizer_class": kind, **settings} if kind else settings
    files: Files = {"vocab.txt": WORDS.encode(), "tokenizer_config.json": config}
    if type:
        files["config.json"] = {"model_type": type}
    same(child, folder_of(files, tmp_path))


OTHER_WORDS: dict[str, list[Files]] = {
    "MPNetTokenizer": [*COMMON, {"do_lower_case": False, "mask_token": TOKEN}],
    "FunnelTokenizer": [*COMMON, {"clean_text": False, "wordpieces_prefix": "@@"}],
    "SplinterTokenizer": [*COMMON, {"question_token": "<new>"}],
    "LayoutLMv2Tokenizer": [*COMMON, {"strip_accents": False, "sep_token": "<new>"}],
    "DPRQuestionEncoderTokenizer": [{}, {"do_lower_case": False}],
    "DPRReaderTokenizerFast": [{}, {"strip_accents": False}],
}
"""Settings by class."""


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(kind, settings, id=f"{kind}-{number}")
        for kind, several in OTHER_WORDS.items()
        for number, settings in enumerate(several)
    ],
)
def test_other_words(child: Child, tmp_path: Path, kind: str, settings: Files) -> None:
    words = WORDS + "<s>\n</s>\n<pad>\n<unk>\n<cls>\n<sep>\n<mask>\n[QUESTION]\n"
    config = {"tokenizer_class": kind, **settings}
    same(child, folder_of({"vocab.txt": words.encode(), "tokenizer_config.json": config}, tmp_path))


ESM = "<cls>\n<pad>\n<eos>\n<unk>\nL\nA\nG\nV\nSE\nS\nB\n.\n-\n<null_1>\n<mask>\n"
PROTEINS = [
    "LAGV",
    "LSEGV.A-",
    "L A zz G",
    "lag<mask>V",
    "<null_1>L\x1cA",
    "xyz \u3000 qq<cls>",
    "",
    "SESB",
]


@pytest.mark.parametrize(
    "settings", [{}, {"additional_special_tokens": ["<new>", "G"]}, {"mask_token": TOKEN}]
)
def test_esm(child: Child, tmp_path: Path, settings: Files) -> None:
    config = {"tokenizer_class": "EsmTokenizer", **settings}
    folder_of({"vocab.txt": ESM.encode(), "tokenizer_config.json": config}, tmp_path)
    same(child, tmp_path, [*PROTEINS, *TEXTS])


@pytest.mark.parametrize(
    "settings", [*COMMON, {"add_prefix_space": True}, {"add_bos_token": True, "bos_token": "<s>"}]
)
@pytest.mark.parametrize(
    "kind", ["GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "Qwen2Tokenizer"]
)
def test_pairs(child: Child, tmp_path: Path, pair: Files, kind: str, settings: Files) -> None:
    config = {"tokenizer_class": kind, **settings}
    same(child, folder_of({**pair, "tokenizer_config.json": config}, tmp_path))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"additional_special_tokens": ["<new>"], "chain_break_token": "."},
        {"bos_token": "<eos>", "add_eos_token": False},
    ],
)
def test_esmc(child: Child, tmp_path: Path, settings: Files) -> None:
    config = {"tokenizer_class": "EsmcTokenizer", **settings}
    same(child, folder_of({"tokenizer_config.json": config}, tmp_path), [*PROTEINS, "A|G", *TEXTS])


WHISPER = {
    "added_tokens_decoder": {
        str(500 + id): {"content": token, "special": True, "normalized": False}
        for id, token in enumerate(
            [
                "<|endoftext|>",
                "<|startoftranscript|>",
                "<|en|>",
                "<|zh|>",
                "<|de|>",
                "<|es|>",
                "<|ru|>",
                "<|translate|>",
                "<|transcribe|>",
                "<|notimestamps|>",
                "<|0.00|>",
            ]
        )
    }
}

OTHER_PAIRS: dict[str, list[Files]] = {
    "WhisperTokenizer": [
        {**WHISPER, **own}
        for own in (
            {},
            {"predict_timestamps": True, "task": "translate"},
            {"language": "Castilian", "task": "transcribe", "add_prefix_space": True},
            {"language": "de", "add_bos_token": False, "add_eos_token": True},
        )
    ],
    "BlenderbotTokenizer": [*COMMON, {"add_prefix_space": False, "mask_token": TOKEN}],
    "CodeGenTokenizer": [*COMMON, {"add_prefix_space": True}, {"add_bos_token": True}],
    "GPTNeoXTokenizer": [*COMMON, {"add_prefix_space": True, "trim_offsets": False}],
    "DebertaTokenizer": [
        *[{"cls_token": "<s>", "sep_token": "</s>", **common} for common in COMMON],
        {"add_prefix_space": True, "mask_token": TOKEN},
        {"add_bos_token": True},
    ],
    "HerbertTokenizer": [*COMMON, {"mask_token": TOKEN}],
    "LayoutLMv3Tokenizer": [*COMMON, {"add_prefix_space": False, "mask_token": TOKEN}],
    "OpenAIGPTTokenizer": [*COMMON, {"add_bos_token": True, "bos_token": "<s>"}],
}
"""Settings by class."""


@pytest.fixture(scope="module")
def word_pair() -> Files:
    """Two files of BPE with marked ends of words, trained here."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        end_of_word_suffix="</w>",
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        show_progress=False,
    )
    return trained_pair(made, trainer)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(kind, settings, id=f"{kind}-{number}")
        for kind, several in OTHER_PAIRS.items()
        for number, settings in enumerate(several)
    ],
)
def test_other_pairs(
    child: Child, tmp_path: Path, pair: Files, word_pair: Files, kind: str, settings: Files
) -> None:
    files = word_pair if kind in ("OpenAIGPTTokenizer", "HerbertTokenizer") else pair
    config = {"tokenizer_class": kind, **settings}
    same(child, folder_of({**files, "tokenizer_config.json": config}, tmp_path))


REFUSED: list[tuple[str, Files]] = [
    ("an added token in the place of a piece", {"tokenizer.model": BPE, "added_tokens.json": {"<new>": 300}}),
    ("Unigram with added tokens", {"tokenizer.model": UNIGRAM, "added_tokens.json": {"<new>": 400}}),
    ("a cls that is no piece", {"spiece.model": UNIGRAM, "kind": "AlbertTokenizer"}),
    ("no unknown piece", {"spiece.model": UNIGRAM, "kind": "PegasusTokenizer"}),
    ("extra ids in two ways", {"spiece.model": T5, "kind": "T5Tokenizer", "eos_token": None}),
    ("a token that is none", {"spiece.model": T5, "kind": "T5Tokenizer", "eos_token": 5}),
    ("no end", {"sentencepiece.bpe.model": UNIGRAM, "kind": "XLMRobertaTokenizer", "eos_token": None}),
    (
        "a token with a field too many",
        {"tokenizer.model": BPE, "special_tokens_map.json": {"extra_special_tokens": [IM]}},
    ),
    ("a model that is none", {"tokenizer.model": b"\x0a\x03abc", "kind": "LlamaTokenizer"}),
]  # fmt: skip


@pytest.mark.parametrize("files", [pytest.param(files, id=name) for name, files in REFUSED])
def test_refused_by_both(child: Child, tmp_path: Path, files: Files) -> None:
    config = {key: value for key, value in files.items() if key in ("kind", "eos_token")}
    if "kind" in config:
        config["tokenizer_class"] = config.pop("kind")
    content = {
        name: model(value) if isinstance(value, str) else value
        for name, value in files.items()
        if "." in name
    }
    folder_of({**content, "tokenizer_config.json": config}, tmp_path)
    assert "error" in child.ask(tmp_path, TEXTS)
    with pytest.raises(TokenariumError):
        tc.open(tmp_path)


@pytest.mark.parametrize(
    ("file", "config"),
    [
        ("mistral-v3.model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}),
        ("mistral-v3.model", {"tokenizer_class": "LlamaTokenizer", "legacy": True, **COMMON[4]}),
        ("mistral-v3.model", {}),
    ],
)
def test_mistral(child: Child, data: Path, tmp_path: Path, file: str, config: Files) -> None:
    shutil.copy(data / "tokenizers" / file, tmp_path / "tokenizer.model")
    folder_of({"tokenizer_config.json": config}, tmp_path)
    udhr = [path.read_text("utf-8")[:2000] for path in sorted((data / "text" / "udhr").glob("*"))]
    same(child, tmp_path, TEXTS + udhr)


def test_gpt2(child: Child, data: Path, tmp_path: Path) -> None:
    files = data / "tokenizers" / "gpt2"
    shutil.copy(files / "encoder.json", tmp_path / "vocab.json")
    shutil.copy(files / "vocab.bpe", tmp_path / "merges.txt")
    folder_of(
        {"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", **COMMON[2]}}, tmp_path
    )
    udhr = [path.read_text("utf-8")[:2000] for path in sorted((data / "text" / "udhr").glob("*"))]
    same(child, tmp_path, TEXTS + udhr)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", MODELS)
def test_random_settings(child: Child, tmp_path: Path, kind: str, seed: int) -> None:
    """The ids are those of transformers, or one of both refuses the folder."""
    chance = random.Random(f"{kind} {seed}")
    name, models, _ = MODELS[kind]
    files = random_settings(chance)
    files["tokenizer_config.json"]["tokenizer_class"] = kind
    folder_of({name: model(chance.choice(models)), **files}, tmp_path)
    theirs = child.ask(tmp_path, TEXTS)
    try:
        ours = tc.open(tmp_path)
    except TokenariumError:
        return
    for text, (ids, inner, _) in zip(TEXTS, theirs.get("texts", []), strict="error" not in theirs):
        assert list(ours.encode(text, special="all", template=True).ids) == ids, (text, files)
        assert list(ours.encode(text, special="all").ids) == inner, (text, files)


SENTINELS = {
    "0": {"content": "<pad>", "special": True},
    "1": {"content": "</s>", "special": True},
    "2": {"content": "<unk>", "special": True},
}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"extra_ids": 0},
        {"extra_ids": 3, "eos_token": "<end>"},
        {"added_tokens_decoder": SENTINELS},
        {
            "added_tokens_decoder": {
                **SENTINELS,
                "259": {"content": "<extra_id_0>", "special": True},
            }
        },
    ],
)
def test_byt5(child: Child, tmp_path: Path, settings: Files, beside: bool) -> None:
    files: Files = {"tokenizer_config.json": {"tokenizer_class": "ByT5Tokenizer", **settings}}
    if beside:  # which the class does not read
        files["tokenizer.json"] = {
            "added_tokens": [],
            "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
        }
    ours = tc.open(folder_of(files, tmp_path))
    texts = [*TEXTS, "héllo", "a</s>", "</s>", "</s></s>", "</s> a", "a<end>", "<end>b</s>"]
    theirs = child.ask(tmp_path, texts)
    for text, (ids, inner, decoded) in zip(texts, theirs["texts"], strict=True):
        assert list(ours.encode(text, special="all", template=True).ids) == ids, text
        assert list(ours.encode(text, special="all").ids) == inner, text
        assert ours.decode(ids) == decoded, text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("XLMTokenizer", "Python of transformers with the package sacremoses, which"),
        ("BioGptTokenizer", "sacremoses"),
        ("CpmAntTokenizer", "rjieba"),
        ("MyT5Tokenizer", "Python of transformers, which this program does not run"),
        ("VitsTokenizer", "phonemizer or uroman"),
        ("TapasTokenizer", "Python of transformers, which this program does not run"),
        ("RoFormerTokenizer", "rjieba"),
        ("FastSpeech2ConformerTokenizer", "g2p_en"),
    ],
)
def test_what_a_class_in_python_needs(tmp_path: Path, kind: str, said: str) -> None:
    settings: Files = {"tokenizer_config.json": {"tokenizer_class": kind}}
    folder = folder_of({"vocab.json": {"a": 0}, "merges.txt": b"", **settings}, tmp_path)
    with pytest.raises(tc.FormatError, match=said):
        tc.open(folder)


PERCEIVER_TEXTS = [*TEXTS, "héllo [MASK]  [PAD]x", "[CLS]a[SEP]", "a <z>b\x00", "<P>"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pad_token": "<P>", "additional_special_tokens": ["<z>"]},
        {"cls_token": "<z>", "mask_token": {**TOKEN, "content": "[MASK]"}},
        {"added_tokens_decoder": {"0": {"content": "[PAD]"}, "262": {"content": "<z>", "special": True}}},
    ],
)  # fmt: skip
def test_perceiver(child: Child, tmp_path: Path, settings: Files) -> None:
    files: Files = {"tokenizer_config.json": {"tokenizer_class": "PerceiverTokenizer", **settings}}
    same(child, folder_of(files, tmp_path), PERCEIVER_TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{}, {"cls_token": "<C>", "pad_token": "\ue002", "additional_special_tokens": ["<z>"]}],
)
def test_canine(child: Child, tmp_path: Path, settings: Files) -> None:
    files: Files = {
        "tokenizer_config.json": {"tokenizer_class": "CanineTokenizer", **settings},
        "tokenizer.json": {
            "added_tokens": [],
            "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
        },
    }
    special = [
        "\ue000a \ue001",
        " a  \ue003 b",
        "\ue002\ue004\ue005",
        "\0<z><C>",
        "\ud7ff\U0010ffff😀",
    ]
    ours = same(child, folder_of(files, tmp_path), [*TEXTS, *special])
    surfaces = {code: ours.vocabulary.surface(code) for code in (0x61, 0xD7FF, 0xD800, 0x10FFFF)}
    assert list(surfaces.values()) == ["a", "\ud7ff", "U+D800", "\U0010ffff"]
    copy = tmp_path / "copy.tokenarium"
    ours.save(copy)
    text = "".join(special)
    assert tc.open(copy).encode(text, special="all").ids == ours.encode(text, special="all").ids


@pytest.mark.parametrize(
    "cls", ["ByT5Tokenizer", "PerceiverTokenizer", "CanineTokenizer", "EsmcTokenizer"]
)
@pytest.mark.parametrize("beside", [(), ("tokenizer.json",)])
def test_a_folder_that_needs_no_vocabulary_is_listed(
    tmp_path: Path, cls: str, beside: tuple[str, ...]
) -> None:
    words = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
    files: Files = {
        "tokenizer_config.json": {"tokenizer_class": cls},
        **dict.fromkeys(beside, words),
    }
    folder_of(files, tmp_path)
    found = tokenizers_in(tmp_path, sorted(files))
    assert [tokenizer.source for tokenizer in found] == [tmp_path]
    assert is_tokenizer(tmp_path)


def test_a_folder_whose_class_needs_a_vocabulary_is_not_listed(tmp_path: Path) -> None:
    folder_of({"tokenizer_config.json": {"tokenizer_class": "BertweetTokenizer"}}, tmp_path)
    assert not tokenizers_in(tmp_path, ["tokenizer_config.json"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tokenizer_class": "BertweetTokenizer"}, "It also reads no tokenizer.json"),
        ({"tokenizer_class": "OwnTokenizer", "auto_map": {"AutoTokenizer": ["own.OwnTokenizer", None]}}, "auto_map"),
        ({"tokenizer_class": "BertTokenizer"}, ""),
    ],
)  # fmt: skip
def test_a_tokenizer_json_that_the_class_does_not_read(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    files: Files = {
        "tokenizer_config.json": settings,
        "tokenizer.json": {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}},
    }
    folder = folder_of(files, tmp_path)
    for source in (folder, folder / "tokenizer.json"):
        details = tc.open(source).details
        found = [detail.value for detail in details if detail.name == NOT_APPLIED]
        assert len(found) == bool(said)
        assert said in "".join(found)
        assert "open the" not in "".join(found)  # there is no better way to open it


@pytest.mark.parametrize("merges", [[], ["c a", "ca t</w>", "d o", "a t</w>", "o w</w>"]])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"bos_token": "<|startoftext|>", "pad_token": "!", "unk_token": "<|endoftext|>"},
        {"add_bos_token": True, "add_eos_token": False},
    ],
)
def test_clip(child: Child, tmp_path: Path, settings: Files, merges: list[str]) -> None:
    characters = byte_alphabet.CHARACTERS
    entries = [*characters, *[character + "</w>" for character in characters]]
    entries += dict.fromkeys(merge.replace(" ", "") for merge in merges)
    entries += ["<|startoftext|>", "<|endoftext|>"]
    files: Files = {
        "vocab.json": {entry: id for id, entry in enumerate(entries)},
        "merges.txt": "\n".join(["#version: 0.2", *merges, ""]).encode(),
        "tokenizer_config.json": {"tokenizer_class": "CLIPTokenizer", **settings},
    }
    same(child, folder_of(files, tmp_path), [*TEXTS, "Cat, cat's dog 12", "<|startoftext|> cow"])
