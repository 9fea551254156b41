"""What the workspaces are called: known before their code is loaded."""

from __future__ import annotations

from typing import NamedTuple


class WorkspaceName(NamedTuple):
    """``id`` is what settings and actions call a workspace, ``title`` what a person reads."""

    id: str
    title: str


TOKENS = WorkspaceName("tokens", "Tokens")
PRETOKENS = WorkspaceName("pretokens", "Pre-tokens")
MERGES = WorkspaceName("merges", "Merges")
BYTES = WorkspaceName("bytes", "Bytes")
VOCABULARY = WorkspaceName("vocabulary", "Vocabulary")
SCRIPTS = WorkspaceName("scripts", "Scripts")
COMPARE = WorkspaceName("compare", "Compare")
TRAIN = WorkspaceName("train", "Train")
