#!/usr/bin/env bash
# The package regex (2026.11.15) takes the alternation of two negated classes, [^a]|[^b], for one class that is
# neither a nor b. Each character is in one of the two, so (?:[^a]|[^b])x should match any character before an x.
# Who reads the patterns of tokenizers with it cuts texts otherwise than Oniguruma, Rust's regex and re do.
# Source: SetUnion in regex/_regex_core.py of that version.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check regex==2026.11.15
"$folder/env/bin/python" - <<'PYTHON'
import re
from importlib.metadata import version

import regex

pattern, text = "(?:[^a]|[^b])x", "axbx"
found, expected = regex.findall(pattern, text), re.findall(pattern, text)
print(f"regex {version('regex')}: {pattern} on {text!r} finds {found}; re of Python finds {expected}")
assert expected == ["ax", "bx"]
assert found == [], "the behaviour has changed"
PYTHON
