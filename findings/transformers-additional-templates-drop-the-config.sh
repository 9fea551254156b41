#!/usr/bin/env bash
# transformers (5.23.0): a folder has a chat template in tokenizer_config.json, and a named one in
# additional_chat_templates. One would expect the named template to be added; instead it replaces the other: only the named one
# remains, and apply_chat_template without a name fails. A tool that shows the template in the configuration shows one that
# transformers does not use.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0 jinja2==3.1.6
HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error "$folder/env/bin/python" - "$folder" <<'PYTHON'
import json
import sys
from importlib.metadata import version
from pathlib import Path

from tokenizers import Tokenizer, models
from transformers import AutoTokenizer

folder = Path(sys.argv[1]) / "model"
(folder / "additional_chat_templates").mkdir(parents=True)
Tokenizer(models.WordLevel({"<unk>": 0, "hello": 1}, unk_token="<unk>")).save(str(folder / "tokenizer.json"))
config = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "unk_token": "<unk>",
    "chat_template": "usual: {{ messages[0].content }}",
}
(folder / "tokenizer_config.json").write_text(json.dumps(config))
messages = [{"role": "user", "content": "hello"}]
before = AutoTokenizer.from_pretrained(folder).apply_chat_template(messages, tokenize=False)
(folder / "additional_chat_templates" / "tools.jinja").write_text("tools: {{ messages[0].content }}")
tokenizer = AutoTokenizer.from_pretrained(folder)
try:
    after = tokenizer.apply_chat_template(messages, tokenize=False)
except ValueError as error:
    after = f"ValueError: {str(error)[:60]} …"
print(f"transformers {version('transformers')}: before {before!r}; with a named template beside it {after!r};")
print(f"its templates are then {tokenizer.chat_template!r}")
assert before == "usual: hello"
assert after.startswith("ValueError") and tokenizer.chat_template == {"tools": "tools: {{ messages[0].content }}"}, (
    "the behaviour has changed"
)
PYTHON
