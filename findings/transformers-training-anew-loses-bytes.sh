#!/usr/bin/env bash
# transformers (5.24.0): train_new_from_iterator() of a tokenizer with byte fallback, as Llama's, makes one without the 256
# entries for bytes; byte_fallback stays on in its file. A character that the new corpus lacks has no token at all,
# and not even the unknown one: "\u00e9 now" is decoded as " now".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/env/bin/python" -W ignore - "$folder" <<'PYTHON'
import json
import sys
from pathlib import Path

import sentencepiece
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1])
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["the low tokens of the lower slower town"] * 50),
    model_prefix=f"{folder}/tokenizer",
    model_type="bpe",
    byte_fallback=True,
    vocab_size=320,
    hard_vocab_limit=False,
    minloglevel=2,
)
(folder / "tokenizer_config.json").write_text('{"tokenizer_class": "LlamaTokenizer"}')
old = AutoTokenizer.from_pretrained(folder)
new = old.train_new_from_iterator(["new words are here now"] * 20, 400)
found = []
for name, tokenizer in (("old", old), ("new", new)):
    entries = sum(entry.startswith("<0x") for entry in tokenizer.get_vocab())
    ids = tokenizer("\u00e9 now").input_ids
    found.append((entries, tokenizer.decode(ids).strip()))
    print(f"transformers {__version__}, {name}: {entries} entries for bytes, '\u00e9 now' is decoded as {tokenizer.decode(ids)!r}")
stored = json.loads(new.backend_tokenizer.to_str())["model"]["byte_fallback"]
assert (found[0][0], found[1], stored) == (256, (0, "now"), True), "the behaviour has changed"
PYTHON
