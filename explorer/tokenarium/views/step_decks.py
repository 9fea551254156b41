"""The decks of Merges: the steps of a tokenizer on a word, the longest match, a training, and "why not one token"."""

from __future__ import annotations

from collections.abc import Hashable
from math import inf
from random import Random
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

from tokenarium.models.merges import narration
from tokenarium.models.merges.next_pair import MOST_CHOICES, next_pair
from tokenarium.models.merges.prefix_play import PrefixPlay
from tokenarium.models.merges.training_story import TrainingStory, UnigramStory
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import (
    as_read,
    counted,
    piece_text,
    plain,
    quoted,
    readable,
)
from tokenarium.models.text.segmentation import TextParts, token_colour
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.appearance import motion_enabled
from tokenarium.style.fonts import DISPLAY_SIZE, reading_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.decks import Deck, asked, asked_number, in_words
from tokenarium.widgets.charts.pair_bars import PairBars
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.players.greedy_body import GreedyBody
from tokenarium.widgets.players.lattice_body import LatticeBody
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.merge_canvas import MERGE_MS
from tokenarium.widgets.players.player_lane import PlayerLane, body_of
from tokenarium.widgets.players.prefix_stage import PrefixArea, PrefixPath
from tokenarium.widgets.players.question_band import Choice, StageQuestion
from tokenarium.widgets.players.step_pieces import StepPiecesTable
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.why_card import REASONS, BeginningsRow, word_tiles
from tokenarium.widgets.text.token_tiles import TokenTiles
from tokenarium.widgets.text.token_view import TokenView
from tokenarium.widgets.veil import cover
from tokenarium_core.trace import EDGE, MERGE, SPECIAL, TRY, UNKNOWN

if TYPE_CHECKING:
    from tokenarium.models.merges.why_finding import Finding
    from tokenarium.views.why_answers import WhyAnswers

MOST_TILES = 24
"""The most tokens of a string that are shown."""


class MergesDeck(Deck):
    """The steps of a tokenizer on a word; before each it asks what the model does: which pair, which piece."""

    def __init__(self, item: LibraryItem, lane: PlayerLane) -> None:
        super().__init__()
        assert lane.run is not None
        self.item, self.plays = item, lane.player
        self._run = run = lane.run.twin()
        start, end = (run.words[0].start, run.words[-1].end) if run.words else (0, 0)
        word = run.data[start:end].decode("utf-8", "replace").strip()
        self.title = f"How {item.name} reads “{readable(word.encode(), 40)}”"
        self.body = body_of(run.tokenizer.model)()
        self.body.set_motion(motion_enabled(explains=True))
        if isinstance(self.body, LatticeBody):
            self.body.lists_paths = False
        if isinstance(self.body, GreedyBody):
            self.body.view.most_stretch = inf
        self.body.set_run(run)
        self._merging = ""  # the sentence about the merge that is on its way
        self.body.rested.connect(self.changed)
        in_column((self.body, 1), into=self)
        self.begin(len(run), run.position)

    @property
    def about(self) -> str:
        return f"{counted(self.position, 'step')} done · {self.body.count()}"

    def step_sentence(self, place: int) -> str:
        return self._merging if self.body.merging else self.body.sentence()

    def coming(self, place: int) -> str:
        run = self._run.twin()
        run.go_to(place)
        if isinstance(self.body, LatticeBody) and self.body.paths is not None:
            step = run.next_step
            at = (
                step.start
                if step is not None and step.kind in (EDGE, SPECIAL)
                else self.body.paths.end
            )
            return narration.next_edges(run, self.body.paths, self.body.paths.sums(at))
        return narration.next_step(run)

    def show_position(self, position: int, before: int) -> None:
        self._merging = self.body.sentence()
        self._run.go_to(position)
        self.body.show_step(position == before + 1, MERGE_MS)

    # Questions.

    def hide_answer(self, hidden: bool) -> None:
        if isinstance(self.body, MergeBody):
            self.body.hide_ranks(hidden)

    hide_prediction = hide_answer

    def make_question(self) -> StageQuestion | None:
        step = self._run.next_step
        if step is None:
            return None
        if isinstance(self.body, MergeBody):
            return self._ask_for_pair(self.body) if step.kind == MERGE else None
        if isinstance(self.body, LatticeBody):
            return self._ask_for_edge(self.body) if step.kind == EDGE else None
        return self._ask_for_piece() if step.kind in (TRY, UNKNOWN) else None

    def _ask_for_pair(self, body: MergeBody) -> StageQuestion | None:
        """Asks which pair merges next: the right one, others that can merge, and neighbours that cannot."""
        step, found = self._run.next_step, next_pair(self._run, MOST_CHOICES)
        assert step is not None
        colours = body.colours()
        pairs = {
            pair.start: Choice((pair.left, pair.right), (colours[pair.start], colours[pair.middle]))
            for pair in body.queue().waiting
        }
        right = pairs.pop(step.start, None)
        if right is None:
            return None
        likely = found.choices if found is not None else ()
        others = [pairs.pop(guess.start) for guess in likely if guess.start in pairs]
        rest = list(pairs.values())
        Random(step.event).shuffle(rest)
        rule = "lowest rank" if self._run.score(step.result) is None else "highest score"
        note = f"The pair with the {rule} goes first."
        return asked("Which pair merges next?", note, right, others + rest, step.event)

    def _ask_for_edge(self, body: LatticeBody) -> StageQuestion | None:
        """Asks which piece ends the best path to the next position; None if only one ends there."""
        paths, step = body.paths, self._run.next_step
        assert paths is not None
        assert step is not None
        after = self._run.twin()
        after.go_to(self.position + 1)
        coming = after.next_step
        at = coming.start if coming is not None and coming.kind in (EDGE, SPECIAL) else paths.end
        sums = paths.sums(at)
        best = sums.get(at, (0.0, -1))[1]
        if best < 0:
            return None
        ending = [
            (sums[edge.start][0] + edge.score, number)
            for number, edge in enumerate(paths.edges)
            if edge.end == at and edge.start in sums
        ]
        ending.sort(reverse=True)

        def choice(number: int) -> Choice:
            return Choice((paths.surface(number),), (body.colours[number],))

        return asked(
            "Which piece ends the best path to this position?",
            "The greatest sum: the score of the best path to its start, plus its own.",
            choice(best),
            [choice(number) for _, number in ending],
            step.event,
        )

    def _ask_for_piece(self) -> StageQuestion | None:
        """Asks which piece comes next, before the first window is tried at its position."""
        run, step = self._run, self._run.next_step
        assert step is not None
        word = run.words[step.word]
        last = run.last_step
        if last is not None and last.kind == TRY and last.word == step.word and last.result < 0:
            return None  # windows at this position were tried
        vocabulary = run.tokenizer.vocabulary
        affix = vocabulary.affix if step.start > word.start else ""
        steps = [
            one for one in run.playback.steps[word.first : word.last] if one.event >= step.event
        ]
        tried = [one for one in steps if one.kind == TRY and one.start == step.start]
        lost = next((one for one in steps if one.kind == UNKNOWN), None)
        longest = next((window for window in tried if window.result >= 0), None)
        if longest is not None:
            right = Choice(
                (affix + readable(run.data[longest.start : longest.end]),),
                (token_colour(longest.result),),
            )
        elif lost is not None:
            right = in_words(f"none: {piece_text(vocabulary, lost.result)}")
        else:
            return None
        ends = [window.end for window in tried if window.result < 0][::-1]
        stop = longest.end if longest is not None else word.end
        ends += [at for at in range(stop - 1, step.start, -1) if run.data[at] & 0xC0 != 0x80]
        others = [affix + readable(run.data[step.start : end]) for end in ends]
        return asked(
            "Which piece comes next?",
            "The longest piece that is in the vocabulary.",
            right,
            [Choice((text,), (index % 8,)) for index, text in enumerate(others)],
            step.event,
        )


class PrefixDeck(Deck):
    """The walk of the longest match through its trie; before each match it asks which token it is."""

    def __init__(
        self, item: LibraryItem | None, name: str, play: PrefixPlay, player: StepPlayer
    ) -> None:
        super().__init__()
        self.item, self.plays = item, player
        self._play = play
        self.title = f"The longest match in {name}"
        self.area = PrefixArea()
        self.path = PrefixPath()
        in_column((self.area, 1), self.path, into=self)
        self.begin(len(play), player.position)

    @property
    def about(self) -> str:
        taken = self._play.moment(self._place).taken
        return f"{taken:,} of {counted(len(self._play.places), 'place')} done"

    def step_sentence(self, place: int) -> str:
        return self._play.sentence(place)

    def show_position(self, position: int, before: int) -> None:
        moment = self._play.moment(position)
        self.area.stage.show_moment(self._play, moment)
        self.path.show_moment(moment)
        self.area.follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.area.follow()

    def make_question(self) -> StageQuestion | None:
        moment, play = self._play.moment(self._place), self._play
        place = moment.place
        if place is None or moment.read or (len(place.steps) < 2 and place.id < 0):
            return None
        nothing = in_words("none")
        right = nothing
        if place.id >= 0:
            text = readable(play.data[place.start : place.stop], 24)
            right = Choice((text,), (token_colour(place.id),))
        ends = [place.start + count for count in range(len(place.steps) + 1, 0, -1)]
        ends.sort(
            key=lambda end: (
                not any(
                    step.id >= 0 for step in place.steps[end - place.start - 1 : end - place.start]
                )
            )
        )
        others = [
            Choice((readable(play.data[place.start : end], 24),), (number % 8,))
            for number, end in enumerate(ends)
            if end <= play.last and (end == len(play.data) or play.data[end] & 0xC0 != 0x80)
        ]
        others.insert(1, nothing)
        return asked(
            "Which token is taken here?",
            "The longest match; shorter ones are passed on the way.",
            right,
            others,
            self._place,
        )


class TrainingDeck(Deck):
    """A training, step by step: the best pairs, and the text as it is split; before a merge it asks which one."""

    def __init__(self, story: TrainingStory, text_map: TextMap, player: StepPlayer) -> None:
        super().__init__()
        self.plays = player
        self._story = story = story.twin()
        self.title = "How a vocabulary is learned"
        self.bars = PairBars()
        self.bars.motion = motion_enabled(explains=True)
        self.pieces = StepPiecesTable()
        self.view = TokenView()
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._unigram = isinstance(story, UnigramStory)
        story.set_text(text_map.text)
        self.view.set_text_map(text_map)
        self.bars.setVisible(not self._unigram)
        self.pieces.setVisible(self._unigram)
        in_row(
            (self.pieces if self._unigram else self.bars, 1),
            (self.view, 1),
            into=self,
            spacing=2 * GRID,
        )
        self.begin(len(story), player.position)

    @property
    def about(self) -> str:
        return self._story.measure(self._place)

    def step_sentence(self, place: int) -> str:
        return self._story.sentence(place)

    def coming(self, place: int) -> str:
        return self._story.sentence(place, rivals=False)

    def show_position(self, position: int, before: int) -> None:
        if isinstance(self._story, UnigramStory):
            self.pieces.show_pieces(self._story.pieces(position))
        else:
            self.bars.show_bars(self._story.bars(position), abs(position - before) == 1)
        self.view.show_parts(self._story.cut(position))

    def hide_answer(self, hidden: bool) -> None:
        # Before the first merge, the bars are the candidates for it.
        self.bars.setEnabled(not hidden)
        if not self._unigram:
            self.bars.show_bars(() if hidden and not self._place else self._story.bars(self._place))

    def hide_prediction(self, hidden: bool) -> None:
        """Hides the pairs and the tokens of the text, which may be those after many merges."""
        cover(self.pieces if self._unigram else self.bars, hidden)
        self.view.show_parts(TextParts.empty() if hidden else self._story.cut(self._place))

    def make_question(self) -> StageQuestion | None:
        if self._unigram:
            return None
        bars = self._story.bars(self._place + 1)
        if not bars or bars[0].tied:
            return None
        choices = [
            Choice((bar.left, bar.right), (token_colour(bar.pair[0]), token_colour(bar.pair[1])))
            for bar in bars
        ]
        rule = "has the best score" if bars[0].figure else "is most frequent"
        return asked(
            "Which pair merges next?",
            f"The one that {rule} now.",
            choices[0],
            choices[1:],
            self._place,
        )


class WhyDeck(Deck):
    """Why a string is not one token: for each tokenizer the tokens, the sentence, then each reason."""

    reveals_first = True

    def __init__(self, answers: WhyAnswers, theme: Theme) -> None:
        super().__init__()
        answers.finish()
        self._answers = answers
        session = answers.session
        self._session = session
        self._items = [item for item in session.chosen() if item.key in answers.findings]
        self._steps: list[
            tuple[LibraryItem, int]
        ] = []  # -1: the verdict, else the number of a reason
        for item in self._items:
            facts = answers.findings[item.key].facts[:REASONS]
            self._steps += [(item, number) for number in range(-1, len(facts))]
        place = next(
            (at for at, step in enumerate(self._steps) if step[0].key == answers.chosen), 0
        )
        text = answers.question.text
        self.title = (
            f"Why is {quoted(text.encode('utf-8', 'replace'), 40, always=True)} not one token?"
        )
        self.word = named(
            ElidedLabel(isolated(as_read(text.encode("utf-8", "replace"), 120))), "The string"
        )
        self.word.setFont(reading_font(DISPLAY_SIZE))
        self.word.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.word.setMinimumHeight(50)
        self.tokens = TokenTiles(48, 24)
        self.tokens.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.line = secondary(
            QLabel("Prefixes of increasing length, and which of them are entries")
        )
        self.beginnings = BeginningsRow()
        in_column(
            (self.word, 1),
            (self.tokens, 2),
            self.line,
            self.beginnings,
            into=self,
            spacing=GRID // 2,
        )
        self.begin(max(0, len(self._steps) - 1), place)

    @property
    def item(self) -> LibraryItem | None:  # type: ignore[override]
        return self._steps[self._place][0] if self._steps else None

    @property
    def _finding(self) -> Finding | None:
        return self._answers.findings.get(self.item.key) if self.item is not None else None

    def _count(self, item: LibraryItem) -> int:
        return sum(map(len, self._answers.findings[item.key].touched))

    @property
    def about(self) -> str:
        return self._session.short_name(self.item) if self.item is not None else ""

    @property
    def remembered(self) -> Hashable:
        return self.item.key if self.item is not None else None

    def step_sentence(self, place: int) -> str:
        if not self._steps:
            return "There is no answer."
        item, number = self._steps[place]
        finding = self._answers.findings[item.key]
        if number < 0:
            return finding.error or plain(finding.sentence)
        fact = finding.facts[number]
        return f"{fact.label} {plain(fact.sentence)}" if fact.label else plain(fact.sentence)

    def coming(self, place: int) -> str:
        item, number = self._steps[place]
        return f"{self._session.short_name(item) + ': ' if number < 0 else ''}{self.step_sentence(place)}"

    def hide_answer(self, hidden: bool) -> None:
        finding = self._finding
        if finding is None:
            return
        tiles = (
            word_tiles(finding.run, finding.touched)
            if finding.run is not None and not hidden
            else []
        )
        self.tokens.show_tiles(tiles[:MOST_TILES])
        shown = not hidden and len(finding.beginnings) > 1
        self.beginnings.show_beginnings(finding.beginnings if shown else ())
        self.line.setVisible(shown)

    hide_prediction = hide_answer

    def make_question(self) -> StageQuestion | None:
        """Asks how many tokens the string is; wrong choices are other tokenizers' counts and near ones."""
        item, finding = self.item, self._finding
        if item is None or finding is None or finding.error:
            return None
        count = self._count(item)
        likely = [
            *(self._count(other) for other in self._items),
            count + 1,
            count - 1,
            count + 2,
            1,
        ]
        title = f"How many tokens is it in {self._session.short_name(item)}?"
        note = counted(len(finding.question.text), "character") + "."
        return asked_number(title, note, count, sorted(likely), count)

    def leave(self) -> None:
        if self.item is not None:
            self._answers.choose(self.item.key)
