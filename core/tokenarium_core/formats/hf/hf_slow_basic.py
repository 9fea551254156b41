"""Classes of transformers 5 in Python with BERT's rules for words: BERT Japanese, ProphetNet and RoCBERT.

Their rules differ from those of tokenizers: NFC comes before the other changes, and Greek sigma at the end of a word has
its own small letter. BERT Japanese also cuts with MeCab, see `mecab_cutter`.

Sources: ``models/bert_japanese/tokenization_bert_japanese.py`` and its like.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    SlowBuilder,
    Stage,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_named import LAST_SIGMA, MOST_SPACES, clean_up, named_fields
from tokenarium_core.formats.hf.hf_slow_settings import text_of
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.hf_splitters import ISOLATED, REMOVED, Split, SplitterSequence
from tokenarium_core.pretokenizers.mecab_cutter import MecabCutter
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer

JAPANESE: Final = "BertJapaneseTokenizer"
PROPHETNET: Final = "ProphetNetTokenizer"

BASIC_FILES: Final = {
    JAPANESE: "vocab.txt",
    "RoCBertTokenizer": "vocab.txt",
    PROPHETNET: "prophetnet.tokenizer",
}
"""The classes that are made here, and their vocabulary."""

_SPACE: Final = r"[\s\x1c-\x1f]+"  # of Python's split
_EACH: Final = r"[\s\S]"
_DICTIONARIES: Final = ("ipadic", "unidic_lite", "unidic")
_CUTTERS: Final = {
    "mecab": "MeCab (with the package fugashi)",
    "sudachi": "Sudachi (with the package sudachipy)",
    "jumanpp": "Juman++ (with the package rhoknp)",
}


def of_basic(builder: SlowBuilder, kind: str, vocabulary: dict[str, int]) -> dict[str, Any]:
    """Returns the `tokenizer.json` of a class, without MeCab.

    Raises FormatError for settings that the class refuses, or that cannot run exactly as in it.
    """
    settings = builder.settings
    if builder.take("never_split", None):
        raise settings.not_run("never_split", "leaves some words whole")
    unknown = builder.token("unk_token", "[UNK]")
    builder.tokens(sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]")
    if kind == PROPHETNET:
        builder.token("x_sep_token", "[X_SEP]")
    else:
        builder.token("cls_token", "[CLS]")
    if text_of(unknown) not in vocabulary:
        raise FormatError(
            f"The vocabulary has no entry {text_of(unknown)!r}, the unknown token of {kind}."
        )
    builder.vocabulary = vocabulary
    builder.model = {
        "type": "WordPiece",
        "unk_token": text_of(unknown),
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocabulary,
    }
    if kind == JAPANESE:
        _japanese(builder)
    elif builder.flag("do_basic_tokenize", True):
        chinese = builder.flag("tokenize_chinese_chars", True)
        _basic(builder, builder.flag("do_lower_case", True), chinese)
    else:
        builder.pre_tokenizer = _split(_SPACE, REMOVED)
    decoder: Stage = {"type": "WordPiece", "prefix": "##", "cleanup": False}
    cleans = builder.flag("clean_up_tokenization_spaces", kind == PROPHETNET)
    strip: Stage = {"type": "Strip", "content": " ", "start": MOST_SPACES, "stop": MOST_SPACES}
    steps = [decoder, {"type": "Fuse"}, strip, *(clean_up() if cleans else [])]
    builder.decoder = sequence("decoders", steps)
    builder.finish()
    sep = builder.special.get("sep_token")
    before: list[tuple[object, int]] = (
        [] if kind == PROPHETNET else [(builder.special.get("cls_token"), 0)]
    )
    single = [*before, (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (SECOND, 1), (sep, 1)])
    return named_fields(builder, kind)


def _split(pattern: str, behavior: str) -> Stage:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def _basic(builder: SlowBuilder, lower: bool, chinese: bool) -> None:
    """Sets the rules of ``BasicTokenizer``."""
    accents = builder.choice("strip_accents", None)
    strips = lower if accents is None else accents
    first = {"clean_text": True, "handle_chinese_chars": chinese}
    second = {"clean_text": False, "handle_chinese_chars": False}
    steps: list[Stage] = [
        {"type": "BertNormalizer", **first, "strip_accents": False, "lowercase": False},
        {"type": "NFC"},
    ]
    if lower:
        steps.append(replace(LAST_SIGMA, "ς", True))
    if lower or strips:
        changes = {"strip_accents": strips, "lowercase": lower}
        steps.append({"type": "BertNormalizer", **second, **changes})
    builder.normalizer = sequence("normalizers", steps)
    builder.pre_tokenizer = {"type": "BertPreTokenizer"}


def _japanese(builder: SlowBuilder) -> None:
    """Sets the rules of BERT Japanese, where MeCab does not cut."""
    settings = builder.settings
    lower = builder.flag("do_lower_case", False)
    words = builder.flag("do_word_tokenize", True)
    cutter = builder.take("word_tokenizer_type", "basic")
    parts = builder.take("subword_tokenizer_type", "wordpiece")
    if not builder.flag("do_subword_tokenize", True):
        raise settings.not_run("do_subword_tokenize", "gives an id to each whole word")
    if cutter != "basic" and cutter not in _CUTTERS:
        raise settings.error("word_tokenizer_type", "basic, mecab, sudachi or jumanpp", cutter)
    if parts == "sentencepiece":
        raise settings.not_run(
            "subword_tokenizer_type", "cuts with a SentencePiece model of its own"
        )
    if parts not in ("wordpiece", "character"):
        raise settings.error(
            "subword_tokenizer_type", "wordpiece, character or sentencepiece", parts
        )
    cuts: list[Stage] = []
    if words and cutter == "basic":
        if "strip_accents" in builder.values:
            builder.values.pop("strip_accents")  # an argument that the class does not know
        _basic(builder, lower, False)
        assert builder.pre_tokenizer is not None
        cuts.append(builder.pre_tokenizer)
    elif words and cutter != "mecab":
        raise settings.not_run("word_tokenizer_type", f"cuts words with {_CUTTERS[str(cutter)]}")
    elif words:
        if lower:
            raise settings.not_run("do_lower_case", "makes small letters after it has cut words")
        if mecab_settings(builder).get("normalize_text", True):
            builder.normalizer = {"type": "NFKC"}
        elif parts == "character":
            raise settings.not_run("mecab_kwargs", "normalizes characters after it has cut words")
    if parts == "character":
        _characters(builder, cuts)
    else:
        cuts.append(_split(_SPACE, REMOVED))
    builder.pre_tokenizer = sequence("pretokenizers", cuts)


def _characters(builder: SlowBuilder, cuts: list[Stage]) -> None:
    """Sets the rules of ``CharacterTokenizer``, which normalizes each word by itself before it cuts it."""
    steps: list[Stage] = [] if builder.normalizer is None else [builder.normalizer]
    if cuts:  # a mark for the end of a word, which normalized characters may not cross
        steps.append(replace(_SPACE, "\0", True))
        cuts[:] = [_split("\0", REMOVED)]
    builder.normalizer = sequence("normalizers", [*steps, {"type": "NFKC"}])
    cuts.append(_split(_EACH, ISOLATED))
    builder.model = {
        "type": "WordLevel",
        "vocab": builder.vocabulary,
        "unk_token": builder.model["unk_token"],
    }


def mecab_settings(builder: SlowBuilder) -> dict[str, Any]:
    """Returns ``mecab_kwargs``; FormatError for those that are not run.

    Options for MeCab itself come out of a folder, and could name any file.
    """
    given = builder.take("mecab_kwargs", None)
    options = {} if given is None else given
    if not isinstance(options, dict):
        raise builder.settings.error("mecab_kwargs", "an object", given)
    if options.get("mecab_option"):
        raise builder.settings.not_run("mecab_kwargs", "gives options to MeCab (mecab_option)")
    if options.get("mecab_dic", "unidic_lite") not in _DICTIONARIES:
        raise builder.settings.error(
            "mecab_kwargs", "with mecab_dic: ipadic, unidic_lite or unidic", given
        )
    unknown = options.keys() - {
        "mecab_option",
        "mecab_dic",
        "normalize_text",
        "do_lower_case",
        "never_split",
    }
    if unknown or options.get("do_lower_case") or options.get("never_split"):
        raise builder.settings.not_run("mecab_kwargs", "has settings of another kind")
    return options


def cuts_with_mecab(builder: SlowBuilder, kind: str) -> bool:
    """Returns whether the settings let MeCab cut words."""
    values = builder.settings.values
    words = values.get("do_word_tokenize", True)
    return kind == JAPANESE and bool(words) and values.get("word_tokenizer_type") == "mecab"


def with_mecab(builder: SlowBuilder, tokenizer: Tokenizer) -> Tokenizer:
    """Returns a tokenizer that cuts with MeCab before its other rules.

    Raises NotAvailable if fugashi or the dictionary is not installed.
    """
    values = builder.settings.values
    given = values.get("mecab_kwargs")
    options: dict[str, Any] = given if isinstance(given, dict) else {}
    dictionary = str(options.get("mecab_dic", "unidic_lite"))
    tagger = tagger_of(dictionary)
    by_character = values.get("subword_tokenizer_type") == "character"
    pattern = FoundRegex(_EACH if by_character else _SPACE)
    split = Split(pattern, ISOLATED if by_character else REMOVED)
    return Tokenizer(
        tokenizer.name,
        tokenizer.model,
        WholeText(),
        tokenizer.added_tokens,
        tokenizer.normalizer,
        SplitterSequence([MecabCutter(tagger), split]),
        tokenizer.template,
        tokenizer.decoder,
        tokenizer.details,
    )


def tagger_of(dictionary: str) -> Any:
    """Returns MeCab with a dictionary; NotAvailable if it is not installed."""
    try:
        fugashi: Any = import_module("fugashi")
        folder = str(import_module(dictionary).DICDIR)
    except ImportError as error:
        raise NotAvailable(
            f"BertJapaneseTokenizer cuts words with MeCab: install the packages fugashi and {dictionary} beside this"
            " program (pip install)."
        ) from error
    if not os.path.isdir(folder):
        raise NotAvailable(
            f"The dictionary of {dictionary} is not installed: {folder} does not exist. Run"
            f" “python -m {dictionary} download”."
        )
    try:
        return fugashi.GenericTagger(f'-d "{folder}" -r "{os.path.join(folder, "mecabrc")}" ')
    except RuntimeError as error:
        raise NotAvailable(f"MeCab does not start with the dictionary {folder}: {error}") from error
