"""The decoders of a tokenizer.json, including WordPiece's: steps from the spellings of tokens to a text.

Each follows its file in huggingface/tokenizers (``tokenizers/src/decoders``, 0.23). Where that crashes
(a Strip that would remove more than there is), these remove what there is.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.decoders.decoder import LEAST_TEXT, Decoder, check_growth, check_text
from tokenarium_core.errors import FormatError, IdError
from tokenarium_core.normalized_text import room_for
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundPattern
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import UNUSED, Vocabulary

_CLEANED: Final = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
]
"""The replacements of ``cleanup`` in each piece, in order."""


def surface(vocabulary: Vocabulary, token: int) -> str:
    """Returns a piece as spelled in its file; IdError for an id without one."""
    piece = vocabulary.surface(token)
    if not piece and vocabulary.kinds[token] == UNUSED:
        raise IdError(f"The id {token} is unused: it stands for nothing.")
    return piece


def continued(piece: str, prefix: str) -> str:
    """Returns what a piece adds to the text before it: itself without the prefix, or after a space."""
    return piece[len(prefix) :] if piece.startswith(prefix) else " " + piece


def cleaned(part: str) -> str:
    """Returns a part of a text without the spaces that English omits."""
    if " " in part:
        for spaced, joined in _CLEANED:
            part = part.replace(spaced, joined)
    return part


_HEX: Final = frozenset("0123456789abcdefABCDEF")


class DecoderStep:
    """Base of all steps: a name, and a function of a list of tokens."""

    def __init__(self, name: str) -> None:
        self.name = name

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens after this step; there may be fewer or more of them."""
        raise NotImplementedError

    def check(self, tokens: list[str], room: i64) -> None:
        """Raises RoomError if the output of this step would exceed ``room`` characters.

        Most steps at most double the length of a token and add one character.
        """
        size: i64 = len(tokens)
        for token in tokens:
            size += 2 * len(token)
        check_growth(f"The decoder {self.name}", room, size)


@final
class StepsDecoder(Decoder):
    """Passes tokens as spelled in their file through steps, and joins the result.

    The ids in ``left_out``, those of the special tokens, give no text. Without steps and with ``spaced``,
    the tokens are joined by spaces, as in the reference if a file has no decoder.
    """

    def __init__(
        self,
        steps: list[DecoderStep],
        left_out: frozenset[int] = frozenset(),
        spaced: bool = False,
    ) -> None:
        super().__init__(" → ".join([step.name for step in steps]) or "none", left_out)
        self.steps = steps
        self.spaced = spaced

    def choosing(self, special: frozenset[int], skips: bool) -> Decoder:
        """Returns this decoder, leaving out special tokens as usual, or nothing; see `Decoder.choosing`."""
        return self if skips else StepsDecoder(self.steps, frozenset(), self.spaced)

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the text of some ids as UTF-8; IdError for an id without a piece."""
        left_out = self.left_out
        count: i64 = len(ids)
        size: i64 = 0
        tokens: list[str] = []
        for token in ids:
            if token not in left_out:
                text = surface(vocabulary, token)
                tokens.append(text)
                size += len(text)
                if size > LEAST_TEXT:
                    check_text("The decoder", count, size)
        room = room_for(size)  # as for texts that are encoded
        most = size  # characters so far, counted only if they could be too many
        for step in self.steps:
            growth: i64 = 2
            if isinstance(step, ReplaceStep):
                growth += len(step.content)
            most = (most + len(tokens)) * growth
            if most > room:
                step.check(tokens, room)
                tokens = step.apply(tokens)
                most = 0
                for text in tokens:
                    most += len(text)
            else:
                tokens = step.apply(tokens)
        return (" " if self.spaced else "").join(tokens).encode("utf-8", "replace")


@final
class ByteLevelStep(DecoderStep):
    """Joins all tokens into one: the bytes that the characters of GPT-2's alphabet stand for.

    A token with any other character is kept as text.
    """

    def __init__(self) -> None:
        super().__init__("ByteLevel")

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the text, with U+FFFD for what is not UTF-8."""
        known = byte_alphabet.BYTES
        parts: list[bytes] = []
        for token in tokens:
            if all(character in known for character in token):
                parts.append(byte_alphabet.to_bytes(token))
            else:
                parts.append(token.encode("utf-8", "replace"))
        return [b"".join(parts).decode("utf-8", "replace")]


@final
class ByteFallbackStep(DecoderStep):
    """Joins consecutive tokens such as ``<0xE5>`` into their character; U+FFFD for each if they are not UTF-8."""

    def __init__(self) -> None:
        super().__init__("ByteFallback")

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens with those of single bytes joined."""
        result: list[str] = []
        waiting = bytearray()
        for token in tokens:
            byte = byte_of(token)
            if byte >= 0:
                waiting.append(byte)
                continue
            if waiting:
                result += characters_of(bytes(waiting))
                waiting.clear()
            result.append(token)
        if waiting:
            result += characters_of(bytes(waiting))
        return result


def byte_of(token: str) -> int:
    """Returns the byte that ``<0x0A>`` stands for, -1 for other tokens."""
    if len(token) != 6 or not token.startswith("<0x") or token[5] != ">":
        return -1
    digits = token[4] if token[3] == "+" else token[3:5]
    return int(digits, 16) if _HEX.issuperset(digits) else -1


def characters_of(data: bytes) -> list[str]:
    """Returns the text of bytes as one token, or U+FFFD for each if they are not UTF-8."""
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)


@final
class FuseStep(DecoderStep):
    """Joins all tokens into one."""

    def __init__(self) -> None:
        super().__init__("Fuse")

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the one token."""
        return ["".join(tokens)]


@final
class ReplaceStep(DecoderStep):
    """Replaces every match of a pattern in a token with ``content``."""

    def __init__(self, pattern: FoundPattern, content: str) -> None:
        super().__init__("Replace")
        self.pattern = pattern
        self.content = content

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens with the replacements."""
        return [self._replaced(token) for token in tokens]

    def check(self, tokens: list[str], room: i64) -> None:
        """Counts the matches if there could be too many; see `DecoderStep.check`."""
        longest: i64 = max(len(self.content), 1)
        size: i64 = 0
        for token in tokens:
            size += len(token)
        if size + (size + len(tokens)) * longest > room:
            for token in tokens:
                data = padded(token)
                matches = self.pattern.regions(data, 0, len(data) - PADDING)
                for index in range(matches.count):
                    if i64(matches.found[index]):
                        size += longest
                check_growth("The decoder Replace", room, size)

    def _replaced(self, token: str) -> str:
        data = padded(token)
        size = len(data) - PADDING
        if size == 0:
            return ""
        matches = self.pattern.regions(data, 0, size)
        parts: list[str] = []
        start = 0
        for index in range(matches.count):
            stop = int(matches.stops[index])
            parts.append(self.content if matches.found[index] else data[start:stop].decode())
            start = stop
        return "".join(parts)


@final
class StripStep(DecoderStep):
    """Removes up to ``start`` of one character before a token, and up to ``stop`` after it."""

    def __init__(self, content: str, start: int, stop: int) -> None:
        super().__init__("Strip")
        if len(content) != 1:
            raise FormatError(
                f"The content of the decoder Strip must be one character, not {content!r}."
            )
        self.content = content
        self.start = start
        self.stop = stop

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens without them."""
        result: list[str] = []
        for token in tokens:
            first = len(token) - len(token.lstrip(self.content))
            first = min(first, self.start)
            last = len(token.rstrip(self.content))
            last = max(last, len(token) - self.stop, first)
            result.append(token[first:last])
        return result


@final
class MetaspaceStep(DecoderStep):
    """Replaces each marker with a space; in the first token with nothing, unless no marker is added before a text."""

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always") -> None:
        super().__init__("Metaspace")
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens with spaces."""
        first = " " if self.prepend_scheme == "never" else ""
        return [
            token.replace(self.replacement, " " if index else first)
            for index, token in enumerate(tokens)
        ]


@final
class BpeStep(DecoderStep):
    """Replaces the end-of-word marker with a space; with nothing in the last token."""

    def __init__(self, suffix: str = "</w>") -> None:
        super().__init__("BPEDecoder")
        self.suffix = suffix

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens with spaces; an empty marker matches between all characters, as in the reference."""
        last = len(tokens) - 1
        return [
            token.replace(self.suffix, " " if index < last else "")
            for index, token in enumerate(tokens)
        ]


@final
class CtcStep(DecoderStep):
    """Removes padding, and tokens that repeat the one before; ``cleanup`` puts spaces between words."""

    def __init__(
        self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True
    ) -> None:
        super().__init__("CTC")
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the remaining text."""
        result: list[str] = []
        before: str | None = None
        for token in tokens:
            if token == before:
                continue
            before = token
            left = token.replace(self.pad_token, "")
            if self.cleanup:
                left = cleaned(left).replace(self.word_delimiter_token, " ")
            if left:
                result.append(left)
        return result


@final
class WordPieceStep(DecoderStep):
    """Puts a space before each token that does not continue a word, except the first."""

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        super().__init__("WordPiece")
        self.prefix = prefix
        self.cleanup = cleanup

    def apply(self, tokens: list[str]) -> list[str]:
        """Returns the tokens with spaces."""
        result: list[str] = []
        known: dict[str, str] = {}  # most tokens occur many times
        for token in tokens:
            part = known.get(token)
            if part is None:
                part = token if not result else continued(token, self.prefix)
                if self.cleanup:
                    part = cleaned(part)
                if result:
                    known[token] = part
            result.append(part)
        return result
