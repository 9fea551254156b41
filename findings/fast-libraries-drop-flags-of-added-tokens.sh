#!/usr/bin/env bash
# gigatoken (0.10.0) and kitoken (0.11.1) read a tokenizer.json with added tokens, but not all of their flags: gigatoken finds
# a token with "single_word": true inside a word too, and kitoken also leaves the blanks beside one with "lstrip" or "rstrip".
# Nothing says so: the ids differ from those of tokenizers (0.23.3) without an error.
# Source: seen by running; what the flags mean: AddedToken in the documentation of tokenizers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check gigatoken==0.10.0 kitoken==0.11.1 tokenizers==0.23.3
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON'
import os
from importlib.metadata import version

import gigatoken
from kitoken import Kitoken
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
made = Tokenizer(models.BPE({piece: id for id, piece in enumerate(alphabet)}, []))
made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
made.add_tokens(
    [
        AddedToken("cat", single_word=True, normalized=False),
        AddedToken("[L]", lstrip=True, normalized=False),
        AddedToken("[R]", rstrip=True, normalized=False),
    ]
)
path = os.path.join(os.environ["FOLDER"], "tokenizer.json")
made.save(path)
giga = gigatoken.Tokenizer(path).as_hf()
kit = Kitoken.from_tokenizers_file(path)
names = ("tokenizers", "gigatoken", "kitoken")
print(", ".join(f"{name} {version(name)}" for name in names))
equal = []
for text in ("a cat", "cats", "a [L]", "[R] a"):
    found = [
        made.encode(text).ids,
        [int(id) for id in giga.encode(text, add_special_tokens=False)],
        list(kit.encode(text, True)),
    ]
    equal.append(tuple(ids == found[0] for ids in found))
    for name, ids in zip(names, found, strict=True):
        print(f"  {text!r} in {name}: {[made.id_to_token(id) for id in ids]}")
assert equal == [(True, True, True), (True, False, False), (True, True, False), (True, True, False)], equal
PYTHON
