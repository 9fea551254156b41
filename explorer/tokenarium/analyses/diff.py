"""What two tokenizers do differently, stage by stage: the page Diff of Compare and ``tokenarium diff``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.parts import DiffCard, DiffCards, DiffRow, DiffSide, Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.diff_result import (
    ADDED_TOKENS,
    CHAT,
    DECODER,
    MERGES,
    MODEL,
    NORMALIZER,
    PADDING,
    PRE_TOKENIZER,
    SCORES,
    TEMPLATE,
    TRUNCATION,
    VOCABULARY,
    DifferentStage,
    DiffResult,
)
from tokenarium.models.mending.repair import whole_path
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.piece import counted, quoted
from tokenarium_core.comparing.diff import DiffJob
from tokenarium_core.comparing.stage_differences import (
    CHANGES_IDS,
    CHANGES_TEXT,
    EFFECTS,
    KEEPS_IDS,
    MAY_CHANGE_IDS,
    STAGES,
)

SHOWN = 60
"""Characters of a value, or of a text, on a terminal; JSON and files have all of them."""

HEADLINE = "result"
"""The name of the first card."""

TITLES = {
    CHANGES_IDS: "They give different ids",
    MAY_CHANGE_IDS: "They may give different ids",
    CHANGES_TEXT: "They give the same ids, which decode to different texts",
    KEEPS_IDS: "They give the same ids to the texts that were tried",
    "": "No difference found",
}

MEANING = {
    CHANGES_IDS: "The ids differ, and a text shows it.",
    MAY_CHANGE_IDS: "The ids can differ, but no text that was tried shows it.",
    CHANGES_TEXT: "The ids are the same, but they decode to different texts.",
    KEEPS_IDS: "The ids of a text stay the same: this concerns decoding, chats, pairs of texts or batches.",
    "": "",
}

TERMS = {
    ADDED_TOKENS: "added token",
    NORMALIZER: "normalizer",
    PRE_TOKENIZER: "pre-tokenizer",
    MODEL: "model",
    VOCABULARY: "vocabulary",
    MERGES: "merge",
    SCORES: "score",
    TEMPLATE: "post-processor",
    DECODER: "decoder",
}
"""The terms of the glossary for stages."""

_STEPS = (
    "The steps are compared by what they do: several steps are equal to one that does the same."
)
_STORED = "What both files store is compared."

METHODS = {
    ADDED_TOKENS: "Added tokens are compared by their content: whether both tokenizers have them, and with which id and options.",
    NORMALIZER: _STEPS,
    PRE_TOKENIZER: f"{_STEPS} Patterns that are only written differently are equal.",
    MODEL: "The type and the options are compared, with the defaults of the format for those that a file leaves out.",
    VOCABULARY: "Entries are compared by their content: those that only one vocabulary has, and those with different ids.",
    MERGES: "Merges are compared by their two parts: those that only one tokenizer has, and the order of the others.",
    SCORES: "The scores of the entries that both vocabularies have are compared.",
    TEMPLATE: "The ids around a text, and around two texts, are compared.",
    DECODER: f"{_STEPS} Then ids of texts are decoded by both tokenizers.",
    CHAT: _STORED,
    TRUNCATION: _STORED,
    PADDING: _STORED,
}
"""How each stage is compared."""

LOOKED_AT = (
    " Then texts are made from what differs, and encoded by both tokenizers. The first text with different ids is"
    " shortened as long as its ids differ because of this stage."
)


class DiffAnalysis(Analysis[DiffResult]):
    """Compares two tokenizers stage by stage, and looks for the shortest text with different ids."""

    id = "diff"
    title = "Diff"
    doing = "Comparing two tokenizers"
    full_names = True
    least = 2
    page_limit = 1_000_000
    parts = (Part("cards", "cards", "What the tokenizers do differently"),)
    too_few = (
        "Two tokenizers are needed",
        "Click another tokenizer in the library (Ctrl+B) to see what the two do differently.",
    )
    waiting = (
        "Comparing the tokenizers …",
        "Their stages are compared first. Then texts are tried, which can take a few seconds.",
    )

    def begin(self, inputs: AnalysisInputs) -> DiffResult:
        return DiffResult()

    def work(self, inputs: AnalysisInputs, result: DiffResult) -> TaskWork:
        a, b = inputs.subjects[:2]
        texts: Iterable[str] = inputs.values.get("texts", [inputs.text] if inputs.text else [])
        job = DiffJob(a.tokenizer, b.tokenizer, texts)
        yield from slices(job)
        result.take(job.result)

    def table(self, inputs: AnalysisInputs, result: DiffResult) -> Table[DifferentStage]:
        a, b = (f"{side}: {one.full_name}" for side, one in zip("AB", inputs.subjects, strict=False))  # fmt: skip

        def ids(values: Sequence[int]) -> TableCell:
            return TableCell(" ".join(map(str, values)))

        def text(one: DifferentStage) -> TableCell:
            shown = "" if one.text is None else _short(repr(one.text))
            return TableCell(shown, one.text or "")

        columns: list[TableColumn[DifferentStage]] = [
            TableColumn(lambda one: TableCell(one.stage), file="Stage", terminal="stage", number=False),
            TableColumn(lambda one: TableCell(_short(one.what), one.what), file="Difference", terminal="difference", number=False, grows=True),
            TableColumn(lambda one: TableCell(_short(one.a), one.a), file=a, terminal=a, number=False, grows=True),
            TableColumn(lambda one: TableCell(_short(one.b), one.b), file=b, terminal=b, number=False, grows=True),
            TableColumn(lambda one: TableCell(one.effect), file="Effect", terminal="effect", number=False),
            TableColumn(text, file="Text", terminal="text", number=False, grows=True),
            TableColumn(lambda one: ids(one.ids_a), file="Ids of A"),
            TableColumn(lambda one: ids(one.ids_b), file="Ids of B"),
        ]  # fmt: skip
        return Table(columns, result.differences or _tried(result))

    def printed(self, inputs: AnalysisInputs, result: DiffResult) -> Table[DifferentStage] | None:
        return self.table(inputs, result) if result.differences else None

    def remarks(self, inputs: AnalysisInputs, result: DiffResult) -> list[str]:
        return [result.sentence]

    def as_json(self, inputs: AnalysisInputs, result: DiffResult) -> object:
        a, b = inputs.subjects[:2]
        return {"a": a.full_name, "b": b.full_name, **asdict(result)}

    def show(self, inputs: AnalysisInputs, result: DiffResult) -> Mapping[str, object]:
        sides = [DiffSide(one.full_name, one.colour, one.tokenizer) for one in inputs.subjects[:2]]
        part = len(inputs.text) >= self.page_limit
        return {"cards": DiffCards(sides, [_headline(result, part), *_stages(result, sides)])}


def _tried(result: DiffResult) -> list[DifferentStage]:
    """Returns the rows of a result without differences: what was tried, and what was not."""
    rows = [
        f"{kind}: {counted(count, 'text')} tried" for kind, count in result.tried.items() if count
    ]
    rows += [f"{kind}: not tried" for kind in result.not_tried]
    return [DifferentStage("no difference", row, "", "", "", None, [], []) for row in rows]


def tried_sentence(result: DiffResult) -> str:
    """Returns what was tried, and what was not."""
    tried = ", ".join(f"{kind} {count:,}" for kind, count in result.tried.items() if count)
    others = f" Not tried: {', '.join(result.not_tried)}." if result.not_tried else ""
    return f"Tried: {counted(sum(result.tried.values()), 'text')} ({tried}).{others}"


def _headline(result: DiffResult, part: bool) -> DiffCard:
    """Returns the card of the result; ``part``: only the beginning of the text was tried."""
    first = result.first
    rows = []
    if first is not None:
        ids = first.ids_a, first.ids_b
        rows.append(DiffRow(text=first.text, ids=ids, around=first.template))
    worst = result.worst or ""
    said = result.sentence if first is not None or not worst else MEANING[worst]
    how = (
        "The stages are compared by what they do, and not by how the files are written. Texts are made from what"
        f" differs, and others are tried as well. That no text was found is no proof. {tried_sentence(result)}"
    )
    if part:
        how += f" Of your text, the first {DIFF.page_limit:,} characters were tried."
    return DiffCard(HEADLINE, TITLES[worst], worst, said, how, rows)


def _stages(result: DiffResult, sides: Sequence[DiffSide]) -> list[DiffCard]:
    """Returns a card for each stage that differs, the worst first."""
    cards = []
    for stage in dict.fromkeys(one.stage for one in result.differences):
        found = [one for one in result.differences if one.stage == stage]
        found.sort(key=lambda one: EFFECTS.index(one.effect))
        worst = found[0].effect
        rows = [
            DiffRow(
                one.what, one.effect, (one.a, one.b), one.text, (one.ids_a, one.ids_b),
                around=stage == TEMPLATE,
                note=_decoded(sides, one.ids_a) if one.effect == CHANGES_TEXT else "",
            )
            for one in found
        ]  # fmt: skip
        method = METHODS.get(stage, _STEPS) + LOOKED_AT * (worst != KEEPS_IDS)
        title = stage[:1].upper() + stage[1:]
        mendable = whole_path(sides[0].tokenizer) is not None
        cards.append(DiffCard(stage, title, worst, MEANING[worst], method, rows, TERMS.get(stage, ""), mendable))  # fmt: skip
    order = {stage: place for place, stage in enumerate(STAGES)}  # a trace may name another one
    cards.sort(key=lambda card: (EFFECTS.index(card.effect), order.get(card.id, len(order))))
    return cards


def _decoded(sides: Sequence[DiffSide], ids: Sequence[int]) -> str:
    """Returns what both tokenizers decode ids to, with special tokens or else without them."""
    for skipped in (False, True):
        a, b = (side.tokenizer.decode(ids, skipped) for side in sides)
        if a != b:
            said = [quoted(text.encode("utf-8", "replace")) for text in (a, b)]
            return f"A decodes these ids to {said[0]}, B to {said[1]}."
    return ""


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


DIFF = DiffAnalysis()
