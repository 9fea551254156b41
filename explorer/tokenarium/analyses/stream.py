"""What can be shown of a text while its tokens arrive, and what its end could become: the page Stream and
``tokenarium stream``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.field import Flag, Number, Texts
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.piece import counted, hexadecimal, readable
from tokenarium.models.text.stream_words import end_sentence, stop_sentence
from tokenarium_core.explaining.prompt_end import Healing, UnstableEndJob, healing
from tokenarium_core.explaining.streaming import StreamStep, TokenStream

ALLOWED = 12
"""Entries that healing allows which are written; JSON has all."""

Arrival = tuple[int, StreamStep]
"""The number of a token, from 1, and what can be shown then."""


class StreamAnalysis(Analysis[TokenStream | UnstableEndJob]):
    """Writes what can be shown after each token, what is held back, and where a stop string ends the text.

    With --end: which of the last tokens could change if more text comes, and what token healing would do.
    """

    id = "stream"
    title = "Stream"
    asks = "What can be shown while {} arrives?"
    doing = "Decoding the stream"
    fields = (
        Texts("stop", "A stop string, where the text ends; \\n is a line end.", "Stop strings", "The text ends where one of them starts", kept="stops", hint=r"Where the text ends, separated by commas: END, \n\n"),
        Flag("end", "Only the end of the text as a prompt: what is unstable, and healing."),
        Number("drop", "Tokens that healing drops.", default=1, low=1, bounds=(1, None)),
    )  # fmt: skip
    page_limit = 4_000

    def begin(self, inputs: AnalysisInputs) -> TokenStream | UnstableEndJob:
        tokenizer = inputs.subjects[0].tokenizer
        if inputs.values["end"]:
            return UnstableEndJob(tokenizer, inputs.text)
        return TokenStream(
            tokenizer, tokenizer.encode_ids(inputs.text), inputs.values["stop"] or []
        )

    def work(self, inputs: AnalysisInputs, result: TokenStream | UnstableEndJob) -> TaskWork:
        yield from slices(result)

    def table(self, inputs: AnalysisInputs, result: TokenStream | UnstableEndJob) -> Table[Arrival]:
        steps = result.steps if isinstance(result, TokenStream) else []
        before = [0, *accumulate((step.shown for step in steps), max)]
        piece = inputs.subjects[0].tokenizer.vocabulary.piece

        def added(row: Arrival) -> TableCell:
            assert isinstance(result, TokenStream)
            return _text(result.text[before[row[0] - 1] : row[1].shown])

        columns: list[TableColumn[Arrival]] = [
            TableColumn(lambda row: TableCell(str(row[0])), file="Token"),
            TableColumn(lambda row: TableCell(str(row[1].token)), file="Id", terminal="id"),
            TableColumn(lambda row: TableCell(readable(piece(row[1].token))), file="Piece", terminal="token", number=False, grows=True),
            TableColumn(lambda row: TableCell(str(row[1].shown)), file="Characters shown"),
            TableColumn(added, terminal="shown now", number=False, grows=True),
            TableColumn(lambda row: _text(row[1].waiting), file="May be a stop string", terminal="may be a stop", number=False),
            TableColumn(lambda row: TableCell(hexadecimal(row[1].held), row[1].held.hex(" ")), file="Bytes held", terminal="bytes held", number=False),
            TableColumn(lambda row: _text(row[1].alone), file="Alone", terminal="decoded by itself", number=False, grows=True),
        ]  # fmt: skip
        title = f"{inputs.subjects[0].full_name}: {counted(len(steps), 'token')}"
        return Table(columns, list(enumerate(steps, 1)), str, title)

    # The command.

    def printed(
        self, inputs: AnalysisInputs, result: TokenStream | UnstableEndJob
    ) -> Table[Arrival] | None:
        return self.table(inputs, result) if isinstance(result, TokenStream) else None

    def remarks(
        self, inputs: AnalysisInputs, result: TokenStream | UnstableEndJob
    ) -> Sequence[str]:
        if isinstance(result, TokenStream):
            return list(filter(None, [stop_sentence(result)]))
        tokenizer, healed = inputs.subjects[0].tokenizer, self._healed(inputs, result)
        shown = ", ".join(
            readable(tokenizer.vocabulary.piece(token)) for token in healed.allowed[:ALLOWED]
        )
        rest = len(healed.allowed) - ALLOWED
        return [
            end_sentence(result.end, tokenizer),
            f"Token healing drops {readable(healed.prefix)}; {counted(len(healed.allowed), 'entry', 'entries')}"
            f" begin with it: {shown}{f' and {rest:,} more' if rest > 0 else ''}.",
        ]

    @staticmethod
    def _healed(inputs: AnalysisInputs, job: UnstableEndJob) -> Healing:
        ids = job.end.ids
        return healing(inputs.subjects[0].tokenizer, ids, min(inputs.values["drop"], len(ids)))

    def as_json(
        self, inputs: AnalysisInputs, result: TokenStream | UnstableEndJob
    ) -> dict[str, object]:
        tokenizer = inputs.subjects[0].full_name
        if isinstance(result, TokenStream):
            steps = [
                {
                    "id": step.token,
                    "alone": step.alone,
                    "shown": result.text[: step.shown],
                    "waiting": step.waiting,
                    "held": step.held.hex(),
                    "stop": step.stop,
                }
                for step in result.steps
            ]
            return {"tokenizer": tokenizer, "stopped_at": result.stopped_at, "steps": steps}
        end, healed = result.end, self._healed(inputs, result)
        return {
            "tokenizer": tokenizer,
            "ids": end.ids,
            "stable": end.stable,
            "changed": end.changed,
            "continuation": end.continuation,
            "continued": end.continued,
            "completions": sorted(end.completions),
            "healing": {
                "kept": healed.kept,
                "prefix": healed.prefix.hex(),
                "allowed": healed.allowed,
                "parts": healed.parts,
            },
        }


def _text(text: str) -> TableCell:
    return TableCell(text, printed=readable(text.encode()))


STREAM = StreamAnalysis()
