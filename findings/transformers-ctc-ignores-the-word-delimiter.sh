#!/usr/bin/env bash
# A folder of a speech model whose tokenizer_config.json names another word_delimiter_token than "|": AutoTokenizer of
# transformers (5.23.0) keeps "|". A space becomes the id of "|", although the file says "#", and the entry "#" is a
# letter. The argument of the constructor works; the same name in the file does not.
# Source: __init__ of models/wav2vec2/tokenization_wav2vec2.py of that version.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON' 2> "$folder/warnings"
import json
import os
from pathlib import Path

import transformers

folder = Path(os.environ["FOLDER"], "model")
folder.mkdir()
entries = ["<pad>", "<s>", "</s>", "<unk>", "|", "#", "A", "B"]
(folder / "vocab.json").write_text(json.dumps({entry: id for id, entry in enumerate(entries)}))
settings = {"tokenizer_class": "Wav2Vec2CTCTokenizer", "word_delimiter_token": "#"}
(folder / "tokenizer_config.json").write_text(json.dumps(settings))
opened = transformers.AutoTokenizer.from_pretrained(str(folder))
made = transformers.Wav2Vec2CTCTokenizer(str(folder / "vocab.json"), word_delimiter_token="#")
print(f"transformers {transformers.__version__}: the file says '#'.", end=" ")
print(f"Opened: {opened.word_delimiter_token!r}, A B is {opened.encode('A B')}.", end=" ")
print(f"Made with the argument: {made.word_delimiter_token!r}, A B is {made.encode('A B')}.")
assert made.encode("A B") == [6, 5, 7]
assert opened.encode("A B") == [6, 4, 7], "the behaviour has changed"
PYTHON
