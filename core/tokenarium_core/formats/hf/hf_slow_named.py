"""Classes in Python for which a SentencePiece model cuts, and names give the ids; see `hf_slow_classes`.

For Marian, M2M100 and Speech2Text the ids are those of ``vocab.json``, for the others the model's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    SlowBuilder,
    Stage,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_settings import ATTRIBUTES, SlowToken, text_of

NAMED_FILES: Final = {
    "MarianTokenizer": "source.spm",
    "M2M100Tokenizer": "sentencepiece.bpe.model",
    "Speech2TextTokenizer": "sentencepiece.bpe.model",
    "SpeechT5Tokenizer": "spm_char.model",
    "BertGenerationTokenizer": "spiece.model",
    "GPTSw3Tokenizer": "spiece.model",
    "SiglipTokenizer": "spiece.model",
    "PLBartTokenizer": "sentencepiece.bpe.model",
    "BartphoTokenizer": "sentencepiece.bpe.model",
}
"""The classes that are made here, and the model that each cuts with."""

CODED: Final = ("MarianTokenizer",)
"""Those for which a text may begin with a language code, ``>>fra<<``."""

OWN_IDS: Final = (
    "SpeechT5Tokenizer",
    "BertGenerationTokenizer",
    "GPTSw3Tokenizer",
    "SiglipTokenizer",
    "PLBartTokenizer",
)
"""Those whose ids are the model's own, or follow from it."""

LISTED_IDS: Final = "BartphoTokenizer"
"""The class whose ids are those of a list, ``dict.txt``, after its special tokens."""

DICTIONARY: Final = "dict.txt"
"""The list."""

LAST_SIGMA: Final = r"(?<=[\p{Lu}\p{Ll}\p{Lt}\p{M}])Σ(?!\p{M}*[\p{Lu}\p{Ll}\p{Lt}])"
"""At the end of a word, where Python's ``lower`` writes ς."""

_BLANKS: Final = r"[\x{2002}\x{2003}\x{2005}\x{2008}\x{2009}\x{200A}\x{202F}\x{3000}\x{FFFC}]"
_UNPRINTED: Final = r"[\x{00}-\x{08}\x{0B}-\x{1F}\x{7F}-\x{A0}\x{AD}\x{200B}]"
"""What GPT-SW3 makes spaces of, and what it removes."""

MOST_SPACES: Final = 1 << 16
"""The most spaces that are removed from an end of a decoded text."""

_M2M100: Final = {
    "m2m100": (
        "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht "
        "hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps "
        "pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
    ),
    "wmt21": ("en ha is ja cs ru zh de"),
}
"""The languages by the setting language_codes."""


def of_names(
    builder: SlowBuilder, kind: str, entries: dict[str, int], has_bytes: bool, leading: int
) -> dict[str, Any]:
    """Makes a class of the entries of its vocab.json; returns the `tokenizer.json` with all but the model that cuts.

    ``has_bytes``: the model falls back to bytes; ``leading``: how many spaces it removes from a decoded text.

    Raises FormatError for settings that the class refuses, or that cannot run exactly as in it.
    """
    if builder.take("sp_model_kwargs", None):
        raise builder.settings.error("sp_model_kwargs", "empty", "a setting of the model")
    if kind == "MarianTokenizer":
        _marian(builder)
    elif kind == "PLBartTokenizer":
        entries = _plbart(builder, entries)
    elif kind == LISTED_IDS:
        entries = _bartpho(builder, entries)
    elif kind == "M2M100Tokenizer":
        _m2m100(builder, entries)
        entries = _with_languages(builder, entries)
    else:
        _CLASSES[kind](builder)
        if kind in OWN_IDS and builder.take("legacy", True) is not True:
            raise builder.settings.not_run("legacy", "begins each part of a text in its own way")
    strip: Stage = {"type": "Strip", "content": " ", "start": MOST_SPACES, "stop": MOST_SPACES}
    if kind == "GPTSw3Tokenizer":
        strip = {"type": "Strip", "content": " ", "start": leading, "stop": 0}
    joins_bytes = has_bytes and kind not in _SPELLED_BYTES
    bytes_stage: list[Stage] = [{"type": "ByteFallback"}] if joins_bytes else []
    steps = [replace("▁", " "), *bytes_stage, {"type": "Fuse"}, strip]
    if builder.flag("clean_up_tokenization_spaces", kind == "PLBartTokenizer"):
        steps += clean_up()
    with_entries(builder, kind, entries, steps)
    eos = builder.special.get("eos_token")
    if kind == LISTED_IDS:
        cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
        single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
        builder.template(single, [*single, (sep, 0), (SECOND, 0), (sep, 0)])
    elif kind == "PLBartTokenizer":
        after: list[tuple[object, int]] = [(eos, 0)]
        if builder.language:
            after.append((builder.language, 0))
        builder.template([(TEXT, 0), *after], [(TEXT, 0), (SECOND, 0), *after])
    elif kind == "SiglipTokenizer":
        builder.around([], [(eos, 0)])
    elif kind == "M2M100Tokenizer":
        _languages(builder, eos)
    elif kind in ("BertGenerationTokenizer", "GPTSw3Tokenizer"):
        builder.template([(TEXT, 0)], [(TEXT, 0), (SECOND, 0)])
    else:
        builder.template([(TEXT, 0), (eos, 0)], [(TEXT, 0), (SECOND, 0), (eos, 0)])
    return named_fields(builder, kind)


_SPELLED_BYTES: Final = (
    "SpeechT5Tokenizer",
    "BertGenerationTokenizer",
    "PLBartTokenizer",
    "BartphoTokenizer",
)
"""The classes that decode a byte to the name of its piece."""

_CLEANED: Final = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


def clean_up() -> list[Stage]:
    """Returns the stages that remove spaces before punctuation marks from a decoded text, as transformers does."""
    return [replace(text, text.strip()) for text in _CLEANED]


def with_entries(
    builder: SlowBuilder, kind: str, entries: dict[str, int], decoders: list[Stage]
) -> None:
    """Sets the entries with their ids, and the stages that decode them, and adds the tokens of the settings.

    Raises FormatError for a gap in the ids, and if the unknown token is no entry.
    """
    unknown = builder.values["unk_token"]
    ordered = sorted([(id, entry) for entry, id in entries.items()])
    for index, (id, entry) in enumerate(ordered):
        if id != index:
            raise FormatError(
                f"The vocabulary gives {entry!r} the id {id}, and {index} entries have lower ids: each id from 0 on must"
                " have exactly one entry."
            )
    token = text_of(unknown)
    if token not in entries:
        raise FormatError(f"The vocabulary has no entry {token!r}, the unknown token of {kind}.")
    builder.vocabulary = entries
    builder.model = {
        "type": "Unigram",
        "unk_id": entries[token],
        "byte_fallback": False,
        "vocab": [(entry, 0.0) for _, entry in ordered],
    }
    builder.decoder = sequence("decoders", decoders)
    builder.finish()


def named_fields(builder: SlowBuilder, kind: str) -> dict[str, Any]:
    """Returns all of it; FormatError for an added token with another id than the settings give it, or as a single word."""
    fields = builder.fields()
    for id, added in builder.settings.added.items():
        if builder.id_of(added) != id:
            raise FormatError(
                f"The settings give the token {added.content!r} the id {id}, for which the vocabulary has another entry."
                " Correct them."
            )
    for added_token in fields["added_tokens"]:
        if added_token["single_word"]:
            raise FormatError(
                f"The token {added_token['content']!r} is a single word by its settings, which {kind} treats in its"
                " own way. Set single_word to false."
            )
        added_token["normalized"] = False  # these classes search in the text as it is
    return fields


def _marian(builder: SlowBuilder) -> None:
    builder.tokens(unk_token="<unk>", eos_token="</s>", pad_token="<pad>")
    if builder.flag("separate_vocabs", False):
        raise builder.settings.not_run("separate_vocabs", "reads a vocabulary for each side")


def _speech2text(builder: SlowBuilder) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>")
    if builder.take("lang_codes", None) is not None:
        raise builder.settings.not_run("lang_codes", "puts a language before a text")


def _speecht5(builder: SlowBuilder) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    if builder.flag("normalize", False):
        raise builder.settings.not_run("normalize", "writes numbers as English words")


def _bert_generation(builder: SlowBuilder) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    builder.token("sep_token", "<::::>")


def _gpt_sw3(builder: SlowBuilder) -> None:
    for name, usual in (
        ("eos_token", "<|endoftext|>"),
        ("unk_token", "<unk>"),
        ("pad_token", "<pad>"),
        ("bos_token", "<s>"),
    ):
        if builder.take(name, None) is None:
            builder.values[name] = usual
        else:
            builder.values[name] = builder.settings.values[name]
    builder.normalizer = sequence(
        "normalizers",
        [replace(_UNPRINTED, "", True), replace(_BLANKS, " ", True), {"type": "NFC"}],
    )


def _siglip(builder: SlowBuilder) -> None:
    """Makes SigLIP's class, which reads small letters without ASCII punctuation marks."""
    for name, usual in (("eos_token", "</s>"), ("unk_token", "<unk>"), ("pad_token", "</s>")):
        token = builder.token(name, usual)
        if isinstance(token, str):
            builder.values[name] = SlowToken(token, True, False, True, True)
    lower = builder.flag("do_lower_case", True)
    steps: list[Stage] = [{"type": "Prepend", "prepend": "▁"}]  # see `named_tokenizer`
    if lower:
        steps += [replace(LAST_SIGMA, "ς", True), {"type": "Lowercase"}]
    steps += [
        replace(r"[!-/:-@\[-`{-~]", "", True),
        replace(r"[\s\x1c-\x1f]+", " ", True),
        {"type": "Strip", "strip_left": True, "strip_right": True},
    ]
    builder.normalizer = sequence("normalizers", steps)


def check_siglip(pieces: list[str], strips: bool) -> None:
    """Raises FormatError for a model of which the class itself would cut other pieces than sentencepiece does.

    The class cuts a text after the unknown token, and removes that token's pieces.
    """
    unknown = "▁<unk>"
    for piece in pieces:
        for size in range(1, len(piece)):
            if unknown.endswith(piece[:size]) and piece[size] != "▁":
                raise FormatError(
                    f"SiglipTokenizer puts “<unk>” before a text, and the model has the piece {piece!r:.60}, in which"
                    " its end and a text would come together. Open the model by itself."
                )
    if not strips:
        raise FormatError(
            "SiglipTokenizer is read only for models that remove extra spaces (remove_extra_whitespaces), as published"
            " ones do. Open the model by itself."
        )
    if ">" not in pieces:
        raise FormatError(
            "SiglipTokenizer puts “<unk>” before a text, and the model has no piece “>”: an unknown character after it"
            " would get no id. Open the model by itself."
        )


_PLBART: Final = ("__java__", "__python__", "__en_XX__")


def _plbart(builder: SlowBuilder, entries: dict[str, int]) -> dict[str, int]:
    """Makes PLBART's class; returns its entries: fairseq's special tokens, the pieces, and the languages."""
    if builder.take("language_codes", "base") != "base":
        needed = "gives the mask token the id of the unknown token"
        raise builder.settings.not_run("language_codes", needed)
    source = builder.take("src_lang", None)
    code = source if isinstance(source, str) else ""
    code = f"__{code}__" if f"__{code}__" in _PLBART else code
    if source is not None and code not in _PLBART:
        raise builder.settings.error("src_lang", "a language of the model", source)
    builder.language = code
    builder.tokens(bos_token="<s>", eos_token="</s>", unk_token="<unk>", sep_token="</s>")
    builder.tokens(cls_token="<s>", pad_token="<pad>", mask_token="<mask>")
    names = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    made = dict(names)
    for piece, id in entries.items():
        if id >= len(names) - 1:
            made[piece] = id + 1
    for name in (*_PLBART, "<mask>"):
        made[name] = len(made)
    if len(made) != len(entries) + len(names) + 1:
        raise FormatError(
            "The model has a piece with the name of a special token of PLBartTokenizer, whose id differs. Open the"
            " model by itself."
        )
    builder.values.setdefault("extra_special_tokens", list(_PLBART))
    _check_known(builder, made)
    return made


def _check_known(builder: SlowBuilder, entries: dict[str, int]) -> None:
    """Raises FormatError for a special token that is no entry: the class gives it the id of another, or leaves gaps."""
    values = builder.values
    extra = values.get("extra_special_tokens")
    named = [values.get(name) for name in ATTRIBUTES]
    for token in [*named, *(extra if isinstance(extra, list) else [])]:
        if token is not None and text_of(token) not in entries:
            raise FormatError(
                f"{builder.settings.kind} gives the token {text_of(token)!r:.60}, which is no entry, an id in its own way,"
                " which this program does not do. Remove it from the settings."
            )


def _bartpho(builder: SlowBuilder, listed: dict[str, int]) -> dict[str, int]:
    """Makes BARTpho's class; returns its entries: special tokens, those of the list, and the mask."""
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, lstrip=True)
    made: dict[str, int] = {}
    for name, usual in (
        ("bos_token", "<s>"),
        ("pad_token", "<pad>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
        ("sep_token", "</s>"),
        ("cls_token", "<s>"),
    ):
        made.setdefault(text_of(builder.token(name, usual)), len(made))
    for entry in listed:
        if entry in made:
            raise FormatError(f"{DICTIONARY} has the entry {entry!r:.60}, which already has an id.")
        made[entry] = len(made)
    made.setdefault(text_of(mask), len(made))
    _check_known(builder, made)
    return made


_CLASSES: Final[dict[str, Callable[[SlowBuilder], None]]] = {
    "SiglipTokenizer": _siglip,
    "Speech2TextTokenizer": _speech2text,
    "SpeechT5Tokenizer": _speecht5,
    "BertGenerationTokenizer": _bert_generation,
    "GPTSw3Tokenizer": _gpt_sw3,
}


def _m2m100(builder: SlowBuilder, entries: dict[str, int]) -> None:
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", pad_token="<pad>")
    builder.token("unk_token", "<unk>")
    kind = builder.take("language_codes", "m2m100")
    if not isinstance(kind, str) or kind not in _M2M100:
        raise builder.settings.error("language_codes", " or ".join(_M2M100), kind)
    codes = _M2M100[kind].split()
    source = builder.take("src_lang", None)
    source = "en" if source is None else source
    if not isinstance(source, str) or source not in codes:
        raise builder.settings.error("src_lang", "a language of the model", source)
    builder.language = source
    builder.languages = [f"__{code}__" for code in codes]


def _with_languages(builder: SlowBuilder, entries: dict[str, int]) -> dict[str, int]:
    """Returns the entries with the languages after them, whose ids the class takes for its own.

    transformers (5.23) makes special tokens of them only if the settings name them: it compares their names wrongly.
    """
    entries = dict(entries)
    count = len(entries)
    for token in builder.languages:
        if token in entries:
            raise FormatError(
                f"vocab.json has the language {token}, whose id must come after all entries of vocab.json."
                " Remove it there."
            )
        entries[token] = count
        count += 1
    return entries


def _languages(builder: SlowBuilder, eos: object) -> None:
    """Puts the language of the text before it. The ids of languages must not go to other tokens."""
    listed = builder.languages
    first = len(builder.vocabulary) - len(listed)
    known = {text_of(token) for token in builder.settings.added.values()}
    new: list[str] = []
    for token in [*builder.special.values(), *builder.extra]:
        text = "" if token is None else text_of(token)
        place = builder.vocabulary.get(text, first)
        if text and place >= first and text not in known and text not in new:
            new.append(text)
    if new != listed[: len(new)] and new[: len(listed)] != listed:
        raise FormatError(
            "The settings give the ids of the languages to other tokens: M2M100Tokenizer gives the first new one,"
            f" {new[0]!r}, the id of {listed[0]}. Name all languages before it in additional_special_tokens."
        )
    source = f"__{builder.language}__"
    builder.template(
        [(source, 0), (TEXT, 0), (eos, 0)], [(source, 0), (TEXT, 0), (SECOND, 0), (eos, 0)]
    )
