"""Which language the next merge is for."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

NO_LANGUAGE: Final = -1
"""Instead of a language: the merge was chosen for all of them together."""


@final
class ParityChoice:
    """Chooses the language that is worst off and has pairs left.

    That is the one whose text needs the most tokens. With ``ratios``, it is the one with the lowest compression rate
    (initial tokens / current tokens) divided by its ratio. Of equal ones the first counts.

    With a ``window`` above 0, a language that was chosen for more than ``alpha`` / n of the last ``window`` choices is
    skipped, with n languages, so that one that compresses badly does not get all merges. If all are over their
    share, the one of them that is best off is chosen.

    Follows ``select_next_language`` of the ParityBpeTrainer of Hugging Face's tokenizers 0.23.3, including this
    case: if every language with pairs left is over its share, the first language enters the window although it has no
    pairs, until it is over its share as well. From then on that trainer does not terminate; here the language
    that is worst off is chosen, and counted in ``forced``.
    """

    def __init__(
        self, first_lengths: vec[i64], ratios: list[float], window: i64, alpha: float
    ) -> None:
        count: i64 = len(first_lengths)
        self._count: i64 = count
        self._first = first_lengths
        self._ratios = ratios
        self._run_out = [False] * count
        self._left: i64 = count
        self._window: i64 = window
        self._most: float = alpha / float(count)
        self._last = vec[i32]([NO_LANGUAGE] * window)  # the last choices, in a ring
        self._next: i64 = 0
        self._shares = vec[i64]([0] * count)  # how often each language is among them
        self.forced: int = 0
        for language in range(count):
            if ratios and first_lengths[language] == 0:
                self.run_out(language)  # it has no rate

    def run_out(self, language: i64) -> None:
        """Records that a language has no pairs left."""
        if not self._run_out[language]:
            self._run_out[language] = True
            self._left -= 1

    def choose(self, lengths: vec[i64]) -> i64:
        """Returns the language of the next merge, `NO_LANGUAGE` if none has pairs left.

        ``lengths`` are the current numbers of tokens of the languages.
        """
        while self._left > 0:
            if self._window == 0:
                return self._worst(lengths, [])
            language = self._within_share(lengths)
            self._note(language)
            if not self._run_out[language]:
                return language
        return NO_LANGUAGE

    def _within_share(self, lengths: vec[i64]) -> i64:
        """Returns the language that is worst off among those not over their share of the window."""
        over = [False] * self._count
        language: i64 = 0
        passed: i64 = 0
        while passed < self._count:
            language = self._worst(lengths, over)
            if language < 0:
                language = 0
            if float(self._shares[language]) / float(self._window) <= self._most:
                return language
            if over[language]:
                self.forced += 1
                return self._worst(lengths, [])
            over[language] = True
            passed += 1
        return language

    def _worst(self, lengths: vec[i64], over: list[bool]) -> i64:
        """Returns the language that is worst off among those that have pairs left and are not ``over``.

        -1 if there is none.
        """
        worst: i64 = NO_LANGUAGE
        most: float = 0.0
        language: i64 = 0
        while language < self._count:
            if not self._run_out[language] and not (over and over[language]):
                need = self._need(lengths, language)
                if worst < 0 or need > most:
                    worst = language
                    most = need
            language += 1
        return worst

    def _need(self, lengths: vec[i64], language: i64) -> float:
        """Returns how badly off a language is: the higher, the worse."""
        length = float(lengths[language])
        if not self._ratios:
            return length
        return -(float(self._first[language]) / length / self._ratios[language])

    def _note(self, language: i64) -> None:
        """Moves the window on."""
        dropped = i64(self._last[self._next])
        if dropped >= 0:
            self._shares[dropped] -= 1
        self._last[self._next] = i32(language)
        self._shares[language] += 1
        self._next += 1
        if self._next == self._window:
            self._next = 0
