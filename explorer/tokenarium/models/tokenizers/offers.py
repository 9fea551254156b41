"""The tokenizers of the catalogue on this computer: their keys, their files, and how to get a missing one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tokenarium.models.files import data_folder
from tokenarium.resources.catalogue_index import Offer, PublishedFile, load_catalogue
from tokenarium_core.formats import NAMED, cache_path


def key_of(offer: Offer) -> str:
    """Returns the key that a tokenizer of the catalogue has in the library."""
    return f"named:{offer.tiktoken}" if offer.tiktoken else f"catalogue:{offer.id}"


def offer_of(name: str) -> Offer | None:
    """Returns what is offered under a name: an id, a name for people or a key of the library, in any case of letters."""
    folded = name.casefold()
    for offer in load_catalogue():
        if folded in (offer.id.casefold(), offer.name.casefold(), key_of(offer).casefold()):
            return offer
    return None


def offer_files(offer: Offer, folder: Path | None = None) -> list[tuple[PublishedFile, Path]]:
    """Returns the files of a tokenizer, each with its path on this computer, or in a folder under its published name.

    Without a folder, the files of an encoding of tiktoken are in tiktoken's own cache, all others in `data_folder`.
    """
    if offer.file is not None:
        return [(offer.file, (folder or data_folder()) / offer.file.name)]
    files = []
    for file in NAMED[offer.tiktoken].files:
        published = PublishedFile(file.url.rpartition("/")[2], *file)
        files.append((published, folder / published.name if folder else cache_path(file)))
    return files


def is_here(offer: Offer, folder: Path | None = None) -> bool:
    """Whether all files of a tokenizer are there; what they contain is not read."""
    return all(os.path.isfile(path) for _, path in offer_files(offer, folder))


def joined_names(names: Sequence[str]) -> str:
    """Returns names as a sentence has them.

    >>> joined_names(["GPT-2"]), joined_names(["GPT-2", "GPT-4", "GPT-4o"])
    ('GPT-2', 'GPT-2, GPT-4 and GPT-4o')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def away_sentence(names: Sequence[str], keys: Sequence[str], then: str = "") -> str:
    """Returns that tokenizers are not on this computer, what follows from that (``then``), and how to get them.

    ``keys`` are those of the library, or ids of the catalogue; one that the catalogue does not have is left out.

    >>> away_sentence(["GPT-4"], ["named:cl100k_base"])
    'GPT-4 is not on this computer. Get it in the library, or with: tokenarium fetch cl100k_base'
    """
    said = f"{joined_names(names)} {'is' if len(names) == 1 else 'are'} not on this computer{then}."
    return f"{said} {how_to_get(keys)}".rstrip()


def how_to_get(keys: Sequence[str]) -> str:
    """Returns a sentence that says how to get tokenizers of the catalogue; "" if it has none of them."""
    offers = [offer for key in keys if (offer := offer_of(key)) is not None]
    ids = " ".join(offer.id for offer in offers)
    what = "it" if len(offers) == 1 else "them"
    return f"Get {what} in the library, or with: tokenarium fetch {ids}" if offers else ""
