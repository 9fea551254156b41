"""Runs a program of readers that is installed, in a process that is ended when it takes too much time or memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
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
from tokenarium.models.compare.readers_result import RUN, ProgramResult
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

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SECONDS: Final = 60.0
"""How long a program may take for a file and all texts."""

MEGABYTES: Final = 8192
"""How much memory it may take, beyond what the process has before."""


def run_programs(
    tokenizer: tc.Tokenizer, results: Sequence[ProgramResult], texts: Iterable[str] = ()
) -> Iterator[ProgramResult]:
    """Yields what each installed program makes of the file of a tokenizer, of those that read it by ``results``.

    Each is run in a process of its own, on the texts of the results, on ``texts`` line by line, and on those that readers try.
    """
    tried = [one.text for one in results if one.text is not None]
    tried += [line for text in texts for line in text.splitlines(keepends=True)]
    tried += probe_texts(tokenizer)
    for program in PROGRAMS:
        known = [one for one in results if one.program == program]
        if installed_version(program) and any(one.verdict != NOT_READ for one in known):
            yield _run(program, tokenizer, known, list(dict.fromkeys(tried)))


def _run(
    program: str, tokenizer: tc.Tokenizer, known: Sequence[ProgramResult], texts: list[str]
) -> ProgramResult:
    source = tokenizer.source
    path = source.path
    if program == "tokenizers" or (program != "transformers" and source.files):
        path = str(source.files[0])
    process = BoundedProcess(serve, "program", SECONDS, MEGABYTES)
    try:
        process.send(program, {"program": program, "path": path, "texts": texts})
        found = process.wait()
    except (StoppedError, tc.FormatError) as error:
        return _result(program, installed_version(program), UNKNOWN, str(error))
    finally:
        process.stop()
    version = str(found.get("version", ""))
    if "ids" not in found:
        refusal = str(found.get("refusal", "It gave no answer."))
        return _result(program, version, REFUSES, refusal)
    return _compared(program, version, tokenizer, known, texts, found["ids"])


def _compared(
    program: str,
    version: str,
    tokenizer: tc.Tokenizer,
    known: Sequence[ProgramResult],
    texts: list[str],
    found: Sequence[Any],
) -> ProgramResult:
    """Returns the result: the shortest text with different ids, and whether the rules for this version agree."""
    special, around = ALL if program in SPECIAL else NONE, program in AROUND
    shortest: tuple[str, list[int], Any] | None = None
    for text, ids in zip(texts, found, strict=False):
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
