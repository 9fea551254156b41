#!/usr/bin/env bash
# transformers (5.24.0): LlamaTokenizer reads the pieces of a SentencePiece model, not its normalizer.
# A model that unites white space and full-width letters (the default of sentencepiece's trainer) loses both: "the  low"
# and a full-width "t" get other ids than in sentencepiece. Llama's own model has the identity normalizer, so it
# is found only with a model of one's own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/env/bin/python" -W ignore - "$folder" <<'PYTHON'
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
lines = ["the low tokens of the lower slower town", "hello world the new newest, wider"] * 40
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(lines),
    model_prefix=f"{folder}/tokenizer",
    model_type="bpe",
    vocab_size=60,
    hard_vocab_limit=False,
    minloglevel=2,
)
model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
(folder / "tokenizer_config.json").write_text('{"tokenizer_class": "LlamaTokenizer"}')
tokenizer = AutoTokenizer.from_pretrained(folder)
equal = []
for text in ("the low", "the  low town ", "\uff54he low"):
    ids, expected = tokenizer(text, add_special_tokens=False).input_ids, model.encode(text)
    equal.append(ids == expected)
    print(f"transformers {__version__}: {text!r} is {ids}, in sentencepiece {expected}")
assert equal == [True, False, False], "the behaviour has changed"
PYTHON
