"""Which tokenizers the library offers before anybody has opened a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenarium.models.folders import (
    SHIPPED,
    data_folder,
    is_device,
    shipped_file,
    store_folder,
)
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, State
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium.resources.catalogue_index import Offer, PublishedFile, load_catalogue
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.named import NAMED, cache_path, missing_files
from tokenarium_core.formats.registry import format_of_file
from tokenarium_core.formats.tiktoken_format import FORMAT, lacks_pattern


def offered(
    on: Sequence[str], order: Sequence[str], opened: Sequence[str], trained: Sequence[str] = ()
) -> list[LibraryItem]:
    """Returns the entries of a fresh library.

    ``on`` are the keys that are on and ``order`` the keys in the order of last time (others follow);
    ``opened`` are the files of last time, each as `file_line` writes it;
    ``trained`` are the identities of kept tokenizers: those that are gone are left out.
    """
    entries = [shipped()]
    entries += [offer_entry(offer) for offer in load_catalogue()]
    entries += [file_of_line(line) for line in opened]
    if trained:
        entries += trained_entries(trained)
    for entry in entries:
        entry.on = entry.key in on and entry.state is State.CLOSED
    places = {key: place for place, key in enumerate(order)}
    return sorted(entries, key=lambda entry: places.get(entry.key, len(places)))


def shipped() -> LibraryItem:
    """Returns the tokenizer that comes with the app."""
    return LibraryItem(
        f"shipped:{SHIPPED}", LibraryGroup.SHIPPED, "Tokenarium 8k", str(shipped_file()), 0
    )


def offer_entry(offer: Offer) -> LibraryItem:
    """Returns a tokenizer of the catalogue, missing where its files are not on this computer."""
    if offer.tiktoken:
        key, source = f"named:{offer.tiktoken}", offer.tiktoken
        missing = bool(missing_files(NAMED[offer.tiktoken]))
    else:
        assert offer.file is not None
        path = data_folder() / offer.file.name
        key, source = f"catalogue:{offer.id}", str(path)
        missing = not path.is_file()
    entry = LibraryItem(key, LibraryGroup(offer.owner), offer.name, source, 0)
    entry.models = offer.models
    if missing:
        entry.state = State.MISSING
    return entry


def published_files(entry: LibraryItem) -> list[tuple[PublishedFile, Path]]:
    """Returns the files that a tokenizer of the catalogue is read from, each with its place here."""
    kind, _, name = entry.key.partition(":")
    if kind == "named":
        return [
            (PublishedFile(file.url.rpartition("/")[2], *file), cache_path(file))
            for file in NAMED[name].files
        ]
    if kind == "catalogue":
        offer = next(offer for offer in load_catalogue() if offer.id == name)
        assert offer.file is not None
        return [(offer.file, Path(entry.source))]
    return []


def file_entry(path: str, pattern: str = "") -> LibraryItem:
    """Returns a tokenizer file."""
    return LibraryItem(f"file:{path}", LibraryGroup.FILES, name_of(Path(path)), path, 0, pattern)


def trained_entries(identities: Sequence[str]) -> list[LibraryItem]:
    """Returns the kept tokenizers of some identities; none where the store cannot be used."""
    from tokenarium.models.training.store import Store

    try:
        store = Store(store_folder())
        kept = [trained for trained in map(store.get, identities) if trained is not None]
    except TokenariumError:
        return []
    return [
        LibraryItem(
            f"trained:{one.identity}", LibraryGroup.TRAINED, one.name, str(store.path(one)), 0
        )
        for one in kept
    ]


def needs_pattern(path: Path) -> bool:
    """Whether a file has pieces and ranks alone, so that a person must say how it cuts a text.

    OSError where the file cannot be read.
    """
    if is_device(path):
        return False  # opening it says so
    ranks = FORMAT.has_own_name(path.name) or format_of_file(path) is FORMAT
    return ranks and lacks_pattern(path)


def file_line(entry: LibraryItem) -> str:
    """Returns the text that `file_of_line` makes a file's entry from: its path, and its pattern behind a line feed.

    Where a path has one itself, its length goes before it, between two.
    """
    if "\n" in entry.source:
        return f"\n{len(entry.source)}\n{entry.source}{entry.pattern}"
    return f"{entry.source}\n{entry.pattern}" if entry.pattern else entry.source


def file_of_line(line: str) -> LibraryItem:
    """Returns the entry of a file that `file_line` wrote."""
    if line.startswith("\n"):
        size, _, rest = line[1:].partition("\n")
        if size.isdecimal():
            return file_entry(rest[: int(size)], rest[int(size) :])
    path, _, pattern = line.partition("\n")
    return file_entry(path, pattern)
