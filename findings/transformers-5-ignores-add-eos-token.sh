#!/usr/bin/env bash
# transformers 5 ignores add_bos_token and add_eos_token of tokenizer_config.json where there is a tokenizer.json: the
# post-processor of the file decides alone, in each class, also in LlamaTokenizer. In 4.57.6 LlamaTokenizer follows the
# settings: without </s> in its texts a model that is trained with version 5 never learns to end them. No warning is given.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 4.57.6 5.24.0; do
  python3 -m venv "$folder/env-$version"
  "$folder/env-$version/bin/pip" install --quiet --disable-pip-version-check "transformers==$version"
  "$folder/env-$version/bin/python" -W ignore - "$folder" "$version" <<'PYTHON'
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoTokenizer, __version__

folder = Path(sys.argv[1]) / f"files-{sys.argv[2]}"
folder.mkdir()
entries = {"<unk>": 0, "<s>": 1, "</s>": 2, "\u2581": 3, "a": 4, "\u2581a": 5}
made = Tokenizer(models.BPE(entries, [("\u2581", "a")], unk_token="<unk>"))
made.add_special_tokens(["<unk>", "<s>", "</s>"])
made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
made.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
made.save(str(folder / "tokenizer.json"))
found = {}
for bos, eos in ((True, True), (False, True), (False, False)):
    settings = {
        "tokenizer_class": "LlamaTokenizer",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "add_bos_token": bos,
        "add_eos_token": eos,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    ids = AutoTokenizer.from_pretrained(folder)("a").input_ids
    found[bos, eos] = (1 in ids, 2 in ids)
    print(f"transformers {__version__}: add_bos_token {bos}, add_eos_token {eos}: {ids}")
if sys.argv[2] == "4.57.6":
    assert all(settings == ends for settings, ends in found.items()), "the behaviour has changed"
else:
    assert set(found.values()) == {(True, False)}, "the behaviour has changed"
PYTHON
done
