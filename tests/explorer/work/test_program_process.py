"""Programs that are installed, run on a file: what they give beside what their rules say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

from differing_pairs import fields_of
from worker_functions import never_answers

import tokenarium_core as tc
from tokenarium.analyses.readers import READERS
from tokenarium.models.compare.installed_programs import (
    PROGRAMS,
    answer,
    installed_version,
)
from tokenarium.models.compare.readers_result import RUN, ProgramResult, ReadersResult
from tokenarium.models.task import Task
from tokenarium.work import program_process
from tokenarium.work.program_process import run_programs
from tokenarium_core.comparing.readers.readers import (
    OTHER,
    REFUSES,
    SAME,
    UNKNOWN,
)

pytestmark = pytest.mark.slow


def opened(path: Path, kind: str, kept: str) -> tuple[tc.Tokenizer, list[ProgramResult]]:
    """Returns the tokenizer of a folder, and what the rules say of it."""
    (path / "tokenizer.json").write_text(json.dumps(fields_of(kind)))
    (path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kept}))
    made = tc.open(path)
    return made, READERS.run({"one": made}).result.programs


def run(
    made: tc.Tokenizer, known: list[ProgramResult], texts: Sequence[str] = ()
) -> list[ProgramResult]:
    """Returns what the programs make of the file when they are run."""
    found = ReadersResult(known)
    Task("", run_programs(made, found, texts)).run()
    assert found.programs[: len(known)] == known
    return found.programs[len(known) :]


def test_installed_programs_do_what_their_rules_say(tmp_path: Path) -> None:
    made, known = opened(tmp_path, "llama3", "GPT2Tokenizer")
    found = {one.program: one for one in run(made, known, ["one line\n"])}
    reading = ("tokenizers", "transformers", "fastokens", "gigatoken", "kitoken")
    assert list(found) == [name for name in reading if installed_version(name)]
    one = found["tokenizers"]
    assert (one.verdict, one.compared, one.name) == (SAME, RUN, f"tokenizers {one.version} (run)")
    assert "Its rules say something else" not in one.cause
    if "transformers" in found:
        other = found["transformers"]
        assert other.verdict == OTHER
        assert other.text is not None
        assert other.ids == made.encode_ids(other.text, special="all", template=True)
        assert other.other_ids != other.ids
        assert "Its rules say something else" not in other.cause


def test_other_rules_are_said(tmp_path: Path) -> None:
    made, known = opened(tmp_path, "byte_level", "PreTrainedTokenizerFast")
    version = installed_version("tokenizers")
    wrong = [replace(one, verdict=OTHER) for one in known if one.program == "tokenizers"]
    wrong.append(replace(wrong[0], version=version))
    [one] = run(made, wrong)
    assert one.verdict == SAME
    assert one.cause.endswith(f"Its rules say something else: {OTHER}.")
    [one] = run(made, [replace(wrong[0], version="0.1", verdict=SAME)])
    assert one.cause.endswith("There are no rules for this version.")


def test_a_refusal_is_that_of_the_program(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    made, known = opened(tmp_path, "byte_level", "T5Tokenizer")
    one = next(one for one in run(made, known) if one.program == "transformers")
    assert one.verdict == REFUSES
    assert "Error" in one.cause or "Exception" in one.cause


def test_a_program_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_process, "SECONDS", 0.1)
    monkeypatch.setattr(program_process, "serve", never_answers)
    made, known = opened(tmp_path, "byte_level", "PreTrainedTokenizerFast")
    one = run(made, known)[0]
    assert one.verdict == UNKNOWN
    assert "was stopped" in one.cause


def test_it_is_run_in_slices_and_again_without_the_rows_of_before(tmp_path: Path) -> None:
    made, known = opened(tmp_path, "byte_level", "PreTrainedTokenizerFast")
    found = ReadersResult([one for one in known if one.program == "tokenizers"])
    rules = len(found.programs)
    for _ in range(2):
        task = Task("", run_programs(made, found))
        phases = []
        while not (progress := task.step(1.0)).finished:
            phases.append((progress.phase, progress.done, progress.total))
        assert (f"tokenizers {installed_version('tokenizers')}", 0, 1) in phases
        assert [one.was_run for one in found.programs] == [False] * rules + [True]


def test_the_process_ends_with_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "serve", never_answers)
    made, known = opened(tmp_path, "byte_level", "PreTrainedTokenizerFast")
    before = set(active_children())
    work = run_programs(made, ReadersResult(known))
    while not (started := set(active_children()) - before):
        next(work)
    work.close()
    assert not any(one.is_alive() for one in started)


def test_what_is_not_installed_or_reads_other_files_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, known = opened(tmp_path, "byte_level", "PreTrainedTokenizerFast")
    assert not run(made, [one for one in known if one.program == "sentencepiece"])
    monkeypatch.setattr(program_process, "installed_version", lambda _: "")
    assert not run(made, known)


def test_an_error_of_a_text_is_its_result(tmp_path: Path) -> None:
    found = answer({"program": "tokenizers", "path": str(tmp_path / "no.json"), "texts": ["a"]})
    assert "ids" not in found
    assert found["refusal"]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(fields_of("byte_level")))
    found = answer({"program": "tokenizers", "path": str(path), "texts": ["a", 3]})
    assert found["ids"][0] == tc.open(path).encode_ids("a")
    assert isinstance(found["ids"][1], str)
    assert set(PROGRAMS) >= {"tokenizers", "transformers"}
