#!/usr/bin/env bash
# Wav2Vec2CTCTokenizer of transformers (5.23.0) does not decode what it encodes: runs of one id become one letter, as
# for the frames of a speech model, so "hello" comes back as "HELO". It joins by default, also for ids that
# encode returned; group_tokens=False turns it off.
# Source: convert_tokens_to_string in models/wav2vec2/tokenization_wav2vec2.py of that version.
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

path = Path(os.environ["FOLDER"], "vocab.json")
entries = ["<pad>", "<s>", "</s>", "<unk>", "|", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ'"]
path.write_text(json.dumps({entry: id for id, entry in enumerate(entries)}))
tokenizer = transformers.Wav2Vec2CTCTokenizer(str(path), do_lower_case=False)
ids = tokenizer.encode("HELLO BOOKKEEPER")
joined, apart = tokenizer.decode(ids), tokenizer.decode(ids, group_tokens=False)
print(f"transformers {transformers.__version__}: HELLO BOOKKEEPER is {ids}, decoded {joined!r}, and {apart!r} with group_tokens=False")
assert apart == "HELLO BOOKKEEPER"
assert joined == "HELO BOKEPER", "the behaviour has changed"
PYTHON
