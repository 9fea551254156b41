#!/usr/bin/env bash
# @huggingface/tokenizers (0.2.0), which Transformers.js runs, splits words with the pre-tokenizer Whitespace between letters
# of ASCII and others: its \w is that of JavaScript without the flag u. In tokenizers (0.23.3), \w has the letters of all
# scripts. With the same tokenizer.json, words with accents become unknown or get other ids.
# Source: src/core/preTokenizer/Whitespace.ts in huggingface/tokenizers.js.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm install --silent --no-fund --no-audit @huggingface/tokenizers@0.2.0 > /dev/null)
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
cat > "$folder/encode.mjs" <<'NODE'
import fs from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
const tokenizer = new Tokenizer(JSON.parse(fs.readFileSync("tokenizer.json", "utf8")), {});
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((text) => tokenizer.encode(text).ids)));
NODE
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON'
import json
import os
import subprocess
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers

texts = ["cafe noir", "café noir", "da да"]
pieces = ["[UNK]", "cafe", "noir", "café", "da", "да"]
made = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token="[UNK]"))
made.pre_tokenizer = pre_tokenizers.Whitespace()
made.save(os.path.join(os.environ["FOLDER"], "tokenizer.json"))
command = ["node", "encode.mjs", json.dumps(texts)]
said = subprocess.run(command, cwd=os.environ["FOLDER"], capture_output=True, check=True).stdout
print(f"tokenizers {version('tokenizers')} and @huggingface/tokenizers 0.2.0, Whitespace and whole words:")
equal = []
for text, theirs in zip(texts, json.loads(said), strict=True):
    ours = made.encode(text).ids
    equal.append(ours == theirs)
    print(f"  {text!r}: {ours} in tokenizers, {theirs} in JavaScript")
assert equal == [True, False, True], "the behaviour has changed"
PYTHON
