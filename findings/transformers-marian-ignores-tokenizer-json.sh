#!/usr/bin/env bash
# A folder of Marian with a tokenizer.json: AutoTokenizer of transformers (5.23.0) ignores that file, and has
# source.spm and vocab.json read by MarianTokenizer, which is Python. Programs that prefer a tokenizer.json wherever
# there is one (transformers.js reads nothing else) give other ids for the folder if the two do not agree.
# Source: models/marian/tokenization_marian.py of that version, whose class has no backend of tokenizers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 sentencepiece==0.2.1 tokenizers==0.23.1
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON' 2> "$folder/warnings"
import json
import os
from pathlib import Path

import sentencepiece
import tokenizers
import transformers

folder = Path(os.environ["FOLDER"], "model")
folder.mkdir()
lines = ["the cat sat on the mat", "a dog ran to the cat", "the mat and the dog"] * 4
for name in ("source", "target"):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(folder / name), vocab_size=30, minloglevel=2
    )
    (folder / f"{name}.model").rename(folder / f"{name}.spm")
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
names = ["</s>", "<unk>", *(pieces.id_to_piece(id) for id in range(3, len(pieces))), "<pad>"]
(folder / "vocab.json").write_text(json.dumps({name: id for id, name in enumerate(names)}))
(folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "MarianTokenizer"}))
(folder / "config.json").write_text(json.dumps({"model_type": "marian"}))
before = transformers.AutoTokenizer.from_pretrained(str(folder)).encode("the cat")
words = {"the": 1, "cat": 2, "<unk>": 0}
whole = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
whole.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
whole.save(str(folder / "tokenizer.json"))
after = transformers.AutoTokenizer.from_pretrained(str(folder)).encode("the cat")
print(f"transformers {transformers.__version__}: tokenizer.json says {whole.encode('the cat').ids},", end=" ")
print(f"AutoTokenizer says {after}, as without that file")
assert whole.encode("the cat").ids == [1, 2]
assert after == before, "the behaviour has changed"
PYTHON
