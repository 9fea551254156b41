"""What is common to the benchmarks: their settings, and the tables that they print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpora import Text, Texts
from measure import OTHER_IDS, Goal, Series
from peers import NEWER, OLDER, OURS, PEERS, REFERENCE, Peer
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Settings:
    """How a run goes: the texts, where to print, and how much time to take."""

    texts: Texts
    console: Console
    quick: bool = False
    all_encodings: bool = False

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings to measure, the two that have goals first."""
        if self.all_encodings:
            return NEWER + OLDER
        return NEWER[:1] if self.quick else NEWER

    def rounds(self, full: int) -> int:
        """Returns how often each contestant is measured."""
        return 1 if self.quick else full


def takers(settings: Settings, encoding: str) -> tuple[list[Peer], dict[str, str]]:
    """Returns the peers that can do this encoding here, and for the others why not."""
    # tiktoken first: where there is a network, it fetches what its cache, which we read too, lacks.
    in_order = sorted(PEERS, key=lambda peer: peer.name != REFERENCE)
    reasons = {peer.name: peer.why_not(encoding) for peer in in_order}
    absent = {name: reason for name, reason in reasons.items() if reason}
    if OURS in absent:
        raise SystemExit(f"Tokenarium itself cannot take part: {absent[OURS]}.")
    for name, reason in absent.items():
        settings.console.print(f"[dim]{name} is left out for {encoding}: {reason}.[/dim]")
    return [peer for peer in PEERS if peer.name not in absent], absent


def warn_of_samples(console: Console, texts: Iterable[Text]) -> None:
    """Prints a word on texts that are too short to mean anything."""
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
    """Returns "6.31 ×", with as many decimals as it can bear."""
    return f"{ratio:.1f} ×" if ratio >= 10 else f"{ratio:.2f} ×"


def ratio_cell(series: Series, reference: Series | None) -> str:
    """Returns the ratio to the reference, or the mark of one that gives other ids."""
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
