"""Classes of transformers 5 in Python whose tokens are characters: VITS for speech, and MGP-STR for words in pictures.

VITS changes the whole text before it searches for special tokens: capitals that are no entries become small letters, and
other characters that are no entries are removed. The entry with the id 0, the blank, is then put between all
characters. Its special tokens are usually one character, which gets no blank. Decoded texts have the blanks.

Sources: ``models/vits/tokenization_vits.py`` and ``models/mgp_str/tokenization_mgp_str.py``.
"""

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
from tokenarium_core.formats.hf.hf_slow_named import named_fields
from tokenarium_core.formats.hf.hf_slow_settings import text_of

VITS: Final = "VitsTokenizer"

CHARACTER_CLASSES: Final = (VITS, "MgpstrTokenizer")
"""The classes that are made here, of a ``vocab.json``."""

_EACH: Final = r"[\s\S]"


def of_characters(builder: SlowBuilder, kind: str, vocabulary: dict[str, int]) -> dict[str, Any]:
    """Returns the `tokenizer.json` of a class.

    Raises FormatError for settings that the class refuses, or that cannot run exactly as in it.
    """
    if not vocabulary:
        raise FormatError("vocab.json has no entries.")
    usual = "<unk>" if kind == VITS else "[GO]"
    unknown = text_of(builder.token("unk_token", usual))
    if kind == VITS:
        builder.token("pad_token", "<pad>")
    else:
        builder.tokens(bos_token="[GO]", eos_token="[s]", pad_token="[GO]")
    if kind != VITS and unknown not in vocabulary:
        raise FormatError(f"vocab.json has no entry {unknown!r}, the unknown token of {kind}.")
    builder.vocabulary = vocabulary
    entry = unknown if unknown in vocabulary else next(iter(vocabulary))  # VITS needs none
    builder.model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": entry}
    parts = _vits(builder, vocabulary) if kind == VITS else _EACH
    builder.pre_tokenizer = {
        "type": "Split",
        "pattern": {"Regex": parts},
        "behavior": "Isolated",
        "invert": False,
    }
    builder.finish()
    builder.template([(TEXT, 0)], [(TEXT, 0), (SECOND, 0)])
    fields = named_fields(builder, kind)
    if kind == VITS:
        _insert_blanks(builder, fields, vocabulary)
    return fields


def _vits(builder: SlowBuilder, vocabulary: dict[str, int]) -> str:
    """Sets what VITS does to a text; returns the pattern of its tokens."""
    settings = builder.settings
    if builder.flag("phonemize", True):
        raise settings.not_run("phonemize", "writes a text as sounds, with the package phonemizer")
    if builder.flag("is_uroman", False):
        raise settings.not_run(
            "is_uroman", "writes a text in Latin letters, with the package uroman"
        )
    if not builder.flag("normalize", True):
        raise settings.not_run("normalize", "keeps characters that are no entries")
    cased = [entry for entry in vocabulary if entry.lower() != entry]
    if cased:
        raise FormatError(
            f"vocab.json has the entry {cased[0]!r:.40}, and VitsTokenizer makes small letters only of what is no entry:"
            " this program reads vocabularies of small letters."
        )
    steps: list[Stage] = [{"type": "Lowercase"}]
    if builder.take("language", None) == "ron":
        steps.append(replace("ț", "ţ"))
    characters = "".join([rf"\x{{{ord(entry):X}}}" for entry in vocabulary if len(entry) == 1])
    steps.append(replace(f"[^{characters}]" if characters else _EACH, "", True))
    steps.append({"type": "Strip", "strip_left": True, "strip_right": True})
    builder.normalizer = sequence("normalizers", steps)
    builder.decoder = {"type": "Fuse"}
    return _EACH


def _insert_blanks(
    builder: SlowBuilder, fields: dict[str, Any], vocabulary: dict[str, int]
) -> None:
    """Puts the blank around each character, but for special tokens; no other special token is left in a text."""
    special = [token["content"] for token in fields["added_tokens"]]
    for token in fields["added_tokens"]:
        vocabulary.setdefault(token["content"], token["id"])
    fields["added_tokens"] = []
    if not builder.flag("add_blank", True):
        return
    blanks = [entry for entry, id in vocabulary.items() if id == 0]
    if not blanks or len(blanks[0]) != 1:
        raise FormatError(
            "vocab.json has no entry of one character with the id 0, which is the blank."
        )
    singles = "".join([rf"\x{{{ord(token):X}}}" for token in special if len(token) == 1])
    other = f"[^{singles}]" if singles else _EACH
    end = rf"(?=[{singles}]|\z)" if singles else r"\z"
    steps: list[Stage] = fields["normalizer"]["normalizers"]
    steps.append(replace(f"(?={other})|(?<={other}){end}", blanks[0], True))
