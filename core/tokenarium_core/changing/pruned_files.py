"""A tokenizer without some of its entries: changed in the file that its own library reads, and read back."""

from __future__ import annotations

import json
from typing import Any, Final

from mypy_extensions import i64

from tokenarium_core.changing.migrating import pieces_of
from tokenarium_core.changing.special_tokens import CHANGES, library_of
from tokenarium_core.details import Source
from tokenarium_core.encoding import Template
from tokenarium_core.errors import ArgumentError, FormatError
from tokenarium_core.formats import tokenarium_format
from tokenarium_core.formats.chat_part import keep_chat
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.llama_stages import as_before
from tokenarium_core.formats.sentencepiece import sentencepiece_format
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import VARINT, varint
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, UNKNOWN, UNUSED

_UNUSED_TYPE: Final = 5
_VOCAB_SIZE: Final = 4
_IDS: Final = {"unk_id": 40, "bos_id": 41, "eos_id": 42, "pad_id": 43}
"""The fields of SentencePiece's ``TrainerSpec`` that hold ids (``src/sentencepiece_model.proto``)."""


def without_entries(
    tokenizer: Tokenizer, gone: list[bool], keep_ids: bool
) -> tuple[Tokenizer, list[int]]:
    """Returns a tokenizer without the entries of which ``gone[id]`` is true, and the new ids by the old ones.

    It is -1 for an id that no longer has an entry. With ``keep_ids`` the others do not change, otherwise they
    are renumbered in the old order.

    Raises ArgumentError, with the reason, if the file of this tokenizer cannot represent that, or a remaining
    entry would no longer be reached as before.
    """
    library = library_of(tokenizer)
    ids = _new_ids(tokenizer, gone, keep_ids, library)
    if library == "tokenizers":
        pruned = _in_json(tokenizer, ids, keep_ids)
    elif library == "sentencepiece":
        pruned = _in_model(tokenizer, ids, keep_ids)
    else:
        pruned = _in_ranks(tokenizer, ids)
    _check(tokenizer, pruned, ids)
    pruned.source = Source(tokenizer.source.format, "")
    keep_chat(tokenizer, pruned)
    pruned.details += [detail for detail in tokenizer.details if detail.group == CHANGES]
    return pruned, ids


def has_entry(tokenizer: Tokenizer, id: i64) -> bool:
    """Returns whether an id has an entry, even one that no text produces."""
    vocabulary = tokenizer.vocabulary
    return i64(vocabulary.kinds[id]) != UNUSED or len(vocabulary.piece(id)) > 0


def _new_ids(tokenizer: Tokenizer, gone: list[bool], keep_ids: bool, library: str) -> list[int]:
    ids: list[int] = []
    following = 0
    ids_are_positions = library == "sentencepiece" or isinstance(tokenizer.model, Unigram)
    for id in range(len(tokenizer.vocabulary)):
        # Where ids are places, an entry that is empty is one of the file all the same.
        if gone[id] or not (ids_are_positions or has_entry(tokenizer, id)):
            ids.append(-1)
        else:
            ids.append(id if keep_ids else following)
            following += 1
    return ids


def _in_ranks(tokenizer: Tokenizer, ids: list[int]) -> Tokenizer:
    content = tokenarium_format.content_of_tokenizer(tokenizer)
    texts: list[str | None] = content["pieces"]
    count = max(ids) + 1
    pieces: list[str | None] = [None] * count
    remaining: set[str] = set()
    for id, text in enumerate(texts):
        if ids[id] >= 0 and text is not None:
            pieces[ids[id]] = text
            remaining.add(text)
    special = tokenizer.special_tokens
    while pieces and pieces[-1] is None:
        pieces.pop()  # the ids of special tokens behind them
    content["pieces"] = pieces
    content["special_tokens"] = {name: ids[id] for name, id in special.items()}
    if content["merges"] is not None:
        content["merges"] = [merge for merge in content["merges"] if _stays(merge, remaining)]
    pruned = tokenarium_format.tokenizer_of_content(content, tokenizer.name)
    tokenarium_format.keep_decoder(tokenizer, pruned)
    template = tokenizer.template
    if template is not None:
        pruned.template = Template(
            template.name,
            [ids[id] for id in template.before],
            [ids[id] for id in template.after],
        )
        pruned.template.once = template.once
    pruned.details = [detail for detail in tokenizer.details if detail.group != CHANGES]
    return pruned


def _stays(merge: str, kept: set[str]) -> bool:
    left, _, right = merge.partition(" ")
    return left in kept and right in kept and left + right in kept


def _in_model(tokenizer: Tokenizer, ids: list[int], keep_ids: bool) -> Tokenizer:
    source = tokenizer.name
    content = sentencepiece_format.model_content(tokenizer.vocabulary, tokenizer.stored)
    pieces, trainer, _ = sentencepiece_format.raw_pieces(content, source)
    remaining: list[tuple[str, float, int]] = []
    for id, piece in enumerate(pieces):
        if ids[id] >= 0:
            remaining.append(piece)
        elif keep_ids:
            remaining.append((f"<removed_{id}>", 0.0, _UNUSED_TYPE))
    stored = dict(tokenizer.stored)
    stored["trainer_spec"] += _number(_VOCAB_SIZE, len(remaining))
    for name, field in _IDS.items():
        id = getattr(trainer, name)
        if (
            0 <= id < len(ids) and ids[id] >= 0
        ):  # of a field that occurs twice, protobuf takes the last
            stored["trainer_spec"] += _number(field, ids[id])
    content = sentencepiece_format.content_of_pieces(remaining, stored)
    return sentencepiece_format.read_sentencepiece(content, source, tokenizer.name)


def _number(field: int, value: int) -> bytes:
    return varint(field << 3 | VARINT) + varint(value)


def _in_json(tokenizer: Tokenizer, ids: list[int], keep_ids: bool) -> Tokenizer:
    file = hf_format.file_of(tokenizer)
    model = file["model"]
    vocab = model["vocab"]
    scores: list[float] | None = None
    if isinstance(tokenizer.model, Unigram):
        if keep_ids:
            raise ArgumentError(
                f"{tokenizer.name} cannot keep its ids: in its tokenizer.json the ids are the positions of the"
                " pieces."
            )
        old = list(tokenizer.vocabulary.scores)
        model["vocab"] = [row for id, row in enumerate(vocab) if ids[id] >= 0]
        scores = [old[id] for id in range(len(old)) if ids[id] >= 0]
        if model.get("unk_id") is not None:
            model["unk_id"] = ids[model["unk_id"]]
    else:
        foreign = [token for token in file["added_tokens"] if token["content"] not in vocab]
        if keep_ids and foreign:
            raise ArgumentError(
                f"{tokenizer.name} cannot keep its ids: tokenizers gives {foreign[0]['content']!r} the id that follows"
                " the number of entries."
            )
        if "merges" in model:
            model["merges"] = _merges_left(tokenizer, model["merges"], vocab, ids)
        model["vocab"] = {text: ids[id] for text, id in vocab.items() if ids[id] >= 0}
    for token in file["added_tokens"]:
        if 0 <= token["id"] < len(ids):
            token["id"] = ids[token["id"]]
    file["post_processor"] = _renumbered(file["post_processor"], ids)
    padding = file["padding"]
    if isinstance(padding, dict) and 0 <= padding.get("pad_id", -1) < len(ids):
        padding["pad_id"] = max(ids[padding["pad_id"]], 0)
    text = json.dumps(file, ensure_ascii=False).encode()
    try:
        return as_before(tokenizer, hf_format.read_huggingface(text, tokenizer.name, scores=scores))
    except FormatError as error:
        raise ArgumentError(
            f"The file of {tokenizer.name} cannot hold this change: {error}"
        ) from error


def _merges_left(
    tokenizer: Tokenizer, merges: list[list[str]], vocab: dict[str, int], ids: list[int]
) -> list[list[str]]:
    left: list[list[str]] = []
    for first, second in merges:
        one = vocab[first]
        other = vocab[second]
        if ids[one] >= 0 and ids[other] >= 0 and ids[tokenizer.model.merged(one, other)] >= 0:
            left.append([first, second])
    return left


def _renumbered(value: Any, ids: list[int]) -> Any:
    """Returns a post-processor with the new ids: ``"ids": [101]`` of a template, ``"sep": ["[SEP]", 102]`` of BERT's."""
    if isinstance(value, list):
        return [_renumbered(field, ids) for field in value]
    if not isinstance(value, dict):
        return value
    renumbered: dict[str, Any] = {}
    for name, field in value.items():
        if name == "ids" and isinstance(field, list):
            renumbered[name] = [ids[id] for id in field]
        elif name in ("sep", "cls") and isinstance(field, list):
            renumbered[name] = [field[0], ids[field[1]]]
        else:
            renumbered[name] = _renumbered(field, ids)
    return renumbered


def _check(old: Tokenizer, new: Tokenizer, ids: list[int]) -> None:
    """Raises ArgumentError if a remaining entry has the wrong id, or is tokenized differently."""
    for name, id in old.special_tokens.items():
        if new.special_tokens.get(name) != ids[id]:
            raise ArgumentError(
                f"Without these entries, {name!r} would lose its id {ids[id]}: {old.name} has gaps between its ids,"
                " and cannot be pruned."
            )
    unknown = _byte_ids(old)
    byte_ids = _byte_ids(new)
    for id, new_id in enumerate(ids):
        if new_id < 0:
            continue
        piece = old.vocabulary.piece(id)
        kind: i64 = i64(old.vocabulary.kinds[id])
        if new_id >= len(new.vocabulary) or new.vocabulary.piece(new_id) != piece:
            raise ArgumentError(
                f"Without these entries, the id {id} would stand for another entry: {old.name} cannot be pruned in"
                " this way."
            )
        if not piece or kind == UNKNOWN or kind == BYTE:
            continue
        before = pieces_of(old, piece, unknown)
        if before and min([ids[old_id] for old_id in before]) >= 0:
            after = pieces_of(new, piece, byte_ids)
            if after != [ids[old_id] for old_id in before]:
                raise ArgumentError(
                    f"Without these entries, {old.vocabulary.surface(id)!r} would be split differently, although all"
                    f" of its own entries stay: the order of the merges in {old.name} does not allow this."
                )


def _byte_ids(tokenizer: Tokenizer) -> dict[int, int]:
    vocabulary = tokenizer.vocabulary
    ids: dict[int, int] = {}
    for id in range(len(vocabulary)):
        if i64(vocabulary.kinds[id]) == BYTE and len(vocabulary.piece(id)) == 1:
            ids.setdefault(vocabulary.piece(id)[0], id)
    return ids
