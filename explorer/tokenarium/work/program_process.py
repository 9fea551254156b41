"""Runs a program of readers that is installed, in a process that is ended when it takes too much time or memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING, Any, Final

import tokenarium_core as tc
from tokenarium.models.compare.installed_programs import (
    AROUND,
    PROGRAMS,
    SPECIAL,
    answer,
    installed_version,
)
from tokenarium.models.compare.readers_result import RUN, ProgramResult, ReadersResult
from tokenarium.models.text.piece import counted
from tokenarium.work.bounded_process import READY, BoundedProcess, StoppedError, packed
from tokenarium.work.child_process import end_with_parent, limit_memory
from tokenarium_core.added_tokens import ALL, NONE
from tokenarium_core.comparing.readers.readers import (
    NOT_READ,
    OTHER,
    REFUSES,
    SAME,
    UNKNOWN,
    probe_texts,
)
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SECONDS: Final = 60.0
"""How long a program may take for a file and all texts."""

REST_S: Final = 0.004
"""How long a slice waits for the answer: half of one of the window."""

MEGABYTES: Final = 8192
"""How much memory it may take, beyond what the process has before."""


def runnable(results: Sequence[ProgramResult]) -> list[str]:
    """Returns the programs that are installed, of those that read the file by ``results``."""
    reading = {one.program for one in results if one.verdict != NOT_READ}
    return [program for program in PROGRAMS if program in reading and installed_version(program)]


def run_programs(
    tokenizer: tc.Tokenizer, found: ReadersResult, texts: Iterable[str] = ()
) -> Generator[Progress | None, None, None]:
    """Adds to a result what each of the `runnable` programs makes of the file of a tokenizer, instead of what an earlier run has added.

    Each is run in a process of its own, on the texts of the result, on ``texts`` line by line, and on those that readers try.
    The process ends when this generator is closed.
    """
    by_rules = found.programs = [one for one in found.programs if not one.was_run]
    programs = runnable(by_rules)
    yield Progress("Collecting texts", 0, len(programs), False)
    tried = [one.text for one in by_rules if one.text is not None]
    tried += [line for text in texts for line in text.splitlines(keepends=True)]
    tried += probe_texts(tokenizer)
    distinct = list(dict.fromkeys(tried))
    for done, program in enumerate(programs):
        known = [one for one in by_rules if one.program == program]
        progress = Progress(f"{program} {installed_version(program)}", done, len(programs), False)
        made = yield from _run(program, tokenizer, known, distinct, progress)
        found.programs = [*found.programs, made]
        yield None


def _run(
    program: str,
    tokenizer: tc.Tokenizer,
    known: Sequence[ProgramResult],
    texts: list[str],
    progress: Progress,
) -> Generator[Progress | None, None, ProgramResult]:
    source = tokenizer.source
    path = source.path
    if program == "tokenizers" or (program != "transformers" and source.files):
        path = str(source.files[0])
    process = BoundedProcess(serve, "program", SECONDS, MEGABYTES)
    try:
        process.send(program, {"program": program, "path": path, "texts": texts})
        while (found := process.received()) is None:
            process.rest(REST_S)
            yield progress
    except (StoppedError, tc.FormatError) as error:
        return _result(program, installed_version(program), UNKNOWN, str(error))
    finally:
        process.stop()
    version = str(found.get("version", ""))
    if "ids" not in found:
        refusal = str(found.get("refusal", "It gave no answer."))
        return _result(program, version, REFUSES, refusal)
    return (yield from _compared(program, version, tokenizer, known, texts, found["ids"], progress))


def _compared(
    program: str,
    version: str,
    tokenizer: tc.Tokenizer,
    known: Sequence[ProgramResult],
    texts: list[str],
    found: Sequence[Any],
    progress: Progress,
) -> Generator[Progress | None, None, ProgramResult]:
    """Returns the result: the shortest text with different ids, and whether the rules for this version agree."""
    special, around = ALL if program in SPECIAL else NONE, program in AROUND
    shortest: tuple[str, list[int], Any] | None = None
    for text, ids in zip(texts, found, strict=False):
        yield progress
        with suppress(tc.TokenariumError):
            own = tokenizer.encode_ids(text, special=special, template=around)
            if own != ids and (shortest is None or len(text) < len(shortest[0])):
                shortest = text, own, ids
    verdict = SAME if shortest is None else OTHER
    said = f"The program itself was run on {counted(len(texts), 'text')}."
    by_rules = next((one for one in known if one.version == version), None)
    if by_rules is None:
        said += " There are no rules for this version."
    elif by_rules.verdict not in (verdict, UNKNOWN):
        said += f" Its rules say something else: {by_rules.verdict}."
    if shortest is None:
        return _result(program, version, verdict, said, tried=len(texts))
    text, own, ids = shortest
    if isinstance(ids, str):
        return _result(program, version, REFUSES, f"{said} It stops at {text!r:.80}: {ids}", text, own, [], len(texts))  # fmt: skip
    return _result(program, version, verdict, said, text, own, list(ids), len(texts), around)


def _result(
    program: str, version: str, verdict: str, cause: str, text: str | None = None,
    ids: Sequence[int] = (), other_ids: Sequence[int] = (), tried: int = 0, around: bool = False,
) -> ProgramResult:  # fmt: skip
    return ProgramResult(
        program, version, verdict, text, list(ids), list(other_ids), around, cause, [], RUN, tried
    )


def serve(pipe: Connection, seconds: float, megabytes: int) -> None:
    """Answers requests in the process, until the pipe is closed."""
    end_with_parent()
    limit_memory(megabytes)
    pipe.send_bytes(READY)
    with suppress(EOFError, OSError):
        while True:
            asked = json.loads(pipe.recv_bytes().decode("utf-8", "surrogatepass"))
            with redirect_stdout(sys.stderr):
                made = answer(asked)
            pipe.send_bytes(packed(made))
