#!/usr/bin/env bash
# sentencepiece (0.2.3): with treat_whitespace_as_suffix the space that is added to a text stands at its end, and decoding
# does not remove it, as it removes the one at the beginning of other models: "the low" is decoded as "the low " with a
# space at the end. So the text that comes back differs from the one that was given, and texts put together from parts
# that were decoded have one space too many between them.
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
decoded = {}
for kind in ("unigram", "bpe"):
    for suffix in (False, True):
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=written,
            model_type=kind,
            treat_whitespace_as_suffix=suffix,
            vocab_size=60,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        decoded[kind, suffix] = model.decode(model.encode("the low"))
        print(f"sentencepiece {version('sentencepiece')}: {kind}, as a suffix {suffix}: {decoded[kind, suffix]!r}")
assert [text for (_, suffix), text in decoded.items() if suffix] == ["the low "] * 2, "the behaviour has changed"
assert [text for (_, suffix), text in decoded.items() if not suffix] == ["the low"] * 2, "the behaviour has changed"
PYTHON
