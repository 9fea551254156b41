"""The ``.subwords`` of TensorFlow Datasets' ``SubwordTextEncoder``: a subword a line, in quotes, behind two lines of a header.

```
### SubwordTextEncoder
### Metadata: {}
"the_"

"<EOS>"
```

A ``_`` at the end of a subword is the space behind it; an underscore itself is spelled ``\\&undsc``. A text is cut into words,
with a single space behind them, and into what is between; subwords that are both, such as ``<EOS>``, are cut out first.
The longest subword at each place is taken; a character that begins none becomes its bytes. The id 0 is padding, then come
the subwords, then the 256 bytes. Python reads a line feed within a subword as the end of a line, and so does this reader.

Decoding differs: ``\\&undsc`` in a subword becomes an underscore here, and stays as it is there. A text that has ``\\&undsc``
itself is cut around it; other ids may result where a space or a subword with an underscore follows. Source:
``subword_text_encoder.py`` and ``text_encoder.py`` in ``core/deprecated/text`` of tensorflow/datasets.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Files, Format, named_after_file
from tokenarium_core.formats.plain_lines import pieces_by_id
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.patterns.regex_engine import MOST_CHARACTERS
from tokenarium_core.pretokenizers.pattern import RegexPreTokenizer
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

_HEADER: Final = b"### SubwordTextEncoder\n"
_METADATA: Final = b"### Metadata: "
_UNDERSCORE: Final = "\\&undsc"
_WORD: Final = r"[\p{L}\p{N}_]"
_OTHER: Final = r"[^\p{L}\p{N}_]"
_MIXED: Final = re.compile(r"\w\W|\W\w")
_CUT_ESCAPE: Final = re.compile(r"\w\\(?:&(?:u(?:n(?:ds?)?)?)?)?\Z")


def read_subwords(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a file; ``source`` names it in errors.

    Raises FormatError, with the line, for another header, a file that is cut off, and bytes that are not UTF-8; for a subword
    that is cut off within ``\\&undsc``, or that is not told from another one because of its spaces; and if there are none.
    """
    reserved: list[str] = []
    pieces: dict[int, bytes] = {}
    spelled: dict[bytes, tuple[int, str]] = {}  # the id and the subword by the bytes
    listed: dict[int, str] = {}
    count = 0
    for number, subword in _subwords(content, source):
        count += 1
        if count + 257 > MAX_IDS:
            raise FormatError(f"{source} has more subwords than fit, at line {number}.")
        listed[count] = subword
        mixed = _MIXED.search(subword) is not None
        if mixed and _UNDERSCORE not in subword:
            reserved.append(subword)
        fault = ""
        if subword in ("_", " "):
            fault = "is a space alone, which the byte of a space already is"
        elif _CUT_ESCAPE.search(subword.replace(_UNDERSCORE, "_")):
            fault = f"ends within {_UNDERSCORE}, which stands for an underscore"
        if fault:
            raise FormatError(
                f"Line {number} of {source} has the subword {subword!r:.60}: it {fault}."
            )
        stem = subword.removesuffix("_")
        plain = stem.replace(_UNDERSCORE, "")
        if (
            subword == _UNDERSCORE
            or "_" in plain
            or (stem != subword and not re.search(r"\w", stem))
        ):
            continue  # no text becomes it
        piece = (stem.replace(_UNDERSCORE, "_") + " " * (stem != subword)).encode()
        if piece in spelled:
            token, earlier = spelled[piece]
            if earlier != subword:
                raise FormatError(
                    f"Line {number} of {source} has the subword {subword!r:.60}: it is the text of {earlier!r:.60}, which"
                    " an earlier line has."
                )
            del pieces[token]  # the last one counts
        pieces[count] = piece
        spelled[piece] = (count, subword)
    if not count:
        raise FormatError(f"{source} has no subwords.")
    pattern = _pattern(reserved)
    if len(pattern) > MOST_CHARACTERS:
        raise FormatError(
            f"{source} has {len(reserved):,} subwords of both letters and other signs, which are cut out of a text first: they"
            " are too many or too long."
        )
    for byte in range(256):
        if bytes([byte]) not in spelled:
            pieces[count + 1 + byte] = bytes([byte])
    vocabulary = pieces_by_id(pieces, {}, source)
    for token, subword in listed.items():
        if token not in pieces:
            vocabulary.spelled[token] = subword
    tokenizer = Tokenizer(
        source,
        LongestMatch(vocabulary, bytes_match=True),
        cutting(pattern),
        of_special({}),
        decoder=Decoder("bytes", frozenset()),
    )
    tokenizer.details = [
        Detail("SubwordTextEncoder", "id 0", "padding: no text becomes it"),
        Detail("SubwordTextEncoder", "subwords", f"{count:,}, then the 256 bytes"),
        Detail("SubwordTextEncoder", "cut out first", str(len(dict.fromkeys(reserved)))),
    ]
    return tokenizer


def _subwords(content: bytes, source: str) -> list[tuple[int, str]]:
    """Returns the subwords and their lines; lines without one, as line feeds within subwords leave them, do not count."""
    if not content.startswith(_HEADER):
        raise FormatError(f"{source} does not begin with “{_HEADER.decode().strip()}”.")
    if not content.endswith(b"\n"):
        raise FormatError(f"{source} ends within a line: it is cut off.")
    result: list[tuple[int, str]] = []
    for number, line in enumerate(content.split(b"\n")[1:-1], 2):
        if number == 2 and line.startswith(_METADATA):
            continue
        try:
            subword = line.decode()[1:-1]
        except UnicodeDecodeError as error:
            raise FormatError(f"Line {number} of {source} is not UTF-8.") from error
        if subword:
            result.append((number, subword))
    return result


def _pattern(reserved: list[str]) -> str:
    """Returns how a text is cut: the reserved subwords, words, both with a single space behind, and what is between."""
    own = [re.escape(one) for one in sorted(set(reserved), key=lambda one: (-len(one), one))]
    apart = f"(?!{'|'.join([*own, re.escape(_UNDERSCORE)])})"
    space = f"(?:{apart} (?!{apart}{_OTHER}))?"
    escape, rest = re.escape(_UNDERSCORE[:2]), _UNDERSCORE[2:]
    cuts = [f"(?:{'|'.join(own)}){space}"] if own else []
    cuts += [
        f"{escape}(?={rest})",
        f"(?<={escape}){rest}{space}",
        f"(?:{apart}{_WORD})+{space}",
        f"(?:{apart}{_OTHER})+",
    ]
    return "|".join(cuts)


def _obstacle(tokenizer: Tokenizer) -> str:
    model = tokenizer.model
    if not isinstance(model, LongestMatch) or not isinstance(
        tokenizer.pre_tokenizer, RegexPreTokenizer
    ):
        return "The file holds subwords of which the longest in a word is matched, and this is a model of another kind."
    if (
        tokenizer.normalizer is not None
        or tokenizer.splitter is not None
        or tokenizer.added_tokens.tokens
    ):
        return "The file has neither special tokens nor a stage before the words, and this tokenizer has."
    try:
        again = read_subwords(_content(tokenizer), "x.subwords")
    except FormatError as error:
        return f"Its entries do not make such a file: {error}"
    vocabulary = tokenizer.vocabulary
    same = len(again.vocabulary) == len(vocabulary) and all(
        again.vocabulary.kind(token) == vocabulary.kind(token)
        and again.vocabulary.piece(token) == vocabulary.piece(token)
        for token in range(len(vocabulary))
    )
    if not same or again.pre_tokenizer.pattern != tokenizer.pre_tokenizer.pattern:
        return "How a text is cut and spelled follows from the subwords there, and for these it would be different."
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    return {f"{stem}.subwords": _content(tokenizer)}


def _content(tokenizer: Tokenizer) -> bytes:
    """Returns the file; the last 256 entries are the bytes, and the first is padding."""
    vocabulary = tokenizer.vocabulary
    lines = [_HEADER, _METADATA, b"{}\n"]
    for token in range(1, len(vocabulary) - 256):
        if vocabulary.kind(token) == "unused":
            subword = vocabulary.spelled.get(token, "")
        else:
            text = vocabulary.piece(token).decode("utf-8", "replace")
            stem = text.removesuffix(" ")
            spaced = stem != text and re.search(r"\w", stem) is not None
            subword = (stem if spaced else text).replace("_", _UNDERSCORE) + "_" * spaced
        lines.append(f"'{subword}'\n".encode())
    return b"".join(lines)


def _recognized(head: FileHead) -> int:
    return CERTAIN if head.content.startswith(_HEADER) else NO


FORMAT: Final[Format] = Format(
    "tfds-subwords",
    "TensorFlow Datasets' .subwords",
    "TFDS subwords",
    (".subwords",),
    _recognized,
    named_after_file(read_subwords),
    signs="The first line is `### SubwordTextEncoder`.",
    algorithms="longest match, with bytes for other characters",
    compared="the code of tensorflow/datasets, written again in the test",
    writes="What was read from such a file.",
    own_names=(".subwords",),
    obstacle=_obstacle,
    write=_written,
)
