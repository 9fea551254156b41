"""The differences of two tokenizers: each known one is found with its cause, and another form is no difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from differing_pairs import FORMS, KNOWN, KnownPair, fields_of, form_pairs, opened
from hf_models import KINDS

import tokenarium_core as tc
from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.stage_differences import CHANGES_IDS

SHORT = 20
"""A text that shows a difference has fewer characters."""


def known_diff(pair: KnownPair, folder: Path) -> tuple[tc.Tokenizer, tc.Tokenizer, TokenizerDiff]:
    """Returns both tokenizers of a pair, and their differences."""
    fields, changed = fields_of(pair.kind), fields_of(pair.kind)
    for one in (fields, changed):
        if pair.before is not None:
            pair.before(one)
    pair.edit(changed)
    a, b = opened(fields, folder / "a.json"), opened(changed, folder / "b.json")
    return a, b, tc.diff(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("pair", KNOWN, ids=[pair.name for pair in KNOWN])
def test_a_known_difference_is_found_with_its_cause_and_a_short_text(
    pair: KnownPair, tmp_path: Path
) -> None:
    a, b, found = known_diff(pair, tmp_path)
    first = found.first
    assert first is not None
    assert len(first.text) < SHORT
    options = {"special": first.special, "template": first.template}
    assert a.encode_ids(first.text, **options) == first.ids_a
    assert b.encode_ids(first.text, **options) == first.ids_b
    assert first.ids_a != first.ids_b
    causes = [one for one in found.differences if first.stage in one.stages]
    assert [(one.stage, one.effect) for one in causes if pair.what in one.what] == [
        (pair.stage, CHANGES_IDS)
    ]
    assert found.worst == CHANGES_IDS
    assert repr(first.text)[1:-1] in found.sentence
    assert first.stage in found.sentence


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_another_form_is_no_difference(kind: str, tmp_path: Path) -> None:
    names = [name for of, name in form_pairs() if of == kind]
    assert names
    original = opened(fields_of(kind), tmp_path / "a.json")
    for name in names:
        fields = fields_of(kind)
        FORMS[name](fields)
        found = tc.diff(original, opened(fields, tmp_path / "b.json"))
        assert (name, found.differences, found.first) == (name, [], None)
        assert found.worst == ""
        assert found.sentence.startswith(f"No difference found in {found.texts:,} texts (")


@pytest.mark.slow
def test_there_are_as_many_pairs_as_promised() -> None:
    assert len(KNOWN) >= 30
    assert len(form_pairs()) >= 200
    assert {name for _, name in form_pairs()} >= FORMS.keys() - {"a Replace for Metaspace"}


def test_a_job_in_steps_gives_the_same(tmp_path: Path) -> None:
    pair = KNOWN[0]
    a, b, whole = known_diff(pair, tmp_path)
    job = DiffJob(a, b)
    steps = 1
    while not job.step(0).finished:
        steps += 1
    assert steps > 100
    assert repr(job.result.differences) == repr(whole.differences)
    assert repr(job.result.first) == repr(whole.first)
    assert job.result.tried == whole.tried
