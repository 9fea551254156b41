#!/usr/bin/env bash
# tiktoken (0.14.0) with a flag set inside a capturing group, "((?i)a)b": the flag remains in effect after the group, so
# that the pattern matches "AB" as one piece. In a non-capturing group, "(?:(?i)a)b", it ends with the group. A pattern
# copied from elsewhere can match more than intended; write "(?i:a)b".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tiktoken==0.14.0
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tiktoken import Encoding

ranks = {bytes([byte]): byte for byte in range(256)} | {b"AB": 256, b"Ab": 257}


def cut(pattern):
    encoding = Encoding("example", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return [encoding.decode_single_token_bytes(token) for token in encoding.encode_ordinary("Ab AB")]


ways = {pattern: cut(pattern) for pattern in ("((?i)a)b|.", "(?:(?i)a)b|.", "(?i:a)b|.")}
print(f"tiktoken {version('tiktoken')}: {ways}")
assert ways["((?i)a)b|."] == [b"Ab", b" ", b"AB"], "the behaviour has changed"
assert ways["(?:(?i)a)b|."] == ways["(?i:a)b|."] == [b"Ab", b" ", b"A", b"B"]
PYTHON
