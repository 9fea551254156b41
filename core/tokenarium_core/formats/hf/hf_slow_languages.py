"""The classes of transformers 5 for models of many languages, and some more of SentencePiece models; see `hf_slow_classes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    SlowBuilder,
    SlowPieces,
    Stage,
    metaspace,
    precompiled,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_classes import bpe_of, merges_of
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of
from tokenarium_core.formats.hf.hf_slow_unigram import unigram

_MBART50: Final = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP "
    "nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN "
    "mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
)


def of_other_pieces(builder: SlowBuilder, kind: str, pieces: SlowPieces) -> list[float]:
    """Makes a class of `OTHER_PIECE_FILES`; returns the scores of the entries, none for BPE.

    Raises FormatError if the class and the model do not fit together.
    """
    builder.values["additional_special_tokens"] = pieces.added()
    return _CLASSES[kind](builder, pieces)


def _one_space(pieces: SlowPieces) -> Stage:
    """Returns the normalizer of a SentencePiece model, and one space for several."""
    steps = [replace(" {2,}", " ", True)]
    if pieces.charsmap:
        steps.insert(0, precompiled(pieces.charsmap))
    return sequence("normalizers", steps)


def _metaspaces(builder: SlowBuilder, scheme: str) -> None:
    builder.pre_tokenizer = metaspace(scheme)
    builder.decoder = metaspace(scheme)


def _stripping(builder: SlowBuilder, normalized: bool | None, special: bool) -> str:
    """Takes the mask token, which as plain text absorbs the white space before it; returns its text."""
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, special, normalized, lstrip=True)
    return text_of(mask)


def _source(builder: SlowBuilder, usual: str) -> str:
    """Takes the language of the text."""
    language = builder.take("src_lang", None)
    if language is not None and not isinstance(language, str):
        raise builder.settings.error("src_lang", "the code of a language", language)
    builder.language = usual if language is None else language
    return builder.language


def _nllb(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    extra = builder.values.get("extra_special_tokens")
    if extra is None:
        builder.values["extra_special_tokens"] = builder.values.pop("additional_special_tokens")
    names = [
        text_of(builder.token(name, content))
        for name, content in (
            ("bos_token", "<s>"),
            ("pad_token", "<pad>"),
            ("eos_token", "</s>"),
            ("unk_token", "<unk>"),
        )
    ]
    builder.tokens(sep_token="</s>", cls_token="<s>")
    _stripping(builder, True, True)
    legacy = builder.flag("legacy_behaviour", False)
    code = _source(builder, "eng_Latn")
    entries = {name: id for id, name in enumerate(names)}
    for piece, _, _ in pieces.pieces:
        entries.setdefault(piece, len(entries))
    merges = merges_of({piece: id for id, (piece, _, _) in enumerate(pieces.pieces)})
    bpe_of(builder, entries, merges, False, names[3])
    if pieces.charsmap:
        builder.normalizer = _one_space(pieces)
    _metaspaces(builder, "always")
    builder.finish()
    eos = builder.special.get("eos_token")
    if legacy:
        builder.template(
            [(TEXT, 0), (eos, 0), (code, 0)],
            [(TEXT, 0), (SECOND, 0), (eos, 0), (code, 0)],
        )
    else:
        _between(builder, code, eos)
    return []


def _between(builder: SlowBuilder, language: object, eos: object) -> None:
    """Puts the language before a text or two, and the end after them."""
    builder.template(
        [(language, 0), (TEXT, 0), (eos, 0)], [(language, 0), (TEXT, 0), (SECOND, 0), (eos, 0)]
    )


def _mbart50(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    code = _source(builder, "en_XX")
    names = [
        text_of(builder.token(name, content))
        for name, content in (
            ("cls_token", "<s>"),
            ("pad_token", "<pad>"),
            ("eos_token", "</s>"),
            ("unk_token", "<unk>"),
        )
    ]
    builder.token("sep_token", "</s>")
    mask = _stripping(builder, None, False)
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    languages = _MBART50.split()
    builder.values["additional_special_tokens"] = [*extra, *languages]
    entries = [(name, 0.0) for name in names] + pieces.scored[3:]
    entries += [(name, 0.0) for name in [*languages, mask]]
    scores = unigram(builder, entries, 3)
    builder.normalizer = _one_space(pieces)
    _metaspaces(builder, "always")
    builder.finish()
    if code not in languages:
        raise FormatError(f"src_lang is {code!r}, which is not a language of MBart50Tokenizer.")
    _between(builder, code, builder.special.get("eos_token"))
    return scores


def _seamless(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    builder.token("pad_token", "<pad>")
    code = builder.take("src_lang", "eng")
    if not isinstance(code, str):
        raise builder.settings.error("src_lang", "the code of a language", code)
    builder.language = code
    entries = {"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3}
    for at, (piece, _, _) in enumerate(pieces.pieces):
        entries[piece] = at + 1
    merges = merges_of({piece: id for id, (piece, _, _) in enumerate(pieces.pieces)})
    bpe_of(builder, entries, merges, False, unknown)
    builder.normalizer = sequence(
        "normalizers",
        [
            replace(r"[\n\r\t]", " ", True),
            {"type": "NFKC"},
            {"type": "Strip", "strip_left": False, "strip_right": True},
            replace(r" +▁", "▁", True),
            replace(r"^▁+$", "", True),
            replace(r" {2,}", "▁", True),
        ],
    )
    _metaspaces(builder, "first")
    builder.finish()
    language = code if "__" in code else f"__{code}__"
    _between(builder, language, builder.special.get("eos_token"))
    return []


def _rembert(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    lower = builder.flag("do_lower_case", False)
    accents = builder.flag("keep_accents", True)
    prefix = builder.flag("add_prefix_space", True)
    builder.tokens(bos_token="[CLS]", eos_token="[SEP]", unk_token="<unk>", sep_token="[SEP]")
    builder.tokens(pad_token="<pad>", cls_token="[CLS]")
    builder.token("mask_token", "[MASK]")
    scores = unigram(builder, pieces.scored, 2)
    steps = [replace("``", '"'), replace("''", '"'), replace(" {2,}", " ", True)]
    if not accents:
        steps += [{"type": "NFKD"}, {"type": "StripAccents"}]
    if lower:
        steps.append({"type": "Lowercase"})
    if pieces.charsmap:
        steps.append(precompiled(pieces.charsmap))
    builder.normalizer = sequence("normalizers", steps)
    _metaspaces(builder, "always" if prefix else "never")
    builder.finish()  # what the class puts around a text is lost in its last step
    builder.add_all_special()
    return scores


def _big_bird(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    unknown = text_of(_plain(builder, "unk_token", "<unk>"))
    for name, content in (("bos_token", "<s>"), ("eos_token", "</s>"), ("pad_token", "<pad>")):
        _plain(builder, name, content)
    sep = _plain(builder, "sep_token", "[SEP]")
    mask = builder.token("mask_token", "[MASK]")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, False, lstrip=True)
    cls = _plain(builder, "cls_token", "[CLS]")
    prefix = builder.flag("add_prefix_space", True)
    entries = pieces.scored
    places = [index for index, entry in enumerate(entries) if entry == (unknown, 0.0)]
    scores = unigram(builder, entries, places[0] if places else 100)
    builder.normalizer = sequence(
        "normalizers",
        [
            {"type": "Strip", "strip_left": False, "strip_right": False},
            replace(" {2,}", "▁", True),
        ],
    )
    _metaspaces(builder, "always" if prefix else "never")
    builder.finish()
    _cls_and_sep(builder, cls, sep)
    return scores


def _plain(builder: SlowBuilder, name: str, content: str) -> object:
    """Takes a token that is an object in this class also if the files have a text."""
    token = builder.token(name, content)
    if isinstance(token, str):
        builder.values[name] = SlowToken(token)
    return token


def _cls_and_sep(builder: SlowBuilder, cls: object, sep: object) -> None:
    builder.template(
        [(text_of(cls), 0), (TEXT, 0), (text_of(sep), 0)],
        [(text_of(cls), 0), (TEXT, 0), (text_of(sep), 0), (SECOND, 1), (text_of(sep), 1)],
    )


def _reformer(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.token("eos_token", "</s>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    vocabulary = {piece: id for id, (piece, _, _) in enumerate(pieces.pieces)}
    bpe_of(builder, vocabulary, merges_of(vocabulary), False, unknown)
    if pieces.charsmap:
        builder.normalizer = _one_space(pieces)
    _metaspaces(builder, "always")
    builder.finish()
    builder.add_all_special()
    return []


def _barthez(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.tokens(
        bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>"
    )
    builder.token("pad_token", "<pad>")
    _stripping(builder, None, False)
    prefix = builder.flag("add_prefix_space", True)
    scores = unigram(builder, pieces.scored, 3)
    builder.normalizer = sequence(
        "normalizers",
        [
            replace(r"\s{2,}|[\n\r\t]", " ", True),
            {"type": "NFC"},
            {"type": "Strip", "strip_left": False, "strip_right": True},
        ],
    )
    _metaspaces(builder, "always" if prefix else "never")
    builder.finish()
    return scores


_CLASSES: Final[dict[str, Callable[[SlowBuilder, SlowPieces], list[float]]]] = {
    "NllbTokenizer": _nllb,
    "MBart50Tokenizer": _mbart50,
    "SeamlessM4TTokenizer": _seamless,
    "RemBertTokenizer": _rembert,
    "BigBirdTokenizer": _big_bird,
    "ReformerTokenizer": _reformer,
    "BarthezTokenizer": _barthez,
}

OTHER_PIECE_FILES: Final = {
    "NllbTokenizer": "sentencepiece.bpe.model",
    "MBart50Tokenizer": "sentencepiece.bpe.model",
    "SeamlessM4TTokenizer": "sentencepiece.bpe.model",
    "RemBertTokenizer": "sentencepiece.model",
    "BigBirdTokenizer": "spiece.model",
    "ReformerTokenizer": "spiece.model",
    "BarthezTokenizer": "sentencepiece.bpe.model",
}
"""The classes that are made here, and the file that each looks for in a folder without ``tokenizer.model``."""
