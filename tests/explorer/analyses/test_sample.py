"""Cuts drawn at random, as a program and as a command."""

from __future__ import annotations

import json

from command_line import command

import tokenarium_core as tc
from tokenarium.analyses.sample import SAMPLE
from tokenarium.commands.terminal import FAILED
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.explaining import sampling

sample = command("sample")


def test_it_writes_what_the_core_draws() -> None:
    wanted = sampling.sample(
        tc.open(shipped_path("unigram-8k")), "unbelievable", 500, alpha=0.5, seed=3
    )
    how = ("unigram-8k", "unbelievable", "--count", 500, "--alpha", 0.5, "--seed", 3)
    code, said = sample(*how, "--json", "--shown", 3)
    assert code == 0
    found = json.loads(said)
    assert [cut["ids"] for cut in found["cuts"]] == [cut.ids for cut in wanted.cuts[:3]]
    assert [cut["times"] for cut in found["cuts"]] == [cut.times for cut in wanted.cuts[:3]]
    assert (found["draws"], found["different"], found["rule"]) == (500, len(wanted.cuts), "alpha 0.5")  # fmt: skip
    assert 0 < found["cuts"][0]["probability"] < 1
    code, table = sample(*how)
    assert f"{len(wanted.cuts):,} different cuts" in table
    assert "encoding" in table


def test_a_program_has_all_cuts() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    wanted = sampling.sample(tokenizer, "unbelievable", 300, dropout=0.3, seed=2)
    rows = SAMPLE.run({"t": tokenizer}, "unbelievable", count=300, dropout=0.3, seed=2).rows
    assert [row["times"] for row in rows] == [cut.times for cut in wanted.cuts]
    assert [row["ids"] for row in rows] == [" ".join(map(str, cut.ids)) for cut in wanted.cuts]


def test_what_has_no_other_cuts_is_refused() -> None:
    code, said = sample("wordpiece-8k", "word")
    assert code == FAILED
    assert "matches the longest entry" in said
    assert sample("tokenarium-8k", "word", "--dropout", 2)[0] == 2
