#!/usr/bin/env bash
# sentencepiece (0.2.3): a user-defined symbol with a space is accepted by the trainer and gets an id, but no text ever
# uses it, because texts have "▁" for a space when symbols are searched. Written with "▁" it is found. No warning is given.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3
"$folder/env/bin/python" - <<'PYTHON'
import io
from importlib.metadata import version

import sentencepiece

lines = ["the low tokens of the lower slower town", "hello world the new newest, wider"] * 40
found = {}
for symbol in ("w t", "w\u2581t"):
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        user_defined_symbols=[symbol],
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    found[symbol] = (model.piece_to_id(symbol), model.piece_to_id(symbol) in model.encode("the low tokens"))
    print(f"sentencepiece {version('sentencepiece')}: {symbol!r} has id {found[symbol][0]}, used: {found[symbol][1]}")
assert found == {"w t": (3, False), "w\u2581t": (3, True)}, "the behaviour has changed"
PYTHON
