"""Writing Hugging Face's ``tokenizer.json``: the stages, the vocabulary and the merges.

The stages of a tokenizer that was read from such a file are written as they stood there (`Tokenizer.stored`); those of
any other are put together by `hf_stages_writer`. Source: huggingface/tokenizers, ``tokenizer/serialization.rs``.
"""

from __future__ import annotations

import json
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.formats.byte_level import ordered_merges
from tokenarium_core.formats.hf.hf_format import FIELDS, FOREIGN
from tokenarium_core.formats.hf.hf_stages_writer import obstacle as obstacle_to_stages
from tokenarium_core.formats.hf.hf_stages_writer import stages_of
from tokenarium_core.formats.serde_float import serde_text
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE, BYTE_ALPHABET, NORMAL, UNUSED

_NO_VOCAB: Final = '"vocab": []'
_ORDER: Final = (
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
)


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    return "" if FIELDS in tokenizer.stored else obstacle_to_stages(tokenizer)


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the one file."""
    foreign: set[int] = set()
    contents: dict[int, str] = {}
    if FIELDS in tokenizer.stored:
        fields: dict[str, Any] = json.loads(tokenizer.stored[FIELDS])
        foreign = set(json.loads(tokenizer.stored[FOREIGN]))
        contents = {token.id: token.content for token in tokenizer.added_tokens.tokens}
    else:
        fields = stages_of(tokenizer)
    surfaces = _surfaces(tokenizer, foreign, contents)
    model = {**fields["model"], **_pieces(tokenizer.model, surfaces)}
    file = {name: fields.get(name) for name in _ORDER}
    file["version"] = "1.0"
    file["added_tokens"] = fields.get("added_tokens") or []
    file["model"] = model
    text = json.dumps(file, ensure_ascii=False, indent=1)
    if isinstance(tokenizer.model, Unigram):
        before, _, behind = text.rpartition(_NO_VOCAB)
        text = f'{before}"vocab": {_scored(surfaces, tokenizer.vocabulary.scores)}{behind}'
    return {f"{stem}.json": text.encode()}


def _surfaces(tokenizer: Tokenizer, foreign: set[int], contents: dict[int, str]) -> dict[int, str]:
    """Returns the entries of the model as the file spells them, by id.

    ``foreign`` are ids that the model does not have, ``contents`` the added tokens that are spelled as they are.
    """
    vocabulary = tokenizer.vocabulary
    # The file spells bytes in GPT-2's alphabet, also where the pieces came from one that spells them otherwise.
    on_bytes = isinstance(tokenizer.model, BytePairEncoder) and vocabulary.spelling != BYTE_ALPHABET
    surfaces: dict[int, str] = {}
    for token in range(len(vocabulary)):
        if token in foreign:
            continue
        kind: i64 = i64(vocabulary.kinds[token])
        if token in contents:
            surfaces[token] = contents[token]
        elif on_bytes and (kind == NORMAL or kind == BYTE):
            surfaces[token] = byte_alphabet.to_text(vocabulary.piece(token))
        elif kind != UNUSED or len(vocabulary.piece(token)):
            surfaces[token] = vocabulary.surface(token)
    return surfaces


def _pieces(model: Model, surfaces: dict[int, str]) -> dict[str, Any]:
    """Returns the large fields of the model: ``vocab``, and ``merges`` where there are any."""
    if isinstance(model, Unigram):
        return {"vocab": []}  # see `_scored`
    vocab = {surface: token for token, surface in surfaces.items()}
    if isinstance(model, BytePairEncoder):
        pairs = ordered_merges(model)
    elif isinstance(model, CharacterBpe):
        table = model.merges.table
        pairs = [
            (int(i64(table.lefts[rank])), int(i64(table.rights[rank])))
            for rank in range(len(table))
            if i64(table.results[rank]) >= 0
        ]
    else:
        return {"vocab": vocab}
    return {"vocab": vocab, "merges": [[surfaces[left], surfaces[right]] for left, right in pairs]}


def _scored(surfaces: dict[int, str], scores: vec[float]) -> str:
    """Returns the field ``vocab`` of Unigram as JSON, with scores that its reader takes for the same numbers."""
    rows = [
        f"   [\n    {json.dumps(surface, ensure_ascii=False)},\n    {serde_text(scores[token])}\n   ]"
        for token, surface in surfaces.items()
    ]
    return "[\n" + ",\n".join(rows) + "\n  ]"
