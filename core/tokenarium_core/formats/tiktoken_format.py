"""Reading tiktoken's files: each line has a piece in base64 and its rank, which is its id.

The file does not contain the pattern and the special tokens. They are in a JSON file next to it, named with
`PATTERN_SUFFIX`. ``tiktoken.Encoding(**json, mergeable_ranks=load_tiktoken_bpe(ranks))`` takes the two together, once
the field `RANKS_HASH` is removed from the JSON: it says which ranks the file belongs to.

Source: ``load_tiktoken_bpe`` in tiktoken's ``tiktoken/load.py``, and ``tiktoken/core.py``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import AddedToken, AddedTokens, of_special
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.byte_level import obstacle_to_bytes
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.format import (
    CERTAIN,
    HEAD_BYTES,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.named import NAMED, NamedEncoding
from tokenarium_core.formats.tiktoken_families import (
    FOLDER_NAMES,
    TiktokenFamily,
    family_of,
    is_of_family,
)
from tokenarium_core.models.bpe.byte_pair_encoder import (
    BytePairEncoder,
    encoder_of_ranks,
    load_encoder,
)
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.plain_files import read_file
from tokenarium_core.pretokenizers.pattern import TIKTOKEN_PATTERN
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS
from tokenarium_core.pretokenizers.tiktoken_pattern import (
    obstacle_of_tiktoken,
    tiktoken_cutting,
    tiktoken_pattern,
)
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
    with_control_pieces,
)

TIKTOKEN: Final = "tiktoken"
"""The name of the format, also for encodings opened by name."""

# The entry of no bytes, "= 50256", is the last one in Whisper's files; as the first one another has to follow.
_LINE: Final = re.compile(rb"(?:= [0-9]+\r?\n)?[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|\Z)")
_WHOLE_LINE: Final = re.compile(
    rb"(?:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)|=) [0-9]+\r?"
)
_ENOUGH_LINES: Final = 16  # no text has four letters and a number in each
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NO_DIGIT: Final = 255
_SPACE: Final = 32
_NEWLINE: Final = 10
_RETURN: Final = 13
_EQUALS: Final = 61
_ZERO: Final = 48


def read_tiktoken(
    data: bytes,
    source: str,
    name: str,
    pre_tokenizer: PreTokenizer,
    special_tokens: dict[str, int],
    out: CacheWriter | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a ``.tiktoken`` file's content; ``source`` names it in errors.

    The parsed form is written to ``out`` for `load_tiktoken`.

    Raises FormatError, with the line, for anything other than base64 and a rank, a duplicate rank or piece, a
    rank without a piece, and a special token whose id belongs to a piece.
    """
    return _tokenizer_of(_Ranks(data, source, out), name, pre_tokenizer, special_tokens)


def load_tiktoken(
    cached: CacheReader,
    source: str,
    name: str,
    pre_tokenizer: PreTokenizer,
    special_tokens: dict[str, int],
) -> Tokenizer:
    """Returns the tokenizer whose ranks `read_tiktoken` wrote to its ``out``; the rest as there."""
    return _tokenizer_of(_Ranks(b"", source, cached=cached), name, pre_tokenizer, special_tokens)


def _tokenizer_of(
    ranks: _Ranks,
    name: str,
    pre_tokenizer: PreTokenizer,
    special_tokens: dict[str, int],
    composed: bool = False,
) -> Tokenizer:
    """Returns the tokenizer of ranks; ``composed``: all of a text is put into NFC, and special tokens are found there."""
    by_id = _special_by_id(special_tokens, ranks)
    special = of_special(special_tokens)
    if composed:
        special = AddedTokens(
            [AddedToken(text, id, normalized=True) for text, id in special_tokens.items()]
        )
    return Tokenizer(
        name,
        ranks.model(by_id),
        pre_tokenizer,
        special,
        UnicodeNormalizer("NFC") if composed else None,
    )


def check_order(special_tokens: dict[str, int], source: str) -> None:
    """Raises FormatError for two special tokens of which one is a prefix of the other.

    tiktoken (0.14) takes the first of them in the order of its hash table, which no file records.
    """
    alike = begin_alike(special_tokens)
    if alike is not None:
        raise FormatError(
            f"The special tokens of {source} cannot be told apart as in tiktoken: {alike[1]!r} begins with {alike[0]!r}, and"
            " which of the two tiktoken finds in a text follows from its hash table. Leave one out, or give it another"
            " name."
        )


def begin_alike(special_tokens: dict[str, int]) -> tuple[str, str] | None:
    """Returns two special tokens of which the first is a prefix of the second; None if there are none."""
    for first, second in pairwise(sorted(special_tokens)):
        if second.startswith(first):
            return first, second
    return None


def _special_by_id(special_tokens: dict[str, int], ranks: _Ranks) -> dict[int, bytes]:
    """Returns the special tokens by id; FormatError if a piece has the id, or it is out of range.

    Two special tokens may share an id (as in o200k_harmony): its piece is then the first one's text.
    """
    by_id: dict[int, bytes] = {}
    for token, number in special_tokens.items():
        if number < 0 or number >= MAX_IDS:
            raise FormatError(
                f"The special token {token!r} has the id {number}, which is out of range."
            )
        if ranks.has(number):
            raise FormatError(
                f"The special token {token!r} has the id {number}, which another entry of {ranks.source} already has. Give"
                " it an id of its own."
            )
        by_id.setdefault(number, token.encode())
    return by_id


@final
class _Ranks:
    """The entries of a file of ranks, as it has them or from the cache; ``count`` is one more than the highest rank.

    The model is written to ``out``: that of the ranks alone, which is the same whatever tokens are special.
    """

    def __init__(
        self,
        data: bytes,
        source: str,
        out: CacheWriter | None = None,
        cached: CacheReader | None = None,
    ) -> None:
        self.source = source
        self._data = data
        self._out = out
        self._digest = ""
        self._model: BytePairEncoder | None = None
        if cached is not None:
            self._digest = cached.text()
            self._model = load_encoder(cached)
            self._kinds = self._model.vocabulary.kinds
        else:
            self._lines = _RankLines(data, source)
            self._kinds = self._lines.kinds()
        self.count = len(self._kinds)

    def has(self, rank: int) -> bool:
        """Returns whether an entry has this rank."""
        return rank < self.count and i64(self._kinds[rank]) != UNUSED

    def digest(self) -> str:
        """Returns the SHA-256, in hexadecimal, of the lines as they end on Unix."""
        if not self._digest:
            self._digest = hashlib.sha256(self._data.replace(b"\r\n", b"\n")).hexdigest()
        return self._digest

    def model(self, special: dict[int, bytes]) -> BytePairEncoder:
        """Returns the model with special tokens by their ids; FormatError for a remaining gap."""
        for rank in range(self.count):
            if i64(self._kinds[rank]) == UNUSED and rank not in special:
                raise FormatError(
                    f"{self.source} has no entry of rank {rank}, though it has higher ranks: some of it is"
                    " missing. Get the whole file, or name the special token that has this id."
                )
        model = self._model
        if model is None:
            model = encoder_of_ranks(self._lines.vocabulary(self._kinds))
            if self._out is not None:
                self._out.text(self.digest())
                model.dump(self._out)
                self._out.complete = True
        vocabulary = with_control_pieces(model.vocabulary, special)
        model.merges.widen(vocabulary.count)
        return model.on(vocabulary)


_CUT: Final = "is cut off: the file ends in the middle of it. Get the whole file"


class _RankLines:
    """The pieces of a file: by rank, where each begins in ``bytes`` and how long it is (-1: none)."""

    def __init__(self, data: bytes, source: str) -> None:
        self.source = source
        self.bytes = b""
        self.starts = vec[i32]()
        self.sizes = vec[i32]()
        self._read(data)

    def _read(self, data: bytes) -> None:
        if len(data) > 1 << 28:
            raise FormatError(f"{self.source} is larger than 256 MiB: this is not a vocabulary.")
        digits = vec[u8]([_NO_DIGIT] * 256)
        for index in range(64):
            digits[i64(_ALPHABET[index])] = u8(index)
        length: i64 = len(data)
        starts = vec[i32]([-1] * 1024)
        sizes = vec[i32]([0] * 1024)
        largest: i64 = -1
        writer = BytesWriter()
        at: i64 = 0
        line: i64 = 0
        while at < length:
            line += 1
            start: i64 = len(writer)
            # The piece: four characters of base64 are three bytes.
            bits: i64 = 0
            held: i64 = 0
            characters: i64 = 0
            while at < length:
                byte: i64 = data[at]
                digit: i64 = i64(digits[byte])
                if digit == _NO_DIGIT:
                    break
                bits = (bits << 6 | digit) & 0xFFFFFF
                held += 6
                characters += 1
                if held >= 8:
                    held -= 8
                    writer.append(u8(bits >> held & 255))
                at += 1
            padding: i64 = 0
            byte = data[at] if at < length else _NEWLINE
            while byte == _EQUALS:
                padding += 1
                at += 1
                byte = data[at] if at < length else _NEWLINE
            if characters == 0 and padding == 0 and (byte == _NEWLINE or byte == _RETURN):
                at += 1  # an empty line
                continue
            if at == length:
                raise self._error(line, _CUT)
            if byte != _SPACE:
                raise self._error(line, "is not base64, a space and a rank")
            whole = (characters + padding) & 3 == 0 and characters & 3 != 1
            if padding > 2 or not (whole or characters == 0):
                raise self._error(line, "has an entry whose base64 is cut off")
            at += 1
            rank: i64 = 0
            first: i64 = at
            while at < length:
                byte = data[at]
                byte -= _ZERO
                if byte < 0 or byte > 9:
                    break
                rank = rank * 10 + byte
                at += 1
                if rank >= MAX_IDS:
                    raise self._error(line, f"has a rank above {MAX_IDS - 1:,}, the most that fits")
            if at == first:
                raise self._error(line, _CUT if at == length else "has no rank after its entry")
            byte = data[at] if at < length else _NEWLINE
            while byte == _RETURN:
                at += 1
                byte = data[at] if at < length else _NEWLINE
            if byte != _NEWLINE:
                raise self._error(line, "continues after its rank")
            at += 1
            while rank >= len(starts):
                starts = _doubled(starts)
                sizes = _doubled(sizes)
            if i64(starts[rank]) >= 0:
                twice = f"has the rank {rank}, which an earlier line already has"
                raise self._error(line, _CUT if at > length else twice)
            starts[rank] = i32(start)
            sizes[rank] = i32(len(writer) - start)
            largest = rank if rank > largest else largest
        if largest < 0:
            raise FormatError(
                f"{self.source} is empty: a .tiktoken file has a line for each entry."
            )
        self.bytes = writer.getvalue()
        self.starts = starts[: largest + 1]
        self.sizes = sizes[: largest + 1]

    def kinds(self) -> vec[u8]:
        """Returns the kinds of the pieces by their ranks, which are their ids; a rank without an entry is unused."""
        kinds = vec[u8]([NORMAL] * len(self.starts))
        for rank in range(len(kinds)):
            if i64(self.starts[rank]) < 0:
                kinds[rank] = UNUSED
            elif i64(self.sizes[rank]) == 1:
                kinds[rank] = BYTE
        return kinds

    def vocabulary(self, kinds: vec[u8]) -> Vocabulary:
        """Returns the pieces by their ranks, of these kinds."""
        pieces = PieceArena(len(kinds))
        for rank in range(len(kinds)):
            start: i64 = i64(self.starts[rank])
            size: i64 = i64(self.sizes[rank])
            pieces.add(self.bytes[start : start + size] if start >= 0 else b"", i64(kinds[rank]))
        return Vocabulary(pieces)

    def _error(self, line: i64, what: str) -> FormatError:
        return FormatError(f"Line {line} of {self.source} {what}.")


def _doubled(old: vec[i32]) -> vec[i32]:
    larger = vec[i32]([-1] * (len(old) * 2))
    for index in range(len(old)):
        larger[index] = old[index]
    return larger


PATTERN_SUFFIX: Final = ".pattern.json"
"""The end of the name of the file with the pattern, instead of ``.tiktoken``."""

RANKS_HASH: Final = "ranks_sha256"
"""The field of that file with the SHA-256 of the ranks, in hexadecimal digits."""


def _obstacle(tokenizer: Tokenizer) -> str:
    cutter = tokenizer.pre_tokenizer
    reason = obstacle_to_bytes(tokenizer)
    if not reason and cutter.name != TIKTOKEN_PATTERN:
        reason = obstacle_of_tiktoken(cutter)
    if reason:
        return reason
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    kinds = model.vocabulary.kinds
    gap: i64 = -1
    for token in range(len(kinds)):
        kind: i64 = i64(kinds[token])
        if kind == UNUSED:
            gap = token
        elif kind != CONTROL and gap >= 0:
            return f"The ranks of tiktoken are the ids, without gaps, and here the id {gap} has no entry."
    if model.whole_pieces:
        return ""
    results = model.merges.results
    last: i64 = -1
    for rank in range(len(results)):
        result: i64 = i64(results[rank])
        if result >= 0:
            if result < last:
                return (
                    "The ranks of tiktoken are the ids, but the merges of this tokenizer come in a different order:"
                    f" entry {result} is merged after entry {last}."
                )
            last = result
    if not _has_merges_of_ranks(model):
        return (
            "tiktoken merges any two entries that together are a third one, but some entries of this tokenizer come"
            " from other merges than the ranks alone would lead to, or from none."
        )
    return ""


def _has_merges_of_ranks(model: BytePairEncoder) -> bool:
    """Returns whether the merges are those found in the ranks; every entry then has one."""
    encoder = encoder_of_ranks(model.vocabulary)
    if encoder.whole_pieces or encoder.merges.pairs != model.merges.pairs:
        return False
    table = model.merges
    for rank in range(len(table)):
        result: i64 = i64(table.results[rank])
        if result >= 0 and (
            table.lefts[rank] != encoder.merges.lefts[result]
            or table.rights[rank] != encoder.merges.rights[result]
        ):
            return False
    return True


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    """Returns the file of the ranks, and that of the pattern and the special tokens."""
    vocabulary = tokenizer.vocabulary
    lines: list[bytes] = []
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == NORMAL or kind == BYTE:
            lines.append(base64.b64encode(vocabulary.piece(token)) + b" %d\n" % token)
    ranks = b"".join(lines)
    beside = {
        "name": tokenizer.name,
        "pat_str": tokenizer.pre_tokenizer.pattern,
        "special_tokens": tokenizer.special_tokens,
        RANKS_HASH: hashlib.sha256(ranks).hexdigest(),
    }
    return {
        f"{stem}.tiktoken": ranks,
        f"{stem}{PATTERN_SUFFIX}": json.dumps(beside, ensure_ascii=False, indent=1).encode()
        + b"\n",
    }


def lacks_pattern(path: Path) -> bool:
    """Returns whether neither its hash nor a file next to it says how a file of ranks splits a text.

    OSError if the file cannot be read.
    """
    if path.with_name(path.stem + PATTERN_SUFFIX).is_file():
        return False
    if is_of_family(path):
        return False
    size = path.stat().st_size
    if not any(file.size == size for encoding in NAMED.values() for file in encoding.files):
        return True
    return _named_by(hashlib.sha256(read_file(path, size)).hexdigest()) is None


def _named_by(digest: str) -> NamedEncoding | None:
    """Returns the encoding to which ranks with this SHA-256 belong."""
    for encoding in NAMED.values():
        if encoding.files[0].sha256 == digest:
            return encoding
    return None


def _recognized(head: FileHead) -> int:
    if _LINE.match(head.content) is None:
        return NO
    lines = head.content[:HEAD_BYTES].split(b"\n")[:-1]
    rows = [line.rstrip(b"\r").split(b" ") for line in lines if _WHOLE_LINE.fullmatch(line)]
    if 2 * len(rows) < len(lines) and not head.name.endswith((".tiktoken", ".model")):
        return NO  # a dictionary of fairseq, which has words and counts
    if len(lines) < _ENOUGH_LINES or len(rows) < len(lines):
        return LIKELY
    apart = len({row[0] for row in rows}) == len(rows) == len({row[1] for row in rows})
    return CERTAIN if apart else LIKELY


def _opened(file: TokenizerFile) -> Tokenizer:
    file.digest = hashlib.sha256(file.content).hexdigest()
    return _completed(file, None)


def _loaded(cached: CacheReader, file: TokenizerFile) -> Tokenizer:
    return _completed(file, cached)


def _completed(file: TokenizerFile, cached: CacheReader | None) -> Tokenizer:
    """Returns the tokenizer of a file of ranks, and of what else says how it splits a text."""
    path = file.path
    name = file.name
    pattern = file.pattern
    cutter: PreTokenizer | None = None
    special: dict[str, int] = {}
    beside = path.with_name(path.stem + PATTERN_SUFFIX)
    if beside.is_file():
        file.files = [path, beside]
        if pattern is None:
            name, pattern, special = _beside(beside, path.name, file.digest)
            cutter = tiktoken_pattern(pattern)  # a word is not a name there
    ranks = _Ranks(file.content, path.name, file.out, cached)
    family = family_of(path, ranks.digest(), ranks.count) if pattern is None else None
    if family is not None:
        return _of_family(family, ranks, file)
    if pattern is None:
        encoding = _named_by(file.digest)
        if encoding is None:
            raise FormatError(
                f"{path.name} has entries and their ranks, but not the pattern that splits a text: choose one"
                f" ({', '.join(PRE_TOKENIZERS)}, or a regular expression)."
            )
        name, special, pattern = encoding.name, encoding.special_tokens, encoding.pre_tokenizer
    if cutter is None:
        cutter = tiktoken_cutting(pattern)
    special = {**special, **file.special_tokens}
    check_order(special, path.name)
    return _tokenizer_of(ranks, name, cutter, special)


def _of_family(family: TiktokenFamily, ranks: _Ranks, file: TokenizerFile) -> Tokenizer:
    """Returns the tokenizer of a file of ranks whose model is known."""
    special = {**family.special, **file.special_tokens}
    check_order(special, file.path.name)
    cutter = tiktoken_cutting(family.pattern)
    tokenizer = _tokenizer_of(ranks, file.name, cutter, special, family.composed)
    if family.before:
        for text in family.before:
            if text not in special:
                raise FormatError(
                    f"The settings beside {file.path.name} have no token {text!r}, which its class puts before a text."
                )
        ids = [special[text] for text in family.before]
        tokenizer.template = Template(f"{' '.join(family.before)} before a text", ids, [])
    tokenizer.details = [Detail(TIKTOKEN, "model", family.title)]
    file.files = [file.path, *family.files]
    return tokenizer


def _beside(path: Path, source: str, digest: str) -> tuple[str, str, dict[str, int]]:
    """Returns the name, the pattern and the special tokens in the file next to the ranks with this SHA-256.

    Raises FormatError if it names different ranks: one of the two is then older. A file without a hash is accepted.
    """
    stored = whole_json(content_of(path), path.name)
    fields = stored if isinstance(stored, dict) else {}
    name = fields.get("name")
    pattern = fields.get("pat_str")
    special = fields.get("special_tokens")
    if (
        not isinstance(name, str)
        or not isinstance(pattern, str)
        or not isinstance(special, dict)
        or not {type(token) for token in special.values()} <= {int}
    ):
        raise FormatError(
            f"{path.name} should have the fields 'name' and 'pat_str' (texts) and 'special_tokens' (ids by text)."
            " Move it away to choose the pattern by hand."
        )
    if RANKS_HASH in fields and fields[RANKS_HASH] != digest:
        raise FormatError(
            f"{path.name} belongs to other ranks than those in {source}: one of the two was replaced without the other."
            " Save the tokenizer again, or move the file with the pattern away to choose one by hand."
        )
    return name, pattern, special


FORMAT: Final[Format] = Format(
    TIKTOKEN,
    "tiktoken ranks and pattern",
    "tiktoken",
    (".tiktoken",),
    _recognized,
    _opened,
    signs="Each of the first lines is an entry in base64, a space and a rank; no two are alike.",
    algorithms="byte-level BPE by ranks",
    compared="tiktoken 0.14",
    writes="Byte-level BPE whose merges come in the order of the ids, with a second file for the pattern and the special tokens.",
    own_names=(".tiktoken",),
    folder_names=FOLDER_NAMES,
    load=_loaded,
    takes_pattern=True,
    obstacle=_obstacle,
    write=_written,
    reference="tiktoken",
)
