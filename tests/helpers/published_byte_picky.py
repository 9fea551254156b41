"""Makes `tests/core/training/published_byte_picky.json`: small trainings by the PickyBPE on bytes that is in BoundlessBPE.

    python tests/helpers/published_byte_picky.py FOLDER

FOLDER is a clone of https://github.com/kensho-technologies/boundlessbpe at the commit in `COMMIT`. Its definition is
not that of the authors of PickyBPE, whom we follow: a removed token is split into bytes; it is removed at the
threshold, too; for a token that was joined with itself, each pair counts once instead of twice; three in a row of a
token are one pair instead of two; a pair that makes an entry which is there, or was removed, is never joined; and the
size counts removed tokens. The cases are random ones in which none of that, and no tie, makes a difference. At this
commit its call of ``blow_up`` lacks an argument, the bytes of the token, so it is given them here.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

COMMIT = "9c7ef2ebff09dfc000ce2c0cf5f7d32eaeb6ec86"
WRITTEN = Path(__file__).parents[1] / "core" / "training" / "published_byte_picky.json"
PATTERN = r"\s?\S+"
CASES, LEAST = 16, 2
"""How many cases there are, and how many removals each has at least."""


def words_of(chance: random.Random) -> dict[str, int]:
    """Returns some words, each with its own frequency."""
    alphabet = chance.choice(["abc", "abcd", "abcdefé"])
    words = {"".join(chance.choices(alphabet, k=chance.randint(1, 7))) for _ in range(40)}
    return {word: chance.randint(1, 90) for word in sorted(words)[: chance.randint(11, 20)]}


def run(words: dict[str, int], merges: int, threshold: float) -> dict[str, Any] | None:
    """Returns a case, or None if the definitions differ."""
    from boundlessbpe import pickybpe, util

    pickybpe.blow_up = lambda tokens, token: util.blow_up(tokens, token, _bytes_of(token))
    pickybpe.IndexGenerator._next_index = 0
    training = pickybpe.PickyBPE(PATTERN)
    training.words_state.tau = threshold
    steps = _Watched(training.words_state)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder) / "corpus.jsonl"
        text = "".join(f" {word}" * count for word, count in words.items())
        path.write_text(json.dumps({"text": text}) + "\n")
        training.train(str(path), str(Path(folder) / "out"), 1, 256 + merges, 1, False)
    state = training.words_state
    events = [(index, list(pair)) for index, pair in state.merges.items()]
    events += [(index, [token]) for index, token in state.deletions.items()]
    listed = [event for _, event in sorted(events)]
    if steps.differ or len(state.deletions) < LEAST or not _taken_apart_into_bytes(listed):
        return None
    return {
        "words": words,
        "size": 256 + merges,
        "threshold": threshold,
        "events": [[token.hex() for token in event] for event in listed],
    }


def _bytes_of(token: bytes) -> list[bytes]:
    return [token[at : at + 1] for at in range(len(token))]


class _Watched:
    """Examines each choice of a pair; ``differ``: whether the definitions differ in any."""

    def __init__(self, state: Any) -> None:
        self.differ = False
        self._state = state
        self._choose = state.choose_best_pair
        state.choose_best_pair = self.choose

    def choose(self, entries: list[bytes]) -> Any:
        """Returns the pair that is merged next, and its count."""
        state = self._state
        pair, count = self._choose(entries)
        counts = sorted(state.pair_counts.values(), reverse=True)
        tied = len(counts) > 1 and counts[0] == counts[1]
        at_threshold = pair is not None and any(
            count / state.single_counts[part] == state.tau for part in pair
        )
        doubled = pair is not None and pair[0] == pair[1] and len(pair[0]) > 1
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for tokens, times in zip(state.text_chunks, state.text_counts, strict=True):
            for one in itertools.pairwise(tokens):
                pairs[one] += times
        if pairs != state.pair_counts:
            self.differ = True
        if pair is None or tied or count != counts[0] or at_threshold or doubled:
            self.differ = True
        return pair, count


def _taken_apart_into_bytes(events: list[list[bytes]]) -> bool:
    """Returns whether all parts of removed tokens that are present are bytes."""
    made: dict[bytes, tuple[bytes, bytes]] = {}
    present: set[bytes] = set()
    for event in events:
        if len(event) == 2:
            made.setdefault(event[0] + event[1], (event[0], event[1]))
            present.add(event[0] + event[1])
        else:
            present.discard(event[0])
            waiting = [event[0]]
            while waiting:
                token = waiting.pop()
                if token in present:
                    return False
                waiting += [part for part in made[token] if len(part) > 1]
    return True


def _written(content: dict[str, Any]) -> str:
    """Returns the content as JSON, a case a line."""
    cases = ",\n".join(json.dumps(case, ensure_ascii=False) for case in content["cases"])
    head = json.dumps({**content, "cases": []}, ensure_ascii=False, indent=0)
    return head.replace('"cases": []', f'"cases": [\n{cases}\n]')


def main() -> None:
    """Writes the file."""
    sys.path.insert(0, sys.argv[1])
    chance = random.Random(1)
    cases: list[dict[str, Any]] = []
    while len(cases) < CASES:
        threshold = chance.choice([0.45, 0.55, 0.65, 0.75])
        found = run(words_of(chance), chance.randint(5, 18), threshold)
        if found is not None:
            cases.append(found)
    content = {
        "source": "https://github.com/kensho-technologies/boundlessbpe",
        "commit": COMMIT,
        "command": "python tests/helpers/published_byte_picky.py FOLDER",
        "pattern": PATTERN,
        "cases": cases,
    }
    WRITTEN.write_text(_written(content) + "\n", "utf-8")


if __name__ == "__main__":
    main()
