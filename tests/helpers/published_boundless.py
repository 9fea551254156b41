"""Makes `tests/core/training/published_boundless.json`: small trainings by the published code of BoundlessBPE.

    python tests/helpers/published_boundless.py FOLDER

FOLDER is a clone of https://github.com/kensho-technologies/boundlessbpe at the commit in `COMMIT`. A case is a corpus,
the options, what was learned, in order (bytes in hexadecimal digits), and the ids of some texts; the first case has the
file that the published code saves, too.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

COMMIT = "9c7ef2ebff09dfc000ce2c0cf5f7d32eaeb6ec86"
WRITTEN = Path(__file__).parents[1] / "core" / "training" / "published_boundless.json"
NAMES = {
    "gpt2": "GPT2_SPLIT_PATTERN",
    "o200k": "GPT4O_SPLIT_PATTERN",
    "ultimate": "ULTIMATE_PATTERN",
}

STORY = [
    "Once upon a time there was a king of the hill. The king of the hill had a cat, and the cat sat on the mat.",
    "In the end of the day, the king of the hill didn't see the cat. It's the end of the story, isn't it?",
    "Kentucky is in the south of the country. In Kentucky the horses of the king run in the end of the day.",
]
RUNS = [
    "ha ha ha ha ha ha",
    "haha haha ha",
    "oh ha ha oh oh oh ha ha",
    "aaa aaaa aaaaa aaaaaa",
    "ha ha",
    "baaa abab ababab",
]
ACCENTS = [
    "der Fluß der Größe",
    "die Größe der Straße, die Straße der Größe",
    "größer als die Straße",
    "señor año el año del señor",
]
SCRIPTS = [
    "日本の日本語は日本の言葉 日本 の",
    "привет мир, привет всем в мире мир",
    "नमस्ते दुनिया नमस्ते सब दुनिया में",
]
CODE = [
    "def foo_bar(self): return self._foo_bar",
    "fooBar = self.fooBar(foo_bar, 12345)\n\treturn fooBar\r\n",
    "self._foo_bar += 1",
]


def made(alphabet: str, seed: int) -> list[str]:
    """Returns documents of a few random words over an alphabet."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(alphabet, k=chance.randint(1, 5))) for _ in range(14)]
    return [" ".join(chance.choices(words, k=chance.randint(1, 25))) for _ in range(9)]


CASES: list[dict[str, Any]] = [
    {"corpus": STORY, "pattern": "o200k", "threshold": 0.9, "merges": 150},
    {"corpus": STORY, "pattern": "ultimate", "threshold": 0.6, "merges": 150},
    {"corpus": STORY, "pattern": "gpt2", "threshold": 1.1, "merges": 150},
    {"corpus": RUNS, "pattern": "o200k", "threshold": 0.75, "merges": 60},
    {"corpus": ACCENTS, "pattern": "o200k", "threshold": 0.9, "merges": 90},
    {"corpus": SCRIPTS, "pattern": "o200k", "threshold": 0.9, "merges": 90},
    {"corpus": CODE, "pattern": "ultimate", "threshold": 0.75, "merges": 90},
    {"corpus": made("ab", 1), "pattern": "o200k", "threshold": 0.6, "merges": 80},
    {"corpus": made("aab'", 2), "pattern": "gpt2", "threshold": 0.75, "merges": 80},
    {"corpus": made("abA", 3), "pattern": "ultimate", "threshold": 0.6, "merges": 80},
]


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Returns a case with the result of the published code."""
    from boundlessbpe import boundlessbpetrain, regexconstants
    from boundlessbpe.boundlessbpeinference import FasterRegexInference

    pattern = getattr(regexconstants, NAMES[case["pattern"]])
    texts = [
        *case["corpus"],
        " ".join(reversed(case["corpus"])),
        "the king of the hill ha ha ha aaab",
    ]
    boundlessbpetrain.IndexGenerator._next_index = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        corpus = Path(folder) / "corpus.jsonl"
        lines = [json.dumps({"text": text}) + "\n" for text in case["corpus"]]
        corpus.write_text("".join(lines))
        path = str(Path(folder) / "out")
        size = 256 + case["merges"]
        training = boundlessbpetrain.FasterHalfDirectRegexTokenizer(case["threshold"], pattern)
        training.train(str(corpus), path, len(lines), size, recalc=1, blowup=True)
        training.save(path)
        encoder = FasterRegexInference()
        encoder.load(path + ".model")
        encodings = [[text, encoder.encode_ordinary(text)] for text in texts]
        saved = Path(path + ".model").read_text("utf-8")
    words, across = training.words_state, training.superwords_state
    events = [(index, ["merge", *pair]) for index, pair in words.merges.items()]
    events += [(index, ["deletion", token]) for index, token in words.deletions.items()]
    events += [(index, ["supermerge", *pair]) for index, pair in across.merges.items()]
    events.sort()
    shown = [[event[0], *(token.hex() for token in event[1:])] for _, event in events]
    return {**case, "regex": pattern, "events": shown, "encodings": encodings, "saved": saved}


def main() -> None:
    """Writes the file."""
    sys.path.insert(0, sys.argv[1])
    cases = [run(case) for case in CASES]
    for case in cases[1:]:
        del case["saved"]
    about = {
        "source": "https://github.com/kensho-technologies/boundlessbpe",
        "commit": COMMIT,
        "command": "python tests/helpers/published_boundless.py FOLDER",
    }
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    head = json.dumps(about)[:-1]
    WRITTEN.write_text(f'{head}, "cases": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
