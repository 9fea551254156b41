"""The workspaces in the order of their tabs. The code of each is loaded when it is first shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tokenarium.views import workspace as names
from tokenarium.views.workspace import Workspace, WorkspaceName


@dataclass(frozen=True)
class WorkspaceKind:
    """The name of a workspace, and a function that loads its class."""

    name: WorkspaceName
    load: Callable[[], type[Workspace]]


def _tokens() -> type[Workspace]:
    from tokenarium.views.tokens import TokensView

    return TokensView


def _pretokens() -> type[Workspace]:
    from tokenarium.views.pretokens import PretokensView

    return PretokensView


def _merges() -> type[Workspace]:
    from tokenarium.views.merges import MergesView

    return MergesView


def _bytes() -> type[Workspace]:
    from tokenarium.views.bytes import BytesWorkspace

    return BytesWorkspace


def _vocabulary() -> type[Workspace]:
    from tokenarium.views.vocabulary import VocabularyView

    return VocabularyView


def _scripts() -> type[Workspace]:
    from tokenarium.views.scripts import ScriptsView

    return ScriptsView


def _compare() -> type[Workspace]:
    from tokenarium.views.compare import CompareView

    return CompareView


def _train() -> type[Workspace]:
    from tokenarium.views.train import TrainView

    return TrainView


WORKSPACES = (
    WorkspaceKind(names.TOKENS, _tokens),
    WorkspaceKind(names.PRETOKENS, _pretokens),
    WorkspaceKind(names.MERGES, _merges),
    WorkspaceKind(names.BYTES, _bytes),
    WorkspaceKind(names.VOCABULARY, _vocabulary),
    WorkspaceKind(names.SCRIPTS, _scripts),
    WorkspaceKind(names.COMPARE, _compare),
    WorkspaceKind(names.TRAIN, _train),
)
