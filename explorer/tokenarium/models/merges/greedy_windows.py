"""What WordPiece does at a step of a run, as plain data: the tokens so far, and the windows that were tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenarium.models.merges import narration
from tokenarium.models.merges.merge_scene import Tile, WordTiles
from tokenarium.models.merges.playback import PlayedWord, Step, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import counted, piece_text, readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium_core.trace import PIECE, TRY, UNKNOWN
from tokenarium_core.vocabulary import CONTINUING


@dataclass(frozen=True, slots=True)
class Window:
    """One look-up of a possible piece: its bytes, its spelling, the found id (-1: none), its colour.

    ``lost``: the whole word became the unknown token. ``limited``: longer windows are skipped, as no entry is longer.
    """

    start: int
    end: int
    text: str
    id: int
    colour: int = 0
    lost: bool = False
    limited: bool = False

    @property
    def matched(self) -> bool:
        """Whether the look-up found an entry."""
        return self.id >= 0 and not self.lost

    @property
    def answer(self) -> str:
        """What the look-up found, in words."""
        if self.lost:
            return f"the whole word becomes id {self.id:,}"
        answer = f"yes, id {self.id:,}" if self.id >= 0 else "no"
        return f"{answer}; no entry is longer" if self.limited else answer


@dataclass(frozen=True, slots=True)
class GreedyScene:
    """A word with the windows that were tried so far, and the next one; ``done`` is the end of the last piece found.

    ``start`` is the first byte of the word. ``affix`` comes before continuing pieces.
    """

    start: int = 0
    word: bytes = b""
    windows: Sequence[Window] = ()
    coming: Window | None = None
    affix: str = ""

    @property
    def done(self) -> int:
        """The end of the last piece that was found; -1: none."""
        return max((window.end for window in self.windows if window.id >= 0), default=-1)


class GreedyScenes:
    """The scenes of a run of WordPiece, at the step where the run is."""

    def __init__(self, run: TraceRun) -> None:
        self.run = run
        self._tiles = WordTiles(self._make_tiles)
        self._windows: dict[int, Window] = {}  # by the number of the event

    def tiles(self) -> list[list[Tile]]:
        """Returns the tokens of each word; the uncut rest of a word is one loose tile."""
        return self._tiles.of(self.run.symbols())

    def made(self) -> int:
        """Returns the first byte of the token that the last step made; -1: it made none."""
        last = self.run.last_step
        return last.start if last is not None and last.kind in (PIECE, UNKNOWN) else -1

    def scene(self) -> GreedyScene:
        """Returns the word that the next step is about, with its windows."""
        run = self.run
        word = run.playback.word_at(run.playback.position)
        if word is None:
            return GreedyScene()
        steps = run.playback.steps[word.first : min(word.last, run.playback.position)]
        coming = run.next_step
        return GreedyScene(
            word.start,
            run.data[word.start : word.end],
            [self._window(word, step) for step in steps if step.kind != PIECE],
            self._window(word, coming) if coming is not None else None,
            run.tokenizer.vocabulary.affix,
        )

    def _window(self, word: PlayedWord, step: Step) -> Window:
        if step.event not in self._windows:
            self._windows[step.event] = self._make_window(word, step)
        return self._windows[step.event]

    def _make_window(self, word: PlayedWord, step: Step) -> Window:
        run = self.run
        text = readable(run.data[step.start : step.end])
        vocabulary = run.tokenizer.vocabulary
        if step.kind == UNKNOWN:
            text = piece_text(vocabulary, step.result)
        elif step.kind == TRY and step.start > word.start:
            text = vocabulary.affix + text
        lost = step.kind == UNKNOWN
        limited = run.window_is_cut(step)
        colour = token_colour(step.result)
        return Window(step.start, step.end, text, step.result, colour, lost, limited)

    def _make_tiles(self, number: int, symbols: list[Symbol]) -> list[Tile]:
        run, tiles = self.run, []
        word = run.words[number]
        at = word.start
        for symbol in symbols:
            text, note = readable(run.data[symbol.start : symbol.end]), f"{symbol.id}"
            if int(run.tokenizer.vocabulary.kinds[symbol.id]) == CONTINUING:
                text = run.tokenizer.vocabulary.affix + text
            elif self._lost(word, symbol):
                note = f"{piece_text(run.tokenizer.vocabulary, symbol.id)} {note}"
            tiles.append(Tile(symbol.start, symbol.end, text, note, token_colour(symbol.id)))
            at = symbol.end
        if at < word.end:
            rest = readable(run.data[at : word.end])
            tiles.append(Tile(at, word.end, rest, "", 0, loose=True))
        return tiles

    def _lost(self, word: PlayedWord, symbol: Symbol) -> bool:
        """Returns whether a symbol is a word that became the unknown token."""
        steps = self.run.playback.steps[word.first : word.last]
        return bool(steps) and steps[-1].kind == UNKNOWN and steps[-1].result == symbol.id


def tokens_so_far(run: TraceRun) -> str:
    """Returns how many tokens a run has at its step, in words."""
    count = narration.count(run)
    return count if run.next_step is None else f"{counted(run.count(), 'token')} so far"


Cell = tuple[int, int, str, float, float]
"""A character of a word: its bytes, its text, its left and its width in pixels."""


def window_cells(scene: GreedyScene, left: float, width_of: Callable[[str], float]) -> list[Cell]:
    """Returns the characters of a word side by side; each has room for itself with the affix before it."""
    word, cells = scene.word, []
    at, x = 0, left
    while at < len(word):
        end = at + 1
        while end < len(word) and word[end] & 0xC0 == 0x80:
            end += 1
        text = readable(word[at:end])
        width = width_of(scene.affix + text)
        cells.append((scene.start + at, scene.start + end, text, x, width))
        x += width
        at = end
    return cells


def window_places(scene: GreedyScene, cells: Sequence[Cell]) -> dict[int, float]:
    """Returns where each byte of a word begins: a piece of bytes may begin or end inside a character."""
    places: dict[int, float] = {}
    for start, end, _, left, width in cells:
        for byte in range(start, end):
            places[byte] = left + width * (byte - start) / (end - start)
        places[end] = left + width
    return places
