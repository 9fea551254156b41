"""A corpus of any size as the counts of its partitions alone: made, reduced as a tree, and trained from.

    .venv/bin/python tests/benchmarks/scale.py --corpus 1TB --partition 4GB --scale 16

The number of different words in a partition and in the whole follow D = K * b ** beta; the words of each partition are
drawn from the one Zipf's law that grows so (see ``tests/helpers/growing_text.py``), so as many meet in a merge as in real
partitions. ``--scale 16`` divides all numbers of words by 16: work and files shrink by that, and the shape stays. The
files are reduced by `merge_tree`, which `tokenarium count` reduces with, and a tokenizer is trained from the result. What
``docs/scale.md`` predicts from ``ROWS_A_SECOND`` and the rest is printed beside what it took.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import peak_memory
from texts import ROOT

import tokenarium_core as tc
from tokenarium.models.corpora.counted_corpus import FILES_MERGED, merge_tree
from tokenarium.models.training.corpus import parsed_bytes
from tokenarium_core.training.counts_file import CountsWriter

sys.path.append(str(ROOT / "tests" / "helpers"))
from growing_text import Growth

from tokenarium_core.training import word_counts
from tokenarium_core.training.algorithms import make_trainer

K_SIZE, K_DIFFERENT, BETA = 10_000_363_570, 8_739_608, 0.617
"""The corpus of 10 GB that is counted in ``docs/scale.md``: bytes, different words; and its exponent."""
WORD_BYTES = 22  # of a different word, on average, there
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEF", np.uint8)
CODE_BITS = 60
MIXER = 0x9E3779B97F4A7C1  # odd: a permutation of the numbers of 60 bits
FOLDER = ROOT / "build" / "benchmarks" / "scale"
SHIFT = 1000.0
VOCABULARY = 32_768

# What one processor does, measured on a corpus of 10 GB: see docs/scale.md.
ROWS_A_SECOND = 4.6e6
LOADED_A_SECOND = 1.6e6


@dataclass
class Plan:
    """What is simulated: partitions, and the different words in each and in all, before the scale."""

    corpus: int
    partition: int
    scale: float

    @property
    def partitions(self) -> int:
        """How many there are."""
        return math.ceil(self.corpus / self.partition)

    def different(self, size: float) -> float:
        """Returns the different words of so many bytes, scaled."""
        return K_DIFFERENT * (size / K_SIZE) ** BETA / self.scale

    def rows(self) -> list[float]:
        """Returns the rows that each level of the tree reads, as `merge_tree` builds it."""
        waiting = [float(self.partition)] * self.partitions
        levels = []
        while len(waiting) > 1:
            merged = []
            rows = 0.0
            for first in range(0, len(waiting), FILES_MERGED):
                group = waiting[first : first + FILES_MERGED]
                merged.append(sum(group))
                rows += sum(map(self.different, group)) if len(group) > 1 else 0
            levels.append(rows)
            waiting = merged
        return levels


def main() -> None:
    """Runs the simulation; each phase in a process of its own, whose peak of memory is reported."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", type=parsed_bytes, default=10**12)
    parser.add_argument("--partition", type=parsed_bytes, default=4 * 10**9)
    parser.add_argument("--scale", type=float, default=16.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--phase", choices=("make", "merge", "train"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    plan = Plan(options.corpus, options.partition, options.scale)
    if options.phase:
        print(json.dumps(PHASES[options.phase](plan)))
        return
    rows = plan.rows()
    print(
        f"{plan.corpus / 1e9:,.0f} GB in {plan.partitions:,} partitions of {plan.partition / 1e9:g} GB, words divided by"
        f" {plan.scale:g}: {plan.different(plan.partition):,.0f} different words in each,"
        f" {plan.different(plan.corpus):,.0f} in all; {' + '.join(f'{one:,.0f}' for one in rows)} rows to merge."
    )
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    results: dict[str, Any] = {}
    try:
        for phase in PHASES:
            command = [
                *(sys.executable, __file__, "--phase", phase, "--corpus", str(plan.corpus)),
                *("--partition", str(plan.partition), "--scale", str(plan.scale)),
            ]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            results[phase] = found = json.loads(done.stdout)
            print(f"{phase}: {', '.join(f'{key} {_shown(value)}' for key, value in found.items())}")
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"It failed:\n{error.stderr}") from error
    finally:
        shutil.rmtree(FOLDER)
    merge_s, load_s = sum(rows) / ROWS_A_SECOND, plan.different(plan.corpus) / LOADED_A_SECOND
    print(f"Expected: {merge_s:,.0f} CPU seconds to merge, {load_s:,.0f} to load.")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def _shown(value: float) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _make(plan: Plan) -> dict[str, Any]:
    """Writes the counts of all partitions."""
    growth = Growth(np.zeros(1), np.zeros(1), BETA, 1 / BETA - 1, SHIFT)
    low, high = 1.0, 1e12
    for _ in range(60):
        draws = math.sqrt(low * high)
        few = growth.expected(draws) < plan.different(plan.partition)
        low, high = (draws, high) if few else (low, draws)
    header = json.loads(_header())
    random = np.random.default_rng(0)
    different = []
    start = time.process_time()
    for number in range(plan.partitions):
        ranks = np.minimum(growth.ranks(int(draws), random), 2.0**CODE_BITS - 1024).astype(
            np.uint64
        )
        codes, counts = np.unique(_mixed(ranks), return_counts=True)
        _write(FOLDER / f"{number:05}.counts", header, codes, counts)
        different.append(len(codes))
    size = sum(path.stat().st_size for path in FOLDER.glob("*.counts"))
    return {
        "different": sum(different) / len(different),
        "MB a partition": size / len(different) / 1e6,
        "CPU seconds": time.process_time() - start,
    }


def _header() -> str:
    """Returns the header of counts with the options that a corpus is counted with."""
    from tokenarium_core.training.counts_file import CountsFile

    path = FOLDER / "header.counts"
    word_counts.count("bpe", ["one"]).save(path)
    header = json.dumps(CountsFile(path).header)
    path.unlink()
    return header


def _mixed(ranks: Any) -> Any:
    mask = np.uint64((1 << CODE_BITS) - 1)
    return (ranks * np.uint64(MIXER)) & mask


def _write(path: Path, header: dict[str, Any], codes: Any, counts: Any) -> None:
    """Writes words that are sorted by their codes, which sorts them by their bytes too."""
    text = np.full((len(codes), WORD_BYTES), 32, np.uint8)
    for place in range(CODE_BITS // 5):
        shift = np.uint64(CODE_BITS - 5 * (place + 1))
        digit = ((codes >> shift) & np.uint64(31)).astype(np.int64)
        text[:, 1 + place] = np.sort(LETTERS)[digit]
    rest = np.arange(1 + CODE_BITS // 5, WORD_BYTES)
    text[:, rest] = text[:, rest - CODE_BITS // 5 + 3]
    data = text.tobytes() + bytes(64)
    writer = CountsWriter(path, header)
    for row, count in enumerate(counts.tolist()):
        writer.add(data, row * WORD_BYTES, WORD_BYTES, count)
    writer.end_section()
    writer.finish()


def _merge(plan: Plan) -> dict[str, Any]:
    """Reduces the files to one as a tree, with a file for each group of partitions."""
    out = FOLDER / "whole" / "whole.counts"
    out.parent.mkdir()
    files = sorted(FOLDER.glob("*.counts"))
    clock, start = time.perf_counter(), time.process_time()
    merge_tree(files, out)
    spent = time.process_time() - start
    for file in files:
        file.unlink()
    return {
        "seconds": time.perf_counter() - clock,
        "CPU seconds": spent,
        "rows a CPU second": sum(plan.rows()) / spent,
        "different": len(tc.WordCounts.load(out)),
        "MB": out.stat().st_size / 1e6,
        "peak MB": peak_memory() / 1e6,
    }


def _train(plan: Plan) -> dict[str, Any]:
    """Trains a tokenizer from the merged counts."""
    counts = tc.WordCounts.load(FOLDER / "whole" / "whole.counts")
    before = peak_memory()
    start = time.process_time()
    trainer = make_trainer("bpe", vocab_size=VOCABULARY, counts=counts)
    loaded = 0.0
    while not (progress := trainer.step(100)).finished:
        if not loaded and progress.phase != "counting":
            loaded = time.process_time() - start
    spent = time.process_time() - start
    peak = peak_memory()
    return {
        "CPU seconds to load": loaded,
        "CPU seconds": spent,
        "peak MB": peak / 1e6,
        "bytes a different word": (peak - before) / len(counts),
    }


PHASES: dict[str, Callable[[Plan], dict[str, Any]]] = {
    "make": _make,
    "merge": _merge,
    "train": _train,
}


if __name__ == "__main__":
    main()
