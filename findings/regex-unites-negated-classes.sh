#!/usr/bin/env bash
# The package regex (2026.11.15) treats the alternation of two negated classes, [^a]|[^b], as one class that
# excludes both a and b. Every character is in one of the two, so (?:[^a]|[^b])x should match any character before an
# x. Code that runs tokenizer patterns with it splits texts differently from Oniguruma, Rust's regex and re.
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
