"""The file of minbpe, ``.model``: a text of lines, which begins with ``minbpe v1``.

```
minbpe v1
'(?i:[sdmt]|ll|ve|re)|…      the pattern of RegexTokenizer; an empty line for BasicTokenizer, which cuts nothing
1                            how many special tokens there are; then each: its text, and its id
<|endoftext|> 512
101 32                       the merges: two ids, which become the ids from 256 on
```

The ids below 256 are the bytes. Two merges may make the same bytes: these are two entries. Source:
``minbpe/base.py`` and ``minbpe/regex.py`` of karpathy/minbpe.
"""

from __future__ import annotations

import re
from typing import Final

from mypy_extensions import i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.formats.byte_level import obstacle_to_bytes
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Files, Format, named_after_file
from tokenarium_core.formats.plain_lines import lines_of, pieces_by_id
from tokenarium_core.formats.tiktoken_format import begin_alike
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder, encoder_of_merges
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.pretokenizers.pattern import RegexPreTokenizer
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

_HEAD: Final = "minbpe v1"
_BYTES: Final = 256
_MOST_BYTES: Final = 1 << 28  # of all entries together
_MERGE: Final = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")
_COUNT: Final = re.compile(r"\s*([0-9]{1,9})\s*")
_SPECIAL: Final = re.compile(r"\s*(\S+)\s+([0-9]{1,9})\s*")


def read_minbpe(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a file of minbpe; ``source`` names it in errors.

    Raises FormatError, with the line, for a file that ends too early, for a merge of ids that do not exist yet or that
    was there before, for a special token or an id that was there before, and for a pattern that does not compile.
    """
    lines = list(lines_of(content, source))
    head = [line for _, line in lines[:3]]
    if len(head) < 3 or head[0].strip() != _HEAD:
        raise FormatError(
            f"{source} ends too early: it has the line {_HEAD!r}, a pattern, and the number of special tokens."
        )
    counted = _COUNT.fullmatch(head[2])
    if counted is None:
        raise FormatError(
            f"Line 3 of {source} is {head[2]!r}, where the number of special tokens should be."
        )
    count = int(counted[1])
    if len(lines) < 3 + count:
        raise FormatError(
            f"{source} ends too early, after line {len(lines)}: it names {count:,} special tokens."
        )
    special = _special_tokens(lines[3 : 3 + count], source)
    pieces, table = _merges(lines[3 + count :], source)
    vocabulary = pieces_by_id(dict(enumerate(pieces)), special, source)
    return Tokenizer(
        source,
        encoder_of_merges(vocabulary, table),
        _cutter(head[1], source),
        of_special(special),
    )


def _special_tokens(lines: list[tuple[int, str]], source: str) -> dict[str, int]:
    special: dict[str, int] = {}
    for number, line in lines:
        match = _SPECIAL.fullmatch(line)
        if match is None:
            raise FormatError(f"Line {number} of {source} is not a special token and its id.")
        if match[1] in special or int(match[2]) in special.values():
            raise FormatError(
                f"Line {number} of {source} has a special token or an id that an earlier line has."
            )
        special[match[1]] = int(match[2])
    names = list(special)
    alike = begin_alike(special)
    if alike is not None and names.index(alike[0]) < names.index(alike[1]):
        raise FormatError(
            f"{source} has the special token {alike[0]!r} before {alike[1]!r}, which begins with it, so minbpe never"
            " finds it. Put the longer one first."
        )
    return special


def _merges(lines: list[tuple[int, str]], source: str) -> tuple[list[bytes], MergeTable]:
    if len(lines) + _BYTES > MAX_IDS:
        raise FormatError(f"{source} has more merges than the {MAX_IDS:,} entries that fit.")
    pieces = [bytes([byte]) for byte in range(_BYTES)]
    table = MergeTable(len(lines))
    size: i64 = 0
    for rank, (number, line) in enumerate(lines):
        match = _MERGE.fullmatch(line)
        if match is None:
            raise FormatError(f"Line {number} of {source} is not a merge, which is two ids.")
        left, right = int(match[1]), int(match[2])
        for part in (left, right):
            if part >= len(pieces):
                raise FormatError(
                    f"Line {number} of {source} merges the id {part}, which no line before it makes."
                )
        if not table.set(rank, left, right, _BYTES + rank):
            raise FormatError(f"Line {number} of {source} repeats an earlier merge.")
        size += len(pieces[left]) + len(pieces[right])
        if size > _MOST_BYTES:
            raise FormatError(f"The entries of {source} have more than 256 MiB at line {number}.")
        pieces.append(pieces[left] + pieces[right])
    return pieces, table


def _cutter(pattern: str, source: str) -> PreTokenizer:
    if not pattern:
        return WholeText()
    try:
        cutter = regex_pre_tokenizer(pattern)
        groups: int = compile_source(pattern).groups
    except PatternError as error:
        raise FormatError(f"Line 2 of {source}: {error}") from error
    if groups:
        raise FormatError(
            f"Line 2 of {source} is a pattern with groups, whose contents minbpe uses instead of the matches. Write"
            " (?:…) instead of (…)."
        )
    return cutter


def _obstacle(tokenizer: Tokenizer) -> str:
    reason = obstacle_to_bytes(tokenizer, repeats=True)
    if reason:
        return reason
    cutter = tokenizer.pre_tokenizer
    if not isinstance(cutter, WholeText):
        if not isinstance(cutter, RegexPreTokenizer) or cutter.name != "pattern":
            return "The pattern of the file is one of the module regex, and this tokenizer splits a text differently."
        if "\n" in cutter.pattern or compile_source(cutter.pattern).groups:
            return "The pattern of the file is one line without groups, and this one is not."
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    if model.whole_pieces or model.byte_symbols() != list(range(_BYTES)):
        return "The ids of the file are those of the bytes, and then those of the merges in their order."
    results = model.merges.results
    for rank in range(len(results)):
        if i64(results[rank]) != _BYTES + rank:
            return "The ids of the file are those of the bytes, and then those of the merges in their order."
    if len(model.merges) != model.merges.pairs:
        return (
            "Two merges of this tokenizer make the same entry, and in the file each makes its own."
        )
    special = tokenizer.special_tokens
    first = _BYTES + len(results)
    for token in range(first, len(model.vocabulary)):
        if model.vocabulary.kind(token) not in ("control", "unused"):
            return f"Each entry of the file is a byte, or comes from a merge, and the entry {token} does not."
    if any(re.fullmatch(r"\S+", content) is None for content in special):
        return "A special token has white space or is empty, and the file separates its fields by that."
    if len(set(special.values())) < len(special) or begin_alike(special) is not None:
        return "Two special tokens have one id, or one begins like another."
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    cutter = tokenizer.pre_tokenizer
    special = [f"{content} {token}" for content, token in tokenizer.special_tokens.items()]
    merges = [
        f"{model.merges.lefts[rank]} {model.merges.rights[rank]}"
        for rank in range(len(model.merges))
    ]
    pattern = "" if isinstance(cutter, WholeText) else cutter.pattern
    lines = [_HEAD, pattern, str(len(special)), *special, *merges]
    return {f"{stem}.model": ("\n".join(lines) + "\n").encode()}


def _recognized(head: FileHead) -> int:
    return CERTAIN if head.content.startswith((b"minbpe v1\n", b"minbpe v1\r\n")) else NO


FORMAT: Final[Format] = Format(
    "minbpe",
    "minbpe's model",
    "minbpe",
    (".model",),
    _recognized,
    named_after_file(read_minbpe),
    signs="The first line is `minbpe v1`.",
    algorithms="byte-level BPE by merges",
    compared="the code of karpathy/minbpe, written again in the test",
    writes="Byte-level BPE with a pattern of the module regex, or none, and the ids in the order of the merges.",
    obstacle=_obstacle,
    write=_written,
)
