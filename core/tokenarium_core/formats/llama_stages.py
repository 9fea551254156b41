"""What copies of a tokenizer preserve of llama.cpp: the Unicode version of the patterns, and the order of added tokens.

Characters that are left out, since they are not entries, keep their neighbours from merging.

`Tokenizer.stored` records this under `LLAMA`. Copies in this program's own format have the same stages; files for other
libraries do not, and behave as in those libraries.
"""

from __future__ import annotations

from typing import Final

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import separated
from tokenarium_core.pretokenizers.older_unicode import (
    OlderPreTokenizer,
    OlderUnicode,
    older_splitter,
)
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.llama_codepoints_data import NEWER, UNICODE_VERSION

LLAMA: Final = "llama.cpp"
VERSION: Final = f"Unicode {UNICODE_VERSION}"
"""The only value."""

_OLDER: Final = OlderUnicode(NEWER)


def as_in_llama(made: Tokenizer, version: object = VERSION) -> Tokenizer:
    """Returns a tokenizer of the same parts whose patterns and added tokens are llama.cpp's.

    Raises FormatError for a Unicode version that this program does not have.
    """
    if version != VERSION:
        raise FormatError(
            f"The field '{LLAMA}' is {version!r}, and this program cuts as llama.cpp does with {VERSION!r}. A newer"
            " Tokenarium may read it."
        )
    splitter = made.splitter
    model = made.model
    if isinstance(model, CharacterBpe):
        model = separated(model)
    tokenizer = Tokenizer(
        made.name,
        model,
        made.pre_tokenizer
        if splitter is not None
        else OlderPreTokenizer(made.pre_tokenizer, _OLDER),
        AddedTokens(made.added_tokens.tokens, longest_first=True),
        made.normalizer,
        older_splitter(splitter, _OLDER) if splitter is not None else None,
        made.template,
        made.decoder,
        made.details,
    )
    tokenizer.stored = {**made.stored, LLAMA: VERSION.encode()}
    return tokenizer


def as_before(old: Tokenizer, new: Tokenizer) -> Tokenizer:
    """Returns a tokenizer made from another's file, with llama.cpp's stages if the other has them."""
    version = old.stored.get(LLAMA)
    return new if version is None else as_in_llama(new, version.decode())
