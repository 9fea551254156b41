"""The tokenizers that a new library offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokenarium.models.tokenizers.library import REGISTERED, LibraryGroup, LibraryItem, State
from tokenarium.models.tokenizers.offers import is_here, key_of, offer_files
from tokenarium.models.tokenizers.tokenizer_identity import family_of_path
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium.resources.catalogue_index import Offer, PublishedFile, load_catalogue
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core import TokenariumError, Tokenizer
from tokenarium_core.formats import lacks_pattern
from tokenarium_core.formats.opening import foreign_kind
from tokenarium_core.formats.registered import store_folder
from tokenarium_core.formats.registry import FORMATS, format_of_file
from tokenarium_core.models import CharacterBpe, Unigram, WordPiece
from tokenarium_core.plain_files import is_device

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained


def offered(
    on: Sequence[str], order: Sequence[str], opened: Sequence[str], trained: Sequence[str] = ()
) -> list[LibraryItem]:
    """Returns the items of a fresh library.

    ``on`` are the keys that are on, and ``order`` the keys in the saved order (others follow). ``opened`` are the saved
    files, as `file_line` writes them. ``trained`` are the identities of kept tokenizers; those that no longer exist are
    left out.
    """
    items = [shipped_item(one) for one in SHIPPED_TOKENIZERS]
    items += [offer_item(offer) for offer in load_catalogue()]
    items += [file_of_line(line) for line in opened]
    if trained:
        items += trained_items(trained)
    places = {key: place for place, key in enumerate(order)}
    items = [replace(item, on=item.key in on and item.state is State.CLOSED) for item in items]
    # The downloadable models that people look for come before the older encodings.
    return sorted(
        items,
        key=lambda item: (places.get(item.key, len(places)), item.key.startswith("named:")),
    )


def shipped() -> LibraryItem:
    """Returns the tokenizer that comes with the app and is always available."""
    return shipped_item(SHIPPED_TOKENIZERS[0])


def shipped_item(one: ShippedTokenizer) -> LibraryItem:
    """Returns the item of a tokenizer that comes with the app."""
    return LibraryItem(
        f"shipped:{one.id}",
        LibraryGroup.SHIPPED,
        one.name,
        str(one.path),
        encoding_name=one.kind,
    )


def nearest_shipped(tokenizer: Tokenizer, key: str = "") -> tuple[str, ...]:
    """Returns the keys of the shipped tokenizers most similar to this one, whose key is ``key``, the nearest first."""
    model = tokenizer.model
    if isinstance(model, Unigram):
        near = "unigram-8k"
    elif isinstance(model, WordPiece):
        near = "wordpiece-8k"
    elif isinstance(model, CharacterBpe):
        near = "sentencepiece-bpe-8k"
    else:
        older = key in ("named:gpt2", "named:r50k_base", "named:p50k_base", "named:p50k_edit")
        near = "bpe-gpt2-8k" if older else "bpe-cl100k-8k"
    return (f"shipped:{near}", shipped().key)


def offer_item(offer: Offer) -> LibraryItem:
    """Returns a tokenizer of the catalogue; it is missing if its files are not on this computer."""
    key, files = key_of(offer), offer_files(offer)
    source = offer.tiktoken or str(files[0][1])
    state = State.CLOSED if is_here(offer) else State.MISSING
    group = LibraryGroup(offer.owner)
    item = LibraryItem(
        key,
        group,
        offer.name,
        source,
        models=offer.models,
        state=state,
        encoding_name=offer.tiktoken or Path(source).name,
    )
    return replace(item, total=sum(file.size for file, _ in files))


def published_files(item: LibraryItem) -> list[tuple[PublishedFile, Path]]:
    """Returns the files of a tokenizer of the catalogue, each with its path on this computer."""
    offer = next((offer for offer in load_catalogue() if key_of(offer) == item.key), None)
    return [] if offer is None else offer_files(offer)


def file_item(path: str, pattern: str = "") -> LibraryItem:
    """Returns the item of a tokenizer file."""
    family = family_of_path(Path(path))
    name, encoding = (name_of(Path(path)), "") if family is None else family[:2]
    return LibraryItem(
        f"file:{path}",
        LibraryGroup.FILES,
        name,
        path,
        pattern=pattern,
        encoding_name=encoding,
    )


def registered_item(reference: str) -> LibraryItem:
    """Returns the item of a registered tokenizer, ``name@version``; opening it reports an error if there is none."""
    from tokenarium.models.training.tokenizer_registry import registered_here

    found = next((one for one in registered_here() if one.reference == reference), None)
    source = found.source if found is not None else reference
    return LibraryItem(
        f"{REGISTERED}{reference}",
        LibraryGroup.FILES,
        reference,
        source,
        pattern=found.pattern if found is not None else "",
        encoding_name=Path(source).name if source != reference else "",
    )


def trained_items(identities: Sequence[str]) -> list[LibraryItem]:
    """Returns the items of kept tokenizers by identity; none if the store cannot be used."""
    from tokenarium.models.training.store import Store

    try:
        store = Store(store_folder())
        kept = [trained for trained in map(store.get, identities) if trained is not None]
    except TokenariumError:
        return []
    return [trained_item(one, store.path(one)) for one in kept]


def trained_item(trained: Trained, path: Path) -> LibraryItem:
    """Returns the item of a kept tokenizer, with what it was trained on as the second part of its name."""
    sources = trained.corpus.get("sources") or [""]
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    return LibraryItem(
        f"trained:{trained.identity}",
        LibraryGroup.TRAINED,
        trained.name,
        str(path),
        encoding_name=f"{sources[0]}{more}",
    )


def needs_pattern(path: Path) -> bool:
    """Whether a file contains only pieces and ranks, so that the user must choose its pattern.

    Raises OSError if the file cannot be read.
    """
    if is_device(path) or foreign_kind(path) is not None:
        return False  # opening it reports the error
    ranks = (
        FORMATS["tiktoken"].has_own_name(path.name) or format_of_file(path) is FORMATS["tiktoken"]
    )
    return ranks and lacks_pattern(path)


def file_line(item: LibraryItem) -> str:
    """Returns the text from which `file_of_line` recreates the item: its path, and its pattern after a line feed.

    For a registered tokenizer it is ``name@version``, which no absolute path looks like. Before a path that contains a
    line feed, its length is written between two line feeds.
    """
    if item.key.startswith(REGISTERED):
        return item.key.removeprefix(REGISTERED)
    if "\n" in item.source:
        return f"\n{len(item.source)}\n{item.source}{item.pattern}"
    return f"{item.source}\n{item.pattern}" if item.pattern else item.source


def file_of_line(line: str) -> LibraryItem:
    """Returns the item of a file that `file_line` wrote."""
    if line.startswith("\n"):
        size, _, rest = line[1:].partition("\n")
        if size.isdecimal():
            return file_item(rest[: int(size)], rest[int(size) :])
    path, _, pattern = line.partition("\n")
    if "@" in path and not Path(path).is_absolute():
        return registered_item(path)
    return file_item(path, pattern)
