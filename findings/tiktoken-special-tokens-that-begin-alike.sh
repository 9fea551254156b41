#!/usr/bin/env bash
# tiktoken (0.14.0) with two special tokens of which one begins with the other, <NAME> and <NAME>x: which of them is
# matched in the text <NAME>x depends on the names. It is neither always the longer one nor always the one given first:
# of 300 pairs that differ only in their names, each outcome occurs many times. A tokenizer that reproduces these ids has
# no rule to follow; no special token should be a prefix of another.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tiktoken==0.14.0
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tiktoken import Encoding

ranks = {bytes([byte]): byte for byte in range(256)}
longer = 0
for number in range(300):
    short = f"<t{number}>"
    special = {short: 256, short + "x": 257}
    encoding = Encoding("example", pat_str=r".", mergeable_ranks=ranks, special_tokens=special)
    ids = encoding.encode(short + "x", allowed_special="all")
    assert ids in ([257], [256, ord("x")]), ids
    longer += ids == [257]
print(f"tiktoken {version('tiktoken')}: of 300 pairs, the longer token is matched in {longer}, the shorter in {300 - longer}")
assert 30 < longer < 270, "the behaviour has changed"
PYTHON
