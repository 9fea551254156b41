#!/usr/bin/env bash
# js-tiktoken (1.0.21) runs tiktoken's patterns as regular expressions of JavaScript, whose white space differs: \s has
# U+FEFF there and lacks U+0085, the other way round than in tiktoken (0.14.0). With the same ranks and pattern, texts
# with a space before one of the two, inside a line, get other ids.
# Source: CharacterClassEscape "s" in the specification of ECMAScript, White_Space in Unicode.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm install --silent --no-fund --no-audit js-tiktoken@1.0.21 > /dev/null)
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tiktoken==0.14.0
cat > "$folder/cut.mjs" <<'NODE'
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/gpt2";
const encoding = new Tiktoken(ranks);
const texts = JSON.parse(process.argv[2]);
console.log(JSON.stringify({ ranks, ids: texts.map((text) => encoding.encode(text)) }));
NODE
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON'
import base64
import json
import os
import subprocess
from importlib.metadata import version

import tiktoken

texts = ["plain text", "a \ufeffb", "a \u0085b"]
command = ["node", "cut.mjs", json.dumps(texts)]
said = subprocess.run(command, cwd=os.environ["FOLDER"], capture_output=True, check=True).stdout
made = json.loads(said)
ranks = {}
for line in made["ranks"]["bpe_ranks"].split("\n"):
    _, first, *pieces = line.split(" ")
    ranks |= {base64.b64decode(piece): int(first) + id for id, piece in enumerate(pieces)}
pattern = made["ranks"]["pat_str"]
encoding = tiktoken.Encoding("gpt2", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
print(f"tiktoken {version('tiktoken')} and js-tiktoken 1.0.21, GPT-2's ranks and pattern from the package:")
equal = []
for text, theirs in zip(texts, made["ids"], strict=True):
    ours = encoding.encode(text)
    equal.append(ours == theirs)
    print(f"  {text!r}: {ours} in tiktoken, {theirs} in js-tiktoken")
assert equal == [True, False, False], "the behaviour has changed"
PYTHON
