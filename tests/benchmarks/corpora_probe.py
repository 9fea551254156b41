"""One measurement of the benchmark of corpora, in a process of its own: prints JSON. See `main` for what there is.

Peers are measured here too: each in a process that did nothing before, so that its peak of memory is its own.
"""

from __future__ import annotations

import base64
import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from measure import limit_threads, one_processor, peak_memory
from trainers import BPE, THREADS, TRAINERS

from tokenarium_core.training.algorithms import make_trainer

PATTERNS = ("gpt2", "cl100k", "o200k")
ROUNDS = 5
DOCUMENT = 1 << 20


def main(arguments: list[str]) -> None:
    """Does what the arguments name.

    - ``scan FILE BYTES``: counting and only cutting, in turn
    - ``train PEER FILE SIZE OUT``: a training, ours from counts too; its entries are written to ``OUT``
    - ``encode FILE TOKENIZER BYTES``: encoding texts that are in memory
    """
    what, *rest = arguments
    if what == "train":
        limit_threads(THREADS)
        found = _train(*rest)
    else:
        with one_processor():
            found = _scan(*rest) if what == "scan" else _encode(*rest)
    print(json.dumps(found))


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _scan(path: str, most: str) -> dict[str, Any]:
    """Returns by pattern: bytes, seconds of only cutting and of counting, and the median of their ratios."""
    from librt.vecs import vec
    from mypy_extensions import i32, u8

    from tokenarium_core.padded_text import PADDING, padded
    from tokenarium_core.pretokenizers.scanners import cutting
    from tokenarium_core.training.word_counter import BLOCK, WordCounter

    with open(path, "rb") as file:
        data = padded(file.read(int(most)).decode("utf-8", "ignore"))
    stop = len(data) - PADDING
    found = {}
    for pattern in PATTERNS:
        scanner = cutting(pattern)
        ends, rules = vec[i32]([0] * BLOCK), vec[u8]([0] * BLOCK)

        def cut(scanner: Any = scanner, ends: Any = ends, rules: Any = rules) -> None:
            at = 0
            while at < stop:
                count = scanner.cut(data, at, stop, ends, rules)
                at = ends[count - 1]

        def count(scanner: Any = scanner) -> None:
            counter = WordCounter(scanner)
            at = 0
            while at < stop:
                at = counter.add_block(data, at, stop, stop)

        cut()
        cutting_s, counting_s = [], []
        for _ in range(ROUNDS):
            cutting_s.append(_cpu(cut))
            counting_s.append(_cpu(count))
        found[pattern] = {
            "bytes": stop,
            "cutting": cutting_s,
            "counting": counting_s,
            "share": statistics.median(
                ours / theirs for ours, theirs in zip(cutting_s, counting_s, strict=True)
            ),
        }
    return found


def _train(name: str, path: str, size: str, out: str) -> dict[str, Any]:
    """Returns seconds by the clock and of the processor, the peak of memory, and how many entries."""
    trainer = next(one for one in TRAINERS if (one.algorithm, one.name) == (BPE, name))
    assert trainer.entries is not None
    import_module(trainer.module)
    train = _from_counts if path.endswith(".counts") else trainer.train
    clock, cpu = time.perf_counter(), time.process_time()
    trained = train(Path(path), int(size))
    found = {
        "seconds": time.perf_counter() - clock,
        "cpu_seconds": time.process_time() - cpu,
        "peak": peak_memory(),
    }
    entries = [base64.b64encode(piece).decode() for piece in trainer.entries(trained)]
    Path(out).write_text(json.dumps(entries), encoding="utf-8")
    return found | {"entries": len(entries)}


def _from_counts(path: Path, size: int) -> Any:
    import tokenarium_core as tc

    trainer = make_trainer("bpe", vocab_size=size, counts=tc.WordCounts.load(path))
    trainer.run()
    return trainer.tokenizer("from counts")


def _encode(path: str, tokenizer: str, most: str) -> dict[str, Any]:
    """Returns bytes, and the seconds of encoding them: the texts of a corpus of JSON lines, one after the other."""
    import tokenarium_core as tc

    texts = []
    size = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            texts.append(json.loads(line)["text"] if path.endswith(".jsonl") else line)
            size += len(texts[-1].encode())
            if size >= int(most):
                break
    if not path.endswith(".jsonl"):
        texts = ["".join(texts)]
    opened = tc.open(tokenizer)
    tokens = 0

    def encode() -> None:
        nonlocal tokens
        for text in texts:
            tokens += len(np.asarray(memoryview(opened.encode_buffer(text))))

    return {"bytes": size, "cpu_seconds": _cpu(encode), "tokens": tokens}


if __name__ == "__main__":
    main(sys.argv[1:])
