"""What the commands share: reading texts, opening tokenizers, saying what went wrong, and tables."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium.models.files import is_device, store_folder
from tokenarium.models.text.piece import NumberBase
from tokenarium.models.training.store import Store, Trained
from tokenarium.models.training.tokenizer_registry import REFERENCE, TokenizerRegistry
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core import command_values
from tokenarium_core.command_values import content_of, decoded_text
from tokenarium_core.formats import NAMED

FAILED = 1
"""The exit code where something could not be done; 2 is typer's own for wrong arguments."""

FOUND = 3
"""The exit code where an examination found something surprising."""

INTERRUPTED = 130
"""The exit code after Ctrl+C, as shells have it."""

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON, for other programs.")]
TokenizerArgument = Annotated[
    str,
    typer.Argument(
        help="A file or folder, the name of an encoding (cl100k_base …), of a trained tokenizer, or name@version.",
        show_default=False,
    ),
]
PatternOption = Annotated[
    str,
    typer.Option(
        help="How a .tiktoken file without a pattern cuts a text: a name, or a regular expression.",
        show_default=False,
    ),
]
TextArgument = Annotated[
    str | None,
    typer.Argument(help="The text; without it, the standard input is read.", show_default=False),
]
DecimalOption = Annotated[
    bool, typer.Option("--decimal", help="Write bytes in decimal instead of hexadecimal.")
]
FileOption = Annotated[
    Path | None,
    typer.Option("--file", "-f", help="Read the text from a UTF-8 file.", show_default=False),
]


@contextmanager
def sentences() -> Iterator[None]:
    """Says what went wrong in a sentence, as the window does, and ends with `FAILED`."""
    try:
        yield
    except tc.TokenariumError as error:
        _end(str(error))
    except BrokenPipeError:
        raise  # the reader has seen enough: typer ends quietly
    except OSError as error:
        _end(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.")
    except KeyboardInterrupt:
        _end("Interrupted.", INTERRUPTED)
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise  # these are typer's own ways to end
    except Exception as error:
        _end(str(reported(error)))


def _end(sentence: str, code: int = FAILED) -> None:
    typer.secho(sentence, fg="red", err=True)
    raise typer.Exit(code)


def tokenizer_of(name: str, pattern: str = "") -> tc.Tokenizer:
    """Returns the tokenizer of a path, an encoding's name, a trained one's, or ``name@version`` of a registered one.

    NotAvailable where there is none.
    """
    shipped = _shipped(name)
    if shipped is not None:
        tokenizer = tc.open(shipped.path)
        tokenizer.name = shipped.name
        return tokenizer
    if REFERENCE.fullmatch(name) and not Path(name).exists():
        registry = TokenizerRegistry(Store(store_folder()))
        if registry.get(name) is not None or _kept(name) is None:
            return registry.open(name)
    kept = _kept(name)
    if kept is not None:
        tokenizer = tc.open(kept[1])
        tokenizer.name = kept[0].name
        return tokenizer
    path = Path(name)
    if is_device(path):  # such as a pipe, which may have no writer
        with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
            copy = Path(folder) / (path.name or "tokenizer")
            copy.write_bytes(content_of(path))
            return tc.open(copy, pattern=pattern or None)
    try:
        return tc.open(name, pattern=pattern or None)
    except tc.NotAvailable as error:
        if name in NAMED or path.exists():
            raise
        shipped_names = ", ".join(one.id for one in SHIPPED_TOKENIZERS)
        raise tc.NotAvailable(f"{error} Shipped with Tokenarium are {shipped_names}.") from error


def source_of(name: str) -> str:
    """Returns what opens the tokenizer of a name in the core: a path, or the name of an encoding."""
    shipped = _shipped(name)
    if shipped is not None:
        return str(shipped.path)
    if REFERENCE.fullmatch(name) and not Path(name).exists():
        registered = TokenizerRegistry(Store(store_folder())).get(name)
        if registered is not None:
            return registered.source
    kept = _kept(name)
    return str(kept[1]) if kept is not None else name


def _shipped(name: str) -> ShippedTokenizer | None:
    if Path(name).exists():
        return None
    return next((one for one in SHIPPED_TOKENIZERS if one.id == name), None)


def _kept(name: str) -> tuple[Trained, Path] | None:
    """Returns the trained tokenizer of a name or the beginning of an identity, with its file."""
    if name in NAMED or Path(name).exists():
        return None
    store = Store(store_folder())
    for kept in store.all():
        if name in (kept.name, kept.identity[: max(8, len(name))]):
            return kept, store.path(kept)
    return None


def text_of(text: str | None, file: Path | None) -> str:
    """Returns the text of an argument, a file, or the standard input, its line ends as they are."""
    if file is not None:
        data = content_of(file)
        name = str(file)
    elif text is not None:
        return text
    else:
        if sys.stdin.isatty():
            end = "Ctrl+Z and Enter" if sys.platform == "win32" else "Ctrl+D"
            typer.secho(f"Type the text; {end} on a new line ends it.", dim=True, err=True)
        data = sys.stdin.buffer.read()
        name = "The standard input"
    return decoded_text(data, name)


def byte_values(data: bytes) -> str | list[int]:
    """Returns bytes for JSON: hexadecimal digits, or numbers with `DecimalOption`."""
    return command_values.byte_values(data, NumberBase.decimal)


def write_json(value: Any) -> None:
    """Writes a value as a line of JSON, with escapes where the output is not in UTF-8."""
    coded = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(value, ensure_ascii=not coded))


def write_table(
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[str]],
    title: str = "",
    wrapping: Collection[int] = (),
    keys: int = 1,
) -> None:
    """Writes a table no wider than the terminal, or in lines of any length where there is none.

    Of each column, ``columns`` has its title and whether it holds numbers, which are aligned right. The columns whose
    places are in ``wrapping`` hold text, which may take several lines; numbers and names are never broken. Where the
    columns do not fit beside each other there are several tables, each beginning with the first ``keys`` columns.
    """
    from tokenarium.commands.tables import write_rows  # with rich, which the window does not need

    write_rows(columns, rows, title, wrapping, keys)
