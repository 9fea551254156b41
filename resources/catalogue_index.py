"""The tokenizers that can be fetched: who publishes them, and where, as ``catalogue.json`` says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file at its owner's: what it is called here, its address, SHA-256 and bytes (0: not known)."""

    name: str
    url: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Offer:
    """One tokenizer of the catalogue: an encoding that tiktoken names, or a published file."""

    id: str
    """A stable name: ``"gemma-3"``."""
    name: str
    owner: str
    """The heading that it is listed under: ``"Google"``."""
    models: str
    """Which models use it."""
    tiktoken: str = ""
    """tiktoken's name of the encoding; empty for a file."""
    file: PublishedFile | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on Hugging Face with a tokenizer; a gated one asks for an account and a token."""

    name: str
    models: str
    gated: bool = False


@cache
def load_catalogue() -> tuple[Offer, ...]:
    """Returns what can be fetched with a hash to check it by, owner after owner."""
    offers = []
    for entry in _content()["tokenizers"]:
        file = entry.pop("file", None)
        offers.append(Offer(file=PublishedFile(**file) if file else None, **entry))
    return tuple(offers)


@cache
def usual_offers() -> tuple[Offer, ...]:
    """Returns the tokenizers that many know, which are offered together."""
    offers = {offer.id: offer for offer in load_catalogue()}
    return tuple(offers[str(name)] for name in _content()["usual"])


@cache
def load_repositories() -> tuple[Repository, ...]:
    """Returns well-known repositories; any other can be named as well."""
    return tuple(Repository(**entry) for entry in _content()["repositories"])


def _content() -> dict[str, list[dict[str, Any]]]:
    content: dict[str, list[dict[str, Any]]] = json.loads(
        (files(__package__) / "catalogue.json").read_bytes()
    )
    return content
