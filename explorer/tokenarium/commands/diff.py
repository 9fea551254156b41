"""``tokenarium diff``: what two tokenizers do differently, stage by stage, with the shortest text for each difference."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenarium.analyses.analysis import AnalysisInputs, Answer, Subject
from tokenarium.analyses.diff import DIFF
from tokenarium.commands.analysis_command import write_analysis
from tokenarium.commands.mending import (
    MendedOption,
    RepairOption,
    RepairsOption,
    check_options,
    chosen_repairs,
    list_repairs,
    write_repairs,
)
from tokenarium.commands.shared_options import TriedOption, fail_option, place_of
from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    MarkdownOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_markdown,
    write_stage,
)
from tokenarium.models.compare.diff_result import STEP_MS
from tokenarium.models.mending.difference_repairs import stage_repairs
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, EFFECTS


def diff(
    a: TokenizerArgument,
    b: Annotated[str, typer.Argument(help="The other tokenizer: a name, a file or a folder.")],
    text: TriedOption = None,
    fail_on: Annotated[str, fail_option("EFFECT", "least effect", EFFECTS)] = CHANGES_IDS,
    repairs: RepairsOption = False,
    repair: RepairOption = None,
    out: MendedOption = None,
    as_json: JsonOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Shows what two tokenizers do differently, and the shortest text found whose ids differ.

    The stages are compared as they work, not as they are written: normalizer, pattern, pre-tokenizer, added tokens, model,
    vocabulary, merges, scores, template, decoder, chat template, truncation and padding.

    Each difference has an effect: changes-ids (a text shows it), may-change-ids (no text was found, but there may be one),
    changes-text (the same ids decode to different texts), keeps-ids (it concerns chats, pairs of texts or batches, or
    nothing that was found).

    A stage of the first tokenizer can become that of the second: --repairs lists what that changes, and --repair writes a
    folder in which only that is changed.

    The exit code is 0 if no difference has the effect of --fail-on or a worse one, 3 if one has, and 1 if a tokenizer
    cannot be opened.
    """
    with sentences():
        bound = place_of(fail_on, EFFECTS, "effect")
        opened = {"a": tokenizer_of(a), "b": tokenizer_of(b)}
        check_options(repair, out)
        if repairs or repair:
            found_repairs = stage_repairs(opened["a"], opened["b"], write_stage)
            write_stage(None)
            if repairs:
                list_repairs(opened["a"].name, found_repairs, as_json)
            elif out is not None:
                write_repairs(
                    opened["a"], chosen_repairs(found_repairs, repair or []), out, as_json
                )
            return
        subjects = [Subject(key, one.name, one, full_name=one.name) for key, one in opened.items()]
        texts = [text_of(None, file) for file in text or []]
        inputs = AnalysisInputs(subjects, values={"texts": texts}, strict=True)
        found = DIFF.begin(inputs)
        task = DIFF.task(inputs, found)
        while not (progress := task.step(STEP_MS)).finished:
            write_stage(progress)
        write_stage(None)
        if markdown and not as_json:
            title = f"{opened['a'].name} and {opened['b'].name}"
            write_markdown(title, DIFF.remarks(inputs, found), DIFF.table(inputs, found))
        else:
            write_analysis(Answer(DIFF, inputs, found), as_json)
        if found.worst in EFFECTS[: bound + 1]:
            raise typer.Exit(FOUND)
