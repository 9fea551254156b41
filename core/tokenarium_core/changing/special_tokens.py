"""Special tokens added, renamed and removed; every other id keeps its meaning.

The change is made in the file that the tokenizer's own library reads, and this file is read back. So the
new tokenizer behaves as in that library, and can be exported in the same formats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tokenarium_core.added_tokens import EMPTY_TOKEN
from tokenarium_core.arguments import id_of
from tokenarium_core.details import Detail, Source
from tokenarium_core.errors import ArgumentError, FormatError
from tokenarium_core.formats import tokenarium_format
from tokenarium_core.formats.chat_part import keep_chat
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.llama_stages import as_before
from tokenarium_core.formats.parts import FIELDS
from tokenarium_core.formats.sentencepiece import sentencepiece_format
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import packed
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

CHANGES: Final = "changes"
"""The group of the details that say what was changed, in the order of the changes."""

_RANKS: Final = "tiktoken"
_MODEL: Final = "sentencepiece"
_JSON: Final = "tokenizers"

_FORGERY: Final = {
    _RANKS: "In tiktoken it is plain text unless the caller allows it.",
    _MODEL: "SentencePiece never makes it from a text: the program that builds the prompt adds its id.",
    _JSON: "tokenizers recognizes it in every text: whoever writes the text can write the token too.",
}

_PIECE_FIELDS: Final = {"unk_piece": 45, "bos_piece": 46, "eos_piece": 47, "pad_piece": 48}
"""The fields of SentencePiece's ``TrainerSpec`` that name pieces (``src/sentencepiece_model.proto``)."""

_PIECE_NAMES: Final = {
    "unk_piece": "<unk>",
    "bos_piece": "<s>",
    "eos_piece": "</s>",
    "pad_piece": "<pad>",
}
_UNKNOWN_TYPE: Final = 2
_CONTROL_TYPE: Final = 3
_UNUSED_TYPE: Final = 5


def change_special_tokens(
    tokenizer: Tokenizer,
    add: Mapping[str, int | Any | None] | Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    remove: Sequence[str] = (),
) -> Tokenizer:
    """Returns a tokenizer with changed special tokens; `Tokenizer.details` in the group `CHANGES` list the changes.

    ``add``: the new tokens, with the id of each, or None for the next free one. ``rename``: new names by the old ones;
    the ids stay. ``remove``: tokens that are no longer recognized; their ids stay empty. Renaming comes first, then
    removing, then adding, so a name that becomes free can be used again.

    A text without any of these tokens gets the same ids as before. A tokenizer whose merges, scores or patterns none
    of the three kinds of files can represent (tiktoken's ranks, SentencePiece's ``.model``, ``tokenizer.json``) is
    refused.

    Raises ArgumentError, with the reason, for a token that does not exist or exists already, an id that is in use, and
    a change that the file of this tokenizer cannot represent.
    """
    added: dict[str, int | None] = {}
    if isinstance(add, Mapping):
        for name, id in add.items():
            added[name] = None if id is None else id_of(id)
    else:
        added = dict.fromkeys(add)
    renamed = dict(rename) if rename is not None else {}
    removed = list(dict.fromkeys(remove))
    changed_ids = _changed_ids(tokenizer, added, renamed, removed)
    library = library_of(tokenizer)
    if library == _JSON:
        changed = _in_json(tokenizer, added, renamed, removed)
    elif library == _MODEL:
        changed = _in_model(tokenizer, added, renamed, removed)
    else:
        changed = _in_ranks(tokenizer, added, renamed, removed)
    _check(tokenizer, changed, changed_ids)
    changed.source = Source(tokenizer.source.format, "")
    keep_chat(tokenizer, changed, renamed)
    old = [detail for detail in tokenizer.details if detail.group == CHANGES]
    changed.details += [
        *old,
        *[
            Detail(CHANGES, "renamed", f"{old_name} to {name}")
            for old_name, name in renamed.items()
        ],
        *[Detail(CHANGES, "removed", name) for name in removed],
        *[Detail(CHANGES, "added", f"{name} as {changed.special_tokens[name]}") for name in added],
    ]
    return changed


def library_of(tokenizer: Tokenizer) -> str:
    """Returns the library in whose file a change is made: "tiktoken", "sentencepiece" or "tokenizers".

    Raises ArgumentError if none of them can represent this tokenizer.
    """
    if FIELDS in tokenizer.stored:
        return _JSON
    if not sentencepiece_format.FORMAT.obstacle(tokenizer):
        return _MODEL
    if not tokenarium_format.obstacle_to_fields(tokenizer):
        return _RANKS
    obstacle = hf_format.FORMAT.obstacle(tokenizer)
    if obstacle:
        raise ArgumentError(f"{tokenizer.name} cannot be changed: {obstacle}")
    return _JSON


def forgery(tokenizer: Tokenizer, token: str) -> str:
    """Returns, as a sentence, whether plain text that contains a special token gets its id.

    Raises ArgumentError if there is no such special token.
    """
    id = tokenizer.special_tokens.get(token)
    if id is None:
        raise ArgumentError(f"{token!r} is not a special token of {tokenizer.name}.")
    if id in tokenizer.encode_ids(token):
        return "Plain text gets its id, even if no special token is allowed."
    try:
        return _FORGERY[library_of(tokenizer)]
    except ArgumentError:  # of a format that no such library reads
        return "Plain text does not get its id."


def _changed_ids(
    tokenizer: Tokenizer, added: dict[str, int | None], renamed: dict[str, str], removed: list[str]
) -> dict[str, int]:
    """Returns the resulting special tokens, except those to be added; checks all names."""
    ids_by_name = dict(tokenizer.special_tokens)
    for name in [*renamed, *removed]:
        if name not in ids_by_name:
            known = ", ".join(list(ids_by_name)[:8]) or "none"
            raise ArgumentError(
                f"{name!r} is not a special token of {tokenizer.name}. Its special tokens: {known}."
            )
    for name in removed:
        if name in renamed:
            raise ArgumentError(f"{name!r} cannot be both renamed and removed: choose one.")
    ids = {name: ids_by_name.pop(name) for name in [*renamed, *removed]}
    for name in [*renamed.values(), *added]:
        if not name:
            raise ArgumentError(EMPTY_TOKEN)
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ArgumentError(
                f"{name!r} is not Unicode text: it contains half of a surrogate pair."
            ) from None
    for old, name in renamed.items():
        if name in ids_by_name:
            raise ArgumentError(f"There is already a special token {name!r}.")
        ids_by_name[name] = ids[old]
    for name in added:
        if name in ids_by_name:
            raise ArgumentError(f"There is already a special token {name!r}.")
    return ids_by_name


def _check(old: Tokenizer, new: Tokenizer, changed_ids: dict[str, int]) -> None:
    """Raises ArgumentError if a special token has a different id, or an entry different bytes."""
    for name, id in changed_ids.items():
        if new.special_tokens.get(name) != id:
            raise ArgumentError(
                f"With this change, {name!r} would lose its id {id}: the ids of added tokens follow one another in"
                " this file. Rename the token that is not needed instead of removing it."
            )
    special = old.added_tokens.special_ids | new.added_tokens.special_ids
    for id in range(len(old.vocabulary)):
        if id not in special and old.vocabulary.piece(id) != new.vocabulary.piece(id):
            raise ArgumentError(
                f"With this change, the id {id} would stand for another entry: {old.name} cannot be changed in this"
                " way."
            )


# tiktoken's ranks, and every other byte-level BPE without stages of its own.


def _in_ranks(
    tokenizer: Tokenizer, added: dict[str, int | None], renamed: dict[str, str], removed: list[str]
) -> Tokenizer:
    content = tokenarium_format.content_of_tokenizer(tokenizer)
    special = {
        renamed.get(name, name): id
        for name, id in tokenizer.special_tokens.items()
        if name not in removed
    }
    vocabulary = tokenizer.vocabulary
    following = len(vocabulary)
    for name, chosen in added.items():
        id = following if chosen is None else chosen
        if id < 0 or id >= MAX_IDS:
            raise ArgumentError(f"The id {id} of {name!r} is not between 0 and {MAX_IDS - 1:,}.")
        if id in special.values():
            other = next(detail for detail, taken in special.items() if taken == id)
            raise ArgumentError(f"The id {id} of {name!r} belongs to {other!r}.")
        if id < len(vocabulary) and content["pieces"][id] is not None:
            raise ArgumentError(
                f"The id {id} of {name!r} belongs to the entry {vocabulary.surface(id)!r}."
            )
        special[name] = id
        following = max(following, id + 1)
    content["special_tokens"] = special
    changed = tokenarium_format.tokenizer_of_content(content, tokenizer.name)
    tokenarium_format.keep_decoder(tokenizer, changed)
    changed.template = tokenizer.template
    changed.details = [detail for detail in tokenizer.details if detail.group != CHANGES]
    if tokenizer.template is not None:
        around = tokenizer.template.before + tokenizer.template.after
        for name in removed:
            if tokenizer.special_tokens[name] in around:
                raise ArgumentError(
                    f"{name!r} cannot be removed: the tokenizer puts it around each text. Rename it instead."
                )
    return changed


# SentencePiece.


def _in_model(
    tokenizer: Tokenizer, added: dict[str, int | None], renamed: dict[str, str], removed: list[str]
) -> Tokenizer:
    """The ids are the indices of the pieces: a removed one becomes an unused piece, a new one comes last."""
    source = tokenizer.name
    content = sentencepiece_format.model_content(tokenizer.vocabulary, tokenizer.stored)
    pieces, trainer, _ = sentencepiece_format.raw_pieces(content, source)
    names = {field: getattr(trainer, field) or usual for field, usual in _PIECE_NAMES.items()}
    indices = {text: index for index, (text, _, _) in enumerate(pieces)}
    stored = dict(tokenizer.stored)
    for name in [*renamed.values(), *added]:
        if name in indices and name not in renamed and name not in removed:
            raise ArgumentError(f"{name!r} is already the piece {indices[name]}.")
    for name in removed:
        index = indices[name]
        if pieces[index][2] == _UNKNOWN_TYPE or name in names.values():
            raise ArgumentError(
                f"{name!r} cannot be removed: SentencePiece names it in its settings. Rename it instead."
            )
        pieces[index] = (f"<removed_{index}>", 0.0, _UNUSED_TYPE)
    for name, new in renamed.items():
        _, score, kind = pieces[indices[name]]
        pieces[indices[name]] = (new, score, kind)
        for field, current in names.items():
            if current == name:  # of a field that occurs twice, protobuf takes the last
                stored["trainer_spec"] += packed(_PIECE_FIELDS[field], new.encode())
    for name, chosen in added.items():
        if chosen is not None and chosen != len(pieces):
            raise ArgumentError(
                f"{name!r} can only get the id {len(pieces)}: in SentencePiece the ids are the positions of the"
                " pieces."
            )
        pieces.append((name, 0.0, _CONTROL_TYPE))
    content = sentencepiece_format.content_of_pieces(pieces, stored)
    return sentencepiece_format.read_sentencepiece(content, source, tokenizer.name)


# Hugging Face's tokenizer.json.


def _in_json(
    tokenizer: Tokenizer, added: dict[str, int | None], renamed: dict[str, str], removed: list[str]
) -> Tokenizer:
    file = hf_format.file_of(tokenizer)
    vocab = file["model"]["vocab"]
    # The content names all places of a token but the list of added ones: templates, padding, the unknown token.
    around = [file["post_processor"], file["padding"], file["model"].get("unk_token")]
    for name in removed:
        if _names(around, name):
            raise ArgumentError(
                f"{name!r} cannot be removed: the file uses it around texts, as padding or as the unknown token."
                " Rename it instead."
            )
        if isinstance(tokenizer.model, Unigram) and any(row[0] == name for row in vocab):
            raise ArgumentError(
                f"{name!r} cannot be removed: the ids are the positions of the pieces. Rename it instead."
            )
    remaining = [token for token in file["added_tokens"] if token["content"] not in removed]
    for token in remaining:
        token["content"] = renamed.get(token["content"], token["content"])
    if isinstance(vocab, dict):
        for name in renamed.values():
            if name in vocab and name not in renamed:
                raise ArgumentError(f"{name!r} is already the entry {vocab[name]}.")
        vocab = {renamed.get(text, text): id for text, id in vocab.items() if text not in removed}
    else:
        vocab = [[renamed.get(text, text), score] for text, score in vocab]
    file["model"]["vocab"] = vocab
    file["post_processor"] = _renamed(file["post_processor"], renamed)
    file["padding"] = _renamed(file["padding"], renamed)
    if file["model"].get("unk_token") in renamed:
        file["model"]["unk_token"] = renamed[file["model"]["unk_token"]]
    following = len(tokenizer.vocabulary)
    for name, chosen in added.items():
        remaining.append(_added_token(name, following if chosen is None else chosen))
        following += 1
    file["added_tokens"] = remaining
    scores = list(tokenizer.vocabulary.scores) if isinstance(tokenizer.model, Unigram) else None
    text = json.dumps(file, ensure_ascii=False).encode()
    try:
        changed = as_before(
            tokenizer, hf_format.read_huggingface(text, tokenizer.name, scores=scores)
        )
    except FormatError as error:
        raise ArgumentError(
            f"The file of {tokenizer.name} cannot hold this change: {error} Rename tokens instead of removing them."
        ) from error
    for name, chosen in added.items():
        id = changed.special_tokens[name]
        if chosen is not None and chosen != id:
            raise ArgumentError(
                f"{name!r} can only get the id {id}: tokenizers gives added tokens the next ids."
            )
    guessed = [token for token in remaining if token["content"] in added]
    if any(token["id"] != changed.special_tokens[token["content"]] for token in guessed):
        for token in guessed:  # the file says the ids that are given
            token["id"] = changed.special_tokens[token["content"]]
        text = json.dumps(file, ensure_ascii=False).encode()
        changed = as_before(
            tokenizer, hf_format.read_huggingface(text, tokenizer.name, scores=scores)
        )
    return changed


def _added_token(content: str, id: int) -> dict[str, object]:
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, **options, "special": True}


def _names(value: object, name: str) -> bool:
    """Returns whether a JSON value contains a string, as a value or as the name of a field."""
    if isinstance(value, dict):
        return any(field == name or _names(item, name) for field, item in value.items())
    if isinstance(value, list):
        return any(_names(item, name) for item in value)
    return value == name


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Returns a JSON value with strings renamed, including names of fields."""
    if isinstance(value, dict):
        return {names.get(field, field): _renamed(item, names) for field, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value
