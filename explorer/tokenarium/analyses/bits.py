"""How well simple models predict the tokens of a text, in bits per byte: the page Bits per byte and ``tokenarium bits``."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.ngram_bits import ngram_bits, split_text
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, lost_share, text_loss
from tokenarium.models.text.piece import percent
from tokenarium_core.models import Unigram
from tokenarium_core.progress import Progress

MOST_ORDER = 6

STEPS = 4
"""What is done with a tokenizer: two parts are encoded, what is lost is counted, and the n-grams."""

NGRAM_TIP = (
    "Bits that an n-gram model of the ids needs for the last fifth of the text, after it has read the rest ÷ bytes of the last fifth."
    " Witten–Bell interpolation; without any context, all entries are equally likely"
)
OWN_TIP = (
    "−Σ log₂ of the probabilities that a Unigram tokenizer gives its own tokens ÷ bytes of the whole text; – for other tokenizers,"
    " and if the text has unknown tokens"
)
EXACT = (
    "Bits per byte can be compared between vocabularies, since every text has the same bytes. They depend on the text, its length"
    " and the order. An n-gram model sees fewer bytes of context where tokens are short, and each entry more seldom where the"
    " vocabulary is large: the order of tokenizers here is not that of large language models."
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BitsPerByte:
    """What an n-gram model and a tokenizer's own probabilities need, None if there is no such figure.

    ``lost``: the share of the text that is lost, and makes both figures better.
    """

    ngram: float | None
    own: float | None
    tokens: int
    lost: float


class BitsAnalysis(EachAnalysis[BitsPerByte]):
    """Measures how many bits per byte an n-gram model of the ids, and Unigram's own probabilities, need for a text."""

    id = "bits"
    title = "Bits per byte"
    term = "bits per byte"
    asks = "How well can simple models predict {}?"
    doing = "Learning n-grams"
    fields = (Number("order", "The ids of an n-gram: 1 for no context, 2 for the id before.", "Order", "How many ids an n-gram has: 1 for no context, 2 for the id before", default=3, low=1, high=MOST_ORDER),)  # fmt: skip
    several = True
    page_limit = 200_000
    parts = (Part("table", "table", "Bits per byte of simple models"), Part("note", "note"))

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, BitsPerByte]:  # fmt: skip
        order, tokenizer = inputs.values["order"], subject.tokenizer
        if not 1 <= order <= MOST_ORDER:
            raise tc.ArgumentError(f"The order is {order}: give one from 1 to {MOST_ORDER}.")
        ids, lossless, size, unknown = [], True, 0, text_loss(tokenizer).unknown
        for place, part in enumerate(split_text(inputs.text)):
            yield Progress(subject.full_name, place, STEPS, False)
            encoding, utf8 = tokenizer.encode(part), part.encode("utf-8", "surrogatepass")
            ids.append(array_of(encoding.ids))
            size = len(utf8)  # in the end, that of the part on which it is measured
            lossless = lossless and not unknown[ids[-1]].any()
            lossless = lossless and tokenizer.decode_bytes(encoding.ids) == utf8
        yield Progress(subject.full_name, len(ids), STEPS, False)
        # What is lost at the end of a part may come back between two tokens, so the whole text is asked.
        lost = 0.0 if lossless else lost_share(tokenizer, [inputs.text])
        own = own_bits(tokenizer, inputs.text)
        yield Progress(subject.full_name, STEPS - 1, STEPS, False)
        learned, measured = ids
        bits = ngram_bits(learned, measured, len(tokenizer.vocabulary), order) if size else None
        tokens = len(learned) + len(measured)
        return BitsPerByte(None if bits is None else bits / size, own, tokens, lost)

    def table(self, inputs: AnalysisInputs, result: Each[BitsPerByte]) -> Table[Subject]:
        def column(head: str, json: str, value: Callable[[BitsPerByte], float | None], form: str, tip: str = "") -> TableColumn[Subject]:  # fmt: skip
            def cell(one: Subject) -> TableCell:
                if one.key not in result.found:
                    fault = result.faults.get(one.key, "")
                    return TableCell("not defined" if fault else "", tip=fault)
                found = result.found[one.key]
                made = value(found)
                if made is None:
                    return TableCell("–", "")
                sign = f"{SIGN} " if is_doubtful(found.lost) and json.endswith("byte") else ""
                shown = percent(made) if not form else format(made, form)
                return TableCell(sign + shown, f"{made:.6g}", order=made, value=made)

            return TableColumn(cell, head, head, head.lower(), tip=tip, json=json)

        columns = [
            TOKENIZER,
            column(f"Bits per byte, order {inputs.values['order']}", "ngram_bits_per_byte", lambda one: one.ngram, ".3f", NGRAM_TIP),
            column("Bits per byte, own", "own_bits_per_byte", lambda one: one.own, ".3f", OWN_TIP),
            column("Tokens", "tokens", lambda one: one.tokens, ",.0f"),
            column("Lost text", "lost_text", lambda one: one.lost, "", f"{SIGN}: the figures are better because of it. {SAYS}"),
        ]  # fmt: skip
        done = result.found
        return Table(columns, inputs.subjects, lambda one: one.key, ready=lambda one: one.key in done)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[BitsPerByte]) -> Mapping[str, object]:
        return {
            "table": self.table(inputs, result),
            "note": "\n".join(self.remarks(inputs, result)),
        }

    def remarks(self, inputs: AnalysisInputs, result: Each[BitsPerByte]) -> list[str]:
        lossy = any(is_doubtful(one.lost) for one in result.found.values())
        return (
            [
                EXACT,
                f"{SIGN} Part of the text is lost, so these figures look better than they are. {SAYS}",
            ]
            if lossy
            else [EXACT]
        )

    def as_json(self, inputs: AnalysisInputs, result: Each[BitsPerByte]) -> object:
        rows = self.table(inputs, result).values()
        for subject, row in zip(inputs.subjects, rows, strict=True):
            row["tokenizer"] = subject.full_name
        return {"order": inputs.values["order"], "tokenizers": rows}


def own_bits(tokenizer: tc.Tokenizer, text: str) -> float | None:
    """Returns the bits per byte of a text by a Unigram tokenizer's probabilities of its tokens; None for no figure."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if not isinstance(tokenizer.model, Unigram) or not size:
        return None
    ids = np.asarray(tokenizer.encode_ids(text), np.int64)
    if (ids == tokenizer.model.unknown_id).any():
        return None
    scores = np.fromiter(tokenizer.vocabulary.scores, np.float64)
    return float(-scores[ids].sum() / math.log(2) / size) + 0.0


BITS = BitsAnalysis()
