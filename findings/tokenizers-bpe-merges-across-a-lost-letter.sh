#!/usr/bin/env bash
# tokenizers (0.23.3): BPE without an unknown token leaves a character out that the vocabulary lacks, and merges what
# then stands side by side: "aXb" becomes the one token "ab". Its offsets are those of the shorter text (0 to 2 instead
# of 0 to 3), so that all offsets after it are wrong as well. Byte-level BPE that lacks a byte does the same.
# Neither an error nor a warning is given.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers

found = []
for byte_level in (False, True):
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    if byte_level:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    encoding = tokenizer.encode("aXbb")
    found.append((encoding.tokens, encoding.offsets))
    print(f"tokenizers {version('tokenizers')}, byte level {byte_level}: 'aXbb' is {encoding.tokens} at {encoding.offsets}")
assert found[0] == (["ab", "b"], [(0, 2), (2, 3)]), "the behaviour has changed"
assert found[1][0] == ["ab", "b"], "the behaviour has changed"
PYTHON
