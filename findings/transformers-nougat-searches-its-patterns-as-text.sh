#!/usr/bin/env bash
# transformers (5.23.0): NougatTokenizer takes only the entries and merges of a tokenizer.json, and makes its own
# pre-tokenizers, whose regular expressions it passes as plain strings. So "[\(\)...]" is searched for as text, and brackets and
# repeated signs are no longer split off, as the file of the published model says. Here "((" is one entry of the class, and two of
# the tokenizers library, which reads the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0
"$folder/env/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
entries = ["<s>", "<pad>", "</s>", "<unk>", "(", "(("]
made = Tokenizer(models.BPE({entry: id for id, entry in enumerate(entries)}, [("(", "(")]))
brackets = pre_tokenizers.Split(Regex(r"[\(\)]"), "isolated")
made.pre_tokenizer = pre_tokenizers.Sequence([brackets, pre_tokenizers.ByteLevel(add_prefix_space=False)])
made.save(str(folder / "tokenizer.json"))
(folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "NougatTokenizer"}))
tokenizer = AutoTokenizer.from_pretrained(folder)
ids, alone = tokenizer("((", add_special_tokens=False).input_ids, made.encode("((").ids
print(f"transformers {__version__}: {ids}; tokenizers, of the same file: {alone}")
assert (ids, alone) == ([5], [4, 4]), "the behaviour has changed"
PYTHON
