"""What is measured: encodings and model files, each with its reference, its peers, and what we want to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import file_peers
import tiktoken_peers
from model_files import train_unigram, train_wordpiece
from peers import OURS, Peer
from texts import Texts

TEXTS = ("english", "code", "german", "japanese")


@dataclass(frozen=True)
class Subject:
    """An encoding or a model file; ``reference`` names the peer whose ids are the right ones.

    The goals are how many times as fast as the reference: on documents, by way and by text, and on a line. Beside
    each peer of ``ahead_of`` the goal is to be the faster one, there as well.
    """

    name: str
    reference: str
    peers: tuple[Peer, ...]
    documents: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    line: float | None = None
    ahead_of: tuple[str, ...] = ()
    loading: float | None = None
    """How many times as fast as the reference it is to be loaded."""
    opens_within: float | None = None
    """Seconds for opening it, with nothing kept from earlier."""
    train: Callable[[Texts], None] | None = None
    """What makes its files, where they are made here."""
    only_loads: bool = False
    """True for another form of a file that is measured already."""

    def peer(self, name: str) -> Peer:
        """Returns the peer of that name."""
        return next(peer for peer in self.peers if peer.name == name)

    @property
    def ours(self) -> Peer:
        """Tokenarium itself."""
        return self.peer(OURS)


def _tiktoken(
    name: str, list_goal: float = 0, buffer_goal: float = 0, loading: float | None = None
) -> Subject:
    ways = {"list": list_goal, "buffer": buffer_goal}
    return Subject(
        name,
        "tiktoken",
        tiktoken_peers.PEERS,
        {way: dict.fromkeys(TEXTS, goal) for way, goal in ways.items() if goal},
        line=3.0,
        loading=loading,
    )


_AS_SENTENCEPIECE = {"list": {"english": 15.0, "code": 15.0, "japanese": 5.0}}
_RIVALS = ("gigatoken", "kitoken")

SUBJECTS = (
    _tiktoken("cl100k_base", 6.0, 10.0, loading=2.0),
    _tiktoken("o200k_base", 6.0, 10.0),
    Subject(
        "gemma3",
        "sentencepiece",
        file_peers.CHARACTER_BPE,
        _AS_SENTENCEPIECE,
        line=4.0,
        ahead_of=_RIVALS,
        opens_within=0.5,
    ),
    Subject("gemma3-json", "tokenizers", file_peers.CHARACTER_BPE_JSON, opens_within=1.0, only_loads=True),
    Subject("mistral", "sentencepiece", file_peers.CHARACTER_BPE, _AS_SENTENCEPIECE, line=4.0, ahead_of=_RIVALS),
    Subject(
        "unigram",
        "sentencepiece",
        file_peers.UNIGRAM,
        {"list": dict.fromkeys(TEXTS, 2.0)},
        line=4.0,
        ahead_of=("splintr",),
        train=train_unigram,
    ),
    Subject(
        "wordpiece",
        "tokenizers",
        file_peers.WORDPIECE,
        {"list": dict.fromkeys(TEXTS, 20.0)},
        line=20.0,
        ahead_of=("splintr",),
        train=train_wordpiece,
    ),
)  # fmt: skip
OLDER = (_tiktoken("gpt2"), _tiktoken("r50k_base"))
"""Measured only when they are asked for."""


def named(name: str) -> Subject:
    """Returns the subject of that name."""
    return next(subject for subject in SUBJECTS + OLDER if subject.name == name)
