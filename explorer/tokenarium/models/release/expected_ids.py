"""The ids that texts are expected to have: written once, and checked with other versions of a tokenizer or a program.

A file of JSON lines. The first line says how it was made; each other line is a text with its ids, its tokens, and what
the stages made of it. All of it is ASCII: a lone surrogate, a zero or a line separator is an escape.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import tokenarium_core as tc
from tokenarium.models.compare.diff_result import (
    ADDED_TOKENS,
    DECODER,
    MODEL,
    NORMALIZER,
    PRE_TOKENIZER,
    TEMPLATE,
    VOCABULARY,
)
from tokenarium.models.progress_reporter import ReportProgress
from tokenarium.models.text.piece import counted
from tokenarium_core.bounded_json import JsonBounds, read_json
from tokenarium_core.comparing.probe_texts import general_texts
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT, KEEPS_IDS
from tokenarium_core.plain_files import open_file
from tokenarium_core.progress import Progress

SCHEMA: Final = "tokenarium-expected-ids"
VERSION: Final = 1
"""The version of the file. It rises when a field changes or goes; new fields alone do not change it."""

EXPECTED_EFFECTS: Final = (CHANGES_IDS, CHANGES_TEXT, KEEPS_IDS)
"""What a check can find, the worst first: other ids; the same ids, which decode to another text; only other files."""

UNKNOWN_STAGE: Final = "not known"
"""The stage of a text of which only the ids were written."""

MOST_LISTED: Final = 1_000
"""The most differences that are kept; all are counted."""

_USUAL: Final[dict[str, object]] = {"added": (), "around": (0, 0), "refused": ""}
_LONGEST: Final = 1 << 28  # bytes of a line
_BOUNDS: Final = JsonBounds(_LONGEST, 8, 1 << 26)


AddedPlace = tuple[str, int, int]
"""An added token in a text, the byte where it begins and the one after it."""


@dataclass(frozen=True, slots=True)
class ExpectedHead:
    """How the ids were made: the tokenizer, the SHA-256 of its files, Tokenarium's version, and how texts were encoded.

    ``special``: special tokens in a text get their ids; ``template``: the ids around a text are added.
    """

    tokenizer: str = ""
    files: tuple[str, ...] = ()
    tokenarium: str = ""
    special: bool = False
    template: bool = False


@dataclass(frozen=True, slots=True)
class ExpectedText:
    """A text with its ids, and what the stages make of it.

    ``tokens`` are the texts of the ids, ``added`` the added tokens that were found in the text with their
    bytes, ``pre_tokens`` the ends of the pre-tokens in bytes; None if a line has only the ids. ``around`` is how many ids the template put before and
    after the text. ``normalized`` and ``decoded`` are None where they equal the text. ``refused`` is why the tokenizer
    does not encode the text.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...] | None = None
    added: tuple[AddedPlace, ...] = ()
    pre_tokens: tuple[int, ...] | None = None
    normalized: str | None = None
    decoded: str | None = None
    around: tuple[int, ...] = (0, 0)
    refused: str = ""

    @property
    def inside(self) -> tuple[int, ...]:
        """The ids without those around the text."""
        before, after = self.around
        return self.ids[before : len(self.ids) - after]


@dataclass(frozen=True, slots=True)
class UnexpectedIds:
    """A text that is encoded or decoded differently: its line in the file, the stage, and both results."""

    line: int
    text: str
    effect: str
    stage: str
    expected: ExpectedText
    found: ExpectedText


@dataclass(slots=True)
class ExpectedCheck:
    """What a check found; ``differences`` are the first of ``different``. ``changed_files``: the files are others."""

    head: ExpectedHead
    tokenizer: str
    texts: int = 0
    different: int = 0
    changed_files: bool = False
    differences: list[UnexpectedIds] = field(default_factory=list)
    effects: dict[str, int] = field(default_factory=dict)

    @property
    def worst(self) -> str:
        """The worst effect; empty if nothing differs."""
        return next((one for one in EXPECTED_EFFECTS if self.effects.get(one)), "")

    @property
    def sentence(self) -> str:
        """The result in words."""
        texts = counted(self.texts, "text")
        other = "" if not self.changed_files else " The files of the tokenizer have changed."
        if not self.different:
            has = "has" if self.texts == 1 else "have"
            return f"{texts} {has} the expected ids in {self.tokenizer}.{other}"
        ids, decoded = (self.effects.get(one, 0) for one in (CHANGES_IDS, CHANGES_TEXT))
        said = (
            f"{ids:,} of {texts} {'has' if ids == 1 else 'have'} different ids in {self.tokenizer}"
        )
        if decoded:
            said += f", and {decoded:,} {'is' if decoded == 1 else 'are'} decoded differently"
        return f"{said}.{other}"


def usual_texts() -> Iterator[str]:
    """Yields the paragraphs of the sample texts, and short texts on which tokenizers are likely to differ."""
    from tokenarium.resources.samples_index import load_samples

    for sample in load_samples():
        yield from (part for part in sample.text().split("\n\n") if part)
    for texts in general_texts().values():
        yield from texts


def texts_of(path: Path) -> Iterator[str]:
    """Yields the texts of a file: the field "text" of JSON lines (``.jsonl``), or else each line that is not empty.

    A file of expected ids is such a file, so that its texts can be written anew.
    """
    if path.suffix.lower() == ".jsonl":
        for number, _, value in _objects(path):
            if number > 1 or "text" in value:
                yield _text(value, path, number)
        return
    for number, _, line in _lines(path):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise tc.FormatError(f"{path}, line {number:,}, is not UTF-8.") from None
        if stripped := text.rstrip("\r\n"):
            yield stripped


def expected_lines(
    tokenizer: tc.Tokenizer, texts: Iterable[str], special: bool = False, template: bool = False
) -> Iterator[str]:
    """Yields the lines of a file of expected ids, each with its line feed."""
    head = ExpectedHead(tokenizer.name, _digests(tokenizer), tc.__version__, special, template)
    yield _line({"schema": SCHEMA, "version": VERSION, **asdict(head)})
    for text in texts:
        fields = asdict(expected_of(tokenizer, text, special, template))
        yield _line({name: one for name, one in fields.items() if one != _USUAL.get(name)})


def expected_of(
    tokenizer: tc.Tokenizer, text: str, special: bool = False, template: bool = False
) -> ExpectedText:
    """Returns the ids of a text, and what the stages make of it."""
    allowed: Literal["all", "none"] = "all" if special else "none"
    # Two halves of a surrogate pair are one character, as JSON has them.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    try:
        encoding = tokenizer.encode(text, special=allowed, template=template)
    except tc.TokenariumError as error:
        return ExpectedText(text, (), refused=str(error))
    ids: tuple[int, ...] = tuple(memoryview(encoding.ids).tolist())
    found = tokenizer.added_token_matches(text, allowed) if tokenizer.added_tokens.tokens else []
    piece = tokenizer.vocabulary.piece
    normalized = encoding.text.data[: encoding.text.size].decode("utf-8", "replace")
    decoded = tokenizer.decode(list(ids))
    return ExpectedText(
        text,
        ids,
        tuple(piece(id).decode("utf-8", "backslashreplace") for id in ids),
        tuple((one.token.content, one.start, one.stop) for one in found if not one.left),
        tuple(memoryview(encoding.pre_tokens.ends).tolist()),
        None if normalized == text else normalized,
        None if decoded == text else decoded,
        (int(encoding.before), int(encoding.after)),
    )


def check_expected(
    path: Path,
    tokenizer: tc.Tokenizer,
    report: ReportProgress = lambda _: None,
    most: int = MOST_LISTED,
) -> ExpectedCheck:
    """Encodes the texts of a file of expected ids, and returns which have different ids.

    ``report`` gets the progress. FormatError for a file that is not one, or that has no texts.
    """
    check = ExpectedCheck(ExpectedHead(), tokenizer.name)
    size = os.path.getsize(path)
    for number, end, value in _objects(path):
        if number == 1 and "text" not in value:
            check.head = _head(value, path)
            continue
        then = _record(value, path, number)
        now = expected_of(tokenizer, then.text, check.head.special, check.head.template)
        check.texts += 1
        found = _compared(number, then, now)
        if found is not None:
            check.different += 1
            check.effects[found.effect] = check.effects.get(found.effect, 0) + 1
            if len(check.differences) < most:
                check.differences.append(found)
        if number % 64 == 0:
            report(Progress("Checking the ids", min(end, size), size, False))
    if not check.texts:
        raise tc.FormatError(f"{path} has no texts: write it anew with “tokenarium expect write”.")
    if check.head.files:
        check.changed_files = sorted(check.head.files) != sorted(_digests(tokenizer))
        check.effects[KEEPS_IDS] = int(check.changed_files)
    return check


def _compared(line: int, then: ExpectedText, now: ExpectedText) -> UnexpectedIds | None:
    """Returns how a text differs; None if it does not."""
    if then.ids != now.ids or bool(then.refused) != bool(now.refused):
        return UnexpectedIds(line, then.text, CHANGES_IDS, _stage(then, now), then, now)
    if then.tokens is not None and _decoded(then) != _decoded(now):
        return UnexpectedIds(line, then.text, CHANGES_TEXT, DECODER, then, now)
    return None


def _decoded(one: ExpectedText) -> str:
    """Returns what the ids of a text decode to."""
    return one.text if one.decoded is None else one.decoded


def _stage(then: ExpectedText, now: ExpectedText) -> str:
    """Returns the first stage whose result differs; a space that a pre-tokenizer adds is in the normalized text."""
    if then.refused or now.refused:
        return MODEL
    if then.tokens is None or then.pre_tokens is None:
        return UNKNOWN_STAGE
    if then.added != now.added:
        return ADDED_TOKENS
    if then.normalized != now.normalized:
        return NORMALIZER
    if then.pre_tokens != now.pre_tokens:
        return PRE_TOKENIZER
    if then.inside == now.inside:
        return TEMPLATE
    if then.tokens == now.tokens:
        pairs = zip(then.ids, now.ids, then.tokens, strict=False)  # a file may be edited
        changed = {token for id, other, token in pairs if id != other}
        return ADDED_TOKENS if changed <= {content for content, _, _ in now.added} else VOCABULARY
    return MODEL


def _digests(tokenizer: tc.Tokenizer) -> tuple[str, ...]:
    return tuple(digest for _, digest in tokenizer.source.digests())


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, separators=(", ", ": ")) + "\n"


# Reading.


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yields the lines of a file with their numbers, which begin at 1, and the bytes up to their ends."""
    with open_file(path) as file:
        number = end = 0
        while line := file.readline(_LONGEST + 1):
            number += 1
            end += len(line)
            if len(line) > _LONGEST:
                raise tc.FormatError(f"{path}, line {number:,}, has more than 256 MiB.")
            yield number, end, line


def _objects(path: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yields the objects of JSON lines as `_lines` does; FormatError for other lines."""
    for number, end, line in _lines(path):
        if not line.strip():
            continue
        value = read_json(line, f"{path}, line {number:,},", _BOUNDS)
        if not isinstance(value, dict):
            raise tc.FormatError(f"{path}, line {number:,}, is not a JSON object.")
        yield number, end, value


def _head(value: dict[str, Any], path: Path) -> ExpectedHead:
    if value.get("schema") != SCHEMA:
        raise tc.FormatError(
            f"{path} is not a file of expected ids: give one that “tokenarium expect write” wrote."
        )
    version = value.get("version")
    if type(version) is not int or version > VERSION:
        raise tc.FormatError(
            f"{path} is a file of version {version}, and this Tokenarium reads {VERSION}: update it."
        )
    files = value.get("files")
    return ExpectedHead(
        str(value.get("tokenizer", "")),
        tuple(map(str, files)) if isinstance(files, list) else (),
        str(value.get("tokenarium", "")),
        value.get("special") is True,
        value.get("template") is True,
    )


def _text(value: dict[str, Any], path: Path, number: int) -> str:
    text = value.get("text")
    if not isinstance(text, str):
        raise tc.FormatError(f'{path}, line {number:,}, has no "text" that is a string.')
    return text


def _record(value: dict[str, Any], path: Path, number: int) -> ExpectedText:
    text = _text(value, path, number)
    refused = _string(value.get("refused"), path, number) or ""
    ids = _numbers(value.get("ids"), path, number)
    around = _numbers(value.get("around"), path, number) or (0, 0)
    if (ids is None and not refused) or len(around) != 2 or min(around) < 0:
        raise tc.FormatError(f"{path}, line {number:,}, has no ids.")
    return ExpectedText(
        text,
        ids or (),
        _strings(value.get("tokens"), path, number),
        _places(value.get("added"), path, number),
        _numbers(value.get("pre_tokens"), path, number),
        _string(value.get("normalized"), path, number),
        _string(value.get("decoded"), path, number),
        around,
        refused,
    )


def _numbers(value: object, path: Path, number: int) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(one) is int for one in value):
        raise tc.FormatError(f"{path}, line {number:,}: the ids are not a list of whole numbers.")
    return tuple(value)


def _strings(value: object, path: Path, number: int) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise tc.FormatError(f"{path}, line {number:,}: the tokens are not a list of strings.")
    return tuple(value)


def _places(value: object, path: Path, number: int) -> tuple[AddedPlace, ...]:
    found: list[AddedPlace] = []
    for one in value if isinstance(value, list) else []:
        match one:
            case [str(content), int(start), int(stop)]:
                found.append((content, start, stop))
            case _:
                raise tc.FormatError(
                    f"{path}, line {number:,}: an added token is not a text and two numbers."
                )
    return tuple(found)


def _string(value: object, path: Path, number: int) -> str | None:
    if value is not None and not isinstance(value, str):
        raise tc.FormatError(f"{path}, line {number:,}: a text is not a string.")
    return value
