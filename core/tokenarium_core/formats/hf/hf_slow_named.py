"""Marian's and M2M100's classes: a SentencePiece model cuts, and vocab.json gives the ids; see `hf_slow_classes`."""

from __future__ import annotations

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
from tokenarium_core.formats.hf.hf_slow_settings import text_of

NAMED_FILES: Final = {"MarianTokenizer": "source.spm", "M2M100Tokenizer": "sentencepiece.bpe.model"}
"""The classes that are made here, and the model that each cuts with."""

CODED: Final = ("MarianTokenizer",)
"""Those for which a text may begin with a language code, ``>>fra<<``."""

_STRIPPED: Final = 1 << 16  # the most spaces at an end of a decoded text

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
    builder: SlowBuilder, kind: str, entries: dict[str, int], has_bytes: bool
) -> dict[str, Any]:
    """Makes a class of the entries of its vocab.json; returns the `tokenizer.json` with all but the model that cuts.

    ``has_bytes``: the model falls back to bytes.

    Raises FormatError for settings that the class refuses, or that cannot run exactly as in it.
    """
    if builder.take("sp_model_kwargs", None):
        raise builder.settings.error("sp_model_kwargs", "empty", "a setting of the model")
    if kind == "MarianTokenizer":
        _marian(builder)
    else:
        _m2m100(builder, entries)
        entries = _with_languages(builder, entries)
    strip: Stage = {"type": "Strip", "content": " ", "start": _STRIPPED, "stop": _STRIPPED}
    bytes_stage: list[Stage] = [{"type": "ByteFallback"}] if has_bytes else []
    steps = [replace("▁", " "), *bytes_stage, {"type": "Fuse"}, strip]
    with_entries(builder, kind, entries, steps)
    eos = builder.special.get("eos_token")
    if kind == "MarianTokenizer":
        builder.template([(TEXT, 0), (eos, 0)], [(TEXT, 0), (SECOND, 0), (eos, 0)])
    else:
        _languages(builder, eos)
    return named_fields(builder, kind)


def with_entries(
    builder: SlowBuilder, kind: str, entries: dict[str, int], decoders: list[Stage]
) -> None:
    """Sets the entries with their ids, and the stages that decode them, and adds the tokens of the settings.

    Raises FormatError for a gap in the ids, and if the unknown token is no entry.
    """
    unknown = builder.values["unk_token"]
    ordered = sorted([(id, entry) for entry, id in entries.items()])
    for place, (id, entry) in enumerate(ordered):
        if id != place:
            raise FormatError(
                f"The vocabulary gives {entry!r} the id {id}, and {place} entries have lower ids: each id from 0 on must"
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
        raise builder.settings.error(
            "separate_vocabs", "false: a vocabulary for each side is not read here", True
        )


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
