"""Lengths and divergence of pairs of tokenizers, against sums over all tokens."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations

import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.divergence import DIVERGENCE, divergence
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.resources.shipped_tokenizers import shipped_path

NAMES = ("tokenarium-8k", "wordpiece-8k", "unigram-8k")
LEFT_OUT = ("control", "unknown", "unused")


def entropy(shares: list[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share)


def pieces(tokenizer: tc.Tokenizer, text: str) -> Counter[bytes]:
    vocabulary = tokenizer.vocabulary
    ids = [one for one in tokenizer.encode_ids(text) if vocabulary.kind(one) not in LEFT_OUT]
    return Counter(vocabulary.piece(one) for one in ids)


@pytest.mark.parametrize("sample", ["prose-en", "prose-hi", "code-python", "emoji"])
def test_the_figures_are_those_of_entropies(sample: str) -> None:
    text = sample_text(sample)
    tokenizers = {name: tc.open(shipped_path(name)) for name in NAMES}
    rows = DIVERGENCE.run(tokenizers, text).rows
    assert [(row["Tokenizer"], row["Other"]) for row in rows] == list(combinations(NAMES, 2))
    for row in rows:
        one, other = tokenizers[row["Tokenizer"]], tokenizers[row["Other"]]
        tokens = len(one.encode_ids(text)), len(other.encode_ids(text))
        assert (row["Tokens"], row["Tokens of the other"]) == tokens
        assert row["NSL"] == pytest.approx(tokens[0] / tokens[1], rel=1e-5)
        p, q = pieces(one, text), pieces(other, text)
        names = [*(p | q)]
        shares = [[each[name] / each.total() for name in names] for each in (p, q)]
        mean = [sum(two) / 2 for two in zip(*shares, strict=True)]
        wanted = entropy(mean) - sum(map(entropy, shares)) / 2
        assert row["JSD"] == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_equal_and_different_distributions() -> None:
    one = {b"a": 0.25, b"b": 0.75}
    assert divergence(one, one) == 0
    assert divergence(one, {b"c": 1.0}) == 1
    assert divergence(one, {}) is None
    # KL of (1, 0) and (½, ½) against their mean (¾, ¼).
    wanted = (math.log2(1 / 0.75) + 0.5 * math.log2(0.5 / 0.75) + 0.5 * math.log2(0.5 / 0.25)) / 2
    assert divergence({b"a": 1.0}, {b"a": 0.5, b"b": 0.5}) == pytest.approx(wanted)


def test_the_command_writes_a_table_and_json() -> None:
    paths = [str(shipped_path(name)) for name in NAMES[:2]]
    line = ["divergence", paths[0], "one two three", "--with", paths[1]]
    (pair,) = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)["pairs"]
    assert pair["tokenizer"] == "Tokenarium 8k"
    assert pair["nsl"] == pair["tokens"] / pair["other_tokens"]
    written = CliRunner().invoke(app, line)
    assert written.exit_code == 0
    assert f"{pair['jsd']:.3f}" in written.stdout
    assert "Schmidt et al. 2024" in " ".join(written.stdout.split())


def test_an_empty_text_has_no_divergence() -> None:
    tokenizers = {name: tc.open(shipped_path(name)) for name in NAMES[:2]}
    (row,) = DIVERGENCE.run(tokenizers, "").rows
    assert (row["JSD"], row["NSL"], row["Tokens"]) == ("", "", 0)
