#!/usr/bin/env bash
# kitoken (0.11.1) merges two tokens wherever their text together is an entry, whether or not the merges of the
# tokenizer.json have that pair. In tokenizers (0.23.3), only pairs of the list are merged. A text whose tokens can be
# joined in a way that the list does not have gets other ids.
# Source: src/convert/tokenizers.rs in Systemcluster/kitoken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check kitoken==0.11.1 tokenizers==0.23.3
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON'
import os
from importlib.metadata import version

from kitoken import Kitoken
from tokenizers import Tokenizer, models, pre_tokenizers

alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
merges = [("a", "b"), ("ab", "a"), ("aba", "b")]
pieces = [*alphabet, *[left + right for left, right in merges]]
made = Tokenizer(models.BPE({piece: id for id, piece in enumerate(pieces)}, merges))
made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
path = os.path.join(os.environ["FOLDER"], "tokenizer.json")
made.save(path)
fast = Kitoken.from_tokenizers_file(path)
print(f"kitoken {version('kitoken')} and tokenizers {version('tokenizers')}, the merges {merges}:")
equal = []
for text in ("ab", "aba", "abab"):
    ours = made.encode(text).tokens
    theirs = [pieces[id] for id in fast.encode(text)]
    equal.append(ours == theirs)
    print(f"  {text!r}: {ours} in tokenizers, {theirs} in kitoken")
assert equal == [True, True, False], "the behaviour has changed"
PYTHON
