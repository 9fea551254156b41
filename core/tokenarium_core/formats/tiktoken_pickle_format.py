"""A pickle of one ``tiktoken.Encoding``, such as nanochat's ``tokenizer.pkl``. It is read, and never unpickled.

A pickle is a program, which may call anything. `PickledEncoding` runs the few of its instructions that this one object
needs: they make texts, bytes, numbers, dicts and the object, whose class is compared as a text. Anything else is refused
by its name, and nothing is imported or called.

Sources: ``Encoding.__getstate__`` in tiktoken's ``core.py``; ``pickletools`` in Python's library, for the instructions.
"""

from __future__ import annotations

from typing import Any, Final, final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.formats.format import (
    CERTAIN,
    NO,
    FileHead,
    Format,
    named_after_file,
)
from tokenarium_core.formats.plain_lines import pieces_by_id
from tokenarium_core.formats.tiktoken_format import check_order
from tokenarium_core.models.bpe.byte_pair_encoder import encoder_of_ranks
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

_CLASS: Final = ("tiktoken.core", "Encoding")
_MOST_STEPS: Final = 1 << 24
_MOST_DEPTH: Final = 1 << 13  # values that wait: a dict is written in parts of 1,000 entries
_HEAD: Final = 256

_SIZED: Final = {
    0x8C: ("utf-8", 1), 0x58: ("utf-8", 4), 0x8D: ("utf-8", 8),  # …BINUNICODE
    0x43: ("", 1), 0x42: ("", 4), 0x8E: ("", 8),  # …BINBYTES
}  # fmt: skip
_INTEGERS: Final = {0x4B: 1, 0x4D: 2, 0x4A: 4}  # BININT1, BININT2, BININT
_PUT: Final = {0x71: 1, 0x72: 4}  # BINPUT, LONG_BINPUT
_GET: Final = {0x68: 1, 0x6A: 4}  # BINGET, LONG_BINGET


@final
class _Name:
    """The class of the object, which is only a name here."""


@final
class _Mark:
    """Where a list of values begins."""


@final
class PickledEncoding:
    """The state of the encoding in a pickle: what ``__getstate__`` returned, the name of an encoding or its parts.

    Raises FormatError, with the byte, for any instruction, class or value that such a pickle does not need.
    """

    def __init__(self, data: bytes, source: str) -> None:
        self._data = data
        self._source = source
        self._at = 0
        self._stack: list[Any] = []
        self._memo: list[Any] = []
        self._object: _Encoding | None = None
        self.state: Any = self._run()

    def _fault(self, what: str) -> FormatError:
        return FormatError(
            f"{self._source} {what} at byte {self._at}, which a pickle of one tiktoken.Encoding does not need. Pickles can"
            " run any code, so nothing else in them is read."
        )

    def _take(self, size: int) -> bytes:
        start = self._at
        self._at += size
        if size < 0 or self._at > len(self._data):
            raise FormatError(
                f"{self._source} ends too early, after byte {len(self._data)}: the pickle is cut off."
            )
        return self._data[start : self._at]

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def _pop(self) -> Any:
        if not self._stack:
            raise self._fault("takes a value where there is none")
        return self._stack.pop()

    def _run(self) -> Any:
        for _ in range(_MOST_STEPS):
            code = self._number(1)
            if code == 0x2E:  # STOP
                if self._object is None or self._stack != [self._object]:
                    raise self._fault("ends with something other than the object")
                return self._object.state
            self._step(code)
            if len(self._stack) > _MOST_DEPTH:
                raise self._fault("keeps too many values")
        raise self._fault("has more instructions than a tokenizer")

    def _step(self, code: int) -> None:
        stack = self._stack
        if code in _SIZED:
            encoding, width = _SIZED[code]
            content = self._take(self._number(width))
            try:
                stack.append(content.decode() if encoding else content)
            except UnicodeDecodeError:
                raise self._fault("has a text that is not UTF-8") from None
        elif code in _INTEGERS:
            size = _INTEGERS[code]
            stack.append(int.from_bytes(self._take(size), "little", signed=size == 4))
        elif code == 0x94:  # MEMOIZE
            self._memo.append(self._top())
        elif code in _PUT:
            if self._number(_PUT[code]) != len(self._memo):
                raise self._fault("remembers values in an order that no pickler has")
            self._memo.append(self._top())
        elif code in _GET:
            number = self._number(_GET[code])
            if number >= len(self._memo):
                raise self._fault("recalls a value that does not exist")
            stack.append(self._memo[number])
        elif code == 0x80:  # PROTO
            self._take(1)
        elif code == 0x95:  # FRAME
            self._take(8)
        elif code == 0x7D:  # EMPTY_DICT
            stack.append({})
        elif code == 0x29:  # EMPTY_TUPLE
            stack.append(())
        elif code == 0x28:  # MARK
            stack.append(_Mark())
        elif code == 0x75:  # SETITEMS
            self._set_items()
        elif code == 0x73:  # SETITEM
            value = self._pop()
            key = self._pop()
            self._set(self._pop_dict(), key, value)
        elif code == 0x93:  # STACK_GLOBAL
            name = self._pop()
            self._name(self._pop(), name)
        elif code == 0x63:  # GLOBAL
            self._name(self._line(), self._line())
        elif code == 0x81:  # NEWOBJ
            arguments = self._pop()
            if not isinstance(self._pop(), _Name) or arguments != ():
                raise self._fault("makes another object")
            self._object = _Encoding()
            stack.append(self._object)
        elif code == 0x62:  # BUILD
            state = self._pop()
            top = self._top()
            if not isinstance(top, _Encoding) or top.built:
                raise self._fault("sets the state of something else")
            top.state = state
            top.built = True
        else:
            raise self._fault(f"has the instruction {_name_of(code)}")

    def _top(self) -> Any:
        if not self._stack:
            raise self._fault("takes a value where there is none")
        return self._stack[-1]

    def _line(self) -> str:
        end = self._data.find(b"\n", self._at, self._at + _HEAD)
        if end < 0:
            raise self._fault("has a name without an end")
        line = self._take(end - self._at)
        self._at += 1
        return line.decode("utf-8", "replace")

    def _name(self, module: Any, name: Any) -> None:
        if (module, name) != _CLASS:
            shown = f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else ""
            raise self._fault(f"names {shown[:80]!r}")
        self._stack.append(_Name())

    def _pop_dict(self) -> dict[Any, Any]:
        top = self._top()
        if not isinstance(top, dict):
            raise self._fault("puts entries into something other than a dict")
        return top

    def _set(self, into: dict[Any, Any], key: Any, value: Any) -> None:
        if not isinstance(key, (str, bytes)) or not isinstance(value, (str, int, dict)):
            raise self._fault("has an entry of another kind than texts, bytes and numbers")
        if key in into:
            raise self._fault(f"has the entry {key[:40]!r} twice")
        into[key] = value

    def _set_items(self) -> None:
        values: list[Any] = []
        value = self._pop()
        while not isinstance(value, _Mark):
            values.append(value)
            value = self._pop()
        into = self._pop_dict()
        if len(values) % 2:
            raise self._fault("has a key without a value")
        for index in range(len(values) - 1, 0, -2):
            self._set(into, values[index], values[index - 1])


@final
class _Encoding:
    """The object, before and after its state is set."""

    def __init__(self) -> None:
        self.state: Any = None
        self.built = False


def _name_of(code: int) -> str:
    from pickletools import opcodes  # which takes a moment, and is needed for a refusal alone

    for known in opcodes:
        if known.code == chr(code):
            return known.name
    return f"{code:#04x}"


def read_pickled_encoding(data: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a pickled ``tiktoken.Encoding``; ``source`` names it in errors.

    Raises FormatError for any other pickle, for ids out of range or used twice, for a pattern that cannot be run, and
    for a pickle that only names an encoding.
    """
    state = PickledEncoding(data, source).state
    if isinstance(state, str):
        raise FormatError(
            f"{source} only names the encoding {state[:80]!r}: open that by its name, if tiktoken has downloaded it."
        )
    ranks = state.get("mergeable_ranks") if isinstance(state, dict) else None
    special = state.get("special_tokens") if isinstance(state, dict) else None
    pattern = state.get("pat_str") if isinstance(state, dict) else None
    if not isinstance(ranks, dict) or not isinstance(special, dict) or not isinstance(pattern, str):
        raise FormatError(
            f"{source} is a pickle of an encoding without its pat_str, mergeable_ranks and special_tokens."
        )
    if not all(isinstance(text, str) and isinstance(token, int) for text, token in special.items()):
        raise FormatError(f"{source}: special_tokens are not ids by their texts.")
    try:
        cutter = tiktoken_pattern(pattern)
    except PatternError as error:
        raise FormatError(f"{source}: pat_str cannot be read: {error}") from error
    check_order(special, source)
    return tokenizer_of_ranks(ranks, special, cutter, source)


def tokenizer_of_ranks(
    ranks: dict[Any, Any], special: dict[str, int], cutter: PreTokenizer, source: str
) -> Tokenizer:
    """Returns the tokenizer of ranks by their bytes; FormatError, with the entry, for other keys and values."""
    pieces: dict[int, bytes] = {}
    for piece, rank in ranks.items():
        if not isinstance(piece, bytes) or not isinstance(rank, int):
            raise FormatError(f"{source} has ranks that are not numbers of bytes: {piece!r:.40}.")
        if not 0 <= rank < MAX_IDS:
            raise FormatError(
                f"{source} has the rank {rank} of {piece[:40]!r}; ranks are from 0 to {MAX_IDS - 1:,}."
            )
        if rank in pieces:
            raise FormatError(
                f"{source} has the rank {rank} twice, of {pieces[rank][:40]!r} and {piece[:40]!r}."
            )
        pieces[rank] = piece
    vocabulary = pieces_by_id(pieces, special, source)
    return Tokenizer(source, encoder_of_ranks(vocabulary), cutter, of_special(special))


def _recognized(head: FileHead) -> int:
    """A pickle that begins with the class of tiktoken."""
    start = head.content[:_HEAD]
    named = b"tiktoken.core" in start and b"Encoding" in start
    return CERTAIN if named and start.startswith(b"\x80") else NO


FORMAT: Final[Format] = Format(
    "tiktoken-pickle",
    "tiktoken's encoding as a pickle",
    "tiktoken pickle",
    (".pkl", ".pickle"),
    _recognized,
    named_after_file(read_pickled_encoding),
    signs="A pickle whose first object is of the class `tiktoken.core.Encoding`; it is read, and never unpickled.",
    algorithms="byte-level BPE by ranks",
    compared="tiktoken 0.14",
    folder_names=("tokenizer.pkl",),
)
