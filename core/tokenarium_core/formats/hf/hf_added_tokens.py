"""The field ``added_tokens`` of a `tokenizer.json`.

The ids are given as the reference gives them (``add_tokens`` in huggingface/tokenizers'
``tokenizer/added_vocabulary.rs``): a token that the model knows has the model's id; the others are counted on from the
number of the model's entries. The ids that the file names are only compared.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.normalized_text import check_room, room_for
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import MAX_IDS

_OPTIONS: Final = ("special", "normalized", "lstrip", "rstrip", "single_word")


@final
class _Reading:
    """The tokens so far; the last one with some content has a say."""

    def __init__(self, entries: HfVocabulary, count: int, source: str) -> None:
        self.entries = entries
        self.source = source
        self.tokens: dict[str, AddedToken] = {}
        self.following = count  # the id of the next new one; gaps are not counted
        self.details: list[Detail] = []

    def add(self, fields: Fields) -> None:
        content = fields.text("content")
        named = fields.number("id")
        options = [fields.flag(name) for name in _OPTIONS]
        fields.finish()
        if not content:
            return
        known = self.tokens.get(content)
        id = known.id if known is not None else self.entries.find(content)
        if id < 0:
            id = self.following
            self.following += 1
            if id < self.entries.size and self.entries.numbers[id] >= 0:
                number: i64 = i64(self.entries.numbers[id])
                raise FormatError(
                    f"{self.source}: {fields.path}, {content!r}, would get the id {id}, which"
                    f" {self.entries.table.text(number)!r} has already: the ids of model.vocab have gaps."
                )
            if id >= MAX_IDS:
                raise FormatError(
                    f"{self.source}: {fields.path} would get the id {id}, which is out of range."
                )
        if id != named:
            self.details.append(
                Detail(
                    "added tokens",
                    content,
                    f"the file names the id {named}, the tokenizer gives {id}",
                )
            )
        special, normalized, lstrip, rstrip, single_word = options
        # A token that was special once stays so.
        special = special or (known is not None and known.special)
        self.tokens[content] = AddedToken(
            content, id, special, normalized, lstrip, rstrip, single_word
        )


def spellings(
    tokens: list[AddedToken], normalizer: Normalizer | None, marked: bool, in_alphabet: bool
) -> dict[int, str]:
    """Returns the ids of tokens that the reference spells in their normalised form, with this form.

    ``marked``: a space in it stands for ``▁``; ``in_alphabet``: its bytes are spelled in GPT-2's alphabet.
    """
    spelled: dict[int, str] = {}
    size: i64 = 0
    made: i64 = 0
    if normalizer is not None or in_alphabet:
        for token in tokens:
            if token.normalized:
                form = padded(token.content)
                size += len(form)
                if normalizer is not None:
                    form = normalizer.normalize_plain(form)
                    made += len(form)
                    check_room(
                        f"The normalizer {normalizer.name} of added tokens", made, room_for(size)
                    )
                form = form[: len(form) - PADDING]
                text = byte_alphabet.to_text(form) if in_alphabet else form.decode()
                spelled[token.id] = text.replace(" ", "▁") if marked else text
    return spelled


def read_added_tokens(
    value: object, entries: HfVocabulary, source: str
) -> tuple[list[AddedToken], list[Detail]]:
    """Returns the added tokens, and what is to be told of their ids.

    Raises FormatError for one that is not whole, or whose id another piece has.
    """
    reading = _Reading(entries, entries.table.count, source)
    if value is not None:
        if not isinstance(value, list):
            raise FormatError(f"{source}: added_tokens is not a list.")
        for index, item in enumerate(value):
            reading.add(Fields(source, f"added_tokens[{index}]", item))
    return list(reading.tokens.values()), reading.details
