"""The libraries that define formats, by version: tokenizers, sentencepiece, tiktoken and mistral-common."""

from __future__ import annotations

from typing import Final

from tokenarium_core.comparing.readers.earlier_unigram import EarlierUnigram
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderFile, ReaderRule
from tokenarium_core.models.lookup_models import UnitModel
from tokenarium_core.models.unigram.unigram import Unigram

_SUFFIXES: Final = ("", "v1", "v2", "v3", "v7", "v11", "v13", "v15")
"""What mistral-common takes after ``.model``: its versions, each perhaps with ``m1``."""


def _keep_content(draft: ReaderDraft) -> bool:
    """Lets added tokens decode to their own text, and not to the normalized one."""
    own = draft.file.tokenizer
    changed = [
        token
        for token in own.added_tokens.tokens
        if token.normalized and own.id_to_token(token.id) != token.content
    ]
    if not changed:
        return False
    draft.json()
    made = draft.made()
    for token in changed:
        made.vocabulary.spelled[token.id] = token.content
    draft.tokenizer = made
    draft.note = f"For example, {changed[0].content!r} is {own.id_to_token(changed[0].id)!r} in later versions."
    return True


def _earlier_unigram(draft: ReaderDraft) -> bool:
    """Encodes with a Unigram model as before sentencepiece 0.2.2."""
    model = draft.file.tokenizer.model
    if isinstance(model, UnitModel) and model.words:
        draft.unknown = "Word models of this version are not compared here."
        return True
    if not isinstance(model, Unigram):
        return False
    draft.encoder = EarlierUnigram(draft.file.tokenizer)
    return True


def _of_sentencepiece(file: ReaderFile) -> str:
    if file.main.suffix == ".model":
        return ""
    return "sentencepiece opens .model files."


def _of_mistral(file: ReaderFile) -> str:
    name = file.main.name
    if file.format == "tekken":
        if "tekken" in name and name.endswith(".json"):
            return ""
        return "mistral-common opens a tekken.json only if its name has “tekken” in it."
    stem, found, version = name.rpartition(".model")
    plain = version.removeprefix(".").removesuffix("m1")
    if found and stem and plain in _SUFFIXES:
        return ""
    return "mistral-common opens .model files, with their version after that ending."


LIBRARY_READERS: Final[tuple[Reader, ...]] = (
    Reader(
        "tokenizers",
        "0.22.2",
        ("huggingface",),
        (
            ReaderRule(
                "added-content",
                "Before 0.23, an added token that is matched in normalized text decodes to its own text; from 0.23 on, to its"
                " normalized text.",
                "Seen in tokenizers 0.22.2 and 0.23.3: Tokenizer.id_to_token and decode.",
                _keep_content,
            ),
        ),
        compared="2026-11-30",
        about="Tokenizer.from_file",
    ),
    Reader(
        "tokenizers",
        "0.23.3",
        ("huggingface",),
        compared="2026-11-30",
        about="Tokenizer.from_file",
    ),
    Reader(
        "sentencepiece",
        "0.2.1",
        ("sentencepiece",),
        (
            ReaderRule(
                "unigram-ties",
                "Before 0.2.2, other tokenizations win where several have the same sum of scores, as in a run of one character;"
                " and a user-defined piece scores -0.1, whatever its length.",
                "EncodeOptimized in src/unigram_model.cc of sentencepiece 0.2.1 and 0.2.3",
                _earlier_unigram,
            ),
        ),
        _of_sentencepiece,
        compared="2026-11-30",
        about="SentencePieceProcessor",
    ),
    Reader(
        "sentencepiece",
        "0.2.3",
        ("sentencepiece",),
        (),
        _of_sentencepiece,
        compared="2026-11-30",
        about="SentencePieceProcessor",
    ),
    Reader(
        "tiktoken",
        "0.14.0",
        ("tiktoken",),
        compared="2026-11-30",
        about="an Encoding of the file's ranks, with this pattern",
    ),
    Reader(
        "mistral-common",
        "1.13.1",
        ("tekken", "sentencepiece"),
        (),
        _of_mistral,
        compared="2026-11-30",
        about="MistralTokenizer.from_file",
    ),
)
"""These readers, in the order of tables."""
