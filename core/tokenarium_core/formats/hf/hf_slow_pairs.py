"""The classes of transformers 5 that read ``vocab.json`` and ``merges.txt``, other than GPT-2's; see `hf_slow_classes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    WORD_END,
    SlowBuilder,
    Stage,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_classes import around_as_roberta, bpe_of
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of
from tokenarium_core.formats.tiktoken_families import WHISPER_LANGUAGES, WHISPER_NAMES

Merges = list[tuple[str, str]]


def of_other_pair(
    builder: SlowBuilder, kind: str, vocabulary: dict[str, int], merges: Merges
) -> None:
    """Makes a class of `OTHER_PAIR_CLASSES`. Raises FormatError for settings that the class refuses."""
    _CLASSES[kind](builder, vocabulary, merges)


def _bytes(
    builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges, prefix: bool, regex: bool
) -> Stage:
    """Sets BPE of bytes, and returns the stage that cuts a text, or only writes bytes as characters."""
    bpe_of(builder, vocabulary, merges, False, None, fuse_unknown=False, affix="")
    builder.decoder = _byte_level(True, True)
    builder.pre_tokenizer = _byte_level(prefix, regex)
    return builder.pre_tokenizer


def of_bytes_by_merges(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    """Sets the stages of GPT-2 without its special tokens."""
    _bytes(builder, vocabulary, merges, False, True)


def _byte_level(prefix: bool, regex: bool, trim: bool = True) -> Stage:
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": trim,
        "use_regex": regex,
    }


def _whisper(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(unk_token="<|endoftext|>", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    prefix = builder.flag("add_prefix_space", False)
    times = builder.flag("predict_timestamps", False)
    language = builder.take("language", None)
    task = builder.take("task", None)
    _bytes(builder, vocabulary, merges, prefix, True)
    builder.finish()
    first = "<|startoftranscript|>"
    before: list[tuple[object, int]] = [(_known(builder, first), 0)]
    if language is not None:
        before.append((_known(builder, f"<|{_language(builder, language)}|>"), 0))
    if task is not None:
        if task not in ("transcribe", "translate"):
            raise builder.settings.error("task", "transcribe or translate", task)
        before.append((_known(builder, f"<|{task}|>"), 0))
    if not times:
        before.append((_known(builder, "<|notimestamps|>"), 0))
    eos = builder.special.get("eos_token")
    if eos is None:
        raise builder.settings.error("eos_token", "a token", None)
    single = [*before, (TEXT, 0), (eos, 0)]
    builder.template(single, [*before, (TEXT, 0), (SECOND, 1), (eos, 1)])


def _language(builder: SlowBuilder, language: object) -> str:
    """Returns the code of a language of Whisper, by its code or its English name."""
    name = language.lower() if isinstance(language, str) else ""
    codes = WHISPER_LANGUAGES.split()
    if name in codes:
        return name
    names = dict(pair.split("=") for pair in WHISPER_NAMES.split(" "))
    code = names.get(name.replace(" ", "_"), "")
    if not code:
        raise builder.settings.error("language", "a language of Whisper", language)
    return code


def _known(builder: SlowBuilder, text: str) -> str:
    """Returns a token's text if it is one; else the class would put the unknown token in its place."""
    if builder.id_of(text) == _unknown(builder, text):
        raise FormatError(
            f"{builder.settings.kind} puts {text!r} before a text, which is neither an entry of vocab.json nor a token of the"
            " settings. Get the added_tokens.json of the model, or open the vocabulary by itself."
        )
    return text


def _unknown(builder: SlowBuilder, text: str) -> int | None:
    """Returns the id of the unknown token, unless it is this one."""
    unknown = builder.special.get("unk_token")
    return None if unknown is None or text_of(unknown) == text else builder.id_of(unknown)


def _gpt1(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    unknown = builder.token("unk_token", "<unk>")
    _words(builder, vocabulary, merges, text_of(unknown), True, None)
    builder.finish()


def _herbert(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.token("cls_token", "<s>")
    unknown = builder.token("unk_token", "<unk>")
    builder.tokens(pad_token="<pad>", mask_token="<mask>", sep_token="</s>")
    _words(builder, vocabulary, merges, text_of(unknown), False, False)
    builder.model["continuing_subword_prefix"] = None
    builder.finish()
    sep = builder.special.get("sep_token")
    cls = builder.special.get("cls_token")
    if sep is None or cls is None:
        raise FormatError(
            "HerbertTokenizer puts two tokens around a text, and the folder sets one of them to null."
        )
    builder.post_processor = {
        "type": "BertProcessing",
        "sep": [text_of(sep), 2],
        "cls": [text_of(cls), 0],
    }


def _words(
    builder: SlowBuilder,
    vocabulary: dict[str, int],
    merges: Merges,
    unknown: str,
    lower: bool,
    accents: bool | None,
) -> None:
    """Sets BPE of characters with marked ends of words, and BERT's cutting."""
    bpe_of(builder, vocabulary, merges, False, unknown, fuse_unknown=False, affix="")
    builder.model["end_of_word_suffix"] = WORD_END
    builder.normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": accents,
        "lowercase": lower,
    }
    builder.pre_tokenizer = {"type": "BertPreTokenizer"}
    builder.decoder = {"type": "BPEDecoder", "suffix": WORD_END}


def _blenderbot(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(
        bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>"
    )
    builder.token("pad_token", "<pad>")
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, False, False, lstrip=True)
    _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", True), True)
    builder.finish()


def _codegen(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(unk_token="<|endoftext|>", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    builder.token("pad_token", None)
    _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    builder.post_processor = _byte_level(True, True, False)
    builder.finish()


def _neox(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(unk_token="<|endoftext|>", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    builder.token("pad_token", "<|padding|>")
    stage = _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    stage["trim_offsets"] = builder.flag("trim_offsets", True)
    builder.normalizer = {"type": "NFC"}
    builder.finish()


def _deberta(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(
        bos_token="[CLS]",
        eos_token="[SEP]",
        unk_token="[UNK]",
        sep_token="[SEP]",
        cls_token="[CLS]",
    )
    builder.token("pad_token", "[PAD]")
    builder.token("mask_token", "[MASK]")
    _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    builder.finish()
    cls = builder.special.get("cls_token")
    sep = builder.special.get("sep_token")
    builder.template(
        [(cls, 0), (TEXT, 0), (sep, 0)],
        [(cls, 0), (TEXT, 0), (sep, 0), (sep, 0), (SECOND, 0), (sep, 0)],
    )


def _layout(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    cls = builder.token("cls_token", "<s>")
    sep = builder.token("sep_token", "</s>")
    builder.token("mask_token", "<mask>")
    prefix = builder.flag("add_prefix_space", True)
    _bytes(builder, vocabulary, merges, prefix, True)
    builder.finish()
    around_as_roberta(builder, sep, cls, True, prefix)


def _cohere(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    for name, content in (
        ("unk_token", "<UNK>"),
        ("bos_token", "<BOS_TOKEN>"),
        ("eos_token", "<|END_OF_TURN_TOKEN|>"),
        ("pad_token", "<PAD>"),
        ("cls_token", "<CLS>"),
        ("sep_token", "<SEP>"),
        ("mask_token", "<MASK_TOKEN>"),
    ):
        builder.token(name, content)
    stage = _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    builder.normalizer = {"type": "NFC"}
    builder.pre_tokenizer = sequence("pretokenizers", [_DIGITS, stage])
    builder.finish()
    builder.add_all_special()


def _nougat(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    """Makes Nougat's class; transformers (5.23) searches for its regular expressions as if they were plain strings."""
    builder.token("unk_token", "<unk>")
    bos = builder.token("bos_token", "<s>")
    eos = builder.token("eos_token", "</s>")
    builder.token("pad_token", "<pad>")
    stage = _bytes(builder, vocabulary, merges, False, True)
    builder.normalizer = {"type": "NFKC"}
    splits: list[Stage] = [
        {"type": "Split", "pattern": {"String": text}, "behavior": behavior, "invert": False}
        for text, behavior in (
            ("SPL1T-TH1S-Pl3A5E", "Removed"),
            (_NOUGAT_MARKS, "Isolated"),
            ("\n", "Isolated"),
        )
    ]
    builder.pre_tokenizer = sequence("pretokenizers", [splits[0], _DIGITS, *splits[1:], stage])
    builder.finish()
    builder.template([(bos, 0), (TEXT, 0), (eos, 0)], [(TEXT, 0), (SECOND, 1)])


def _markup(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    if builder.take("tags_dict", None) is None:
        raise builder.settings.error("tags_dict", "an object of tags", None)
    for name, content in (
        ("bos_token", "<s>"),
        ("eos_token", "</s>"),
        ("sep_token", "</s>"),
        ("cls_token", "<s>"),
        ("unk_token", "<unk>"),
        ("pad_token", "<pad>"),
        ("mask_token", "<mask>"),
    ):
        token = builder.token(name, content)
        if isinstance(token, str):
            builder.values[name] = SlowToken(token, lstrip=name == "mask_token")
    cls, sep = builder.values["cls_token"], builder.values["sep_token"]
    _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    builder.finish()
    single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (SECOND, 0), (sep, 0)])


def _luke(builder: SlowBuilder, vocabulary: dict[str, int], merges: Merges) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>")
    builder.tokens(unk_token="<unk>", pad_token="<pad>")
    builder.token("mask_token", "<mask>")
    entity_tokens(builder, "", False)
    _bytes(builder, vocabulary, merges, builder.flag("add_prefix_space", False), True)
    builder.finish()
    cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
    around_as_roberta(builder, sep, cls, True, True)


def entity_tokens(builder: SlowBuilder, mark: str, listed: bool) -> None:
    """Adds the tokens that LUKE's classes put around entities, after a mark, and those of its vocabulary of entities.

    ``listed``: the latter are among ``extra_special_tokens`` too.
    """
    values = builder.values
    extra: list[object] = []
    for name in ("extra_special_tokens", "additional_special_tokens"):
        tokens = values.pop(name, None)
        if isinstance(tokens, list):
            extra += tokens
    seen = [text_of(token) for token in extra]
    for number, usual in (("1", "<ent>"), ("2", "<ent2>")):
        token = builder.take(f"entity_{number}_token", usual)
        token = builder.take(f"entity_token_{number}", token)
        if isinstance(token, str):
            token = SlowToken(mark + token)
        elif not isinstance(token, SlowToken):
            raise builder.settings.error(f"entity_token_{number}", "a token", token)
        if token.content not in seen:
            extra.append(token)
            seen.append(token.content)
        values[f"entity_{number}_token"] = token.content
    for name, content in (
        ("unk", "[UNK]"),
        ("pad", "[PAD]"),
        ("mask", "[MASK]"),
        ("mask2", "[MASK2]"),
    ):
        values[f"entity_{name}_token"] = content
        if listed and content not in seen:
            extra.append(SlowToken(content, True, False))
            seen.append(content)
    values["extra_special_tokens"] = extra


_DIGITS: Final[Stage] = {"type": "Digits", "individual_digits": True}
_NOUGAT_MARKS: Final = r"""[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*"""

_CLASSES: Final[dict[str, Callable[[SlowBuilder, dict[str, int], Merges], None]]] = {
    "WhisperTokenizer": _whisper,
    "OpenAIGPTTokenizer": _gpt1,
    "HerbertTokenizer": _herbert,
    "BlenderbotTokenizer": _blenderbot,
    "CodeGenTokenizer": _codegen,
    "GPTNeoXTokenizer": _neox,
    "DebertaTokenizer": _deberta,
    "LayoutLMv3Tokenizer": _layout,
    "CohereTokenizer": _cohere,
    "NougatTokenizer": _nougat,
    "MarkupLMTokenizer": _markup,
    "LukeTokenizer": _luke,
}

OTHER_PAIR_CLASSES: Final = tuple(_CLASSES)
"""The classes that are made here."""
