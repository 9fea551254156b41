#!/usr/bin/env bash
# transformers (5.23.0): FNetTokenizer and RemBertTokenizer, made from a SentencePiece model as their models are published with, put
# nothing around a text, although add_special_tokens is on by default. In transformers 4, build_inputs_with_special_tokens
# of both classes gave [CLS] X [SEP], and AlbertTokenizer still does with the same model. A classifier that reads the first position
# then reads the first piece of the text. A tokenizer.json that contains the template does not have the problem.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/env/bin/python" -W ignore - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
lines = ["the low tokens of the lower slower town", "hello world the new newest"] * 40
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(lines), model_prefix=f"{folder}/made", vocab_size=60, hard_vocab_limit=False, control_symbols=["[CLS]", "[SEP]", "[MASK]"], minloglevel=2
)
counts = {}
for name, file in (("FNetTokenizer", "spiece.model"), ("RemBertTokenizer", "sentencepiece.model"), ("AlbertTokenizer", "spiece.model")):
    model = folder / name
    model.mkdir()
    (model / file).write_bytes((folder / "made.model").read_bytes())
    (model / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokens = tokenizer.convert_ids_to_tokens(tokenizer("the low").input_ids)
    counts[name] = sum(token in ("[CLS]", "[SEP]") for token in tokens)
    print(f"transformers {__version__}: {type(tokenizer).__name__} gives {tokens}")
assert counts == {"FNetTokenizer": 0, "RemBertTokenizer": 0, "AlbertTokenizer": 2}, "the behaviour has changed"
PYTHON
