"""Unused entries of scripts, against sets of entries."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.parts import TilesCard
from tokenarium.analyses.unused import EXAMPLES, TILES, UNUSED
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.models.scripts.vocabulary_scripts import script_of_piece
from tokenarium.models.text.piece import readable
from tokenarium.resources.shipped_tokenizers import shipped_path

TEXT = f"{sample_text('prose-hi')}\nOne two three. 123 😀"


@pytest.mark.parametrize("name", ["tokenarium-8k", "wordpiece-8k", "unigram-8k"])
def test_the_entries_are_those_of_the_script(name: str) -> None:
    tokenizer = tc.open(shipped_path(name))
    vocabulary = tokenizer.vocabulary
    used = set(tokenizer.encode_ids(TEXT))
    left_out = {"control", "unknown", "unused"}
    if name == "unigram-8k":
        left_out.add("byte")  # its bytes are a fallback, and no letters
    uses = UNUSED.run({name: tokenizer}, TEXT).result.found[name]
    assert [use.script for use in uses] == ["Devanagari", "Latin"]
    for use in uses:
        of_script = [
            one
            for one in range(len(vocabulary))
            if vocabulary.kind(one) not in left_out
            and script_of_piece(vocabulary.piece(one)) == use.script
        ]
        unused = [one for one in of_script if one not in used]
        assert (use.entries, use.used) == (len(of_script), len(of_script) - len(unused))
        assert use.first == tuple(readable(vocabulary.piece(one)) for one in unused[:EXAMPLES])
        assert use.ids == tuple(unused[:TILES])
        assert use.share == pytest.approx(len(unused) / len(of_script))


def test_the_chosen_row_shows_its_entries() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    answer = UNUSED.run({"one": tokenizer}, TEXT)
    hindi, latin = answer.result.found["one"]
    (key,) = [subject.key for subject in answer.inputs.subjects]
    for use, heading in ((hindi, "By id"), (latin, f"The first {TILES}, by id")):
        shown = UNUSED.show_chosen(answer.inputs, answer.result, f"{key}\n{use.script}")["detail"]
        assert isinstance(shown, TilesCard)
        count = use.entries - use.used
        assert shown.sentence == f"one, {use.script}: the text never uses {count:,} entries"
        (row,) = shown.rows
        assert (row.ids, row.heading) == (use.ids, heading)
    assert UNUSED.show_chosen(answer.inputs, answer.result, f"{key}\nKhmer") == {}


def test_a_script_without_entries() -> None:
    tokenizer = tc.train("bpe", ["ab ab"], vocab_size=258)
    (row,) = UNUSED.run({"t": tokenizer}, "ሰላም").rows
    assert (row["Script"], row["Entries"], row["Never used"]) == ("Ethiopic", 0, 0)
    assert row["Share never used"] == ""


def test_the_command_writes_a_table_and_json() -> None:
    line = ["unused", str(shipped_path("tokenarium-8k")), "नमस्ते"]
    (row,) = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)["scripts"]
    assert row["script"] == "Devanagari"
    assert row["entries"] == row["used"] + row["never_used"]
    assert "Devanagari" in CliRunner().invoke(app, line).stdout
