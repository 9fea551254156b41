"""Tokenizer files with faults deep inside: mutations of their structure, not only of their bytes.

The interface:

- `mutation_seeds.seeds()` returns a valid tokenizer of each kind, as its `Files`: content by file name, the one to open first.
- `mutated(chance, files)` returns the files with one to four faults. All choices come from ``chance`` (a
  `random.Random`): the same seed and the same files give the same faults.
- `written(files, folder)` writes them, and returns the path to open.
- `use(path, chance)` opens a tokenizer and uses everything it has: encodes, decodes known and unknown ids, traces,
  saves in every format and opens what it saved. It returns False if the file is rejected with a sentence, True if it
  was used; everything else is raised, as `Unlawful` or unchanged.

Mutants may ask for much memory or time on purpose: run many of them in a child process that has limits. Making one
needs little: each fault adds at most a few megabytes, and content larger than `ROOM` or deeper than `DEEPEST` gets
faults only in its bytes.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from gguf_faults import mutated_gguf

import tokenarium_core as tc
from tokenarium_core.formats.registry import EXPORT_FORMATS
from tokenarium_core.formats.tokenarium_format import content_hash
from tokenarium_core.trace import Trace

Files = dict[str, bytes]

TEXTS = [
    "",
    "low lower ab  <mask>é▁\u2603\n",
    "banana split, Größe ﬁ ½ \u0958 ﷺ 한국어 日本語 👩‍👩‍👧\U0001f1e9\U0001f1ea",
    "[UNK] <unk><s></s> <|endoftext|> <0x41> ##er Ġ\x00\x7f\ufffd\u00a0\u3000\r\n\t",
    " " * 381 + "a" * 300,
    "\ud800 half \udfff",
]
"""Texts that every opened tokenizer encodes."""

ROOM = 1 << 20
"""Characters of a file up to which faults are put into its structure, and of what is made by repeating a part of it."""

DEEPEST = 120
"""Levels of JSON up to which faults are put into it: copying and writing it need stack for each."""

EDGE_IDS = [-1, -(2**31), -(2**63) - 1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**30]
"""Ids that no vocabulary has."""

_NUMBERS = [0, 1, -1, 2, 7, 255, 256, 65536, 1 << 21, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63]
_NUMBERS += [-(2**31), -(2**63), 2**64, 10**30, -(10**30)]
_FLOATS = [0.0, -0.0, 0.1, -1.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf")]
_TEXTS = ["", " ", "  ", "a", "▁", "Ġ", "é", "\x00", "\n", "##", "[UNK]", "<unk>", "<s>", "</w>"]
_TEXTS += [
    "<0x41>", "<0xZZ>", "\ufffd", "\ufeff", "e\u0301", "👩‍👩‍👧", "\ud800", "a\udc00", "A", "B",
]  # fmt: skip
_TEXTS += [
    "(", "[", "\\", "\\p{L}+", "(?i)a|", ".*", "(a|a)*b", "(?R)?a|.", "$", "^", "\\b", "(?=a)",
]  # fmt: skip


def mutated(chance: Random, files: Files) -> Files:
    """Returns the files of a tokenizer with one to four faults in one of them."""
    changed = dict(files)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        name = chance.choice(list(changed))
        changed[name] = _mutated(chance, name, changed[name])
    return changed


def written(files: Files, folder: Path) -> Path:
    """Writes the files into a folder, and returns the path of the first, which is the one to open."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / next(iter(files))


def _mutated(chance: Random, name: str, content: bytes) -> bytes:
    if chance.random() < 0.12 or len(content) > ROOM:
        return mutated_bytes(chance, content)
    if name.endswith(".json"):
        return mutated_json(chance, content)
    if name.endswith(".model"):
        return mutated_message(chance, content)
    if name.endswith(".gguf"):
        return mutated_gguf(chance, content) or mutated_bytes(chance, content)
    return mutated_lines(chance, content)


def mutated_bytes(chance: Random, content: bytes) -> bytes:
    """Returns the bytes with some changed, left out, put in, or repeated."""
    changed = bytearray(content)
    start = chance.randrange(len(changed) + 1)
    stop = min(len(changed), start + chance.choice([1, 2, 16, 200]))
    way = chance.randrange(5)
    if way == 0:
        for at in range(start, stop):
            changed[at] = chance.randrange(256)
    elif way == 1:
        del changed[start:stop]
    elif way == 2:
        changed[start:start] = changed[start:stop] * chance.choice([1, 2, 100])
    elif way == 3:
        del changed[start:]
    else:
        changed[start:start] = chance.randbytes(chance.choice([1, 4, 64]))
    return bytes(changed)


# JSON


def mutated_json(chance: Random, content: bytes) -> bytes:
    """Returns JSON with a fault in its tree, or in how it is written.

    The hash of Tokenarium's own file is mostly corrected: otherwise every such file would be rejected by it.
    """
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return mutated_bytes(chance, content)
    places, depth = _places(tree)
    if not places or depth > DEEPEST or chance.random() < 0.03:
        return mutated_bytes(chance, content)
    holder, key = _chosen(chance, places)
    value = holder[key]
    way = chance.randrange(10)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), value)
    elif way == 2 and isinstance(holder, dict):
        holder[chance.choice([*_TEXTS, "type", "id", str(key) + "x"])] = value
    elif way == 3:
        other, place = _chosen(chance, places)
        holder[key] = deepcopy(other[place])  # which may be around this place
    elif way == 4 and "type" in _keys(value) and isinstance(value, dict):
        value["type"] = chance.choice(_TYPES)
    elif way in (5, 6) and _stage(key) and isinstance(holder, dict):
        holder[key] = _steps(chance, str(key), value)
    else:
        holder[key] = _another(chance, value)
    if isinstance(tree, dict) and tree.get("format") == "tokenarium" and chance.random() < 0.9:
        tree["sha256"] = content_hash(tree.get("tokenizer"))
    text = json.dumps(tree, ensure_ascii=chance.random() < 0.5)
    text = _DEEP.sub(lambda found: "[" * int(found[1]) + "]" * int(found[1]), text)
    if chance.random() < 0.04 and '"' in text:  # a member twice
        head, _, tail = text.partition("{")
        text = head + "{" + json.dumps(str(key)) + ": 1, " + tail
    return text.encode("utf-8", "surrogatepass")


def _places(tree: object) -> tuple[list[tuple[Any, Any]], int]:
    """Returns every place in a tree of JSON (the list or the dictionary that holds it, and its key), and its depth."""
    places: list[tuple[Any, Any]] = []
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    deepest = 0
    while waiting:
        holder, depth = waiting.pop()
        deepest = max(deepest, depth)
        for key in _keys(holder):
            places.append((holder, key))
            waiting.append((holder[key], depth + 1))
    return places, deepest


def _size(value: object) -> int:
    """Returns about how many characters a tree of JSON has as it is written, or more than `ROOM` if it is larger."""
    size = 0
    waiting = [value]
    while waiting and size <= ROOM:
        value = waiting.pop()
        size += len(value) + 2 if isinstance(value, (str, bytes)) else 4
        if isinstance(value, dict):
            size += sum(len(key) + 4 for key in value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return size


_Part = TypeVar("_Part", str, bytes, list[Any])


def _repeated(part: _Part, times: int) -> _Part:
    """Returns a part a number of times, or fewer if it would be larger than `ROOM`."""
    return part * max(1, min(times, ROOM // max(1, _size(part))))


def _keys(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def _chosen(chance: Random, places: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Returns a place: as often in the settings as in the long vocabulary and merges."""
    few = [place for place in places if len(place[0]) < 40]
    return chance.choice(few if few and chance.random() < 0.8 else places)


def _another(chance: Random, value: object) -> object:
    """Returns a different value, mostly of the same type, which gets further."""
    kind = chance.random()
    if isinstance(value, bool):
        return not value if kind < 0.7 else _any(chance)
    if isinstance(value, int) and kind < 0.8:
        return chance.choice([value + 1, value - 1, -value, *_NUMBERS])
    if isinstance(value, float) and kind < 0.8:
        return chance.choice(_FLOATS)
    if isinstance(value, str) and kind < 0.8:
        if kind < 0.1:
            return _repeated(value, chance.choice([2, 20, 2000]))
        return chance.choice([*_TEXTS, value + " ", value[1:], value[::-1], value.upper()])
    if isinstance(value, list) and kind < 0.6:
        doubled, many = _repeated(value, 2), _repeated(value[:1], 1000)
        return chance.choice([[], value[1:], value[::-1], doubled, [value], many])
    if isinstance(value, dict) and kind < 0.6:
        return chance.choice([{}, [value], dict(list(value.items())[1:]), {"type": "Sequence"}])
    return _any(chance)


def _any(chance: Random) -> object:
    if chance.random() < 0.05:
        return f"{_MARK}{chance.choice([60, 130, 900, 20_000])}"
    return chance.choice(
        [None, True, False, [], {}, *_NUMBERS, *_FLOATS, *_TEXTS, "a" * 100_000, [[]], ["a", "b"]]
    )


_MARK = "a list in a list, so deep: "
_DEEP = re.compile(f'"{_MARK}(\\d+)"')
"""What becomes a deep list once it is written: it needs no deep tree, and no stack."""

_TYPES = ["BPE", "Unigram", "WordPiece", "WordLevel", "Sequence", "Replace", "Prepend", "Strip"]
_TYPES += ["NFC", "NFKD", "Lowercase", "Nmt", "StripAccents", "BertNormalizer", "Precompiled"]
_TYPES += [
    "ByteLevel", "Metaspace", "Split", "Digits", "Punctuation", "Whitespace", "BertPreTokenizer",
]  # fmt: skip
_TYPES += [
    "ByteFallback", "Fuse", "CTC", "BPEDecoder", "WhitespaceSplit", "UnicodeScripts", "Nothing",
]  # fmt: skip
_TYPES += [
    "TemplateProcessing",
    "BertProcessing",
    "RobertaProcessing",
    "CharDelimiterSplit",
    "FixedLength",
]

_LISTS = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "decoder": "decoders",
    "post_processor": "processors",
}


def _stage(key: object) -> bool:
    return key in _LISTS


def _steps(chance: Random, stage: str, before: object) -> object:
    """Returns a stage of a `tokenizer.json` made of random steps, some of them unusual."""
    steps = [_step(chance, stage) for _ in range(chance.choice([1, 1, 2, 3, 12]))]
    if isinstance(before, dict) and chance.random() < 0.5:
        steps.insert(chance.randrange(len(steps) + 1), before)
    made: object = steps[0] if len(steps) == 1 else {"type": "Sequence", _LISTS[stage]: steps}
    for _ in range(chance.choice([0, 0, 0, 1, 50, 200])):
        made = {"type": "Sequence", _LISTS[stage]: [made]}
    return made


def _pattern(chance: Random) -> dict[str, str]:
    words = [
        "", " ", "a", "▁", "aa", "é", "\\s+", "[^a]", ".", "\\p{L}+|\\s", "^", "$", "a*", "(?i)ß",
    ]  # fmt: skip
    return {chance.choice(["String", "Regex"]): chance.choice(words)}


def _step(chance: Random, stage: str) -> dict[str, object]:
    flag = chance.random() < 0.5
    text = chance.choice(["", "a", " ", "▁", "##", "é▁", "aaaaaaaaaa", "a" * 5000, "<0x41>"])
    metaspace = {
        "type": "Metaspace",
        "replacement": chance.choice(["▁", "a", "é", " "]),
        "prepend_scheme": chance.choice(["always", "first", "never"]),
        "split": flag,
    }
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": flag,
        "trim_offsets": True,
        "use_regex": chance.random() < 0.5,
    }
    replace: dict[str, object] = {"type": "Replace", "pattern": _pattern(chance), "content": text}
    if stage == "normalizer":
        steps: list[dict[str, object]] = [
            replace,
            replace,
            {"type": "Prepend", "prepend": text},
            {"type": "Strip", "strip_left": flag, "strip_right": chance.random() < 0.5},
            {"type": chance.choice(["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Nmt", "StripAccents"])},
            {"type": "ByteLevel"},
            {
                "type": "BertNormalizer",
                "clean_text": flag,
                "handle_chinese_chars": chance.random() < 0.5,
                "strip_accents": chance.choice([None, True, False]),
                "lowercase": chance.random() < 0.5,
            },
            {"type": "Precompiled", "precompiled_charsmap": _charsmap(chance)},
        ]  # fmt: skip
    elif stage == "pre_tokenizer":
        behaviours = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
        steps = [
            metaspace,
            byte_level,
            {"type": "Split", "pattern": _pattern(chance), "behavior": chance.choice(behaviours), "invert": flag},
            {"type": "Digits", "individual_digits": flag},
            {"type": "Punctuation", "behavior": chance.choice(behaviours)},
            {"type": chance.choice(["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"])},
            {"type": "CharDelimiterSplit", "delimiter": chance.choice(["a", "▁", "ab", ""])},
            {"type": "FixedLength", "length": chance.choice([0, 1, 5, 2**31, 2**64])},
        ]  # fmt: skip
    elif stage == "decoder":
        steps = [
            replace,
            replace,
            metaspace,
            byte_level,
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": chance.choice(["a", " ", "", "ab"]), "start": 1, "stop": 2**40},
            {"type": "BPEDecoder", "suffix": text},
            {"type": "CTC", "pad_token": text, "word_delimiter_token": "|", "cleanup": flag},
            {"type": "WordPiece", "prefix": text, "cleanup": flag},
        ]  # fmt: skip
    else:
        template = [
            {"SpecialToken": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ]
        ids = [chance.choice([0, 1, -1, 10**30])] * chance.choice([1, 1, 0, 20_000])
        steps = [
            byte_level,
            {
                "type": "TemplateProcessing",
                "single": template * chance.choice([1, 1, 2]),
                "pair": [],
                "special_tokens": {"A": {"id": "A", "ids": ids, "tokens": ["A"] * len(ids)}},
            },
            {"type": "BertProcessing", "sep": ["a", 1], "cls": ["b", chance.choice([0, -1, 2**40])]},
        ]  # fmt: skip
    return chance.choice(steps)


def _charsmap(chance: Random) -> str:
    """Returns random rules of SentencePiece, whose trie mostly makes no sense."""
    units = [
        chance.choice([0, 1, 0x61, 0x100, 1 << 31, chance.randrange(1 << 32)]) for _ in range(64)
    ]
    trie = struct.pack("<64I", *units)
    size = chance.choice([len(trie), 0, 4, 2**32 - 1])
    return base64.b64encode(struct.pack("<I", size) + trie + b"a\0" + b"b" * 300 + b"\0").decode()


# SentencePiece

Field = tuple[int, int, Any]  # number, wire type, value: an integer, or bytes

_NESTED = {(): {1, 2, 3, 4, 5}, (4,): {1}}
"""Which fields hold messages, by the path to the message that they are in."""


def mutated_message(chance: Random, content: bytes) -> bytes:
    """Returns a SentencePiece model with a fault in one field of one of its messages."""
    fields = parsed_message(content)
    if not fields:
        return mutated_bytes(chance, content)
    rare = [at for at, field in enumerate(fields) if field[0] != 1]  # all but the pieces
    at = chance.choice(rare) if rare and chance.random() < 0.6 else chance.randrange(len(fields))
    number, wire, value = fields[at]
    if number in _NESTED[()] and wire == 2 and chance.random() < 0.85:
        inner = parsed_message(value) or []
        fields[at] = (number, wire, packed_message(_changed_fields(chance, inner)))
        return packed_message(fields)
    if chance.random() < 0.1:  # the same piece many times, or none
        pieces = [field for field in fields if field[0] == 1]
        others = [field for field in fields if field[0] != 1]
        return packed_message(
            chance.choice([others, others + _many(pieces[:1]), others + pieces[::-1]])
        )
    return packed_message(_changed_fields(chance, fields))


def _many(pieces: list[Field]) -> list[Field]:
    return pieces * (min(3000, ROOM // max(1, len(pieces[0][2]))) if pieces else 0)


def _changed_fields(chance: Random, fields: list[Field]) -> list[Field]:
    fields = list(fields)
    if not fields or chance.random() < 0.15:
        fields.append(_made_field(chance))
        return fields
    at = chance.randrange(len(fields))
    number, wire, value = fields[at]
    way = chance.randrange(8)
    if way == 0:
        del fields[at]
    elif way == 1:
        fields.insert(chance.randrange(len(fields) + 1), fields[at])
    elif way == 2:
        fields[at] = (chance.choice([number + 1, 1, 40, 1 << 28]), wire, value)
    elif way == 3:
        fields[at] = _made_field(chance, number)
    elif wire == 0:
        fields[at] = (number, wire, chance.choice(_NUMBERS) % 2**64)
    elif wire == 5:
        fields[at] = (number, wire, struct.pack("<f", chance.choice(_FLOATS[:5] + _FLOATS[7:])))
    elif wire == 2:
        fields[at] = (number, wire, _some_bytes(chance, value))
    return fields


def _made_field(chance: Random, number: int = 0) -> Field:
    number = number or chance.randrange(1, 50)
    wire = chance.choice([0, 0, 2, 2, 5, 1])
    if wire == 0:
        return number, wire, chance.choice(_NUMBERS) % 2**64
    return number, wire, _some_bytes(chance, b"a") if wire == 2 else chance.randbytes(wire & 4 or 8)


def _some_bytes(chance: Random, value: bytes) -> bytes:
    text = chance.choice(_TEXTS).encode("utf-8", "surrogatepass")
    ways: list[Callable[[], bytes]] = [
        lambda: b"",
        lambda: b"\xff\xfe\x80",
        lambda: text,
        lambda: value + text,
        lambda: b"a" * 100_000,
        lambda: _repeated(value, 3),
        lambda: value[1:],
        lambda: chance.randbytes(9),
    ]
    return chance.choice(ways)()


def parsed_message(content: bytes) -> list[Field]:
    """Returns the fields of a protobuf message, or an empty list if it is not one."""
    fields: list[Field] = []
    at = 0
    try:
        while at < len(content):
            tag, at = _varint(content, at)
            number, wire = tag >> 3, tag & 7
            value: Any
            if wire == 0:
                value, at = _varint(content, at)
            else:
                size = {1: 8, 5: 4}.get(wire, -1)
                if wire == 2:
                    size, at = _varint(content, at)
                if size < 0 or at + size > len(content):
                    return []
                value = content[at : at + size]
                at += size
            fields.append((number, wire, value))
    except IndexError:
        return []
    return fields


def packed_message(fields: list[Field]) -> bytes:
    """Returns the protobuf message of these fields."""
    parts: list[bytes] = []
    for number, wire, value in fields:
        parts.append(_packed_varint(number << 3 | wire))
        if wire == 0:
            parts.append(_packed_varint(value))
        else:
            if wire == 2:
                parts.append(_packed_varint(len(value)))
            parts.append(value)
    return b"".join(parts)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 63:
            return value, at


def _packed_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


# Files of lines: .tiktoken, vocab.txt, vocab.bpe


def mutated_lines(chance: Random, content: bytes) -> bytes:
    """Returns a file of lines with one of them changed, left out, moved, or there twice."""
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    line = lines[at]
    way = chance.randrange(9)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(chance.randrange(len(lines)), line)
    elif way == 2:
        chance.shuffle(lines)
    elif way == 3:
        lines[at] = line + chance.choice(
            [b"\r", b" ", b"\t", b" 1", b"\0", b"=", b"\xff", b"\xc2\xa0"]
        )
    elif way == 4 and b" " in line:
        head = line.rpartition(b" ")[0]
        lines[at] = head + b" %d" % chance.choice(_NUMBERS)
    elif way == 5 and b" " in line:
        tail = line.rpartition(b" ")[2]
        piece = chance.choice(
            [b"", b"=", b"A", b"AAAA" * 30_000, base64.b64encode(chance.randbytes(3))]
        )
        lines[at] = piece + b" " + tail
    elif way == 6:
        lines[at] = chance.choice(_TEXTS).encode("utf-8", "surrogatepass")
    elif way == 7:
        lines[at] = _repeated(line, chance.choice([2, 1000]))
    else:
        lines = lines[:at] + [b""] * chance.choice([1, 3]) + lines[at:]
    return b"\n".join(lines)


# Use


class Unlawful(Exception):
    """Something that must not happen with any file; the message says what."""


def use(path: Path, chance: Random) -> bool:
    """Opens a tokenizer and uses everything it has; returns False if it is rejected, True if it opened.

    Raises Unlawful for a message that is not a sentence; any other error is passed on.
    """
    try:
        tokenizer = tc.open(path)
    except tc.TokenariumError as error:
        _check_sentence(error)
        if "pattern" not in str(error) or not path.name.endswith(".tiktoken"):
            return False
        try:
            tokenizer = tc.open(path, pattern="gpt2")
        except tc.TokenariumError:
            return False
    count = len(tokenizer.vocabulary)
    for text in TEXTS:
        _encode(tokenizer, text)
    some = [chance.randrange(count) for _ in range(20)] if count else []
    _attempt(tokenizer.decode, some)
    edges = [0, 1, 2, count - 1, count, *EDGE_IDS, *tokenizer.special_tokens.values()]
    for number in edges + some:
        _attempt(tokenizer.decode, [number])
    for number in range(min(count, 400)):
        tokenizer.vocabulary.piece(number)
        tokenizer.vocabulary.surface(number)
    for format in EXPORT_FORMATS:
        _save(tokenizer, path.parent, format)
    return True


def _encode(tokenizer: tc.Tokenizer, text: str) -> None:
    ids = _attempt(tokenizer.encode_ids, text)
    if ids is None:
        return
    count = len(tokenizer.vocabulary)
    if not all(0 <= number < max(count, 1) for number in ids):
        raise Unlawful(f"an id out of range for {text[:40]!r}")
    trace = Trace()
    traced = _attempt(tokenizer.encode, text, trace=trace)
    if traced is not None and list(traced.ids) != ids:
        raise Unlawful(f"a trace gives other ids for {text[:40]!r}")
    plain = _attempt(tokenizer.encode, text)
    if plain is not None and list(plain.ids) != ids:
        raise Unlawful(f"a job gives other ids for {text[:40]!r}")
    _attempt(tokenizer.encode, text, special="all", template=True)
    _attempt(tokenizer.encode_buffer, text)
    _attempt(tokenizer.decode, ids)
    for number in sorted(set(ids))[:4]:
        _attempt(tokenizer.decode_bytes, [number])


def _attempt(act: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Returns the result of an action, or None if it is rejected with a sentence."""
    try:
        return act(*given, **named)
    except tc.TokenariumError as error:
        _check_sentence(error)
        return None


def _check_sentence(error: tc.TokenariumError) -> None:
    sentence = str(error)
    if not sentence.endswith((".", "?")) or "\n" in sentence or len(sentence) > 4000:
        raise Unlawful(f"{type(error).__name__} is no sentence: {sentence[:300]!r}")


def _save(tokenizer: tc.Tokenizer, folder: Path, format: str) -> None:
    """Saves in a format, and opens that: it must give the same ids if it opens without a pattern."""
    place = folder / f"saved-{format}"
    place.mkdir(exist_ok=True)
    names = {"gpt2": "encoder.json", "vocab.txt": "vocab.txt", "huggingface": "tokenizer.json"}
    path = place / names.get(format, f"x{EXPORT_FORMATS[format].suffix}")
    try:
        tokenizer.save(path, format=format)
    except tc.TokenariumError as error:
        _check_sentence(error)
        return
    again = tc.open(path)
    for text in TEXTS[:3]:
        ids = _attempt(tokenizer.encode_ids, text)
        if ids is not None and again.encode_ids(text) != ids:
            raise Unlawful(f"what was saved as {format} gives other ids for {text[:40]!r}")
