"""Reading GPT-2's pair of files: ``encoder.json`` (ids by piece) and ``vocab.bpe`` (merges by rank).

Pieces are written in GPT-2's alphabet, see `byte_alphabet`. Source: ``get_encoder`` in GPT-2's ``encoder.py``.
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Final

from mypy_extensions import i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.byte_level import (
    obstacle_to_bytes,
    obstacle_to_spelling,
    ordered_merges,
)
from tokenarium_core.formats.clip_format import read_clip
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.format import (
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.hf.hf_slow_builder import WORD_END, SlowBuilder
from tokenarium_core.formats.hf.hf_slow_classes import is_clip
from tokenarium_core.formats.hf.hf_slow_pairs import of_bytes_by_merges
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings, SlowToken
from tokenarium_core.formats.json_scanner import Pairs, whole_json
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder, encoder_of_merges
from tokenarium_core.models.bpe.merge_table import MergeTable, merges_of_list
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
)

OWN_NAMES: Final = ("encoder.json", "vocab.bpe")
"""The names of the two files as GPT-2 has them, and as this program writes them."""

ENCODER_HASH: Final = "- encoder.json has the SHA-256 "
"""The text before the hash of ``encoder.json`` in the first line of a ``vocab.bpe`` that this program wrote."""


_ENOUGH: Final = 4  # entries that are looked at

MOST_UNMADE: Final = 0.01
"""The share of entries that are neither made by a merge nor special tokens, up to which the two files belong together."""


def read_gpt2(
    encoder: bytes,
    merges: bytes,
    name: str,
    pre_tokenizer: PreTokenizer,
    special_tokens: dict[str, int],
    names: tuple[str, str] = OWN_NAMES,
    lossy: bool = False,
) -> Tokenizer:
    """Returns the tokenizer of the content of ``encoder.json`` and ``vocab.bpe``, or of files with other ``names``.

    An entry that no merge makes is a special token if it looks like one (``<|endoftext|>``), otherwise one that no text
    produces (RoBERTa's ``madeupword0000``); there are few
    of those. With ``lossy``, bytes may have no entry, as where the library tokenizers trained the pair without its
    initial alphabet: such bytes of a text then give no id. Raises FormatError, with the line or the entry, for any other
    inconsistency.
    """
    entries_name, merges_name = names
    _check_pair(encoder, merges, names)
    ids = _ids(encoder, entries_name)
    pairs, before = _pairs(merges, merges_name)
    if any(text.endswith(WORD_END) and len(text) > len(WORD_END) for text in ids):
        if is_clip(ids):
            return read_clip(ids, pairs, name, f"{entries_name} with {merges_name}")
        raise FormatError(
            f"The entries of this pair mark the ends of words with {WORD_END}, as those of the first GPT and of HerBERT do, and"
            " the two files do not say how a text is split into words. Open the tokenizer.json of the model, or its folder with"
            " tokenizer_config.json."
        )
    merged = {left + right for left, right in pairs}
    special = dict(special_tokens)
    kinds: dict[str, int] = {}
    unmade: list[str] = []
    for text, token in ids.items():
        if len(text) == 1 and text in byte_alphabet.BYTES:
            kinds[text] = BYTE
        elif text in merged:
            kinds[text] = NORMAL
        elif len(text) > 2 and text[0] in "<[" and text[-1] in ">]":
            kinds[text] = CONTROL
            special[text] = token
        else:
            kinds[text] = NORMAL
            unmade.append(text)
    if len(unmade) > MOST_UNMADE * len(ids):
        raise FormatError(
            f"{entries_name} has the entry {unmade[0]!r}, which no merge in {merges_name} makes, and"
            f" {len(unmade) - 1:,} more: the two files do not belong together, or {merges_name} is cut off."
        )
    vocabulary = _vocabulary(ids, kinds, special)
    table = MergeTable(len(pairs))
    repeated = False
    for rank, (left, right) in enumerate(pairs):
        line = before + rank
        for part in (left, right, left + right):
            if part not in ids:
                raise FormatError(
                    f"Line {line} of {merges_name} merges {left!r} and {right!r}, but {entries_name} has no"
                    f" entry {part!r}."
                )
        if not table.set(rank, ids[left], ids[right], ids[left + right]):
            repeated = True  # its last rank counts
            table.note(rank, ids[left], ids[right], ids[left + right])
    missing = sum(character not in ids for character in byte_alphabet.CHARACTERS)
    if missing and lossy and pre_tokenizer.name == "gpt2":
        tokenizer = _dropping(ids, pairs, special, name)
        dropped = f"{missing} of 256: a text loses them, as in tokenizers and transformers"
        tokenizer.details.append(Detail("vocabulary", "bytes without an entry", dropped))
        return tokenizer
    if repeated:
        table = merges_of_list(table.lefts, table.rights, table.results).table
    return Tokenizer(name, encoder_of_merges(vocabulary, table), pre_tokenizer, of_special(special))


def _dropping(
    ids: dict[str, int], pairs: list[tuple[str, str]], special: dict[str, int], name: str
) -> Tokenizer:
    """Returns the tokenizer of entries without some bytes, which the model of a `tokenizer.json` drops."""
    builder = SlowBuilder(SlowSettings(None))
    of_bytes_by_merges(builder, {**ids, **special}, pairs)
    builder.add([SlowToken(text, True) for text in special])
    content = json.dumps(builder.fields(), ensure_ascii=False)
    return read_huggingface(content.encode("utf-8", "surrogatepass"), name)


def read_gpt2_merges(
    merges: bytes, name: str, pre_tokenizer: PreTokenizer, special_tokens: dict[str, int]
) -> Tokenizer:
    """Returns the tokenizer from ``vocab.bpe`` only, in a third of the time, for an ``encoder.json`` in the usual
    order: the bytes in the order of GPT-2's alphabet, then the results of the merges, then the special tokens.

    Raises
    FormatError, with the line, for a merge of parts that no earlier line makes, and for a duplicate.
    """
    characters = sorted(byte_alphabet.CHARACTERS)
    ids = {character: token for token, character in enumerate(characters)}
    pieces = [byte_alphabet.to_bytes(character) for character in characters]
    pairs, before = _pairs(merges, OWN_NAMES[1])
    by_id = _special_by_id(special_tokens, len(ids) + len(pairs))
    count = max([len(ids) + len(pairs), *[token + 1 for token in by_id]])
    arena = PieceArena(count)
    for piece in pieces:
        arena.add(piece, BYTE)
    table = MergeTable(len(pairs))
    for rank, (left, right) in enumerate(pairs):
        first = ids.get(left, -1)
        second = ids.get(right, -1)
        result = len(pieces)
        if first < 0 or second < 0 or ids.setdefault(left + right, result) != result:
            raise FormatError(
                f"Line {before + rank} of {OWN_NAMES[1]} merges {left!r} and {right!r}: earlier lines should make both of"
                " them, and no earlier line what they merge into."
            )
        piece = pieces[first] + pieces[second]
        pieces.append(piece)
        arena.add(piece, NORMAL)
        table.set(rank, first, second, result)
    for token in range(len(pieces), count):
        text = by_id.get(token)
        arena.add(text.encode() if text else b"", CONTROL if text else UNUSED)
    vocabulary = Vocabulary(arena, spelling=BYTE_ALPHABET)
    return Tokenizer(
        name, encoder_of_merges(vocabulary, table), pre_tokenizer, of_special(special_tokens)
    )


def _special_by_id(special_tokens: dict[str, int], entries: int) -> dict[int, str]:
    """Returns the special tokens by id, of two with the same id the first; FormatError for an id already in use."""
    by_id: dict[int, str] = {}
    for text, token in special_tokens.items():
        if not entries <= token < MAX_IDS:
            raise FormatError(
                f"The special token {text!r} has the id {token}: those from {entries} to {MAX_IDS - 1} are free."
            )
        by_id.setdefault(token, text)
    return by_id


def _check_pair(encoder: bytes, merges: bytes, names: tuple[str, str]) -> None:
    """Raises FormatError if the merges name another ``encoder.json``; only merges written by this program name one."""
    _, separator, digest = merges.partition(b"\n")[0].partition(ENCODER_HASH.encode())
    if separator and digest.strip() != hashlib.sha256(encoder).hexdigest().encode():
        raise FormatError(
            f"{names[1]} belongs to a different {names[0]} than the one beside it: one of the two was replaced without the"
            " other. Save the tokenizer again."
        )


def _ids(encoder: bytes, name: str) -> dict[str, int]:
    # Called for each object, with its pairs in order: a second key would hide the first.
    ids = whole_json(encoder, name, partial(_unique, name))
    if not isinstance(ids, dict) or not ids:
        raise FormatError(f"{name} is not an object of entries and their ids.")
    for text, token in ids.items():
        if type(token) is not int or not 0 <= token < MAX_IDS:
            raise FormatError(
                f"{name} gives {text!r} the id {token!r}, which is not a whole number from 0 to {MAX_IDS - 1}."
            )
    return ids


def _unique(name: str, pairs: Pairs) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        seen: set[str] = set()
        for text, _ in pairs:
            if text in seen:
                raise FormatError(f"{name} has the entry {text!r} twice.")
            seen.add(text)
    return entries


def _pairs(merges: bytes, name: str) -> tuple[list[tuple[str, str]], int]:
    """Returns the merges by rank, and the number of the first one's line: files from other programs may have no header."""
    try:
        lines = merges.decode().split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name} is not UTF-8 at byte {error.start}.") from error
    if lines[-1] == "":
        lines.pop()
    first = 1 if lines and lines[0].startswith("#version") else 0
    pairs: list[tuple[str, str]] = []
    for number in range(first, len(lines)):
        parts = lines[number].split(" ")
        if len(parts) != 2 or not parts[0] or not parts[1]:
            raise FormatError(f"Line {number + 1} of {name} is {lines[number]!r}, not two entries.")
        pairs.append((parts[0], parts[1]))
    return pairs, first + 1


def _vocabulary(ids: dict[str, int], kinds: dict[str, int], special: dict[str, int]) -> Vocabulary:
    by_id: dict[int, str] = {}
    for text, token in [*ids.items(), *special.items()]:
        other = by_id.setdefault(token, text)
        if other != text and not (text in special and other in special):
            raise FormatError(f"The id {token} belongs to both {other!r} and {text!r}.")
    count = max(by_id) + 1
    if count > 2 * len(by_id) + 65536:
        raise FormatError(
            f"The id {count - 1} of {by_id[count - 1]!r} is far above the number of entries, {len(by_id):,}."
        )
    pieces = PieceArena(count)
    for token in range(count):
        entry = by_id.get(token)
        if entry is None:
            pieces.add(b"", UNUSED)
        elif entry in special:
            pieces.add(entry.encode(), CONTROL)
        else:
            try:
                pieces.add(byte_alphabet.to_bytes(entry), kinds[entry])
            except KeyError as error:
                raise FormatError(
                    f"The entry {entry!r} has the character {error.args[0]!r}, which is not in GPT-2's alphabet."
                ) from error
    return Vocabulary(pieces, spelling=BYTE_ALPHABET)


_HEAD: Final = f"#version: 0.2 {ENCODER_HASH}"


def _obstacle(tokenizer: Tokenizer) -> str:
    reason = obstacle_to_bytes(tokenizer)
    if reason:
        return reason
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    if tokenizer.pre_tokenizer.name != "gpt2":
        return "The pair has no pattern: programs that read it split a text as GPT-2 does, and this tokenizer splits it differently."
    if model.whole_pieces:
        return "The pair lists merges, and this tokenizer also matches whole words that no merges make."
    for token in tokenizer.special_tokens:
        if len(token) < 3 or token[0] not in "<[" or token[-1] not in ">]":
            return f"In the pair, a special token is recognized by its brackets, and {token!r} has none."
    results = set(model.merges.results)
    vocabulary = model.vocabulary
    for entry in range(len(vocabulary)):
        if i64(vocabulary.kinds[entry]) == NORMAL and entry not in results:
            return f"Every entry of the pair is made by a merge, and {vocabulary.piece(entry)!r} is not."
    return obstacle_to_spelling(tokenizer)


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    """Returns the two files, whose names are always the same."""
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    vocabulary = model.vocabulary
    texts: dict[int, str] = {}
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == NORMAL or kind == BYTE:
            texts[token] = byte_alphabet.to_text(vocabulary.piece(token))
    ids = {text: token for token, text in texts.items()}
    ids.update(tokenizer.special_tokens)
    merges = [f"{texts[left]} {texts[right]}" for left, right in ordered_merges(model)]
    encoder = json.dumps(ids).encode()
    head = f"{_HEAD}{hashlib.sha256(encoder).hexdigest()}"
    return {"encoder.json": encoder, "vocab.bpe": "\n".join([head, *merges, ""]).encode()}


def _recognized(head: FileHead) -> int:
    """A JSON object of numbers may map entries to ids, a text file may contain merges; two such files are a pair."""
    if head.is_object:
        enough = len(head.fields) >= _ENOUGH or (head.complete and bool(head.fields))
        numbers = enough and all(value.isdigit() for value in head.fields.values())
        # Whisper's begins with an entry of no bytes.
        return LIKELY if numbers and next(iter(head.fields)) not in ("version", "type") else NO
    return LIKELY if head.start.startswith(b"#version") else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    pair = FORMAT.pair_of(file.path)
    if pair is None:
        raise FormatError(
            f"{file.path.name} may be one of the two files of GPT-2's tokenizer, which are recognized by their names: name them"
            f" {' or '.join([f'{first} and {second}' for first, second in PAIRS])}."
        )
    encoder, merges = file.files = list(pair)
    for needed, other in ((encoder, merges), (merges, encoder)):
        if not needed.is_file():
            raise NotAvailable(
                f"{other.name} needs {needed.name} beside it, but {needed} does not exist.{_instead(other, needed)}"
            )
    return read_gpt2(
        content_of(encoder),
        content_of(merges),
        file.name,
        cutting(file.pattern or "gpt2"),
        file.special_tokens,
        (encoder.name, merges.name),
        lossy=True,
    )


def _instead(there: Path, missing: Path) -> str:
    """Returns what a file without its other half may be, judging by the files next to it; empty if unknown."""
    if there.suffix == ".json":
        for name in _MODELS:
            if there.with_name(name).is_file():
                return (
                    f" With {name} beside it, it is not a vocabulary of merges but gives the pieces of that model their ids, as in"
                    " Marian's tokenizer: open the folder, with the tokenizer_config.json of the model in it."
                )
    for pair in PAIRS:
        for half in (0, 1):
            stem = there.name.removesuffix(pair[half])
            for other in PAIRS:
                beside = stem + other[1 - half]
                if stem != there.name and other is not pair and there.with_name(beside).is_file():
                    return (
                        f" If {beside} beside it is its other half, rename that to {missing.name}."
                    )
    return ""


_MODELS: Final = ("source.spm", "spm.model", "sentencepiece.bpe.model", "spiece.model")
"""Names of SentencePiece models in folders whose vocab.json contains the ids of their pieces."""

PAIRS: Final = (OWN_NAMES, ("vocab.json", "merges.txt"))
"""The names of the two files, or their endings."""

FORMAT: Final[Format] = Format(
    "gpt2",
    "GPT-2's encoder.json and vocab.bpe",
    "vocabulary and merges",
    (".json", ".bpe", ".txt"),
    _recognized,
    _opened,
    signs="Two files whose names belong together: an object of entries and ids, and merges, one a line.",
    algorithms="byte-level BPE by merges",
    compared="tiktoken 0.14",
    writes="Byte-level BPE.",
    own_names=(".bpe",),
    pairs=PAIRS,
    takes_pattern=True,
    obstacle=_obstacle,
    write=_written,
    fixed_names=PAIRS[0],
    reference="tiktoken",
)
