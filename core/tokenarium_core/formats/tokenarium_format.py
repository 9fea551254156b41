"""Our own file: a whole tokenizer as readable JSON, with a version and a hash.

```json
{
 "format": "tokenarium", "version": 1, "sha256": "…",
 "tokenizer": {
  "name": "my 8k", "algorithm": "byte-level BPE",
  "pre_tokenizer": {"name": "cl100k"},          or {"pattern": "\\w+|\\W+"} of the regex module
                                                or {"tiktoken_pattern": "\\w+|\\W+"} as tiktoken reads it
  "special_tokens": {"<|endoftext|>": 8192},
  "pieces": ["!", "\"", …, "Ġthe", null],       in GPT-2's alphabet, by id; null has no piece
  "merges": ["Ġ t", …]                          by rank; null: the ids are the ranks, as in tiktoken
 }
}
```

PickyBPE has "algorithm": "PickyBPE", and "events" instead of "merges": two tokens that are merged, or one that is
removed, in the order of the training. BoundlessBPE has "algorithm": "BoundlessBPE" and such "events", and between them
supermerges, as "Ġof + Ġthe". A tokenizer with a normal form of Unicode has "normalizer": "NFC" or "NFKC".
These are of version 2.

Of version 3 are files with parts that earlier ones have no room for:

```json
  "template": {"name": "<bos>", "before": [1], "after": []}   the ids around each text
  "decoder": {"left_out": [8192]}                              ids that give no text; or {"tekken": 1000}
  "chat": {"templates": {"default": "{% for …"}, "tokens": {"bos_token": "<bos>"}}
```

A tokenizer with other stages, options of added tokens, truncation or padding is a file of another format within this
one: "algorithm" is "tokenizer.json", and "file" its text, or "tokenizer.model", and "file" its bytes in base64. All
files without such parts are of version 1, which older programs read.

Of version 5 are tokenizers of the formats in `WITHIN`: "algorithm" is the name of the format, and "file" its bytes in
base64; of RWKV's entries, "special_tokens" has those that are special, as in llama.cpp. So are those with the algorithm "pieces by name": "file" is a SentencePiece model, or a tokenizer.json that cuts words, in base64, "stages" the text of
a tokenizer.json with the ids, and "codes" says whether a text may begin with the code of a language, see `hf_named`.

Of version 4 are copies of GGUF files: "llama.cpp": "Unicode 15.1" says that patterns cut by that Unicode, and that of
added tokens that overlap, the longest of the text is found first, see `llama_stages`. So are files with
"normalized_special_tokens": true, in which special tokens are found in the normalized text.

The hash is SHA-256 over the "tokenizer" value as JSON with sorted keys, no whitespace and no escapes beyond
JSON's own; a file that was cut off or changed by hand is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from pathlib import Path
from typing import Any, Final

from tokenarium_core.added_tokens import AddedToken, AddedTokens, of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats import (
    llama2c_format,
    minbpe_format,
    rwkv_format,
    subword_nmt_format,
    subwords_format,
    yttm_format,
)
from tokenarium_core.formats.byte_level import obstacle_to_bytes, obstacle_to_stages
from tokenarium_core.formats.chat_part import CHAT, TEMPLATES, chat_of, keep_read_chat
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.hf.hf_named import CODES, PIECES, STAGES, named_tokenizer
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.learned_events import (
    DELETION,
    MERGE,
    SUPERMERGE,
    EventsReader,
    learned_events,
)
from tokenarium_core.formats.llama_stages import LLAMA, as_in_llama
from tokenarium_core.formats.parts import (
    ALL_PARTS,
    DECODER,
    PADDING,
    TEMPLATE,
    TRUNCATION,
    fields_of,
    joins_bytes,
    lost_parts,
    lost_sentence,
)
from tokenarium_core.formats.sentencepiece import sentencepiece_format
from tokenarium_core.formats.tekken_format import TekkenDecoder
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import (
    BytePairEncoder,
    encoder_of_merges,
    encoder_of_ranks,
)
from tokenarium_core.models.bpe.merge_events import BYTES, MergeEvents
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.model import Model
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pattern import TIKTOKEN_PATTERN
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
)

_NAME: Final = "tokenarium"
VERSION: Final = 5
"""The latest version that this program reads and writes."""

ALGORITHM: Final = "byte-level BPE"
PICKY: Final = "PickyBPE"
BOUNDLESS: Final = "BoundlessBPE"
JSON_FILE: Final = "tokenizer.json"
MODEL_FILE: Final = "tokenizer.model"
NAMED_PIECES: Final = "pieces by name"
_LISTED: Final = (
    llama2c_format.FORMAT,
    minbpe_format.FORMAT,
    rwkv_format.FORMAT,
    subword_nmt_format.FORMAT,
    subwords_format.FORMAT,
    yttm_format.FORMAT,
)
WITHIN: Final[dict[str, Format]] = {format.name: format for format in _LISTED}
"""The formats besides those two whose files are embedded, for tokenizers that nothing else here can hold."""

_ALGORITHMS: Final = [ALGORITHM, PICKY, BOUNDLESS, JSON_FILE, MODEL_FILE, NAMED_PIECES, *WITHIN]

_BETWEEN: Final = {MERGE: " ", DELETION: "", SUPERMERGE: " + "}
"""The separator of the pieces in each kind of BoundlessBPE event."""

_LONGEST: Final = 1 << 16
"""The most bytes of a token that is removed again: those of others are in the file."""

_MOST_PARTS: Final = 1 << 24

_FILE: Final = "file"
_LEFT_OUT: Final = "left_out"
_TEKKEN: Final = "tekken"
_STAGES: Final = "stages"
_CODES: Final = "codes"
_SPECIAL: Final = "special_tokens"
_NORMALIZED: Final = "normalized_special_tokens"
_NEW_FIELDS: Final = frozenset((TEMPLATE, DECODER, CHAT, _FILE))
"""The fields that only files of version 3 have."""

_PATTERN: Final = "pattern"
_READ_BY_TIKTOKEN: Final = "tiktoken_pattern"


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    """Returns the single file; `read_json` reads an equal tokenizer from it."""
    content = _whole_content(tokenizer)
    version = 2 if "events" in content or "normalizer" in content else 1
    if not _NEW_FIELDS.isdisjoint(content):
        version = 3
    if LLAMA in content or _NORMALIZED in content:
        version = 4
    if content["algorithm"] in WITHIN or _STAGES in content:
        version = VERSION
    file = {
        "format": _NAME,
        "version": version,
        "sha256": content_hash(content),
        "tokenizer": content,
    }
    content_of_file = json.dumps(file, ensure_ascii=False, indent=0).encode()
    return {f"{stem}.json": content_of_file + b"\n"}


def _whole_content(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the value "tokenizer" of the file with all parts."""
    inner = _inner(tokenizer)
    content: dict[str, Any]
    if STAGES in tokenizer.stored:
        content = {
            "name": tokenizer.name,
            "algorithm": NAMED_PIECES,
            _FILE: base64.b64encode(tokenizer.stored[PIECES]).decode(),
            _STAGES: tokenizer.stored[STAGES].decode("utf-8", "surrogatepass"),
            _CODES: bool(tokenizer.stored[CODES]),
        }
    elif inner is None:
        content = content_of_tokenizer(tokenizer)
        template = tokenizer.template
        decoder = tokenizer.decoder
        if template is not None:
            content[TEMPLATE] = {
                "name": template.name,
                "before": template.before,
                "after": template.after,
            }
        if isinstance(decoder, TekkenDecoder):
            content[DECODER] = {_TEKKEN: decoder.special}
        elif decoder.left_out:
            content[DECODER] = {_LEFT_OUT: sorted(decoder.left_out)}
    else:
        data = next(iter(inner.write(tokenizer, "tokenizer").values()))
        is_json = inner is hf_format.FORMAT
        content = {
            "name": tokenizer.name,
            "algorithm": JSON_FILE
            if is_json
            else inner.name
            if inner.name in WITHIN
            else MODEL_FILE,
            _FILE: data.decode() if is_json else base64.b64encode(data).decode(),
        }
        if inner is rwkv_format.FORMAT and inner.obstacle(tokenizer):
            content[_SPECIAL] = tokenizer.special_tokens
    chat = chat_of(tokenizer)
    if chat[TEMPLATES]:
        content[CHAT] = chat
    if LLAMA in tokenizer.stored:
        content[LLAMA] = tokenizer.stored[LLAMA].decode()
    return content


def _inner(tokenizer: Tokenizer) -> Format | None:
    """Returns the format of the embedded file; None if fields are used instead, or nothing can represent it."""
    fields = fields_of(tokenizer)
    besides = [fields.get(name) for name in (TRUNCATION, PADDING)]
    if tokenizer.template is not None:
        besides.append(fields.get("post_processor"))
    whole = besides.count(None) == len(besides)
    if whole and joins_bytes(tokenizer) and not obstacle_to_fields(tokenizer):
        return None
    if not fields and not sentencepiece_format.FORMAT.obstacle(tokenizer):
        return sentencepiece_format.FORMAT
    for format in WITHIN.values():
        if not format.obstacle(tokenizer) and not lost_parts(tokenizer, format.holds | {CHAT}):
            return format
    if not rwkv_format.obstacle_to_entries(tokenizer):  # with special ones, which are a field
        return rwkv_format.FORMAT
    return None if hf_format.FORMAT.obstacle(tokenizer) else hf_format.FORMAT


def keep_decoder(old: Tokenizer, new: Tokenizer) -> None:
    """Gives a tokenizer of `tokenizer_of_content` the decoder of the one that it was derived from, for the new ids."""
    special = frozenset(new.added_tokens.special_ids)
    in_front = special == frozenset(range(len(special)))
    if isinstance(old.decoder, TekkenDecoder) and in_front:
        new.decoder = TekkenDecoder(len(special))
    elif isinstance(old.decoder, TekkenDecoder) or old.decoder.left_out:
        new.decoder = Decoder("bytes", special)


def content_of_tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the value "tokenizer" of a file without further parts; only if there is no `obstacle_to_fields`."""
    encoder = tokenizer.model
    pre_tokenizer = tokenizer.pre_tokenizer
    vocabulary = encoder.vocabulary
    texts: list[str | None] = []
    for token in range(len(vocabulary)):
        kind = vocabulary.kind(token)
        # An entry without bytes, as the last one of Whisper's ranks, is found in no text.
        texts.append(
            None
            if kind in ("unused", "control")
            else byte_alphabet.to_text(vocabulary.piece(token)) or None
        )
    named = pre_tokenizer.name in PRE_TOKENIZERS
    algorithm = ALGORITHM
    if isinstance(encoder, PickyBpe):
        algorithm = PICKY
    elif isinstance(encoder, BoundlessBpe):
        algorithm = BOUNDLESS
    content: dict[str, Any] = {
        "name": tokenizer.name,
        "algorithm": algorithm,
        "pre_tokenizer": {"name": pre_tokenizer.name}
        if named
        else {_field_of(pre_tokenizer): pre_tokenizer.pattern},
        _SPECIAL: tokenizer.special_tokens,
        "pieces": texts,
    }
    if tokenizer.normalizer is not None:
        content["normalizer"] = tokenizer.normalizer.name
        if tokenizer.added_tokens.normalized:
            content[_NORMALIZED] = True
    if LLAMA in tokenizer.stored:
        content[LLAMA] = tokenizer.stored[LLAMA].decode()
    if isinstance(encoder, PickyBpe):
        content["events"] = _written_events(encoder.events)
        return content
    if isinstance(encoder, BoundlessBpe):
        content["events"] = [
            _BETWEEN[kind].join(map(byte_alphabet.to_text, pieces))
            for kind, pieces in learned_events(encoder)
        ]
        return content
    assert isinstance(encoder, BytePairEncoder)
    content["merges"] = None
    if not encoder.whole_pieces:
        table = encoder.merges
        content["merges"] = [
            f"{texts[table.lefts[rank]]} {texts[table.rights[rank]]}"
            for rank in range(len(table))
            if table.results[rank] >= 0
        ]
    return content


def _written_events(events: MergeEvents) -> list[str]:
    texts = [byte_alphabet.to_text(piece) for piece in events.pieces]
    return [
        texts[token] if left < 0 else f"{texts[left]} {texts[right]}"
        for left, right, token in zip(events.lefts, events.rights, events.tokens, strict=True)
    ]


def content_hash(content: object) -> str:
    """Returns the SHA-256 of a parsed "tokenizer" value, in hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_json(file: object, source: str) -> Tokenizer:
    """Returns the tokenizer of a parsed file; FormatError, with the field, if it is not one."""
    if not isinstance(file, dict) or file.get("format") != _NAME:
        raise FormatError(
            f"{source} is not a Tokenarium file: its field 'format' is not {_NAME!r}."
        )
    if file.get("version") not in range(1, VERSION + 1):
        raise FormatError(
            f"{source} has version {file.get('version')!r} of the format; this program reads versions 1 to {VERSION}."
            " A newer Tokenarium may read it."
        )
    content = file.get("tokenizer")
    if not isinstance(content, dict):
        raise FormatError(f"{source} has no field 'tokenizer'.")
    if file.get("sha256") != content_hash(content):
        raise FormatError(
            f"{source} was changed or cut off after it was saved: its content does not have the hash it names."
        )
    return tokenizer_of_content(content, source)


def tokenizer_of_content(content: dict[str, Any], source: str) -> Tokenizer:
    """Returns the tokenizer of the value "tokenizer"; FormatError, with the field, if it is not one."""
    name = content.get("name")
    algorithm = content.get("algorithm")
    if not isinstance(name, str) or algorithm not in _ALGORITHMS:
        raise FormatError(
            f"{source}: the fields 'name' and 'algorithm' must be a text and one of {', '.join(_ALGORITHMS)}."
        )
    if algorithm in (JSON_FILE, MODEL_FILE) or algorithm in WITHIN:
        return _with_parts(_tokenizer_within(content, algorithm, source), content, source)
    if algorithm == NAMED_PIECES:
        return _with_parts(_named_within(content, source), content, source)
    special = _special_tokens(content.get(_SPECIAL), source)
    texts = content.get("pieces")
    if not isinstance(texts, list) or len(texts) > MAX_IDS:
        raise FormatError(
            f"{source}: the field 'pieces' is not a list of at most {MAX_IDS:,} entries."
        )
    vocabulary = _vocabulary(texts, special, source)
    model: Model
    merges = content.get("merges")
    if algorithm == PICKY:
        model = PickyBpe(vocabulary, _events(content.get("events"), vocabulary, source))
    elif algorithm == BOUNDLESS:
        model = _boundless(content.get("events"), vocabulary, source)
    elif merges is None:
        model = encoder_of_ranks(vocabulary)
    elif isinstance(merges, list):
        model = encoder_of_merges(vocabulary, _merges(merges, texts, source))
    else:
        raise FormatError(f"{source}: the field 'merges' is neither a list nor null.")
    tokenizer = Tokenizer(
        name,
        model,
        _pre_tokenizer(content.get("pre_tokenizer"), source),
        _added(special, content.get(_NORMALIZED), source),
        _normalizer(content.get("normalizer"), source),
        template=_template(content.get(TEMPLATE), len(vocabulary), source),
        decoder=_decoder(content.get(DECODER), len(vocabulary), source),
    )
    return _with_parts(tokenizer, content, source)


def _tokenizer_within(content: dict[str, Any], algorithm: str, source: str) -> Tokenizer:
    """Returns the tokenizer of the embedded file."""
    is_json = algorithm == JSON_FILE
    text = content.get(_FILE)
    if not isinstance(text, str):
        raise FormatError(f"{source}: the field '{_FILE}' is not a text.")
    name: str = content["name"]
    try:
        data = text.encode() if is_json else binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise FormatError(
            f"{source}: the field '{_FILE}' is not a text in UTF-8, or not base64: {error}"
        ) from error
    if is_json:
        return hf_format.read_huggingface(data, name)
    if algorithm in WITHIN:
        tokenizer = WITHIN[algorithm].read(TokenizerFile(Path(source), data, name))
        if algorithm == rwkv_format.FORMAT.name and _SPECIAL in content:
            special = _special_tokens(content[_SPECIAL], source)
            return rwkv_format.with_special_entries(tokenizer, special)
        return tokenizer
    return sentencepiece_format.read_sentencepiece(data, source, name)


def _named_within(content: dict[str, Any], source: str) -> Tokenizer:
    """Returns the tokenizer of an embedded model, whose pieces have their ids by name."""
    text = content.get(_FILE)
    stages = content.get(_STAGES)
    codes = content.get(_CODES)
    if not isinstance(text, str) or not isinstance(stages, str) or not isinstance(codes, bool):
        raise FormatError(
            f"{source}: the fields '{_FILE}' and '{_STAGES}' are not texts, or '{_CODES}' is not true or false."
        )
    try:
        pieces = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise FormatError(f"{source}: the field '{_FILE}' is not base64: {error}") from error
    name: str = content["name"]
    return named_tokenizer(stages.encode("utf-8", "surrogatepass"), pieces, codes, name, source)


def _with_parts(tokenizer: Tokenizer, content: dict[str, Any], source: str) -> Tokenizer:
    if LLAMA in content:
        tokenizer = as_in_llama(tokenizer, content[LLAMA])
    field = content.get(CHAT)
    if field is not None:
        keep_read_chat(tokenizer, field, source)
    return tokenizer


def _template(field: object, count: int, source: str) -> Template | None:
    if field is None:
        return None
    name = field.get("name") if isinstance(field, dict) else None
    before = _ids(field, "before", count)
    after = _ids(field, "after", count)
    if not isinstance(name, str) or before is None or after is None:
        raise FormatError(
            f"{source}: the field '{TEMPLATE}' has no name with ids below {count:,} before and after a text."
        )
    return Template(name, before, after)


def _decoder(field: object, count: int, source: str) -> Decoder | None:
    if field is None:
        return None
    first = field.get(_TEKKEN) if isinstance(field, dict) else None
    if type(first) is int and 0 <= first <= count:
        return TekkenDecoder(first)
    left_out = _ids(field, _LEFT_OUT, count)
    if left_out is None:
        raise FormatError(f"{source}: the field '{DECODER}' has no ids below {count:,}.")
    return Decoder("bytes", frozenset(left_out))


def _ids(field: object, name: str, count: int) -> list[int] | None:
    """Returns the ids in a field of an object; None if it has no such list."""
    value = field.get(name) if isinstance(field, dict) else None
    if not isinstance(value, list):
        return None
    for id in value:
        if type(id) is not int or not 0 <= id < count:
            return None
    return value


def _normalizer(field: object, source: str) -> Normalizer | None:
    if field is None:
        return None
    if field == "NFC":
        return UnicodeNormalizer("NFC")
    if field == "NFKC":
        return UnicodeNormalizer("NFKC")
    raise FormatError(f"{source}: the field 'normalizer' is {field!r}, not 'NFC' or 'NFKC'.")


def _field_of(pre_tokenizer: PreTokenizer) -> str:
    """Returns the name of the field that a pattern is in."""
    return _READ_BY_TIKTOKEN if pre_tokenizer.name == TIKTOKEN_PATTERN else _PATTERN


def _pre_tokenizer(field: object, source: str) -> PreTokenizer:
    if isinstance(field, dict):
        name = field.get("name")
        if isinstance(name, str) and name in PRE_TOKENIZERS:
            return pre_tokenizer(name)
        pattern = field.get(_PATTERN)
        if isinstance(pattern, str):
            return regex_pre_tokenizer(pattern)
        pattern = field.get(_READ_BY_TIKTOKEN)
        if isinstance(pattern, str):
            return tiktoken_pattern(pattern)
    raise FormatError(
        f"{source}: the field 'pre_tokenizer' names neither a pattern nor one of {', '.join(PRE_TOKENIZERS)}."
    )


def _special_tokens(field: object, source: str) -> dict[str, int]:
    if not isinstance(field, dict):
        raise FormatError(f"{source}: the field 'special_tokens' is not an object.")
    for token, number in field.items():
        if type(number) is not int or not 0 <= number < MAX_IDS:
            raise FormatError(f"{source}: the special token {token!r} has the id {number!r}.")
    return field


def _added(special: dict[str, int], normalized: object, source: str) -> AddedTokens:
    """Returns the special tokens; ``normalized``: whether they are found in the normalized text."""
    if normalized is not None and not isinstance(normalized, bool):
        raise FormatError(
            f"{source}: the field '{_NORMALIZED}' is {normalized!r}, not true or false."
        )
    if not normalized:
        return of_special(special)
    return AddedTokens([AddedToken(text, id, normalized=True) for text, id in special.items()])


def _vocabulary(texts: list[object], special: dict[str, int], source: str) -> Vocabulary:
    by_id: dict[int, str] = {}
    for token, number in special.items():
        if number < len(texts) and texts[number] is not None:
            raise FormatError(
                f"{source}: the special token {token!r} has the id {number}, which is already taken."
            )
        by_id.setdefault(number, token)
    count = max([len(texts), *[number + 1 for number in by_id]])
    pieces = PieceArena(count)
    for number in range(count):
        text = texts[number] if number < len(texts) else None
        if number in by_id:
            pieces.add(by_id[number].encode(), CONTROL)
        elif text is None:
            pieces.add(b"", UNUSED)
        elif isinstance(text, str) and text:
            try:
                pieces.add(byte_alphabet.to_bytes(text), BYTE if len(text) == 1 else NORMAL)
            except KeyError as error:
                raise FormatError(
                    f"{source}: entry {number} of 'pieces', {text!r}, has a character outside GPT-2's alphabet."
                ) from error
        else:
            raise FormatError(f"{source}: entry {number} of 'pieces' is {text!r}, not a text.")
    return Vocabulary(pieces)


def _merges(lines: list[object], texts: list[object], source: str) -> MergeTable:
    ids: dict[object, int] = {text: number for number, text in enumerate(texts) if text is not None}
    table = MergeTable(len(lines))
    for rank, line in enumerate(lines):
        parts = line.split(" ") if isinstance(line, str) else []
        if len(parts) != 2:
            raise FormatError(f"{source}: merge {rank} is {line!r}, not two entries.")
        left, right = parts
        for part in (left, right, left + right):
            if part not in ids:
                raise FormatError(
                    f"{source}: merge {rank}, {line!r}, needs the entry {part!r}, which does not exist."
                )
        if not table.set(rank, ids[left], ids[right], ids[left + right]):
            raise FormatError(f"{source}: merge {rank}, {line!r}, occurs twice.")
    return table


def _events(lines: object, vocabulary: Vocabulary, source: str) -> MergeEvents:
    """Returns the events of PickyBPE; the tokens that exist at the end must be the entries."""
    if not isinstance(lines, list):
        raise FormatError(f"{source}: the field 'events' is not a list.")
    events = MergeEvents()
    for number, line in enumerate(lines):
        where = f"{source}: event {number}, {line!r},"
        try:
            tokens = [events.number_of(byte_alphabet.to_bytes(text)) for text in line.split(" ")]
        except (AttributeError, KeyError) as error:
            raise FormatError(f"{where} is not one or two tokens.") from error
        if len(tokens) > 2 or -1 in tokens:
            raise FormatError(f"{where} needs one or two tokens that earlier events made.")
        if len(tokens) == 2:
            if len(line) > _LONGEST:
                raise FormatError(f"{where} makes a token of more than {_LONGEST:,} bytes.")
            events.merge(tokens[0], tokens[1])
            continue
        if tokens[0] < BYTES or not events.present[tokens[0]]:
            raise FormatError(f"{where} removes a byte, or a token that does not exist.")
        events.remove(tokens[0])
        if events.part_count > _MOST_PARTS:
            raise FormatError(f"{where} is one of removals with more than {_MOST_PARTS:,} parts.")
    listed = {
        vocabulary.piece(token)
        for token in range(len(vocabulary))
        if vocabulary.kind(token) not in ("unused", "control")
    }
    odd = listed ^ {events.pieces[token] for token in events.entries()}
    if odd:
        raise FormatError(
            f"{source}: {min(odd)!r} is either an entry or what the events leave, and has to be both."
        )
    return events


def _boundless(lines: object, vocabulary: Vocabulary, source: str) -> BoundlessBpe:
    """Returns the model of the events of BoundlessBPE."""
    if not isinstance(lines, list):
        raise FormatError(f"{source}: the field 'events' is not a list.")
    reader = EventsReader(vocabulary)
    for number, line in enumerate(lines):
        where = f"{source}: event {number}, {line!r},"
        texts = line.split(" ") if isinstance(line, str) else []
        kind = {1: DELETION, 2: MERGE, 3: SUPERMERGE}.get(len(texts), "")
        if kind == SUPERMERGE and texts.pop(1) != "+":
            kind = ""
        try:
            pieces = [byte_alphabet.to_bytes(text) for text in texts]
        except KeyError:
            kind = ""
        if not kind:
            raise FormatError(f"{where} is not one token, or two, with + or nothing between them.")
        reader.add(kind, pieces, where)
    return reader.model(source)


def _recognized(head: FileHead) -> int:
    if head.fields.get("format") != '"':
        return NO
    return CERTAIN if b'"tokenarium"' in head.content[:512] else LIKELY


def _obstacle(tokenizer: Tokenizer) -> str:
    if _inner(tokenizer) is not None or STAGES in tokenizer.stored:
        return ""
    obstacle = obstacle_to_fields(tokenizer)
    return obstacle or ("" if joins_bytes(tokenizer) else lost_sentence(DECODER))


def obstacle_to_fields(tokenizer: Tokenizer) -> str:
    """Returns, as a sentence, why the fields of this format cannot represent the stages of a tokenizer.

    Empty if they can.
    """
    if isinstance(tokenizer.model, (PickyBpe, BoundlessBpe)):
        return obstacle_to_stages(tokenizer, forms=True)
    return obstacle_to_bytes(tokenizer, forms=True)


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_json(whole_json(file.content, file.path.name), file.path.name)


FORMAT: Final[Format] = Format(
    _NAME,
    "Tokenarium's JSON",
    "Tokenarium",
    (".json",),
    _recognized,
    _opened,
    signs='The first field of the object is `"format": "tokenarium"`.',
    algorithms="every one that is read",
    compared="tiktoken 0.14, on the same entries",
    writes="Every tokenizer that another format can hold, and PickyBPE, BoundlessBPE and all parts around the model.",
    obstacle=_obstacle,
    write=_written,
    holds=ALL_PARTS,
)
