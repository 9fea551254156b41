#!/usr/bin/env bash
# transformers (5.24.0) leaves truncation and padding of the last call in the tokenizer, and save_pretrained() writes them
# to tokenizer.json. One call with max_length=2 before saving is enough: every program that opens the file with tokenizers
# truncates all texts to 2 tokens. transformers itself ignores what is stored there, so its user does not see it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
"$folder/env/bin/python" -W ignore - "$folder" <<'PYTHON'
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
made = Tokenizer(models.WordLevel({"a": 0, "[PAD]": 1, "[UNK]": 2}, unk_token="[UNK]"))
made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
made.save(str(folder / "tokenizer.json"))
(folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}')
tokenizer = AutoTokenizer.from_pretrained(folder)
tokenizer(["a a a", "a"], padding=True, truncation=True, max_length=2)
tokenizer.save_pretrained(folder / "saved")
lengths = (
    len(tokenizer("a " * 9).input_ids),
    len(AutoTokenizer.from_pretrained(folder / "saved")("a " * 9).input_ids),
    len(Tokenizer.from_file(str(folder / "saved" / "tokenizer.json")).encode("a " * 9).ids),
)
print(f"transformers {__version__}: nine words are {lengths[0]} tokens, after saving {lengths[1]}, and in tokenizers {lengths[2]}")
assert lengths == (9, 9, 2), "the behaviour has changed"
PYTHON
