#!/usr/bin/env bash
# The tokenizers of DPR's encoders in transformers (5.23.0) take do_lower_case and do not hand it on: with false in
# tokenizer_config.json or as an argument, capitals are still made small, and a vocabulary with capitals gives unknown
# tokens. BertTokenizer, which they derive from, obeys the same setting.
# Source: __init__ of models/dpr/tokenization_dpr.py of that version.
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
entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "Hello", "hello"]
(folder / "vocab.txt").write_text("\n".join(entries) + "\n")
tokens = {}
for name in ("BertTokenizer", "DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer"):
    settings = {"tokenizer_class": name, "do_lower_case": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    tokens[name] = getattr(transformers, name).from_pretrained(str(folder)).tokenize("Hello")
print(f"transformers {transformers.__version__}, do_lower_case false, Hello:", tokens)
assert tokens.pop("BertTokenizer") == ["Hello"]
assert all(made == ["hello"] for made in tokens.values()), "the behaviour has changed"
PYTHON
