"""The classes of transformers 5 that make a Unigram tokenizer from a SentencePiece model; see `hf_slow_classes`."""

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
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of

_LANGUAGES: Final = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX "
    "ro_RO ru_RU si_LK tr_TR vi_VN zh_CN"
)


def of_unigram(builder: SlowBuilder, kind: str, pieces: SlowPieces) -> list[float]:
    """Makes a class; returns the scores of the entries. Raises FormatError if the class and the model do not match."""
    return _CLASSES[kind](builder, pieces)


def unigram(builder: SlowBuilder, entries: list[tuple[str, float]], unknown: int) -> list[float]:
    """Sets a Unigram model; returns its scores, which a file could not represent exactly."""
    if not 0 <= unknown < len(entries):
        raise FormatError(
            f"{builder.settings.kind} uses entry {unknown} as the unknown token, which the model does not have."
        )
    builder.vocabulary = {piece: id for id, (piece, _) in enumerate(entries)}
    builder.model = {
        "type": "Unigram",
        "unk_id": unknown,
        "byte_fallback": False,
        "vocab": [(piece, 0.0) for piece, _ in entries],
    }
    return [score for _, score in entries]


def _quotes(accents: bool, lower: bool, charsmap: bytes) -> Stage:
    """Returns the normalizer of ALBERT and XLNet; ``accents``: they are kept."""
    steps = [replace("``", '"'), replace("''", '"')]
    if not accents:
        steps += [{"type": "NFKD"}, {"type": "StripAccents"}]
    if lower:
        steps.append({"type": "Lowercase"})
    if charsmap:
        steps.append(precompiled(charsmap))
    return sequence("normalizers", steps)


def sentinels(builder: SlowBuilder) -> int:
    """Adds the tokens such as ``<extra_id_0>`` that mark gaps, unless the model has them; returns how many are set."""
    count = builder.count("extra_ids", 100)
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    there = [token for token in extra if "<extra_id_" in text_of(token)]
    if not there:
        extra += [f"<extra_id_{number}>" for number in range(count)]
    elif count and count != len(there):
        kind = builder.settings.kind
        raise FormatError(
            f"extra_ids is {count}, but the model has {len(there)} tokens such as <extra_id_0>: {kind} of transformers"
            " also refuses that. Set extra_ids to 0, or open the model by itself."
        )
    return count


def _t5(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.tokens(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    numbers = range(sentinels(builder) - 1, -1, -1)
    entries = pieces.scored + [(f"<extra_id_{number}>", 0.0) for number in numbers]
    scores = unigram(builder, entries, 2)
    builder.charsmap_stage(pieces.charsmap)
    builder.metaspace_stages("always")
    builder.finish()
    around_end(builder, "</s>", builder.special.get("eos_token"))
    return scores


def around_end(builder: SlowBuilder, name: str, token: object) -> None:
    """Puts the id of a token after a text, possibly under another name."""
    id = builder.id_of(token)
    if id is None:
        raise FormatError(
            f"{builder.settings.kind} ends a text with eos_token, which the folder sets to null."
        )
    builder.template(
        [(TEXT, 0), (name, 0)], [(TEXT, 0), (name, 0), (SECOND, 0), (name, 0)], {name: id}
    )


def _albert(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    lower = builder.flag("do_lower_case", True)
    accents = builder.flag("keep_accents", False)
    prefix = builder.flag("add_prefix_space", True)
    cls = builder.token("cls_token", "[CLS]")
    sep = builder.token("sep_token", "[SEP]")
    builder.tokens(
        bos_token="[CLS]",
        eos_token="[SEP]",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="[MASK]",
    )
    scores = unigram(builder, pieces.scored, 1)
    builder.normalizer = _quotes(accents, lower, pieces.charsmap)
    builder.metaspace_stages("always" if prefix else "never")
    for token in (cls, sep):
        if text_of(token) not in builder.vocabulary:
            raise FormatError(
                f"AlbertTokenizer puts {text_of(token)!r} around a text, which is not a piece of the model:"
                " transformers also refuses it. Open the model by itself."
            )
    _cls_and_sep(builder, cls, sep, {})
    builder.finish()
    return scores


def _xlm_roberta(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    prefix = builder.flag("add_prefix_space", True)
    entries = _fairseq(builder, pieces, "")
    bos = builder.values["bos_token"]
    eos = builder.values["eos_token"]
    scores = unigram(builder, entries, 3)
    builder.charsmap_stage(pieces.charsmap)
    builder.metaspace_stages("always" if prefix else "never")
    builder.finish()
    _between(builder, bos, eos)
    return scores


def _fairseq(builder: SlowBuilder, pieces: SlowPieces, languages: str) -> list[tuple[str, float]]:
    """Returns the pieces with fairseq's special tokens for the first three, and languages and the mask at the end."""
    names = []
    for name, content in (
        ("bos_token", "<s>"),
        ("pad_token", "<pad>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
    ):
        names.append(text_of(builder.token(name, content)))
    builder.tokens(sep_token="</s>", cls_token="<s>")
    mask = text_of(builder.token("mask_token", "<mask>"))
    first = [(name, 0.0) for name in names]
    return first + pieces.scored[3:] + [(name, 0.0) for name in [*languages.split(), mask]]


def _between(builder: SlowBuilder, bos: object, eos: object) -> None:
    """Puts RoBERTa's tokens around a text, and two of them between a pair."""
    builder.template(
        [(bos, 0), (TEXT, 0), (eos, 0)],
        [(bos, 0), (TEXT, 0), (eos, 0), (eos, 0), (SECOND, 0), (eos, 0)],
    )


def _camembert(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    prefix = builder.flag("add_prefix_space", True)
    bos = builder.token("bos_token", "<s>")
    eos = builder.token("eos_token", "</s>")
    builder.tokens(sep_token="</s>", cls_token="<s>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    pad = text_of(builder.token("pad_token", "<pad>"))
    mask = _stripping_mask(builder, True)
    entries = [
        ("<s>NOTUSED", 0.0),
        (pad, 0.0),
        ("</s>NOTUSED", 0.0),
        (unknown, 0.0),
        ("<unk>NOTUSED", -100.0),
    ]
    entries += [*pieces.scored[1:], (mask, 0.0)]
    ids = [id for id, (piece, _) in enumerate(entries) if piece == unknown]
    scores = unigram(builder, entries, ids[0])
    builder.charsmap_stage(pieces.charsmap)
    builder.metaspace_stages("always" if prefix else "never")
    builder.finish()
    _between(builder, bos, eos)
    return scores


def _stripping_mask(builder: SlowBuilder, special: bool) -> str:
    """Takes the mask token, which as plain text absorbs the whitespace before it; returns its text."""
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, special, lstrip=True)
    return text_of(mask)


def _mbart(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    language = builder.take("src_lang", None)
    if language is not None and not isinstance(language, str):
        raise builder.settings.error("src_lang", "the code of a language", language)
    entries = _fairseq(builder, pieces, _LANGUAGES)
    _stripping_mask(builder, False)
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    together: list[object] = []
    together += _LANGUAGES.split()
    builder.values["additional_special_tokens"] = together + extra
    scores = unigram(builder, entries, 3)
    builder.metaspace_stages("always")
    builder.finish()
    eos = builder.special.get("eos_token")
    code = builder.language = "en_XX" if language is None else language
    if builder.id_of(code) != builder.vocabulary.get(code):
        raise FormatError(
            f"src_lang is {code!r}, which is not a language of MBartTokenizer: a text would end with the unknown"
            " token."
        )
    builder.template(
        [(TEXT, 0), (eos, 0), (code, 0)], [(TEXT, 0), (SECOND, 0), (eos, 0), (code, 0)]
    )
    return scores


def _pegasus(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    offset = builder.count("offset", 103)
    # Without settings, the two masks of the vocabulary are replaced by those of the class.
    first = text_of(builder.values.get("mask_token", "<mask_1>"))
    second = text_of(builder.values.get("mask_token_sent", "<mask_2>"))
    pad = text_of(builder.token("pad_token", "<pad>"))
    eos = builder.token("eos_token", "</s>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    builder.token("mask_token", "<mask_2>")
    sentence = builder.take("mask_token_sent", "<mask_1>")
    if sentence is not None and not isinstance(sentence, (str, SlowToken)):
        raise builder.settings.error("mask_token_sent", "a token", sentence)
    extra: list[object] = [sentence] if sentence is not None else []
    builder.values["additional_special_tokens"] = extra + [
        f"<unk_{number}>" for number in range(2, offset)
    ]
    entries = [(pad, 0.0), (text_of(eos), 0.0)]
    if first != "None":
        entries.append((first, 0.0))
    if second != "None" and second != first:
        entries.append((second, 0.0))
    entries += [(f"<unk_{number}>", -100.0) for number in range(2, offset)]
    entries += pieces.scored[2:]
    ids = [id for id, entry in enumerate(entries) if entry == (unknown, 0.0)]
    if not ids or ids[-1] == 0:
        raise FormatError(
            f"PegasusTokenizer needs the unknown piece {unknown!r} after the first two of the model: transformers"
            " also refuses this model. Open the model by itself."
        )
    scores = unigram(builder, entries, next(id for id in ids if id))
    start = precompiled(pieces.charsmap) if pieces.charsmap else replace("\\n", " ", True)
    builder.normalizer = sequence("normalizers", [start, replace(" {2,}", " ", True)])
    builder.pre_tokenizer = metaspace("always")
    builder.decoder = metaspace("always")
    builder.finish()
    builder.template([(TEXT, 0), (eos, 0)], [(TEXT, 0), (SECOND, 0), (eos, 0)])
    return scores


def _deberta(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    lower = builder.flag("do_lower_case", False)
    punctuation = builder.flag("split_by_punct", False)
    prefix = builder.flag("add_prefix_space", True)
    unknown = text_of(builder.token("unk_token", "[UNK]"))
    builder.tokens(
        bos_token="[CLS]",
        eos_token="[SEP]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        mask_token="[MASK]",
    )
    entries = pieces.scored
    ids = [id for id, entry in enumerate(entries) if entry == (unknown, 0.0)]
    scores = unigram(builder, entries, ids[0] if ids else pieces.trainer.unk_id)
    steps: list[Stage] = [{"type": "Lowercase"}] if lower else []
    steps += [
        replace(r"\s{2,}|[\n\r\t]", " ", True),
        {"type": "NFC"},
        {"type": "Strip", "strip_left": False, "strip_right": True},
    ]
    builder.normalizer = sequence("normalizers", steps)
    scheme = "always" if prefix else "first"
    cuts: list[Stage] = [{"type": "Punctuation", "behavior": "Isolated"}] if punctuation else []
    builder.pre_tokenizer = sequence("pretokenizers", [*cuts, metaspace(scheme)])
    builder.decoder = metaspace(scheme)
    builder.finish()
    usual_cls_and_sep(builder, 0, 0)
    return scores


def _cls_and_sep(builder: SlowBuilder, cls: object, sep: object, ids: dict[str, int]) -> None:
    """Puts BERT's tokens around a text."""
    builder.template(
        [(cls, 0), (TEXT, 0), (sep, 0)],
        [(cls, 0), (TEXT, 0), (sep, 0), (SECOND, 1), (sep, 1)],
        ids,
    )


def usual_cls_and_sep(builder: SlowBuilder, cls_id: int, sep_id: int) -> None:
    """Puts them around a text by these ids. One that the folder sets to null is called “None”."""
    cls = builder.special.get("cls_token")
    sep = builder.special.get("sep_token")
    ids: dict[str, int] = {}
    if cls is None:
        ids["None"] = cls_id
    if sep is None:
        ids["None"] = sep_id
    if cls is None and sep is None:
        raise FormatError(
            f"cls_token and sep_token are both null, and {builder.settings.kind} puts them around a text."
        )
    _cls_and_sep(builder, text_of(cls), text_of(sep), ids)


def _xlnet(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    lower = builder.flag("do_lower_case", False)
    builder.tokens(
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        sep_token="<sep>",
        pad_token="<pad>",
        cls_token="<cls>",
    )
    _stripping_mask(builder, False)
    scores = unigram(builder, pieces.scored, pieces.trainer.unk_id)
    builder.normalizer = _quotes(False, lower, pieces.charsmap)
    builder.metaspace_stages("always")
    builder.finish()
    sep = builder.special.get("sep_token")
    cls = builder.special.get("cls_token")
    builder.template(
        [(TEXT, 0), (sep, 0), (cls, 2)], [(TEXT, 0), (sep, 0), (SECOND, 1), (sep, 1), (cls, 2)]
    )
    return scores


_CLASSES: Final[dict[str, Callable[[SlowBuilder, SlowPieces], list[float]]]] = {
    "T5Tokenizer": _t5,
    "AlbertTokenizer": _albert,
    "XLMRobertaTokenizer": _xlm_roberta,
    "CamembertTokenizer": _camembert,
    "MBartTokenizer": _mbart,
    "PegasusTokenizer": _pegasus,
    "DebertaV2Tokenizer": _deberta,
    "XLNetTokenizer": _xlnet,
}
