"""``tokenarium readers``: what other programs make of a tokenizer's file."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenarium.analyses.analysis import AnalysisInputs, Answer, Subject
from tokenarium.analyses.readers import READERS
from tokenarium.commands.analysis_command import CsvOption, write_analysis
from tokenarium.commands.shared_options import TriedOption
from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_stage,
)
from tokenarium.models.compare.readers_result import STEP_MS
from tokenarium.models.task import Task
from tokenarium.work.program_process import run_programs
from tokenarium_core import TokenariumError
from tokenarium_core.comparing.readers.readers import OTHER, VERDICTS


def readers(
    tokenizer: TokenizerArgument,
    text: TriedOption = None,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="RESULT",
            help=f"The least result that gives the exit code 3: {', '.join(VERDICTS)}.",
        ),
    ] = OTHER,
    run: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Also run the programs that are installed as Python packages beside this one, each in a process that is ended after a minute.",
        ),
    ] = False,
    pattern: PatternOption = "",
    csv: CsvOption = None,
    as_json: JsonOption = False,
) -> None:
    """Says what other programs make of a tokenizer's file: the same ids, different ids, or a refusal, and why.

    The programs are tokenizers, transformers 4 and 5, sentencepiece, tiktoken, mistral-common and others, each in a version. Without
    --run none is run: what each does differently is known as rules, which were compared with the program itself.

    The results are different-ids (a text shows it), refuses, different-text (the same ids decode to a different text), not-known
    (no rule says what it does), same-ids (no text that was tried has different ids) and not-read.

    The exit code is 0 if no program has the result of --fail-on or a worse one, 3 if one has, and 1 if the tokenizer cannot
    be opened, or is in no file.
    """
    with sentences():
        if fail_on not in VERDICTS:
            raise TokenariumError(
                f"There is no result {fail_on!r}: choose from {', '.join(VERDICTS)}."
            )
        opened = tokenizer_of(tokenizer, pattern)
        subjects = [Subject("file", opened.name, opened, full_name=opened.name)]
        texts = [text_of(None, file) for file in text or []]
        inputs = AnalysisInputs(subjects, values={"texts": texts}, strict=True)
        found = READERS.begin(inputs)
        tasks = [READERS.task(inputs, found)]
        if run:
            tasks.append(Task("Running the programs", run_programs(opened, found, texts)))
        for task in tasks:
            while not (progress := task.step(STEP_MS)).finished:
                write_stage(progress)
        write_stage(None)
        write_analysis(Answer(READERS, inputs, found), as_json, csv)
        if found.worst and VERDICTS.index(found.worst) <= VERDICTS.index(fail_on):
            raise typer.Exit(FOUND)
