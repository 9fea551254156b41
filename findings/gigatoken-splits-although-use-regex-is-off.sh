#!/usr/bin/env bash
# gigatoken (0.10.0) splits every text with GPT-2's pattern if a tokenizer.json has no Split, also where its ByteLevel has
# "use_regex": false, which says that nothing is split. Merges across spaces, which such a file can have, then never apply:
# the ids differ from those of tokenizers (0.23.3) without an error.
# Source: detect_pretokenizer_type in src/load_tokenizer/hf.rs of marcelroed/gigatoken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check gigatoken==0.10.0 tokenizers==0.23.3
FOLDER=$folder "$folder/env/bin/python" - <<'PYTHON'
import os
from importlib.metadata import version

import gigatoken
from tokenizers import Tokenizer, models, pre_tokenizers

alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
merges = [("\u0120", "b"), ("a", "\u0120b")]
pieces = [*alphabet, *[left + right for left, right in merges]]
print(f"gigatoken {version('gigatoken')} and tokenizers {version('tokenizers')}, the merge of 'a' and ' b':")
equal = []
for use_regex in (True, False):
    made = Tokenizer(models.BPE({piece: id for id, piece in enumerate(pieces)}, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    path = os.path.join(os.environ["FOLDER"], "tokenizer.json")
    made.save(path)
    fast = gigatoken.Tokenizer(path).as_hf()
    theirs = [pieces[int(id)] for id in fast.encode("a b", add_special_tokens=False)]
    ours = made.encode("a b").tokens
    equal.append(ours == theirs)
    print(f"  use_regex {use_regex}: {ours} in tokenizers, {theirs} in gigatoken")
assert equal == [True, False], "the behaviour has changed"
PYTHON
