"""``tokenarium fetch``: gets tokenizers from their owners, as the library of the window does."""

from __future__ import annotations

import shutil
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.terminal import (
    FAILED,
    INTERRUPTED,
    JsonOption,
    sentences,
    write_answer,
    write_tables,
)
from tokenarium.models.tokenizers.offers import is_here, offer_files, offer_of
from tokenarium.resources.catalogue_index import (
    Offer,
    Repository,
    load_catalogue,
    load_repositories,
    usual_offers,
)

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

AT_ONCE = 3
"""Tokenizers that are fetched at the same time."""

LOOK_MS = 100
"""Milliseconds between checks for Ctrl+C, which Python sees only when its own code runs."""


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of the catalogue (see --list), or repositories of Hugging Face, owner/name."
        ),
    ] = None,
    usual: Annotated[
        bool,
        typer.Option(
            "--usual",
            help="The six best-known ones: " + "GPT-2, GPT-4, GPT-4o, Gemma 3, Mistral, Qwen 3.",
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Put the files there, instead of where the window and the other commands look.",
        ),
    ] = None,
    one_by_one: Annotated[
        bool, typer.Option("--one-by-one", help="Download one at a time instead of three.")
    ] = False,
    list_all: Annotated[
        bool, typer.Option("--list", "-l", help="List the catalogue: sizes, and what is here.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Downloads tokenizers from their owners, checks their hashes, and resumes interrupted downloads.

    Files that are already here are not fetched again unless they are damaged. --usual gets the six that the window
    offers together. The exit code is 0 if all are here afterwards, 1 if one is not, and 130 after Ctrl+C.
    """
    with sentences():
        if list_all:
            _write_list(to, as_json)
            return
        ids = list(names or [])
        offers = [*usual_offers()] if usual else []
        repositories = [name for name in ids if "/" in name]
        offers += [_offer(name) for name in ids if "/" not in name]
        if not offers and not repositories:
            raise typer.BadParameter("Name a tokenizer, or give --usual. --list shows all.")
        code = _Fetching(list(dict.fromkeys(offers)), to, 1 if one_by_one else AT_ONCE).run()
        for name in [] if code == INTERRUPTED else repositories:
            folder = _fetch_repository(name, to)
            typer.echo(f"{name} is in {folder}")
    if code:
        raise typer.Exit(code)


def _offer(name: str) -> Offer:
    offer = offer_of(name)
    if offer is None:
        ids = ", ".join(offer.id for offer in load_catalogue())
        raise tc.NotAvailable(
            f"The catalogue has no {name}: it has {ids}. Name a Hugging Face repository as owner/name."
        )
    return offer


def _write_list(to: Path | None, as_json: bool) -> None:
    usual = usual_offers()
    offers: list[TableColumn[Offer]] = [
        printed_column("id", lambda row: row.id, json="id"),
        printed_column("name", lambda row: row.name, json="name"),
        printed_column("owner", lambda row: row.owner),
        printed_column("models", lambda row: row.models, json="models", grows=True),
        printed_column("size", lambda row: _size(sum(file.size for file, _ in offer_files(row, to))), str),
        printed_column("usual", lambda row: "yes" if row in usual else ""),
        printed_column("here", lambda row: "yes" if is_here(row, to) else ""),
        printed_column(None, lambda row: is_here(row, to), json="here"),
        printed_column(None, lambda row: [{**asdict(file), "path": str(path)} for file, path in offer_files(row, to)], json="files"),
    ]  # fmt: skip
    write_answer(as_json, Table(offers, load_catalogue(), title="The catalogue"))
    if as_json:
        return
    others: list[TableColumn[Repository]] = [
        printed_column("repository", lambda row: row.name),
        printed_column("models", lambda row: row.models, grows=True),
        printed_column("", lambda row: "asks for an account" if row.gated else ""),
    ]
    write_tables(Table(others, load_repositories(), title="On Hugging Face, with others"))


def _fetch_repository(name: str, to: Path | None) -> Path:
    """Returns the folder of a repository's tokenizer: in the cache of huggingface_hub, or a copy."""
    from tokenarium.models.tokenizers.hub import fetch as fetch_repository

    folder = fetch_repository(lambda progress: typer.echo(progress.phase, err=True), name)
    if to is None:
        return folder
    copy = to / name.replace("/", "--")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    return copy


class _Fetching:
    """Fetches tokenizers of the catalogue, several at the same time; reports the result of each."""

    def __init__(self, offers: list[Offer], to: Path | None, at_once: int) -> None:
        self._waiting = offers
        self._to = to
        self._at_once = at_once
        self._running: dict[str, Any] = {}
        self._bars: dict[str, TaskID] = {}
        self._code = 0

    def run(self) -> int:
        """Returns the exit code once all have ended."""
        if not self._waiting:
            return 0
        try:
            from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
            from PySide6.QtNetwork import QNetworkAccessManager
        except ImportError as error:
            from tokenarium.models.system_libraries import refusal

            raise tc.NotAvailable(refusal(error) or f"Qt cannot be loaded: {error}.") from error
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        self._application = QCoreApplication.instance() or QCoreApplication([])
        self._network = QNetworkAccessManager()
        self._loop = QEventLoop()
        looking = QTimer()
        looking.setInterval(LOOK_MS)
        looking.timeout.connect(lambda: None)
        console = Console(stderr=True)
        self._progress: Progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            redirect_stdout=sys.stdout.isatty(),  # otherwise it would write to the terminal what belongs in a file
            disable=not console.is_terminal,
        )
        before = signal.signal(signal.SIGINT, self._interrupt)
        looking.start()
        try:
            with self._progress:
                QTimer.singleShot(0, self._start_more)
                self._loop.exec()
        finally:
            signal.signal(signal.SIGINT, before)
            looking.stop()
        if self._code == INTERRUPTED:
            typer.secho(
                "Interrupted. What was downloaded is kept: the same command continues from there.",
                fg="red",
                err=True,
            )
        return self._code

    def _start_more(self) -> None:
        """Starts the waiting downloads that share no file with a running one, as two encodings may."""
        busy = {
            path for offer in self._running.values() for _, path in offer_files(offer[0], self._to)
        }
        for offer in list(self._waiting):
            if len(self._running) >= self._at_once:
                break
            paths = {path for _, path in offer_files(offer, self._to)}
            if paths & busy:
                continue
            busy |= paths
            self._waiting.remove(offer)
            self._start(offer)
        if not self._running:
            self._loop.quit()

    def _start(self, offer: Offer) -> None:
        from tokenarium.work.tokenizer_fetch import TokenizerFetch

        fetch = TokenizerFetch(self._network, offer_files(offer, self._to))
        if fetch.nothing_to_do:
            self._say(offer, "is here already")
            return
        self._running[offer.id] = (offer, fetch)
        self._bars[offer.id] = self._progress.add_task(offer.name, total=fetch.total or None)

        def progressed(received: int, total: int) -> None:
            self._progress.update(self._bars[offer.id], completed=received, total=total or None)

        def finished() -> None:
            self._say(offer, "is here now")
            self._end(offer)

        def failed(sentence: str, offline: bool) -> None:
            self._code = self._code or FAILED
            typer.secho(f"{offer.name} was not fetched. {sentence}", fg="red", err=True)
            self._end(offer)

        fetch.progressed.connect(progressed)
        fetch.finished.connect(finished)
        fetch.failed.connect(failed)
        fetch.cancelled.connect(lambda: self._end(offer))
        fetch.start()

    def _say(self, offer: Offer, what: str) -> None:
        """Says where a tokenizer is, with its size and hash."""
        for file, path in offer_files(offer, self._to):
            size = _size(path.stat().st_size)
            typer.echo(
                f"{offer.name} {what}: {file.name}, {size}, SHA-256 {file.sha256[:16]}…, {path}"
            )

    def _end(self, offer: Offer) -> None:
        self._progress.update(self._bars[offer.id], visible=False)
        _, fetch = self._running.pop(offer.id)
        fetch.deleteLater()
        self._start_more()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Stops all downloads; what was received is kept."""
        self._code = INTERRUPTED
        self._waiting.clear()
        for _, fetch in list(self._running.values()):
            fetch.cancel()


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count else "not known"
