"""Opens the tokenizers and reads the texts that a command names; imports no library for command lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import tokenarium_core as tc
from tokenarium_core.formats import NAMED, cache_path, missing_files
from tokenarium_core.formats.registered import store_folder

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained
    from tokenarium.models.training.tokenizer_registry import TokenizerRegistry
    from tokenarium.resources.shipped_tokenizers import ShippedTokenizer

FAILED = 1
"""The exit code for errors; 2 is typer's own for wrong arguments."""

PARTLY = 4
"""The exit code if the work is done, but some text could not be read."""

INTERRUPTED = 130
"""The exit code after Ctrl+C, as in shells."""


def failure(error: BaseException) -> tuple[str, int]:
    """Returns a sentence about what went wrong, and the exit code; the traceback of a fault is in the log."""
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted.", INTERRUPTED
    if isinstance(error, tc.TokenariumError):
        return str(error), FAILED
    if isinstance(error, OSError):
        name = error.filename or "A file"
        return f"{name} cannot be used: {error.strerror or error}.", FAILED
    if isinstance(error, MemoryError):
        return "There is not enough memory for this.", FAILED
    return _fault(error), FAILED


def _fault(error: BaseException) -> str:
    """Writes a fault of the program to the log, and returns a sentence about it."""
    from tokenarium.models.fault_notes import note_of
    from tokenarium.models.faults import note_fault
    from tokenarium.models.program_log import log_path

    note = note_of(error)
    note_fault(note)
    path = log_path()
    written = (
        f"The details are in {path}."
        if path.exists()
        else f"The details could not be written to {path}."
    )
    place = f" in {note.place}" if note.place else ""
    return f"This is a fault in Tokenarium ({note.kind}{place}). {written} Please report it."


def tokenizer_of(name: str, pattern: str = "") -> tc.Tokenizer:
    """Returns the tokenizer of a path, or of the name of an encoding, a trained or a registered tokenizer
    (``name@version``).

    Raises NotAvailable if there is none.
    """
    if name in NAMED and not Path(name).exists():
        missing = missing_files(NAMED[name])
        if missing:
            raise tc.NotAvailable(_away(name, cache_path(missing[0])))
        return tc.open(name, pattern=pattern or None)
    shipped = _shipped(name)
    if shipped is not None:
        tokenizer = tc.open(shipped.path)
        tokenizer.name = shipped.name
        return tokenizer
    registry = _registry(name)
    if registry is not None:
        if registry.get(name) is not None or _kept(name) is None:
            return registry.open(name)
    trained = _kept(name)
    if trained is not None:
        tokenizer = tc.open(trained[1])
        tokenizer.name = trained[0].name
        return tokenizer
    path = Path(name)
    offered = _offered(name)
    try:
        return tc.open(offered or name, pattern=pattern or None)
    except tc.NotAvailable as error:
        if path.exists():
            raise
        from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

        shipped_names = ", ".join(one.id for one in SHIPPED_TOKENIZERS)
        raise tc.NotAvailable(f"{error} Shipped with Tokenarium are {shipped_names}.") from error


def source_of(name: str) -> str:
    """Returns the path or the name of an encoding with which the core opens a tokenizer."""
    shipped = _shipped(name)
    if shipped is not None:
        return str(shipped.path)
    registry = _registry(name)
    registered = registry.get(name) if registry is not None else None
    if registered is not None:
        return registered.source
    trained = _kept(name)
    return str(trained[1]) if trained is not None else _offered(name) or name


def _offered(name: str) -> str:
    """Returns the path with which the core opens a tokenizer of the catalogue; empty for other names.

    Raises NotAvailable if it is not on this computer.
    """
    if name in NAMED or Path(name).exists():
        return ""
    from tokenarium.models.tokenizers.offers import is_here, offer_files, offer_of

    offer = offer_of(name)
    if offer is None:
        return ""
    path = offer_files(offer)[0][1]
    if not is_here(offer):
        raise tc.NotAvailable(_away(offer.id, path))
    return offer.tiktoken or str(path)


def _away(name: str, path: Path) -> str:
    from tokenarium.models.tokenizers.offers import away_sentence

    return away_sentence([name], [name], f": its file was not found at {path}")


def _shipped(name: str) -> ShippedTokenizer | None:
    if Path(name).exists():
        return None
    from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

    return next((tokenizer for tokenizer in SHIPPED_TOKENIZERS if tokenizer.id == name), None)


def _registry(name: str) -> TokenizerRegistry | None:
    """Returns the registry if a name is one of its references, ``name@version``."""
    if "@" not in name or Path(name).exists():
        return None
    from tokenarium.models.training.store import Store
    from tokenarium.models.training.tokenizer_registry import TokenizerRegistry
    from tokenarium_core.formats.registered import REFERENCE

    return TokenizerRegistry(Store(store_folder())) if REFERENCE.fullmatch(name) else None


def _kept(name: str) -> tuple[Trained, Path] | None:
    """Returns a trained tokenizer by its name or the beginning of its identity, with its file."""
    if name in NAMED or Path(name).exists():
        return None
    from tokenarium.models.training.store import Store

    store = Store(store_folder())
    for trained in store.all():
        if name in (trained.name, trained.identity[: max(8, len(name))]):
            return trained, store.path(trained)
    return None


def text_of(text: str | None, file: Path | None) -> str:
    """Returns the text of an argument, a file, or the standard input, with its line ends unchanged."""
    if text is not None and file is None:
        return text
    from tokenarium_core.command_values import (
        content_of,
        decoded_text,
        name_of_text,
        standard_input,
    )

    data = standard_input() if file is None else content_of(file)
    return decoded_text(data, name_of_text(file))
