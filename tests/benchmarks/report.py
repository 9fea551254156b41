"""What is common to the benchmarks: their settings, and the tables that they print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from measure import OTHER_IDS, Goal, Series
from peers import OURS, Peer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from subjects import Subject
from texts import Text, Texts


@dataclass(frozen=True)
class Settings:
    """How a run goes: the texts, where to print, and how much time to take."""

    texts: Texts
    console: Console
    subjects: tuple[Subject, ...]
    quick: bool = False
    size: int = 0
    """Bytes of a large corpus; 0: as many as the benchmark says."""

    def rounds(self, full: int) -> int:
        """Returns how often each contestant is measured."""
        return 1 if self.quick else full


def takers(settings: Settings, subject: Subject) -> tuple[list[Peer], dict[str, str]]:
    """Returns the peers that can do this subject here, and for the others why not.

    There are none where Tokenarium itself cannot.
    """
    if subject.train is not None:
        subject.train(settings.texts)
    # The reference first: with a network, tiktoken fetches what its cache, which we read too, lacks.
    in_order = sorted(subject.peers, key=lambda peer: peer.name != subject.reference)
    reasons = {peer.name: peer.why_not(subject.name) for peer in in_order}
    absent = {name: reason for name, reason in reasons.items() if reason}
    if OURS in absent:
        what = f"{subject.name} is left out: Tokenarium cannot open it here. {absent[OURS]}."
        settings.console.print(f"[yellow]{escape(what)}[/yellow]")
        return [], absent
    for name, reason in absent.items():
        what = f"{name} is left out for {subject.name}: {reason}."
        settings.console.print(f"[dim]{escape(what)}[/dim]")
    return [peer for peer in subject.peers if peer.name not in absent], absent


def goals_of(
    subject: Subject, what: str, wanted: float | None, series: Mapping[str, Series]
) -> list[Goal]:
    """Returns the goals of one measurement: so many times the reference, and to be ahead of some peers."""
    ours, reference = series[OURS], series.get(subject.reference)
    goals = []
    if wanted is not None and reference is not None:
        goals.append(Goal(f"{subject.name}, {what}", wanted, ours.deserved_ratio(reference)))
    for name in subject.ahead_of:
        if name in series:
            other = f" ({OTHER_IDS})" if series[name].ids == OTHER_IDS else ""
            beside = f"{subject.name}, {what}, beside {name}{other}"
            goals.append(Goal(beside, 1.0, ours.deserved_ratio(series[name])))
    return goals


def warn_of_samples(console: Console, texts: Iterable[Text]) -> None:
    """Prints a warning about texts that are too short to mean anything."""
    names = [text.name for text in texts if not text.real]
    if names:
        console.print(
            f"[yellow]Sample texts only: {', '.join(names)}. These figures say little.[/yellow]"
        )


def table(title: str, heads: Sequence[str]) -> Table:
    """Returns an empty table whose first column is a name and whose other columns are figures."""
    empty = Table(title=title, title_justify="left", title_style="bold")
    empty.add_column(heads[0])
    for head in heads[1:]:
        empty.add_column(head, justify="right")
    return empty


def times(ratio: float) -> str:
    """Returns "6.31 ×", with fewer decimals for larger values."""
    return f"{ratio:.1f} ×" if ratio >= 10 else f"{ratio:.2f} ×"


def ratio_cell(series: Series, reference: Series | None) -> str:
    """Returns the ratio to the reference, or the mark of a peer with other ids."""
    if series.ids == OTHER_IDS:
        return f"[red]{OTHER_IDS}[/red]"
    return times(series.ratio(reference)) if reference is not None else "–"


def print_goals(console: Console, goals: Sequence[Goal]) -> None:
    """Prints what was to be reached, and what was."""
    if not goals:
        return
    console.print()
    overview = table("Goals", ("", "wanted", "got", ""))
    for goal in goals:
        word = "[green]reached[/green]" if goal.reached else "[red]not yet[/red]"
        overview.add_row(goal.what, times(goal.wanted), times(goal.got), word)
    console.print(overview)
