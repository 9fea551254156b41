"""The same training gives the same tokenizer in every process: the entries, their order and their scores."""

from __future__ import annotations

import os
import subprocess
import sys

from tokenarium_core.training import ALGORITHMS

LINES = ["the quick brown fox jumps over a lazy dog", "pack my box with five dozen jugs"] * 3
"""Nearly all pairs of letters occur equally often, so that whatever has no fixed order shows."""

SCRIPT = f"""
import sys
import tokenarium_core as tc
from tokenarium_core.training import ALGORITHMS, make_trainer
lines = {LINES!r}
for name, algorithm in ALGORITHMS.items():
    corpus = {{"en": lines[::2], "la": lines[1::2]}} if algorithm.by_language else lines
    trainer = make_trainer(name, corpus, vocab_size=280)
    while not trainer.step(100.0).finished:
        pass
    made = trainer.tokenizer("made")
    pieces = [made.vocabulary.piece(token) for token in range(len(made.vocabulary))]
    scores = list(made.vocabulary.scores)
    print(name, pieces, scores, made.encode_ids(" ".join(lines)))
"""


def trained(seed: int) -> list[str]:
    """Returns a line for each algorithm, from a process whose sets have an order of their own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout.splitlines()


def test_a_training_gives_the_same_tokenizer_in_every_process() -> None:
    first = trained(1)
    assert [line.split()[0] for line in first] == list(ALGORITHMS)
    assert all(len(line) > 500 for line in first)
    for seed in (2, 3):
        assert trained(seed) == first
