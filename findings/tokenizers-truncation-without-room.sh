#!/usr/bin/env bash
# tokenizers (0.23.3) with truncation to fewer tokens than the template adds to a text: nothing is truncated, and no
# error is reported. With a template of two special tokens and max_length=1, a text of 300 tokens gives 302.
# With max_length=2 it is truncated to the two special tokens, and the window with the rest (overflowing) has 302
# tokens, more than max_length. A caller that relies on the length, such as a fixed-size buffer, gets more than it
# asked for. So check the length beforehand: max_length has to be larger than the number of special tokens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers, processors

tokenizer = Tokenizer(models.WordLevel({"a": 0, "<s>": 1, "</s>": 2}, unk_token="a"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.add_special_tokens(["<s>", "</s>"])
tokenizer.post_processor = processors.TemplateProcessing(
    single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
)
lengths = {}
for most in (3, 2, 1):
    tokenizer.enable_truncation(most)
    encoding = tokenizer.encode("a " * 300)
    lengths[most] = len(encoding.ids), max((len(one.ids) for one in encoding.overflowing), default=0)
print(f"tokenizers {version('tokenizers')}: max_length, then the length of the ids and of the longest window: {lengths}")
assert lengths == {3: (3, 3), 2: (2, 302), 1: (302, 0)}, "the behaviour has changed"
PYTHON
