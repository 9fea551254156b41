"""The tokenizer classes of transformers 5 that read a vocabulary in slow form, each as the stages that it makes.

Settings that have a say, by class; besides these, all of them have special tokens (``bos_token`` …),
``additional_special_tokens``, ``extra_special_tokens``, ``added_tokens_decoder`` and `added_tokens.json`:

=====================  ===========================================================================================
LlamaTokenizer         legacy, add_prefix_space, add_bos_token, add_eos_token
CodeLlamaTokenizer     add_prefix_space, add_bos_token, add_eos_token, prefix_token and its like
GemmaTokenizer         add_bos_token, add_eos_token
TokenizersBackend      add_bos_token, add_eos_token; for files that name no class, or one that transformers lacks
T5Tokenizer            extra_ids
AlbertTokenizer        do_lower_case, keep_accents, add_prefix_space, add_bos_token, add_eos_token
XLMRobertaTokenizer    add_prefix_space
CamembertTokenizer     add_prefix_space
MBartTokenizer         src_lang
PegasusTokenizer       offset, mask_token_sent
DebertaV2Tokenizer     do_lower_case, split_by_punct, add_prefix_space
XLNetTokenizer         do_lower_case
BertTokenizer …        do_lower_case, strip_accents, tokenize_chinese_chars
GPT2Tokenizer          add_prefix_space, add_bos_token, add_eos_token
RobertaTokenizer …     add_prefix_space, trim_offsets
Qwen2Tokenizer         add_prefix_space, add_bos_token, add_eos_token
=====================  ===========================================================================================

Every other setting changes no id in that class. Sources: transformers 5, ``models/*/tokenization_*.py``, and
``convert_slow_tokenizer.py`` for what is read out of a SentencePiece model.
"""

from __future__ import annotations

from typing import Any, Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    SlowBuilder,
    Stage,
    metaspace,
    precompiled,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of

SENTENCEPIECE_FILES: Final = {
    "LlamaTokenizer": "tokenizer.model",
    "CodeLlamaTokenizer": "tokenizer.model",
    "GemmaTokenizer": "tokenizer.model",
    "TokenizersBackend": "tokenizer.model",
    "T5Tokenizer": "spiece.model",
    "AlbertTokenizer": "spiece.model",
    "PegasusTokenizer": "spiece.model",
    "XLNetTokenizer": "spiece.model",
    "XLMRobertaTokenizer": "sentencepiece.bpe.model",
    "CamembertTokenizer": "sentencepiece.bpe.model",
    "MBartTokenizer": "sentencepiece.bpe.model",
    "DebertaV2Tokenizer": "spm.model",
}
"""The file that a class looks for in a folder with no ``tokenizer.model``, which all of them prefer."""

WORDPIECE_CLASSES: Final = ("BertTokenizer", "DistilBertTokenizer", "ConvBertTokenizer")
PAIR_CLASSES: Final = ("GPT2Tokenizer", "RobertaTokenizer", "Qwen2Tokenizer")

_LANGUAGES: Final = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX "
    "ro_RO ru_RU si_LK tr_TR vi_VN zh_CN"
)
_QWEN2: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_MOST: Final = 1 << 31  # characters that are looked at for merges
_CONTROL: Final = 3
_USER_DEFINED: Final = 4
_UNIGRAM: Final = 1


@final
class SlowPieces:
    """What a SentencePiece model holds: its pieces with scores and types, its trainer's and normalizer's settings."""

    def __init__(self, pieces: list[tuple[str, float, int]], trainer: Any, charsmap: bytes) -> None:
        self.pieces = pieces
        self.trainer = trainer
        self.charsmap = charsmap

    @property
    def scored(self) -> list[tuple[str, float]]:
        """The pieces and their scores."""
        return [(piece, score) for piece, score, _ in self.pieces]

    def added(self) -> list[object]:
        """Returns the control and the user-defined pieces as tokens to add."""
        return [
            SlowToken(piece, kind == _CONTROL, False)
            for piece, _, kind in self.pieces
            if kind in (_CONTROL, _USER_DEFINED)
        ]


def of_pieces(builder: SlowBuilder, kind: str, pieces: SlowPieces) -> list[float]:
    """Makes a class of a SentencePiece model; returns the scores of the entries, none for BPE.

    Raises FormatError where the class and the model do not fit together.
    """
    builder.values["additional_special_tokens"] = pieces.added()
    if kind == "LlamaTokenizer":
        _llama(builder, pieces)
    elif kind == "CodeLlamaTokenizer":
        _code_llama(builder, pieces)
    elif kind == "GemmaTokenizer":
        _gemma(builder, pieces)
    elif kind == "TokenizersBackend":
        return _generic(builder, pieces)
    elif kind == "T5Tokenizer":
        return _t5(builder, pieces)
    elif kind == "AlbertTokenizer":
        return _albert(builder, pieces)
    elif kind == "XLMRobertaTokenizer":
        return _xlm_roberta(builder, pieces)
    elif kind == "CamembertTokenizer":
        return _camembert(builder, pieces)
    elif kind == "MBartTokenizer":
        return _mbart(builder, pieces)
    elif kind == "PegasusTokenizer":
        return _pegasus(builder, pieces)
    elif kind == "DebertaV2Tokenizer":
        return _deberta(builder, pieces)
    else:
        return _xlnet(builder, pieces)
    return []


# BPE out of SentencePiece models.


def merges_of(vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    """Returns the merges of pieces: all ways to make one out of two others, in the order of ids.

    Of one piece, those come first whose left part is short.

    >>> merges_of({"a": 0, "b": 1, "ab": 2, "aab": 3})
    [('a', 'b'), ('a', 'ab')]
    """
    if sum([len(piece) * len(piece) for piece in vocabulary]) > _MOST:
        raise FormatError("Its pieces are too long to find the merges that make them.")
    merges: list[tuple[str, str]] = []
    for _, piece in sorted([(id, piece) for piece, id in vocabulary.items()]):
        for at in range(1, len(piece)):
            left = piece[:at]
            if left in vocabulary:
                right = piece[at:]
                if right in vocabulary:
                    merges.append((left, right))
    return merges


def _bpe(builder: SlowBuilder, pieces: SlowPieces, byte_fallback: bool, unknown: object) -> None:
    vocabulary = {piece: id for id, (piece, _, _) in enumerate(pieces.pieces)}
    _bpe_of(builder, vocabulary, merges_of(vocabulary), byte_fallback, unknown)


def _bpe_of(
    builder: SlowBuilder,
    vocabulary: dict[str, int],
    merges: list[tuple[str, str]],
    byte_fallback: bool,
    unknown: object,
) -> None:
    builder.vocabulary = vocabulary
    builder.model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": byte_fallback,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": merges,
    }


def _from_spaces(*more: Stage) -> Stage:
    """Returns the decoder that reads ``▁`` as a space, and bytes as such."""
    return sequence(
        "decoders", [replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}, *more]
    )


def _strip_one() -> Stage:
    return {"type": "Strip", "content": " ", "start": 1, "stop": 0}


def _llama(builder: SlowBuilder, pieces: SlowPieces) -> None:
    builder.token("unk_token", "<unk>")
    builder.token("bos_token", "<s>")
    builder.token("eos_token", "</s>")
    legacy = builder.flag("legacy", False)
    prefix = builder.choice("add_prefix_space", None) is not False
    _bpe(builder, pieces, True, None)
    scheme = ("always" if legacy else "first") if prefix else "never"
    builder.pre_tokenizer = metaspace(scheme, False)
    builder.decoder = _from_spaces(_strip_one()) if prefix else _from_spaces()
    builder.finish()


def _code_llama(builder: SlowBuilder, pieces: SlowPieces) -> None:
    unknown = builder.token("unk_token", "<unk>")
    builder.token("bos_token", "<s>")
    builder.token("eos_token", "</s>")
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    for name, content in (
        ("prefix_token", "▁<PRE>"),
        ("middle_token", "▁<MID>"),
        ("suffix_token", "▁<SUF>"),
        ("eot_token", "▁<EOT>"),
        ("fill_token", "<FILL_ME>"),
    ):
        token = builder.token(name, content)
        if token is not None:
            extra.append(token)
    prefix = builder.choice("add_prefix_space", True) is not False
    builder.values["add_bos_token"] = builder.take("add_bos_token", True)
    _bpe(builder, pieces, True, text_of(unknown))
    builder.pre_tokenizer = metaspace("first" if prefix else "never", False)
    builder.decoder = _from_spaces(_strip_one())
    builder.finish()


def _gemma(builder: SlowBuilder, pieces: SlowPieces) -> None:
    unknown = builder.token("unk_token", "<unk>")
    builder.token("bos_token", "<bos>")
    builder.token("eos_token", "<eos>")
    builder.token("pad_token", "<pad>")
    builder.token("mask_token", "<mask>")
    _bpe(builder, pieces, True, text_of(unknown))
    builder.normalizer = replace(" ", "▁")
    builder.pre_tokenizer = {
        "type": "Split",
        "pattern": {"String": " "},
        "behavior": "MergedWithPrevious",
        "invert": False,
    }
    builder.decoder = _from_spaces()
    builder.finish()


def _generic(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    """Makes ``TokenizersBackend``: what the model itself says, but for spaces put before a text or taken away."""
    trainer = pieces.trainer
    scores: list[float] = []
    if trainer.model_type == _UNIGRAM:
        if builder.settings.added:
            raise FormatError(
                "TokenizersBackend of transformers does not read a Unigram model with added_tokens_decoder or"
                " added_tokens.json. Name the tokenizer_class, or open the model by itself."
            )
        scores = _unigram(builder, pieces.scored, trainer.unk_id)
        builder.model["byte_fallback"] = trainer.byte_fallback
    else:
        vocabulary = {piece: id for id, (piece, _, _) in enumerate(pieces.pieces)}
        merges = merges_of(vocabulary)
        # Placeholders take the name that added_tokens_decoder has for their id.
        pieces_by_id = {id: piece for piece, id in vocabulary.items()}
        for id, token in builder.settings.added.items():
            current = pieces_by_id.get(id)
            if current and current != token.content and token.content not in vocabulary:
                vocabulary[token.content] = vocabulary.pop(current)
                pieces_by_id[id] = token.content
        _bpe_of(builder, vocabulary, merges, trainer.byte_fallback, trainer.unk_piece)
    steps = [replace(" ", "▁")]
    if pieces.charsmap:
        steps.insert(0, precompiled(pieces.charsmap))
    builder.normalizer = sequence("normalizers", steps)
    builder.decoder = (
        _from_spaces() if trainer.byte_fallback else sequence("decoders", [replace("▁", " ")])
    )
    for name, id, piece, usual in (
        ("bos_token", trainer.bos_id, trainer.bos_piece, "<s>"),
        ("eos_token", trainer.eos_id, trainer.eos_piece, "</s>"),
        ("unk_token", trainer.unk_id, trainer.unk_piece, "<unk>"),
    ):
        if id >= 0:
            builder.token(name, piece or usual)
    builder.finish()
    return scores


# Unigram.


def _unigram(builder: SlowBuilder, entries: list[tuple[str, float]], unknown: int) -> list[float]:
    """Sets a Unigram model; returns its scores, which a file could not hold exactly."""
    if not 0 <= unknown < len(entries):
        raise FormatError(
            f"{builder.settings.kind} takes entry {unknown} for the unknown one, which the model does not have."
        )
    builder.vocabulary = {piece: id for id, (piece, _) in enumerate(entries)}
    builder.model = {
        "type": "Unigram",
        "unk_id": unknown,
        "byte_fallback": False,
        "vocab": [(piece, 0.0) for piece, _ in entries],
    }
    return [score for _, score in entries]


def _words(scheme: str) -> Stage:
    return sequence("pretokenizers", [{"type": "WhitespaceSplit"}, metaspace(scheme)])


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


def _t5(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    count = builder.count("extra_ids", 100)
    builder.token("eos_token", "</s>")
    builder.token("unk_token", "<unk>")
    builder.token("pad_token", "<pad>")
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    there = [token for token in extra if "<extra_id_" in text_of(token)]
    if not there:
        extra += [f"<extra_id_{number}>" for number in range(count)]
    elif count and count != len(there):
        raise FormatError(
            f"extra_ids is {count}, but the model has {len(there)} tokens such as <extra_id_0>: T5Tokenizer of transformers"
            " refuses that, too. Set extra_ids to 0, or open the model by itself."
        )
    numbers = range(count - 1, -1, -1)
    entries = pieces.scored + [(f"<extra_id_{number}>", 0.0) for number in numbers]
    scores = _unigram(builder, entries, 2)
    if pieces.charsmap:
        builder.normalizer = precompiled(pieces.charsmap)
    builder.pre_tokenizer = _words("always")
    builder.decoder = metaspace("always")
    builder.finish()
    _end(builder, "</s>", builder.special.get("eos_token"))
    return scores


def _end(builder: SlowBuilder, name: str, token: object) -> None:
    """Puts the id of a token after a text, under a name that may be another one."""
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
    for name, content in (
        ("bos_token", "[CLS]"),
        ("eos_token", "[SEP]"),
        ("unk_token", "<unk>"),
        ("pad_token", "<pad>"),
        ("mask_token", "[MASK]"),
    ):
        builder.token(name, content)
    scores = _unigram(builder, pieces.scored, 1)
    builder.normalizer = _quotes(accents, lower, pieces.charsmap)
    scheme = "always" if prefix else "never"
    builder.pre_tokenizer = _words(scheme)
    builder.decoder = metaspace(scheme)
    for token in (cls, sep):
        if text_of(token) not in builder.vocabulary:
            raise FormatError(
                f"AlbertTokenizer puts {text_of(token)!r} around a text, which is no piece of the model: transformers refuses"
                " it, too. Open the model by itself."
            )
    _cls_and_sep(builder, cls, sep, {})
    builder.finish()
    return scores


def _xlm_roberta(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    prefix = builder.flag("add_prefix_space", True)
    entries = _fairseq(builder, pieces, "")
    bos = builder.values["bos_token"]
    eos = builder.values["eos_token"]
    scores = _unigram(builder, entries, 3)
    if pieces.charsmap:
        builder.normalizer = precompiled(pieces.charsmap)
    scheme = "always" if prefix else "never"
    builder.pre_tokenizer = _words(scheme)
    builder.decoder = metaspace(scheme)
    builder.finish()
    _between(builder, bos, eos)
    return scores


def _fairseq(builder: SlowBuilder, pieces: SlowPieces, languages: str) -> list[tuple[str, float]]:
    """Returns the pieces with fairseq's special tokens in place of the first three, languages and the mask at the end."""
    names = []
    for name, content in (
        ("bos_token", "<s>"),
        ("pad_token", "<pad>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
    ):
        names.append(text_of(builder.token(name, content)))
    builder.token("sep_token", "</s>")
    builder.token("cls_token", "<s>")
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
    builder.token("sep_token", "</s>")
    builder.token("cls_token", "<s>")
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
    places = [place for place, (piece, _) in enumerate(entries) if piece == unknown]
    scores = _unigram(builder, entries, places[0])
    if pieces.charsmap:
        builder.normalizer = precompiled(pieces.charsmap)
    scheme = "always" if prefix else "never"
    builder.pre_tokenizer = _words(scheme)
    builder.decoder = metaspace(scheme)
    builder.finish()
    _between(builder, bos, eos)
    return scores


def _stripping_mask(builder: SlowBuilder, special: bool) -> str:
    """Takes the mask, which as a bare text takes the blanks before it; returns its text."""
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
    scores = _unigram(builder, entries, 3)
    builder.pre_tokenizer = _words("always")
    builder.decoder = metaspace("always")
    builder.finish()
    eos = builder.special.get("eos_token")
    code = "en_XX" if language is None else language
    if builder.id_of(code) != builder.vocabulary.get(code):
        raise FormatError(
            f"src_lang is {code!r}, which is no language of MBartTokenizer: a text would end with the unknown token."
        )
    builder.template(
        [(TEXT, 0), (eos, 0), (code, 0)], [(TEXT, 0), (SECOND, 0), (eos, 0), (code, 0)]
    )
    return scores


def _pegasus(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    offset = builder.count("offset", 103)
    # Without settings, the two masks of the vocabulary are swapped against those of the class.
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
    places = [place for place, entry in enumerate(entries) if entry == (unknown, 0.0)]
    if not places or places[-1] == 0:
        raise FormatError(
            f"PegasusTokenizer needs the unknown piece {unknown!r} after the first two of the model: transformers refuses this"
            " one, too. Open the model by itself."
        )
    scores = _unigram(builder, entries, next(place for place in places if place))
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
    for name, content in (
        ("bos_token", "[CLS]"),
        ("eos_token", "[SEP]"),
        ("sep_token", "[SEP]"),
        ("pad_token", "[PAD]"),
        ("cls_token", "[CLS]"),
        ("mask_token", "[MASK]"),
    ):
        builder.token(name, content)
    entries = pieces.scored
    places = [place for place, entry in enumerate(entries) if entry == (unknown, 0.0)]
    scores = _unigram(builder, entries, places[0] if places else pieces.trainer.unk_id)
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
    _usual_cls_and_sep(builder, 0, 0)
    return scores


def _cls_and_sep(builder: SlowBuilder, cls: object, sep: object, ids: dict[str, int]) -> None:
    """Puts BERT's tokens around a text."""
    builder.template(
        [(cls, 0), (TEXT, 0), (sep, 0)],
        [(cls, 0), (TEXT, 0), (sep, 0), (SECOND, 1), (sep, 1)],
        ids,
    )


def _usual_cls_and_sep(builder: SlowBuilder, cls_id: int, sep_id: int) -> None:
    """Puts them around a text by these ids where the folder sets one to null, which then is called “None”."""
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
    for name, content in (
        ("bos_token", "<s>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
        ("sep_token", "<sep>"),
        ("pad_token", "<pad>"),
        ("cls_token", "<cls>"),
    ):
        builder.token(name, content)
    _stripping_mask(builder, False)
    scores = _unigram(builder, pieces.scored, pieces.trainer.unk_id)
    builder.normalizer = _quotes(False, lower, pieces.charsmap)
    builder.pre_tokenizer = _words("always")
    builder.decoder = metaspace("always")
    builder.finish()
    sep = builder.special.get("sep_token")
    cls = builder.special.get("cls_token")
    builder.template(
        [(TEXT, 0), (sep, 0), (cls, 2)], [(TEXT, 0), (sep, 0), (SECOND, 1), (sep, 1), (cls, 2)]
    )
    return scores


# WordPiece, and BPE of bytes.


def of_wordpiece(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    """Makes BERT's class of the pieces of a ``vocab.txt``."""
    lower = builder.flag("do_lower_case", True)
    chinese = builder.flag("tokenize_chinese_chars", True)
    accents = builder.choice("strip_accents", None)
    unknown = builder.token("unk_token", "[UNK]")
    for name, content in (
        ("sep_token", "[SEP]"),
        ("pad_token", "[PAD]"),
        ("cls_token", "[CLS]"),
        ("mask_token", "[MASK]"),
    ):
        builder.token(name, content)
    builder.vocabulary = vocabulary
    builder.model = {
        "type": "WordPiece",
        "unk_token": text_of(unknown),
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocabulary,
    }
    builder.normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": chinese,
        "strip_accents": accents,
        "lowercase": lower,
    }
    builder.pre_tokenizer = {"type": "BertPreTokenizer"}
    builder.decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    builder.finish()
    _usual_cls_and_sep(builder, 2, 3)


def of_pair(
    builder: SlowBuilder, kind: str, vocabulary: dict[str, int], merges: list[tuple[str, str]]
) -> None:
    """Makes a class of ``vocab.json`` and ``merges.txt``: GPT-2's, RoBERTa's or Qwen2's."""
    builder.vocabulary = vocabulary
    builder.model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": merges,
    }
    prefix = builder.choice("add_prefix_space", False) is True
    bytes_stage: Stage = {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": kind != "Qwen2Tokenizer",
    }
    builder.pre_tokenizer = bytes_stage
    builder.decoder = {
        "type": "ByteLevel",
        "add_prefix_space": True,
        "trim_offsets": True,
        "use_regex": True,
    }
    if kind == "RobertaTokenizer":
        _roberta(builder, prefix)
        return
    builder.token("unk_token", "<|endoftext|>")
    builder.token("eos_token", "<|endoftext|>")
    if kind == "GPT2Tokenizer":
        builder.token("bos_token", "<|endoftext|>")
        builder.token("pad_token", None)
        builder.finish()
        return
    builder.token("bos_token", None)
    builder.token("pad_token", "<|endoftext|>")
    builder.normalizer = {"type": "NFC"}
    split: Stage = {
        "type": "Split",
        "pattern": {"Regex": _QWEN2},
        "behavior": "Isolated",
        "invert": False,
    }
    builder.pre_tokenizer = sequence("pretokenizers", [split, bytes_stage])
    builder.finish()
    named = [token for token in builder.special.values() if token is not None]
    builder.add([SlowToken(text_of(token), True) for token in [*named, *builder.extra]])


def _roberta(builder: SlowBuilder, prefix: bool) -> None:
    trim = builder.flag("trim_offsets", True)
    cls = builder.token("cls_token", "<s>")
    sep = builder.token("sep_token", "</s>")
    for name, content in (
        ("bos_token", "<s>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
        ("pad_token", "<pad>"),
        ("mask_token", "<mask>"),
    ):
        builder.token(name, content)
    builder.finish()
    ids = [builder.id_of(token) for token in (sep, cls)]
    if ids[0] is None or ids[1] is None:
        raise FormatError(
            "RobertaTokenizer puts cls_token and sep_token around a text, and the folder sets one to null."
        )
    builder.post_processor = {
        "type": "RobertaProcessing",
        "sep": [text_of(sep), ids[0]],
        "cls": [text_of(cls), ids[1]],
        "trim_offsets": trim,
        "add_prefix_space": prefix,
    }
