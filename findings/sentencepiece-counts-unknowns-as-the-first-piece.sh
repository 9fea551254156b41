#!/usr/bin/env bash
# Training Unigram, sentencepiece (0.2.3) counts the characters that are unknown as if each were its first piece, which is
# the most frequent character: the unknown piece has the id 0 in the model that the trainer works with, and so has that
# one. Rare characters, left out by character_coverage, make its score too high; so do characters that are no piece any
# more while pieces are pruned, which in a small vocabulary can be most of the text.
# Source: PopulateNodes (node->id = unk_id_) and PopulateMarginal (node->id >= 0) in src/unigram_model.cc, unk_id_ = 0 in
# src/model_interface.h.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3
"$folder/env/bin/python" - <<'PYTHON'
import io
import math
from importlib.metadata import version

import sentencepiece


def ratio(line: str) -> float:
    """Returns how many times as likely as b a model of single characters finds a."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line] * 1000), model_writer=made, model_type="unigram", vocab_size=6,
        max_sentencepiece_length=1, character_coverage=0.98, minloglevel=3,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())
    a, b = (model.get_score(model.piece_to_id(piece)) for piece in "ab")
    return math.exp(a - b)


words = " ".join(["aaab"] * 20)
print(f"sentencepiece {version('sentencepiece')}, three times as many a as b:")
plain, rare = ratio(words), ratio(words + "\u2603\u2603")
print(f"  without a rare character   a is {plain:.3f} times as likely as b")
print(f"  with two more in each line a is {rare:.3f} times as likely as b")
assert abs(plain - 3) < 0.001
assert abs(rare - 62 / 20) < 0.001, "unknown characters are no longer counted as the first piece"
PYTHON
