"""Prints the row of TokEval's table of results that a tokenizer gets on the texts that ``prepare.py`` writes.

    python tokeval.py TEXTS TOKENIZER [--bos]

TEXTS is the folder of the texts in 13 languages, TOKENIZER a file, a folder or a name. ``--bos`` puts the id of the beginning
before each line, as the tokenizers of Gemma and Mistral do in Hugging Face's libraries.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tokenarium_core as tc
from tokenarium.models.compare.distribution_metrics import average_rank, shannon_entropy
from tokenarium.models.inequality import gini


def results(tokenizer: tc.Tokenizer, texts: Path, bos: bool = False) -> dict[str, str]:
    """Returns the figures by the heads of the table, with its digits."""
    uses = np.zeros(len(tokenizer.vocabulary), np.int64)
    lengths: list[int] = []
    of_languages: list[float] = []
    for path in sorted(texts.glob("*.txt")):
        lines = path.read_text("utf-8").split("\n")[:-1]
        ids = tokenizer.encode_ids_batch(lines, add_bos=bos)
        for one in ids:
            uses += np.bincount(one, minlength=len(uses))
        here = [len(one) for one in ids]
        lengths += here
        of_languages.append(sum(here) / len(here))
    used = np.count_nonzero(uses)
    entropy, rank = shannon_entropy(uses), average_rank(uses)
    return {
        "Fertility": f"{np.mean(lengths):.3f}",
        "Compression rate": f"{np.mean(1 / np.array(lengths)):.3f}",
        "Vocabulary used": f"{used / len(uses):.3f}",
        "TTR": f"{used / uses.sum():.4f}",
        "Entropy": f"{entropy:.2f}",
        "Average rank": f"{rank:.1f}",
        "Gini": f"{gini(of_languages):.3f}",
    }


if __name__ == "__main__":
    places = [one for one in sys.argv[1:] if one != "--bos"]
    if len(places) != 2:
        raise SystemExit(__doc__)
    for head, figure in results(tc.open(places[1]), Path(places[0]), "--bos" in sys.argv).items():
        print(f"{head}: {figure}")
