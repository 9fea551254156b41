"""The tokenizer classes of transformers 5 that read a vocabulary in slow form, and the stages that each makes.

Settings that matter, by class. All classes also have special tokens (``bos_token`` …),
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
BertTokenizer …        do_lower_case, strip_accents, tokenize_chinese_chars; Funnel: clean_text, wordpieces_prefix
GPT2Tokenizer          add_prefix_space, add_bos_token, add_eos_token
RobertaTokenizer …     add_prefix_space, trim_offsets
Qwen2Tokenizer         add_prefix_space, add_bos_token, add_eos_token
CLIPTokenizer          add_bos_token, add_eos_token
ByT5Tokenizer          extra_ids
LasrTokenizer …        extra_ids; also VideoPrism
LayoutXLMTokenizer …   add_prefix_space; also XGLM, Cohere, MarkupLM (tags_dict), LUKE
LukeTokenizer …        entity_token_1, entity_token_2; also mLUKE
Tipsv2Tokenizer        do_lower_case
SiglipTokenizer        do_lower_case
PLBartTokenizer        src_lang, language_codes
BertJapaneseTokenizer  word_tokenizer_type, subword_tokenizer_type, do_word_tokenize, do_lower_case, mecab_kwargs
ProphetNetTokenizer …  do_lower_case, strip_accents, tokenize_chinese_chars, do_basic_tokenize; also RoCBERT
VitsTokenizer          add_blank, language
=====================  ===========================================================================================

Every other setting changes no id in that class. Sources: transformers 5, ``models/*/tokenization_*.py``, and
``convert_slow_tokenizer.py`` for what is read out of a SentencePiece model.
"""

from __future__ import annotations

from typing import Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    WORD_END,
    SlowBuilder,
    SlowPieces,
    Stage,
    metaspace,
    precompiled,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of
from tokenarium_core.formats.hf.hf_slow_unigram import of_unigram, unigram, usual_cls_and_sep
from tokenarium_core.unicode import byte_alphabet

SENTENCEPIECE_FILES: Final = {
    "LlamaTokenizer": "tokenizer.model",
    "CodeLlamaTokenizer": "tokenizer.model",
    "GemmaTokenizer": "tokenizer.model",
    "Siglip2Tokenizer": "tokenizer.model",
    "TokenizersBackend": "tokenizer.model",
    "ParakeetTokenizer": "tokenizer.model",
    "FNetTokenizer": "spiece.model",
    "T5Tokenizer": "spiece.model",
    "AlbertTokenizer": "spiece.model",
    "PegasusTokenizer": "spiece.model",
    "XLNetTokenizer": "spiece.model",
    "XLMRobertaTokenizer": "sentencepiece.bpe.model",
    "CamembertTokenizer": "sentencepiece.bpe.model",
    "MBartTokenizer": "sentencepiece.bpe.model",
    "DebertaV2Tokenizer": "spm.model",
}
"""The file that a class looks for in a folder without ``tokenizer.model``, which all classes prefer."""

WORDPIECE_CLASSES: Final = (
    "BertTokenizer",
    "DistilBertTokenizer",
    "ConvBertTokenizer",
    "DPRContextEncoderTokenizer",
    "DPRContextEncoderTokenizerFast",
    "DPRQuestionEncoderTokenizer",
    "DPRQuestionEncoderTokenizerFast",
    "DPRReaderTokenizer",
    "DPRReaderTokenizerFast",
)
_ALWAYS_LOWER: Final = ("DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer")
"""Of these, transformers (5.23) keeps do_lower_case to itself."""

PAIR_CLASSES: Final = ("GPT2Tokenizer", "RobertaTokenizer", "Qwen2Tokenizer", "CLIPTokenizer")
BYT5: Final = "ByT5Tokenizer"
"""The class whose end of a text is not repeated, and whose special tokens take the spaces around them."""

BYTE_CLASSES: Final[dict[str, dict[str, str]]] = {
    BYT5: {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
    "PerceiverTokenizer": {
        "pad_token": "[PAD]",
        "bos_token": "[BOS]",
        "eos_token": "[EOS]",
        "mask_token": "[MASK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
    },
}
"""The classes that read no vocabulary, since their entries are bytes: the special tokens before them."""

CODE_POINT_CLASS: Final = "CanineTokenizer"
"""The class that reads no vocabulary, since its ids are code points."""

_NAMED_CODE_POINTS: Final = {
    0: "[PAD]",
    0xE000: "[CLS]",
    0xE001: "[SEP]",
    0xE002: "[BOS]",
    0xE003: "[MASK]",
    0xE004: "[RESERVED]",
}

PYTHON_CLASSES: Final = (
    "BartphoTokenizer BertGenerationTokenizer BertJapaneseTokenizer BertweetTokenizer "
    "BioGptTokenizer BlenderbotSmallTokenizer ByT5Tokenizer CTRLTokenizer CanineTokenizer "
    "ClvpTokenizer CpmAntTokenizer CpmTokenizer DiaTokenizer EsmTokenizer "
    "FSMTTokenizer FastSpeech2ConformerTokenizer FlaubertTokenizer "
    "GPTNeoXJapaneseTokenizer GPTSw3Tokenizer M2M100Tokenizer MarianTokenizer MgpstrTokenizer "
    "MyT5Tokenizer PLBartTokenizer PerceiverTokenizer PhobertTokenizer Pop2PianoTokenizer "
    "ProphetNetTokenizer RagTokenizer RoCBertTokenizer RoFormerTokenizer SiglipTokenizer "
    "Speech2TextTokenizer SpeechT5Tokenizer TapasTokenizer VitsTokenizer "
    "Wav2Vec2CTCTokenizer Wav2Vec2PhonemeCTCTokenizer XLMTokenizer"
)
"""Classes that are code in Python (``PythonBackend``, ``SentencePieceBackend``): they read and write no tokenizer.json."""

_CLIP: Final = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)

CLIP_TOKENS: Final = ("<|startoftext|>", "<|endoftext|>")
"""The special tokens of CLIP."""

_QWEN2: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_STRIPPED: Final = 1 << 16  # the most spaces at an end of a decoded text
_MOST: Final = 1 << 31  # characters that are searched for merges
_UNIGRAM: Final = 1
_ALBERT: Final = {
    "bos_token": "[CLS]",
    "eos_token": "[SEP]",
    "unk_token": "<unk>",
    "sep_token": "[SEP]",
    "pad_token": "<pad>",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def of_pieces(builder: SlowBuilder, kind: str, pieces: SlowPieces) -> list[float]:
    """Makes a class of a SentencePiece model; returns the scores of the entries, none for BPE.

    Raises FormatError if the class and the model do not fit together.
    """
    builder.values["additional_special_tokens"] = pieces.added()
    if kind == "LlamaTokenizer":
        _llama(builder, pieces)
    elif kind == "CodeLlamaTokenizer":
        _code_llama(builder, pieces)
    elif kind == "GemmaTokenizer":
        _gemma(builder, pieces)
    elif kind == "Siglip2Tokenizer":
        _gemma(builder, pieces)
        builder.normalizer = sequence("normalizers", [{"type": "Lowercase"}, replace(" ", "▁")])
    elif kind in ("TokenizersBackend", "ParakeetTokenizer"):
        return _generic(builder, pieces, {})
    elif kind == "FNetTokenizer":
        return _generic(builder, pieces, _ALBERT)
    else:
        return of_unigram(builder, kind, pieces)
    return []


# BPE out of SentencePiece models.


def merges_of(vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    """Returns the merges of pieces: all ways to make one out of two others, in the order of ids.

    For each piece, those with a short left part come first.

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
    bpe_of(builder, vocabulary, merges_of(vocabulary), byte_fallback, unknown)


def bpe_of(
    builder: SlowBuilder,
    vocabulary: dict[str, int],
    merges: list[tuple[str, str]],
    byte_fallback: bool,
    unknown: object,
    fuse_unknown: bool = True,
    affix: str | None = None,
) -> None:
    builder.vocabulary = vocabulary
    builder.model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": affix,
        "end_of_word_suffix": affix,
        "fuse_unk": fuse_unknown,
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
    builder.tokens(unk_token="<unk>", bos_token="<s>", eos_token="</s>")
    legacy = builder.flag("legacy", False)
    prefix = builder.choice("add_prefix_space", None) is not False
    _bpe(builder, pieces, True, None)
    scheme = ("always" if legacy else "first") if prefix else "never"
    builder.pre_tokenizer = metaspace(scheme, False)
    builder.decoder = _from_spaces(_strip_one()) if prefix else _from_spaces()
    builder.finish()


def _code_llama(builder: SlowBuilder, pieces: SlowPieces) -> None:
    unknown = builder.token("unk_token", "<unk>")
    builder.tokens(bos_token="<s>", eos_token="</s>")
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
    builder.tokens(bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", mask_token="<mask>")
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


def _generic(builder: SlowBuilder, pieces: SlowPieces, usual: dict[str, str]) -> list[float]:
    """Makes ``TokenizersBackend``: the model's own settings, except for spaces put before a text or removed.

    So do classes without rules of their own, whose special tokens are ``usual`` where neither the files nor the model
    name them. transformers (5.23) reads FNet's model without the rules of ALBERT, which it has.
    """
    trainer = pieces.trainer
    scores: list[float] = []
    if trainer.model_type == _UNIGRAM:
        if builder.settings.added:
            raise FormatError(
                f"{builder.settings.kind} of transformers does not read a Unigram model with added_tokens_decoder or"
                " added_tokens.json. Name another tokenizer_class, or open the model by itself."
            )
        scores = unigram(builder, pieces.scored, trainer.unk_id)
        builder.model["byte_fallback"] = trainer.byte_fallback
    else:
        vocabulary = {piece: id for id, (piece, _, _) in enumerate(pieces.pieces)}
        merges = merges_of(vocabulary)
        # Placeholders get their names from added_tokens_decoder.
        pieces_by_id = {id: piece for piece, id in vocabulary.items()}
        for id, token in builder.settings.added.items():
            current = pieces_by_id.get(id)
            if current and current != token.content and token.content not in vocabulary:
                vocabulary[token.content] = vocabulary.pop(current)
                pieces_by_id[id] = token.content
        bpe_of(builder, vocabulary, merges, trainer.byte_fallback, trainer.unk_piece)
    steps = [replace(" ", "▁")]
    if pieces.charsmap:
        steps.insert(0, precompiled(pieces.charsmap))
    builder.normalizer = sequence("normalizers", steps)
    builder.decoder = (
        _from_spaces() if trainer.byte_fallback else sequence("decoders", [replace("▁", " ")])
    )
    for name, id, piece, standard in (
        ("bos_token", trainer.bos_id, trainer.bos_piece, "<s>"),
        ("eos_token", trainer.eos_id, trainer.eos_piece, "</s>"),
        ("unk_token", trainer.unk_id, trainer.unk_piece, "<unk>"),
    ):
        if id >= 0:
            builder.token(name, piece or standard)
    for name, content in usual.items():
        builder.token(name, content)
    builder.finish()
    return scores


# WordPiece, and BPE of bytes.


def of_wordpiece(builder: SlowBuilder, vocabulary: dict[str, int]) -> None:
    """Makes BERT's class of the pieces of a ``vocab.txt``."""
    if builder.settings.kind in _ALWAYS_LOWER:
        builder.values.pop("do_lower_case", None)
    unknown = builder.token("unk_token", "[UNK]")
    builder.tokens(sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]")
    bert_stages(builder, vocabulary, unknown)
    builder.finish()
    usual_cls_and_sep(builder, 2, 3)


def bert_stages(builder: SlowBuilder, vocabulary: dict[str, int], unknown: object) -> None:
    """Sets WordPiece and BERT's stages, with their three settings."""
    lower = builder.flag("do_lower_case", True)
    chinese = builder.flag("tokenize_chinese_chars", True)
    accents = builder.choice("strip_accents", None)
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


def of_pair(
    builder: SlowBuilder, kind: str, vocabulary: dict[str, int], merges: list[tuple[str, str]]
) -> None:
    """Makes a class of ``vocab.json`` and ``merges.txt``: GPT-2's, RoBERTa's, Qwen2's or CLIP's."""
    if kind == "CLIPTokenizer":
        _clip(builder, vocabulary, merges)
        return
    bpe_of(builder, vocabulary, merges, False, None, fuse_unknown=False, affix="")
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
    builder.tokens(unk_token="<|endoftext|>", eos_token="<|endoftext|>")
    if kind == "GPT2Tokenizer":
        builder.token("bos_token", "<|endoftext|>")
        builder.token("pad_token", None)
        builder.finish()
        return
    builder.tokens(bos_token=None, pad_token="<|endoftext|>")
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


def of_bytes(builder: SlowBuilder) -> None:
    """Makes the class of ByT5 or of Perceiver: special tokens, the 256 bytes, and after them other added tokens."""
    kind = builder.settings.kind
    names = BYTE_CLASSES[kind]
    strips = kind == BYT5
    vocabulary = {token: id for id, token in enumerate(names.values())}
    for id, (name, usual) in enumerate(names.items()):
        token = builder.token(name, usual)
        if not isinstance(token, SlowToken):
            token = SlowToken(text_of(token), True, lstrip=strips, rstrip=strips)
        builder.values[name] = token
        if text_of(token) not in vocabulary:
            vocabulary = {text: known for text, known in vocabulary.items() if known != id}
            vocabulary[text_of(token)] = id
    if len(vocabulary) != len(names):
        raise FormatError(
            f"{kind} has {len(names)} special tokens, and two of those in the folder are the same."
        )
    for byte, character in enumerate(byte_alphabet.CHARACTERS):
        vocabulary[character] = len(names) + byte
    if strips:
        extra = builder.count("extra_ids", 125)
        if "extra_special_tokens" not in builder.values and extra:
            builder.values["extra_special_tokens"] = [f"<extra_id_{id}>" for id in range(extra)]
    bpe_of(builder, vocabulary, [], False, None, fuse_unknown=False, affix="")
    stage: Stage = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    builder.pre_tokenizer = builder.decoder = stage
    builder.finish()
    builder.special_by_name()
    if strips:
        builder.around([], [(builder.special["eos_token"], 0)])
    else:
        _between_marks(builder)


def of_code_points(builder: SlowBuilder) -> None:
    """Makes CANINE's class: each character is its code point; six of them have a name, which is what they decode to."""
    builder.tokens(
        bos_token="\ue000",
        eos_token="\ue001",
        sep_token="\ue001",
        cls_token="\ue000",
        pad_token="\0",
        mask_token="\ue003",
    )
    builder.code_points = True
    builder.model = {"type": "WordLevel", "unk_token": "\0"}
    builder.pre_tokenizer = {
        "type": "Split",
        "pattern": {"Regex": r"[\s\S]"},
        "behavior": "Isolated",
        "invert": False,
    }
    builder.finish()
    builder.special_by_name()
    named = [
        replace(chr(code), name)
        for code, name in _NAMED_CODE_POINTS.items()
        if not builder.is_added(chr(code))
    ]
    builder.decoder = sequence("decoders", [*named, {"type": "Fuse"}])
    _between_marks(builder)


def _between_marks(builder: SlowBuilder) -> None:
    """Puts a text between two marks, and a second text before another one: ``[CLS] A [SEP] B [SEP]``."""
    cls, sep = builder.special["cls_token"], builder.special["sep_token"]
    single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (SECOND, 1), (sep, 1)])


def _clip(builder: SlowBuilder, vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> None:
    unknown = builder.token("unk_token", "<|endoftext|>")
    bos = builder.token("bos_token", "<|startoftext|>")
    eos = builder.token("eos_token", "<|endoftext|>")
    builder.token("pad_token", "<|endoftext|>")
    bpe_of(builder, vocabulary, merges, False, text_of(unknown), fuse_unknown=False, affix="")
    builder.model["end_of_word_suffix"] = WORD_END
    builder.normalizer = sequence(
        "normalizers", [{"type": "NFC"}, replace(r"\s+", " ", True), {"type": "Lowercase"}]
    )
    split: Stage = {
        "type": "Split",
        "pattern": {"Regex": _CLIP},
        "behavior": "Removed",
        "invert": True,
    }
    stage: Stage = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    builder.pre_tokenizer = sequence("pretokenizers", [split, stage])
    # The class itself puts spaces for the ends of words, and strips the text.
    strip: Stage = {"type": "Strip", "content": " ", "start": _STRIPPED, "stop": _STRIPPED}
    builder.decoder = sequence("decoders", [stage, replace(WORD_END, " "), strip])
    builder.finish()
    around_as_roberta(builder, eos, bos, False, False)


def _roberta(builder: SlowBuilder, prefix: bool) -> None:
    trim = builder.flag("trim_offsets", True)
    cls = builder.token("cls_token", "<s>")
    sep = builder.token("sep_token", "</s>")
    builder.tokens(
        bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>"
    )
    builder.finish()
    around_as_roberta(builder, sep, cls, trim, prefix)


def around_as_roberta(
    builder: SlowBuilder, sep: object, cls: object, trim: bool, prefix: bool
) -> None:
    """Puts RoBERTa's tokens around a text, and two of them between a pair."""
    ids = [builder.id_of(token) for token in (sep, cls)]
    if ids[0] is None or ids[1] is None:
        raise FormatError(
            f"{builder.settings.kind} puts two tokens around a text, and the folder sets one of them to null."
        )
    builder.post_processor = {
        "type": "RobertaProcessing",
        "sep": [text_of(sep), ids[0]],
        "cls": [text_of(cls), ids[1]],
        "trim_offsets": trim,
        "add_prefix_space": prefix,
    }


def is_clip(entries: dict[str, int]) -> bool:
    """Returns whether the entries of a pair are those of a CLIP: its special tokens, and a byte at the end of a word."""
    return f"!{WORD_END}" in entries and all(token in entries for token in CLIP_TOKENS)
