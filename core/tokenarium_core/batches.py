"""Texts of equal length for a model: truncated, split into windows, and padded, as a tokenizer.json may specify.

Source: ``truncate_encodings`` and ``pad_encodings`` in huggingface/tokenizers, 0.23.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, final

from tokenarium_core.arguments import id_of, texts_of, whole_number
from tokenarium_core.errors import ArgumentError, FormatError
from tokenarium_core.formats import FIELDS
from tokenarium_core.tokenizer import Tokenizer

LEFT: Final = "left"
RIGHT: Final = "right"


@final
class Truncation:
    """How long a text may be: ``max_length`` ids, including those added around it; longer texts are cut off on the
    side ``direction``.

    The rest goes into windows of this length, each repeating the last ``stride`` ids of the previous
    one. Raises ArgumentError for lengths that leave no room, and for directions other than "left" and "right".
    """

    def __init__(
        self, max_length: int | Any, stride: int | Any = 0, direction: str = RIGHT
    ) -> None:
        max_length, stride = whole_number(max_length), whole_number(stride)
        if max_length < 1:
            raise ArgumentError(f"The maximum length is {max_length}; it must be at least 1.")
        if not 0 <= stride < max_length:
            raise ArgumentError(f"The stride is {stride}; it must be from 0 to {max_length - 1}.")
        self.max_length = max_length
        self.stride = stride
        self.direction = _direction(direction)

    def windows(self, ids: list[int], around: int) -> list[list[int]]:
        """Returns the ids of a text in windows, starting with the one that is kept.

        ``around`` is the number of ids added around each.
        """
        size = self.max_length - around
        if size < 1 or self.stride >= size:
            raise ArgumentError(
                f"Of {self.max_length} tokens, {around} are added around the text, and {self.stride} are repeated,"
                " which leaves none for the text. Use a larger max_length."
            )
        windows = []
        step = size - self.stride
        begin, end = 0, len(ids)
        while True:
            if self.direction == RIGHT:
                windows.append(ids[begin : begin + size])
                begin += step
                ended = begin + self.stride >= len(ids)
            else:
                windows.append(ids[max(0, end - size) : end])
                end -= step
                ended = end - self.stride <= 0
            if ended:
                return windows


@final
class Padding:
    """How shorter texts are padded: with ``id``, to ``length`` ids, or to the longest text if it is 0.

    The length is rounded up to a multiple of ``multiple``. The direction is the side that is padded.
    Raises ArgumentError for a negative number, and for directions other than "left" and "right".
    """

    def __init__(
        self,
        id: int | Any,
        length: int | Any = 0,
        multiple: int | Any = 1,
        direction: str = RIGHT,
    ) -> None:
        id, length, multiple = id_of(id), whole_number(length), whole_number(multiple)
        if min(id, length, multiple) < 0:
            raise ArgumentError(
                "The id, the length and the multiple of a padding must not be negative."
            )
        self.id = id
        self.length = length
        self.multiple = multiple
        self.direction = _direction(direction)

    def size(self, longest: int) -> int:
        """Returns the number of ids that a batch is padded to, given that of its longest text."""
        size = self.length or longest
        return size + -size % self.multiple if self.multiple else size


@final
class Batch:
    """The ``ids`` of each text, and its ``attention_mask``: 1 for an id of the text, 0 for padding.

    ``overflowing`` has the windows cut off from each text, also padded.
    """

    def __init__(
        self,
        ids: list[list[int]],
        attention_mask: list[list[int]],
        overflowing: list[list[list[int]]],
    ) -> None:
        self.ids = ids
        self.attention_mask = attention_mask
        self.overflowing = overflowing

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Batch, (self.ids, self.attention_mask, self.overflowing)


def batch(
    tokenizer: Tokenizer,
    texts: Iterable[str],
    truncation: Truncation | None = None,
    padding: Padding | None = None,
    special: str | Collection[str] = "all",
    template: bool = True,
) -> Batch:
    """Returns the ids of texts as the tokenizers library prepares them for a model; ``special`` as in
    `Tokenizer.encode`.

    ``template``: with the ids that the tokenizer adds around a text, which count towards the length. Settings stored
    in a tokenizer.json apply only on request: with `stored_truncation` and `stored_padding`. Raises ArgumentError if
    tokenizers would leave a text untruncated because there is no room for any of its tokens.
    """
    around = tokenizer.template if template else None
    before = around.before if around is not None else []
    after = around.after if around is not None else []
    cut: list[list[list[int]]] = []
    for text in texts_of(texts):
        ids = tokenizer.encode_ids(text, special)
        windows = [ids]
        if truncation is not None:
            windows = truncation.windows(ids, len(before) + len(after))
        cut.append([[*before, *window, *after] for window in windows])
    masks = [[1] * len(windows[0]) for windows in cut]
    if padding is not None:
        size = padding.size(max([len(windows[0]) for windows in cut], default=0))
        masks = [_filled(mask, 0, size, padding.direction) for mask in masks]
        cut = [
            [_filled(window, padding.id, size, padding.direction) for window in windows]
            for windows in cut
        ]
    return Batch([windows[0] for windows in cut], masks, [windows[1:] for windows in cut])


def stored_truncation(tokenizer: Tokenizer) -> Truncation | None:
    """Returns the truncation stored in a tokenizer.json, if any; FormatError if it is invalid."""
    stored = _stored(tokenizer, "truncation")
    if stored is None:
        return None
    if stored.get("strategy") == "OnlySecond":
        raise FormatError(
            "The stored truncation shortens the second of two texts, but there is only one text."
        )
    return Truncation(_number(stored, "max_length"), _number(stored, "stride"), _side(stored))


def stored_padding(tokenizer: Tokenizer) -> Padding | None:
    """Returns the padding stored in a tokenizer.json, if any; FormatError if it is invalid."""
    stored = _stored(tokenizer, "padding")
    if stored is None:
        return None
    strategy = stored.get("strategy")
    length = _number(strategy, "Fixed") if isinstance(strategy, dict) else 0
    return Padding(
        _number(stored, "pad_id"),
        length,
        _number(stored, "pad_to_multiple_of"),
        _side(stored),
    )


def _stored(tokenizer: Tokenizer, name: str) -> dict[str, object] | None:
    stored_fields = tokenizer.stored.get(FIELDS)
    fields = json.loads(stored_fields) if stored_fields is not None else None
    stored = fields.get(name) if isinstance(fields, dict) else None
    return stored if isinstance(stored, dict) else None


def _number(stored: dict[str, object], name: str) -> int:
    value = stored.get(name)
    if value is None:
        return 0
    if not isinstance(value, int) or value < 0:
        raise FormatError(
            f"{name} of the stored truncation or padding is {value!r}, which is not a valid size."
        )
    return value


def _side(stored: dict[str, object]) -> str:
    return str(stored.get("direction", RIGHT)).lower()


def _direction(direction: str) -> str:
    if direction not in (LEFT, RIGHT):
        raise ArgumentError(f"The direction is {direction!r}; it must be {LEFT!r} or {RIGHT!r}.")
    return direction


def _filled(values: Sequence[int], value: int, size: int, direction: str) -> list[int]:
    more = [value] * (size - len(values))
    return [*more, *values] if direction == LEFT else [*values, *more]
