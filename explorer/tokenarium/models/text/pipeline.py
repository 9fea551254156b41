"""Some characters at each stage of a tokenizer: raw, normalized, pre-tokens, pieces, ids."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.added_in_text import facts_of_id, shown
from tokenarium.models.text.alignment import Alignment
from tokenarium.models.text.direction import with_its_signs
from tokenarium.models.text.piece import piece_text, readable
from tokenarium.models.text.text_map import TextMap, row_of
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.pretokenizers import WholeText

UNCHANGED = "unchanged"

LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"

SHOWN = 60
"""Items of a stage that are named; the others are counted."""

LONGEST = 400
"""Bytes of a stage that are shown."""


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """One stage: its name, what the characters are there, and a sentence on it.

    ``brief`` is the same in fewer words, where there are such; ``term`` is the name in the glossary of what it shows.
    """

    name: str
    content: str
    about: str
    brief: str = ""
    term: str = ""

    @property
    def unchanged(self) -> bool:
        """Whether the stage does nothing to these characters."""
        return self.content == UNCHANGED


def stages(
    tokenizer: tc.Tokenizer, encoding: tc.Encoding, text: TextMap, start: int, end: int
) -> list[PipelineStage]:
    """Returns the stages for the characters that touch the bytes from ``start`` to ``end``.

    There are five, and one for added tokens where the tokenizer has any.
    """
    start, end = text.characters(start, end)
    alignment = Alignment(encoding)
    first, last = tokens_over(encoding, alignment, start, end)
    ids = array_of(encoding.ids)[first:last].tolist()
    raw = PipelineStage(
        "Raw", _some(text.utf8, start, end), f"{end - start:,} bytes of the text in UTF-8."
    )
    return [
        raw,
        *_added(tokenizer, encoding, alignment, start, end),
        _normalized(tokenizer, alignment, text, start, end),
        _pre_tokens(tokenizer, encoding, alignment, start, end),
        _pieces(tokenizer, ids),
        PipelineStage("Ids", _listed([str(token) for token in ids], ", "), "", term="id"),
    ]


def tokens_over(
    encoding: tc.Encoding, alignment: Alignment, start: int, end: int
) -> tuple[int, int]:
    """Returns the tokens over some bytes, first and one past the last.

    Tokens without bytes that were inserted directly before the bytes are included.
    """
    places = array_of(encoding.places).reshape(-1, 2)
    low, high = alignment.made_of(start, end)
    first = row_of(places[:, 1], low, "right")
    last = row_of(places[:, 0], high)
    return first, max(first, last)


def _added(
    tokenizer: tc.Tokenizer, encoding: tc.Encoding, alignment: Alignment, start: int, end: int
) -> list[PipelineStage]:
    added = tokenizer.added_tokens
    if not added.tokens:
        return []
    first, last = _cuts_over(encoding, alignment, start, end)
    names = encoding.pre_tokens.names
    rules = array_of(encoding.pre_tokens.rules)
    ends = array_of(encoding.pre_tokens.ends)
    places = array_of(encoding.places).reshape(-1, 2)
    encoding_ids = array_of(encoding.ids)
    ids: list[int] = []
    for index in range(first, min(last, first + SHOWN)):
        if names[rules[index]] in (ADDED_RULE, SPECIAL_RULE):
            at = int(np.searchsorted(places[:, 1], ends[index], side="left"))
            ids += encoding_ids[at : at + 1].tolist()
    if not ids:
        about = f"None of the {len(added.tokens):,} added tokens was taken here."
        return [PipelineStage("Added", UNCHANGED, about, term="added token")]
    lines = dict.fromkeys(line for token in ids for line in facts_of_id(tokenizer, token))
    contents = [shown(added.with_id(token)[0].content) for token in ids]
    return [PipelineStage("Added", _listed(contents, " | "), "\n".join(lines), term="added token")]


def _normalized(
    tokenizer: tc.Tokenizer, alignment: Alignment, text: TextMap, start: int, end: int
) -> PipelineStage:
    low, high = alignment.made_of(start, end)
    made = alignment.slice(low, high)
    if tokenizer.normalizer is None and tokenizer.splitter is None:
        about = "This tokenizer has no normalizer."
        return PipelineStage("Normalized", UNCHANGED, about, term="normalizer")
    name = tokenizer.normalizer.name if tokenizer.normalizer is not None else "the splitter"
    if made == text.utf8_of(start, end):
        about = f"{name} leaves these characters as they are."
        return PipelineStage("Normalized", UNCHANGED, about, term="normalizer")
    shown = _some(alignment.data, low, high) or "∅"
    return PipelineStage("Normalized", shown, f"What {name} makes of them.", term="normalizer")


def _pre_tokens(
    tokenizer: tc.Tokenizer, encoding: tc.Encoding, alignment: Alignment, start: int, end: int
) -> PipelineStage:
    name = "Pre-token"
    if isinstance(tokenizer.pre_tokenizer, WholeText) and tokenizer.splitter is None:
        rules = array_of(encoding.pre_tokens.rules)
        if len(rules) <= 1:
            about = "This tokenizer has no pre-tokenizer: its model gets all of the text at once."
            return PipelineStage(name, UNCHANGED, about, term="pre-token")
    cuts = encoding.pre_tokens
    ends = array_of(cuts.ends)
    first, last = _cuts_over(encoding, alignment, start, end)
    parts, texts = [], []
    for index in range(first, min(last, first + SHOWN)):
        begin = int(ends[index - 1]) if index else 0
        rule = cuts.names[cuts.rules[index]]
        texts.append(_some(alignment.data, begin, int(ends[index])))
        parts.append(f"{rule} “{texts[-1]}”")
    if len(parts) > 1:
        name = "Pre-tokens"
    about = f"The whole pre-tokens that they are in, each with the alternative of {cuts_by(tokenizer)} that made it."
    count = last - first
    brief = _listed(texts, " | ", count)
    return PipelineStage(name, _listed(parts, " ", count), about, brief, term="pre-token")


def _cuts_over(
    encoding: tc.Encoding, alignment: Alignment, start: int, end: int
) -> tuple[int, int]:
    """Returns the pre-tokens over some bytes, first and one past the last."""
    ends = array_of(encoding.pre_tokens.ends)
    low, high = alignment.made_of(start, end)
    first = row_of(ends, low, "right")
    return first, min(row_of(ends, high) + 1, len(ends))


def cuts_by(tokenizer: tc.Tokenizer) -> str:
    """Returns the name of what cuts a text into pre-tokens."""
    return (
        tokenizer.splitter.name if tokenizer.splitter is not None else tokenizer.pre_tokenizer.name
    )


def _pieces(tokenizer: tc.Tokenizer, ids: list[int]) -> PipelineStage:
    vocabulary = tokenizer.vocabulary
    shown = [with_its_signs(piece_text(vocabulary, token)) for token in ids[:SHOWN]]
    name = "Piece" if len(ids) == 1 else "Pieces"
    spelled = [vocabulary.surface(token) for token in ids[:SHOWN]]
    about = f"In the file: {_listed(spelled, ' | ', len(ids))}"
    return PipelineStage(name, _listed(shown, " | ", len(ids)), about, term="piece")


def _some(data: bytes, start: int, end: int) -> str:
    shown = with_its_signs(readable(data[start : min(end, start + LONGEST)], LONGEST))
    return shown + " …" if end - start > LONGEST else shown


def _listed(parts: list[str], between: str, count: int = 0) -> str:
    more = max(count, len(parts)) - min(len(parts), SHOWN)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for part in parts[:SHOWN] for c in part):
        between = f"{LEFT_TO_RIGHT}{between}{LEFT_TO_RIGHT}"  # otherwise they would change places
    shown = between.join(parts[:SHOWN]) or "none"
    return f"{shown} and {more:,} more" if more > 0 else shown
