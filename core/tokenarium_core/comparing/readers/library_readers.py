"""The libraries that define formats, by version: tokenizers, sentencepiece, tiktoken and mistral-common."""

from __future__ import annotations

from typing import Final

from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderFile, ReaderRule

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
        (),
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
