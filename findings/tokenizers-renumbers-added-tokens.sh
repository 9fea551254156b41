#!/usr/bin/env bash
# tokenizers (0.23.3) does not use the id that tokenizer.json states for an added token which the model's vocabulary does
# not contain. Each gets the next free id in the order of the file: with a vocabulary of three entries, two tokens with
# the ids 9 and 5 get 3 and 4. No warning is given, and the file written back has the new ids.
# A row left free in the embedding matrix, or an id that another program takes from the file, is then another token.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
import json
from importlib.metadata import version

from tokenizers import AddedToken, Tokenizer, models

made = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2}, []))
made.add_special_tokens([AddedToken("<x>", normalized=False), AddedToken("<y>", normalized=False)])
settings = json.loads(made.to_str())
stated = {"<x>": 9, "<y>": 5}
for token in settings["added_tokens"]:
    token["id"] = stated[token["content"]]
opened = Tokenizer.from_str(json.dumps(settings))
got = {name: opened.encode(name).ids for name in stated}
written = {token["content"]: token["id"] for token in json.loads(opened.to_str())["added_tokens"]}
print(f"tokenizers {version('tokenizers')}: stated {stated}, encoded as {got}, written back as {written}")
assert (got, written) == ({"<x>": [3], "<y>": [4]}, {"<x>": 3, "<y>": 4}), "the behaviour has changed"
PYTHON
