"""What command lines read and write: texts and ids as users give them, entries, options, and values for JSON.

The command lines of the core and of the app share it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tokenarium_core.encoding import Encoding
from tokenarium_core.errors import FormatError, NotAvailable, TokenariumError, WriteError
from tokenarium_core.explaining.near_spellings import has_byte_spelling, spelled_bytes
from tokenarium_core.formats.copy_proof import is_rebuilt
from tokenarium_core.formats.format import Format
from tokenarium_core.formats.registry import (
    EXPORT_FORMATS,
    FORMATS,
    differences_of,
    fitting,
    obstacle_to,
    save,
)
from tokenarium_core.plain_files import STANDARD_INPUT, is_device, open_file, read_beginning
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.algorithms import ALGORITHMS
from tokenarium_core.training.trainer import FORMER_NAMES, Option, Value

LARGEST: Final = 1 << 30
"""The most bytes that are read from the standard input."""

LARGEST_OPTION: Final = 1 << 25
"""The most bytes of a file given as the value of an option."""

_DIGITS: Final = 20  # of a number that may be an id, leading zeros among them
_WORD: Final = re.compile(r"[^\s,;\[\]()]+")
_WRAPPERS: Final = re.compile(
    r"\b(?:tensor|array|np\.array|torch\.tensor|dtype=[\w.]+|device='?[\w:]+'?)"
)
_ID: Final = re.compile(r"[0-9]{1,4000}")  # Python makes no number of more digits
_YES_OR_NO: Final = {"yes": True, "true": True, "no": False, "false": False}


# Texts.


def content_of(file: Path) -> bytes:
    """Returns the bytes of a file, or of the standard input for the name `STANDARD_INPUT`.

    NotAvailable for a named pipe or a device, which might never end; OSError as in `open`.
    """
    if str(file) == STANDARD_INPUT:
        return standard_input()
    try:
        with open_file(file) as stream:
            return stream.read()
    except OSError as error:
        if not is_device(file):
            raise
        raise NotAvailable(
            f"{file} cannot be read: {error.strerror}. To read a text from a pipe, use the standard input: give"
            f" {STANDARD_INPUT} as the file."
        ) from error


def standard_input() -> bytes:
    """Returns all of the standard input; on a terminal, it first says how to end it.

    TokenariumError if it has more than `LARGEST` bytes.
    """
    if sys.stdin.isatty():
        end = "Ctrl+Z and Enter" if sys.platform == "win32" else "Ctrl+D"
        print(f"Type the text; {end} on a new line ends it.", file=sys.stderr)
    data = read_beginning(sys.stdin.buffer, LARGEST)
    if len(data) > LARGEST:
        raise TokenariumError("The standard input has more than 1 GiB: write it to a file.")
    return data


def name_of_text(file: Path | None) -> str:
    """Returns the name of a text file in messages: the standard input has none, or `STANDARD_INPUT`."""
    return "The standard input" if file is None or str(file) == STANDARD_INPUT else str(file)


def decoded_text(data: bytes, name: str) -> str:
    """Returns the text of UTF-8, with its line endings unchanged.

    FormatError, which begins with ``name``, for other bytes.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name} is not UTF-8: byte {error.start:,} (0x{data[error.start]:02X}) does not fit there."
        ) from error


def utf8_fault(content: bytes) -> str:
    """Returns a message that says where the bytes of ids are not UTF-8; empty if they are."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return (
            f"These bytes are not UTF-8: byte {error.start:,} (0x{content[error.start]:02X}) does not fit there,"
            " as when ids end inside a character."
        )
    return ""


# Ids and entries.


class IdList(NamedTuple):
    """The ids in a text, and the words in it that are not ids."""

    ids: tuple[int, ...]
    others: tuple[str, ...]

    def checked(self) -> list[int]:
        """Returns the ids; TokenariumError for a word that is not an id."""
        if self.others:
            word = self.others[0]
            shown = repr(word if len(word) <= 40 else f"{word[:40]}…")
            raise TokenariumError(f"{shown} is not an id: ids are whole numbers, and not negative.")
        return list(self.ids)


def ids_in(text: str) -> IdList:
    """Returns the ids in a text: a JSON or Python list, an array as printed by numpy or torch, or just numbers.

    >>> ids_in("[15339, 1917]"), ids_in("12 x -3")
    (IdList(ids=(15339, 1917), others=()), IdList(ids=(12,), others=('x', '-3')))
    """
    words = _WORD.findall(_WRAPPERS.sub(" ", text))
    ids = [int(word) for word in words if _ID.fullmatch(word)]
    return IdList(tuple(ids), tuple([word for word in words if not _ID.fullmatch(word)]))


def entry_of(opened: Tokenizer, entry: str) -> int:
    """Returns the id that a word means: the number itself, else the entry with this text, else the one with this
    spelling.

    An entry of bytes may also be written in GPT-2's alphabet if its file contains plain bytes.

    Raises TokenariumError if there is none.
    """
    vocabulary = opened.vocabulary
    if entry.isdecimal():
        # Python makes no number of thousands of digits.
        if len(entry) <= _DIGITS and int(entry) < len(vocabulary):
            return int(entry)
        shown = f"{int(entry):,}" if len(entry) <= _DIGITS else f"{entry[:_DIGITS]}…"
        raise TokenariumError(
            f"{opened.name} has the ids 0 to {len(vocabulary) - 1:,}, but not {shown}."
        )
    # A terminal passes bytes that are not UTF-8 as surrogates.
    token = vocabulary.find(entry.encode("utf-8", "surrogatepass"))
    if token < 0:
        token = opened.special_tokens.get(entry, -1)
    if token < 0:
        for id in range(len(vocabulary)):
            if vocabulary.surface(id) == entry:
                return id
    if token < 0 and has_byte_spelling(opened):  # Ġthe in tiktoken's files
        meant = spelled_bytes(entry)
        token = vocabulary.find(meant) if meant is not None else -1
    if token < 0:
        raise TokenariumError(f"{opened.name} has no entry {entry!r}.")
    return token


def byte_values(data: bytes, decimal: bool = False) -> str | list[int]:
    """Returns bytes for JSON: hexadecimal digits, or a list of numbers."""
    return list(data) if decimal else data.hex()


def encoding_values(opened: Tokenizer, encoding: Encoding, decimal: bool = False) -> dict[str, Any]:
    """Returns the ids of a text for JSON, each with its spelling, its bytes, and its position in the text."""
    vocabulary = opened.vocabulary
    ids: list[int] = [int(token) for token in encoding.ids]
    tokens: list[dict[str, Any]] = []
    for index, token in enumerate(ids):
        tokens.append(
            {
                "id": token,
                "piece": vocabulary.surface(token),
                "bytes": byte_values(vocabulary.piece(token), decimal),
                "span": list(encoding.span(index)),
            }
        )
    return {"tokenizer": opened.name, "ids": ids, "tokens": tokens}


# Options of a training, and formats.


LISTS: Final = (
    'Write a list with commas, such as special_tokens="<s>,</s>", repeat the same NAME, or write a JSON list if'
    " values contain commas or begin or end with spaces."
)
"""How to write a list as the value of an option."""


def _list_of(text: str) -> list[str]:
    """Returns the values of a list: in JSON, or else separated by commas.

    >>> _list_of('["a,b", " c"]'), _list_of("[PAD], [UNK]")
    (['a,b', ' c'], ['[PAD]', '[UNK]'])
    """
    if text.lstrip().startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError):
            items = None
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return items
    return [part.strip() for part in text.split(",") if part.strip()]


def list_text(values: Sequence[str]) -> str:
    """Returns a list as `option_value` reads it: with commas, or as JSON if commas would be ambiguous.

    >>> list_text(["<s>", "</s>"]), list_text(["a,b"]), list_text(["\\n"])
    ('<s>, </s>', '["a,b"]', '["\\\\n"]')
    """
    joined = ", ".join(values)
    return joined if _list_of(joined) == list(values) else json.dumps(values, ensure_ascii=False)


def option_value(option: Option, text: str, subject: str = "This") -> Value:
    """Returns a typed value, converted to the type of the option's default; see `LISTS`.

    Raises TokenariumError if that fails; its message begins with ``subject``.
    """
    default = option.default
    if option.is_content:
        return option.checked(_content_at(option, text))
    try:
        if isinstance(default, list):
            return option.checked(_list_of(text))
        if isinstance(default, bool):
            return option.checked(_YES_OR_NO[text.strip().lower()])
        if isinstance(default, int):
            return option.checked(int(text.replace(",", "").strip()))
        if isinstance(default, float):
            return option.checked(float(text.strip()))
        return option.checked(text)
    except (KeyError, ValueError, OverflowError):
        kind = "a number"
        shown = str(default)
        if isinstance(default, bool):
            kind = "yes or no"
            shown = "yes" if default else "no"
        elif isinstance(default, int):
            kind = "a whole number"
            shown = f"{default:,}"
        raise TokenariumError(f"{subject} takes {kind}, such as {shown}, not “{text}”.") from None


def _content_at(option: Option, text: str) -> str:
    """Returns the content of the named file, or the text itself if it contains a tab, as no path does."""
    if not text.strip() or "\t" in text or "\n" in text:
        return text
    try:
        with open_file(text) as file:
            data = read_beginning(file, LARGEST_OPTION)
    except OSError as error:
        raise NotAvailable(
            f"{option.name} = {text} cannot be read: {error.strerror or error}. It is the path of a file."
        ) from error
    if len(data) > LARGEST_OPTION:
        raise TokenariumError(
            f"{option.name} = {text} has more than {LARGEST_OPTION:,} bytes: choose another file."
        )
    return decoded_text(data, text)


def option_values(algorithm: str, given: Sequence[str]) -> dict[str, Value]:
    """Returns all options of an algorithm: those given as NAME=VALUE, and defaults for the others.

    A list given several times has all the values. Raises TokenariumError for any other option given twice.
    """
    check_algorithm(algorithm)
    chosen_algorithm = ALGORITHMS[algorithm]
    values = {option.name: option.default for option in chosen_algorithm.options}
    known = {option.name: option for option in chosen_algorithm.options}
    given_names: set[str] = set()
    for item in given:
        name, sign, value = item.partition("=")
        name = FORMER_NAMES.get(name, name)
        if not sign or name not in known:
            raise TokenariumError(
                f"{item!r} is not an option of {chosen_algorithm.title}: give NAME=VALUE, where NAME is one of {', '.join(known)}."
            )
        chosen = option_value(known[name], value, name)
        if name in given_names:
            before = values[name]
            if isinstance(before, list) and isinstance(chosen, list):
                chosen = before + [one for one in chosen if one not in before]
            elif chosen != before:
                raise TokenariumError(
                    f"{name} is given twice, as {before!r} and {chosen!r}: it takes one value. Leave one out."
                )
        given_names.add(name)
        values[name] = chosen
    return values


def check_algorithm(name: str) -> None:
    """Raises TokenariumError for a name that is not an algorithm."""
    if name not in ALGORITHMS:
        raise TokenariumError(
            f"{name!r} is not an algorithm: choose one of {', '.join(ALGORITHMS)}."
        )


def format_of_name(opened: Tokenizer, to: Path, format: str = "") -> str:
    """Returns the format to write a file in: the first of `formats_of_name` that can represent the tokenizer.

    TokenariumError as there, and if none can represent it.
    """
    names = formats_of_name(to, format)
    fits = [name for name in names if not obstacle_to(opened, name)]
    if fits:
        return fits[0]
    kind = EXPORT_FORMATS[names[0]]
    others = list(dict.fromkeys([_usual_name(name) for name in fitting(opened)]))
    advice = f" It can be saved as {', '.join(others)}." if others else ""
    raise TokenariumError(
        f"{opened.name} cannot be saved as {kind.title} in {to.name}: {obstacle_to(opened, names[0])}{advice}"
    )


def formats_of_name(to: Path, format: str = "") -> list[str]:
    """Returns the formats that a file may be written in: the named one, that of its name, or those of its suffix.

    Raises TokenariumError for an unknown format, for one that cannot be written, or if the name belongs to a
    different format than the named one.
    """
    if format and format not in EXPORT_FORMATS:
        raise TokenariumError(
            f"{format!r} is not a format: choose one of {', '.join(EXPORT_FORMATS)}."
        )
    name = to.name
    owners = [kind for kind in FORMATS.values() if _has_whole_name(kind, name)] or [
        kind for kind in FORMATS.values() if to.suffix == kind.suffix or kind.has_own_name(name)
    ]
    writable = [
        kind.name
        for kind in owners
        # A pair has its own two names, and any other name is that of a folder for them.
        if kind.is_written and (not kind.fixed_names or name in kind.fixed_names)
    ]
    if format:
        kind = EXPORT_FORMATS[format]
        if format in writable or not owners or (kind.fixed_names and to.is_dir()):
            return [format]
        if kind in owners:
            raise TokenariumError(
                f"{kind.title} have fixed names: give {' or '.join(kind.fixed_names)}, or a folder, not {name}."
            )
        titles = " or ".join(
            owner.title for owner in owners if owner.is_written or len(owners) == 1
        )
        raise TokenariumError(
            f"{name} is a name of {titles}, and --format {format} is {kind.title}: call it {_usual_name(format)}, or"
            " leave one of the two out."
        )
    if not owners:
        raise TokenariumError(
            f"The suffix of {name} belongs to no format: choose one with --format ({', '.join(EXPORT_FORMATS)}), or a"
            f" name such as {', '.join(dict.fromkeys(map(_usual_name, EXPORT_FORMATS)))}."
        )
    if not writable:
        kind = owners[0]
        advice = "choose another name, and --format if its suffix belongs to no format."
        if kind.is_written:
            raise TokenariumError(
                f"{name} is a name of {kind.title}, which are written as {' and '.join(kind.fixed_names)}: name one of"
                " those, or choose another name."
            )
        raise TokenariumError(
            f"{name} is a name of {kind.title}, which this program reads but does not write: {advice}"
        )
    return writable


def save_listing(
    tokenizer: Tokenizer, out: Path, format: str, allow_differences: bool
) -> list[Path]:
    """Writes a tokenizer in the named format, or that of the file's name, and returns the files.

    If differences are allowed, the texts that a copy encodes differently are written to standard error; otherwise
    `save` refuses it. Raises the errors of `format_of_name` and `save`.
    """
    chosen = format_of_name(tokenizer, out, format)
    for difference in differences_of(tokenizer, chosen) if allow_differences else []:
        print(difference.sentence, file=sys.stderr)
    return save(tokenizer, out, chosen, allow_differences)


def save_trained(
    tokenizer: Tokenizer, out: Path, format: str, allow_differences: bool
) -> list[Path]:
    """Writes a newly trained tokenizer, as `save_listing` does; if the format cannot represent it, it is written next
    to it.

    This way no long training is lost: the error names the file, in the first format that represents it exactly, under
    an unused name.
    """
    try:
        return save_listing(tokenizer, out, format, allow_differences)
    except WriteError:
        raise
    except TokenariumError as error:
        exact = [name for name in fitting(tokenizer) if not is_rebuilt(tokenizer, name)]
        if not exact:
            raise
        number = 1
        path = out.with_suffix(EXPORT_FORMATS[exact[0]].suffix)
        while path.exists():
            number += 1
            path = path.with_name(f"{out.stem}-{number}{path.suffix}")
        save(tokenizer, path, exact[0])
        raise TokenariumError(
            f"{error} The training is in {path}, which holds it exactly."
        ) from error


def _has_whole_name(kind: Format, name: str) -> bool:
    """Returns whether a file has the fixed name of a format, not only its suffix."""
    whole = [end for end in kind.own_names if not end.startswith(".")]
    return (
        name in kind.folder_names
        or any(name in pair for pair in kind.pairs)
        or any(name.endswith(end) for end in whole)
    )


def _usual_name(format: str) -> str:
    """Returns a name that gives a file the format."""
    kind = EXPORT_FORMATS[format]
    whole = [name for name in (*kind.fixed_names, *kind.own_names) if not name.startswith(".")]
    return whole[0] if whole else f"NAME{kind.suffix}"


def check_destination(out: Path, format: str = "") -> None:
    """Raises TokenariumError, before any work is done, if the file could not be written afterwards."""
    formats_of_name(out, format)
    if not out.absolute().parent.is_dir():
        raise TokenariumError(f"{out} cannot be written: there is no folder {out.parent}.")


def one_destination(to: Path | None, out: Path | None) -> Path | None:
    """Returns the file to write, given as --out, or as a bare argument as in older scripts.

    Raises TokenariumError if the two name different files.
    """
    if to is not None and out is not None and to != out:
        raise TokenariumError(
            f"Two files are to be written, {to} and --out {out}: name only one, with --out."
        )
    return to if out is None else out
