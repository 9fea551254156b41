"""Bytes that are not UTF-8, as byte-level BPE encodes them.

Every byte is an entry of such a vocabulary, so any bytes have ids; but pre-tokens are made of characters. This
follows tiktoken: the text before the first byte that is not UTF-8 is encoded as text. Its last pre-token might have
continued, so its bytes, and all that follow, are merged as one pre-token; if it is only whitespace, so are the
whitespace tokens before it. This includes whole characters after the first invalid byte, so they may become different
tokens than in a text.

Source: tiktoken's ``src/py.rs`` (``_encode_bytes``) and ``src/lib.rs`` (``_increase_last_piece_token_len``).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE, Encoding, original_spans
from tokenarium_core.errors import UnsupportedError
from tokenarium_core.models.model import Model
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.pretokenizers.pretokenizer import REMOVED_RULE, PreTokens
from tokenarium_core.sections import joined, part_of
from tokenarium_core.trace import Trace

BYTES_RULE: Final = "from the first byte that is not UTF-8"
"""The name of the rule that makes one pre-token of all that cannot be split by characters."""

_BLANKS: Final = frozenset(b" \n\t")


def check_takes_bytes(model: Model, name: str) -> None:
    """Raises UnsupportedError, with the reason, for a model that does not start with the 256 bytes."""
    if model.joins:
        raise UnsupportedError(
            f"{name} cannot encode bytes that are not UTF-8: it joins words, and how such bytes form words is not"
            " defined."
        )
    if len(model.byte_symbols()) != 256:
        raise UnsupportedError(
            f"{name} cannot encode bytes that are not UTF-8: its model, {type(model).__name__}, works on characters,"
            " and only byte-level BPE begins with single bytes."
        )


def text_length(data: bytes) -> int:
    """Returns how many bytes at the start are whole UTF-8 characters: all of them, if it is a text."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def encoding_of_bytes(head: Encoding, data: bytes, model: Model) -> Encoding:
    """Returns the encoding of bytes whose first part is the text that ``head`` encodes; see the module.

    ``places`` and ``spans`` count bytes, not necessarily whole characters.
    """
    count: i64 = len(head.ids)
    kept_count: i64 = count - _last_tokens(head, model)
    size: i64 = head.text.size
    start: i64 = size
    if kept_count < count:
        start = i64(head.places[kept_count * 2])
    good: i64 = text_length(data)
    rest = unchanged(data[good:] + ZEROS, len(data) - good, good)
    if head.text.aligned or head.text.origin > 0:
        text = joined([part_of(head.text, 0, size), rest])
    else:
        text = unchanged(data + ZEROS, len(data), 0)
    room: i64 = text.size - start
    out = vec[i32]([0] * (room + 1))
    made: i64 = 0
    if room > 0:
        # This is the algorithm itself: what encodes words cuts long ones by their characters.
        made = model.encode_traced(text.data, start, text.size, out, 0, Trace())
    ids = extend(head.ids[:kept_count], out[:made])
    new_spans = vec[i32]([0] * (made * 2))
    model.locate(text.data, start, text.size, out, 0, made, new_spans)
    spans = extend(head.places[: kept_count * 2], new_spans)
    return Encoding(
        ids,
        original_spans(text, spans, kept_count + made),
        _cuts(head, start, text.size),
        text,
        spans,
        vec[i32](),
        data + ZEROS,
        model.vocabulary,
    )


def _last_tokens(head: Encoding, model: Model) -> int:
    """Returns how many tokens at the end of a text may change when more bytes follow."""
    cuts = head.pre_tokens
    last: i64 = len(cuts) - 1
    count: i64 = len(head.ids)
    if last < 0 or count == 0:
        return 0
    if cuts.names[i64(cuts.rules[last])] in (ADDED_RULE, SPECIAL_RULE, REMOVED_RULE):
        return 0
    start: i64 = i64(cuts.ends[last - 1]) if last > 0 else 0
    first = count
    while first > 0 and i64(head.places[(first - 1) * 2]) >= start:
        first -= 1
    if first < count and _is_blank(head, model, first):
        while first > 0 and _is_blank(head, model, first - 1):
            first -= 1
    return count - first


def _is_blank(head: Encoding, model: Model, at: i64) -> bool:
    """Returns whether a token is only whitespace."""
    for byte in model.vocabulary.piece(i64(head.ids[at])):
        if byte not in _BLANKS:
            return False
    return True


def _cuts(head: Encoding, start: i64, stop: i64) -> PreTokens:
    """Returns the pre-tokens of a text up to a byte, and one more for all that follows."""
    cuts = head.pre_tokens
    kept_count: i64 = len(cuts)
    while kept_count > 0 and i64(cuts.ends[kept_count - 1]) > start:
        kept_count -= 1
    names = [*cuts.names[:-1], BYTES_RULE, cuts.names[-1]]
    removed: i64 = len(cuts.names) - 1
    rules = vec[u8]()
    for word in range(kept_count):
        rule: i64 = i64(cuts.rules[word])
        rules = append(rules, u8(rule if rule < removed else removed + 1))
    ends = cuts.ends[:kept_count]
    if stop > start:
        ends = append(ends, i32(stop))
        rules = append(rules, u8(removed))
    return PreTokens(ends, rules, names)
