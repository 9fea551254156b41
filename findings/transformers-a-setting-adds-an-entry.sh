#!/usr/bin/env bash
# transformers (5.23.0): a special token that tokenizer_config.json names but tokenizer.json does not contain silently gets
# its own id, after the last one. Here "sep_token": "<sep>" creates the id 2 in a vocabulary of two entries, and the text
# "<sep>" encodes to that id; the tokenizers library, which reads only tokenizer.json, splits it into three unknown pieces. A model
# has no embedding for such an id.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0
"$folder/env/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
made = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
made.pre_tokenizer = pre_tokenizers.Whitespace()
made.save(str(folder / "tokenizer.json"))
settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>", "sep_token": "<sep>"}
(folder / "tokenizer_config.json").write_text(json.dumps(settings))
tokenizer = AutoTokenizer.from_pretrained(folder)
ids, alone = tokenizer("a <sep>").input_ids, made.encode("a <sep>").ids
print(f"transformers {__version__}: {len(tokenizer)} entries and the ids {ids}; tokenizers: {made.get_vocab_size()} and {alone}")
assert (len(tokenizer), ids, alone) == (3, [0, 2], [0, 1, 1, 1]), "the behaviour has changed"
PYTHON
