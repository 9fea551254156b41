"""What two tokenizers do differently: the differences of their stages, and the shortest texts found that show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Final, final

from tokenarium_core.added_tokens import ALL
from tokenarium_core.comparing.entry_differences import entry_texts
from tokenarium_core.comparing.parting_texts import PartingText, TokenizerPair, shown
from tokenarium_core.comparing.pattern_forms import characters_of, parting_characters
from tokenarium_core.comparing.probe_texts import combinations, general_texts
from tokenarium_core.comparing.stage_differences import (
    CHANGES_IDS,
    CHANGES_TEXT,
    EFFECTS,
    KEEPS_IDS,
    MAY_CHANGE_IDS,
    STAGES,
    TEMPLATE,
    StageDifference,
    find_differences,
)
from tokenarium_core.comparing.stage_steps import DECODER, NORMALIZER, PRE_TOKENIZER
from tokenarium_core.errors import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer

MOST_ENTRIES: Final = 4_000
"""The most entries of each vocabulary that are tried as texts."""

_SHORT: Final = 120  # characters of a text that no longer needs to be shorter
_BLOCK: Final = 64  # characters that are tried at once
_LAST: Final = 0x30000  # the end of the planes that have letters
_MOST_OTHERS: Final = 20  # texts that differ because of another stage, before one of them is shown
_OWN: Final = "your texts"


@final
class TokenizerDiff:
    """The differences of two tokenizers.

    ``differences`` are those of the stages, in their order; ``first`` is the shortest text found with different ids, None
    if there is none. ``tried`` says how many texts of each kind were tried, ``not_tried`` what was not.
    """

    def __init__(self, name_a: str, name_b: str) -> None:
        self.name_a = name_a
        self.name_b = name_b
        self.differences: list[StageDifference] = []
        self.first: PartingText | None = None
        self.tried: dict[str, int] = {}
        self.not_tried: list[str] = []

    def __repr__(self) -> str:
        return f"<TokenizerDiff {self.name_a} {self.name_b}: {len(self.differences)} differences, {self.worst}>"

    @property
    def worst(self) -> str:
        """The worst effect, one of `EFFECTS`; empty if there is no difference."""
        effects = {difference.effect for difference in self.differences}
        if self.first is not None:
            effects.add(CHANGES_IDS)
        return next((effect for effect in EFFECTS if effect in effects), "")

    @property
    def texts(self) -> int:
        """How many texts were tried."""
        return sum(self.tried.values())

    @property
    def sentence(self) -> str:
        """The result in words: the shortest text found, and the stage that is the cause."""
        first = self.first
        if first is not None:
            around = " with the ids around it" if first.template else ""
            return (
                f"The text {shown(first.text)}{around} has different ids because of the stage {first.stage}."
                f" {first.because}"
            )
        kinds = ", ".join([f"{kind}: {count:,}" for kind, count in self.tried.items() if count])
        others = f" Not tried: {', '.join(self.not_tried)}." if self.not_tried else ""
        return f"No difference found in {self.texts:,} texts ({kinds}).{others}"


@final
class DiffJob:
    """The comparison of two tokenizers: call `step` until it says that it is finished."""

    def __init__(self, a: Tokenizer, b: Tokenizer, texts: Iterable[str] = ()) -> None:
        self.result = TokenizerDiff(a.name, b.name)
        self._pair = TokenizerPair(a, b)
        self._texts = texts
        self._phase = "stages"
        self._seen: set[str] = set()
        self._work: Iterator[None] | None = None
        self._finished = False

    def step(self, budget_ms: float) -> Progress:
        """Tries texts for about this long."""
        end = perf_counter() + budget_ms / 1000
        if self._work is None:
            self._work = self._all()
        while not self._finished:
            try:
                next(self._work)
            except StopIteration:
                self._finished = True
            if perf_counter() >= end:
                break
        return Progress(self._phase, self.result.texts, 0, self._finished)

    def whole(self) -> TokenizerDiff:
        """Returns the result, after all steps."""
        while not self.step(1000).finished:
            pass
        return self.result

    # The search.

    def _all(self) -> Iterator[None]:
        differences = self.result.differences
        for _ in find_differences(self._pair.a, self._pair.b, differences):
            yield
        for difference in self.result.differences:
            self._phase = difference.stage
            for _ in self._probe(difference, difference.probes):
                yield
        for _ in self._try_general():
            yield
        for _ in self._try_own():
            yield
        for difference in self._open():
            self._phase = difference.stage
            if difference.stages & {NORMALIZER, PRE_TOKENIZER}:
                for _ in self._probe(difference, self._combined(difference)):
                    yield
                for _ in self._every_character(difference):
                    yield
        for _ in self._decode():
            yield
        self._conclude()

    def _open(self) -> list[StageDifference]:
        """Returns the differences for which a text is still sought."""
        return [one for one in self.result.differences if one.effect == MAY_CHANGE_IDS]

    def _probe(self, difference: StageDifference, probes: Iterable[str]) -> Iterator[None]:
        """Tries texts until one shows a difference: one of its own if there is one, or else one of another stage."""
        if difference.effect != MAY_CHANGE_IDS:
            return
        taken = {one.text for one in self.result.differences}
        other: PartingText | None = None
        others = 0
        for text in probes:
            found: PartingText | None = None
            if difference.stage == TEMPLATE:
                found = self._pair.parting_template(text)
            else:
                self._count(text, difference.stage)
                found = self._pair.parting(text, difference.stages)
            if found is not None:
                found = self._shortened(difference, found)
                if found.stage == difference.stage and found.text not in taken:
                    self._show(difference, found)
                    return
                others += 1
                if other is None or (found.stage == difference.stage != other.stage):
                    other = found
                if others >= _MOST_OTHERS:
                    break
            yield
        if other is not None:
            self._show(difference, other)

    def _shortened(self, difference: StageDifference, found: PartingText) -> PartingText:
        """Returns a text as short as it gets; its cause stays the stage of the difference if it is that."""
        if found.template:
            return found
        own = found.stage == difference.stage
        return self._pair.shrunk(found, frozenset([found.stage]) if own else difference.stages)

    def _show(self, difference: StageDifference, found: PartingText) -> None:
        """Records the text that shows a difference."""
        difference.effect = CHANGES_IDS
        difference.text = found.text
        difference.ids_a = found.ids_a
        difference.ids_b = found.ids_b
        self._note(found)

    def _note(self, found: PartingText) -> None:
        """Keeps the shortest text."""
        first = self.result.first
        if first is None or _length(found) < _length(first):
            self.result.first = found

    def _try_general(self) -> Iterator[None]:
        kinds = general_texts()
        for kind, texts in kinds.items():
            self._phase = kind
            for _ in self._try(texts, kind):
                yield
        for tokenizer in (self._pair.a, self._pair.b):
            self._phase = "entries"
            for _ in self._try(entry_texts(tokenizer, MOST_ENTRIES), "entries"):
                yield

    def _try_own(self) -> Iterator[None]:
        self._phase = _OWN
        for text in self._texts:
            for _ in self._try(text.splitlines(keepends=True), _OWN):
                yield

    def _try(self, texts: Iterable[str], kind: str) -> Iterator[None]:
        """Tries texts that were made for no difference; a text that shows one that is still open is taken for it."""
        for text in texts:
            yield
            if text in self._seen and kind != _OWN:
                continue
            self._count(text, kind)
            if not self._pair.parts(text):
                continue
            sought, first = self._open(), self.result.first
            if first is not None and not sought and len(text) >= len(first.text):
                continue
            partings = self._pair.partings(self._pair.near(text))
            for found in partings:
                ours = [one for one in sought if found.stage == one.stage]
                ours += [one for one in sought if found.stage in one.stages]
                if ours:
                    self._show(ours[0], self._shortened(ours[0], found))
                    break
            else:
                if partings and (first is None or len(text) < len(first.text)):
                    found = partings[0]
                    self._note(self._pair.shrunk(found, frozenset([found.stage])))

    def _count(self, text: str, kind: str) -> None:
        if len(text) <= _SHORT:
            self._seen.add(text)
        self.result.tried[kind] = self.result.tried.get(kind, 0) + 1

    def _combined(self, difference: StageDifference) -> list[str]:
        """Returns texts of the characters in which two patterns differ, and of those that they name."""
        one, other = difference.pattern_a, difference.pattern_b
        characters = ""
        if one and other:
            characters = parting_characters(one, other)
        if len(characters) < 8:
            characters += characters_of(one or other)[:24] if one or other else ""
        return combinations("".join(dict.fromkeys(characters))[:16])

    def _every_character(self, difference: StageDifference) -> Iterator[None]:
        """Tries every character, many at once."""
        for start in range(0x80, _LAST, _BLOCK):
            if difference.effect != MAY_CHANGE_IDS:
                return
            yield
            if 0xD800 <= start < 0xE000:
                continue
            block = "".join([f"a{chr(code)} " for code in range(start, start + _BLOCK)])
            self._count(block, "every character")
            found = self._pair.parting(block, difference.stages)
            if found is not None:
                self._show(difference, self._shortened(difference, found))

    def _decode(self) -> Iterator[None]:
        """Looks for ids that decode to different texts, where the decoders differ."""
        sought = [one for one in self.result.differences if one.stage == DECODER]
        if not sought:
            return
        a, b = self._pair.a, self._pair.b
        texts = [*[text for one in sought for text in one.probes], *self._decoded()]
        for text in texts:
            yield
            try:
                ids = a.encode_ids(text, special=ALL)
                if ids != b.encode_ids(text, special=ALL):
                    continue
                same = a.decode(ids, False) == b.decode(ids, False)
                same = same and a.decode(ids, True) == b.decode(ids, True)
            except TokenariumError:
                continue
            if not same:
                for one in sought:
                    one.effect = CHANGES_TEXT
                    one.text = text
                    one.ids_a = one.ids_b = ids
                return

    def _decoded(self) -> list[str]:
        texts = [text for some in general_texts().values() for text in some]
        contents = [token.content for token in self._pair.a.added_tokens.tokens]
        return [*texts, *contents, *[f"a{content} b" for content in contents]]

    def _conclude(self) -> None:
        """Adds the stage of the shortest text, if none of the differences explains it, and what was not tried."""
        result = self.result
        first = result.first
        if first is not None:
            explained = [one for one in result.differences if first.stage in one.stages]
            if not explained:
                found = StageDifference(
                    first.stage, "what the stage does", "see the text", "see the text"
                )
                found.effect = CHANGES_IDS
                found.text = first.text
                found.ids_a = first.ids_a
                found.ids_b = first.ids_b
                result.differences.append(found)
                result.differences.sort(key=_place)
        if not result.tried.get(_OWN):
            result.not_tried.append("texts of your own")
        result.not_tried.append("longer combinations of characters")
        if any(one.effect == KEEPS_IDS and one.stage != DECODER for one in result.differences):
            result.not_tried.append("chats, pairs of texts and batches")


def _length(found: PartingText) -> tuple[bool, int, bool]:
    """Returns what orders texts: those without a template first, short ones first, ASCII first."""
    return found.template, len(found.text), not found.text.isascii()


def _place(difference: StageDifference) -> int:
    return STAGES.index(difference.stage) if difference.stage in STAGES else len(STAGES)


def diff(a: Tokenizer, b: Tokenizer, texts: Iterable[str] = ()) -> TokenizerDiff:
    """Returns what two tokenizers do differently, stage by stage, with the shortest text found for each difference.

    Equal forms are equal: a pattern and its twin, a String and a Regex, several steps and the one that does the same.
    ``texts`` are tried as well, line by line. "No difference found" is no proof: `TokenizerDiff.tried` says what was tried.
    For a job in steps, see `DiffJob`.
    """
    return DiffJob(a, b, texts).whole()
